"""What was recorded: a log of a moving robot, or the M(q) and g(q) that its controller returns; checked once, then trusted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from dynident.core.arrays import Array, BoolArray, IntArray, as_numbers, check_array
from dynident.core.large_arrays import map_rows, row_blocks
from dynident.core.records import Shape
from dynident.core.results import Result
from dynident.data.checks import (
    add_source,
    check_mask,
    check_names,
    check_period,
    check_rows,
    check_starts,
    check_time,
    join_arrays,
    joint_indices,
    one_for_all,
    part_rows,
    same_in_all,
)
from dynident.data.provenance import NEW, SPREAD, Provenance
from dynident.data.reading.quantities import EffortKind
from dynident.errors import InputError, ShapeError, ValueRangeError

#: What an array that a log may not have is called, and what to do without it.
_REMEDIES = {
    "dq": ("velocities", "fill them in with dynident.data.differentiate"),
    "ddq": ("accelerations", "fill them in with dynident.data.differentiate"),
    "effort": ("efforts", "give a log with the joints' efforts, or say which columns they are"),
}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Dataset(Result):
    """A log: N samples of n joints. Arrays are read-only float64; they share memory with what was passed where they can.

    Attributes
    ----------
    time : (N,) array
        Time stamps [s], strictly increasing within a segment.
    q : (N, n) array
        Joint positions [rad | m]; column j is joint_names[j].
    dq, ddq : (N, n) array or None
        Joint velocities [rad/s | m/s] and accelerations [rad/s² | m/s²].
    effort : (N, n) array or None
        Joint efforts, of the kind that `effort_kind` names.
    temperature : (N, n) array or None
        Joint temperatures [°C]; (N,) or (N, 1) is one for all joints.
    joint_names : tuple of str
        By default joint1, joint2, ...
    effort_kind : EffortKind
        Required with effort.
    mask : (N, n) bool array or None
        True where that sample of that joint is to be used; None uses all.
    period : (N,) int array or None
        Number of the repetition of its motion that a sample is in, from 1; 0 on the way there and back. None: not marked.
    starts : tuple of int
        First sample of each segment; filters and derivatives never cross a boundary.
    gears : (n, n) array or None
        R of the drives, motor = R · joint, where it is known; all arrays are of the joints.
    source : str
        Where the data came from and what was done to it, for people.
    provenance : Provenance
        The same by content; by default these arrays are a recording of their own.
    """

    time: Annotated[Array, Shape("t")]
    q: Annotated[Array, Shape("t n")]
    dq: Annotated[Array, Shape("t n")] | None = None
    ddq: Annotated[Array, Shape("t n")] | None = None
    effort: Annotated[Array, Shape("t n")] | None = None
    temperature: Annotated[Array, Shape("t n", finite=False)] | None = None
    joint_names: Annotated[tuple[str, ...], Shape("n")] = ()
    effort_kind: EffortKind | None = None
    mask: Annotated[BoolArray, Shape("t n")] | None = None
    period: Annotated[IntArray, Shape("t")] | None = None
    starts: tuple[int, ...] = (0,)
    gears: Annotated[Array, Shape("n n")] | None = None
    source: str = ""
    provenance: Provenance = NEW

    def __post_init__(self) -> None:
        time = as_numbers("time", self.time)
        if time.ndim != 1:
            raise ShapeError("time", time.shape, "(samples,)")
        if len(time) < 2:
            raise ValueRangeError("time", f"has {len(time)} samples; at least 2 are needed")
        q = as_numbers("q", self.q)
        if q.ndim != 2 or q.shape[1] == 0:
            raise ShapeError("q", q.shape, f"({len(time)}, n) = (samples, joints)")
        set_ = object.__setattr__
        set_(self, "joint_names", check_names(self.joint_names, q.shape[1]))
        set_(self, "starts", check_starts(self.starts, len(time)))
        set_(self, "time", check_time(time, self.starts))
        if self.temperature is not None:
            set_(self, "temperature", one_for_all(self.temperature, q.shape[1]))
        for name in ("q", "dq", "ddq", "effort", "temperature"):
            if getattr(self, name) is not None:
                set_(self, name, check_rows(name, getattr(self, name), (len(time), q.shape[1]), self.joint_names))
        if self.effort is not None and self.effort_kind is None:
            kinds = ", ".join(EffortKind)
            raise ValueRangeError("effort_kind", f"is missing; say what the effort is, one of: {kinds}")
        set_(self, "effort_kind", EffortKind(self.effort_kind) if self.effort is not None and self.effort_kind else None)
        if self.effort is not None and self.effort_kind is not None and self.effort_kind.unsigned and self.effort.min() < 0:
            signed = "torque" if self.effort_kind is EffortKind.MAGNITUDE else "current"
            raise ValueRangeError(
                "effort", f"of kind '{self.effort_kind}' has negative values; take the absolute value, or use kind '{signed}'"
            )
        if self.mask is not None:
            set_(self, "mask", check_mask(self.mask, q.shape))
        if self.period is not None:
            set_(self, "period", check_period(self.period, len(time)))
        if self.gears is not None:
            expected = f"({q.shape[1]}, {q.shape[1]}) = (motors, joints)"
            set_(self, "gears", check_array("gears", self.gears, (q.shape[1], q.shape[1]), expected, remedy="give finite ratios"))
        provenance = Provenance.of((self.q, self.effort), known=self.provenance)
        set_(self, "provenance", provenance if np.array_equal(self.time, time) else provenance.after(SPREAD))

    @property
    def n(self) -> int:
        """Number of joints."""
        return self.q.shape[1]

    @property
    def samples(self) -> int:
        """Number of samples N."""
        return len(self.time)

    def require(self, name: Literal["dq", "ddq", "effort"]) -> Array:
        """(N, n) an array that the log must have.

        Raises
        ------
        InputError
            Where it has none.
        """
        values: Array | None = getattr(self, name)
        if values is None:
            quantity, remedy = _REMEDIES[name]
            raise InputError(f"the log has no {quantity}", remedy=remedy)
        return values

    @property
    def segments(self) -> Iterator[slice]:
        """The sample ranges that were recorded without a break, in order."""
        for start, stop in zip(self.starts, (*self.starts[1:], self.samples), strict=True):
            yield slice(start, stop)

    @property
    def recordings(self) -> tuple[int, ...]:
        """The recording that each segment is of, counted from 0 in the order in which they appear."""
        owners = self._owners
        order = list(dict.fromkeys(owners))
        return tuple(order.index(owner) for owner in owners)

    @property
    def recording_names(self) -> tuple[str, ...]:
        """The file of each recording, in the order in which they appear; #1, #2, ... of those that are not from files."""
        known = self.provenance.recordings
        return tuple(known[owner].name or f"#{i}" for i, owner in enumerate(dict.fromkeys(self._owners), 1))

    def by_recording(self) -> Iterator[tuple[int, Dataset]]:
        """The parts of the log that are of one recording each, with its number as in `recordings`."""
        numbers, names = self.recordings, self.recording_names
        for number, group in groupby(zip(numbers, self.segments, strict=True), key=itemgetter(0)):
            segments = [segment for _, segment in group]
            first = segments[0].start
            part = self.take(slice(first, segments[-1].stop), starts=[segment.start - first for segment in segments])
            yield number, replace(part, source=names[number], provenance=part.provenance)

    @property
    def _owners(self) -> list[int]:
        """The recording of the provenance that each segment is of."""
        known, pieces = self.provenance.recordings, self.provenance.pieces
        edges = np.cumsum([piece.samples for piece in pieces])
        owners: list[int] = np.minimum(np.searchsorted(edges, self.starts, side="right"), len(pieces) - 1).tolist()
        return [known.index(pieces[i].recording) for i in owners]

    @cached_property
    def rate(self) -> float:
        """Sampling rate [Hz]: one over the median step of the clock within segments."""
        steps = self.steps
        if len(steps) == 0:
            raise ValueRangeError("time", "has one sample per segment, so there is no sampling rate; join the segments")
        return float(1.0 / np.median(steps, overwrite_input=True))

    @property
    def steps(self) -> Array:
        """The steps of the clock within segments [s], one after another, (N - number of segments,); a new array."""
        parts = [np.diff(self.time[segment]) for segment in self.segments]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    @property
    def seems_unsigned(self) -> bool:
        """Whether no effort is negative, although they are said to have their signs."""
        effort, kind = self.effort, self.effort_kind
        if effort is None or kind is None or kind.unsigned:
            return False
        return all(effort[block].min() >= 0.0 for block in row_blocks(self.samples, effort, width=self.n))

    @property
    def duration(self) -> float:
        """Recorded time [s], breaks between segments not counted."""
        return float(sum(self.time[segment][-1] - self.time[segment][0] for segment in self.segments))

    def part(self, start: float, stop: float) -> Dataset:
        """The samples from one fraction of the log to another: part(0, 0.7) and part(0.7, 1) are disjoint and make the whole.

        Segment boundaries in the range are kept.
        """
        rows = part_rows(start, stop, self.samples)
        first, last = rows.start, rows.stop
        if last - first < 2:
            raise ValueRangeError("part", f"{start:g}:{stop:g} of {self.samples} samples holds {last - first}; at least 2 are needed")
        inner = tuple(s - first for s in self.starts if first < s < last)
        return self.take(rows, starts=(0, *inner), step=f"part {start:g}:{stop:g}")

    def take(self, rows: slice | NDArray[np.intp], *, starts: Sequence[int], step: str = "") -> Dataset:
        """The chosen samples, with the segments that they make.

        Parameters
        ----------
        rows : (M,) array
            Numbers of the samples, or a slice.
        starts
            First of each segment among them.
        step
            What was done, for the source.
        """
        cut = {name: None if (value := getattr(self, name)) is None else value[rows] for name in _ROW_ARRAYS}
        return self.after(step, **cut, starts=tuple(starts), provenance=self.provenance.take(rows))

    def after(self, step: str, **changes: Any) -> Dataset:
        """The same recording with other arrays, because something was done to it."""
        provenance: Provenance = changes.pop("provenance", self.provenance)
        if step:
            changes |= {"source": add_source(self.source, step)}
            provenance = provenance.after(step)
        return replace(self, **changes, provenance=provenance)

    def restrict(self, use: BoolArray, step: str = "") -> Dataset:
        """The same recording, of which fewer samples are used.

        Parameters
        ----------
        use : (N, n) bool array
            Where a sample of a joint may be used; those that are masked stay so.
        step
            What was done, for the source.
        """
        return self.after(step, mask=use if self.mask is None else self.mask & use)

    @property
    def in_use(self) -> BoolArray:
        """(N, n) where samples are used."""
        return np.ones(self.q.shape, dtype=bool) if self.mask is None else self.mask

    @property
    def used(self) -> Provenance:
        """Of the samples that the mask leaves of at least one joint."""
        return self.provenance if self.mask is None else self.provenance.take(np.flatnonzero(self.mask.any(axis=1)))

    def select(self, joints: Sequence[str | int]) -> Dataset:
        """These joints in this order, by name or by index from 0."""
        order = joint_indices(joints, self.joint_names)
        names = tuple(self.joint_names[j] for j in order)
        if order == list(range(self.n)):
            return self
        columns = ("q", "dq", "ddq", "effort", "temperature", "mask")
        cut = {name: None if (value := getattr(self, name)) is None else _columns(value, order) for name in columns}
        return replace(self, **cut, joint_names=names, gears=None if self.gears is None else self.gears[np.ix_(order, order)])

    @staticmethod
    def concatenate(datasets: Sequence[Dataset]) -> Dataset:
        """One dataset whose segments are those of the given ones, in order; each keeps its own clock.

        Temperatures that not all of them have are left out; one without marks is one repetition where others are marked.
        """
        if not datasets:
            raise ValueRangeError("datasets", "is empty; give at least one")
        if len(datasets) == 1:
            return datasets[0]
        same_in_all("joint_names", datasets)
        same_in_all("effort_kind", datasets)
        if any((item.gears is None) != (datasets[0].gears is None) or not _same_gears(item, datasets[0]) for item in datasets):
            raise ValueRangeError("gears", "are not the same in all datasets; load them with the same ones")
        marks = [np.ones(item.samples, dtype=np.int64) if item.period is None else item.period for item in datasets]
        warm = ("temperature",) if all(item.temperature is not None for item in datasets) else ()
        offsets = np.cumsum([0, *(item.samples for item in datasets)])
        return replace(
            datasets[0],
            **{"temperature": None, **join_arrays(datasets, ("time", "q", "dq", "ddq", "effort", *warm))},
            mask=None if all(item.mask is None for item in datasets) else np.concatenate([item.in_use for item in datasets]),
            period=None if all(item.period is None for item in datasets) else np.concatenate(marks),
            starts=tuple(int(offset) + start for item, offset in zip(datasets, offsets, strict=False) for start in item.starts),
            source="; ".join(dict.fromkeys(item.source for item in datasets)),
            provenance=Provenance.join(item.provenance for item in datasets),
        )


def _columns(values: NDArray[Any], order: list[int]) -> NDArray[Any]:
    return map_rows(lambda rows: rows[:, order], values, len(order), values.dtype)


def _same_gears(one: Dataset, other: Dataset) -> bool:
    return one.gears is None or other.gears is None or np.array_equal(one.gears, other.gears)


_ROW_ARRAYS = ("time", "q", "dq", "ddq", "effort", "temperature", "mask", "period")
