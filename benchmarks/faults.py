"""What goes wrong with logs, as functions that make a log wrong in that way, by several sizes, and know the right remedy.

Faults are in the order in which they happen: what the robot did, what its sensors and drives made of it, what the logger wrote, and
what the user says of it. A pair of them is applied in that order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from benchmarks.doctor_logs import Log, Motion, record_motion
from benchmarks.virtual_arms import fourier_motion
from dynident.data import Dataset, differentiate, low_pass, resample
from dynident.dynamics import gravity, inverse_dynamics
from dynident.friction import linear
from dynident.regression import identify
from dynident.robots.kinematics import axis_rotation


@dataclass(frozen=True, kw_only=True)
class Remedy:
    """What a doctor must say.

    fault : name of the fault, by which the study knows the findings that are right.
    restored : what must be as in the log without the fault once the fixes are applied: clock, q, dq, ddq, effort, order, gravity; "time
        scale" is the clock as far as inertias tell it.
    joints : which must be named.  times : moments [s] of which each must be named, within half a second.
    value, tolerance : a number that must be told, and by how much it may be wrong, as a share.
    """

    fault: str
    restored: tuple[str, ...] = ()
    joints: tuple[int, ...] = ()
    times: tuple[float, ...] = ()
    value: float | None = None
    tolerance: float = 0.2


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One way of being wrong.

    apply : the log made wrong by a size, and the remedy.  needs : channels, "virtual", "nominal" (a good one), "telling joint".
    """

    name: str
    sizes: tuple[Any, ...]
    apply: Callable[[Log, Any, np.random.Generator], tuple[Log, Remedy]]
    needs: frozenset[str] = frozenset()

    def suits(self, log: Log) -> bool:
        has = {name for name in ("dq", "ddq") if getattr(log.data, name) is not None}
        has |= {"virtual"} if log.arm is not None else set()
        has |= {"nominal"} if log.nominal == "good" else set()
        has |= {"telling joint"} if "telling joint" in self.needs and _zeros_tell(log) else set()
        return self.needs <= has


def apply_faults(log: Log, chosen: tuple[tuple[Fault, Any], ...], seed: int) -> tuple[Log, tuple[Remedy, ...]]:
    """One fault after the other, in the order in which they happen."""
    rng = np.random.default_rng([seed, 99])
    remedies: list[Remedy] = []
    for fault, size in sorted(chosen, key=lambda item: FAULTS.index(item[0])):
        log, remedy = fault.apply(log, size, rng)
        remedies.append(remedy)
    return log, tuple(remedies)


# what the robot did


def little_motion(log: Log, share: float, rng: np.random.Generator) -> tuple[Log, Remedy]:
    """Small motion about one pose (share of the usual one), or, for 0, motion of the last joint alone."""
    assert log.arm is not None
    assert log.conditions is not None
    assert log.motion is not None
    limits = log.robot.position_limits
    low, high = np.maximum(limits[:, 0], -2.0), np.minimum(limits[:, 1], 2.0)
    reach = 0.4 * (high - low) * (share or np.arange(log.robot.n) // (log.robot.n - 1))
    motion = Motion(log.motion.time, *fourier_motion(log.motion.time, 0.1, 1.5, 0.5 * (low + high), reach, rng))
    data = record_motion(log.arm, motion, log.conditions, rng)
    return replace(log.physically(data), motion=motion), Remedy(fault="little motion")


def standstill(log: Log, share: float, rng: np.random.Generator) -> tuple[Log, Remedy]:
    """The robot moves, comes to rest, and stands for a share of the log, the brake of friction taking part of its weight."""
    assert log.arm is not None
    assert log.conditions is not None
    assert log.motion is not None
    time, n = log.motion.time, log.robot.n
    whole = time[-1] - time[0]
    passed = (time - time[0]) / whole
    stop = 1.0 - share
    fade = np.clip((stop - passed) / (0.3 * stop), 0.0, 1.0)  # speed of the motion's own time: 1, then smoothly to 0
    speed = fade**2 * (3.0 - 2.0 * fade)
    own = time[0] + np.concatenate([[0.0], np.cumsum(0.5 * (speed[1:] + speed[:-1]) * np.diff(time))])
    rate = np.gradient(speed, time)[:, None]
    limits = log.robot.position_limits
    low, high = np.maximum(limits[:, 0], -2.0), np.minimum(limits[:, 1], 2.0)
    q, dq, ddq = fourier_motion(own, 0.1, 1.5, 0.5 * (low + high), 0.4 * (high - low), rng)
    motion = Motion(time, q, dq * speed[:, None], ddq * speed[:, None] ** 2 + dq * rate)
    data = record_motion(log.arm, motion, log.conditions, rng)
    still = speed == 0.0
    assert data.effort is not None
    effort = data.effort + still[:, None] * log.friction[:, 1] * rng.uniform(-0.7, 0.7, n)
    log = replace(log.physically(replace(data, effort=effort)), motion=motion)
    return log, Remedy(fault="standstill", value=float(np.mean(still)), tolerance=0.3)


def wall(log: Log, axis: int, rng: np.random.Generator) -> tuple[Log, Remedy]:
    """The robot hangs on a wall, as is said, but with gravity along an axis (0 is x, 1 is y) the other way round."""
    assert log.arm is not None
    assert log.conditions is not None
    assert log.motion is not None
    down = float(np.linalg.norm(log.robot.gravity)) * np.eye(3)[axis]
    arm = replace(log.arm, gravity=down)
    data, test = (record_motion(arm, motion, log.conditions, rng) for motion in (log.motion, log.test_motion or log.motion))
    hung = replace(log.physically(data), arm=arm, test=test, robot=log.robot.with_gravity(-down), true_robot=log.robot.with_gravity(down))
    return hung, Remedy(fault="wall", restored=("gravity",))


def payload(log: Log, share: float, rng: np.random.Generator) -> tuple[Log, Remedy]:
    """A tool of a share of the arm's mass at the flange, which the description doesn't have."""
    mass = share * float(log.links[:, 0].sum())
    lever = log.robot.tool[:3, 3] + np.array([0.0, 0.0, 0.08])
    data = _add_effort(log.data, inverse_dynamics(log.true_robot, _point_mass(log, mass, lever), *_smooth_motion(log.data)))
    return log.physically(data), Remedy(fault="payload", value=mass, tolerance=0.4)


def pushes(log: Log, share: float, rng: np.random.Generator) -> tuple[Log, Remedy]:
    """Two pushes at the tool of half a second to one, which load the joints with a share of their usual effort."""
    time, q = log.data.time, log.data.q
    moments = time[0] + (time[-1] - time[0]) * np.array([rng.uniform(0.2, 0.4), rng.uniform(0.6, 0.8)])
    size = np.zeros(len(time))
    for moment in moments:
        size += np.maximum(0.0, 1.0 - np.abs(time - moment) / rng.uniform(0.25, 0.5))
    direction = rng.normal(size=3)
    reach = log.robot.tool[:3, 3] + np.array([0.0, 0.0, 0.1])
    load = gravity(log.robot.with_gravity(direction / np.linalg.norm(direction)), _point_mass(log, 1.0, reach), q)
    assert log.data.effort is not None
    usual, there = np.sqrt(np.mean(log.data.effort**2)), np.sqrt(np.mean(load[size > 0.5] ** 2))
    pushed = _add_effort(log.data, share * usual / there * size[:, None] * load)
    return log.physically(pushed), Remedy(fault="pushes", times=tuple(float(moment) for moment in moments))


def warm_up(log: Log, factor: float, rng: np.random.Generator) -> tuple[Log, Remedy]:
    """Friction that starts `factor` times as large as it ends, falling by an exponential of a third of the log."""
    dq = _smooth_motion(log.data)[1]
    passed = (log.data.time - log.data.time[0]) / (log.data.time[-1] - log.data.time[0])
    left = (factor - 1.0) * np.exp(-3.0 * passed)[:, None]
    torque = np.abs(log.friction[:, 0]) * dq + np.abs(log.friction[:, 1]) * np.tanh(dq / 0.01)
    return log.physically(_add_effort(log.data, left * torque)), Remedy(fault="warm-up")


# what sensors and drives made of it


def compensated(log: Log, _: object, rng: np.random.Generator) -> tuple[Log, Remedy]:
    """The controller took gravity off the effort that it reports."""
    robot = log.robot if log.arm is None else log.robot.with_gravity(log.arm.gravity)
    data = _add_effort(log.data, -gravity(robot, log.links, log.data.q))
    weightless = log.true_robot.with_gravity(np.zeros(3))
    return replace(log, data=data, true_robot=weightless, true_data=data), Remedy(fault="compensated", restored=("gravity",))


def saturated(log: Log, share: float, rng: np.random.Generator) -> tuple[Log, Remedy]:
    """The torque sensor of the joint that works hardest clips at a share of its largest value."""
    assert log.data.effort is not None
    joint = int(_heavy_joints(log)[0])
    limit = share * float(np.abs(log.data.effort[:, joint]).max())
    effort = log.data.effort.copy()
    effort[:, joint] = np.clip(effort[:, joint], -limit, limit)
    return log.physically(replace(log.data, effort=effort)), Remedy(fault="saturated", joints=(joint,), value=limit, tolerance=0.03)


def quantised(log: Log, size: tuple[str, float], rng: np.random.Generator) -> tuple[Log, Remedy]:
    """One channel in steps: of positions [rad], or of efforts, as a share of their root mean square."""
    channel, step = size
    values = getattr(log.data, channel)
    step = step if channel == "q" else step * float(np.sqrt(np.mean(values**2)))
    data = replace(log.data, **{channel: step * np.round(values / step)})
    return log.physically(data), Remedy(fault="quantised", value=step, tolerance=0.2)


def commanded(log: Log, lag: float, rng: np.random.Generator) -> tuple[Log, Remedy]:
    """Velocities are those that were asked for; the robot follows after `lag` [s]."""
    _, dq, ddq = _smooth_motion(log.data)
    return replace(log, data=replace(log.data, dq=dq + lag * ddq)), Remedy(fault="commanded", restored=("dq",))


def garbage_accelerations(log: Log, kind: str, rng: np.random.Generator) -> tuple[Log, Remedy]:
    """Accelerations that are noise, nothing, late, or in another unit."""
    assert log.data.ddq is not None
    ddq = log.data.ddq
    made = {
        "noise": lambda: rng.normal(size=ddq.shape) * ddq.std(axis=0),
        "zero": lambda: np.zeros_like(ddq),
        "late": lambda: np.roll(ddq, round(0.5 * log.data.rate), axis=0),
        "deg": lambda: np.rad2deg(ddq),
    }[kind]()
    return replace(log, data=replace(log.data, ddq=made)), Remedy(fault="garbage accelerations", restored=("ddq",))


# what the logger wrote


def gaps(log: Log, seconds: float, rng: np.random.Generator) -> tuple[Log, Remedy]:
    """Two stretches were not written; the stamps are right."""
    data, moments = _without_stretches(log.data, seconds, rng)
    return log.physically(data), Remedy(fault="gaps", times=moments)


def lost(log: Log, seconds: float, rng: np.random.Generator) -> tuple[Log, Remedy]:
    """Two stretches were not written, and the stamps are counted from the rows that were, so that positions leap."""
    data, moments = _without_stretches(log.data, seconds, rng)
    counted = data.time[0] + np.arange(data.samples) / data.rate
    leaps = np.interp(moments, data.time, counted)
    return log.physically(replace(data, time=counted)), Remedy(fault="lost", times=tuple(float(leap) for leap in leaps))


def repeated(log: Log, times: int, rng: np.random.Generator) -> tuple[Log, Remedy]:
    """Sensors are read more seldom than rows are written."""
    held = np.arange(log.data.samples) // times * times
    channels = {name: value[held] for name in _CHANNELS if (value := getattr(log.data, name)) is not None}
    return log.physically(replace(log.data, **channels)), Remedy(fault="repeated", value=float(times))


def interpolated(log: Log, times: int, rng: np.random.Generator) -> tuple[Log, Remedy]:
    """Between the samples of a slower clock, straight lines."""
    time = log.data.time
    channels = {name: _at(time, time[::times], value[::times]) for name in _CHANNELS if (value := getattr(log.data, name)) is not None}
    return log.physically(replace(log.data, **channels)), Remedy(fault="interpolated", value=float(times))


def delay(log: Log, seconds: float, rng: np.random.Generator) -> tuple[Log, Remedy]:
    """The effort was written so much after the position (before it, where negative)."""
    assert log.data.effort is not None
    time = log.data.time
    effort = _at(time - seconds, time, log.data.effort)
    kept = slice(*np.searchsorted(time, [time[0] + abs(seconds), time[-1] - abs(seconds)]))
    late = replace(log.data, effort=effort).take(kept, starts=(0,))
    return replace(log, data=late, true_data=log.true_data.take(kept, starts=(0,))), Remedy(fault="delay", value=seconds, tolerance=0.25)


def jitter(log: Log, share: float, rng: np.random.Generator) -> tuple[Log, Remedy]:
    """Samples are even, and their stamps are those of a busy computer: each late by up to a share of the period."""
    even = log.physically(resample(log.data))
    late = share / even.data.rate * rng.random(even.data.samples)
    return replace(even, data=replace(even.data, time=even.data.time + late)), Remedy(fault="jitter")


# what the user says of it


def motor_side(log: Log, ratio: float, rng: np.random.Generator) -> tuple[Log, Remedy]:
    """Everything is that of the motors, before gears of about this ratio."""
    ratios = np.round(ratio * rng.uniform(0.8, 1.2, log.robot.n))
    data = _scale(log.data, ("q", "dq", "ddq"), ratios)
    return replace(log, data=_scale(data, ("effort",), 1.0 / ratios)), Remedy(fault="motor side")


def current(log: Log, gain: float, rng: np.random.Generator) -> tuple[Log, Remedy]:
    """The effort is a current: other than the torque by a gain per joint."""
    gains = gain * rng.uniform(0.5, 2.0, log.robot.n)
    restored = ("effort",) if log.nominal == "good" else ()  # without links that are known, nobody can tell the gains
    return replace(log, data=_scale(log.data, ("effort",), 1.0 / gains)), Remedy(fault="current", restored=restored)


def offset(log: Log, angle: float, rng: np.random.Generator) -> tuple[Log, Remedy]:
    """A joint's zero is elsewhere; of that joint whose zero matters most to how well the log can be explained."""
    joint = _telling_joint(log)
    q = log.data.q.copy()
    q[:, joint] += angle
    return replace(log, data=replace(log.data, q=q)), Remedy(fault="offset", restored=("q",), joints=(joint,))


def sign(log: Log, kind: tuple[str, str], rng: np.random.Generator) -> tuple[Log, Remedy]:
    """What counts the other way: the effort or the motion or both, of a joint or two that carry weight, or of all."""
    what, which = kind
    signs = np.ones(log.robot.n)
    signs[_heavy_joints(log)[: {"one": 1, "two": 2, "all": None}[which]]] = -1.0
    channels = {"effort": ("effort",), "motion": ("q", "dq", "ddq"), "joint": _CHANNELS}[what]
    restored = {"effort": ("effort",), "motion": ("q",), "joint": ("q", "effort")}[what]
    return replace(log, data=_scale(log.data, channels, signs)), Remedy(fault="sign", restored=restored)


def order(log: Log, kind: str, rng: np.random.Generator) -> tuple[Log, Remedy]:
    """Joints in another order: two neighbours exchanged, all moved by one, all backwards; or the efforts of two alone."""
    n = log.robot.n
    places = np.arange(n)
    first = int(rng.integers(n - 1)) if n > 2 else 0
    if kind == "reversed":
        places = places[::-1]
    elif kind == "moved":
        places = np.roll(places, 1)
    else:
        places[[first, first + 1]] = places[[first + 1, first]]
    channels = ("effort",) if kind == "efforts" else _CHANNELS
    found = {name: value[:, places] for name in channels if (value := getattr(log.data, name)) is not None}
    return replace(log, data=replace(log.data, **found)), Remedy(fault="order", restored=("order",))


def mounting(log: Log, kind: str, rng: np.random.Generator) -> tuple[Log, Remedy]:
    """The robot hangs otherwise than is said: gravity is as it was, and the user gives another."""
    down = log.robot.gravity
    size = float(np.linalg.norm(down))
    said = {
        "ceiling": -down,
        "sideways": np.array([size, 0.0, 0.0]),
        "other side": np.array([0.0, -size, 0.0]),
        "tilted 30°": axis_rotation(np.array([1.0, 0.0, 0.0]), np.deg2rad(30.0))[:3, :3] @ down,
    }[kind]
    return replace(log, robot=log.robot.with_gravity(said)), Remedy(fault="mounting", restored=("gravity",))


def degrees(log: Log, channels: tuple[str, ...], rng: np.random.Generator) -> tuple[Log, Remedy]:
    """Positions are in degrees, and so are velocities and accelerations, or they are not."""
    return replace(log, data=_scale(log.data, channels, 180.0 / np.pi)), Remedy(fault="degrees", restored=("q",))


def degrees_per_second(log: Log, _: object, rng: np.random.Generator) -> tuple[Log, Remedy]:
    """Velocities alone are in degrees per second."""
    return replace(log, data=_scale(log.data, ("dq",), 180.0 / np.pi)), Remedy(fault="degrees per second", restored=("dq",))


def rpm(log: Log, _: object, rng: np.random.Generator) -> tuple[Log, Remedy]:
    """Velocities are in turns per minute."""
    return replace(log, data=_scale(log.data, ("dq",), 30.0 / np.pi)), Remedy(fault="rpm", restored=("dq",))


def counts(log: Log, per_turn: float, rng: np.random.Generator) -> tuple[Log, Remedy]:
    """Positions are the whole numbers of an encoder."""
    data = replace(log.data, q=np.round(log.data.q * per_turn / (2.0 * np.pi)))
    return replace(log, data=data), Remedy(fault="counts", restored=("q",))


def effort_unit(log: Log, factor: float, rng: np.random.Generator) -> tuple[Log, Remedy]:
    """Efforts are in mN·m, N·cm or kN·m."""
    return replace(log, data=_scale(log.data, ("effort",), factor)), Remedy(fault="effort unit", restored=("effort",))


def clock(log: Log, factor: float, rng: np.random.Generator) -> tuple[Log, Remedy]:
    """Time runs at another speed than is said; 20 is a log of 1 kHz that is read as 50 Hz."""
    return replace(log, data=replace(log.data, time=factor * log.data.time)), Remedy(fault="clock", restored=("clock",))


def clock_alone(log: Log, factor: float, rng: np.random.Generator) -> tuple[Log, Remedy]:
    """The same in a log without velocities, of which only a model can tell."""
    bare = replace(log, data=replace(log.data, dq=None, ddq=None), true_data=replace(log.true_data, dq=None, ddq=None))
    return clock(bare, factor, rng)[0], Remedy(fault="clock alone", restored=("time scale",))


_CHANNELS = ("q", "dq", "ddq", "effort")


def _scale(data: Dataset, channels: tuple[str, ...], factor: float | np.ndarray) -> Dataset:
    return replace(data, **{name: value * factor for name in channels if (value := getattr(data, name)) is not None})


def _add_effort(data: Dataset, torque: np.ndarray) -> Dataset:
    assert data.effort is not None
    return replace(data, effort=data.effort + torque)


def _smooth_motion(data: Dataset) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q, dq, ddq (N, n) on the log's stamps without the noise that differences make."""
    bare = resample(replace(data, dq=None, ddq=None, effort=None, effort_kind=None))
    smooth = low_pass(bare, min(8.0, 0.2 * bare.rate))
    found = differentiate(smooth)
    assert found.dq is not None
    assert found.ddq is not None
    return _at(data.time, found.time, found.q), _at(data.time, found.time, found.dq), _at(data.time, found.time, found.ddq)


def _at(time: np.ndarray, known: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Columns (N, n) at other moments, by straight lines."""
    return np.column_stack([np.interp(time, known, column) for column in values.T])


def _point_mass(log: Log, mass: float, lever: np.ndarray) -> np.ndarray:
    """(n, 10) parameters of a small ball on the last link and nothing else."""
    parameters = np.zeros((log.robot.n, 10))
    x, y, z = lever
    inertia = mass * np.array([y * y + z * z, -x * y, -x * z, x * x + z * z, -y * z, x * x + y * y])
    parameters[-1] = [mass, *(mass * lever), *(inertia + 0.001 * mass * np.array([1.0, 0, 0, 1.0, 0, 1.0]))]
    return parameters


def _heavy_joints(log: Log) -> np.ndarray:
    """Joints whose load of gravity varies most, first the most."""
    return np.argsort(-gravity(log.true_robot, log.links, log.data.q).std(axis=0))


def _telling_joint(log: Log) -> int:
    """The joint an offset of which explains the log worst; turned frames of links take up that of others whole."""
    return int(np.argmax(_unexplained_with_offsets(log)[1:]))


def _zeros_tell(log: Log) -> bool:
    """Whether an offset of some joint makes the log harder to explain; in logs of few joints, or of little motion, it does not."""
    plain, *moved = _unexplained_with_offsets(log)
    return max(moved) >= _TELLS * plain


def _unexplained_with_offsets(log: Log) -> tuple[float, ...]:
    """What is unexplained [%] of the log without a fault, and with an offset of each joint in turn."""
    if log.name not in _unexplained:
        offsets = [np.zeros(log.robot.n), *(0.2 * np.eye(log.robot.n))]
        moved = [replace(log.true_data, q=log.true_data.q + offset) for offset in offsets]
        estimates = [identify(log.true_robot, data, friction=linear()) for data in moved]
        _unexplained[log.name] = tuple(estimate.residuals.relative_percent for estimate in estimates)
    return _unexplained[log.name]


_unexplained: dict[str, tuple[float, ...]] = {}
#: An offset tells where it makes what is unexplained so many times as large.
_TELLS = 1.5


def _without_stretches(data: Dataset, seconds: float, rng: np.random.Generator) -> tuple[Dataset, tuple[float, ...]]:
    moments = data.time[0] + (data.time[-1] - data.time[0]) * np.array([rng.uniform(0.2, 0.45), rng.uniform(0.55, 0.8)])
    kept = np.all([np.abs(data.time - moment) > 0.5 * seconds for moment in moments], axis=0)
    return data.take(np.flatnonzero(kept), starts=(0,)), tuple(float(moment) for moment in moments)


_DQ, _DDQ, _VIRTUAL, _NOMINAL = frozenset({"dq"}), frozenset({"ddq"}), frozenset({"virtual"}), frozenset({"nominal"})
FAULTS = (
    Fault(name="wall", sizes=(0, 1), apply=wall, needs=_VIRTUAL),
    Fault(name="little motion", sizes=(0.0, 0.03), apply=little_motion, needs=_VIRTUAL),
    Fault(name="standstill", sizes=(0.5, 0.8), apply=standstill, needs=_VIRTUAL),
    Fault(name="payload", sizes=(0.08, 0.25), apply=payload, needs=_NOMINAL),
    Fault(name="pushes", sizes=(0.5, 1.5), apply=pushes),
    Fault(name="warm-up", sizes=(1.6, 2.5), apply=warm_up),
    Fault(name="compensated", sizes=("",), apply=compensated),
    Fault(name="saturated", sizes=(0.5, 0.8), apply=saturated),
    Fault(name="quantised", sizes=(("q", 0.005), ("q", 0.02), ("effort", 0.1), ("effort", 0.3)), apply=quantised),
    Fault(name="commanded", sizes=(0.05, 0.1), apply=commanded, needs=_DQ),
    Fault(name="garbage accelerations", sizes=("noise", "zero", "late", "deg"), apply=garbage_accelerations, needs=_DDQ),
    Fault(name="gaps", sizes=(0.3, 1.0), apply=gaps),
    Fault(name="lost", sizes=(0.3, 1.0), apply=lost),
    Fault(name="repeated", sizes=(2, 5), apply=repeated),
    Fault(name="interpolated", sizes=(3, 8), apply=interpolated),
    Fault(name="delay", sizes=(0.03, 0.1, -0.05), apply=delay),
    Fault(name="jitter", sizes=(0.6, 0.9), apply=jitter, needs=_DQ),
    Fault(name="motor side", sizes=(50.0, 120.0), apply=motor_side),
    Fault(name="current", sizes=(5.0, 20.0), apply=current),
    Fault(name="offset", sizes=(0.1, 0.3, 1.5708), apply=offset, needs=frozenset({"telling joint"})),
    Fault(
        name="sign",
        sizes=tuple((what, which) for what in ("effort", "motion", "joint") for which in ("one", "two", "all")),
        apply=sign,
    ),
    Fault(name="order", sizes=("two", "moved", "reversed", "efforts"), apply=order),
    Fault(name="mounting", sizes=("ceiling", "sideways", "other side", "tilted 30°"), apply=mounting),
    Fault(name="degrees", sizes=(("q", "dq", "ddq"), ("q",)), apply=degrees),
    Fault(name="degrees per second", sizes=("",), apply=degrees_per_second, needs=_DQ),
    Fault(name="rpm", sizes=("",), apply=rpm, needs=_DQ),
    Fault(name="counts", sizes=(4096.0, 2.0**19), apply=counts),
    Fault(name="effort unit", sizes=(1000.0, 100.0, 0.001), apply=effort_unit),
    Fault(name="clock", sizes=(20.0, 2.0, 0.05, 1000.0), apply=clock, needs=_DQ),
    Fault(name="clock alone", sizes=(20.0, 0.05), apply=clock_alone),
)
