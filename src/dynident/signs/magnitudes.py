"""A log of |τ| made ready for the search for its signs: a smooth motion, the rows of the model, the noise, and the segments.

The motion is smoothed, because the model's torque is compared sample by sample; |τ| stays as it was recorded, because a filter that
runs through a change of sign, which |τ| doesn't show, would bend it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dynident.core.arrays import Array, BoolArray, IntArray
from dynident.data import Dataset, EffortKind, is_uniform, resample
from dynident.data.signals.agreement import smooth_motion
from dynident.errors import InputError, Remedy, ValueRangeError
from dynident.friction import linear
from dynident.friction.model import FrictionModel
from dynident.regression.equations.base import BaseParameters, base_parameters
from dynident.regression.equations.factors import triangular
from dynident.regression.equations.rows import LogRows, RowGroup, collect_tables
from dynident.regression.identify import DEFAULT_CUTOFF, Auto
from dynident.regression.prepare import JITTER_TOLERANCE, match_joints
from dynident.robots.robot import Robot
from dynident.signs.segments import Segment, split_segments

#: Samples nearer to zero than this many standard deviations of the noise don't tell a sign.
UNCLEAR = 3.0
#: The same for logs without noise: a share of the joint's RMS.
LEAST_SHARE = 0.01
#: Rows per second that the search works with; more say little more, as neighbouring ones say nearly the same.
WORKING_RATE = 100.0
#: A joint moves when it covers more than this [rad | m].
STILL = 1e-3
#: |τ| varies when its standard deviation is above this share of its mean.
CONSTANT = 1e-6
#: Order of the differences that tell noise from motion, and what they make of the variance of white noise.
_ORDER, _GAIN = 3, 20.0
#: Standard deviation over median of the absolute value, for a normal distribution.
NORMAL = 1.4826


_UP_TO_SCALE = (
    "the effort is a current without a torque per ampere: all joints are taken to have the same, and masses, inertias and friction come "
    "out divided by it; the gains of the drives, or a mass that is known, give the scale"
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Magnitudes:
    """|τ| of a log, beside the model that its signs must fit.

    base : BaseParameters   What is identified.
    log : Dataset           On a uniform clock, |τ| as recorded; its samples are those that segments count.
    motion : Dataset        The same with smooth q, dq and ddq.
    noise : (n,)            Standard deviation of |τ|, from its high differences [N·m | N].
    threshold : (n,)        |τ| below which a sample tells no sign [N·m | N]; as rows of the model such samples say Yπ ≈ 0.
    segments : tuple        Of all joints, joint by joint in the order of time.
    notes : tuple of str    What was done to the log.
    """

    base: BaseParameters
    log: Dataset
    motion: Dataset
    noise: Array
    threshold: Array
    segments: tuple[Segment, ...]
    notes: tuple[str, ...] = ()

    @property
    def robot(self) -> Robot:
        return self.base.robot

    @property
    def b(self) -> Array:
        """(N, n) |τ| as recorded [N·m | N]."""
        assert self.log.effort is not None  # noqa: S101 (prepared)
        return self.log.effort

    @cached_property
    def inner(self) -> BoolArray:
        """(N,) the samples that are not at an end of a recording, where smoothing knows one side only."""
        edge, inner = round(EDGE * self.log.rate), np.zeros(self.log.samples, dtype=bool)
        for piece in self.log.segments:
            margin = edge if piece.stop - piece.start > 4 * edge else 0
            inner[piece.start + margin : piece.stop - margin] = True
        return inner

    @cached_property
    def working(self) -> IntArray:
        """(K,) the samples that the search works with: about WORKING_RATE of the inner ones per second."""
        step = working_step(self.log)
        return np.concatenate([piece.start + step * np.flatnonzero(self.inner[piece][::step]) for piece in self.log.segments])

    @cached_property
    def groups(self) -> tuple[RowGroup, ...]:
        """(n,) which coefficients appear in the rows of each joint."""
        return LogRows(base=self.base, dataset=self.motion, filter=None, extra={}).groups

    @cached_property
    def rows(self) -> tuple[Array, ...]:
        """(n,) regressor (K, c_j) of each joint at the working samples, in the columns of its group."""
        at, motion = self.working, self.motion
        assert motion.dq is not None  # noqa: S101 (prepared)
        assert motion.ddq is not None  # noqa: S101
        q = motion.q[at]
        chosen = Dataset(
            time=np.arange(len(at), dtype=float),
            q=q,
            dq=motion.dq[at],
            ddq=motion.ddq[at],
            effort=np.zeros_like(q),
            effort_kind=EffortKind.TORQUE,
        )
        tables = collect_tables((LogRows(base=self.base, dataset=chosen, filter=None, extra={}),), self.log.n)
        return tuple(np.ascontiguousarray(parts[0][:-1].T) for parts in tables)

    @cached_property
    def used(self) -> BoolArray:
        """(K, n) which of the working samples count."""
        return np.ones((len(self.working), self.log.n), dtype=bool) if self.log.mask is None else self.log.mask[self.working]

    @cached_property
    def segment_of(self) -> IntArray:
        """(K, n) number of the segment that each working sample belongs to, -1 for none."""
        number = np.full(self.b.shape, -1, dtype=np.int64)
        for k, segment in enumerate(self.segments):
            number[segment.samples, segment.joint] = k
        return number[self.working]

    @cached_property
    def factors(self) -> tuple[Array, ...]:
        """(n,) triangular factor (c_j, c_j) of each joint's rows."""
        return tuple(triangular([Y[used]]) for Y, used in zip(self.rows, self.used.T, strict=True))

    @cached_property
    def moments(self) -> Array:
        """(b, S) Σ Y_t b_t over the working samples of each segment."""
        found = np.zeros((self.base.rank, len(self.segments)))
        b = self.b[self.working]
        for j, (group, Y) in enumerate(zip(self.groups, self.rows, strict=True)):
            for k, at in self.segment_rows[j]:
                found[group.columns, k] = b[at, j] @ Y[at]
        return found

    @cached_property
    def energies(self) -> Array:
        """(S,) Σ b_t² over the working samples of each segment."""
        found, b = np.zeros(len(self.segments)), self.b[self.working]
        for j, pairs in enumerate(self.segment_rows):
            for k, at in pairs:
                found[k] = b[at, j] @ b[at, j]
        return found

    @cached_property
    def segment_rows(self) -> tuple[tuple[tuple[int, IntArray], ...], ...]:
        """(n,) of each joint: the numbers of its segments with the places of their used rows among the working samples."""
        found: list[tuple[tuple[int, IntArray], ...]] = []
        for number, used in zip(self.segment_of.T, self.used.T, strict=True):
            rows = np.flatnonzero((number >= 0) & used)
            numbers, starts = np.unique(number[rows], return_index=True)  # segments follow each other in time
            found.append(tuple(zip(numbers.tolist(), np.split(rows, starts[1:]), strict=False)))
        return tuple(found)

    def predict(self, coefficients: Array) -> Array:
        """(N, n) the model's torque along the smooth motion [N·m | N]."""
        from dynident.dynamics import inverse_dynamics
        from dynident.friction import friction_torque

        base, motion, x = self.base, self.motion, self.base.representative(coefficients)
        assert motion.dq is not None  # noqa: S101 (prepared)
        assert motion.ddq is not None  # noqa: S101
        effort = inverse_dynamics(base.robot, base.columns.links(x), motion.q, motion.dq, motion.ddq)
        if base.friction is not None:
            effort = effort + friction_torque(base.friction, base.columns.friction(x), motion.dq, motion.ddq)
        return effort


#: Left out at the ends of a recording, where smoothing knows one side only [s].
EDGE = 0.2


def prepare_magnitudes(
    robot: Robot,
    data: Dataset,
    *,
    friction: FrictionModel | Auto | None = "auto",
    cutoff: float | Auto = "auto",
    known: Mapping[str, float] | None = None,
    seed: int = 0,
) -> Magnitudes:
    """A log of |τ|, ready for the search.

    friction : model of the joints' friction, None for none; "auto" is linear friction.
    cutoff : of the zero-phase filter that smooths the motion [Hz]; "auto" is 5 Hz, or a quarter of the log's rate where that is less.
    """
    matched = match_joints(robot, data)
    assert isinstance(matched, Dataset)  # noqa: S101 (a Dataset stays one)
    base = base_parameters(robot, friction=linear() if friction == "auto" else friction, known=known, seed=seed)
    _check_log(base, matched)
    log, notes = _uniform(matched)
    motion = smooth_motion(log, min(DEFAULT_CUTOFF, log.rate / 4.0) if cutoff == "auto" else cutoff)
    assert log.effort is not None  # noqa: S101 (checked)
    noise = effort_noise(log)
    threshold = np.maximum(UNCLEAR * noise, LEAST_SHARE * np.sqrt(np.mean(log.effort**2, axis=0)))
    segments = split_segments(log, motion, noise, threshold)
    if log.effort_kind is EffortKind.CURRENT_MAGNITUDE:
        notes = (*notes, _UP_TO_SCALE)
    return Magnitudes(base=base, log=log, motion=motion, noise=noise, threshold=threshold, segments=segments, notes=notes)


def effort_noise(log: Dataset) -> Array:
    """(n,) standard deviation of the noise in |τ|, from third differences of samples a working step apart [N·m | N].

    They leave next to nothing of the motion, but all that is faster: also the swinging of an arm, which neighbouring samples of a fast log
    share. By their median: where |τ| has a kink at zero, and where friction leaps, differences are large and few.
    """
    assert log.effort is not None  # noqa: S101 (checked)
    lag, differences = working_step(log), list[Array]()
    for piece in log.segments:
        d = log.effort[piece]
        for _ in range(_ORDER):
            d = d[lag:] - d[:-lag]
        differences.append(d)
    joined = np.concatenate(differences)
    if len(joined) == 0:
        raise ValueRangeError("data", f"are too short: {_ORDER * lag + 1} samples without a break are needed to tell noise from motion")
    return NORMAL * np.median(np.abs(joined), axis=0) / np.sqrt(_GAIN)


def working_step(log: Dataset) -> int:
    """Samples from one row of the search to the next."""
    return max(1, round(log.rate / WORKING_RATE))


def _uniform(data: Dataset) -> tuple[Dataset, tuple[str, ...]]:
    if is_uniform(data, tolerance=JITTER_TOLERANCE):
        return data, ()
    return resample(data, data.rate), (f"the clock is uneven, so the log was put on one of {data.rate:.6g} Hz",)


def _check_log(base: BaseParameters, data: Dataset) -> None:
    """What no search can make good."""
    if data.effort is None:
        remedy = Remedy("name them with a column map, such as {columns}", columns={"effort": "tau*"})
        raise InputError("the log has no effort (torque) columns", remedy=remedy)
    if data.effort_kind is EffortKind.TORQUE:
        remedy = Remedy("identify it as it is, or, if these are magnitudes, say so with {effort_kind}", effort_kind="magnitude")
        raise InputError("the log holds torques with their signs, so there are none to find", remedy=remedy)
    if data.effort_kind is EffortKind.CURRENT:
        remedy = Remedy(
            "load them with {effort_gains}, or, if these are magnitudes, say so with {effort_kind}",
            effort_gains="14.9,-12.1",
            effort_kind="magnitude",
        )
        raise InputError("the log holds currents with their signs, so there are none to find", remedy=remedy)
    for j, joint in enumerate(base.robot.joints):
        q, b = data.q[:, j], data.effort[:, j]
        if float(np.ptp(q)) < STILL:
            raise InputError(
                f"joint {joint.name!r} never moves, so nothing tells the sign of its torque",
                remedy="lock it in the robot description, or record a motion of all joints",
            )
        if float(b.std()) <= CONSTANT * float(b.mean()):
            raise InputError(
                f"the effort of joint {joint.name!r} is {b[0]:.3g} {joint.units.effort} all the time, which is no measurement",
                remedy="check which column it was read from",
            )
    if data.samples * data.n <= base.rank:
        have = f"{data.samples} samples of {data.n} joints give {data.samples * data.n} equations"
        raise ValueRangeError("data", f"are too few: {have} for {base.rank} unknown coefficients; record a longer motion")
