"""What chooses where neither data nor constraints do: nearness to nominal links, or to links as uniform as possible."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from dynident.core.arrays import Array
from dynident.feasibility.constraints.convex import Bounds, TotalMass
from dynident.feasibility.constraints.terms import FeasibleSet
from dynident.feasibility.prior_mean import centre_for_mean
from dynident.parameters import consistency_margin, from_com, from_pseudo_inertia, pseudo_inertia
from dynident.robots.kinematics import arm_reach, joint_points
from dynident.robots.robot import Robot

Metric: TypeAlias = Literal["euclidean", "entropic"]

#: What a prior goes toward where there are no nominal links.
UNIFORM = "uniform links"
#: Where the search for a prior's weight begins.
WEIGHT = 1e-8
#: A nominal link at the very edge of consistency (a rod, a plate) would hold its thin direction with infinite stiffness:
#: the metric is measured at a link that is thicker by this share of its mean second moment.
SOFTENING = 0.1
#: Around the line between a link's joints where nothing else tells its size: the half width of a slender arm, as a share of its reach,
#: and of a small one [m]. An arm of a tonne is no rod of 10 cm.
_SLENDER, _HALF_WIDTH = 0.04, 0.05
#: Where no total mass is given [kg/m³]: motors, gears and hollow castings weigh about as much as water.
_DENSITY = 1000.0


@dataclass(frozen=True, kw_only=True, eq=False)
class NominalPrior:
    """Among equally good answers, the one nearest to nominal parameters.

    metric : "euclidean" weighs every entry by its own size; "entropic" is the second-order form of the log-det divergence
        between pseudo-inertias, which doesn't depend on frames and units (Lee, Wensing, Park, T-RO 2020).
    weight : factor on the squared distance, beside φ. Where it is `fixed`, the prior is knowledge like the data, in units of their
        noise: one says that a link is known to about a factor of two. Else it only chooses among answers that are as good, and
        `build_retrieval` makes it as strong as it can be at next to no cost in φ.
    friction_std : (p - 10 n,) or None   Standard deviation of the friction parameters about zero; infinite where nothing is known.
    toward : what the nominal parameters are, for the note that reports the prior's cost.
    centres : (n, 10) or None   Where the distance is zero; the nominal links by default.
    """

    nominal: Array  #: (n, 10)
    metric: Metric = "entropic"
    weight: float = WEIGHT
    fixed: bool = False
    toward: str = "nominal parameters"
    friction_std: Array | None = None
    centres: Array | None = None

    def rows(self, columns: int) -> tuple[Array, Array]:
        """A (rows, columns) and b (rows,) of the squared distance ‖A x - b‖², weight included."""
        blocks = [link_metric(link, self.metric) for link in self.nominal]
        height = sum(len(block) for block in blocks)
        A = np.zeros((height, columns))
        line = 0
        for i, block in enumerate(blocks):
            A[line : line + len(block), 10 * i : 10 * i + 10] = block
            line += len(block)
        A *= np.sqrt(self.weight)
        b = A[:, : self.nominal.size] @ (self.nominal if self.centres is None else self.centres).ravel()
        if self.friction_std is None:
            return A, b
        friction = np.zeros((len(self.friction_std), columns))
        friction[:, self.nominal.size :] = np.diag(1.0 / self.friction_std)
        return np.concatenate([A, friction]), np.append(b, np.zeros(len(friction)))

    def averaged(self) -> NominalPrior:
        """The same metric about centres for which consistent links, drawn from the prior alone, are the nominal ones on average.

        Their mode is then lighter. Of the entropic metric, and where no centres were given; other priors are returned as they are.
        """
        if self.metric != "entropic" or self.centres is not None:
            return self
        thick = [from_pseudo_inertia((back := np.linalg.inv(to_com)) @ P @ back.T) for P, to_com in map(_thicken, self.nominal)]
        return replace(self, centres=centre_for_mean(self.weight) * np.array(thick))


def weight_of(factor: float) -> float:
    """The weight that says that links are known to about this factor: scaling a link by e^σ costs 2 σ², which is one for about two."""
    return float((np.log(2.0) / np.log(factor)) ** 2)


def factor_of(weight: float) -> float:
    """The factor to which a prior of this weight says that links are known."""
    return float(np.exp(np.log(2.0) / np.sqrt(weight)))


def link_metric(link: Array, metric: Metric) -> Array:
    """(k, 10) rows whose squared length is the distance of a small change of a link's parameters, measured at `link`."""
    if metric == "euclidean":
        size = max(float(np.sqrt(np.trace(pseudo_inertia(link)[:3, :3]) / max(link[0], 1e-6))), 1e-2)
        scale = max(link[0], 1e-3) * np.array([1.0, *[size] * 3, *[size**2] * 6])
        return np.diag(1.0 / scale)
    # ½ ‖P0^-½ dP P0^-½‖_F²: the Hessian of the divergence at the nominal pseudo-inertia P0, taken about the centre of mass
    P, to_com = _thicken(link)
    values, vectors = np.linalg.eigh(P)
    root = to_com.T @ (vectors / np.sqrt(values))
    half = np.einsum("ka,pkl,lb->pab", root, pseudo_inertia(np.eye(10)), root).reshape(10, 16)
    return half.T / np.sqrt(2.0)


def _thicken(link: Array) -> tuple[Array, Array]:
    """(4, 4) the pseudo-inertia at which the metric is measured, about the centre of mass, and the (4, 4) that goes there."""
    to_com = np.eye(4)
    to_com[:3, 3] = -link[1:4] / link[0]
    P = to_com @ pseudo_inertia(link) @ to_com.T
    P[:3, :3] += SOFTENING * np.trace(P[:3, :3]) / 3.0 * np.eye(3)
    return P, to_com


def prior_to_robot(robot: Robot) -> NominalPrior | None:
    """The prior toward a robot's own nominal parameters; None when it has none or they are not consistent."""
    if robot.parameters is None or np.any(consistency_margin(robot.parameters) <= 0.0):
        return None
    return NominalPrior(nominal=robot.parameters)


def mend_nominal(robot: Robot, uniform: NominalPrior) -> tuple[NominalPrior, tuple[str, ...]]:
    """The prior toward the robot's own links, with a uniform body of the same mass for each that no body can be; and which those are."""
    assert robot.parameters is not None  # noqa: S101 (there would be nothing to mend)
    nominal, mended = robot.parameters.copy(), list[str]()
    for i, name in enumerate(robot.link_names):
        if consistency_margin(nominal[i]) <= 0.0:
            body = uniform.nominal[i]
            nominal[i] = body * (nominal[i, 0] / body[0] if nominal[i, 0] > 0.0 else 1.0)
            mended.append(name)
    return NominalPrior(nominal=nominal), tuple(mended)


def uniform_prior(robot: Robot, constraints: FeasibleSet, *, boxes: Mapping[int, Array] | None = None) -> NominalPrior:
    """The prior toward homogeneous boxes.

    boxes : (2, 3) [m] by link number from 0, where the shapes are known. Else the bounds on the centre of mass are the box,
        and without those the span between the link's joints, wider on every side by 4 % of the arm's reach, at least 5 cm.
    The masses share the middle of the total mass in proportion to the volumes; without one, the density is that of water.
    """
    found = np.array([_box(robot, i, constraints, boxes or {}) for i in range(robot.n)])
    volumes = np.prod(found[:, 1] - found[:, 0], axis=1)
    totals = [item for item in constraints.flattened if isinstance(item, TotalMass) and np.isfinite(item.low + item.high)]
    density = 0.5 * (totals[0].low + totals[0].high) / float(volumes.sum()) if totals else _DENSITY
    nominal = uniform_bodies(found, density * volumes)
    return NominalPrior(nominal=nominal, toward=UNIFORM)


def uniform_bodies(boxes: Array, masses: Array) -> Array:
    """(n, 10) links "as uniform as possible": homogeneous boxes (n, 2, 3) [m] of the given masses (n,) [kg]."""
    low, high = boxes[:, 0], boxes[:, 1]
    sides = high - low
    squares = sides**2
    inertia = np.zeros((len(boxes), 3, 3))
    for k in range(3):
        inertia[:, k, k] = masses / 12.0 * (squares.sum(axis=1) - squares[:, k])
    return from_com(masses, 0.5 * (low + high), inertia)


def _box(robot: Robot, i: int, constraints: FeasibleSet, boxes: Mapping[int, Array]) -> Array:
    if i in boxes:
        return _thick(boxes[i])
    bounds = {item.name: item for item in constraints.flattened if isinstance(item, Bounds)}
    own = [bounds.get(f"c{i + 1}{axis}") for axis in "xyz"]
    limits = np.array([[item.low, item.high] for item in own if item is not None]).reshape(-1, 2)
    if len(limits) == 3 and np.all(np.isfinite(limits)):
        return _thick(limits.T)
    low, high = link_span(robot, i)
    half_width = max(_HALF_WIDTH, _SLENDER * arm_reach(robot))
    return np.array([low - half_width, high + half_width])


def link_span(robot: Robot, i: int) -> tuple[Array, Array]:
    """The corners (3,) and (3,) of the box around a link's own joint, those that it carries and the tool, in the link's frame [m]."""
    start, ends = joint_points(robot, i)
    points = [start, *ends]
    return np.min(points, axis=0), np.max(points, axis=0)


def _thick(box: Array) -> Array:
    """A box with a volume, so that its pseudo-inertia is positive definite: at least a millimetre thick."""
    middle, half = box.mean(axis=0), np.maximum(0.5 * (box[1] - box[0]), 5e-4)
    return np.array([middle - half, middle + half])
