"""Designs, experiments and checks of motions as documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from dynident.core.documents import LEFT_OUT, Document, Number, Unit, by_name, fill
from dynident.motions.design.design import Design
from dynident.motions.design.experiment import Experiment
from dynident.motions.design.precision import ExpectedPrecision
from dynident.motions.design.static_design import StaticDesign
from dynident.motions.limits.margins import LimitReport
from dynident.motions.moves.drive import Drive
from dynident.motions.trajectories.driven import DrivenPart
from dynident.motions.trajectories.registry import trajectory_to_dict

if TYPE_CHECKING:
    from dynident.motions.limits.motion_check import MotionCheck


@dataclass(frozen=True, kw_only=True)
class ExpectedCoefficient:
    """What a coefficient will be known to."""

    name: str
    expression: str
    unit: str
    std: Annotated[Number, "null where infinite"]
    nominal: Annotated[Number, "as the description has it; null where it has no inertias"]


@dataclass(frozen=True, kw_only=True)
class MarginDocument:
    """How close a motion comes to a limit."""

    limit: str
    where: Annotated[str, "joint, link or pair of links"]
    margin: Annotated[float, "what is left [unit]; negative where the limit is broken"]
    unit: str
    share: Annotated[Number, "of the limit that is used"]
    time: Annotated[Number, Unit("s")]
    holds: bool


@dataclass(frozen=True, kw_only=True)
class TorqueErrorDocument:
    """Expected error of the torques in the motions of the task."""

    relative: Annotated[Number, "share; null where the robot has no inertias"]
    rms: Annotated[Mapping[str, Number], "[N·m | N]"]
    torque: Annotated[Mapping[str, Number], "RMS of the torque itself"]


@dataclass(frozen=True, kw_only=True)
class KnownCount:
    """How many coefficients will be known to 30 %."""

    known: int
    of: int


@dataclass(frozen=True, kw_only=True)
class DriveDocument:
    """The motion from rest to rest."""

    duration: Annotated[float, Unit("s")]
    repeats: int
    period: Annotated[float, Unit("s")]
    parts: tuple[DrivenPart, ...]
    home: tuple[float, ...]
    home_source: str
    trajectory: Annotated[Mapping[str, Any], "as `trajectory_to_dict` has it"]

    @staticmethod
    def of(drive: Drive) -> DriveDocument:
        return fill(
            DriveDocument,
            drive.trajectory,
            home=drive.home.q,
            home_source=str(drive.home.source),
            trajectory=trajectory_to_dict(drive.trajectory),
        )


@dataclass(frozen=True, kw_only=True)
class DesignDocument(Document):
    """What `dynident excite --json` prints of a trajectory."""

    FILE = "excite.json"
    SCHEMA = "dynident/excite/1"

    robot: str
    criterion: str
    description: Annotated[str, "what the trajectory is, in a few words"]
    condition_number: Number
    value: Annotated[float, "of the criterion"]
    rank: int
    torque_noise: Annotated[tuple[float, ...], "standard deviation of each joint [N·m | N]"]
    torque_noise_source: str
    independent_samples_per_second: float
    task: Annotated[str, "the motions that the model is for"]
    torque_error: TorqueErrorDocument
    known_to_30_percent: KnownCount | None
    coefficients: tuple[ExpectedCoefficient, ...]
    limits: tuple[MarginDocument, ...]
    check_rate: Annotated[float, "samples per second at which the limits were checked"]
    history: Annotated[tuple[Number, ...], "value of each start"]
    unchecked: Annotated[str, "what could not be checked; empty where everything was"]
    trajectory: Annotated[Mapping[str, Any], "as `trajectory_to_dict` has it"]
    drive: DriveDocument | None
    notes: tuple[str, ...]

    @staticmethod
    def of(design: Design) -> DesignDocument:
        base, assumptions, precision = design.base, design.assumptions, design.precision
        known, of = precision.known
        return fill(
            DesignDocument,
            design,
            robot=base.robot.name,
            rank=base.rank,
            torque_noise=assumptions.noise,
            torque_noise_source=assumptions.noise_source,
            independent_samples_per_second=assumptions.rate,
            task=assumptions.task.source,
            torque_error=TorqueErrorDocument(
                relative=None if base.robot.parameters is None else precision.relative_error,
                rms=by_name(base.robot.joint_names, precision.torque_error),
                torque=by_name(base.robot.joint_names, precision.torque),
            ),
            known_to_30_percent=KnownCount(known=known, of=of) if of else None,
            coefficients=list_coefficients(design),
            limits=list_margins(design.report),
            check_rate=design.report.rate,
            trajectory=trajectory_to_dict(design.trajectory),
            drive=None if design.drive is None else DriveDocument.of(design.drive),
            notes=(*design.notes, *moving_ends(design), *design.report.notes),
        )


def moving_ends(design: Design) -> tuple[str, ...]:
    """A note on a trajectory that starts in motion, where nothing leads there."""
    speeds = np.abs(design.trajectory.sample([0.0]).dq[0])
    fastest = int(speeds.argmax())
    if design.drive is not None or speeds[fastest] < 1e-9:
        return ()
    velocity = f"{speeds[fastest]:.2g} {design.base.robot.joints[fastest].units.velocity}"
    return (f"the trajectory starts with a velocity of {velocity}; a robot that starts it from rest needs a run-up, or a start at rest",)


def list_coefficients(design: Design) -> tuple[ExpectedCoefficient, ...]:
    base = design.base
    rows = zip(base.names, base.expressions, base.units, design.std.tolist(), design.precision.nominal.tolist(), strict=True)
    return tuple(
        ExpectedCoefficient(name=name, expression=text, unit=unit, std=std, nominal=value) for name, text, unit, std, value in rows
    )


def list_margins(report: LimitReport) -> tuple[MarginDocument, ...]:
    return tuple(fill(MarginDocument, margin, limit=margin.name) for margin in report.margins)


@dataclass(frozen=True, kw_only=True)
class StaticDocument(Document):
    """What `dynident excite --static --json` prints."""

    FILE = "excite-static.json"
    SCHEMA = "dynident/excite-static/1"

    robot: str
    method: str
    configurations: int
    condition_number: Number
    rank: int
    unchecked: Annotated[str, "what could not be checked; empty where everything was"]
    equations: str
    duration: Annotated[float, "of the drive to all of them", Unit("s")]
    home: tuple[float, ...]
    home_source: str
    limits: tuple[MarginDocument, ...]
    notes: tuple[str, ...]

    @staticmethod
    def of(design: StaticDesign) -> StaticDocument:
        return fill(
            StaticDocument,
            design,
            robot=design.robot.name,
            configurations=len(design.q),
            rank=design.base.rank,
            equations=design.base.equations,
            home=design.home.q,
            home_source=str(design.home.source),
            limits=list_margins(design.report),
        )


@dataclass(frozen=True, kw_only=True)
class MotionCheckDocument(Document):
    """What `dynident excite --check --json` prints."""

    FILE = "excite-check.json"
    SCHEMA = "dynident/excite-check/1"

    robot: str
    file: str
    samples: int
    rate: Annotated[float, Unit("Hz")]
    duration: Annotated[float, Unit("s")]
    holds: bool
    sentence: Annotated[str, "the verdict"]
    unchecked: Annotated[str, "what could not be checked; empty where everything was"]
    limits: tuple[MarginDocument, ...]
    check_rate: Annotated[float, "samples per second at which the limits were checked"]
    notes: tuple[str, ...]
    format: Annotated[str, "of the file"] = field(default="", metadata=LEFT_OUT)
    comments: Annotated[tuple[str, ...] | None, "in the file"] = field(default=None, metadata=LEFT_OUT)

    @staticmethod
    def of(check: MotionCheck, *, format: str = "", comments: tuple[str, ...] | None = None) -> MotionCheckDocument:
        data = check.samples
        return fill(
            MotionCheckDocument,
            check,
            robot=check.robot.name,
            file=data.source,
            samples=data.samples,
            rate=round(data.rate, 6),
            duration=data.duration,
            limits=list_margins(check.report),
            check_rate=check.report.rate,
            notes=(*check.notes, *check.report.notes),
            format=format,
            comments=comments,
        )


@dataclass(frozen=True, kw_only=True)
class PrecisionOverTime:
    """What is known after some time of driving."""

    time: Annotated[float, Unit("s")]
    trajectory: Annotated[int, "from 1"]
    worst_coefficient: str
    worst_relative_std: Number
    torque_error: Number
    known: int
    of: int


@dataclass(frozen=True, kw_only=True)
class ExperimentDocument(Document):
    """What `dynident excite --precision --json` prints."""

    FILE = "experiment.json"
    SCHEMA = "dynident/experiment/1"

    robot: str
    precision: Annotated[Number, "that was asked for, as a share"]
    torque_error: Number
    coefficients_that_matter: tuple[str, ...]
    reached: bool
    duration: Annotated[float, Unit("s")]
    first_trajectory_alone: Annotated[Number, "how long it would take with it alone", Unit("s")]
    repeats: tuple[int, ...]
    over_time: tuple[PrecisionOverTime, ...]
    trajectories: tuple[DesignDocument, ...]

    @staticmethod
    def of(experiment: Experiment) -> ExperimentDocument:
        goal, base = experiment.goal, experiment.designs[0].base
        return fill(
            ExperimentDocument,
            experiment,
            robot=base.robot.name,
            precision=goal.precision,
            torque_error=goal.torque_error,
            coefficients_that_matter=tuple(name for name, counts in zip(base.names, goal.matters, strict=True) if counts),
            first_trajectory_alone=experiment.alone,
            over_time=list_precisions(experiment),
            trajectories=tuple(map(DesignDocument.of, experiment.designs)),
        )


def list_precisions(experiment: Experiment) -> tuple[PrecisionOverTime, ...]:
    return tuple(precision_after(experiment, step.time, step.trajectory + 1, step.precision) for step in experiment.steps)


def precision_after(experiment: Experiment, time: float, trajectory: int, precision: ExpectedPrecision) -> PrecisionOverTime:
    """time : that is driven by then [s]; trajectory : that is driven last, from 1, or 0 before the first."""
    name, share = worst_coefficient(experiment, precision)
    known, of = precision.known
    return PrecisionOverTime(
        time=time,
        trajectory=trajectory,
        worst_coefficient=name,
        worst_relative_std=share,
        torque_error=precision.relative_error,
        known=known,
        of=of,
    )


def worst_coefficient(experiment: Experiment, precision: ExpectedPrecision) -> tuple[str, float]:
    """Of the coefficients that matter, the name of that which is known worst, and its deviation as a share of its value."""
    matters = experiment.goal.matters
    if not matters.any():
        return "", np.nan
    values = np.where(matters, np.abs(precision.nominal), 1.0)
    shares = np.where(matters, precision.std / values, 0.0)
    worst = int(shares.argmax())
    return (experiment.designs[0].base.names[worst] if np.isfinite(shares[worst]) else "not all determined"), float(shares[worst])
