"""validation.json: how well models predict a log, where they are wrong, and how sure they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, cast

from dynident.core.documents import Document, Number, by_name, fill
from dynident.regression.summary import Processing
from dynident.runs.documents.estimate import FoldsDocument, ResidualDocument
from dynident.runs.documents.stage import ByJoint, ProvenanceDocument, StageDocument
from dynident.validation.metrics import ModelErrors, Moment
from dynident.validation.result import Validation
from dynident.validation.uncertainty import Departure

if TYPE_CHECKING:
    from dynident.data import ControllerSamples
    from dynident.regression.estimate import Residuals
    from dynident.runs.stages import Origin

ModelName: TypeAlias = Literal["coefficients", "links", "nominal"]


@dataclass(frozen=True, kw_only=True)
class ErrorsDocument:
    """Errors of a model."""

    model: ModelName
    friction: Annotated[bool, "whether it is included"]
    relative_percent: Annotated[Number, "100 ‖e‖ / ‖measured‖ over all joints"]
    rms_per_joint: Annotated[ByJoint, "[N·m | N]"]
    mse_per_joint: Annotated[ByJoint, "mean squared error, the square of rms_per_joint [N²·m² | N²]"]
    relative_percent_per_joint: ByJoint
    r_squared_per_joint: Annotated[ByJoint, "null where the measured effort is constant"]
    spread_percent: Annotated[Number, "over the blocks"]
    block_percent: Annotated[tuple[Number, ...], "of blocks of the data one after the other"]
    ratio_to_best: Annotated[Number, "the error over what the best model in hindsight leaves"]
    ratio_to_best_per_joint: ByJoint
    grade: Literal["good", "fair", "poor"]
    wide_percent: Annotated[Number, "at the bandwidth wide_hz"]

    @staticmethod
    def of(item: ModelErrors, joints: tuple[str, ...]) -> ErrorsDocument:
        return ErrorsDocument(
            model=cast("ModelName", item.model),
            friction=item.friction,
            relative_percent=item.overall_percent,
            rms_per_joint=by_name(joints, item.rms),
            mse_per_joint=by_name(joints, item.mse),
            relative_percent_per_joint=by_name(joints, item.relative_percent),
            r_squared_per_joint=by_name(joints, item.r_squared),
            spread_percent=item.spread_percent,
            block_percent=tuple(item.block_percent.tolist()),
            ratio_to_best=item.overall_ratio,
            ratio_to_best_per_joint=by_name(joints, item.ratio),
            grade=cast("Literal['good', 'fair', 'poor']", item.grade.name.lower()),
            wide_percent=item.wide_percent,
        )


@dataclass(frozen=True, kw_only=True)
class CrossValidatedDocument:
    """Mean and spread over the folds."""

    mean_percent: float
    std_percent: float


@dataclass(frozen=True, kw_only=True)
class FitDataDocument:
    """What is known of the fit's own data."""

    relative_percent: Number
    cross_validated: CrossValidatedDocument | None
    cutoff_hz: Number
    wide_hz: Annotated[Number, "bandwidth of wide_percent"]


@dataclass(frozen=True, kw_only=True)
class BandOfModelDocument:
    """What makes the 95 % band of a prediction."""

    prediction_std_rms_per_joint: ByJoint
    noise_per_joint: ByJoint
    coverage_percent_per_joint: Annotated[ByJoint, "share of samples within the band"]


@dataclass(frozen=True, kw_only=True)
class BandDocument:
    """The 95 % bands, and joints whose motion leaves what the data of the fit cover."""

    models: Annotated[Mapping[str, BandOfModelDocument], "of each whose uncertainty is known at this bandwidth"]
    departures: tuple[Departure, ...]

    @staticmethod
    def of(validation: Validation) -> BandDocument:
        joints, band = validation.joints, validation.band
        models = {
            model: BandOfModelDocument(
                prediction_std_rms_per_joint=by_name(joints, (float((item.std[model] ** 2).mean() ** 0.5) for item in validation.series)),
                noise_per_joint=by_name(joints, noise),
                coverage_percent_per_joint=by_name(joints, band.coverage_percent[model]),
            )
            for model, noise in band.noise.items()
        }
        return BandDocument(models=models, departures=band.departures)


@dataclass(frozen=True, kw_only=True)
class ValidationDocument(StageDocument):
    """The result of `dynident validate`; errors at the top level are those of the coefficients with their friction."""

    FILE = "validation.json"
    SCHEMA = "dynident/validation/2"

    robot: str
    source: str
    identified_from: Annotated[str, "the data of the fit"]
    samples: int
    rows_per_joint: Annotated[Mapping[str, int], "that were compared; the filter's edges, masks and decimation leave few of the samples"]
    equations: Annotated[int, "of all joints together"]
    recommended: Annotated[ModelName, "which model to use"]
    advice: Annotated[str, "why, as a sentence"]
    links_hold: Annotated[bool | None, "whether the link parameters predict at most 15 % worse than the coefficients; null without them"]
    fit: FitDataDocument
    units: Annotated[Mapping[str, str], "of each joint's effort"]
    relative_percent: Number
    rms_per_joint: ByJoint
    mse_per_joint: Annotated[ByJoint, "mean squared error, the square of rms_per_joint [N²·m² | N²]"]
    relative_percent_per_joint: ByJoint
    r_squared_per_joint: ByJoint
    nominal: Annotated[ErrorsDocument | None, "of the robot's description with the identified friction; null where it has no inertias"]
    models: Annotated[tuple[ErrorsDocument, ...], "all of them, with and without friction"]
    band: BandDocument
    worst: Annotated[tuple[Moment, ...], "up to three moments per joint"]
    folds: Annotated[FoldsDocument | None, "of the cross-validation on these data; null without"]
    preprocessing: Processing
    notes: tuple[str, ...]
    seen_by_fit: Annotated[Number, "share of the samples that the fit has seen, by their content; null where that is not known"]
    provenance: ProvenanceDocument

    @staticmethod
    def of(validation: Validation, origin: Origin) -> ValidationDocument:
        joints, summary = validation.joints, validation.summary
        crossed = summary.cross_validated
        fit = FitDataDocument(
            relative_percent=summary.identified_percent,
            cross_validated=None if crossed is None else CrossValidatedDocument(mean_percent=crossed[0], std_percent=crossed[1]),
            cutoff_hz=summary.identified_cutoff_hz,
            wide_hz=summary.wide_hz,
        )
        top = ErrorsDocument.of(validation.coefficients, joints)
        return ValidationDocument(
            robot=summary.robot,
            source=summary.source,
            identified_from=summary.identified_from,
            samples=summary.samples,
            rows_per_joint=dict(zip(joints, summary.rows, strict=True)),
            equations=summary.equations,
            recommended=cast("ModelName", validation.recommended.model),
            advice=validation.advice,
            links_hold=validation.links_hold,
            fit=fit,
            units={item.joint: item.unit for item in validation.series},
            relative_percent=top.relative_percent,
            rms_per_joint=top.rms_per_joint,
            mse_per_joint=top.mse_per_joint,
            relative_percent_per_joint=top.relative_percent_per_joint,
            r_squared_per_joint=top.r_squared_per_joint,
            nominal=None if validation.nominal is None else ErrorsDocument.of(validation.nominal, joints),
            models=tuple(ErrorsDocument.of(item, joints) for item in validation.models),
            band=BandDocument.of(validation),
            worst=validation.worst,
            folds=None if validation.folds is None else FoldsDocument.of(validation.folds),
            preprocessing=summary.processing,
            notes=validation.notes,
            seen_by_fit=validation.seen,
            provenance=ProvenanceDocument.of(origin, validation.provenance),
            versions=origin.versions,
        )


@dataclass(frozen=True, kw_only=True)
class SampleValidationDocument(Document):
    """What `dynident validate --json` prints of a controller's samples."""

    FILE = "sample-validation.json"

    robot: str
    source: Annotated[str, "the samples"]
    samples: int
    relative_percent: Annotated[float, "over all rows"]
    rms_per_joint: Annotated[Mapping[str, float], "[N·m | N]; by element, M11 to g7"]
    relative_percent_per_joint: Annotated[Mapping[str, float], "by element"]
    provenance: ProvenanceDocument

    @staticmethod
    def of(robot: str, samples: ControllerSamples, residuals: Residuals, provenance: Mapping[str, Any]) -> SampleValidationDocument:
        return fill(
            SampleValidationDocument,
            ResidualDocument.of(residuals),
            robot=robot,
            source=samples.source,
            samples=samples.samples,
            provenance=ProvenanceDocument(**provenance),
        )
