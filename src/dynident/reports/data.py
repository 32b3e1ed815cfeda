"""Recorded data: tables of what each joint does, rows of plain numbers, every quantity over time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from dynident.core.arrays import Array
from dynident.core.texts import count_text
from dynident.data.controller_samples import ControllerSamples
from dynident.data.dataset import Dataset
from dynident.errors import require
from dynident.reports.figures import LINES, Figure, figure, join_clocks, line, points, thin
from dynident.reports.show import show
from dynident.reports.tables import Column, Table, rows_of

#: Points of a curve.
_POINTS = 4000


def _joint_table(data: Dataset | ControllerSamples, title: str, columns: Mapping[Column, Iterable[Any] | None]) -> Table:
    """The range of each joint, then more columns; None is a column without values."""
    ranges = {
        Column("joint"): data.joint_names,
        Column("low", "q min", ".4f"): data.q.min(axis=0),
        Column("high", "q max", ".4f"): data.q.max(axis=0),
    }
    return Table.of_columns(title, {**ranges, **columns})


def _peaks(values: Array | None) -> Array | None:
    """(n,) the largest size of each joint's values."""
    return None if values is None else np.abs(values).max(axis=0)


def _dataset_table(data: Dataset) -> Table:
    """Ranges of the motion, largest efforts, and the share of samples in use, joint by joint."""
    segments = count_text(len(data.starts), "segment")
    clock = f"{data.duration:.3f} s at {data.rate:.6g} Hz, " if data.samples > len(data.starts) else ""  # lone samples have no rate
    repeated = "" if data.period is None else f", {np.count_nonzero(data.period) / data.samples:.0%} of it in {_count_periods(data)}"
    columns = {
        Column("dq", "max |dq|", ".4f"): _peaks(data.dq),
        Column("ddq", "max |ddq|", ".4f"): _peaks(data.ddq),
        Column("effort", f"max |{data.effort_kind.value}|" if data.effort_kind else "effort", ".4f"): _peaks(data.effort),
        Column("used", form=".1%"): np.ones(data.n) if data.mask is None else data.mask.mean(axis=0),
    }
    return _joint_table(
        data, f"{data.source or 'dataset'}: {data.samples} samples of {data.n} joints, {clock}{segments}{repeated}", columns
    )


def _count_periods(data: Dataset) -> str:
    period = require(data.period, "the periods")
    return count_text(sum(len(np.unique(marks[marks > 0])) for marks in (period[segment] for segment in data.segments)), "period")


def _samples_table(samples: ControllerSamples) -> Table:
    """Which arrays there are, and the largest inertia and weight that each joint feels."""
    columns = {
        Column("inertia", "max Mjj", ".4f"): None if samples.M is None else np.diagonal(samples.M, axis1=1, axis2=2).max(axis=0),
        Column("gravity", "max |g|", ".4f"): _peaks(samples.g),
    }
    what = f"{', '.join(samples.present)} at {samples.samples} configurations of {samples.n} joints"
    return _joint_table(samples, f"{samples.source or 'controller samples'}: {what}", columns)


def _dataset_records(data: Dataset) -> list[dict[str, Any]]:
    """One row per sample: segment, time, period, then q, dq, ddq, effort, temperature and used of every joint, as far as they are there."""
    segment = np.searchsorted(np.array(data.starts), np.arange(data.samples), side="right") - 1
    arrays = {"q": data.q, "dq": data.dq, "ddq": data.ddq, "effort": data.effort, "temperature": data.temperature, "used": data.mask}
    marks = {} if data.period is None else {"period": data.period}
    return rows_of({"segment": segment, "time": data.time, **marks, **dict(_columns(arrays, data.joint_names))})


def _samples_records(samples: ControllerSamples) -> list[dict[str, Any]]:
    """One row per configuration: q, dq, g and c of every joint, then the lower triangle of M."""
    columns = dict(_columns({"q": samples.q, "dq": samples.dq, "g": samples.g, "c": samples.c}, samples.joint_names))
    if samples.M is not None:
        columns |= {f"M{i + 1}{j + 1}": samples.M[:, i, j] for i in range(samples.n) for j in range(i + 1)}
    return rows_of(columns)


def _columns(arrays: Mapping[str, Any], joints: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    for name, values in arrays.items():
        if values is not None:
            yield from ((f"{name}_{joint}", values[:, j]) for j, joint in enumerate(joints))


def _dataset_figures(data: Dataset) -> Iterator[Figure]:
    """Position, velocity, acceleration and effort of all joints, as far as they are there; samples not in use are gaps."""
    kinds = (
        ("position [rad | m]", data.q),
        ("velocity [rad/s | m/s]", data.dq),
        ("acceleration [rad/s² | m/s²]", data.ddq),
        (data.effort_kind.value if data.effort_kind else "effort", data.effort),
    )
    shown = thin(data.samples, _POINTS)
    breaks = np.array([k for k in data.starts if k > 0], dtype=int) // shown.step
    time = np.insert(join_clocks(data.time, data.starts[1:])[shown], breaks, np.nan)
    for title, values in kinds:
        if values is not None:
            used = np.insert((values if data.mask is None else np.where(data.mask, values, np.nan))[shown], breaks, np.nan, axis=0)
            curves = [line(time, used[:, j], name, LINES[j % len(LINES)]) for j, name in enumerate(data.joint_names)]
            yield figure(f"{title} over time", curves, "time [s]", title, title=title, height=300, hovermode="x")


def _samples_figures(samples: ControllerSamples) -> Iterator[Figure]:
    """The diagonal of M and the vector g, each element over the position of its own joint."""
    diagonal = None if samples.M is None else np.diagonal(samples.M, axis1=1, axis2=2)
    shown = thin(samples.samples, _POINTS)
    for title, values in (("inertia Mjj [kg·m² | kg]", diagonal), ("gravity [N·m | N]", samples.g)):
        if values is not None:
            dots = [
                points(samples.q[shown, j], values[shown, j], name, LINES[j % len(LINES)], marker={"size": 4})
                for j, name in enumerate(samples.joint_names)
            ]
            yield figure(f"{title} over the position", dots, "position of the joint [rad | m]", title, title=title)


show(
    Dataset,
    headline=lambda data: f"{data.source or 'unnamed'}, {data.samples} samples of {data.n} joints, {data.duration:.3g} s",
    tables=lambda data: [_dataset_table(data)],
    records=_dataset_records,
    figures=_dataset_figures,
)
show(
    ControllerSamples,
    headline=lambda samples: (
        f"{samples.source or 'unnamed'}, {', '.join(samples.present)} at {samples.samples} configurations of {samples.n} joints"
    ),
    tables=lambda samples: [_samples_table(samples)],
    records=_samples_records,
    figures=_samples_figures,
)
