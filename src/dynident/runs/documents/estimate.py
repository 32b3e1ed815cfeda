"""estimate.json: coefficients and friction with their uncertainty, and what is known about the data and the fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Self

from dynident.core.documents import Number, fill
from dynident.regression.coefficients import Coefficient, JointFriction, Route, coefficients, friction, route_name
from dynident.regression.estimate import Estimate, Residuals
from dynident.regression.friction.choice import TriedModel
from dynident.regression.friction.fitted import FittedShape
from dynident.regression.summary import Processing
from dynident.regression.vendor_model import TestedCoefficient
from dynident.runs.documents.stage import ByJoint, ProvenanceDocument, StageDocument
from dynident.runs.stages import StageContent


@dataclass(frozen=True, kw_only=True)
class ChoiceDocument:
    """How a friction model was chosen."""

    sentence: str
    trials: tuple[TriedModel, ...]


@dataclass(frozen=True, kw_only=True)
class VendorModelDocument:
    """The vendor's model, tested by a log."""

    sentence: str
    contradicted: Annotated[bool, "whether the log contradicts a coefficient, or the model as a whole"]
    limit: Annotated[float, "standard deviations beyond which a coefficient is contradicted"]
    chi_squared: Annotated[float, "of the coefficients that both determine"]
    freedom: Annotated[int, "how many these are"]
    probability: Annotated[float, "that a true model differs by as much"]
    coefficients: tuple[TestedCoefficient, ...]


@dataclass(frozen=True, kw_only=True)
class ResidualDocument:
    """What a fit leaves."""

    relative_percent: Annotated[float, "over all rows"]
    rms_per_joint: Annotated[Mapping[str, float], "[N·m | N]; on the controller route by element, M11 to g7"]
    relative_percent_per_joint: Mapping[str, float]

    @staticmethod
    def of(residuals: Residuals) -> ResidualDocument:
        names = residuals.names
        return ResidualDocument(
            relative_percent=residuals.relative_percent,
            rms_per_joint=dict(zip(names, residuals.rms_per_group.tolist(), strict=True)),
            relative_percent_per_joint=dict(zip(names, residuals.relative_percent_per_group.tolist(), strict=True)),
        )


@dataclass(frozen=True, kw_only=True)
class FoldsDocument:
    """Parts of the data, each predicted by a fit to the others."""

    parts: tuple[str, ...]
    relative_percent: tuple[Number, ...]
    relative_percent_per_joint: tuple[ByJoint, ...]
    rms_per_joint: tuple[ByJoint, ...]
    noise_per_joint: ByJoint
    cutoff_hz: Number
    mean_percent: Number
    std_percent: Number
    wide_percent: Annotated[Number, "what the fit leaves behind a filter of 20 Hz"]


@dataclass(frozen=True, kw_only=True)
class EstimateDocument(StageDocument):
    """The result of `dynident identify`."""

    FILE = "estimate.json"
    SCHEMA = "dynident/estimate/1"

    robot: str
    source: Annotated[str, "data, and which part of them"]
    route: Annotated[Route, "from a log, from a controller's samples, or from both"]
    status: Annotated[str, "how the fit ended, as a sentence"]
    rank: Annotated[int, "how many base parameters these data determine"]
    condition_number: Annotated[Number, "of the regressor of the kept coefficients, not scaled; null when infinite"]
    coefficients: Annotated[tuple[Coefficient, ...], "one per base parameter"]
    friction: Annotated[tuple[JointFriction, ...], "one per joint; a dropped parameter is 0"]
    friction_shapes: Annotated[tuple[FittedShape, ...], "constants that friction is not linear in, as they were fitted"]
    friction_choice: Annotated[ChoiceDocument | None, "null unless a model was chosen per joint"]
    vendor_model: Annotated[VendorModelDocument | None, "the controller's model, tested by the log; null where not both were given"]
    residual: ResidualDocument
    samples: Annotated[int, "that were read"]
    reached_speeds: Annotated[
        Mapping[str, tuple[float, float]] | None,
        "largest speed of each joint backward and forward [rad/s | m/s], 0 for a direction in which it did not turn; null without a log",
    ]
    preprocessing: Annotated[Processing, "as far as done"]
    doubts: Annotated[tuple[str, ...], "what speaks against the whole model, however well it predicts"]
    notes: Annotated[tuple[str, ...], "what needs attention, as sentences"]
    seed: Annotated[int, "of the random samples"]
    provenance: ProvenanceDocument
    cross_validation: Annotated[
        FoldsDocument | None, "of the same log; null on the controller route, and where the log can't be cut into parts"
    ]

    @classmethod
    def of(cls, content: StageContent) -> Self:
        estimate: Estimate = content.result
        robot, choice, reached = estimate.base.robot, estimate.choice, estimate.reached
        return cls.fill(
            content,
            estimate.summary,
            robot=robot.name,
            route=route_name(estimate),
            coefficients=coefficients(estimate),
            friction=friction(estimate),
            friction_shapes=estimate.shapes,
            friction_choice=None if choice is None else fill(ChoiceDocument, choice, trials=choice.tried),
            residual=ResidualDocument.of(estimate.residuals),
            reached_speeds=None if reached is None else dict(zip(robot.joint_names, reached.tolist(), strict=True)),
            preprocessing=estimate.summary.processing,
            cross_validation=content.folds,
        )
