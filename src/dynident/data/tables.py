"""Recorded data as tables of what each joint does, and as rows of plain numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from dynident.core.arrays import Array
from dynident.core.results import Report, Row, Table
from dynident.data.controller_samples import ControllerSamples
from dynident.data.dataset import Dataset


def dataset_report(data: Dataset) -> Report:
    """Ranges of the motion, largest efforts, and the share of samples in use, joint by joint."""
    effort = f"max |{data.effort_kind.value}|" if data.effort_kind else "effort"
    rows: list[Row] = []
    for j, name in enumerate(data.joint_names):
        used = 1.0 if data.mask is None else float(data.mask[:, j].mean())
        peaks = (_peak(values, j) for values in (data.dq, data.ddq, data.effort))
        rows.append(Row((name, *_range(data.q, j), *peaks, f"{used:.1%}")))
    headings = ("joint", "q min", "q max", "max |dq|", "max |ddq|", effort, "used")
    segments = f"{len(data.starts)} segment{'s' if len(data.starts) > 1 else ''}"
    clock = f"{data.duration:.3f} s at {data.rate:.6g} Hz, " if data.samples > len(data.starts) else ""  # lone samples have no rate
    repeated = "" if data.period is None else f", {np.count_nonzero(data.period) / data.samples:.0%} of it in {_count_periods(data)}"
    head = f"{data.source or 'dataset'}: {data.samples} samples of {data.n} joints, {clock}{segments}{repeated}"
    return _joint_report(head, headings, rows)


def _count_periods(data: Dataset) -> str:
    assert data.period is not None  # noqa: S101 (the caller asks)
    count = sum(len(np.unique(marks[marks > 0])) for marks in (data.period[segment] for segment in data.segments))
    return f"{count} period{'' if count == 1 else 's'}"


def samples_report(samples: ControllerSamples) -> Report:
    """Which arrays there are, and the largest inertia and weight that each joint feels."""
    rows: list[Row] = []
    for j, name in enumerate(samples.joint_names):
        inertia = "-" if samples.M is None else f"{samples.M[:, j, j].max():.4f}"
        rows.append(Row((name, *_range(samples.q, j), inertia, _peak(samples.g, j))))
    have = ", ".join(samples.present)
    head = f"{samples.source or 'controller samples'}: {have} at {samples.samples} configurations of {samples.n} joints"
    return _joint_report(head, ("joint", "q min", "q max", "max Mjj", "max |g|"), rows)


def dataset_records(data: Dataset) -> list[dict[str, Any]]:
    """One row per sample: segment, time, period, then q, dq, ddq, effort, temperature and used of every joint, as far as they are there."""
    segment = np.searchsorted(np.array(data.starts), np.arange(data.samples), side="right") - 1
    arrays = {"q": data.q, "dq": data.dq, "ddq": data.ddq, "effort": data.effort, "temperature": data.temperature, "used": data.mask}
    marks = {} if data.period is None else {"period": data.period}
    columns = {"segment": segment, "time": data.time, **marks, **dict(_columns(arrays, data.joint_names))}
    return _rows(columns)


def samples_records(samples: ControllerSamples) -> list[dict[str, Any]]:
    """One row per configuration: q, dq, g and c of every joint, then the lower triangle of M."""
    arrays = {"q": samples.q, "dq": samples.dq, "g": samples.g, "c": samples.c}
    columns = dict(_columns(arrays, samples.joint_names))
    if samples.M is not None:
        pairs = ((i, j) for i in range(samples.n) for j in range(i + 1))
        columns |= {f"M{i + 1}{j + 1}": samples.M[:, i, j] for i, j in pairs}
    return _rows(columns)


def _joint_report(head: str, headings: tuple[str, ...], rows: list[Row]) -> Report:
    return Report(header=(), tables=(Table(title=head, headings=headings, rows=tuple(rows), left=frozenset({0})),), facts=(), notes=())


def _columns(arrays: Mapping[str, Any], joints: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    for name, values in arrays.items():
        if values is not None:
            yield from ((f"{name}_{joint}", values[:, j]) for j, joint in enumerate(joints))


def _rows(columns: Mapping[str, Any]) -> list[dict[str, Any]]:
    lists = [values.tolist() for values in columns.values()]
    return [dict(zip(columns, row, strict=True)) for row in zip(*lists, strict=True)]


def _range(q: Array, joint: int) -> tuple[str, str]:
    return f"{q[:, joint].min():.4f}", f"{q[:, joint].max():.4f}"


def _peak(values: Array | None, joint: int) -> str:
    return "-" if values is None else f"{np.abs(values[:, joint]).max():.4f}"
