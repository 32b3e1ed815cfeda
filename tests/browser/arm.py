"""A made-up arm of six joints, a log of it, and a run folder with every stage: what the report's tests and pictures show."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from dynident import regression
from dynident.data import Dataset, EffortKind
from dynident.dynamics import inverse_dynamics
from dynident.dynamics.friction import linear
from dynident.links import (
    FeasibleSet,
    PhysicalConsistency,
    TotalMass,
    build_retrieval,
    prior_to_robot,
    retrieval_problem,
    solve_retrieval,
    two_step,
)
from dynident.links.ranges import with_ranges
from dynident.regression import build_problem
from dynident.robots import Joint, JointType, Link, Robot
from dynident.robots.kinematics import translation
from dynident.robots.parameters import from_com
from dynident.routes.payload import Declared, identify_payload
from dynident.routes.signs import recover_signs
from dynident.runs import read_estimate, read_parameters, write_result
from dynident.validation import validate

#: Offset of each joint from the one before [m], direction of its axis, and its limits [rad].
CHAIN = (
    ((0.0, 0.0, 0.18), (0, 0, 1), (-2.8, 2.8)),
    ((0.0, 0.08, 0.12), (0, 1, 0), (-1.0, 1.9)),
    ((0.0, -0.06, 0.42), (0, 1, 0), (-0.2, 2.4)),
    ((0.0, 0.05, 0.38), (0, 1, 0), (-2.4, 0.6)),
    ((0.0, 0.06, 0.05), (0, 0, 1), (-2.8, 2.8)),
    ((0.0, 0.02, 0.10), (0, 1, 0), (-2.0, 2.0)),
)
#: Mass [kg], length along z [m] and radius [m] of the cylinder that each link is.
CYLINDERS = ((4.0, 0.20, 0.075), (6.5, 0.46, 0.065), (4.2, 0.40, 0.055), (1.6, 0.12, 0.050), (1.2, 0.12, 0.045), (0.6, 0.10, 0.040))


def arm() -> Robot:
    """The description: every link a cylinder along its z axis."""
    joints = tuple(
        Joint(
            name=f"joint_{i + 1}",
            type=JointType.REVOLUTE,
            parent=i - 1,
            placement=translation(xyz),
            axis=np.array(axis, float),
            position=limits,
        )
        for i, (xyz, axis, limits) in enumerate(CHAIN)
    )
    links = tuple(Link(name=f"link_{i + 1}", frame=f"joint frame {i + 1}", parameters=_cylinder(*size)) for i, size in enumerate(CYLINDERS))
    return Robot(name="six-axis arm", joints=joints, links=links, source="made up")


def _cylinder(mass: float, length: float, radius: float) -> np.ndarray:
    across = mass * (3.0 * radius**2 + length**2) / 12.0
    return from_com(mass, [0.0, 0.0, 0.45 * length], np.diag([across, across, 0.5 * mass * radius**2]))


def log(robot: Robot, *, seconds: float = 24.0, rate: float = 200.0, seed: int = 0, payload: float = 0.0) -> Dataset:
    """Sums of sines around the middle of the limits; links that differ from the description, friction, noisy torques. payload : [kg]."""
    rng = np.random.default_rng(seed)
    time = np.arange(0.0, seconds, 1.0 / rate)
    omega = 2.0 * np.pi * 0.25 * np.arange(1, 7)
    size = rng.uniform(0.15, 0.4, (robot.n, 6)) / np.sqrt(np.arange(1, 7))
    angle = time[:, None, None] * omega + rng.uniform(0.0, 2.0 * np.pi, (robot.n, 6))
    q = robot.position_limits.mean(axis=1) + np.sum(size * np.sin(angle), axis=2)
    dq, ddq = np.sum(size * omega * np.cos(angle), axis=2), -np.sum(size * omega**2 * np.sin(angle), axis=2)
    links = robot.parameters * np.array([1.0, 1.08, 0.92, 1.12, 0.95, 1.25])[:, None]
    links[-1] += from_com(payload, [0.0, 0.03, 0.1], 0.002 * payload * np.eye(3))
    fv, fc = rng.uniform(0.4, 1.6, robot.n), rng.uniform(0.3, 1.2, robot.n)
    effort = inverse_dynamics(robot, links, q, dq, ddq) + fv * dq + fc * np.tanh(dq / 0.03) + 0.1 * np.sin(5.0 * q)
    effort += rng.normal(0.0, 0.15, effort.shape)
    return Dataset(
        time=time, q=q, dq=dq, ddq=ddq, effort=effort, effort_kind=EffortKind.TORQUE, joint_names=robot.joint_names, source="log.npz"
    )


def identified(folder: Path, robot: Robot, data: Dataset, *, cutoff: float = 8.0) -> None:
    problem = build_problem(robot, data.part(0, 0.7), friction=linear(), cutoff=cutoff, rate=4.0 * cutoff)
    write_result(folder, regression.estimate(problem, drop_above_percent=30.0))


def signs_recovered(folder: Path, robot: Robot, data: Dataset) -> None:
    """As if the log of the identification had come without its signs."""
    unsigned = replace(data.part(0, 0.7), effort=np.abs(data.part(0, 0.7).effort), effort_kind=EffortKind.MAGNITUDE)
    write_result(folder, replace(recover_signs(robot, unsigned), estimate=read_estimate(folder)))


def retrieved(folder: Path) -> None:
    estimate = read_estimate(folder)
    nominal = estimate.base.robot.parameters[:, 0].sum()
    conditions = FeasibleSet((PhysicalConsistency(), TotalMass(0.9 * nominal, 1.15 * nominal)))
    prior = prior_to_robot(estimate.base.robot)
    write_result(folder, with_ranges(solve_retrieval(build_retrieval(estimate.base, two_step(estimate), conditions, prior=prior))))


def validated(folder: Path, data: Dataset) -> None:
    estimate = read_estimate(folder)
    links = read_parameters(folder) if (folder / "parameters.json").is_file() else None
    write_result(folder, validate(estimate, data.part(0.7, 1), links=links, folds=3))


def weighed(folder: Path, *, seconds: float) -> None:
    """Another log, in which the arm carries 1.5 kg, and its controller believes in 1.4 kg at another place."""
    loaded = log(arm(), seconds=seconds, seed=1, payload=1.5)
    write_result(folder, identify_payload(read_estimate(folder), loaded, declared=Declared(mass=1.4, com=(0.0, 0.0, 0.08))))


def complete_run(folder: Path, *, seconds: float = 24.0, unsigned: bool = False) -> Path:
    """A run folder with all stages. unsigned : as if the log had come without its signs."""
    robot = arm()
    data = log(robot, seconds=seconds)
    identified(folder, robot, data)
    if unsigned:
        signs_recovered(folder, robot, data)
    retrieved(folder)
    validated(folder, data)
    write_result(folder, solve_retrieval(retrieval_problem(read_estimate(folder))).sample(30))
    weighed(folder, seconds=seconds)
    return folder
