"""Recovered signs as tables: what the terminal, `print(recovery)` and the report show."""

from __future__ import annotations

from typing import Any

import numpy as np

from dynident.core.results import Report, Row, Table
from dynident.signs.result import SignRecovery


def recovery_report(recovery: SignRecovery) -> Report:
    robot = recovery.estimate.base.robot.name
    open_segments = len(recovery.unsure)
    facts = [recovery.sentence, f"{len(recovery.segments)} segments, of which {open_segments} unsure; method {recovery.method}."]
    if recovery.confidence.proven:
        facts.append("No other signs of these segments fit better: proven.")
    facts.append(f"{recovery.estimate.headline}.")
    if recovery.links is not None:
        facts.append(f"Links: {recovery.links.headline}.")
    return Report(
        header=(f"{robot}: signs of the torque in {recovery.log.source or 'the log'}",),
        tables=(joint_table(recovery),),
        facts=tuple(facts),
        notes=recovery.notes,
    )


def joint_table(recovery: SignRecovery) -> Table:
    """How sure each joint's signs are."""
    confidence, joints = recovery.confidence, recovery.estimate.base.robot.joints
    owners = np.array([segment.joint for segment in recovery.segments])
    unsure = np.isin(np.arange(len(owners)), recovery.unsure)
    rows: list[Row] = []
    for j, joint in enumerate(joints):
        margin = confidence.flip_margins[j]
        cells = (
            joint.name,
            f"{int(np.sum(owners == j))}",
            f"{int(np.sum(unsure & (owners == j)))}",
            f"{margin:.3g}" if np.isfinite(margin) else "–",
            f"{confidence.levels[j]:.3g}",
            f"{confidence.noise[j]:.3g}",
            joint.units.effort,
        )
        rows.append(Row(cells))
    headings = ("joint", "segments", "unsure", "margin of a flip", "left by the model", "noise", "unit")
    return Table(title="Signs per joint", headings=headings, rows=tuple(rows), left=frozenset({0, 6}))


def segment_records(recovery: SignRecovery) -> list[dict[str, Any]]:
    names, time = recovery.estimate.base.robot.joint_names, recovery.log.time
    return [
        {
            "joint": names[segment.joint],
            "start": float(time[segment.start]),
            "stop": float(time[segment.stop - 1]),
            "sign": int(sign),
            "probability": float(probability),
        }
        for segment, sign, probability in zip(recovery.segments, recovery.segment_signs, recovery.posterior, strict=True)
    ]
