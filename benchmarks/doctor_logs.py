"""The logs of the doctor's study: eight held-out ones and fourteen for development, none with a fault, and recorded servo logs.

Virtual arms have what real ones have: links that differ from the description by up to 30 %, friction with Stribeck's effect and an offset,
rotor inertia of geared drives, torque ripple, cross-talk between neighbouring torque channels, noise, and encoders with a resolution.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

from benchmarks.virtual_arms import fourier_motion, perturb_links
from dynident import Robot, load_dataset, load_robot
from dynident.data import Dataset, EffortKind, low_pass, resample
from dynident.dynamics import inverse_dynamics
from dynident.dynamics.friction import linear_with_rotor
from dynident.links import repair
from dynident.regression import build_problem, residuals
from dynident.regression.identify import identify

DATA = Path(__file__).parents[2] / "shared" / "data"
DESCRIPTIONS = Path(pin.__file__).parents[4] / "share" / "example-robot-data" / "robots"
#: Torque per ampere of TIAGo's arm joints, signs included (README of the recorded data).
TIAGO_GAINS = np.array([13.6, 13.6, -8.7, -8.7, -20.6, -20.6, -20.6])


@dataclass(frozen=True, kw_only=True, eq=False)
class Log:
    """A log without a fault.

    links : (n, 10)  True parameters; of recorded logs those that were identified from them.
    test : another motion of the same robot, on which models are judged.
    true_words : stems of names of findings that are true of it; looked up in the arrays and their README before a doctor saw them.
    hang : the same log of a robot with another gravity [m/s²] in its base frame, and its test log; None for recorded logs.
    """

    name: str
    robot: Robot
    data: Dataset
    test: Dataset
    links: np.ndarray
    true_words: tuple[str, ...] = ()
    hang: Callable[[np.ndarray], tuple[Dataset, Dataset]] | None = None


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How a virtual log is made. armature, stribeck, ripple, crosstalk : relative sizes; resolution : of the encoders [rad]."""

    file: str
    rate: float
    seconds: float = 20.0
    channels: tuple[str, ...] = ("dq",)
    armature: float = 0.0
    stribeck: float = 0.5
    ripple: float = 0.02
    crosstalk: float = 0.0
    resolution: float = 1e-4
    locked: tuple[str, ...] = ()
    base: str | None = None
    tip: str | None = None


#: Positions of the Panda are rounded to 1e-4 rad and its stamps jitter; so do TIAGo's, by 5.7 % of a period, while four of its joints are
#: 1.6 times smoother by the row than by the stamp, and its last three currents are new in one sample of six.
QUANTISED, HELD = ("quant", "round"), ("repeat", "interpol", "held")

HELD_OUT: Mapping[str, Recipe] = {
    "g1": Recipe(
        file="g1_description/urdf/g1_29dof_rev_1_0.urdf",
        rate=125.0,
        base="torso_link",
        tip="left_wrist_yaw_link",
        armature=0.4,
        stribeck=0.8,
        ripple=0.05,
    ),
    "alex": Recipe(
        file="alex_description/urdf/alex_nub_hands.urdf",
        rate=250.0,
        base="Torso",
        tip="LeftWristRollLink",
        locked=("LeftGripperYaw",),
        channels=("dq", "ddq"),
        crosstalk=0.03,
        resolution=8e-4,
    ),
    "icub": Recipe(file="icub_description/robots/icub.urdf", rate=200.0, base="chest", tip="l_hand", channels=(), armature=0.2),
    "simple_humanoid": Recipe(
        file="simple_humanoid_description/urdf/simple_humanoid.urdf",
        rate=110.0,
        base="torso",
        tip="r_wrist",
        ripple=0.04,
        crosstalk=0.02,
    ),
}
DEVELOPMENT: Mapping[str, Recipe] = {
    "spatial_3r": Recipe(file="spatial_3r", rate=125.0, channels=("dq", "ddq")),
    "ur10": Recipe(file="ur_description/urdf/ur10_robot.urdf", rate=125.0, armature=0.3),
    "talos": Recipe(file="talos_data/robots/talos_left_arm.urdf", rate=200.0, channels=(), locked=("gripper_left_joint",)),
    "xarm7": Recipe(file="xarm_description/urdf/xarm7.urdf", rate=250.0, armature=0.4, ripple=0.04, crosstalk=0.02),
    "bravo7": Recipe(file="bravo7_description/urdf/bravo7_no_ee.urdf", rate=100.0, channels=(), stribeck=0.8, resolution=3e-4),
    "ur5": Recipe(file="ur_description/urdf/ur5_robot.urdf", rate=500.0, channels=("dq", "ddq"), ripple=0.05, crosstalk=0.03),
    # held out until they had been seen
    "kinova": Recipe(file="kinova_description/robots/kinova.urdf", rate=125.0, armature=0.5, stribeck=0.8, ripple=0.05),
    "ur3": Recipe(file="ur_description/urdf/ur3_robot.urdf", rate=250.0, channels=("dq", "ddq"), crosstalk=0.03, resolution=8e-4),
    "z1": Recipe(file="z1_description/urdf/z1.urdf", rate=200.0, channels=(), armature=0.2, locked=("jointGripper",)),
    "baxter": Recipe(
        file="baxter_description/urdf/baxter.urdf",
        rate=110.0,
        base="left_arm_mount",
        tip="left_gripper_base_link",
        ripple=0.04,
        crosstalk=0.02,
    ),
    "tiago_pro": Recipe(
        file="tiago_pro_description/robots/tiago_pro.urdf",
        rate=125.0,
        base="torso_lift_link",
        tip="arm_left_tool_link",
        armature=0.4,
        stribeck=0.8,
        ripple=0.05,
    ),
    "pr2": Recipe(
        file="pr2_description/urdf/pr2.urdf",
        rate=250.0,
        base="torso_lift_link",
        tip="r_wrist_roll_link",
        channels=("dq", "ddq"),
        crosstalk=0.03,
        resolution=8e-4,
    ),
    "romeo": Recipe(file="romeo_description/urdf/romeo_small.urdf", rate=200.0, base="torso", tip="l_wrist", channels=(), armature=0.2),
    "centauro": Recipe(
        file="centauro_description/urdf/centauro.urdf", rate=110.0, base="torso_2", tip="arm1_8", ripple=0.04, crosstalk=0.02
    ),
}
HELD_OUT_SEED, DEVELOPMENT_SEED = 12_000_000, 6_000_000
HELD_OUT_LOGS = ("KUKA", "Panda", "TX40", "TIAGo", *HELD_OUT)


@cache
def base_log(name: str) -> Log:
    """A log by its name, of either set."""
    if name in _RECORDED:
        return _recorded(name, *_RECORDED[name]())
    if name in _SERVO:
        return _SERVO[name](name)
    if name in HELD_OUT:
        return virtual_log(name, HELD_OUT[name], HELD_OUT_SEED + list(HELD_OUT).index(name))
    return virtual_log(name, DEVELOPMENT[name], DEVELOPMENT_SEED + list(DEVELOPMENT).index(name))


def virtual_log(name: str, recipe: Recipe, seed: int) -> Log:
    """A log of an arm that is drawn by the seed, and a test log of another motion."""
    rng = np.random.default_rng(seed)
    robot = _describe(recipe)
    assert robot.parameters is not None
    n = robot.n
    links = robot.parameters + rng.uniform(0.1, 0.3) * (perturb_links(robot.parameters, rng) - robot.parameters)
    limits = robot.position_limits
    low, high = np.maximum(limits[:, 0], -2.0), np.minimum(limits[:, 1], 2.0)
    fastest = float(np.clip(np.min(robot.velocity_limits), 0.8, 1.5))
    time = np.arange(round(recipe.rate * recipe.seconds)) / recipe.rate
    motions = [fourier_motion(time, 0.1, fastest, 0.5 * (low + high), 0.4 * (high - low), rng) for _ in range(2)]
    scale = np.maximum(np.concatenate([inverse_dynamics(robot, links, *motion) for motion in motions]).std(axis=0), 0.3)
    fv, fc, fo = (scale * rng.uniform(*ends, n) for ends in ((0.05, 0.2), (0.05, 0.2), (-0.05, 0.05)))
    rotor = recipe.armature * scale * rng.uniform(0.5, 1.0, n)
    noise_seeds = rng.integers(1 << 32, size=2)

    def record(motion: tuple[np.ndarray, ...], gravity: np.ndarray, noise_seed: int) -> Dataset:
        q, dq, ddq = motion
        noise = np.random.default_rng(noise_seed)
        friction = fv * dq + fc * (1.0 + recipe.stribeck * np.exp(-((dq / 0.1) ** 2))) * np.tanh(dq / 0.005) + fo
        torque = inverse_dynamics(robot.with_gravity(gravity), links, q, dq, ddq) + friction + rotor * ddq
        torque = torque + recipe.ripple * scale * np.sin(12.0 * q)
        torque = torque + recipe.crosstalk * np.roll(torque, 1, axis=1) + 0.02 * scale * noise.normal(size=q.shape)
        noisy = {"dq": dq + 5e-3 * noise.normal(size=q.shape), "ddq": ddq + 0.05 * noise.normal(size=q.shape)}
        return Dataset(
            time=time,
            q=recipe.resolution * np.round(q / recipe.resolution + 0.1 * noise.normal(size=q.shape)),
            effort=torque,
            effort_kind=EffortKind.TORQUE,
            joint_names=robot.joint_names,
            source=f"virtual {name}",
            **{channel: noisy[channel] for channel in recipe.channels},
        )

    def hang(gravity: np.ndarray) -> tuple[Dataset, Dataset]:
        train, test = (record(motion, gravity, int(seed)) for motion, seed in zip(motions, noise_seeds, strict=True))
        return train, test

    data, test = hang(robot.gravity)
    words = QUANTISED if recipe.resolution > 5e-4 else ()
    return Log(name=name, robot=robot, data=data, test=test, links=links, true_words=words, hang=hang)


def _describe(recipe: Recipe) -> Robot:
    """The description that the user has, its links the nearest that are physically consistent."""
    source = DESCRIPTIONS / recipe.file if "/" in recipe.file else recipe.file
    robot = load_robot(source, lock=dict.fromkeys(recipe.locked, 0.0), base=recipe.base, tip=recipe.tip)
    repaired = repair(robot)
    return repaired.robot.with_parameters(repaired.parameters())


def _recorded(name: str, robot: Robot, data: Dataset, test: Dataset) -> Log:
    estimate = identify(robot, data, friction=linear_with_rotor())
    links = estimate.base.representative(estimate.values)[: 10 * robot.n].reshape(robot.n, 10)
    words = {"Panda": (*QUANTISED, "jitter"), "TIAGo": (*HELD, "jitter")}.get(name, ())
    return Log(name=name, robot=robot, data=data, test=test, links=links, true_words=words)


def _kuka() -> tuple[Robot, Dataset, Dataset]:
    train, test = (_read(f"kuka_lwr4/measurements_{number}.npz").take(slice(500, None), starts=(0,)) for number in (2, 1))
    return load_robot(DATA / "kuka_lwr4" / "kuka_lwr4.urdf"), _from_zero(train), test


def _panda() -> tuple[Robot, Dataset, Dataset]:
    data = _read("panda_gaz2019/trajectory_1.npz")
    return load_robot("panda"), _from_zero(data.part(0.0, 0.7)), data.part(0.7, 1.0)


def _tx40() -> tuple[Robot, Dataset, Dataset]:
    from tests.realdata.test_identification import tx40_log

    data = resample(low_pass(replace(tx40_log(DATA / "staubli_tx40"), dq=None, ddq=None), 200.0), 500.0)
    return load_robot(DATA / "staubli_tx40" / "tx40_mdh_modified.urdf"), _from_zero(data.part(0.0, 0.65)), data.part(0.65, 1.0)


def _tiago() -> tuple[Robot, Dataset, Dataset]:
    robot, current = tiago_currents()
    assert current.effort is not None
    data = replace(current, effort=current.effort * TIAGO_GAINS, effort_kind=EffortKind.TORQUE)
    return robot, _from_zero(data.part(0.0, 0.65)), data.part(0.65, 1.0)


def tiago_currents() -> tuple[Robot, Dataset]:
    """TIAGo's arm on its torso, which is taken to stand, and the currents of its seven joints."""
    locked = ("torso_lift_joint", "head_1_joint", "head_2_joint", "wheel_left_joint", "wheel_right_joint")
    robot = load_robot(DATA / "servo" / "tiago" / "tiago.urdf", lock=dict.fromkeys(locked, 0.0))
    log = np.load(DATA / "servo" / "tiago" / "log.npz")
    names = tuple(str(name) for name in log["joint_names"][1:])
    return robot, Dataset(
        time=log["t"], q=log["q"][:, 1:], effort=log["current"][:, 1:], effort_kind=EffortKind.CURRENT, joint_names=names, source="TIAGo"
    )


_RECORDED: Mapping[str, Callable[[], tuple[Robot, Dataset, Dataset]]] = {"KUKA": _kuka, "Panda": _panda, "TX40": _tx40, "TIAGo": _tiago}


def _read(file: str) -> Dataset:
    loaded = load_dataset(DATA / file)
    assert isinstance(loaded, Dataset)
    return loaded


def _from_zero(data: Dataset) -> Dataset:
    return replace(data, time=data.time - data.time[0])


def model_error(robot: Robot, data: Dataset, true_robot: Robot, test: Dataset) -> float:
    """Unexplained torque [%] on a test log of the model that is identified from a log as it is read here."""
    estimate = identify(robot, data, friction=linear_with_rotor())
    problem = build_problem(true_robot, test, friction=linear_with_rotor())
    return residuals(problem, problem.base.coefficients(estimate.base.representative(estimate.values))).relative_percent


def _servo_log(name: str, robot: Robot, words: tuple[str, ...], **arrays: Any) -> Log:
    data = Dataset(**arrays, joint_names=robot.joint_names, source=name)
    return Log(name=name, robot=robot, data=data, test=data, links=np.zeros((robot.n, 10)), true_words=words)


def _aliengo(name: str) -> Log:
    """Torques from the controller's gains; the motors act with a delay."""
    log = np.load(DATA / "servo" / "aliengo" / "log.npz")
    effort = log["kp"] * (log["q_command"] - log["q"]) - log["kd"] * log["dq"]
    robot = load_robot(DATA / "servo" / "aliengo" / "aliengo.xml", lock={"joint0": 0.0})
    words = ("delay", *REST)
    return _servo_log(name, robot, words, time=log["t"], q=log["q"], dq=log["dq"], effort=effort, effort_kind=EffortKind.TORQUE)


def _tiago_currents(name: str) -> Log:
    """Currents, of which five joints' have negative gains."""
    robot, data = tiago_currents()
    return Log(name=name, robot=robot, data=data, test=data, links=np.zeros((7, 10)), true_words=(*HELD, "jitter", "sign", "gain"))


def _so101(name: str) -> Log:
    """Rows repeat, and currents have no sign."""
    log = np.load(DATA / "servo" / "so101" / f"{name.split()[1]}.npz")
    robot, kind = load_robot(DATA / "servo" / "so101" / "so101.urdf"), EffortKind.CURRENT_MAGNITUDE
    words = (*HELD, *QUANTISED, *REST, "unknown sign", "magnitude")
    return _servo_log(name, robot, words, time=log["t"], q=log["q"], dq=log["dq"], effort=log["current_magnitude"], effort_kind=kind)


def _xl330(name: str) -> Log:
    """The load is a PWM register, in no unit of torque, which repeats."""
    log = np.load(DATA / "servo" / "xl330" / f"{name}.npz")
    robot = _pendulum(float(log["pendulum_mass"].flat[0]), float(log["pendulum_length"].flat[0]))
    load = log["load"].astype(np.int64)
    load = np.where(load >= 1 << 15, load - (1 << 16), load)[:, None]
    words = (*HELD, *QUANTISED, *REST, "gain", "current", "scale", "effort unit")
    return _servo_log(
        name, robot, words, time=log["t"], q=log["q"][:, None], dq=log["dq"][:, None], effort=load, effort_kind=EffortKind.TORQUE
    )


REST = ("rest", "standstill")
_SERVO: Mapping[str, Callable[[str], Log]] = {
    "AlienGo": _aliengo,
    "TIAGo currents": _tiago_currents,
    **{f"SO-101 {motion}": _so101 for motion in ("multisine", "triangle_wave", "random_waypoints")},
    **{f"xl330_{motion}": _xl330 for motion in ("kp200_sin_sin", "kp800_up_and_down")},
}
SERVO_LOGS = tuple(_SERVO)


def _pendulum(mass: float, length: float) -> Robot:
    """A point mass on a rod that hangs down at q = 0."""
    robot = load_robot("pendulum_1r")
    assert robot.parameters is not None
    first = robot.parameters[0]
    lever = first[1:4] / np.linalg.norm(first[1:4])
    x, y, z = length * lever
    inertia = mass * np.array([y * y + z * z, -x * y, -x * z, x * x + z * z, -y * z, x * x + y * y])
    return robot.with_parameters(np.array([[mass, *(mass * length * lever), *(inertia + 1e-6 * np.array([1.0, 0, 0, 1.0, 0, 1.0]))]]))
