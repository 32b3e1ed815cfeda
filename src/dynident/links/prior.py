"""What chooses where neither data nor constraints do: nearness to nominal links, or to links as uniform as possible."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from dynident.core.arrays import Array
from dynident.core.records import Shape
from dynident.errors import require
from dynident.links.constraints.convex import Bounds, TotalMass
from dynident.links.constraints.terms import FeasibleSet
from dynident.links.interior.newton import Cone
from dynident.robots.kinematics import length_unit
from dynident.robots.parameters import consistency_margin, from_pseudo_inertia, pseudo_inertia
from dynident.robots.parameters.link_metric import Metric, factor_of, link_metric, round_out
from dynident.robots.robot import Robot
from dynident.robots.uniform_links import DENSITY, link_box, mend_links, uniform_bodies

#: What a prior goes toward where there are no nominal links.
UNIFORM = "uniform links"
#: Where the search for a prior's weight begins.
WEIGHT = 1e-8


@dataclass(frozen=True, kw_only=True, eq=False)
class NominalPrior:
    """Among equally good answers, the one nearest to nominal parameters.

    Attributes
    ----------
    nominal : (n, 10) array
        Linear parameters of the links that the prior goes toward.
    metric
        "euclidean" weighs every entry by its own size; "entropic" is the second-order form of the log-det divergence between
        pseudo-inertias, which doesn't depend on frames and units (Lee, Wensing, Park, T-RO 2020).
    weight
        Factor on the squared distance, beside φ. Where it is `fixed`, the prior is knowledge like the data, in units of their noise. Else
        it only chooses among answers that are as good, and `build_retrieval` makes it as strong as it can be at next to no cost in φ.
    wishart : bool
        Whether the divergence itself is meant and not its second-order form: the links have a Wishart distribution whose degrees of freedom
        are the weight, about links that are no rods (`round_out`; `dynident.links.posterior`).
    fixed : bool
        Whether the prior is knowledge, and not only a choice among equally good answers.
    toward
        What the nominal parameters are, for the note that reports the prior's cost.
    friction_std : (p - 10 n,) array or None
        Standard deviation of the friction parameters about zero; infinite where nothing is known.
    root : (k, 10 n) array or None
        Rows whose squared length is the distance, weight included, in place of those of the metric.
    """

    nominal: Annotated[Array, Shape("n 10")]  #: (n, 10)
    metric: Metric = "entropic"
    weight: float = WEIGHT
    fixed: bool = False
    wishart: bool = False
    toward: str = "nominal parameters"
    friction_std: Annotated[Array, Shape("p-10n", finite=False, positive=True)] | None = None
    root: Annotated[Array, Shape("h 10n")] | None = None

    @property
    def knowledge(self) -> str:
        """How well known the links are, in words; empty where the rows of the prior are its own."""
        if self.wishart:
            return f", the mass of each known to about a factor of {np.exp(np.sqrt(2.0 / self.weight)):.3g}"
        return "" if self.root is not None else f" are known to about a factor of {factor_of(self.weight):.2g}"

    @property
    def mean(self) -> Array:
        """(n, 10) the links themselves; of the Wishart distribution, with a thickness (`round_out`)."""
        if not self.wishart:
            return self.nominal
        return np.array([from_pseudo_inertia((back := np.linalg.inv(to_com)) @ P @ back.T) for P, to_com in map(round_out, self.nominal)])

    def bodies(self, columns: int) -> Cone:
        """x -> (n, 4, 4) L⁻¹ P L⁻ᵀ of every link, the identity at the links of the Wishart distribution."""
        tensor = np.zeros((len(self.nominal), 4, 4, columns))
        for i, link in enumerate(self.nominal):
            P, to_com = round_out(link)  # P has kg beside kg·m²: Cholesky's factor rounds alike whatever the units
            root = np.linalg.inv(np.linalg.cholesky(P)) @ to_com
            tensor[i, :, :, 10 * i : 10 * i + 10] = np.einsum("ab,kbc,dc->adk", root, pseudo_inertia(np.eye(10)), root)
        return Cone(constant=np.zeros((len(tensor), 4, 4)), tensor=tensor)

    def rows(self, columns: int) -> tuple[Array, Array]:
        """A (rows, columns) and b (rows,) of the squared distance ‖A x - b‖², weight included; the second-order form of a divergence."""
        metric = self._metric_rows() if self.root is None else self.root
        A = np.zeros((len(metric), columns))
        A[:, : self.nominal.size] = metric
        b = A[:, : self.nominal.size] @ self.mean.ravel()
        known, zeros = self._friction_rows(columns)
        return np.concatenate([A, known]), np.append(b, zeros)

    def normal_rows(self, columns: int) -> tuple[Array, Array]:
        """The same of what has a normal distribution: without the links where these have a Wishart distribution."""
        return self._friction_rows(columns) if self.wishart else self.rows(columns)

    def _friction_rows(self, columns: int) -> tuple[Array, Array]:
        if self.friction_std is None:
            return np.zeros((0, columns)), np.zeros(0)
        friction = np.zeros((len(self.friction_std), columns))
        friction[:, self.nominal.size :] = np.diag(1.0 / self.friction_std)
        return friction, np.zeros(len(friction))

    def _metric_rows(self) -> Array:
        inertia, heaviest = float(self.nominal[:, (4, 7, 9)].max()), float(self.nominal[:, 0].max())
        size = (heaviest, float(np.sqrt(inertia / heaviest))) if heaviest > 0.0 and inertia > 0.0 else (1.0, 1.0)
        blocks = [link_metric(link, self.metric, robot=size) for link in self.nominal]
        A = np.zeros((sum(len(block) for block in blocks), self.nominal.size))
        line = 0
        for i, block in enumerate(blocks):
            A[line : line + len(block), 10 * i : 10 * i + 10] = block
            line += len(block)
        return np.sqrt(self.weight) * A


def prior_to_robot(robot: Robot) -> NominalPrior | None:
    """The prior toward a robot's own nominal parameters.

    Parameters
    ----------
    robot
        The robot.

    Returns
    -------
    NominalPrior or None
        None where it has none, or they are not consistent.
    """
    if robot.parameters is None or np.any(consistency_margin(robot.parameters) <= 0.0):
        return None
    return NominalPrior(nominal=robot.parameters)


def mend_nominal(robot: Robot, uniform: NominalPrior) -> tuple[NominalPrior, tuple[str, ...]]:
    """The prior toward the robot's own links, with a uniform body of the same mass for each that no body can be; and which those are."""
    nominal, mended = mend_links(require(robot.parameters, "the nominal inertia of the links"), uniform.nominal)
    return NominalPrior(nominal=nominal), tuple(robot.link_names[i] for i in mended)


def uniform_prior(robot: Robot, constraints: FeasibleSet, *, boxes: Mapping[int, Array] | None = None) -> NominalPrior:
    """The prior toward homogeneous boxes.

    Parameters
    ----------
    robot
        The robot.
    constraints
        Whose bounds on centres of mass and total mass say what the boxes are.
    boxes : (2, 3) array
        [m] by link number from 0, where the shapes are known. Else the bounds on the centre of mass are the box, and without those the span
        between the link's joints, wider on every side (`link_box`).

    Returns
    -------
    NominalPrior
        For `build_retrieval`.

    Notes
    -----
    The masses share the middle of the total mass in proportion to the volumes; without one, the density is that of water.
    """
    extents = np.array([_box(robot, i, constraints, boxes or {}) for i in range(robot.n)])
    volumes = np.prod(extents[:, 1] - extents[:, 0], axis=1)
    totals = [item for item in constraints.flattened if isinstance(item, TotalMass) and np.isfinite(item.low + item.high)]
    density = 0.5 * (totals[0].low + totals[0].high) / float(volumes.sum()) if totals else DENSITY
    nominal = uniform_bodies(extents, density * volumes)
    return NominalPrior(nominal=nominal, toward=UNIFORM)


def _box(robot: Robot, i: int, constraints: FeasibleSet, boxes: Mapping[int, Array]) -> Array:
    if i in boxes:
        return _thick(boxes[i], robot)
    bounds = {item.name: item for item in constraints.flattened if isinstance(item, Bounds)}
    centre_bounds = [bounds.get(f"c{i + 1}{axis}") for axis in "xyz"]
    limits = np.array([[item.low, item.high] for item in centre_bounds if item is not None]).reshape(-1, 2)
    if len(limits) == 3 and np.all(np.isfinite(limits)):
        return _thick(limits.T, robot)
    return link_box(robot, i)


def _thick(box: Array, robot: Robot) -> Array:
    """A box with a volume, so that its pseudo-inertia is positive definite: on an ordinary arm at least a millimetre thick."""
    middle, half = box.mean(axis=0), np.maximum(0.5 * (box[1] - box[0]), 5e-4 * length_unit(robot))
    return np.array([middle - half, middle + half])
