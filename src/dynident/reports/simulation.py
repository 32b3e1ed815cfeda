"""Simulated experiments: they are shown as their logs."""

from __future__ import annotations

from dynident.motions.simulation.truth import Recording, Truth
from dynident.reports.show import show

show(
    Truth,
    headline=lambda truth: f"virtual {truth.robot.name}, {len(truth.time)} samples, {truth.parameters[:, 0].sum():.4g} kg",
    tables=lambda truth: truth.dataset.tables().tables,
    records=lambda truth: truth.dataset.records(),
    figures=lambda truth: truth.dataset.figures(),
)
show(
    Recording,
    headline=lambda recording: recording.log.headline,
    tables=lambda recording: recording.log.tables().tables,
    records=lambda recording: recording.log.records(),
    figures=lambda recording: recording.log.figures(),
)
