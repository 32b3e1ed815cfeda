"""What commands print with `--json`, or write beside a run folder, as types of which JSON Schemas are made; see `documents`."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from documentation.reference.documents import ByJoint, Convergence, Inertia, Level, Number, SpreadOfLink
from dynident.monitoring.contacts import Contact


class CheckedLink(TypedDict):
    """A link of a robot, judged."""

    name: str
    frame: Annotated[str, "of the numbers"]
    verdict: str
    message: str
    inconsistent: bool
    mass: Annotated[Number, "[kg]; null where there is no inertia"]
    com: Annotated[list[float] | None, "[m]"]
    principal_inertias: Annotated[list[float] | None, "[kg·m²]"]
    margin: Annotated[Number, "[kg·m²]"]
    warnings: list[str]
    lumped_links: Annotated[list[str], "source links in the body"]


class CheckedSource(TypedDict):
    """A source link that was judged by itself."""

    name: str
    body: Annotated[str | None, "that it is part of; null for the base"]
    verdict: str
    message: str
    inconsistent: bool
    mass: Number
    com: list[float] | None
    principal_inertias: list[float] | None
    margin: Number


class Check(TypedDict):
    """What `dynident check --json` prints."""

    schema: str
    robot: str
    source: str
    consistent: Annotated[bool | None, "null when an inertia is missing and no link is inconsistent"]
    total_mass: Annotated[Number, "[kg]"]
    links: list[CheckedLink]
    lumped: list[CheckedSource]
    base_links: list[str]
    warnings: list[str]
    notes: list[str]


class MovedCoefficient(TypedDict):
    """A base parameter that could not be kept."""

    coefficient: str
    before: float
    after: float
    unit: str


class RepairedLink(TypedDict):
    """A link before and after."""

    name: str
    body: str | None
    changed: bool
    margin_before: Number
    margin: Number
    mass: Annotated[float, "[kg]"]
    com: Annotated[list[float], "[m]"]
    inertia: Annotated[Inertia, "about the centre of mass [kg·m²]"]


class Repair(TypedDict):
    """What `dynident repair --json` prints, and a repaired robot as .json holds."""

    schema: str
    robot: str
    source: str
    changed: Annotated[list[str], "links"]
    dynamics_unchanged: bool
    largest_change_of_a_base_parameter: float
    moved: list[MovedCoefficient]
    links: list[RepairedLink]


class ComparedQuantity(TypedDict):
    """What is compared: a coefficient, or a joint's friction."""

    name: str
    expression: str
    unit: str
    part: Annotated[str, "links, friction or other"]
    place: Annotated[str, "the link or joint"]
    links: list[str]
    centre: Annotated[float, "the median, or what the first run has"]
    spread: Annotated[float, "how much robots of this model usually differ"]


class ComparedRun(TypedDict):
    """A run beside the others; values, std and deviations are in the order of the quantities, null where it has none."""

    run: str
    farthest: float
    beyond_chance: Annotated[list[str], "quantities that differ by more than chance"]
    training_percent: Number
    validation_percent: Number
    total_mass: Number
    values: list[Number]
    std: list[Number]
    deviations: Annotated[list[Number], "in standard deviations"]


class Comparison(TypedDict):
    """What `dynident compare --json` prints."""

    schema: str
    robot: str
    reference: Annotated[str, "what the runs are compared with"]
    limit: Annotated[float, "deviations beyond which chance does not reach"]
    quantities: list[ComparedQuantity]
    runs: Annotated[list[ComparedRun], "the farthest first"]
    sentences: list[str]
    notes: list[str]


class FleetRobot(TypedDict):
    """A robot of a fleet."""

    robot: str
    done: Annotated[list[str], "steps"]
    failures: Annotated[dict[str, str], "step to sentence"]
    findings: Annotated[list[str], "that the doctor is sure of"]
    training_percent: Number
    validation_percent: Number


class Fleet(TypedDict):
    """fleet.json, which `dynident fleet --json` prints too."""

    schema: str
    robot: str
    robots: list[FleetRobot]
    facts: list[str]
    comparison: Comparison | None


class ExpectedCoefficient(TypedDict):
    """What a coefficient will be known to."""

    name: str
    expression: str
    unit: str
    std: Annotated[Number, "null where infinite"]
    nominal: Number


class LimitMargin(TypedDict):
    """How close a motion comes to a limit."""

    limit: str
    where: Annotated[str, "joint, link or pair of links"]
    margin: float
    unit: str
    share: Number
    time: Annotated[Number, "[s]"]
    holds: bool


class TorqueError(TypedDict):
    """Expected error of the torques in the motions of the task."""

    relative: Annotated[Number, "share; null where the robot has no inertias"]
    rms: Annotated[ByJoint, "[N·m | N]"]
    torque: Annotated[ByJoint, "RMS of the torque itself"]


class Known(TypedDict):
    """How many coefficients will be known to 30 %."""

    known: int
    of: int


class Part(TypedDict):
    """A stretch of a driven trajectory. start, stop : [s]."""

    name: str
    period: Annotated[int, "1, 2, ... of a whole period, 0 elsewhere"]
    start: float
    stop: float


class Drive(TypedDict):
    """The motion from rest to rest."""

    duration: float
    repeats: int
    period: float
    parts: list[Part]
    home: list[float]
    home_source: str
    trajectory: Annotated[dict[str, Any], "as `trajectory_to_dict` has it"]


class Excite(TypedDict):
    """What `dynident excite --json` prints of a trajectory."""

    schema: str
    robot: str
    criterion: str
    description: Annotated[str, "what the trajectory is, in a few words"]
    condition_number: Number
    value: Annotated[float, "of the criterion"]
    rank: int
    torque_noise: list[float]
    torque_noise_source: str
    independent_samples_per_second: float
    task: str
    torque_error: TorqueError
    known_to_30_percent: Known | None
    coefficients: list[ExpectedCoefficient]
    limits: list[LimitMargin]
    check_rate: Annotated[float, "samples per second at which the limits were checked"]
    history: list[Number]
    unchecked: Annotated[str, "what could not be checked; empty where everything was"]
    trajectory: Annotated[dict[str, Any], "as `trajectory_to_dict` has it"]
    drive: Drive | None
    notes: list[str]


class ExciteStatic(TypedDict):
    """What `dynident excite --static --json` prints."""

    schema: str
    robot: str
    method: str
    configurations: int
    condition_number: Number
    rank: int
    unchecked: Annotated[str, "what could not be checked; empty where everything was"]
    equations: str
    duration: Annotated[float, "of the drive to all of them [s]"]
    home: list[float]
    home_source: str
    limits: list[LimitMargin]
    notes: list[str]


class ExciteCheck(TypedDict):
    """What `dynident excite --check --json` prints."""

    schema: str
    robot: str
    file: str
    samples: int
    rate: float
    duration: float
    holds: bool
    sentence: str
    unchecked: Annotated[str, "what could not be checked; empty where everything was"]
    limits: list[LimitMargin]
    check_rate: float
    notes: list[str]
    format: Annotated[str, "of the file"]
    comments: Annotated[list[str], "in the file"]


class Precision(TypedDict):
    """What is known after some time of driving."""

    time: Annotated[float, "[s]"]
    trajectory: Annotated[int, "from 1"]
    worst_coefficient: str
    worst_relative_std: Number
    torque_error: Number
    known: int
    of: int


class Experiment(TypedDict):
    """What `dynident excite --precision --json` prints."""

    schema: str
    robot: str
    precision: Annotated[Number, "that was asked for, as a share"]
    torque_error: Number
    coefficients_that_matter: list[str]
    reached: bool
    duration: float
    first_trajectory_alone: Annotated[Number, "how long it would take with it alone [s]"]
    repeats: list[int]
    over_time: list[Precision]
    trajectories: list[Excite]


class SampleIndex(TypedDict):
    """index.json beside exported samples, which `dynident sample --json` prints with how far links and torques spread."""

    schema: str
    robot: str
    count: int
    seed: int
    parameters: Annotated[str, "SHA-256 of the run's parameters.npz"]
    convergence: Convergence
    target: str | None
    files: Annotated[dict[str, str], "SHA-256 by name"]
    notes: list[str]
    links: NotRequired[list[SpreadOfLink]]
    torque_spread_percent: NotRequired[ByJoint | None]


class Claim(TypedDict):
    """A published number beside ours."""

    paper: str
    place: Annotated[str, "in the paper"]
    quantity: str
    published: Number
    ours: Number
    tolerance: Annotated[float, "up to this difference both are the same number"]
    tolerance_from: str
    unit: str
    origin: Annotated[Literal["paper", "prototype"], "a prototype measured a number that no paper prints"]
    goal: Annotated[Literal["", "lower", "higher"], "which way is better"]
    truth: Annotated[Number, "where the robot is virtual"]
    implied: Annotated[Number, "what follows from the paper's other numbers"]
    missing: Annotated[str, "what would be needed for a comparison and was never published"]
    constructed: Annotated[str, "how ours was made from the published number itself"]
    near: Annotated[str, "what is not known of the published number, so that ours may be near it and not the same"]
    chosen: Annotated[str, "what was chosen after the comparison, so that ours is near at best"]
    reason: Annotated[str, "why ours differs, or how an error is known"]
    verdict: str


class ReproducedExperiment(TypedDict):
    """An experiment of a paper, done again."""

    experiment: str
    title: str
    seconds: float
    notes: list[str]
    claims: list[Claim]


class ReproducedPaper(TypedDict):
    """A paper."""

    paper: str
    citation: str
    experiments: list[ReproducedExperiment]


class Reproduction(TypedDict):
    """reproduction.json, which `dynident reproduce --json` prints too."""

    schema: str
    date: str
    machine: str
    size: str
    data: list[str]
    verdicts: dict[str, int]
    papers: list[ReproducedPaper]


class BundledSamples(TypedDict):
    """How much of the log is in a bundle."""

    choice: Literal["none", "excerpt", "all"]
    recorded: int | None
    kept: int


class BundledFile(TypedDict):
    """A file of a bundle."""

    bytes: int
    what: str


class BundledStep(TypedDict):
    """A command that made the run, as it was repeated."""

    command: str
    code: Annotated[int, "with which it ended"]


class BundledComparison(TypedDict):
    """How the numbers of a repeated stage differ from those of the original."""

    stage: str
    numbers: Annotated[int, "that can be compared"]
    different: int
    sentence: str


class Bundle(TypedDict):
    """manifest.json of a bundle, which `dynident bundle --json` prints too."""

    schema: str
    versions: dict[str, str]
    platform: str
    joints: int
    samples: BundledSamples
    data: Annotated[list[str], "SHA-256 of the files that the run was made from"]
    steps: list[BundledStep]
    comparisons: list[BundledComparison]
    missing: Annotated[list[str], "what is not in it, and why"]
    taken_out: list[str]
    left_in: list[str]
    files: dict[str, BundledFile]
    written: NotRequired[str]
    bytes: NotRequired[int]


class Contacts(TypedDict):
    """What `dynident monitor --json` prints."""

    robot: str
    source: Annotated[str, "the log that was watched"]
    model: Literal["links", "coefficients"]
    seconds: Annotated[float, "that were watched [s]"]
    contacts: list[Contact]
    confirmation: Annotated[float, "how long a residual must stay above its threshold [s]"]
    distance_level: Annotated[Number, "threshold of the distance of all residuals, in standard deviations; null where infinite"]
    joints: list[Level]
    false_alarms_per_hour: Annotated[Number, "that the thresholds allow; null where they were given"]
    thresholds_from: Annotated[str | None, "the log that they come from"]
    notes: list[str]
    written: Annotated[str, "the page"]


class Engine(TypedDict):
    """Torques of an exported model beside dynident's."""

    engine: Annotated[str, "that computed them"]
    states: Annotated[int, "that were compared"]
    largest: Annotated[float, "difference [N·m | N]"]
    relative: Annotated[float, "share of the largest torque"]


class ExportedModel(TypedDict):
    """A model for another program; `dynident export --json` prints a list."""

    target: str
    path: Annotated[str, "file or folder"]
    files: Annotated[list[str], "names of its files"]
    comparison: Annotated[Engine | None, "null where no other engine can load it"]
    notes: list[str]


class Gain(TypedDict):
    """Torque per unit of a joint's recorded effort."""

    joint: str
    gain: float
    std: Number
    unit: str
    trust: str
    left_percent: Annotated[Number, "what the model leaves of the effort"]


class Gains(TypedDict):
    """What `dynident gains --json` prints."""

    status: str
    gains: list[Gain]
    notes: list[str]


class ListedPreset(TypedDict):
    """How the files of a recorder are read; `dynident presets --json` prints a list."""

    name: str
    about: Annotated[str, "whose files it reads"]
    source: Annotated[str, "where its names come from"]
    file: str
