"""What the JSON documents of a run folder hold, as types of which their JSON Schemas are made.

A field's text says what it is. A dataclass of dynident stands for the record of its fields; those with a default can be left out.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from dynident.regression.coefficients import Coefficient, JointFriction
from dynident.regression.friction.fitted import FittedShape
from dynident.regression.summary import Processing
from dynident.robots.robot import Joint, Link, Source
from dynident.validation.metrics import Moment
from dynident.validation.uncertainty import Departure

ByJoint = dict[str, float | None]
Number = float | None
Model = Literal["coefficients", "links", "nominal"]
Inertia = TypedDict("Inertia", dict.fromkeys(("xx", "xy", "xz", "yy", "yz", "zz"), float))


class Recording(TypedDict):
    """A recording that was used."""

    files: Annotated[dict[str, str], "SHA-256 of each file by name"]
    numbers: Annotated[str, "digest of positions and efforts, whatever the format"]
    samples: Annotated[int, "how many it has"]
    selection: NotRequired[Annotated[str, "which part of a file with several"]]
    ranges: Annotated[list[tuple[int, int, int]], "start, stop and samples of what was used"]


class Provenance(TypedDict, total=False):
    """Where a result comes from."""

    command: Annotated[str, "that made it"]
    part: Annotated[tuple[float, float], "of the data, as fractions"]
    links: Annotated[str, "the run folder that the links are from"]
    files: Annotated[dict[str, str], "SHA-256 of each data file by name"]
    recordings: list[Recording]
    steps: Annotated[list[str], "of the processing"]


class Stage(TypedDict):
    """What all documents of a run folder have."""

    schema: Annotated[str, "kind and version of the document"]
    versions: Annotated[dict[str, str], "of the programs that did the work"]
    files: Annotated[dict[str, str], "SHA-256 of the files that belong to this document"]
    made_from: Annotated[dict[str, str], "SHA-256 of the files that it was made from"]


class Trial(TypedDict):
    """A friction model that was tried for a joint."""

    joint: str
    model: str
    numbers: Annotated[int, "that are fitted"]
    held_out_rms: Number
    change_percent: Annotated[Number, "of the error, against the first"]
    standard_error_percent: Number
    chance: Number
    chosen: bool
    impossible: Annotated[str, "why no friction can be so; empty where it can"]


class Choice(TypedDict):
    """How a friction model was chosen."""

    sentence: str
    trials: list[Trial]


class TestedCoefficient(TypedDict):
    """A coefficient of the controller's model."""

    name: str
    expression: str
    unit: str
    controller: Annotated[float, "from M and g alone"]
    controller_std: float
    log: Annotated[Number, "from the log alone; null where it does not determine the coefficient"]
    log_std: Number
    difference: Annotated[Number, "of the log from the controller, in standard deviations of both"]
    verdict: Literal["agrees", "contradicted", "not testable with this log"]


class VendorModel(TypedDict):
    """The vendor's model, tested by a log."""

    sentence: str
    contradicted: Annotated[bool, "whether the log contradicts a coefficient, or the model as a whole"]
    limit: Annotated[float, "standard deviations beyond which a coefficient is contradicted"]
    chi_squared: Annotated[float, "of the coefficients that both determine"]
    freedom: Annotated[int, "how many these are"]
    probability: Annotated[float, "that a true model differs by as much"]
    coefficients: list[TestedCoefficient]


class Residual(TypedDict):
    """What a fit leaves."""

    relative_percent: Annotated[float, "over all rows"]
    rms_per_joint: Annotated[dict[str, float], "[N·m | N]; on the controller route by element, M11 to g7"]
    relative_percent_per_joint: dict[str, float]


class Folds(TypedDict):
    """Parts of the data, each predicted by a fit to the others."""

    parts: list[str]
    relative_percent: list[Number]
    relative_percent_per_joint: list[ByJoint]
    rms_per_joint: list[ByJoint]
    noise_per_joint: ByJoint
    cutoff_hz: Number
    mean_percent: Number
    std_percent: Number
    wide_percent: Annotated[Number, "what the fit leaves behind a filter of 20 Hz"]


class Estimate(Stage):
    """The result of `dynident identify`."""

    robot: str
    source: Annotated[str, "data, and which part of them"]
    route: Annotated[Literal["classical", "controller", "combined"], "from a log, from a controller's samples, or from both"]
    status: Annotated[str, "how the fit ended, as a sentence"]
    rank: Annotated[int, "how many base parameters these data determine"]
    condition_number: Annotated[Number, "of the regressor of the kept coefficients, not scaled; null when infinite"]
    coefficients: list[Coefficient]
    friction: list[JointFriction]
    friction_shapes: list[FittedShape]
    friction_choice: Choice | None
    vendor_model: Annotated[VendorModel | None, "the controller's model, tested by the log; null where not both were given"]
    residual: Residual
    samples: Annotated[int, "that were read"]
    reached_speeds: Annotated[
        dict[str, tuple[float, float]] | None,
        "largest speed of each joint backward and forward [rad/s | m/s], 0 for a direction in which it did not turn; null without a log",
    ]
    preprocessing: Processing
    notes: list[str]
    seed: int
    provenance: Provenance
    cross_validation: Folds | None


class Robot(TypedDict):
    """The robot, every field."""

    schema: str
    name: str
    joints: list[Joint]
    links: list[Link]
    gravity: Annotated[list[float], "in the base frame [m/s²]"]
    tool: Annotated[list[list[float]], "pose of the tool frame in the last link's parameter frame"]
    floor: float
    apart: Annotated[list[tuple[str, str]], "pairs of links that never touch"]
    base_pieces: list[Source]
    notes: list[str]
    source: str


class Confidence(TypedDict):
    """How sure recovered signs are."""

    gap: Annotated[Number, "by how much the log-likelihood of the next best signs is lower"]
    unsure_share: Annotated[Number, "of the segments"]
    unsure_energy: Annotated[Number, "of the torque in them"]
    strain: Annotated[Number, "log-likelihood that physics costs"]
    density: Annotated[Number, "segments per coefficient"]
    inflation: Annotated[Number, "correlated residuals that say as much as one"]
    certificate: Annotated[Number, "not negative is a proof that no other signs fit better"]
    proven: Annotated[bool, "that, or the search has proven it"]
    flip_margins_per_joint: Annotated[ByJoint, "the gap for turning one joint"]
    levels_per_joint: Annotated[ByJoint, "what the model leaves [N·m | N]"]
    noise_per_joint: Annotated[ByJoint, "of the sensors"]


class Segment(TypedDict):
    """Samples of a joint that share a sign. start, stop : [s]."""

    joint: str
    start: float
    stop: float
    sign: Literal[-1, 1]
    probability: float


class Signs(Stage):
    """The result of `dynident signs`."""

    robot: str
    source: str
    verdict: Literal["certain", "likely", "ambiguous", "unexplained"]
    sentence: str
    reason: str
    advice: Annotated[str, "what would settle what is open"]
    method: str
    confidence: Confidence
    threshold_per_joint: Annotated[dict[str, float], "|torque| below which a sample tells no sign by itself"]
    segments: list[Segment]
    unsure: Annotated[list[int], "numbers of the segments in doubt, from 0"]
    notes: list[str]
    seed: int


class RetrievedLink(TypedDict):
    """One link that can exist."""

    name: str
    frame: str
    mass: Annotated[float, "[kg]"]
    com: Annotated[list[float], "[m]"]
    inertia: Annotated[Inertia, "about the centre of mass, axes of the frame [kg·m²]"]
    margin: Annotated[float, "[kg·m²]"]
    range: Annotated[dict[str, tuple[Number, Number]], "low and high of m, mcx, ..., Jzz; null where nothing bounds it"]
    bounds: Annotated[dict[str, tuple[Number, Number]], "that were asked for on m and, times the mass, on the centre of mass"]
    determined_by: Annotated[dict[str, Literal["data", "constraint", "prior"]], "of m, mcx, ..., Jzz"]


class Training(TypedDict):
    """Relative error on the data of the fit."""

    coefficients_percent: float
    links_percent: float


class Solution(TypedDict):
    """A distinct answer of a multi-start."""

    start: int
    objective: float
    with_prior: float
    feasible: bool
    masses: list[float]


class Violation(TypedDict):
    """A condition that is broken."""

    name: str
    amount: Number
    unit: str


class HeldGravity(TypedDict):
    """The run whose gravity was kept, and the SHA-256 of its archives then."""

    run: str
    estimate: str | None
    parameters: str | None


class Branch(TypedDict):
    """A rule with branches, and the one that holds."""

    rule: str
    branch: str


class Parameters(Stage):
    """The result of `dynident retrieve`."""

    robot: str
    links: list[RetrievedLink]
    friction: list[JointFriction]
    total_mass: Annotated[float, "[kg]"]
    feasible: Annotated[bool, "recomputed from the constraints"]
    status: str
    objective: Annotated[float, "what was minimised, without the prior"]
    objective_name: str
    lower_bound: Annotated[Number, "no parameters that satisfy the convex constraints have a smaller objective; null where unknown"]
    gap: Number
    gap_in_words: str
    objective_scale: Annotated[float, "the objective of parameters that are all zero; below 1e-12 of it, a cost is zero up to rounding"]
    training: Training | None
    branches: Annotated[list[Branch], "which branch of each rule with several (either) holds"]
    solver: str
    method: Annotated[str | None, "the published method that was asked for by its name; null where none was"]
    solutions: list[Solution]
    violations: list[Violation]
    notes: list[str]
    seed: int
    held_gravity: NotRequired[HeldGravity]


class Errors(TypedDict):
    """Errors of a model."""

    model: Model
    friction: Annotated[bool, "whether it is included"]
    relative_percent: Annotated[Number, "100 ‖e‖ / ‖measured‖ over all joints"]
    rms_per_joint: ByJoint
    mse_per_joint: Annotated[ByJoint, "mean squared error, the square of rms_per_joint [N²·m² | N²]"]
    relative_percent_per_joint: ByJoint
    r_squared_per_joint: Annotated[ByJoint, "null where the measured effort is constant"]
    spread_percent: Annotated[Number, "over the blocks"]
    block_percent: Annotated[list[Number], "of blocks of the data one after the other"]
    ratio_to_best: Annotated[Number, "the error over what the best model in hindsight leaves"]
    ratio_to_best_per_joint: ByJoint
    grade: Literal["good", "fair", "poor"]
    wide_percent: Annotated[Number, "at the bandwidth wide_hz"]


class CrossValidated(TypedDict):
    """Mean and spread over the folds."""

    mean_percent: float
    std_percent: float


class Fit(TypedDict):
    """What is known of the fit's own data."""

    relative_percent: Number
    cross_validated: CrossValidated | None
    cutoff_hz: Number
    wide_hz: Number


class BandOfModel(TypedDict):
    """What makes the 95 % band of a prediction."""

    prediction_std_rms_per_joint: ByJoint
    noise_per_joint: ByJoint
    coverage_percent_per_joint: Annotated[ByJoint, "share of samples within the band"]


class Band(TypedDict):
    """The 95 % bands, and joints whose motion leaves what the data of the fit cover."""

    models: dict[str, BandOfModel]
    departures: list[Departure]


class Validation(Stage):
    """The result of `dynident validate`; errors at the top level are those of the coefficients with their friction."""

    robot: str
    source: str
    identified_from: Annotated[str, "the data of the fit"]
    samples: int
    rows_per_joint: Annotated[dict[str, int], "that were compared"]
    equations: int
    recommended: Model
    advice: str
    links_hold: Annotated[bool | None, "whether the link parameters predict at most 15 % worse than the coefficients; null without them"]
    fit: Fit
    units: Annotated[dict[str, str], "of each joint's effort"]
    relative_percent: Number
    rms_per_joint: ByJoint
    mse_per_joint: Annotated[ByJoint, "mean squared error, the square of rms_per_joint [N²·m² | N²]"]
    relative_percent_per_joint: ByJoint
    r_squared_per_joint: ByJoint
    nominal: Errors | None
    models: list[Errors]
    band: Band
    worst: Annotated[list[Moment], "up to three moments per joint"]
    folds: Folds | None
    preprocessing: Processing
    notes: list[str]
    seen_by_fit: Annotated[Number, "share of the samples that the fit has seen, by their content; null where that is not known"]
    provenance: Provenance


class Convergence(TypedDict):
    """Whether the chains have converged."""

    r_hat: Annotated[float, "the largest over the parameters"]
    r_hat_limit: float
    effective_draws: Annotated[float, "the smallest over the parameters"]
    draws: int


class Spread(TypedDict):
    """Mean and standard deviation."""

    mean: float
    std: float


class SpreadOfLink(TypedDict):
    """How far the samples of a link spread."""

    link: str
    mass: Annotated[float, "most probable [kg]"]
    mass_mean: float
    mass_std: float
    mass_quantiles: Annotated[tuple[float, float], "5 and 95 %"]
    com_std: Annotated[list[float], "[m]"]
    inertia_mean: Annotated[list[float], "principal [kg·m²]"]
    inertia_std_percent: list[float]


class Samples(Stage):
    """The result of `dynident sample`."""

    robot: str
    count: int
    seed: int
    convergence: Convergence
    branches: Annotated[list[Branch], "within which they were drawn, of rules with several (either)"]
    total_mass: Annotated[Spread, "[kg]"]
    links: list[SpreadOfLink]


class Quantity(TypedDict):
    """One of mass, centre of mass and inertia. low, high : of the 95 % interval."""

    name: str
    value: float
    std: float
    low: Number
    high: Number
    unit: str
    told: Annotated[bool, "by the data"]


class DeclaredQuantity(TypedDict):
    """What the controller was told, beside what was found."""

    name: str
    declared: float
    identified: float
    difference: float
    in_std: float
    unit: str


class PayloadEffort(TypedDict):
    """What the payload, and an error in what was declared, does to a joint along the log."""

    joint: str
    rms: float
    largest: float
    error_rms: Number
    error_largest: Number
    unit: str


class PayloadEvidence(TypedDict):
    """What stands behind a payload."""

    source: Annotated[str, "the loaded log"]
    arm: Annotated[str, "what the arm was identified from"]
    samples: int
    alone: Annotated[float, "what a fit to this log alone leaves of the effort [%]"]
    together: Annotated[float, "what arm and payload leave of it [%]"]
    strain: Annotated[float, "what is left over of the difference, as a multiple of the noise's variance"]
    mass: Annotated[tuple[float, float] | None, "by the data alone, with its standard deviation [kg]"]
    blur: Annotated[Number, "what that does to the efforts, as a share"]
    refit_friction: bool
    tilt: Annotated[float, "of the wrist [rad]"]
    gap: Annotated[Number, "of the certificate"]


class Payload(Stage):
    """The result of `dynident payload`."""

    robot: str
    source: Annotated[str, "the loaded log"]
    status: Literal["told", "inertia_open", "centre_open", "mass_open", "none"]
    sentence: str
    link: Annotated[str, "that carries it"]
    flange: Annotated[list[list[float]], "pose of the flange frame in that link's parameter frame"]
    mass: Annotated[float, "[kg]"]
    com: Annotated[list[float], "in the flange frame [m]"]
    inertia: Annotated[Inertia, "about the centre of mass [kg·m²]"]
    parameters: Annotated[list[float], "the ten linear ones, about the origin of the flange frame"]
    quantities: list[Quantity]
    declared: list[DeclaredQuantity]
    efforts: list[PayloadEffort]
    evidence: PayloadEvidence
    notes: list[str]
    provenance: Provenance


class ChangedParameter(TypedDict):
    """A friction parameter of two runs."""

    name: str
    symbol: Annotated[str, "what the papers call it, where that is something else"]
    unit: str
    before: Annotated[Number, "null where there was none"]
    before_std: Number
    now: float
    now_std: Annotated[Number, "null where the data don't tell it"]
    difference_std: Number


class ChangedJoint(TypedDict):
    """How the friction of a joint has changed."""

    joint: str
    unit: str
    rms: Annotated[Number, "of the change of the torque over the speeds that both logs reached; null where there was no friction before"]
    noise: Annotated[Number, "what noise alone makes of it"]
    percent: Annotated[Number, "of what the friction was; null where that was nothing"]
    deviations: Annotated[Number, "the change over what noise alone makes of it"]
    chance: Annotated[Number, "probability that noise alone makes as large a change of this joint"]
    changed: Annotated[bool | None, "by more than noise; null where there was no friction before"]
    error_before: Annotated[float, "what the model leaves of the new log with the friction before"]
    error_after: float
    parameters: list[ChangedParameter]


class Friction(Stage):
    """The result of `dynident friction`."""

    robot: str
    source: Annotated[str, "data of the friction"]
    links_source: Annotated[str, "data of the links, and of the friction before"]
    sentence: str
    compared: Annotated[bool, "whether there was friction before to compare with"]
    changed: Annotated[list[str], "joints"]
    joints: list[ChangedJoint]
    notes: list[str]
    provenance: Provenance


class Level(TypedDict):
    """What contacts of a joint are found with."""

    joint: str
    gain: Annotated[float, "of the observer [1/s]"]
    level: Annotated[Number, "threshold in standard deviations of the noise; null where infinite"]
    threshold: Annotated[Number, "that in motion, RMS over the joints' ranges [unit]; null where infinite"]
    rest_allowance: Annotated[float, "what is added at rest [unit]"]
    velocity_noise: Annotated[float, "standard deviation of the residual's noise that the inertia carries [rad/s² | m/s²]"]
    effort_noise: Annotated[float, "standard deviation of the residual's noise of the joint by itself [unit]"]
    blur: Annotated[float, "by how much a measured velocity may be off"]
    unit: str


class Calibration(TypedDict):
    """Where the levels come from."""

    source: str
    seconds: float
    false_alarms: Annotated[float, "per hour"]
    contacts_possible: bool


class Monitor(Stage):
    """The thresholds of `dynident monitor`."""

    robot: str
    model: Annotated[str, "what it is watched with: links or coefficients"]
    confirmation: Annotated[float, "how long a residual must stay above its threshold [s]"]
    distance_level: Annotated[Number, "threshold of the distance of all residuals, in standard deviations; null where infinite"]
    joints: list[Level]
    calibration: Calibration | None
    notes: list[str]
    provenance: Provenance


class Evidence(TypedDict):
    """A number that speaks for a finding."""

    what: str
    value: float
    unit: str


class Finding(TypedDict):
    """Something that is wrong with a log."""

    name: str
    sentence: str
    confidence: Literal["high", "medium", "low"]
    rule: str
    joints: list[str]
    evidence: list[Evidence]
    remedy: str
    recipe: Annotated[dict[str, Any], "what a YAML file beside the data says to mend it"]
    gravity: list[float] | None
    spoils: Annotated[bool, "whether what is identified from such a log means nothing"]


class Diagnosis(TypedDict):
    """What `dynident doctor --json` prints, and a fleet keeps of every robot."""

    robot: str
    source: str
    samples: int
    findings: list[Finding]
    recipe: dict[str, Any]
    gravity: list[float] | None
    written: NotRequired[Annotated[str | None, "the YAML file that the sure corrections were written to"]]
    made_from: NotRequired[Annotated[dict[str, str], "of a fleet: SHA-256 of its `inputs`: data, robot, and how the data were read"]]
