"""parameters.json and samples.json: links that can exist, what certifies them, and how far data and constraints leave them open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias, cast

from dynident.core.documents import LEFT_OUT, Number, Unit, fill
from dynident.feasibility.constraints.terms import Violation
from dynident.feasibility.result import LinkParameters
from dynident.feasibility.samples import LinkSpread, PosteriorSamples
from dynident.feasibility.sampling import AGREEMENT
from dynident.parameters import INERTIA_NAMES, InertiaName
from dynident.regression.coefficients import JointFriction
from dynident.runs.documents.stage import StageDocument

if TYPE_CHECKING:
    from dynident.runs.stages import Origin

#: Names of a link's ten linear parameters, whose ranges are given.
PARAMETER_NAMES = ("m", "mcx", "mcy", "mcz", *(f"J{element}" for element in INERTIA_NAMES))
#: Low and high; null where nothing bounds it.
Interval: TypeAlias = tuple[Number, Number]


@dataclass(frozen=True, kw_only=True)
class LinkDocument:
    """One link that can exist."""

    name: str
    frame: str
    mass: Annotated[float, Unit("kg")]
    com: Annotated[tuple[float, ...], Unit("m")]
    inertia: Annotated[Mapping[InertiaName, float], "about the centre of mass, axes of the frame", Unit("kg·m²")]
    margin: Annotated[float, "of physical consistency", Unit("kg·m²")]
    range: Annotated[
        Mapping[str, Interval], "low and high of m, mcx, ..., Jzz; null where nothing bounds it, empty where no ranges were computed"
    ]
    bounds: Annotated[Mapping[str, Interval], "that were asked for on m and, times the mass, on the centre of mass"]
    determined_by: Annotated[Mapping[str, Literal["data", "constraint", "prior"]], "of m, mcx, ..., Jzz"]

    @staticmethod
    def of(result: LinkParameters, index: int) -> LinkDocument:
        link, body = result.base.robot.links[index], result.com_and_inertia(index)
        ranges = dict(zip(PARAMETER_NAMES, result.link_ranges(index), strict=False))
        places = zip(PARAMETER_NAMES, result.base.columns.of_link(index), strict=True)
        return LinkDocument(
            name=link.name,
            frame=link.frame,
            mass=body.mass,
            com=tuple(body.com.tolist()),
            inertia=body.elements,
            margin=float(result.margins[index]),
            range={name: (item.low, item.high) for name, item in ranges.items()},
            bounds={name: result.bounds[place] for name, place in places if place in result.bounds},
            determined_by={name: cast("Literal['data', 'constraint', 'prior']", item.determined_by) for name, item in ranges.items()},
        )


@dataclass(frozen=True, kw_only=True)
class TrainingDocument:
    """Relative error on the data of the fit."""

    coefficients_percent: float
    links_percent: float


@dataclass(frozen=True, kw_only=True)
class SolutionDocument:
    """A distinct answer of a multi-start."""

    start: int
    objective: float
    with_prior: float
    feasible: bool
    masses: Annotated[tuple[float, ...], Unit("kg")]


@dataclass(frozen=True, kw_only=True)
class HeldGravityDocument:
    """The run whose gravity was kept, and the digests of its stages then."""

    run: str
    estimate: str | None
    parameters: str | None


@dataclass(frozen=True, kw_only=True)
class BranchDocument:
    """A rule with branches, and the one that holds."""

    rule: str
    branch: str


@dataclass(frozen=True, kw_only=True)
class ParametersDocument(StageDocument):
    """The result of `dynident retrieve`."""

    FILE = "parameters.json"
    SCHEMA = "dynident/parameters/1"

    robot: str
    links: tuple[LinkDocument, ...]
    friction: Annotated[tuple[JointFriction, ...], "one per joint"]
    total_mass: Annotated[float, Unit("kg")]
    feasible: Annotated[bool, "recomputed from the constraints"]
    status: Annotated[str, "as a sentence"]
    objective: Annotated[float, "what was minimised, without the prior"]
    objective_name: str
    lower_bound: Annotated[Number, "no parameters that satisfy the convex constraints have a smaller objective; null where unknown"]
    gap: Annotated[Number, "of the objective to its lower bound"]
    gap_in_words: Annotated[str, "as a share of what noise alone would leave, or of the objective where the noise is not known"]
    objective_scale: Annotated[float, "the objective of parameters that are all zero; below 1e-12 of it, a cost is zero up to rounding"]
    training: TrainingDocument | None
    branches: Annotated[tuple[BranchDocument, ...], "which branch of each rule with several (either) holds"]
    solver: str
    method: Annotated[str | None, "the published method that was asked for by its name; null where none was"]
    solutions: Annotated[tuple[SolutionDocument, ...], "distinct answers of a multi-start"]
    violations: Annotated[tuple[Violation, ...], "conditions that are broken"]
    notes: Annotated[tuple[str, ...], "what needs attention, as sentences"]
    seed: Annotated[int, "of the random starts"]
    held_gravity: Annotated[HeldGravityDocument | None, "where gravity was held"] = field(default=None, metadata=LEFT_OUT)

    @staticmethod
    def of(result: LinkParameters, origin: Origin) -> ParametersDocument:
        training, held = result.training, origin.held
        return fill(
            ParametersDocument,
            result,
            robot=result.base.robot.name,
            links=tuple(LinkDocument.of(result, i) for i in range(result.base.robot.n)),
            friction=tuple(_friction(result)),
            status=result.status.value,
            objective_scale=result.scale,
            training=None if training is None else TrainingDocument(coefficients_percent=training[0], links_percent=training[1]),
            branches=_branches(result.branches),
            method=result.method or None,
            solutions=tuple(
                fill(SolutionDocument, item, with_prior=item.merit, masses=tuple(result.base.columns.links(item.x)[:, 0].tolist()))
                for item in result.solutions
            ),
            seed=origin.seed,
            held_gravity=None if held is None else HeldGravityDocument(**cast("Mapping[str, str]", held)),
            versions=origin.versions,
        )


def _branches(branches: Iterable[tuple[str, str]]) -> tuple[BranchDocument, ...]:
    return tuple(BranchDocument(rule=rule, branch=branch) for rule, branch in branches)


def _friction(result: LinkParameters) -> Iterable[JointFriction]:
    base, values = result.base, result.friction_parameters
    if base.friction is not None and values is not None:
        for j, (joint, row) in enumerate(zip(base.robot.joint_names, values, strict=True)):
            yield JointFriction(joint=joint, model=base.friction.of_joint(j).name, parameters=base.friction.values_of(j, row))


# ------------------------------------------------------------------------------------------------------------------------- samples


@dataclass(frozen=True, kw_only=True)
class ConvergenceDocument:
    """Whether the chains have converged. No samples leave the library without it."""

    r_hat: Annotated[float, "the largest over the parameters"]
    r_hat_limit: float
    effective_draws: Annotated[float, "the smallest over the parameters"]
    draws: Annotated[int, "that were made"]

    @staticmethod
    def of(samples: PosteriorSamples) -> ConvergenceDocument:
        return ConvergenceDocument(r_hat=samples.agreement, r_hat_limit=AGREEMENT, effective_draws=samples.effective, draws=samples.draws)


@dataclass(frozen=True, kw_only=True)
class SpreadDocument:
    """Mean and standard deviation."""

    mean: float
    std: float


@dataclass(frozen=True, kw_only=True)
class SamplesDocument(StageDocument):
    """The result of `dynident sample`."""

    FILE = "samples.json"
    SCHEMA = "dynident/samples/1"

    robot: str
    count: Annotated[int, "how many samples"]
    seed: Annotated[int, "of the random numbers"]
    convergence: ConvergenceDocument
    branches: Annotated[tuple[BranchDocument, ...], "within which they were drawn, of rules with several (either)"]
    total_mass: Annotated[SpreadDocument, Unit("kg")]
    links: tuple[LinkSpread, ...]

    @staticmethod
    def of(samples: PosteriorSamples, origin: Origin) -> SamplesDocument:
        return SamplesDocument(
            robot=samples.base.robot.name,
            count=len(samples),
            seed=samples.seed,
            convergence=ConvergenceDocument.of(samples),
            branches=_branches(samples.branches),
            total_mass=SpreadDocument(mean=float(samples.total_mass.mean()), std=float(samples.total_mass.std())),
            links=samples.link_spreads,
            versions=origin.versions,
        )
