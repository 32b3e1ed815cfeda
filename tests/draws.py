"""Arms that are in no library, and many draws of data of them: how large the errors of an estimate are beside its standard deviations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import dynident
from dynident.data import ControllerSamples, Dataset, EffortKind
from dynident.dynamics import inverse_dynamics
from dynident.dynamics.friction import linear
from dynident.motions.simulation import VirtualController, random_configurations
from dynident.regression import Estimate
from dynident.robots.formats.build import build_robot
from dynident.robots.formats.dh import read_dh
from dynident.robots.parameters import from_com
from dynident.robots.robot import Robot

_HALF = np.pi / 2
#: a, alpha, d of each row.
SEVEN_AXES = (
    (0.0, 0.0, 0.31),
    (0.0, -_HALF, 0.0),
    (0.045, _HALF, 0.36),
    (0.07, _HALF, 0.0),
    (-0.07, -_HALF, 0.41),
    (0.0, _HALF, 0.0),
    (0.092, _HALF, 0.03),
)
SIX_AXES = ((0.0, _HALF, 0.33), (0.42, 0.0, 0.02), (0.06, _HALF, 0.0), (0.0, -_HALF, 0.39), (0.0, _HALF, 0.0), (0.0, 0.0, 0.085))


@dataclass(frozen=True)
class Arm:
    """An arm without nominal parameters, and the truth apart from it. links : (n, 10); friction : (n, 3) fv, fc, fo."""

    robot: Robot
    links: np.ndarray
    friction: np.ndarray

    def coefficients(self, estimate: Estimate) -> np.ndarray:
        """(b,) the true ones."""
        base = estimate.base
        return base.coefficients(base.columns.join(self.links, self.friction if base.friction is not None else None))


def make_arm(name: str) -> Arm:
    """The arm `seven` (modified DH) or `six` (standard DH)."""
    convention, table, seed = {"seven": ("modified", SEVEN_AXES, 11), "six": ("standard", SIX_AXES, 12)}[name]
    rows = [
        f"  - {{name: {name}{i}, type: revolute, a: {a}, alpha: {alpha}, d: {d}, theta: 0, position: [-2.6, 2.6], "
        f"velocity: 2.5, acceleration: 10, effort: {120.0 / i**1.2:.4g}}}"
        for i, (a, alpha, d) in enumerate(table, start=1)
    ]
    robot = build_robot(read_dh(f"{name}.yaml", "\n".join([f"name: {name}", f"convention: {convention}", "joints:", *rows, ""])))
    rng, n = np.random.default_rng(seed), len(table)
    links = []
    for i in range(n):
        mass, size = 6.0 * 0.72**i * rng.uniform(0.8, 1.2), 0.2 * 0.85**i
        half = 0.4 * size * rng.normal(size=(3, 3))
        second = mass * half @ half.T / 3.0
        links.append(from_com(mass, 0.3 * size * rng.normal(size=3), np.trace(second) * np.eye(3) - second))
    friction = np.stack([np.linspace(2.0, 0.3, n), np.linspace(3.0, 0.4, n), np.linspace(0.3, -0.2, n)], axis=1)
    return Arm(robot, np.array(links), friction)


def draw_samples(arm: Arm, seed: int, *, samples: int, position_noise: float = 3e-4, digits: int | None = None) -> ControllerSamples:
    """M and g at random configurations, recorded with noise of the positions [rad]."""
    inside = VirtualController(arm.robot, arm.links, position_noise=position_noise, digits=digits, seed=10_000 + seed)
    return inside.sample(random_configurations(arm.robot, samples, seed=20_000 + seed))


def draw_log(arm: Arm, seed: int, *, duration: float = 40.0, rate: float = 500.0, scale: float = 1.0) -> Dataset:
    """A random Fourier motion: positions with noise of 3e-4 rad, velocities with 2e-4 rad/s, torques with 0.2 % of the limit.

    scale : of the true links, for an arm that is not as its controller believes.
    """
    robot, rng = arm.robot, np.random.default_rng([30_000, seed])
    time = np.arange(round(duration * rate)) / rate
    omega = 2.0 * np.pi * 0.1 * np.arange(1, 6)[:, None]
    amplitude, phase = rng.uniform(0.1, 0.45, (5, robot.n)), rng.uniform(0.0, 2.0 * np.pi, (5, robot.n))
    angle = time[:, None, None] * omega + phase
    q, dq = np.sum(amplitude * np.sin(angle), axis=1), np.sum(amplitude * omega * np.cos(angle), axis=1)
    ddq = -np.sum(amplitude * omega**2 * np.sin(angle), axis=1)
    fv, fc, fo = arm.friction.T
    effort = inverse_dynamics(robot, scale * arm.links, q, dq, ddq) + fv * dq + fc * np.sign(dq) + fo
    effort += 0.002 * robot.effort_limits * rng.normal(size=q.shape)
    return Dataset(
        time=time,
        q=q + 3e-4 * rng.normal(size=q.shape),
        dq=dq + 2e-4 * rng.normal(size=q.shape),
        effort=effort,
        effort_kind=EffortKind.TORQUE,
        joint_names=robot.joint_names,
        source="drawn",
    )


@dataclass(frozen=True)
class Scores:
    """Errors over standard deviations. z : (draws, b); names : (b,)."""

    z: np.ndarray
    names: tuple[str, ...]

    @property
    def pooled(self) -> float:
        """Root of the mean of all squares."""
        return float(np.sqrt(np.mean(self.z**2)))

    @property
    def largest(self) -> tuple[float, str]:
        """Of the coefficient with the largest root mean square over the draws, and its name."""
        each = np.sqrt(np.mean(self.z**2, axis=0))
        return float(each.max()), self.names[int(each.argmax())]


def score_draws(name: str, route: str, draws: int, *, seed: int, samples: int = 1010, duration: float = 40.0) -> Scores:
    """The study: so many draws of one arm, by the route `controller` (M and g) or `log`."""
    arm = make_arm(name)
    scores, names = [], ()
    for draw in range(seed, seed + draws):
        data = draw_samples(arm, draw, samples=samples) if route == "controller" else draw_log(arm, draw, duration=duration)
        found = dynident.identify(arm.robot, data, **({} if route == "controller" else {"friction": linear()}))
        scores.append((found.values - arm.coefficients(found)) / found.std)
        names = found.base.names
    return Scores(np.array(scores), names)
