"""Recorded data: tables of what each joint does, rows of plain numbers, every quantity over time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from dynident.core.arrays import Array
from dynident.data.controller_samples import ControllerSamples
from dynident.data.dataset import Dataset
from dynident.reports import show
from dynident.reports.figures import LINES, Figure, figure, join_clocks, line, numbers, plain, points
from dynident.reports.tables import Column, Report, Table

#: Points of a curve; more would make a picture heavy and show nothing new.
_POINTS = 4000


@show.headline.register(Dataset)
def _(data: Dataset) -> str:
    return f"{data.source or 'unnamed'}, {data.samples} samples of {data.n} joints, {data.duration:.3g} s"


@show.tables.register(Dataset)
def _(data: Dataset) -> Report:
    """Ranges of the motion, largest efforts, and the share of samples in use, joint by joint."""
    effort = f"max |{data.effort_kind.value}|" if data.effort_kind else "effort"
    columns = {
        **_positions(data),
        Column("dq", "max |dq|", ".4f", missing="-"): _peaks(data.dq, data.n),
        Column("ddq", "max |ddq|", ".4f", missing="-"): _peaks(data.ddq, data.n),
        Column("effort", effort, ".4f", missing="-"): _peaks(data.effort, data.n),
        Column("used", form=".1%"): np.ones(data.n) if data.mask is None else data.mask.mean(axis=0),
    }
    segments = f"{len(data.starts)} segment{'s' if len(data.starts) > 1 else ''}"
    clock = f"{data.duration:.3f} s at {data.rate:.6g} Hz, " if data.samples > len(data.starts) else ""  # lone samples have no rate
    repeated = "" if data.period is None else f", {np.count_nonzero(data.period) / data.samples:.0%} of it in {_count_periods(data)}"
    title = f"{data.source or 'dataset'}: {data.samples} samples of {data.n} joints, {clock}{segments}{repeated}"
    return Report(tables=(Table.of_columns(title, columns),))


@show.records.register(Dataset)
def _(data: Dataset) -> list[dict[str, Any]]:
    """One row per sample: segment, time, period, then q, dq, ddq, effort, temperature and used of every joint, as far as they are there."""
    segment = np.searchsorted(np.array(data.starts), np.arange(data.samples), side="right") - 1
    arrays = {"q": data.q, "dq": data.dq, "ddq": data.ddq, "effort": data.effort, "temperature": data.temperature, "used": data.mask}
    marks = {} if data.period is None else {"period": data.period}
    return _rows({"segment": segment, "time": data.time, **marks, **dict(_columns(arrays, data.joint_names))})


def _count_periods(data: Dataset) -> str:
    period = np.zeros(0, dtype=int) if data.period is None else data.period
    count = sum(len(np.unique(marks[marks > 0])) for marks in (period[segment] for segment in data.segments))
    return f"{count} period{'' if count == 1 else 's'}"


@show.headline.register(ControllerSamples)
def _(samples: ControllerSamples) -> str:
    return f"{samples.source or 'unnamed'}, {', '.join(samples.present)} at {samples.samples} configurations of {samples.n} joints"


@show.tables.register(ControllerSamples)
def _(samples: ControllerSamples) -> Report:
    """Which arrays there are, and the largest inertia and weight that each joint feels."""
    diagonal = None if samples.M is None else np.diagonal(samples.M, axis1=1, axis2=2).max(axis=0)
    columns = {
        **_positions(samples),
        Column("inertia", "max Mjj", ".4f", missing="-"): [None] * samples.n if diagonal is None else diagonal,
        Column("gravity", "max |g|", ".4f", missing="-"): _peaks(samples.g, samples.n),
    }
    what = f"{', '.join(samples.present)} at {samples.samples} configurations of {samples.n} joints"
    return Report(tables=(Table.of_columns(f"{samples.source or 'controller samples'}: {what}", columns),))


@show.records.register(ControllerSamples)
def _(samples: ControllerSamples) -> list[dict[str, Any]]:
    """One row per configuration: q, dq, g and c of every joint, then the lower triangle of M."""
    arrays = {"q": samples.q, "dq": samples.dq, "g": samples.g, "c": samples.c}
    columns = dict(_columns(arrays, samples.joint_names))
    if samples.M is not None:
        pairs = ((i, j) for i in range(samples.n) for j in range(i + 1))
        columns |= {f"M{i + 1}{j + 1}": samples.M[:, i, j] for i, j in pairs}
    return _rows(columns)


def _positions(data: Dataset | ControllerSamples) -> dict[Column, Iterable[Any]]:
    return {
        Column("joint"): data.joint_names,
        Column("low", "q min", ".4f"): data.q.min(axis=0),
        Column("high", "q max", ".4f"): data.q.max(axis=0),
    }


def _peaks(values: Array | None, n: int) -> Iterable[float | None]:
    """(n,) the largest size of each joint's values; None where there are none."""
    return [None] * n if values is None else np.abs(values).max(axis=0).tolist()


def _columns(arrays: Mapping[str, Any], joints: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    for name, values in arrays.items():
        if values is not None:
            yield from ((f"{name}_{joint}", values[:, j]) for j, joint in enumerate(joints))


def _rows(columns: Mapping[str, Any]) -> list[dict[str, Any]]:
    lists = [values.tolist() for values in columns.values()]
    return [dict(zip(columns, row, strict=True)) for row in zip(*lists, strict=True)]


@show.figures.register(Dataset)
def dataset_figures(data: Dataset) -> tuple[Figure, ...]:
    """Position, velocity, acceleration and effort of all joints, as far as they are there; samples not in use are gaps."""
    effort = data.effort_kind.value if data.effort_kind else "effort"
    kinds = (
        ("position [rad | m]", data.q),
        ("velocity [rad/s | m/s]", data.dq),
        ("acceleration [rad/s² | m/s²]", data.ddq),
        (effort, data.effort),
    )
    return tuple(_over_time(data, title, values) for title, values in kinds if values is not None)


def _over_time(data: Dataset, title: str, values: Array) -> Figure:
    step = max(1, -(-data.samples // _POINTS))
    used = values if data.mask is None else np.where(data.mask, values, np.nan)
    breaks = np.array([k for k in data.starts if k > 0], dtype=int) // step
    time = numbers(np.insert(join_clocks(data.time, data.starts[1:])[::step], breaks, np.nan))
    curves = [
        line(time, numbers(np.insert(used[::step, j], breaks, np.nan)), name, LINES[j % len(LINES)])
        for j, name in enumerate(data.joint_names)
    ]
    return figure(f"{title} over time", curves, "time [s]", plain(title), title=title, height=300, hovermode="x")


@show.figures.register(ControllerSamples)
def samples_figures(samples: ControllerSamples) -> tuple[Figure, ...]:
    """The diagonal of M and the vector g, each element over the position of its own joint."""
    found: list[Figure] = []
    if samples.M is not None:
        found.append(_over_position(samples, "inertia Mjj [kg·m² | kg]", np.diagonal(samples.M, axis1=1, axis2=2)))
    if samples.g is not None:
        found.append(_over_position(samples, "gravity [N·m | N]", samples.g))
    return tuple(found)


def _over_position(samples: ControllerSamples, title: str, values: Array) -> Figure:
    step = max(1, -(-samples.samples // _POINTS))
    dots = [
        points(numbers(samples.q[::step, j]), numbers(values[::step, j]), name, LINES[j % len(LINES)], marker={"size": 4})
        for j, name in enumerate(samples.joint_names)
    ]
    return figure(f"{title} over the position", dots, "position of the joint [rad | m]", title, title=title)
