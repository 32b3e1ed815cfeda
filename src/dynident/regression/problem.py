"""The identification problem: rows compressed into one small triangular factor per group, whatever their number."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array, IntArray, check_array
from dynident.core.kinds import NOT_STORED
from dynident.core.records import Shape
from dynident.core.results import Result
from dynident.data import ControllerSamples, Dataset
from dynident.data.provenance import Provenance
from dynident.data.signals.faulty_samples import leave_out_faults
from dynident.dynamics import inverse_dynamics
from dynident.dynamics.friction.dissipation import reached_speeds
from dynident.dynamics.friction.smoothed import jumps_at_rest
from dynident.errors import InputError, UnknownNameError, ValueRangeError
from dynident.regression.equations.base import BaseParameters, Equations
from dynident.regression.equations.condense import condense
from dynident.regression.equations.factors import triangular
from dynident.regression.equations.rows import ControllerRows, LogRows, RowGroup, RowSource, Tables, collect_tables
from dynident.regression.notes import log_notes
from dynident.regression.prepare import mask_reversals, mask_trembling, match_joints, prepare_log
from dynident.regression.summary import Processing

#: Filtered rows are kept for standard deviations up to this many numbers (160 MB), so that a fit stays within 1 GB.
LARGEST_FILTERED = 20_000_000
#: No coefficient of a controller counts as more certain than this share of it: rows that are farther apart in weight lose digits.
_CERTAIN = 1e-6


@dataclass(frozen=True, kw_only=True, eq=False)
class ControllerCoefficients:
    """What a controller's M and g say about base parameters β: combinations @ β = values, give or take their covariance.

    combinations : (k, b)   Of the base parameters.
    values : (k,)           Of these, estimated from M and g alone.
    covariance : (k, k)     Of the values.
    samples : int           Configurations behind them.
    """

    combinations: Annotated[Array, Shape("k b")]
    values: Annotated[Array, Shape("k")]
    covariance: Annotated[Array, Shape("k k")]
    samples: int

    def rows(self, least: float) -> Array:
        """(k, b + 1) equations in units of their noise, which is at least this share of each value."""
        spread = np.sqrt(np.diag(self.covariance) + (least * self.values) ** 2)
        spread = np.maximum(spread, least * np.median(spread) + np.finfo(float).tiny)
        covariance = self.covariance + np.diag(spread**2 - np.diag(self.covariance))
        W = np.linalg.inv(np.linalg.cholesky(covariance / np.outer(spread, spread))) / spread
        return W @ np.column_stack([self.combinations, self.values])


class RecordingPart(NamedTuple):
    """The rows of one group in one recording: their triangular factor (c + 1, c + 1), and how many they are."""

    factor: Array
    rows: int


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Problem(Result):
    """Everything that the data say about the base parameters.

    Attributes
    ----------
    base : BaseParameters
        The coefficients and their columns.
    groups : RowGroup per group
        Names and columns of the rows with one noise level.
    factors : (c + 1, c + 1) array each
        Triangular factor of [regressor, right-hand side] of the group's rows.
    counts : (groups,) array
        Number of rows behind each factor.
    samples : int
        Number of samples behind it.
    processing : Processing
        What was done to the data before.
    source : str
        Where they came from, for a reader.
    rows : tuple of RowSource
        Where the rows come from, for those who need them again; empty after loading from a file.
    filtered : tables or None
        The rows whose noise is correlated, where they were kept; see `filtered_rows`.
    provenance : Provenance
        Of the samples behind the rows; None in files of older versions.
    reached : (n, 2) array or None
        Largest speed of each joint in a log backward and forward, zero for a direction in which it did not turn [rad/s | m/s].
    notes : tuple of str
        What a reader of the results should know about the data.
    parts
        Per recording and group What each of several recordings says; empty where there is one, or they have been weighted.
    controller : ControllerCoefficients or None
        What M and g of the robot's controller say beside a log.
    """

    base: BaseParameters
    groups: Annotated[tuple[RowGroup, ...], Shape("d")]
    factors: Annotated[tuple[Annotated[Array, Shape("c#+1 c#+1")], ...], Shape("d")]
    counts: Annotated[IntArray, Shape("d")]
    samples: int
    processing: Processing = field(default_factory=Processing)
    source: str = ""
    rows: tuple[RowSource, ...] = field(default=(), metadata=NOT_STORED)
    filtered: tuple[tuple[Annotated[Array, Shape("c#+1 *")], ...], ...] | None = None
    provenance: Provenance | None = None
    reached: Annotated[Array, Shape("n 2")] | None = None
    notes: tuple[str, ...] = ()
    parts: tuple[tuple[RecordingPart, ...], ...] = field(default=(), metadata=NOT_STORED)
    controller: ControllerCoefficients | None = None

    @cached_property
    def filtered_rows(self) -> Tables | None:
        """The rows whose noise is correlated: of a log in the order of time, where a filter has made it so, of a controller's samples
        in the order of its configurations. None where nothing was filtered, or they are too many or not there any more.
        Standard deviations need them."""
        size = sum(int(count) * len(factor) for count, factor in zip(self.counts, self.factors, strict=True))
        independent = self.base.equations == "torque" and self.processing.cutoff_hz is None
        if independent or size > LARGEST_FILTERED:
            return None
        return collect_tables(self.rows, len(self.groups)) if self.filtered is None and self.rows else self.filtered

    def row_tables(self) -> Iterator[tuple[int, Array]]:
        """Group and rows (c + 1, rows) of all that the problem is made of, one table after another: those that were kept, else the data
        once more; InputError where neither is there."""
        kept = self.filtered_rows
        if kept is not None:
            yield from ((g, table) for g, tables in enumerate(kept) for table in tables if table.shape[1])
            return
        if not self.rows:
            raise InputError("this needs the rows of the fit, and its problem was loaded from a file without them; identify again")
        for source in self.rows:
            yield from ((group, table) for group, table, _ in source.tables())

    @property
    def group_rms(self) -> Array:
        """(groups,) RMS of the right-hand side of each group's rows; for rows that are all zero, the largest of the others."""
        rms = np.array([np.linalg.norm(factor[:, -1]) for factor in self.factors]) / np.sqrt(np.maximum(self.counts, 1))
        return np.where(rms > 0.0, rms, rms.max(initial=0.0))

    @property
    def speeds(self) -> Array | None:
        """(n,) largest speed of each joint in a log, in either direction [rad/s | m/s]."""
        return None if self.reached is None else self.reached.max(axis=1)

    def stack(self, weights: ArrayLike, *, least: float = _CERTAIN) -> Array:
        """(·, b + 1) all that the data say, in the columns of the base parameters: the factors, each times its group's weight, then what a
        controller says, in units of its noise.

        Parameters
        ----------
        least
            Share of each coefficient that this noise is at least.
        """
        rows = self.stack_groups(weights)
        return rows if self.controller is None else np.concatenate([rows, self.controller.rows(least)])

    @property
    def controller_rows(self) -> list[Array]:
        """(k, b + 1) what a controller says, in units of its noise; none without one."""
        return [] if self.controller is None else [self.controller.rows(_CERTAIN)]

    def stack_groups(self, weights: ArrayLike) -> Array:
        """(Σ (c + 1), b + 1) the factors alone."""
        w = np.asarray(weights, dtype=float)
        blocks: list[Array] = []
        for group, factor, weight in zip(self.groups, self.factors, w, strict=True):
            block = np.zeros((len(factor), self.base.rank + 1))
            block[:, np.append(group.columns, self.base.rank)] = weight * factor
            blocks.append(block)
        return np.concatenate(blocks)

    def merge(self, other: Problem) -> Problem:
        """Both problems at once: two logs of one robot are two factors stacked."""
        mine, theirs = self.base, other.base
        same = mine.columns.names == theirs.columns.names and mine.equations == theirs.equations and mine.known == theirs.known
        if not same or mine.grouping.shape != theirs.grouping.shape or not np.allclose(mine.grouping, theirs.grouping, atol=1e-8):
            raise InputError(
                "the two problems have different base parameters; merge problems of one robot with one friction model "
                "and the same known values"
            )
        rows, others = ([(group.name, *group.columns.tolist()) for group in problem.groups] for problem in (self, other))
        if rows != others:
            raise InputError("the groups of rows are not the same in both problems; merge problems built in the same way")
        if self.controller is not None and other.controller is not None:
            raise InputError("both problems have a controller's samples, which would count twice; merge the logs, then add the samples")
        filtered, further = self.filtered_rows, other.filtered_rows
        if filtered is not None and further is not None:
            filtered = tuple(tables + more for tables, more in zip(filtered, further, strict=True))
        return Problem(
            base=self.base,
            groups=self.groups,
            factors=tuple(triangular(pair) for pair in zip(self.factors, other.factors, strict=True)),
            counts=self.counts + other.counts,
            samples=self.samples + other.samples,
            processing=self.processing,
            source=f"{self.source}; {other.source}",
            rows=self.rows + other.rows if self.rows and other.rows else (),
            filtered=None if further is None else filtered,
            provenance=Provenance.join([self.provenance, other.provenance]) if self.provenance and other.provenance else None,
            reached=None if self.reached is None or other.reached is None else np.maximum(self.reached, other.reached),
            notes=tuple(dict.fromkeys(self.notes + other.notes)),
            parts=self._recording_parts + other._recording_parts if self.rows and other.rows else (),
            controller=self.controller or other.controller,
        )

    @property
    def _recording_parts(self) -> tuple[tuple[RecordingPart, ...], ...]:
        """The parts, also where all is one recording."""
        return self.parts or (tuple(RecordingPart(factor, int(count)) for factor, count in zip(self.factors, self.counts, strict=True)),)


def problem_on_base(
    base: BaseParameters,
    data: Dataset | ControllerSamples,
    *,
    cutoff: float | None = None,
    rate: float | None = None,
    extra: Mapping[str, ArrayLike] | None = None,
    load: ArrayLike | None = None,
    links: Array | None = None,
    progress: Callable[[float], None] | None = None,
) -> Problem:
    """What data say about base parameters that are there already, such as those of an estimate to be evaluated on new data.

    load : (N, n) torque that the joints transmit, for friction that depends on it [N·m | N].
    links : (n, 10) whose torque is that load; with neither the measured effort is taken for it.
    """
    matched = match_joints(base.robot, data)
    if (extra or load is not None) and matched is not data:
        what = "extra columns are" if extra else "the load is"
        raise InputError(f"{what} in the order of the data's joints, which is not the robot's", remedy="select its joints first")
    data = matched
    if isinstance(data, ControllerSamples) == (base.equations == "torque"):
        have, need = ("controller samples", "a log") if isinstance(data, ControllerSamples) else ("a log", "controller samples (q, M, g)")
        raise InputError(f"the data are {have}, but the model is that of {need}; give data of the same kind")
    if isinstance(data, ControllerSamples):
        for name, value in (("cutoff", cutoff), ("rate", rate), ("extra", extra or None), ("load", load)):
            if value is not None:
                raise ValueRangeError(name, "means nothing for static controller samples; leave it out")
        controller_equations(data, base.equations)
        rows = ControllerRows(base=base, samples=data)
        problem = problem_of_rows(rows, samples=data.samples, source=data.source, processing=Processing(), progress=progress)
        return replace(problem, provenance=data.provenance)
    columns = {name: _column(f"extra column {name!r}", values, data) for name, values in (extra or {}).items()}
    borne = None if load is None else _column("load", load, data)
    expected = base.columns.names[base.columns.extra_slice]
    if tuple(columns) != expected:
        raise UnknownNameError("extra column", ", ".join(columns) or "(none)", expected, remedy="give those of the model, in their order")
    recorded = data.used
    data, faulty = leave_out_faults(data, base.robot.effort_limits, names=base.robot.joint_names, filtered=cutoff is not None)
    log = prepare_log(base.robot, data, cutoff=cutoff, rate=rate, resampled=not columns and borne is None)
    log = replace(log, processing=replace(log.processing, faulty=faulty))
    leaps = base.friction is not None and jumps_at_rest(base.friction)
    used, left_out = log.dataset, tuple[str, ...]()
    if leaps:
        used, resting = mask_trembling(used)
        used, turning = mask_reversals(used, log.processing.motion_noise)
        left_out = (*resting, *turning)
    log_rows = LogRows(base=base, dataset=used, filter=log.filter, extra=columns, load=borne)
    if links is not None and base.friction is not None and "load" in base.friction.needs:
        log_rows = replace(log_rows, load=inverse_dynamics(base.robot, links, *log_rows.motion(slice(None))[:3]))
    notes, done = (*log_notes(base.robot, data, log.processing), *left_out), log.processing
    problem = problem_of_rows(log_rows, samples=data.samples, source=data.source, processing=done, notes=notes, progress=progress)
    return replace(problem, provenance=recorded, reached=reached_speeds(log.dataset.require("dq"), used.mask))


def problem_of_rows(
    rows: RowSource,
    *,
    samples: int,
    source: str,
    processing: Processing,
    notes: tuple[str, ...] = (),
    progress: Callable[[float], None] | None = None,
) -> Problem:
    """Compress all rows of a source."""
    recorded, each, tables = condense(rows, progress, kept=LARGEST_FILTERED)
    counts = each.sum(axis=0)
    factors = recorded[0] if len(recorded) == 1 else [triangular(same) for same in zip(*recorded, strict=True)]
    if int(counts.sum()) <= rows.base.rank:
        raise ValueRangeError(
            "data", f"give {int(counts.sum())} equations for {rows.base.rank} unknown coefficients; record a longer motion or filter less"
        )
    return Problem(
        base=rows.base,
        groups=rows.groups,
        factors=tuple(factors),
        counts=counts,
        samples=samples,
        processing=processing,
        source=source,
        rows=(rows,),
        filtered=tables,
        notes=notes,
        parts=tuple(tuple(map(RecordingPart, *pair)) for pair in zip(recorded, each.tolist(), strict=True)) if len(recorded) > 1 else (),
    )


def rows_in_time(problem: Problem) -> Tables:
    """All rows in the order of time; InputError where they are not there any more, or too many to be in memory."""
    if problem.filtered_rows is not None:
        return problem.filtered_rows
    if not problem.rows:
        raise InputError("this needs the rows of the fit, and its problem was loaded from a file without them; identify again")
    if sum(int(count) * len(factor) for count, factor in zip(problem.counts, problem.factors, strict=True)) > LARGEST_FILTERED:
        raise InputError("these data have too many rows to be in memory at once", remedy="filter them, or use a part of them")
    return collect_tables(problem.rows, len(problem.groups))


def controller_equations(samples: ControllerSamples, asked: Equations | None) -> Equations:
    have: Equations = "controller" if samples.M is not None and samples.g is not None else "gravity" if samples.M is None else "inertia"
    if asked is None or asked == have or (have == "controller" and asked in ("inertia", "gravity")):
        return asked or have
    raise InputError(f"equations {asked!r} need more than the samples hold, which is enough for {have!r}")


def _column(name: str, values: ArrayLike, data: Dataset) -> Array:
    expected = f"{data.q.shape} = (samples, joints)"
    return check_array(name, values, data.q.shape, expected, remedy="remove those samples first")
