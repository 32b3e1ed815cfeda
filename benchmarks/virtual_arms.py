"""Arms that never existed, wrong in the ways that real ones are: links, friction and drives drawn by a seed, and logs of their motion.

A log has what a user's has: stamps, noisy positions at 100 Hz, noisy torques, and nothing of what caused them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import pinocchio as pin

from dynident import Robot, load_robot
from dynident.data import Dataset, EffortKind
from dynident.dynamics import inverse_dynamics
from dynident.links import FeasibleSet, repair, uniform_prior
from dynident.robots.body import Joint, Link
from dynident.robots.formats.dh import dh_pose, frame_name
from dynident.robots.parameters import from_pseudo_inertia, pseudo_inertia

UR5 = Path(pin.__file__).parents[4] / "share" / "example-robot-data" / "robots" / "ur_description" / "urdf" / "ur5_robot.urdf"
URDF = {"ur5": UR5, "ur10": UR5.with_name("ur10_robot.urdf"), "xarm7": UR5.parents[2] / "xarm_description" / "urdf" / "xarm7.urdf"}
ROBOTS = ("panda", "kuka_lwr4", "ur5", "dh_arm")
ERRORS = ("ripple", "stribeck", "elasticity", "gravity")
MOTIONS = ("usual", "slow", "short", "few joints", "one way", "one way, tested both ways")
RATE = 100.0
POSITION_NOISE = 1e-4


@dataclass(frozen=True, kw_only=True, eq=False)
class Arm:
    """What the user has of it (`described`), and what it is.

    links : (n, 10)            The true ones, in the description's frames.
    gravity : (3,)             The true one [m/s²].
    fv, fc, fs, fo : (n,)      Viscous, Coulomb, breakaway friction and offset; breakaway equals Coulomb without Stribeck's effect.
    ripple, stiffness, noise : (n,)  Of the torque [N·m], of the joint [N·m/rad], standard deviation of the torque [N·m].
    """

    described: Robot
    links: np.ndarray
    gravity: np.ndarray
    fv: np.ndarray
    fc: np.ndarray
    fs: np.ndarray
    fo: np.ndarray
    ripple: np.ndarray
    stiffness: np.ndarray
    noise: np.ndarray


@cache
def model(name: str) -> Robot:
    """A robot with links that can exist. The KUKA's published ones can't, so they are the nearest that can."""
    if name == "kuka_lwr4":
        repaired = repair(load_robot(name))
        return repaired.robot.with_parameters(repaired.parameters())
    if name == "dh_arm":
        return _dh_arm()
    return load_robot(URDF.get(name, name))


def draw_arm(name: str | Robot, errors: tuple[str, ...], rng: np.random.Generator) -> Arm:
    """An arm whose description is wrong by a factor of up to two in every link, or, of `dh_arm`, says nothing of them."""
    robot = model(name) if isinstance(name, str) else name
    n = robot.n
    if name == "dh_arm":  # somewhere between an arm of plastic and one of cast iron
        links = perturb_links(2.0 ** rng.uniform(-1.0, 2.0) * uniform_prior(robot, FeasibleSet(())).nominal, rng)
        described = robot
    else:
        assert robot.parameters is not None
        links = robot.parameters
        described = robot.with_parameters(perturb_links(links, rng))
    size = np.linspace(1.0, 0.3, n)  # drives get smaller along the arm
    fc = 1.5 * size * rng.uniform(0.5, 1.5, n)
    tilt, about = np.deg2rad(1.0), rng.uniform(0.0, 2.0 * np.pi)
    down = np.array([np.sin(tilt) * np.cos(about), np.sin(tilt) * np.sin(about), -np.cos(tilt)])
    return Arm(
        described=described,
        links=links,
        gravity=np.linalg.norm(robot.gravity) * down if "gravity" in errors else robot.gravity,
        fv=1.5 * size * rng.uniform(0.5, 1.5, n),
        fc=fc,
        fs=fc * rng.uniform(1.3, 2.0, n) if "stribeck" in errors else fc,
        fo=0.5 * size * rng.uniform(-1.0, 1.0, n),
        ripple=0.4 * size * rng.uniform(0.5, 1.5, n) if "ripple" in errors else np.zeros(n),
        stiffness=1e4 * size * 3.0 ** rng.uniform(-1.0, 1.0, n) if "elasticity" in errors else np.full(n, np.inf),
        noise=0.15 * size,
    )


def perturb_links(links: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Links (n, 10) with masses and principal second moments wrong by a factor of up to two, centres of mass by 0.7 radii of gyration."""
    found = np.empty_like(links)
    for row, link in zip(found, links, strict=True):
        mass, com = link[0], link[1:4] / link[0]
        moments, axes = np.linalg.eigh(pseudo_inertia(link)[:3, :3] - mass * np.outer(com, com))
        com = com + axes @ (0.7 * np.sqrt(moments / mass) * rng.uniform(-1.0, 1.0, 3))
        mass, moments = mass * 2.0 ** rng.uniform(-1.0, 1.0), moments * 2.0 ** rng.uniform(-1.0, 1.0, 3)
        P = np.zeros((4, 4))
        P[:3, :3] = (axes * moments) @ axes.T + mass * np.outer(com, com)
        P[:3, 3] = P[3, :3] = mass * com
        P[3, 3] = mass
        row[:] = from_pseudo_inertia(P)
    return found


def record_pair(arm: Arm, motion: str, rng: np.random.Generator) -> tuple[Dataset, Dataset]:
    """A log to train on and one of a similar motion to test on; "tested both ways" is the motion that is not similar."""
    n = arm.described.n
    limits = arm.described.position_limits
    low, high = np.maximum(limits[:, 0], -2.0), np.minimum(limits[:, 1], 2.0)
    centre, reach = 0.5 * (low + high), 0.4 * (high - low)
    seconds, base, fastest = {"slow": (30.0, 1.0 / 30.0, 0.15), "short": (6.0, 0.1, 1.5)}.get(motion, (20.0, 0.1, 1.5))
    moving = np.ones(n, dtype=bool)
    if motion == "few joints":
        moving[:] = False
        moving[rng.choice(n, 3, replace=False)] = True
        centre = centre + np.where(moving, 0.0, reach * rng.uniform(-1.0, 1.0, n))
    joint, speed = int(rng.integers(n)), rng.choice([-1.0, 1.0])
    logs: list[Dataset] = []
    for turn in ("train", "test"):
        time = np.arange(round(RATE * (20.0 if motion == "short" and turn == "test" else seconds))) / RATE
        q, dq, ddq = fourier_motion(time, base, fastest, centre, np.where(moving, reach, 0.0), rng)
        if motion == "one way" or (motion.startswith("one way") and turn == "train"):
            _turn_one_way(time, joint, speed * 1.6 * reach[joint] / time[-1], centre, (q, dq, ddq), rng)
        logs.append(record(arm, time, q, dq, ddq, rng))
    return logs[0], logs[1]


def record(
    arm: Arm,
    time: np.ndarray,
    q: np.ndarray,
    dq: np.ndarray,
    ddq: np.ndarray,
    rng: np.random.Generator,
    *,
    position_noise: float = POSITION_NOISE,
) -> Dataset:
    """What is measured while the links move so: the drives' positions and torques. A joint deflects as its torque says, at once."""
    torque = inverse_dynamics(arm.described.with_gravity(arm.gravity), arm.links, q, dq, ddq)
    deflection = torque / arm.stiffness
    drive = q + deflection
    speed = dq + np.gradient(deflection, time, axis=0)
    falling = (arm.fs - arm.fc) * np.exp(-((speed / 0.1) ** 2))
    effort = torque + arm.fv * speed + (arm.fc + falling) * np.sign(speed) + arm.fo + arm.ripple * np.sin(12.0 * drive)
    return Dataset(
        time=time,
        q=drive + position_noise * rng.normal(size=q.shape),
        effort=effort + arm.noise * rng.normal(size=q.shape),
        effort_kind=EffortKind.TORQUE,
        source="virtual arm",
    )


def fourier_motion(
    time: np.ndarray, base: float, fastest: float, centre: np.ndarray, reach: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Five harmonics of `base` [Hz], as large as the reach and the speed allow: q, dq, ddq of shape (N, n)."""
    omega = 2.0 * np.pi * base * np.arange(1, 6)[:, None]
    angle = time[:, None, None] * omega + rng.uniform(0.0, 2.0 * np.pi, (5, len(reach)))
    amplitude = rng.uniform(0.2, 1.0, (5, len(reach))) / np.sqrt(omega / omega[0])
    q, dq = np.sum(amplitude * np.sin(angle), axis=1), np.sum(amplitude * omega * np.cos(angle), axis=1)
    scale = np.minimum(reach / np.abs(q).max(axis=0), np.where(reach > 0.0, fastest, 0.0) / np.abs(dq).max(axis=0))
    return centre + scale * q, scale * dq, -scale * np.sum(amplitude * omega**2 * np.sin(angle), axis=1)


def _turn_one_way(
    time: np.ndarray, joint: int, speed: float, centre: np.ndarray, motion: tuple[np.ndarray, ...], rng: np.random.Generator
) -> None:
    """Let one joint turn across its range at a speed that varies by half and never changes its sign."""
    q, dq, ddq = motion
    omega, phase = 2.0 * np.pi * 0.2, rng.uniform(0.0, 2.0 * np.pi)
    q[:, joint] = centre[joint] + speed * (time - 0.5 * time[-1]) + 0.5 * speed / omega * np.sin(omega * time + phase)
    dq[:, joint] = speed + 0.5 * speed * np.cos(omega * time + phase)
    ddq[:, joint] = -0.5 * speed * omega * np.sin(omega * time + phase)


def _dh_arm() -> Robot:
    """An elbow arm of six joints with a reach of 1.4 m, of which nothing but the DH table is known."""
    a, d = (0.1, 0.6, 0.1, 0.0, 0.0, 0.0), (0.4, 0.0, 0.0, 0.6, 0.0, 0.1)
    alpha = (np.pi / 2, 0.0, np.pi / 2, -np.pi / 2, np.pi / 2, 0.0)
    poses = [dh_pose("standard", *row, 0.0) for row in zip(a, alpha, d, strict=True)]
    joints = tuple(Joint(name=f"joint{i + 1}", parent=i - 1, position=(-2.5, 2.5), velocity=2.0) for i in range(6))
    links = tuple(Link(name=f"link{i + 1}", frame=frame_name("standard", i + 1), placement=pose) for i, pose in enumerate(poses))
    return replace(Robot(name="dh_arm", joints=joints, links=links), source="benchmarks")
