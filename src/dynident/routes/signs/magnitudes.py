"""|τ| beside the model that its signs must fit: rows of the regressor along a smooth motion, and their sums over segments."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dynident.core.arrays import Array, BoolArray, IntArray
from dynident.data import Dataset, EffortKind
from dynident.dynamics import inverse_dynamics
from dynident.dynamics.friction import Motion, friction_torque
from dynident.regression.equations.base import BaseParameters
from dynident.regression.equations.factors import triangular
from dynident.regression.equations.rows import LogRows, RowGroup, collect_tables
from dynident.robots.robot import Robot
from dynident.routes.signs.segments import Segment

#: Rows per second that the search works with; more say little more, as neighbouring ones say nearly the same.
WORKING_RATE = 100.0
#: Left out at the ends of a recording, where smoothing knows one side only [s].
EDGE = 0.2


@dataclass(frozen=True, kw_only=True, eq=False)
class Magnitudes:
    """|τ| of a log, beside the model that its signs must fit.

    Attributes
    ----------
    base : BaseParameters
        What is identified.
    log : Dataset
        On a uniform clock, |τ| as recorded; its samples are those that segments count.
    motion : Dataset
        The same with smooth q, dq and ddq.
    noise : (n,) array
        Standard deviation of |τ|, from its high differences [N·m | N].
    threshold : (n,) array
        |τ| below which a sample tells no sign [N·m | N]; as rows of the model such samples say Yπ ≈ 0.
    segments : tuple
        Of all joints, joint by joint in the order of time.
    cutoff : float or None
        Of the filter that was asked for [Hz]; None where the log decides.
    notes : tuple of str
        What was done to the log.
    """

    base: BaseParameters
    log: Dataset
    motion: Dataset
    noise: Array
    threshold: Array
    segments: tuple[Segment, ...]
    cutoff: float | None = None
    notes: tuple[str, ...] = ()

    @property
    def robot(self) -> Robot:
        return self.base.robot

    @property
    def b(self) -> Array:
        """(N, n) |τ| as recorded [N·m | N]."""
        return self.log.require("effort")

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
        q = motion.q[at]
        chosen = Dataset(
            time=np.arange(len(at), dtype=float),
            q=q,
            dq=motion.require("dq")[at],
            ddq=motion.require("ddq")[at],
            effort=np.zeros_like(q),
            effort_kind=EffortKind.TORQUE,
            temperature=None if motion.temperature is None else motion.temperature[at],
        )
        # friction that depends on the load asks for its size alone, which |τ| tells
        tables = collect_tables((LogRows(base=self.base, dataset=chosen, filter=None, extra={}, load=self.b[at]),), self.log.n)
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
        sums = np.zeros((self.base.rank, len(self.segments)))
        b = self.b[self.working]
        for j, (group, Y) in enumerate(zip(self.groups, self.rows, strict=True)):
            for k, at in self.segment_rows[j]:
                sums[group.columns, k] = b[at, j] @ Y[at]
        return sums

    @cached_property
    def energies(self) -> Array:
        """(S,) Σ b_t² over the working samples of each segment."""
        sums, b = np.zeros(len(self.segments)), self.b[self.working]
        for j, pairs in enumerate(self.segment_rows):
            for k, at in pairs:
                sums[k] = b[at, j] @ b[at, j]
        return sums

    @cached_property
    def segment_rows(self) -> tuple[tuple[tuple[int, IntArray], ...], ...]:
        """(n,) of each joint: the numbers of its segments with the places of their used rows among the working samples."""
        places: list[tuple[tuple[int, IntArray], ...]] = []
        for number, used in zip(self.segment_of.T, self.used.T, strict=True):
            rows = np.flatnonzero((number >= 0) & used)
            numbers, starts = np.unique(number[rows], return_index=True)  # segments follow each other in time
            places.append(tuple(zip(numbers.tolist(), np.split(rows, starts[1:]), strict=False)))
        return tuple(places)

    def predict(self, coefficients: Array) -> Array:
        """(N, n) the model's torque along the smooth motion [N·m | N]."""
        base, motion, x = self.base, self.motion, self.base.representative(coefficients)
        dq = motion.require("dq")
        ddq = motion.require("ddq")
        effort = inverse_dynamics(base.robot, base.columns.links(x), motion.q, dq, ddq)
        if base.friction is not None:
            along = Motion(motion.q, dq, ddq, effort, motion.temperature)
            effort = effort + friction_torque(base.friction, base.columns.friction(x), along)
        return effort


def working_step(log: Dataset) -> int:
    """Samples from one row of the search to the next."""
    return max(1, round(log.rate / WORKING_RATE))
