"""Samples of a log that are faults of its recording: exact zeros in place of missing ones, isolated values, values that are held on,
and efforts beyond the joint's limit.

A sample is a fault where nothing supports it: its neighbours on both sides are far off and close to each other, and the joint moves on
evenly. Values that repeat are faults where the joint moves and a change as large as those around them could not have come out as none
so often. What a log does anyway is no fault: coarse steps repeat values, a joint at rest has a constant effort or none, a saturated
drive stays at its largest value, a bang-bang command makes real peaks of the effort together with jolts of the motion.

Single faults, and up to three in a row, are replaced by cubics through two samples on either side. Longer runs are masked: those of an
effort for its joint, those of a motion for all joints, because the effort of each depends on the motion of all. Where no filter follows,
single ones are masked too. Before a filter that would do harm: a product with a mask that changes from sample to sample brings noise of
all frequencies into its band.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dynident.core.arrays import Array, BoolArray, IntArray
from dynident.core.large_arrays import allocate, column_of, concatenate_rows, largest_sizes, row_blocks
from dynident.data.dataset import Dataset, EffortKind
from dynident.data.signals.derivatives import derivative

#: Codes of faults; 0 is a sample in use, MASKED one that was left out before.
ISOLATED, ZERO, REPEATED, BEYOND_LIMIT, MASKED = 1, 2, 3, 4, 5
#: Deviation of an isolated sample, in usual changes from one sample to the next and in steps that values were rounded to; and of an
#: exact zero. Of 55 recorded logs (Panda, KUKA LWR 4+, TX40, AlienGo, SO-101, XL330, TIAGo) 48 lose nothing and five 1 to 13 values of a
#: joint; two of the XL330 lose 7 and 15 %, where its load, read as an unsigned number that wraps, saturates below its largest value.
DEVIATION, STEPS, DEVIATION_OF_ZERO = 10.0, 20.0, 5.0
#: Share of the changes [%] that are smaller than the resolution of a signal; values of a coarser one, beside the usual change, repeat.
_SMALLEST, _COARSE = 0.2, 0.4
#: Zeros are missing samples where they are so many times as frequent as the sizes next to them, and a few more, and where most of them
#: are beside values that are farther from zero than this share of the median size.
_FREQUENT, _MORE, _APART = 5.0, 3.0, 0.25
#: Probability of honest repeats in a whole log below which they are faults.
_RARE = 1e-3
#: A value that is held so often, and by this share of all runs, is a level at which a drive saturates.
_LEVEL, _LEVEL_SHARE = 3, 0.1
#: Runs of so many samples of a motion are replaced.
_BRIDGED = 3
#: Beyond this share of a joint's samples they are how the log is, and used.
MOST = 0.3
#: Share of a joint's samples from which on faults are beside each other.
_DENSE = 0.01
#: Rounds over the log: a fault hides what is wrong with its neighbours until it has been left out.
_ROUNDS = 6
#: Fewer samples tell nothing about each other.
_FEWEST = 20
#: Samples that tell what is usual, and in windows of how many.
_ENOUGH, _WINDOW = 20_000, 500

#: What a log may hold, in the order in which it is looked at: positions tell whether a joint moves.
SIGNALS = {"q": "position", "dq": "velocity", "ddq": "acceleration", "effort": "effort"}
_KINDS = {ZERO: "zero", ISOLATED: "isolated", REPEATED: "repeated", BEYOND_LIMIT: "beyond_limit"}
_WORDS = {
    "zero": "are exactly 0 between values that are not, as if they were missing",
    "isolated": "are isolated values that neither the samples beside them nor the motion support",
    "repeated": "repeat the value before while the joint moves, as if the recording had stopped",
    "beyond_limit": "are beyond the joint's effort limit",
}


@dataclass(frozen=True)
class FaultCount:
    """How many samples of a joint's signal have one kind of fault.

    signal : "q", "dq", "ddq" or "effort".
    kind : "zero", "isolated", "repeated" or "beyond_limit".
    left_out : bool   Whether they were masked or replaced; they are not where they are too many to be faults.
    """

    signal: str
    kind: str
    joint: str
    samples: int
    left_out: bool


def leave_out_faults(
    data: Dataset, limits: ArrayLike | None = None, *, names: Sequence[str] = (), filtered: bool = True
) -> tuple[Dataset, tuple[FaultCount, ...]]:
    """The log without its faulty samples, and how many of each kind there are; the log itself where there are none.

    limits : (n,) largest efforts of the joints [N·m | N], for logs of torque; 0 or infinite where a joint has none.
    names : of the joints, where they are not those of the log.
    filtered : whether a filter follows; else single faults are masked too.
    """
    codes_by_signal, counts = find_faults(data, limits, names=names)
    if not codes_by_signal:
        return data, counts
    changes: dict[str, Array] = {}
    use = np.ones(data.q.shape, dtype=bool)
    for signal, codes in codes_by_signal.items():
        changes[signal], long = _bridge(data, getattr(data, signal), codes)
        long = long if filtered else codes > 0
        use &= ~(long if signal == "effort" else long.any(axis=1, keepdims=True))
    changed = data.after("without faulty samples", **changes)
    return changed if use.all() else changed.restrict(use), counts


def find_faults(
    data: Dataset, limits: ArrayLike | None = None, *, names: Sequence[str] = ()
) -> tuple[Mapping[str, NDArray[np.uint8]], tuple[FaultCount, ...]]:
    """{signal: codes (N, n)} of the signals that have faults, 0 where there is none; and how many of each kind there are."""
    if data.samples < _FEWEST:
        return {}, ()
    joints = tuple(names) or data.joint_names
    starts = np.array([*data.starts, data.samples], dtype=np.int64)
    codes_by_signal: dict[str, NDArray[np.uint8]] = {}
    counts: list[FaultCount] = []
    q = data.q
    for signal in SIGNALS:
        values: Array | None = getattr(data, signal)
        if values is None:
            continue
        codes = _codes(data, signal)
        marked = _mark(values, q, codes, starts, is_position=signal == "q")
        if marked and signal in ("dq", "ddq"):
            marked = _keep_unlike_differences(data, q, signal, codes, starts, codes_by_signal.get("q"))
        smooth = np.zeros(data.n, dtype=np.int64)
        if signal == "effort":
            if marked:
                _release_levels(values, codes)
            if limits is not None and data.effort_kind is EffortKind.TORQUE:
                leaping, smooth = _mark_beyond(values, codes, np.asarray(limits, dtype=float))
                marked |= leaping
        signal_counts = list(_count(joints, signal, codes)) if marked else []
        kind = _KINDS[BEYOND_LIMIT]
        signal_counts += [
            FaultCount(signal, kind, joint, count, False) for joint, count in zip(joints, smooth.tolist(), strict=True) if count
        ]
        counts += signal_counts
        if any(count.left_out for count in signal_counts):
            np.multiply(codes, codes != MASKED, out=codes)
            codes_by_signal[signal] = codes
            if signal == "q":
                q, _ = _bridge(data, q, codes)
    return codes_by_signal, tuple(counts)


def describe_faults(counts: Sequence[FaultCount], samples: int) -> Iterator[str]:
    """One sentence per signal and kind. samples : of the log."""
    for signal, word in SIGNALS.items():
        for kind, what in _WORDS.items():
            for left_out in (True, False):
                matching = [count for count in counts if (count.signal, count.kind, count.left_out) == (signal, kind, left_out)]
                if not matching:
                    continue
                done = "they are left out, or replaced by interpolation where a filter follows and they are few in a row"
                if not left_out:
                    smooth = ", or reached too smoothly," if kind == "beyond_limit" else ""
                    done = f"they are too many{smooth} for faults, so they are used; check the column, its unit and the limits"
                joints = ", ".join(f"{count.joint} {count.samples}" for count in matching)
                yield f"of {samples} samples of the {word} these {what}: {joints}; {done}"


def _codes(data: Dataset, signal: str) -> NDArray[np.uint8]:
    """(N, n) MASKED where nothing is used of a sample, else 0."""
    codes: NDArray[np.uint8] = allocate(data.q.shape, np.uint8)
    for block in row_blocks(data.samples, codes, width=data.n):
        codes[block] = 0
        if data.mask is not None:
            unused = ~data.mask[block] if signal == "effort" else ~data.mask[block].any(axis=1, keepdims=True)
            codes[block] += (MASKED * unused).astype(np.uint8)
    return codes


def _mark(values: Array, q: Array, codes: NDArray[np.uint8], starts: IntArray, *, is_position: bool, most: Array | None = None) -> bool:
    """Codes (N, n) of the isolated, zero and repeated values of a signal (N, n), beside positions q (N, n); whether there are any.

    most : (n,) what its usual change is at most; a signal that changes at its faults alone has none.
    """
    from dynident.data.signals.fault_kernels import WORK, count_zeros, mark_faults  # here, because importing Numba takes long

    n, few = values.shape[1], _excerpt(values)
    usual, smallest = _usual(np.diff(few, axis=0)), _smallest(few)
    if most is not None:
        usual, smallest = np.minimum(usual, most), np.minimum(smallest, most)
    speed = usual if is_position else _usual(np.diff(_excerpt(q), axis=0))
    fine = smallest <= _COARSE * usual
    sizes = np.abs(few)
    if is_position:  # positions are smooth: what is far from the line between their neighbours is wrong
        least = least_zero = DEVIATION * _usual(np.diff(few, 2, axis=0))
    else:
        least, least_zero = np.maximum(DEVIATION * usual, STEPS * smallest), DEVIATION_OF_ZERO * usual
    zeros = np.zeros(n, dtype=bool)
    if not is_position and any(np.any(values[block] == 0.0) for block in row_blocks(len(values), values, width=n)):
        counted, typical = np.empty((n, 4)), np.median(sizes, axis=0)
        count_zeros(values, q, codes, starts, speed, _APART * typical, counted)
        beside = np.count_nonzero((sizes > 0.0) & (sizes <= 1.5 * counted[:, 3]), axis=0) * len(values) / len(few)
        anywhere = counted[:, 2] > 0.5 * counted[:, 1]
        zeros = fine & (counted[:, 0] > _FREQUENT * beside + _MORE) & anywhere
        dead_zone = np.where(~anywhere & (counted[:, 3] < _APART * typical), counted[:, 3], 0.0)  # below it a sensor may read 0
        least_zero = np.maximum(least_zero, 2.0 * dead_zone)
    saturated = sizes.max(axis=0) * (1.0 - 1e-9)
    scales = np.array([usual, least, least_zero, np.where(fine, smallest, 0.0), _repeat_once(few), speed, saturated])
    rare = float(np.log(_RARE / len(values)))
    work, state = np.empty(WORK), np.zeros((3, n), dtype=np.int64)
    dense, marked = np.zeros(n, dtype=bool), False
    for _ in range(_ROUNDS):
        new = 0
        for block in row_blocks(len(values), values, q, codes, width=n):
            new += mark_faults(values, q, codes, block.start, block.stop, starts, scales, zeros, dense, is_position, rare, work, state)
        if not new:
            break
        dense, marked = np.count_nonzero(codes, axis=0) > _DENSE * len(codes), True
    return marked


def _keep_unlike_differences(
    data: Dataset, q: Array, signal: str, codes: NDArray[np.uint8], starts: IntArray, positions: NDArray[np.uint8] | None
) -> bool:
    """Of the faults of a velocity or an acceleration those that stand out of its difference from the derivative too, and those of samples
    whose position is a fault; whether there are any.

    Derivatives of positions in steps are full of isolated values, and those are no faults of the recording.
    positions : (N, n) codes of their faults.
    """
    source = data.dq if signal == "ddq" and data.dq is not None else q
    derived = derivative(data, source)
    if signal == "ddq" and data.dq is None:
        derived = derivative(data, derived)
    others = np.where(codes == MASKED, codes, np.uint8(0))
    recorded: Array = getattr(data, signal)
    _mark(recorded - derived, q, others, starts, is_position=False, most=_usual(np.diff(_excerpt(recorded), axis=0)))
    alike = (others == 0) | (others == REPEATED)
    codes[alike if positions is None else alike & (positions == 0)] = 0
    return bool(np.any((codes != 0) & (codes != MASKED)))


def _excerpt(values: Array) -> Array:
    """Windows of a long signal (N, n), one after another."""
    if len(values) <= _ENOUGH:
        return values
    firsts = np.linspace(0, len(values) - _WINDOW, _ENOUGH // _WINDOW).astype(int)
    return np.concatenate([values[first : first + _WINDOW] for first in firsts.tolist()])


def _usual(changes: Array) -> Array:
    """(n,) the median size of those that are not zero, of each column; infinite where all are."""
    return np.array([np.median(size[size > 0.0]) if size.any() else np.inf for size in np.abs(changes).T])


def _smallest(few: Array) -> Array:
    """(n,) the smallest change from sample to sample: the step that values were rounded to, and next to nothing where they were not."""
    sizes = np.abs(np.diff(few, axis=0))
    return np.array([np.percentile(size[size > 0.0], _SMALLEST) if size.any() else np.inf for size in sizes.T])


def _repeat_once(few: Array) -> Array:
    """(n,) share of the samples that repeat the one before while those on either side do not: what honest repeats mostly are."""
    same = np.diff(few, axis=0) == 0.0
    return np.mean(same[1:-1] & ~same[:-2] & ~same[2:], axis=0)


def _release_levels(effort: Array, codes: NDArray[np.uint8]) -> None:
    """Repeated efforts of one value, again and again or the largest or smallest of all, are those of a drive that saturates."""
    for j in np.flatnonzero((codes == REPEATED).any(axis=0)).tolist():
        repeated, column = codes[:, j] == REPEATED, column_of(effort, j)
        begins = repeated & ~np.concatenate([[False], repeated[:-1]])
        levels, counts = np.unique(column[begins], return_counts=True)
        levels = levels[(counts >= max(_LEVEL, _LEVEL_SHARE * counts.sum())) | (levels == column.min()) | (levels == column.max())]
        codes[repeated & np.isin(column, levels), j] = 0


def _mark_beyond(effort: Array, codes: NDArray[np.uint8], limits: Array) -> tuple[bool, IntArray]:
    """Efforts beyond their limits (n,) in runs that begin or end with a leap: whether there are any. And (n,) how many are in runs that do
    not: a limit that a motion exceeds smoothly is not that of the drive."""
    allowed = np.where(limits > 0.0, limits, np.inf) * (1.0 + 1e-6)
    beyond, leaping = np.flatnonzero(largest_sizes(effort) > allowed).tolist(), False
    smooth = np.zeros(effort.shape[1], dtype=np.int64)
    leap = DEVIATION * _usual(np.diff(_excerpt(effort), axis=0)) if beyond else smooth
    for j in beyond:
        good = np.flatnonzero(codes[:, j] == 0)
        column = column_of(effort, j)[good]
        edges = np.flatnonzero(np.diff(np.concatenate([[False], np.abs(column) > allowed[j], [False]])))
        steps = np.abs(np.diff(column, prepend=column[:1], append=column[-1:]))  # before each sample, and after the last
        for start, stop in edges.reshape(-1, 2).tolist():
            if max(steps[start], steps[stop]) > leap[j]:
                codes[good[start:stop], j] = BEYOND_LIMIT
                leaping = True
            else:
                smooth[j] += stop - start
    return leaping, smooth


def _count(names: Sequence[str], signal: str, codes: NDArray[np.uint8]) -> Iterator[FaultCount]:
    """Of each kind; codes of those that are too many become 0."""
    for code, kind in _KINDS.items():
        for j, number in enumerate(np.count_nonzero(codes == code, axis=0).tolist()):
            if number:
                left_out = number <= MOST * len(codes)
                if not left_out:
                    codes[codes[:, j] == code, j] = 0
                yield FaultCount(signal, kind, names[j], number, left_out)


def _bridge(data: Dataset, values: Array, codes: NDArray[np.uint8]) -> tuple[Array, BoolArray]:
    """A signal (N, n) with cubics in place of its faults, and (N, n) which are of runs too long for that, where lines replace them."""
    bridged, long = concatenate_rows([values]), np.zeros(values.shape, dtype=bool)
    for j in np.flatnonzero(codes.any(axis=0)).tolist():
        for segment in data.segments:
            time, column, code = data.time[segment], values[segment, j], codes[segment, j]
            good, wrong = np.flatnonzero(code == 0), np.flatnonzero(code)
            if len(good) == 0:
                long[segment, j] = True
            elif len(wrong) > 0:
                after = np.searchsorted(good, wrong)
                bridged[segment.start + wrong, j] = np.interp(time[wrong], time[good], column[good])
                inner = (after >= 2) & (after <= len(good) - 2)
                short = inner.copy()
                short[inner] = good[after[inner]] - good[after[inner] - 1] <= _BRIDGED + 1
                places = good[after[short][:, None] + np.array([-2, -1, 0, 1])]
                bridged[segment.start + wrong[short], j] = _cubic(time[places], column[places], time[wrong[short]])
                long[segment.start + wrong[~short], j] = True
    return bridged, long


def _cubic(x: Array, y: Array, at: Array) -> Array:
    """(k,) the cubics through four points (k, 4) each at the places `at` (k,), by Lagrange's formula."""
    total = np.zeros(len(at))
    for a in range(4):
        others = [b for b in range(4) if b != a]
        total += y[:, a] * np.prod([(at - x[:, b]) / (x[:, a] - x[:, b]) for b in others], axis=0)
    return total
