"""validation.json: how well models predict a log, where they are wrong, and how sure they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeAlias

from dynident.core.documents import Document, Number, by_name, fill
from dynident.regression.summary import Processing
from dynident.runs.documents.estimate import FoldsDocument, ResidualDocument
from dynident.runs.documents.stage import ByJoint, ProvenanceDocument, StageDocument
from dynident.runs.stages import StageContent
from dynident.validation.metrics import ModelErrors, Moment
from dynident.validation.result import Validation
from dynident.validation.uncertainty import Departure

if TYPE_CHECKING:
    from dynident.data import ControllerSamples
    from dynident.regression.estimate import Residuals

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
    def of(item: ModelErrors, validation: Validation) -> ErrorsDocument:
        return fill(
            ErrorsDocument,
            item,
            validation,
            relative_percent=item.overall_percent,
            ratio_to_best=item.overall_ratio,
            ratio_to_best_per_joint=item.ratio,
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
    doubts: Annotated[tuple[str, ...], "what speaks against all models, however well they predict"]
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

    @classmethod
    def of(cls, content: StageContent) -> Self:
        validation: Validation = content.result
        summary, nominal = validation.summary, validation.nominal
        return cls.fill(
            content,
            ErrorsDocument.of(validation.coefficients, validation),
            summary,
            rows_per_joint=summary.rows,
            recommended=validation.recommended.model,
            fit=fill(FitDataDocument, summary, relative_percent=summary.identified_percent, cutoff_hz=summary.identified_cutoff_hz),
            units={item.joint: item.unit for item in validation.series},
            nominal=None if nominal is None else ErrorsDocument.of(nominal, validation),
            models=tuple(ErrorsDocument.of(item, validation) for item in validation.models),
            band=BandDocument.of(validation),
            preprocessing=summary.processing,
            seen_by_fit=validation.seen,
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
