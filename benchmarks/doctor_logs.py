"""Logs without a fault, for the doctor to find none in: virtual arms at many rates, and the recorded ones, whole and in parts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.sign_cases import without_links
from benchmarks.virtual_arms import ERRORS, Arm, draw_arm, fourier_motion, record
from dynident import Robot, load_robot
from dynident.data import Dataset, low_pass, resample
from dynident.friction import linear
from dynident.regression import identify

DATA = Path(__file__).parents[2] / "shared" / "data"
#: Standard deviations of recorded velocities [rad/s] and accelerations [rad/s²]; a Panda's velocities have 7e-3, most of it above 10 Hz.
VELOCITY_NOISE, ACCELERATION_NOISE = 5e-3, 0.05
#: How well the description's links are known: share of a perturbation by a factor of up to two. None: not at all.
NOMINAL = {"good": 0.1, "rough": 1.0, "none": None}


class Motion(NamedTuple):
    """What the links did: time (N,), q, dq, ddq (N, n)."""

    time: np.ndarray
    q: np.ndarray
    dq: np.ndarray
    ddq: np.ndarray


@dataclass(frozen=True, kw_only=True)
class Conditions:
    """How a virtual log was made.

    jitter : standard deviation of the period, as a share of it.  channels : beside q and effort.  gravity : [m/s²], as is said too.
    """

    rate: float = 100.0
    seconds: float = 20.0
    jitter: float = 0.0
    channels: tuple[str, ...] = ("dq",)
    errors: tuple[str, ...] = ()
    nominal: str = "good"
    gravity: tuple[float, float, float] | None = None

    def __str__(self) -> str:
        jitter = f", jitter {100 * self.jitter:g} %" if self.jitter else ""
        errors = ", rough drives" if self.errors else ""
        hung = "" if self.gravity is None else f", gravity {self.gravity}"
        return f"{self.rate:g} Hz, {self.seconds:g} s{jitter}, {' '.join(('q', *self.channels))}{errors}{hung}, {self.nominal} nominal"


@dataclass(frozen=True, kw_only=True, eq=False)
class Log:
    """A log, what a user says of it, and what is behind it.

    robot, data : what the doctor gets.  true_robot, true_data : what it should have got.
    links : (n, 10), friction : (n, 3)  True ones, fv, fc, fo; of recorded logs, those that were identified.
    arm, motion, test_motion : of virtual logs.  test : another motion of the same robot, without a fault.
    """

    name: str
    robot: Robot
    data: Dataset
    true_robot: Robot
    true_data: Dataset
    links: np.ndarray
    friction: np.ndarray
    test: Dataset
    nominal: str
    conditions: Conditions | None = None
    arm: Arm | None = None
    motion: Motion | None = None
    test_motion: Motion | None = None

    def physically(self, data: Dataset) -> Log:
        """Where this is what the robot did, and nothing that a reader of the log could put right."""
        return replace(self, data=data, true_data=data)


def virtual_log(name: str, seed: int, conditions: Conditions) -> Log:
    """A log of an arm drawn by the seed, and one of another motion of it."""
    rng = np.random.default_rng([seed, sum(map(ord, name))])
    arm = draw_arm(name, conditions.errors, rng)
    quality = NOMINAL[conditions.nominal]
    described = arm.described
    if quality is None or described.parameters is None:
        described = without_links(described)
    else:
        described = described.with_parameters(arm.links + quality * (described.parameters - arm.links))
    if conditions.gravity is not None:
        described = described.with_gravity(conditions.gravity)
        arm = replace(arm, gravity=described.gravity)
    arm = replace(arm, described=described)
    motions = [draw_motion(arm.described, draw_stamps(conditions, rng), rng) for _ in range(2)]
    data, test = (record_motion(arm, motion, conditions, rng) for motion in motions)
    return Log(
        name=f"virtual {name}, {conditions}, seed {seed}",
        robot=arm.described,
        data=data,
        true_robot=arm.described,
        true_data=data,
        links=arm.links,
        friction=np.column_stack([arm.fv, arm.fc, arm.fo]),
        test=test,
        nominal="none" if described.parameters is None else conditions.nominal,
        conditions=conditions,
        arm=arm,
        motion=motions[0],
        test_motion=motions[1],
    )


def draw_stamps(conditions: Conditions, rng: np.random.Generator) -> np.ndarray:
    """When samples are taken: the stamps are right, however irregular."""
    steps = 1.0 + conditions.jitter * np.clip(rng.normal(size=round(conditions.rate * conditions.seconds)), -2.0, 4.0)
    return np.cumsum(steps) / conditions.rate


def draw_motion(robot: Robot, time: np.ndarray, rng: np.random.Generator, *, share: float = 1.0) -> Motion:
    """A Fourier motion within the limits. share : of the usual amplitudes."""
    limits = robot.position_limits
    low, high = np.maximum(limits[:, 0], -2.0), np.minimum(limits[:, 1], 2.0)
    return Motion(time, *fourier_motion(time, 0.1, 1.5 * share, 0.5 * (low + high), 0.4 * share * (high - low), rng))


def record_motion(arm: Arm, motion: Motion, conditions: Conditions, rng: np.random.Generator) -> Dataset:
    """The log of a motion, with the channels that it is said to have."""
    data = record(arm, *motion, rng)
    noisy = {
        "dq": motion.dq + VELOCITY_NOISE * rng.normal(size=motion.q.shape),
        "ddq": motion.ddq + ACCELERATION_NOISE * rng.normal(size=motion.q.shape),
    }
    return replace(data, **{name: noisy[name] for name in conditions.channels})


def recorded_bases() -> tuple[Log, ...]:
    """Recorded logs to make wrong, each with another motion of that robot to judge by where there is one."""
    panda, kuka, tx40 = (item for item in recorded_logs(parts=False) if not item.name.endswith("2"))
    second = _read("kuka_lwr4/measurements_2.npz").take(slice(500, None), starts=(0,))
    slow = _slow(tx40.data, 500.0)
    return (
        _recorded("recorded Panda, first 70 %", panda.robot, panda.data.part(0.0, 0.7), test=panda.data.part(0.7, 1.0)),
        _recorded("recorded KUKA 1", kuka.robot, kuka.data, test=second),
        _recorded("recorded TX40 at 500 Hz", tx40.robot, slow),
    )


def recorded_logs(*, parts: bool = True) -> Iterator[Log]:
    """The recorded Panda, KUKA and TX40, whole; and in parts, at lower rates and with fewer channels."""
    panda = load_robot("panda")
    motion = _read("panda_gaz2019/trajectory_1.npz")
    yield _recorded("recorded Panda", panda, motion)
    kuka = load_robot(DATA / "kuka_lwr4" / "kuka_lwr4.urdf")
    whole = [_read(f"kuka_lwr4/measurements_{number}.npz") for number in (1, 2)]
    repeats = [item.take(slice(500, None), starts=(0,)) for item in whole]
    for number, repeat in enumerate(repeats, start=1):
        yield _recorded(f"recorded KUKA {number}", kuka, repeat)
    tx40 = load_robot(DATA / "staubli_tx40" / "tx40_mdh_modified.urdf")
    yield _recorded("recorded TX40", tx40, _tx40())
    if not parts:
        return
    for name, robot, data in (("Panda", panda, motion), ("KUKA 1", kuka, repeats[0]), ("KUKA 2", kuka, repeats[1])):
        yield _recorded(f"recorded {name}, first half", robot, data.part(0.0, 0.5))
        yield _recorded(f"recorded {name}, second half", robot, data.part(0.5, 1.0))
        yield _recorded(f"recorded {name} at 30 Hz", robot, _slow(data, 30.0))
        yield _recorded(f"recorded {name} at 100 Hz without velocities", robot, replace(_slow(data, 100.0), dq=None, ddq=None))
    yield _recorded("recorded KUKA 1, start included", kuka, whole[0])
    yield _recorded("recorded KUKA 2 without accelerations", kuka, replace(repeats[1], ddq=None))
    yield _recorded("recorded TX40 at 500 Hz", tx40, _slow(_tx40(), 500.0))
    yield _recorded("recorded TX40, first two thirds", tx40, _tx40().part(0.0, 0.67))


def _read(name: str) -> Dataset:
    from tests.realdata.test_identification import log_of

    return log_of(DATA / name)


@cache
def _tx40() -> Dataset:
    from tests.realdata.test_identification import tx40_log

    return replace(tx40_log(DATA / "staubli_tx40"), dq=None, ddq=None, source="TX40")


def _slow(data: Dataset, rate: float) -> Dataset:
    """The log as a slower logger would have written it, its filter against aliasing included."""
    return resample(low_pass(resample(data), 0.4 * rate), rate)


def _recorded(name: str, robot: Robot, data: Dataset, test: Dataset | None = None) -> Log:
    estimate = identify(robot, data, friction=linear())
    standard = estimate.base.representative(estimate.values)
    n = robot.n
    return Log(
        name=name,
        robot=robot,
        data=data,
        true_robot=robot,
        true_data=data,
        links=standard[: 10 * n].reshape(n, 10),
        friction=np.asarray(estimate.friction_parameters)[:, :3],
        test=test or data,
        nominal="none" if robot.parameters is None else "rough",
    )


#: Conditions under which virtual logs without a fault are made, in turn.
CONDITIONS = (
    Conditions(),
    Conditions(rate=30.0, seconds=30.0, nominal="rough"),
    Conditions(rate=1000.0, seconds=10.0, jitter=0.17, errors=ERRORS),
    Conditions(rate=200.0, seconds=12.0, channels=("dq", "ddq")),
    Conditions(rate=50.0, seconds=20.0, jitter=0.2, channels=(), nominal="none"),
    Conditions(rate=125.0, seconds=15.0, channels=(), errors=ERRORS, nominal="rough"),
    Conditions(rate=500.0, seconds=10.0, jitter=0.02, channels=("dq", "ddq"), nominal="rough"),
    Conditions(rate=30.0, seconds=30.0, jitter=0.2, channels=(), errors=ERRORS),
    Conditions(rate=100.0, seconds=15.0, gravity=(0.0, -9.81, 0.0), nominal="rough"),
    Conditions(rate=60.0, seconds=10.0, jitter=0.05, gravity=(0.0, 0.0, 9.81), channels=("dq", "ddq"), nominal="none"),
)
