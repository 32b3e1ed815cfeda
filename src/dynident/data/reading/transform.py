"""What the numbers of a log mean: a normal form of readings that can be applied, composed and inverted.

A `Reading` is what a user writes; a `Transform` is its meaning for a log of n joints. Joint values are linear in the recorded columns,
q = A_q recorded + offset, dq = A_dq recorded, ddq = A_ddq recorded, effort = A_e recorded, whatever permutations, units, gears, gains and
signs the maps were made of. Clock, delay and the intervals that are left out belong to a recording. Transforms compose by

    apply(a.then(b), log) = apply(b, apply(a, log)),

which is associative, and `identity` is neutral. tests/properties/test_reading.py has the laws.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynident.core.arrays import Array
from dynident.core.large_arrays import map_rows
from dynident.data.dataset import Dataset, EffortKind
from dynident.data.reading.reading import OTHERS, key_of
from dynident.data.signals.clocks import shift_effort
from dynident.data.signals.sampling import leave_out, within
from dynident.errors import InputError, ValueRangeError

MOTION: tuple[str, ...] = ("q", "dq", "ddq")
SIGNALS: tuple[str, ...] = (*MOTION, "effort")
#: Delays that differ by less than this are the same [s, samples].
_SAME_DELAY = 1e-12


class LeftOut(NamedTuple):
    """An interval of a clock, both ends included, in which a joint is not used; joint None for all joints."""

    start: float
    stop: float
    joint: int | None = None


@dataclass(frozen=True, eq=False)
class Shift:
    """What happens on one clock: efforts are put back by their delay, then intervals are left out.

    delay : (n,)           How much later than the positions the efforts were stamped.
    left_out : intervals   Of the same clock.
    """

    delay: Array
    left_out: tuple[LeftOut, ...] = ()

    def then(self, after: Shift) -> Shift:
        """Both, this first. An interval that was left out before efforts move is one of the positions and one of the moved efforts."""
        moved = tuple(
            LeftOut(start - delay, stop - delay, j)
            for start, stop, joint in self.left_out
            for j, delay in enumerate(after.delay.tolist())
            if delay != 0.0 and joint in (None, j)
        )
        return Shift(self.delay + after.delay, tuple(dict.fromkeys((*self.left_out, *moved, *after.left_out))))

    def scale(self, factor: float) -> Shift:
        """The same on a clock whose numbers are `factor` times as large."""
        return Shift(self.delay * factor, tuple(LeftOut(a * factor, b * factor, joint) for a, b, joint in self.left_out))

    @property
    def is_identity(self) -> bool:
        return not (self.left_out or np.any(self.delay))


@dataclass(frozen=True, kw_only=True, eq=False)
class Timing:
    """Clock, delays and left-out intervals of a recording.

    Attributes
    ----------
    recorded : Shift
        On the clock of the recorded stamps [s].
    counted : Shift or None
        On a clock that counts samples, where stamps are replaced by those of a sampling rate; done after `recorded`.
    period : float
        New stamps are the recorded ones (where `counted`: the numbers of the samples) times this.
    """

    recorded: Shift
    counted: Shift | None = None
    period: float = 1.0

    @property
    def rate(self) -> float | None:
        """Sampling rate in place of the stamps [Hz]."""
        return None if self.counted is None else 1.0 / self.period

    @property
    def clock(self) -> float:
        """Factor on the stamps; 1 where a sampling rate replaces them."""
        return self.period if self.counted is None else 1.0

    def factor(self, rate: float) -> float:
        """What the steps of a clock are multiplied by whose rate is this [Hz]."""
        return self.period if self.counted is None else self.period * rate

    def late(self, rate: float) -> Array:
        """(n,) how much later the efforts were stamped, on a recorded clock of this rate [s]."""
        return self.recorded.delay + (0.0 if self.counted is None else self.counted.delay / rate)

    @property
    def delay(self) -> Array:
        """(n,) how much later the efforts were stamped, on the new clock [s]; what was shifted before a sampling rate is not in it."""
        return (self.recorded if self.counted is None else self.counted).delay * self.period

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """Intervals of the new clock [s]; those that were left out before a sampling rate are not among them."""
        return (self.recorded if self.counted is None else self.counted).scale(self.period).left_out

    @property
    def is_identity(self) -> bool:
        return self.counted is None and self.period == 1.0 and self.recorded.is_identity

    def then(self, after: Timing) -> Timing:
        """Both, this first."""
        replaced = after.counted is not None
        period = after.period if replaced else self.period * after.period
        later = after.recorded.scale(1.0 / self.period)
        if self.counted is None:
            return Timing(recorded=self.recorded.then(later), counted=after.counted, period=period)
        counted = self.counted.then(later)
        return Timing(recorded=self.recorded, counted=counted if after.counted is None else counted.then(after.counted), period=period)

    def settle(self, time: Array, first: int = 0) -> Timing:
        """The same of a recording with these stamps (N,), with all that is on replaced stamps counted in samples.

        first : number of the first sample.
        """
        if self.counted is None or self.recorded.is_identity:
            return self
        left_out: list[LeftOut] = []
        for start, stop, joint in self.recorded.left_out:
            rows = np.flatnonzero(within(time, (start, stop)))
            if len(rows):
                left_out.append(LeftOut(first + int(rows[0]) - 0.5, first + int(rows[-1]) + 0.5, joint))
        counted = Shift(self.recorded.delay / float(np.median(np.diff(time))), tuple(left_out))
        return replace(self, recorded=no_shift(len(self.recorded.delay)), counted=counted.then(self.counted))

    def apply(self, data: Dataset) -> Dataset:
        """The log of one recording with it."""
        data = _shift(data, self.recorded.scale(self.clock), data.time * self.clock)
        return data if self.counted is None else _shift(data, self.counted.scale(self.period), _count(data) * self.period)

    def reorder(self, order: Sequence[int], efforts: Array) -> Timing:
        """The same of joints in another order. efforts : (n, n) the map of efforts, which their delays go through."""
        places = {column: joint for joint, column in enumerate(order)}

        def place(shift: Shift) -> Shift:
            left_out = (LeftOut(a, b, None if joint is None else places[joint]) for a, b, joint in shift.left_out)
            return Shift(_map_delays(shift.delay, efforts), tuple(left_out))

        return replace(self, recorded=place(self.recorded), counted=None if self.counted is None else place(self.counted))


def no_shift(n: int) -> Shift:
    """Of n joints."""
    return Shift(np.zeros(n))


def _count(data: Dataset) -> Array:
    """(N,) numbers of the samples in their recording, of which some may have been dropped."""
    pieces = data.provenance.pieces
    numbers = np.concatenate([np.arange(piece.start, piece.stop, dtype=float) for piece in pieces])
    as_recorded = len(numbers) == data.samples and bool(np.all(np.diff(numbers) > 0.0))
    return numbers if as_recorded else np.arange(data.samples, dtype=float)


def _shift(data: Dataset, shift: Shift, time: Array) -> Dataset:
    data = data if np.array_equal(time, data.time) else data.after("", time=time)
    if data.effort is not None and np.any(shift.delay):
        data = shift_effort(data, shift.delay)
    return leave_out(data, shift.left_out) if shift.left_out else data


def _map_delays(delay: Array, efforts: Array) -> Array:
    """(n,) delays of efforts that are sums of delayed ones."""
    if not np.any(delay):
        return delay
    mixed = efforts != 0.0
    lowest = np.where(mixed, delay, np.inf).min(axis=1)
    if np.any(np.where(mixed, delay, -np.inf).max(axis=1) - lowest > _SAME_DELAY):
        raise InputError("efforts with different delays cannot be combined by coupled gears", remedy="give these joints the same delay")
    return lowest


@dataclass(frozen=True, kw_only=True, eq=False)
class Transform:
    """The meaning of a reading for logs of n joints; it never changes how many joints there are, or their names.

    Attributes
    ----------
    maps : mapping of str to (n, n) array
        "q", "dq", "ddq", "effort": joint values in SI units = map @ recorded columns, and `offset` for positions.
    offset : (n,) array
        Added to the positions last [rad | m].
    order : (n,) tuple of int
        Column of each joint, by which masks and temperatures go.
    drive : (n, n) array
        Recorded positions per joint position, without units.
    gears : (n, n) array or None
        Of motors that were declared by gear ratios: motor = gears · joint, for `Dataset.gears`.
    unsigned : bool
        Whether efforts are taken for magnitudes.
    torque : bool
        Whether gains make torques of the efforts.
    ignored : frozenset of str
        Of "dq" and "ddq", those that are not used.
    timing : mapping
        By recording; `OTHERS` stands for those that are not named.
    """

    maps: Mapping[str, Array]
    offset: Array
    order: tuple[int, ...]
    drive: Array
    gears: Array | None = None
    unsigned: bool = False
    torque: bool = False
    ignored: frozenset[str] = frozenset()
    timing: Mapping[str, Timing] = field(default_factory=dict[str, Timing])

    @staticmethod
    def identity(n: int) -> Transform:
        """Of n joints: what changes nothing."""
        eye = np.eye(n)
        return Transform(maps=dict.fromkeys(SIGNALS, eye), offset=np.zeros(n), order=tuple(range(n)), drive=eye)

    @staticmethod
    def reorder(order: Sequence[int]) -> Transform:
        """Joint j is column order[j]."""
        eye = np.eye(len(order))
        maps = dict.fromkeys(SIGNALS, eye[list(order)])
        return Transform(maps=maps, offset=np.zeros(len(order)), order=tuple(order), drive=eye[:, list(order)])

    @property
    def n(self) -> int:
        """Number of joints."""
        return len(self.offset)

    @property
    def q(self) -> Array:
        """(n, n) map of the positions."""
        return self.maps["q"]

    @property
    def effort(self) -> Array:
        """(n, n) map of the efforts."""
        return self.maps["effort"]

    def timing_of(self, recording: str = OTHERS) -> Timing:
        """The clock, delay and left-out intervals of a recording."""
        return self.timing.get(key_of(recording, self.timing)) or Timing(recorded=no_shift(self.n))

    @property
    def is_identity(self) -> bool:
        """Whether it changes nothing."""
        eye = np.eye(self.n)
        return (
            all(np.array_equal(each, eye) for each in self.maps.values())
            and self.order == tuple(range(self.n))
            and all(timing.is_identity for timing in self.timing.values())
            and not (np.any(self.offset) or self.gears is not None or self.unsigned or self.torque or self.ignored)
        )

    def then(self, after: Transform) -> Transform:
        """Both, this first."""
        if after.n != self.n:
            raise InputError(f"a reading of {self.n} joints cannot be followed by one of {after.n}")
        recordings = dict.fromkeys((*self.timing, *after.timing))
        return Transform(
            maps={name: after.maps[name] @ self.maps[name] for name in SIGNALS},
            offset=after.q @ self.offset + after.offset,
            order=tuple(self.order[column] for column in after.order),
            drive=self.drive @ after.drive,
            gears=after.gears if self.gears is None else (self.gears @ after.drive)[list(after.order)],
            unsigned=self.unsigned or after.unsigned,
            torque=self.torque or after.torque,
            ignored=self.ignored | after.ignored,
            timing={name: self.timing_of(name).reorder(after.order, after.effort).then(after.timing_of(name)) for name in recordings},
        )

    def inverse(self) -> Transform:
        """What undoes it; InputError for what cannot be undone. At the ends of a log, samples that a delay has cost do not come back."""
        lost = [
            *(["magnitudes have no sign"] if self.unsigned else []),
            *(["gains have changed the kind of the effort"] if self.torque else []),
            *(["it is not known whether the log had gears before"] if self.gears is not None else []),
            *(f"{name} was left out" for name in sorted(self.ignored)),
        ]
        for timing in self.timing.values():
            lost += ["the stamps were replaced"] if timing.counted is not None else []
            lost += ["intervals were left out"] if timing.recorded.left_out else []
        if lost:
            raise InputError(f"the reading has no inverse: {'; '.join(dict.fromkeys(lost))}")
        maps: dict[str, Array] = {name: np.asarray(np.linalg.inv(each), dtype=float) for name, each in self.maps.items()}
        order = tuple(int(column) for column in np.argsort(self.order))
        back = {
            name: Timing(recorded=Shift(-timing.recorded.delay * timing.period), period=1.0 / timing.period).reorder(order, maps["effort"])
            for name, timing in self.timing.items()
        }
        drive = np.asarray(np.linalg.inv(self.drive), dtype=float)
        return Transform(maps=maps, offset=-maps["q"] @ self.offset, order=order, drive=drive, timing=back)

    def embed(self, columns: Sequence[int], n: int) -> Transform:
        """The same for a file of n columns, of which the log's are those given, in this order; the others stay as they are."""
        others = [column for column in range(n) if column not in columns]
        larger = Transform.identity(n)
        inside = np.ix_(range(self.n), range(self.n))

        def enlarge(matrix: Array) -> Array:
            result = np.eye(n)
            result[inside] = matrix
            return result

        def lengthen(shift: Shift) -> Shift:
            return Shift(np.append(shift.delay, np.zeros(n - self.n)), shift.left_out)

        timing = {
            name: replace(each, recorded=lengthen(each.recorded), counted=None if each.counted is None else lengthen(each.counted))
            for name, each in self.timing.items()
        }
        inner = replace(
            self,
            maps={name: enlarge(each) for name, each in self.maps.items()},
            offset=np.append(self.offset, larger.offset[self.n :]),
            order=(*self.order, *range(self.n, n)),
            drive=enlarge(self.drive),
            gears=None if self.gears is None else enlarge(self.gears),
            timing=timing,
        )
        there = Transform.reorder([*columns, *others])
        return there.then(inner).then(there.inverse())

    def apply(self, data: Dataset) -> Dataset:
        """The log as it is meant.

        Raises
        ------
        InputError
            Where it has another number of joints, or a delay is longer than the log.
        """
        return data if self.is_identity else self.apply_timing(self.apply_maps(data).after("corrected"))

    def apply_maps(self, data: Dataset) -> Dataset:
        """The log with all that does not concern its clock."""
        if data.n != self.n:
            raise InputError(f"the reading is for {self.n} joints and the log has {data.n}")
        arrays: dict[str, Any] = {}
        kind = data.effort_kind
        unsigned = kind is not None and (self.unsigned or kind.unsigned)
        for name in SIGNALS:
            values: Array | None = getattr(data, name)
            if values is not None:
                magnitudes = name == "effort" and unsigned
                offset = self.offset if name == "q" and np.any(self.offset) else None
                matrix = np.abs(self.maps[name]) if magnitudes else self.maps[name]
                if magnitudes and np.count_nonzero(matrix) > self.n:
                    raise ValueRangeError(
                        "motor_to_joint", "couples joints, which needs the signs of the torques; effort kind 'magnitude' has none"
                    )
                arrays[name] = None if name in self.ignored else map_columns(values, matrix, offset, size=magnitudes)
        if kind is not None:
            kind = EffortKind.TORQUE if self.torque and not kind.unsigned else EffortKind.MAGNITUDE if self.torque else kind
            arrays["effort_kind"] = kind.without_sign if unsigned else kind
        if self.order != tuple(range(self.n)):
            arrays |= {name: _take(getattr(data, name), self.order) for name in ("temperature", "mask")}
        arrays["gears"] = self.gears if data.gears is None else (data.gears @ self.drive)[list(self.order)]
        return data.after("", **arrays)

    def apply_timing(self, data: Dataset) -> Dataset:
        """The log with its clock, delays and left-out intervals."""
        names = data.recording_names
        timings = [self.timing_of(name) for name in names]
        if all(timing.is_identity for timing in timings):
            return data
        if len(names) == 1:
            return timings[0].apply(data)
        return Dataset.concatenate([timings[i].apply(part) for i, part in data.by_recording()])


def map_columns(values: NDArray[Any], matrix: Array, offset: Array | None = None, *, size: bool = False) -> Array:
    """(N, n) the matrix times each row, plus an offset; columns are picked where each row has one element. size : of absolute values."""
    picks = np.count_nonzero(matrix, axis=1).max(initial=0) <= 1 and matrix.shape[0] == matrix.shape[1]
    columns = np.argmax(matrix != 0.0, axis=1)
    factors = matrix[np.arange(len(matrix)), columns]
    ordered = picks and bool(np.all(columns == np.arange(len(matrix))))
    if ordered and np.all(factors == 1.0) and offset is None and not size and values.dtype == np.float64:
        return values

    def change(rows: Array) -> Array:
        rows = np.asarray(rows, dtype=float)
        rows = np.abs(rows) if size else rows
        rows = (rows if ordered else rows[:, columns]) * factors if picks else rows @ matrix.T
        return rows if offset is None else rows + offset

    return map_rows(change, values)


def _take(values: NDArray[Any] | None, order: Sequence[int]) -> NDArray[Any] | None:
    return None if values is None else map_rows(lambda rows: rows[:, list(order)], values, len(order), values.dtype)
