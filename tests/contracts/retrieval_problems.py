"""Small retrieval problems that every solver must solve; each is its constraints around a robot of the library."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from dynident import load_robot
from dynident.data import load_controller_samples
from dynident.links import (
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
    two_step,
)
from dynident.regression import base_parameters, identify


def problem(robot_name: str, *constraints: Constraint, noise: float = 0.02, seed: int = 0) -> RetrievalProblem:
    """Coefficients of the nominal parameters with an error that no consistent robot explains, and constraints."""
    robot = load_robot(robot_name)
    base = base_parameters(robot)
    assert robot.parameters is not None
    truth = base.grouping @ robot.parameters.ravel()
    error = noise * np.random.default_rng(seed).normal(size=base.rank)
    objective = Objective(name="distance to noisy coefficients", A=base.grouping, b=truth + error)
    return build_retrieval(base, objective, FeasibleSet(constraints))


def _boxes(links: int, *, half: float, heaviest: float = 10.0) -> list[Constraint]:
    masses = [Bounds(f"m{i}", 0.0, heaviest) for i in range(1, links + 1)]
    return [*masses, *(Bounds(f"c{i}{axis}", -half, half) for i in range(1, links + 1) for axis in "xyz")]


#: What is asked, beside consistency, of each problem; tight enough that no optimum is zero.
CONVEX: dict[str, Callable[[], tuple[str, list[Constraint]]]] = {
    "pendulum": lambda: ("pendulum_1r", _boxes(1, half=0.45, heaviest=5.0)),
    "pendulum, known mass": lambda: ("pendulum_1r", [Known("m1", 5.0), Known("c1y", 0.0)]),
    "planar, total mass": lambda: ("planar_2r", [*_boxes(2, half=0.22), TotalMass(6.0, 6.5)]),
    "planar, equal and symmetric": lambda: (
        "planar_2r",
        [*_boxes(2, half=0.2), TotalMass(5.0, 7.0), Equal("m1", "m2"), Symmetric(1, "xz")],
    ),
    "spatial, sphere": lambda: ("spatial_3r", [*_boxes(3, half=0.6), ComInEllipsoid.sphere(2, [0.2, 0.0, 0.0], 0.05)]),
    "spatial, cylinder": lambda: ("spatial_3r", [*_boxes(3, half=0.6), ComInCylinder(3, [0.0, 0.0, 0.0], [0.3, 0.0, 0.0], 0.04)]),
}
NONCONVEX: dict[str, Callable[[], tuple[str, list[Constraint]]]] = {
    "planar, barycentric": lambda: (
        "planar_2r",
        [
            *_boxes(2, half=0.25, heaviest=4.0),
            Bounds("m2", high=3.0),
            Bounds("I1zz", 0.01, 0.06),
            Bounds("I2zz", 0.0, 0.05),
            Bounds("I2xy", -0.01, 0.01),
        ],
    ),
}


def panda(shared_data: Path, *, inertias: bool = False) -> RetrievalProblem:
    """The retrieval of the Panda paper: 41 coefficients, the published bounds, 16 to 20 kg; optimum 3.7262e-4.

    inertias : with the bounds on barycentric inertias too, which are not convex.
    """
    folder = shared_data / "panda_gaz2019"
    samples = load_controller_samples(folder / "derived_M_g_1010.npz")
    estimate = identify(load_robot("panda"), samples, noise="uniform")
    constraints: list[Constraint] = [PhysicalConsistency(), TotalMass(16.0, 20.0)]
    for line in (folder / "bounds.csv").read_text(encoding="utf-8").splitlines()[1:]:
        name, low, high = line.split(",")
        if inertias or not name.startswith("I"):
            constraints.append(Bounds(name, float(low), float(high)))
    return build_retrieval(estimate.base, two_step(estimate, weights="none", drop=(8, 24)), FeasibleSet(tuple(constraints)))


def make(name: str, *, reverse: bool = False, extra: tuple[Constraint, ...] = ()) -> RetrievalProblem:
    robot, constraints = {**CONVEX, **NONCONVEX}[name]()
    constraints = [PhysicalConsistency(), *constraints, *extra]
    return problem(robot, *(reversed(constraints) if reverse else constraints))
