"""Arms that a test makes: a description without inertias as a DH file or a URDF, and logs of its motion with friction, rotors and noise."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from benchmarks.virtual_arms import fourier_motion, perturb_links
from dynident import Robot, load_robot
from dynident.data import Dataset, EffortKind
from dynident.dynamics import inverse_dynamics
from dynident.links import FeasibleSet, uniform_prior

#: a, alpha in quarter turns, d of every joint [m].
DH = {
    "elbow": ((0.1, 1, 0.4), (0.6, 0, 0.0), (0.1, 1, 0.0), (0.0, -1, 0.6), (0.0, 1, 0.0), (0.0, 0, 0.1)),
    "offset_wrist": ((0.0, 1, 0.15), (-0.5, 0, 0.0), (-0.45, 0, 0.0), (0.0, 1, 0.13), (0.0, -1, 0.1), (0.0, 0, 0.08)),
    "anthropomorphic": ((0.0, 1, 0.3), (0.4, 0, 0.0), (0.3, 0, 0.0)),
    "pendulum": ((0.5, 0, 0.0),),
}
#: Origin [m] and axis of every joint of the URDF.
URDF = (((0, 0, 0.29), "z"), ((0.05, 0, 0), "y"), ((0, 0, 0.27), "y"), ((0.1, 0, 0.07), "x"), ((0.2, 0, 0), "y"), ((0.07, 0, 0), "x"))
NAMES = ("elbow", "offset_wrist", "small_urdf")
#: Standard deviations of the recorded positions [rad], and of the torques as a share of their limit.
POSITION_NOISE, TORQUE_NOISE = 1e-4, 2e-3


@dataclass(frozen=True, kw_only=True, eq=False)
class GearedArm:
    """file : its description. signed : (N, n) log with signs. torque, noise : (N, n) without noise, and (n,) its deviation [N·m]."""

    file: Path
    robot: Robot
    signed: Dataset
    torque: np.ndarray
    noise: np.ndarray

    @property
    def log(self) -> Dataset:
        """What a controller without signs records: nothing in it says that they are missing."""
        return replace(self.signed, effort=np.abs(self.signed.effort))

    def percent_right(self, signs: np.ndarray) -> float:
        """Of the samples that are above three times the noise. signs : (N, n)."""
        clear = np.abs(self.torque) > 3.0 * self.noise
        return 100.0 * float(np.mean((signs * self.torque > 0.0)[clear]))


def make_arm(
    name: str, folder: Path, *, seed: int = 1, rotors: bool = True, seconds: float = 30.0, rate: float = 250.0, motion: int = 0
) -> GearedArm:
    """An arm whose links, friction and rotors follow from the seed; motion : number of the random motion that it is recorded on."""
    file = folder / (f"{name}.urdf" if name == "small_urdf" else f"{name}.yaml")
    file.write_text(_urdf() if name == "small_urdf" else _dh(name))
    robot, rng = load_robot(file), np.random.default_rng([seed, len(name)])
    n = robot.n
    size = np.linspace(1.0, 0.25, n)  # drives get smaller along the arm
    links = perturb_links(2.0 * uniform_prior(robot, FeasibleSet(())).nominal, rng)
    inertia = 1.5 * size**2 * rng.uniform(0.4, 1.5, n) * rotors
    viscous, coulomb, offset = size * rng.uniform([[2.0], [1.5], [-0.4]], [[5.0], [5.0], [0.4]], (3, n))
    rng = np.random.default_rng([seed, len(name), motion])
    time = np.arange(round(seconds * rate)) / rate
    q, dq, ddq = fourier_motion(time, 0.1, 1.5, rng.uniform(-0.3, 0.3, n), np.full(n, 1.6), rng)
    torque = inverse_dynamics(robot, links, q, dq, ddq) + inertia * ddq + viscous * dq + coulomb * np.sign(dq) + offset
    noise = TORQUE_NOISE * 1.3 * np.abs(torque).max(axis=0)
    signed = Dataset(
        time=time,
        q=q + POSITION_NOISE * rng.normal(size=q.shape),
        effort=torque + noise * rng.normal(size=q.shape),
        effort_kind=EffortKind.TORQUE,
        joint_names=robot.joint_names,
    )
    return GearedArm(file=file, robot=robot, signed=signed, torque=torque, noise=noise)


def _dh(name: str) -> str:
    rows = [
        f"  - {{name: a{i}, type: revolute, a: {a}, alpha: {turns}*pi/2, d: {d}, theta: 0, position: [-2.5, 2.5], velocity: 2.5}}"
        for i, (a, turns, d) in enumerate(DH[name], start=1)
    ]
    gravity = "gravity: [0, -9.81, 0]\n" if name == "pendulum" else ""
    return "\n".join([f"name: {name}\nconvention: standard\n{gravity}joints:", *rows, ""])


def _urdf() -> str:
    lines = ['<robot name="small_urdf">', '<link name="base"/>']
    for i, (origin, axis) in enumerate(URDF, start=1):
        parent = "base" if i == 1 else f"l{i - 1}"
        direction = {"x": "1 0 0", "y": "0 1 0", "z": "0 0 1"}[axis]
        lines += [
            f'<link name="l{i}"/>',
            f'<joint name="a{i}" type="revolute"><parent link="{parent}"/><child link="l{i}"/>',
            f'<origin xyz="{" ".join(map(str, origin))}"/><axis xyz="{direction}"/>',
            '<limit lower="-2.5" upper="2.5" velocity="2.5" effort="300"/></joint>',
        ]
    return "\n".join([*lines, "</robot>"])
