"""Designs and experiments as documents, ready for standard JSON."""

from __future__ import annotations

from typing import Any

import numpy as np

from dynident.core.files import finite_or_none
from dynident.excitation.design import Design
from dynident.excitation.drive import Drive
from dynident.excitation.experiment import Experiment
from dynident.excitation.limits.margins import LimitReport
from dynident.excitation.precision import ExpectedPrecision
from dynident.excitation.static_design import StaticDesign
from dynident.excitation.trajectories.registry import trajectory_to_dict

_GAIN, _GAINS = 1.1, 10


def design_document(design: Design) -> dict[str, Any]:
    """Ready for standard JSON; infinite standard deviations are null."""
    base = design.base
    return {
        "schema": "dynident/excite/1",
        "robot": base.robot.name,
        "criterion": design.criterion,
        "description": design.description,
        "condition_number": finite_or_none(design.condition_number),
        "value": design.value,
        "rank": base.rank,
        "torque_noise": design.assumptions.noise.tolist(),
        "torque_noise_source": design.assumptions.noise_source,
        "independent_samples_per_second": design.assumptions.rate,
        "task": design.assumptions.task.source,
        "torque_error": _torque_document(design),
        "known_to_30_percent": _known_document(design),
        "coefficients": design_records(design),
        "limits": limit_documents(design.report),
        "check_rate": design.report.rate,
        "history": list(design.history),
        "unchecked": design.unchecked,
        "trajectory": trajectory_to_dict(design.trajectory),
        "drive": None if design.drive is None else _drive_document(design.drive),
        "notes": [*design.notes, *moving_ends(design), *design.report.notes],
    }


def _drive_document(drive: Drive) -> dict[str, Any]:
    driven = drive.trajectory
    return {
        "duration": driven.duration,
        "repeats": driven.repeats,
        "period": driven.period,
        "parts": [part._asdict() for part in driven.parts],
        "home": drive.home.q.tolist(),
        "home_source": str(drive.home.source),
        "trajectory": trajectory_to_dict(driven),
    }


def moving_ends(design: Design) -> tuple[str, ...]:
    """A note on a trajectory that starts in motion, where nothing leads there."""
    speeds = np.abs(design.trajectory.sample([0.0]).dq[0])
    fastest = int(speeds.argmax())
    if design.drive is not None or speeds[fastest] < 1e-9:
        return ()
    velocity = f"{speeds[fastest]:.2g} {design.base.robot.joints[fastest].units.velocity}"
    return (f"the trajectory starts with a velocity of {velocity}; a robot that starts it from rest needs a run-up, or a start at rest",)


def design_records(design: Design) -> list[dict[str, Any]]:
    base = design.base
    rows = zip(base.names, base.expressions, base.units, design.std, design.precision.nominal, strict=True)
    return [
        {"name": name, "expression": expression, "unit": unit, "std": finite_or_none(std), "nominal": finite_or_none(value)}
        for name, expression, unit, std, value in rows
    ]


def limit_documents(report: LimitReport) -> list[dict[str, Any]]:
    return [
        {"limit": m.name, "where": m.where, "margin": m.margin, "unit": m.unit}
        | {"share": finite_or_none(m.share), "time": m.time, "holds": m.holds}
        for m in report.margins
    ]


def static_document(design: StaticDesign) -> dict[str, Any]:
    return {
        "schema": "dynident/excite-static/1",
        "robot": design.robot.name,
        "method": design.method,
        "configurations": len(design.q),
        "condition_number": finite_or_none(design.condition_number),
        "rank": design.base.rank,
        "unchecked": design.unchecked,
        "equations": design.base.equations,
        "duration": design.duration,
        "home": design.home.q.tolist(),
        "home_source": str(design.home.source),
        "limits": limit_documents(design.report),
        "notes": list(design.notes),
    }


def _torque_document(design: Design) -> dict[str, Any]:
    precision = design.precision
    described = design.base.robot.parameters is not None
    return {
        "relative": precision.relative_error if described else None,
        "rms": dict(zip(design.base.robot.joint_names, precision.torque_error.tolist(), strict=True)),
        "torque": dict(zip(design.base.robot.joint_names, precision.torque.tolist(), strict=True)),
    }


def _known_document(design: Design) -> dict[str, int] | None:
    known, of = design.precision.known
    return {"known": known, "of": of} if of else None


def experiment_document(experiment: Experiment) -> dict[str, Any]:
    """Ready for standard JSON."""
    goal, base = experiment.goal, experiment.designs[0].base
    return {
        "schema": "dynident/experiment/1",
        "robot": base.robot.name,
        "precision": goal.precision,
        "torque_error": goal.torque_error,
        "coefficients_that_matter": [name for name, counts in zip(base.names, goal.matters, strict=True) if counts],
        "reached": experiment.reached,
        "duration": experiment.duration,
        "first_trajectory_alone": finite_or_none(experiment.alone),
        "repeats": list(experiment.repeats),
        "over_time": experiment_records(experiment),
        "trajectories": [design_document(design) for design in experiment.designs],
    }


def experiment_records(experiment: Experiment) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for step in experiment.steps:
        name, share = worst_coefficient(experiment, step.precision)
        known, of = step.precision.known
        rows.append(
            {"time": step.time, "trajectory": step.trajectory + 1, "worst_coefficient": name, "worst_relative_std": finite_or_none(share)}
            | {"torque_error": step.precision.relative_error, "known": known, "of": of}
        )
    return rows


def worst_coefficient(experiment: Experiment, precision: ExpectedPrecision) -> tuple[str, float]:
    """Of the coefficients that matter, the name of that which is known worst, and its deviation as a share of its value."""
    matters = experiment.goal.matters
    if not matters.any():
        return "", np.nan
    values = np.where(matters, np.abs(precision.nominal), 1.0)
    shares = np.where(matters, precision.std / values, 0.0)
    worst = int(shares.argmax())
    return (experiment.designs[0].base.names[worst] if np.isfinite(shares[worst]) else "not all determined"), float(shares[worst])
