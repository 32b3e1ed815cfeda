"""Logs of |torque| whose signs are known: the cases of the study `signs` and of its tests.

A log has stamps, positions with noise of 1e-4 rad at 100 Hz, and the magnitude of noisy torques; velocities, accelerations and filters
are left to whoever reads it, as a user would.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks import virtual_arms
from benchmarks.virtual_arms import POSITION_NOISE, RATE, URDF, fourier_motion
from dynident import Robot, load_robot
from dynident.data import Dataset, EffortKind
from dynident.dynamics import inverse_dynamics
from dynident.dynamics.friction import FrictionModel, linear
from dynident.motions.simulation import Noise, Sensors, simulate
from dynident.motions.trajectories.fourier import FourierTrajectory
from dynident.regression import base_parameters

ARMS: dict[str, str | Path] = {
    "1r": "pendulum_1r",
    "3r": "spatial_3r",
    "panda": "panda",
    "kuka": "kuka_lwr4",
    **URDF,
}
SECONDS = 20.0
#: Frequency of the first of five harmonics, that of the report [Hz].
BASE = 0.05
#: Samples whose true torque is within so many standard deviations of zero have no sign that anybody could tell.
CLEAR = 3.0


@dataclass(frozen=True, kw_only=True, eq=False)
class Case:
    """A log and what is behind it.

    described : Robot    What the user has: no inertias.
    signed : Dataset     The log as the sensors saw it, for the oracle.
    torque : (N, n)      Without noise [N·m].
    noise : (n,)         Standard deviation of the torque noise [N·m].
    friction             The model that the user gives, which need not be the right one.
    coefficients : (b,)  The true ones, where the friction model is the right one.
    """

    name: str
    described: Robot
    signed: Dataset
    torque: np.ndarray
    noise: np.ndarray
    friction: FrictionModel | None
    coefficients: np.ndarray

    @property
    def log(self) -> Dataset:
        assert self.signed.effort is not None
        return replace(self.signed, effort=np.abs(self.signed.effort), effort_kind=EffortKind.MAGNITUDE)


@cache
def arm(name: str) -> Robot:
    """The true robot, with links that can exist."""
    if name in ("1r", "3r"):
        return load_robot(ARMS[name])
    robot = virtual_arms.model("kuka_lwr4" if name == "kuka" else "panda") if name in ("kuka", "panda") else load_robot(ARMS[name])
    assert robot.parameters is not None
    return robot


def make_case(
    name: str,
    seed: int,
    *,
    friction: bool = True,
    noise: float = 0.02,
    trajectories: int = 5,
    seconds: float = SECONDS,
    base: float = BASE,
    fastest: float = 1.5,
    modelled: bool = True,
) -> Case:
    """A case drawn by a seed. noise : standard deviation of the torque noise, as a share of the range (largest minus smallest torque).

    modelled : False leaves the friction out of the model that the user gives.
    """
    robot, rng = arm(name), np.random.default_rng([seed, sum(map(ord, name))])
    n = robot.n
    limits = robot.position_limits
    low, high = np.maximum(limits[:, 0], -2.0), np.minimum(limits[:, 1], 2.0)
    centre, reach = 0.5 * (low + high), 0.45 * (high - low)
    size = np.sqrt(np.mean(_rigid(robot, centre, reach, base, fastest, np.random.default_rng(0)) ** 2, axis=0))
    law = np.zeros((n, 3))
    if friction:
        law = np.column_stack([size * rng.uniform(0.05, 0.3, n), size * rng.uniform(0.05, 0.4, n), size * rng.uniform(-0.05, 0.05, n)])
    pieces: list[tuple[np.ndarray, ...]] = []
    for _ in range(trajectories):
        time = np.arange(round(RATE * seconds)) / RATE
        around = centre + reach * rng.uniform(-0.2, 0.2, n)
        q, dq, ddq = fourier_motion(time, base, fastest, around, 0.8 * reach, rng)
        torque = inverse_dynamics(robot, robot.parameters, q, dq, ddq) + law[:, 0] * dq + law[:, 1] * np.sign(dq) + law[:, 2]
        pieces.append((time, q, torque))
    time, q, torque = (np.concatenate(parts) for parts in zip(*pieces, strict=True))
    level = noise * np.ptp(torque, axis=0)
    signed = Dataset(
        time=time,
        q=q + POSITION_NOISE * rng.normal(size=q.shape),
        effort=torque + level * rng.normal(size=q.shape),
        effort_kind=EffortKind.TORQUE,
        joint_names=robot.joint_names,
        starts=tuple(k * len(time) // trajectories for k in range(trajectories)),
        source=f"virtual {name}, seed {seed}",
    )
    model = linear() if friction and modelled else None
    base_of = base_parameters(robot, friction=model)
    standard = np.concatenate([np.ravel(robot.parameters), np.ravel(law) if model is not None else np.zeros(0)])
    return Case(
        name=name,
        described=without_links(robot),
        signed=signed,
        torque=torque,
        noise=level,
        friction=model,
        coefficients=base_of.coefficients(standard),
    )


def make_rough_case(name: str, seed: int) -> Case:
    """An arm whose drives are none that a model of linear friction knows: ripple, Stribeck's effect, elastic joints, a tilted base."""
    rng = np.random.default_rng([seed, 77])
    drawn = virtual_arms.draw_arm(name, virtual_arms.ERRORS, rng)
    signed, _ = virtual_arms.record_pair(drawn, "usual", rng)
    assert signed.effort is not None
    return Case(
        name=name,
        described=drawn.described,
        signed=signed,
        torque=signed.effort,
        noise=drawn.noise,
        friction=linear(),
        coefficients=np.zeros(0),
    )


def servo_case(name: str, seed: int) -> Case:
    """The report's experiment on MuJoCo: five periods of a random Fourier series that a servo follows, of which the middle three count."""
    robot, rng = arm(name), np.random.default_rng([seed, 5])
    a, b = rng.uniform(-0.5, 0.5, (2, robot.n, 5))
    q0 = np.zeros(1) if name == "1r" else np.array([0.0, -0.5 * np.pi, 0.0])
    series = FourierTrajectory(joints=robot.joint_names, base_frequency=BASE, a=a, b=b, q0=q0, duration=5.0 / BASE)
    time = np.arange(round(1000.0 * series.duration)) / 1000.0
    motion = series.sample(time)
    wanted = Dataset(time=time, q=motion.q, dq=motion.dq, ddq=motion.ddq, joint_names=robot.joint_names)
    sensors = Sensors(position=Noise(white=POSITION_NOISE))
    log = simulate(robot, wanted, rate=RATE, noise=sensors, check_limits=False).log.part(0.2, 0.8)
    assert log.effort is not None
    return Case(
        name=name,
        described=without_links(robot),
        signed=replace(log, dq=None),
        torque=log.effort,
        noise=np.zeros(robot.n),
        friction=None,
        coefficients=base_parameters(robot).coefficients(np.ravel(robot.parameters)),
    )


def without_links(robot: Robot) -> Robot:
    """The same kinematics, and nothing about the links."""
    return replace(robot, links=tuple(replace(link, parameters=None, pieces=()) for link in robot.links))


def _rigid(robot: Robot, centre: np.ndarray, reach: np.ndarray, base: float, fastest: float, rng: np.random.Generator) -> np.ndarray:
    """Torques of an ordinary motion, for the size of the friction."""
    q, dq, ddq = fourier_motion(np.arange(2000) / RATE, base, fastest, centre, 0.8 * reach, rng)
    return inverse_dynamics(robot, robot.parameters, q, dq, ddq)


@dataclass(frozen=True, kw_only=True)
class Score:
    """How right recovered signs are, of the samples that are clearly not zero: in all, and in the worst joint [%]."""

    percent: float
    worst_percent: float

    @property
    def success(self) -> bool:
        return self.percent >= 99.8 and self.worst_percent >= 99.0


def score(case: Case, signs: np.ndarray) -> Score:
    """signs : (N, n) ±1 of every sample of the log."""
    clear = np.abs(case.torque) > np.maximum(CLEAR * case.noise, 0.01 * np.sqrt(np.mean(case.torque**2, axis=0)))
    right = signs * np.sign(case.torque) > 0
    shares = [100.0 * float(right[clear[:, j], j].mean()) for j in range(case.torque.shape[1]) if clear[:, j].any()]
    return Score(percent=100.0 * float(right[clear].mean()), worst_percent=min(shares))
