"""A payload as tables: its ten numbers, what was declared beside them, and what both mean for the joints."""

from __future__ import annotations

from typing import Any

import numpy as np

from dynident.core.files import finite_or_none
from dynident.core.results import Report, Row, Table, short_number
from dynident.payload.quantities import NAMES, UNITS
from dynident.payload.result import PayloadEstimate, PayloadStatus
from dynident.regression.tables import value_text
from dynident.robots.kinematics import xyz_rpy_from_pose

#: What a better answer could gain at most before it is worth a word, in squared standard deviations.
NEGLIGIBLE = 1e-2


def payload_records(payload: PayloadEstimate) -> list[dict[str, Any]]:
    rows = zip(NAMES, payload.values.tolist(), payload.std.tolist(), payload.intervals.tolist(), UNITS, payload.told.tolist(), strict=True)
    return [
        {"name": name, "value": value, "std": std, "low": finite_or_none(low), "high": finite_or_none(high), "unit": unit, "told": told}
        for name, value, std, (low, high), unit, told in rows
    ]


def declared_records(payload: PayloadEstimate) -> list[dict[str, Any]]:
    """Mass and centre of mass as declared and as identified; empty where nothing was declared."""
    if payload.declared is None:
        return []
    stated = (payload.declared.mass, *payload.declared.com)
    return [
        {
            "name": item["name"],
            "declared": float(said),
            "identified": item["value"],
            "difference": float(said) - item["value"],
            "in_std": (float(said) - item["value"]) / item["std"],
            "unit": item["unit"],
        }
        for said, item in zip(stated, payload_records(payload)[:4], strict=True)
    ]


def effort_records(payload: PayloadEstimate) -> list[dict[str, Any]]:
    """Per joint the payload's share of the effort along the loaded log, and the error of a controller that believes what was declared."""
    error = payload.declared_effort_error
    return [
        {
            "joint": joint.name,
            "rms": _rms(payload.effort[j]),
            "largest": float(np.abs(payload.effort[j]).max()),
            "error_rms": None if error is None else _rms(error[j]),
            "error_largest": None if error is None else float(np.abs(error[j]).max()),
            "unit": joint.units.effort,
        }
        for j, joint in enumerate(payload.robot.joints)
    ]


def payload_report(payload: PayloadEstimate) -> Report:
    """All of it, the ten numbers first."""
    tables = [_payload_table(payload), *([_declared_table(payload)] if payload.declared is not None else []), effort_table(payload)]
    evidence = payload.evidence
    (x, y, z), (roll, pitch, yaw) = (part + 0.0 for part in xyz_rpy_from_pose(payload.flange))  # + 0.0: a negative zero is a zero
    where = f"the flange frame is at ({x:.4g}, {y:.4g}, {z:.4g}) m, rpy ({roll:.4g}, {pitch:.4g}, {yaw:.4g}) rad, in that of {payload.link}"
    return Report(
        header=(f"Payload: {payload.headline}", f"{evidence.source}, {evidence.samples} samples; the arm from {evidence.arm}; {where}"),
        tables=tuple(tables),
        facts=_facts(payload),
        notes=payload.notes,
    )


def _payload_table(payload: PayloadEstimate) -> Table:
    rows: list[Row] = []
    nothing = payload.status is PayloadStatus.NONE
    for item in payload_records(payload):
        told = item["told"] and not nothing
        known = item["low"] is not None and item["high"] is not None
        ends = " to ".join(value_text(item[end], item["std"]).partition(" ")[0] for end in ("low", "high")) if known else "open"
        rows.append(
            Row((item["name"], value_text(item["value"], item["std"]), ends, item["unit"], "yes" if told else "no"), dimmed=not told)
        )
    headings = ("in the flange frame", "value ± std", "95 % interval", "unit", "told by the data")
    return Table(title="Payload", headings=headings, rows=tuple(rows), left=frozenset({0, 3, 4}))


def _declared_table(payload: PayloadEstimate) -> Table:
    rows = [
        Row(
            (
                item["name"],
                f"{item['declared']:.4g}",
                f"{item['identified']:.4g}",
                f"{item['difference']:+.3g}",
                f"{item['in_std']:+.1f}",
                item["unit"],
            )
        )
        for item in declared_records(payload)
    ]
    headings = ("", "declared", "identified", "difference", "in std. deviations", "unit")
    return Table(title="What was declared", headings=headings, rows=tuple(rows), left=frozenset({0, 5}))


def effort_table(payload: PayloadEstimate) -> Table:
    """What the payload, and an error in what was declared of it, does to the joints."""
    declared = payload.declared is not None
    names = ("rms", "largest", *(("error_rms", "error_largest") if declared else ()))
    rows = [Row((item["joint"], *(f"{item[name]:.3g}" for name in names), item["unit"])) for item in effort_records(payload)]
    errors = ("error of what was declared, RMS", "largest") if declared else ()
    headings = ("joint", "of the payload, RMS", "largest", *errors, "unit")
    return Table(title="Effort along this log", headings=headings, rows=tuple(rows), left=frozenset({0, len(headings) - 1}))


def _facts(payload: PayloadEstimate) -> tuple[str, ...]:
    evidence, verdict = payload.evidence, payload.status.value
    alone, together = (short_number(percent) for percent in (evidence.alone, evidence.together))
    held = "fitted again, because it changes with temperature and load" if evidence.refit_friction else "held at that of the arm"
    short = "" if evidence.gap < NEGLIGIBLE else f" by more than {evidence.gap:.2g} in squared standard deviations"
    return (
        f"{verdict[0].upper()}{verdict[1:]}.",
        f"Arm and payload leave {together} % of the effort, a fit to this log alone {alone} %.",
        f"Friction was {held}.",
        f"The body can exist, and none that can is more probable{short}.",
    )


def _rms(values: np.ndarray[Any, Any]) -> float:
    return float(np.sqrt(np.mean(values**2)))
