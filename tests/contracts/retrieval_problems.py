"""Small retrieval problems that every solver must solve; each is its constraints around a robot of the library."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dynident import load_robot
from dynident.feasibility import (
    Bounds,
    ComInCylinder,
    ComInEllipsoid,
    Constraint,
    Equal,
    FeasibleSet,
    Known,
    Objective,
    PhysicalConsistency,
    RetrievalProblem,
    Symmetric,
    TotalMass,
    build_retrieval,
)
from dynident.regression import base_parameters


def problem(robot_name: str, *constraints: Constraint, noise: float = 0.02, seed: int = 0) -> RetrievalProblem:
    """Coefficients of the nominal parameters with an error that no consistent robot explains, and constraints."""
    robot = load_robot(robot_name)
    base = base_parameters(robot)
    assert robot.parameters is not None
    truth = base.grouping @ robot.parameters.ravel()
    error = noise * np.random.default_rng(seed).normal(size=base.rank)
    objective = Objective(name="distance to noisy coefficients", A=base.grouping, b=truth + error)
    return build_retrieval(base, objective, FeasibleSet(constraints))


def _boxes(links: int, half: float = 0.6) -> list[Constraint]:
    masses = [Bounds(f"m{i}", 0.0, 10.0) for i in range(1, links + 1)]
    return [*masses, *(Bounds(f"c{i}{axis}", -half, half) for i in range(1, links + 1) for axis in "xyz")]


#: What is asked, beside consistency and boxes, of each problem.
CONVEX: dict[str, Callable[[], tuple[str, list[Constraint]]]] = {
    "pendulum": lambda: ("pendulum_1r", [*_boxes(1)]),
    "pendulum, known mass": lambda: ("pendulum_1r", [Known("m1", 5.0), Known("c1y", 0.0)]),
    "planar, total mass": lambda: ("planar_2r", [*_boxes(2), TotalMass(6.0, 6.5)]),
    "planar, equal and symmetric": lambda: ("planar_2r", [*_boxes(2), Equal("m1", "m2"), Symmetric(1, "xy")]),
    "spatial, sphere": lambda: ("spatial_3r", [*_boxes(3), ComInEllipsoid.sphere(2, [0.2, 0.0, 0.0], 0.05)]),
    "spatial, cylinder": lambda: ("spatial_3r", [*_boxes(3), ComInCylinder(3, [0.0, 0.0, 0.0], [0.3, 0.0, 0.0], 0.04)]),
}
NONCONVEX: dict[str, Callable[[], tuple[str, list[Constraint]]]] = {
    "planar, barycentric": lambda: ("planar_2r", [*_boxes(2), Bounds("I1zz", 0.01, 0.06), Bounds("I2zz", 0.0, 0.05), Bounds("I2xy", -0.01, 0.01)]),
}


def make(name: str, *, reverse: bool = False, extra: tuple[Constraint, ...] = ()) -> RetrievalProblem:
    robot, constraints = {**CONVEX, **NONCONVEX}[name]()
    constraints = [PhysicalConsistency(), *constraints, *extra]
    return problem(robot, *(reversed(constraints) if reverse else constraints))
