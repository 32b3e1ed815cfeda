"""parameters.json and samples.json: physically consistent links, their certificate, and the ranges that data and constraints leave."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal, Self, TypeAlias, cast

from dynident.core.documents import LEFT_OUT, Number, Unit, fill
from dynident.links.constraints.terms import Violation
from dynident.links.result import LinkParameters
from dynident.links.samples import LinkSpread, PosteriorSamples
from dynident.regression.coefficients import JointFriction
from dynident.robots.parameters import INERTIA_NAMES, InertiaName
from dynident.runs.documents.stage import StageDocument
from dynident.runs.stages import StageContent

#: Names of a link's ten linear parameters, whose ranges are given.
PARAMETER_NAMES = ("m", "mcx", "mcy", "mcz", *(f"J{element}" for element in INERTIA_NAMES))
#: Low and high; null where nothing bounds it.
Interval: TypeAlias = tuple[Number, Number]


@dataclass(frozen=True, kw_only=True)
class LinkDocument:
    """One physically consistent link."""

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
        return fill(
            LinkDocument,
            link,
            mass=body.mass,
            com=body.com,
            inertia=body.elements,
            margin=float(result.margins[index]),
            range={name: (item.low, item.high) for name, item in ranges.items()},
            bounds={name: result.bounds[place] for name, place in places if place in result.bounds},
            determined_by={name: item.determined_by for name, item in ranges.items()},
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
    doubts: Annotated[tuple[str, ...], "why these are not the links of such an arm, however well they fit"]
    notes: Annotated[tuple[str, ...], "what needs attention, as sentences"]
    seed: Annotated[int, "of the random starts"]
    held_gravity: Annotated[HeldGravityDocument | None, "where gravity was held"] = field(default=None, metadata=LEFT_OUT)

    @classmethod
    def of(cls, content: StageContent) -> Self:
        result: LinkParameters = content.result
        base, held = result.base, content.origin.held
        return cls.fill(
            content,
            robot=base.robot.name,
            links=tuple(LinkDocument.of(result, i) for i in range(base.robot.n)),
            friction=tuple(_friction(result)),
            objective_scale=result.scale,
            method=result.method or None,
            solutions=tuple(
                fill(SolutionDocument, item, with_prior=item.merit, masses=base.columns.links(item.x)[:, 0]) for item in result.solutions
            ),
            held_gravity=None if held is None else HeldGravityDocument(**cast("Mapping[str, str]", held)),
        )


def _friction(result: LinkParameters) -> Iterable[JointFriction]:
    base, values = result.base, result.friction_parameters
    if base.friction is not None and values is not None:
        for j, (joint, row) in enumerate(zip(base.robot.joint_names, values, strict=True)):
            yield JointFriction(joint=joint, model=base.friction.of_joint(j).name, parameters=base.friction.values_of(j, row))


# ------------------------------------------------------------------------------------------------------------------------- samples


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
    acceptance: Annotated[float, "share of all that was drawn that is within the constraints"]
    branches: Annotated[tuple[BranchDocument, ...], "within which they were drawn, of rules with several (either)"]
    total_mass: Annotated[SpreadDocument, Unit("kg")]
    links: tuple[LinkSpread, ...]

    @classmethod
    def of(cls, content: StageContent) -> Self:
        samples: PosteriorSamples = content.result
        return cls.fill(
            content,
            robot=samples.base.robot.name,
            count=len(samples),
            total_mass=SpreadDocument(mean=float(samples.total_mass.mean()), std=float(samples.total_mass.std())),
            links=samples.link_spreads,
        )
