"""The result of a validation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from dynident.core.arrays import Array
from dynident.core.records import Shape
from dynident.core.results import Result
from dynident.core.texts import short_number
from dynident.data.provenance import Provenance
from dynident.errors import ValueRangeError
from dynident.regression.summary import Processing
from dynident.validation.folds import CrossValidation, bandwidth_text
from dynident.validation.metrics import Grade, ModelErrors, Moment, Spectrum
from dynident.validation.models import COEFFICIENTS, LINKS, NOMINAL, RIGID
from dynident.validation.series import JointSeries
from dynident.validation.uncertainty import Band

#: A smaller share of samples in common is the rounding at the edge of a part.
SEEN = 1e-3
#: New data whose error is so many times that of the fit mean that the model doesn't carry over.
WORSE_THAN_FIT = 1.5
#: A model whose error is this many times that of another is worse, whatever else speaks for it.
CLEARLY_WORSE = 1.15


@dataclass(frozen=True, kw_only=True)
class ValidationSummary:
    """The data of a validation, and which model was judged on them.

    rows : (n,)                           Of each joint that were compared; filter's edges, masks and decimation leave few of the samples.
    identified_from, identified_percent   The data of the fit, and what it left of them, 100 ‖e‖ / ‖measured‖.
    identified_cutoff_hz : float or None  Of the filter of the fit.
    of_torques : bool                     Whether the fit was one to torques, and not to the controller's M and g.
    cross_validated : (2,) or None        Mean and spread of the fit's error on its own data, each part predicted from the others [%].
    wide_hz : float or None               Bandwidth of `ModelErrors.wide_percent`.
    doubts, link_doubts : text            What earlier stages say against all models, and against the links beside that.
    """

    robot: str
    source: str
    samples: int
    rows: Annotated[tuple[int, ...], Shape("n")]
    processing: Processing
    identified_from: str
    identified_percent: float
    identified_cutoff_hz: float | None = None
    of_torques: bool = True
    cross_validated: tuple[float, float] | None = None
    wide_hz: float | None = None
    doubts: tuple[str, ...] = ()
    link_doubts: tuple[str, ...] = ()

    @property
    def equations(self) -> int:
        return sum(self.rows)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Validation(Result):
    """How well models predict the efforts of a motion.

    Attributes
    ----------
    models
        ModelErrors per model, complete and then without friction; the coefficients first.
    series, spectra
        One per joint; the spectra are those of what the recommended model leaves over.
    worst
        Moments at which the recommended model is farthest off, joint by joint.
    band : Band
        The 95 % bands: what is left over beside the uncertainty of the parameters, how much they cover, and which joints leave what the
        data of the fit cover.
    folds : CrossValidation or None
        Cross-validation on this log; None where it was not asked for.
    summary : ValidationSummary
        Data, processing, and the model that was judged.
    seen : float or None
        Share of the samples, 0 to 1, that the fit has seen; None where that is not known.
    sensitivity
        One (r, p) per joint How torques on this motion depend on the standard columns; see `spread`. Empty where unknown.
    provenance : Provenance
        Of the samples; None in files of older versions.
    notes : tuple of str
        What a reader of the numbers should know.
    """

    models: tuple[ModelErrors, ...]
    series: Annotated[tuple[JointSeries, ...], Shape("n")]
    spectra: tuple[Spectrum, ...]
    worst: tuple[Moment, ...]
    band: Band
    folds: CrossValidation | None
    summary: ValidationSummary
    seen: float | None = None
    sensitivity: tuple[Annotated[Array, Shape("r# p")], ...] = ()
    provenance: Provenance | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        whole = {errors.model for errors in self.models}
        frictional = {errors.model for errors in self.models if errors.friction}
        predicted = whole | {errors.model + RIGID for errors in self.models if not errors.friction and errors.model in frictional}
        for item in self.series:
            missing = (predicted - item.predicted.keys()) | (self.band.noise.keys() - item.std.keys())
            if missing or item.std.keys() != self.series[0].std.keys():
                raise ValueRangeError("series", f"of {item.joint} lacks predictions: {', '.join(sorted(missing or self.series[0].std))}")

    @property
    def on_new_data(self) -> bool | None:
        """Whether these data are others than those of the fit; None where that is not known."""
        return None if self.seen is None else self.seen < SEEN

    @property
    def joints(self) -> tuple[str, ...]:
        return tuple(item.joint for item in self.series)

    @property
    def coefficients(self) -> ModelErrors:
        """Errors of the coefficients, friction included."""
        return self.models[0]

    @property
    def links(self) -> ModelErrors | None:
        """Errors of the retrieved link parameters, friction included; None where there are none."""
        return self._complete(LINKS)

    @property
    def nominal(self) -> ModelErrors | None:
        """Errors of the nominal links with the identified friction; None where the robot's description has no inertias."""
        return self._complete(NOMINAL)

    @property
    def coverage_percent(self) -> Array | None:
        """(n,) share of the samples within the 95 % band of the recommended model, or of the coefficients; None without noise."""
        covered = self.band.coverage_percent
        return covered.get(self.recommended.model, covered.get(COEFFICIENTS))

    @property
    def percent_text(self) -> str:
        """The error of the recommended model with its spread over blocks of the data, and the bandwidth that it is about."""
        best, wide = self.recommended, self.summary.wide_hz
        text = f"{best.percent_text}{bandwidth_text(self.summary.processing.cutoff_hz)}"
        return text if wide is None or best.wide_percent is None else f"{text} ({short_number(best.wide_percent)} % at {wide:g} Hz)"

    @property
    def links_hold(self) -> bool | None:
        """Whether the link parameters predict about as well as the coefficients; None where there are none."""
        links = self.links
        return None if links is None else links.overall_percent <= CLEARLY_WORSE * self.coefficients.overall_percent

    @property
    def doubts(self) -> tuple[str, ...]:
        """What earlier stages say against all models: then none is to be used, however well it predicts."""
        return self.summary.doubts

    @property
    def recommended(self) -> ModelErrors:
        """The model to use: the links, which simulators take too, unless an earlier stage doubts them, or the coefficients or the nominal
        links predict clearly better."""
        links, nominal = self.links, self.nominal
        best = links if links is not None and self.links_hold and not self.summary.link_doubts else self.coefficients
        return nominal if nominal is not None and CLEARLY_WORSE * nominal.overall_percent < best.overall_percent else best

    @property
    def advice(self) -> str:
        """Which model to use, and why, in a sentence."""
        names = {COEFFICIENTS: "the coefficients", LINKS: "the link parameters", NOMINAL: "the nominal links with the identified friction"}
        others = [item for item in (self.links, self.coefficients, self.nominal) if item is not None and item is not self.recommended]
        rest = ", ".join(f"{short_number(item.overall_percent)} % with {names[item.model]}" for item in others)
        text = f"Use {names[self.recommended.model]}: {self.percent_text} of the torque is unexplained"
        if self.doubts:
            text = f"Use no model of these data before this is settled: {self.doubts[0]}. {self.percent_text} of the torque is unexplained"
            text = f"{text} with {names[self.recommended.model]}"
        doubted = f" The link parameters are doubtful: {'; '.join(self.summary.link_doubts)}." if self.summary.link_doubts else ""
        return f"{text}, {rest}.{doubted}" if rest else f"{text}.{doubted}"

    @property
    def judgement(self) -> str:
        """How well the recommended model predicts, and which joints it doesn't: "well, but joint1 (388 %) badly".

        That a model predicts the efforts of a log settles no doubt about what these efforts are.
        """
        best = self.recommended
        graded = zip(self.joints, best.relative_percent.tolist(), best.joint_grades, strict=True)
        bad = [f"{name} ({percent:.0f} %)" for name, percent, grade in graded if grade is Grade.POOR and best.grade is not Grade.POOR]
        text = f"{best.grade.value}, but {', '.join(bad)} {Grade.POOR.value}" if bad else best.grade.value
        return f"{text}, which does not settle that doubt" if self.doubts else text

    def _complete(self, model: str) -> ModelErrors | None:
        return next((item for item in self.models if item.model == model), None)
