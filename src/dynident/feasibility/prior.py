"""What chooses where neither data nor constraints do: nearness to nominal links, or to links as uniform as possible."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from dynident.core.arrays import Array
from dynident.core.records import Shape
from dynident.errors import require
from dynident.feasibility.constraints.convex import Bounds, TotalMass
from dynident.feasibility.constraints.terms import FeasibleSet
from dynident.feasibility.prior_mean import centre_for_mean
from dynident.parameters import consistency_margin, from_pseudo_inertia
from dynident.parameters.link_metric import Metric, link_metric, thicken
from dynident.robots.kinematics import length_unit
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
        Factor on the squared distance, beside φ. Where it is `fixed`, the prior is knowledge like the data, in units of their noise: one
        says that a link is known to about a factor of two. Else it only chooses among answers that are as good, and `build_retrieval` makes
        it as strong as it can be at next to no cost in φ.
    fixed : bool
        Whether the prior is knowledge, and not only a choice among equally good answers.
    toward
        What the nominal parameters are, for the note that reports the prior's cost.
    friction_std : (p - 10 n,) array or None
        Standard deviation of the friction parameters about zero; infinite where nothing is known.
    centres : (n, 10) array or None
        Where the distance is zero; the nominal links by default.
    root : (k, 10 n) array or None
        Rows whose squared length is the distance, weight included, in place of those of the metric.
    """

    nominal: Annotated[Array, Shape("n 10")]  #: (n, 10)
    metric: Metric = "entropic"
    weight: float = WEIGHT
    fixed: bool = False
    toward: str = "nominal parameters"
    friction_std: Annotated[Array, Shape("p-10n", finite=False, positive=True)] | None = None
    centres: Annotated[Array, Shape("n 10")] | None = None
    root: Annotated[Array, Shape("h 10n")] | None = None

    def rows(self, columns: int) -> tuple[Array, Array]:
        """A (rows, columns) and b (rows,) of the squared distance ‖A x - b‖², weight included."""
        metric = self._metric_rows() if self.root is None else self.root
        A = np.zeros((len(metric), columns))
        A[:, : self.nominal.size] = metric
        b = A[:, : self.nominal.size] @ (self.nominal if self.centres is None else self.centres).ravel()
        if self.friction_std is None:
            return A, b
        friction = np.zeros((len(self.friction_std), columns))
        friction[:, self.nominal.size :] = np.diag(1.0 / self.friction_std)
        return np.concatenate([A, friction]), np.append(b, np.zeros(len(friction)))

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

    def averaged(self) -> NominalPrior:
        """The same metric about centres for which consistent links, drawn from the prior alone, are the nominal ones on average.

        Their mode is then lighter. Of the entropic metric, without centres or rows of its own; other priors are returned as they are.
        """
        if self.metric != "entropic" or self.centres is not None or self.root is not None:
            return self
        thick = [from_pseudo_inertia((back := np.linalg.inv(to_com)) @ P @ back.T) for P, to_com in map(thicken, self.nominal)]
        return replace(self, centres=centre_for_mean(self.weight) * np.array(thick))


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
    found = np.array([_box(robot, i, constraints, boxes or {}) for i in range(robot.n)])
    volumes = np.prod(found[:, 1] - found[:, 0], axis=1)
    totals = [item for item in constraints.flattened if isinstance(item, TotalMass) and np.isfinite(item.low + item.high)]
    density = 0.5 * (totals[0].low + totals[0].high) / float(volumes.sum()) if totals else DENSITY
    nominal = uniform_bodies(found, density * volumes)
    return NominalPrior(nominal=nominal, toward=UNIFORM)


def _box(robot: Robot, i: int, constraints: FeasibleSet, boxes: Mapping[int, Array]) -> Array:
    if i in boxes:
        return _thick(boxes[i], robot)
    bounds = {item.name: item for item in constraints.flattened if isinstance(item, Bounds)}
    own = [bounds.get(f"c{i + 1}{axis}") for axis in "xyz"]
    limits = np.array([[item.low, item.high] for item in own if item is not None]).reshape(-1, 2)
    if len(limits) == 3 and np.all(np.isfinite(limits)):
        return _thick(limits.T, robot)
    return link_box(robot, i)


def _thick(box: Array, robot: Robot) -> Array:
    """A box with a volume, so that its pseudo-inertia is positive definite: on an ordinary arm at least a millimetre thick."""
    middle, half = box.mean(axis=0), np.maximum(0.5 * (box[1] - box[0]), 5e-4 * length_unit(robot))
    return np.array([middle - half, middle + half])
