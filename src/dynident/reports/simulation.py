"""Simulated experiments: they are shown as their logs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dynident.reports import show
from dynident.reports.figures import Figure
from dynident.reports.tables import Report
from dynident.simulation.truth import Recording, Truth


@show.headline.register(Truth)
def _(truth: Truth) -> str:
    return f"virtual {truth.robot.name}, {len(truth.time)} samples, {truth.parameters[:, 0].sum():.4g} kg"


@show.tables.register(Truth)
def _(truth: Truth) -> Report:
    return truth.dataset.tables()


@show.records.register(Truth)
def _(truth: Truth) -> list[dict[str, Any]]:
    """One row per sample: time, q, dq, ddq and effort of every joint, without noise."""
    return truth.dataset.records()


@show.figures.register(Truth)
def _(truth: Truth) -> tuple[Figure, ...]:
    return truth.dataset.figures()


@show.headline.register(Recording)
def _(recording: Recording) -> str:
    return recording.log.headline


@show.tables.register(Recording)
def _(recording: Recording) -> Report:
    return replace(recording.log.tables(), notes=recording.notes)


@show.records.register(Recording)
def _(recording: Recording) -> list[dict[str, Any]]:
    return recording.log.records()


@show.figures.register(Recording)
def _(recording: Recording) -> tuple[Figure, ...]:
    return recording.log.figures()
