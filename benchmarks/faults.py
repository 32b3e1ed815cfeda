"""31 kinds of faults of a log: what makes a log wrong, and what a right answer must restore or name.

Kinds are in the order in which faults happen, first what the robot and its logger did, then what a reader takes the numbers for. Each kind
has sizes that divide the eight logs of the study evenly.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.doctor_logs import Log
from dynident import Robot, load_dataset
from dynident.data import Dataset, differentiate, low_pass, resample, shift_effort
from dynident.dynamics import gravity, inverse_dynamics

MOTION = ("q", "dq", "ddq")
CHANNELS = (*MOTION, "effort")
#: Joints count as loaded from this share of the largest standard deviation of the torque of gravity; faults of one joint are put there.
LOADED = 0.2
#: Usual tolerance of the gains of restored efforts, because links are known to 30 %.
GAIN = 1.3
#: What is unknown at the flange [kg], and how far from it [m].
PAYLOAD, LEVER = 2.8, 0.08


@dataclass(frozen=True, kw_only=True, eq=False)
class Case:
    """A log as the doctor gets it, and as it should be.

    robot, data : what the doctor gets.  true_robot, true_data : what a right correction makes of them.
    test : motion on which models are judged, of the true robot.
    joints : which must be named where no correction restores the log.
    bad : (N, n) samples that may be masked; None where the fault is in no particular sample.
    slipped : (n,) by how much less positions are where the other zero of a joint that leaps is taken for the right one.
    """

    log: Log
    robot: Robot
    data: Dataset
    true_robot: Robot
    true_data: Dataset
    test: Dataset
    joints: tuple[int, ...] = ()
    bad: np.ndarray | None = None
    slipped: np.ndarray | float = 0.0

    def happened(self, data: Dataset, **changes: Any) -> Case:
        """The same where this is what was recorded, and no reader can bring back what was lost."""
        return replace(self, data=data, true_data=data, **changes)

    def read(self, **channels: np.ndarray | None) -> Case:
        """The same with channels that are taken for something else than they are."""
        return replace(self, data=replace(self.data, **channels))


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of fault.

    sizes : of which the cases of the kind have equal numbers.
    words : stems of which the name of a right finding contains one. Empty: only a correction can be right.
    group : what it is about; kinds of one group are not paired, because one would hide or redefine the other.
    gain : largest factor by which restored efforts may be wrong; above the usual one of loaded joints alone.
    zero : largest error of restored positions [degrees].
    needs : channels that the log must have, made from its positions where it has not.
    """

    name: str
    apply: Callable[[Case, Any, np.random.Generator], Case]
    sizes: tuple[Any, ...] = (None,)
    words: tuple[str, ...] = ()
    group: frozenset[str] = frozenset()
    gain: float = GAIN
    zero: float = 2.0
    needs: tuple[str, ...] = ()


def make_case(log: Log, chosen: list[tuple[Kind, Any]], seed: int) -> Case:
    """A log with faults, in the order in which they happen."""
    rng = np.random.default_rng(seed)
    case = Case(log=log, robot=log.robot, data=log.data, true_robot=log.robot, true_data=log.data, test=log.test)
    for kind, size in sorted(chosen, key=lambda item: KINDS.index(item[0])):
        missing = [name for name in kind.needs if getattr(case.data, name) is None]
        if missing:
            motion = dict(zip(MOTION, _smooth(case.data), strict=True))
            noisy = {name: motion[name] + 0.005 * motion[name].std(axis=0) * rng.normal(size=motion[name].shape) for name in missing}
            case = case.happened(replace(case.data, **noisy))
        case = kind.apply(case, size, rng)
    return case


# what the robot did and what its sensors and logger made of it


def mounting(case: Case, down: tuple[float, float, float], rng: np.random.Generator) -> Case:
    """The robot hangs on a wall or the ceiling and the description says the floor; of recorded logs the other way round."""
    direction = np.linalg.norm(case.robot.gravity) * np.array(down)
    if case.log.hang is None:
        return replace(case, robot=case.robot.with_gravity(direction))
    hung, test = case.log.hang(direction)
    return replace(case.happened(hung), true_robot=case.robot.with_gravity(direction), test=test)


def payload(case: Case, _: None, rng: np.random.Generator) -> Case:
    """A tool at the flange that the description does not have."""
    x, y, z = case.robot.tool[:3, 3] + np.array([0.0, 0.0, LEVER])
    inertia = np.array([y * y + z * z, -x * y, -x * z, x * x + z * z, -y * z, x * x + y * y]) + 1e-3 * np.array([1.0, 0, 0, 1.0, 0, 1.0])
    ball = np.zeros((case.robot.n, 10))
    ball[-1] = PAYLOAD * np.array([1.0, x, y, z, *inertia])
    return case.happened(_add_effort(case.data, inverse_dynamics(case.true_robot, ball, *_smooth(case.data))))


def pushes(case: Case, _: None, rng: np.random.Generator) -> Case:
    """Two pushes of 0.6 s, as large as the usual torque of each joint."""
    time = case.data.time
    shape = np.zeros(len(time))
    for moment in _two_moments(time, rng):
        shape = shape + np.clip(1.0 - np.abs(time - moment) / 0.3, 0.0, None)
    size = _effort(case.data).std(axis=0) * rng.choice([-1.0, 1.0], case.robot.n)
    bad = np.tile(shape[:, None] > 0.0, (1, case.robot.n))
    return case.happened(_add_effort(case.data, shape[:, None] * size), bad=bad)


def compensated(case: Case, _: None, rng: np.random.Generator) -> Case:
    """The controller took gravity off the torque that it reports."""
    data, test = (_add_effort(item, -gravity(case.true_robot, case.log.links, item.q)) for item in (case.data, case.test))
    return replace(case.happened(data), true_robot=case.true_robot.with_gravity(np.zeros(3)), test=test)


def dead(case: Case, kind: str, rng: np.random.Generator) -> Case:
    """The torque of one joint is zero, or stuck at a value."""
    joint = _loaded_joint(case, rng)
    effort = _effort(case.data).copy()
    effort[:, joint] = 0.0 if kind == "zeros" else effort[len(effort) // 3, joint]
    return case.happened(replace(case.data, effort=effort), joints=(joint,), bad=_column(case, joint))


def clipping(case: Case, share: float, rng: np.random.Generator) -> Case:
    """The torque of a joint clips at a share of its largest deviation from its mean."""
    joint = _loaded_joint(case, rng)
    effort = _effort(case.data).copy()
    column = effort[:, joint].copy()
    centre = column.mean()
    limit = share * np.abs(column - centre).max()
    effort[:, joint] = np.clip(column, centre - limit, centre + limit)
    bad = np.zeros(effort.shape, dtype=bool)
    bad[:, joint] = effort[:, joint] != column
    return case.happened(replace(case.data, effort=effort), joints=(joint,), bad=bad)


def repeated(case: Case, times: int, rng: np.random.Generator) -> Case:
    """Rows are written more often than sensors are read."""
    rows = np.arange(case.data.samples) // times * times
    bad = np.tile((rows != np.arange(case.data.samples))[:, None], (1, case.robot.n))
    return case.happened(replace(case.data, **{name: values[rows] for name, values in _channels(case.data).items()}), bad=bad)


def leap(case: Case, angle: float, rng: np.random.Generator) -> Case:
    """The position of a joint leaps at one moment and stays wrong from there."""
    joint = _loaded_joint(case, rng)
    row = int(case.data.samples * rng.uniform(0.35, 0.65))
    q = case.data.q.copy()
    q[row:, joint] += angle
    rows = np.arange(case.data.samples)
    shorter = rows >= row if 2 * row > case.data.samples else rows < row
    near = np.abs(rows - row) < 0.5 * case.data.rate
    bad = np.tile((shorter | near)[:, None], (1, case.robot.n))
    slipped = angle * (np.arange(case.robot.n) == joint)
    return case.happened(replace(case.data, q=q), joints=(joint,), bad=bad, slipped=slipped)


def gaps(case: Case, seconds: float, rng: np.random.Generator) -> Case:
    """Two stretches were not written."""
    return _without_stretches(case, seconds, rng)


def lost(case: Case, seconds: float, rng: np.random.Generator) -> Case:
    """Two stretches were not written, and the stamps are counted from the rows that were."""
    cut = _without_stretches(case, seconds, rng)
    return cut.happened(replace(cut.data, time=np.arange(cut.data.samples) / case.data.rate))


def commanded(case: Case, lead: float, rng: np.random.Generator) -> Case:
    """Velocities are those that were asked for, which the robot follows later [s]."""
    time, dq = case.data.time, _smooth(case.data)[1]
    return case.read(dq=np.column_stack([np.interp(time + lead, time, column) for column in dq.T]))


def garbage(case: Case, kind: str, rng: np.random.Generator) -> Case:
    """Accelerations that are noise, or zeros."""
    assert case.data.ddq is not None
    ddq = case.data.ddq
    return case.read(ddq=np.zeros_like(ddq) if kind == "zeros" else rng.normal(size=ddq.shape) * ddq.std(axis=0))


# what a reader takes the numbers for


def degrees(case: Case, channels: tuple[str, ...], rng: np.random.Generator) -> Case:
    """Positions, with velocities and accelerations or alone, are in degrees."""
    return case.read(**{name: np.rad2deg(values) for name, values in _channels(case.data).items() if name in channels})


def velocity_unit(case: Case, factor: float, rng: np.random.Generator) -> Case:
    """Velocities alone are in degrees per second or turns per minute."""
    assert case.data.dq is not None
    return case.read(dq=factor * case.data.dq)


def swapped(case: Case, _: None, rng: np.random.Generator) -> Case:
    """The columns of two neighbouring joints are exchanged in all channels."""
    first = min(_loaded_joint(case, rng), case.robot.n - 2)
    order = np.arange(case.robot.n)
    order[[first, first + 1]] = order[[first + 1, first]]
    return case.read(**{name: values[:, order] for name, values in _channels(case.data).items()})


def reversed_position(case: Case, _: None, rng: np.random.Generator) -> Case:
    """The motion of one joint counts the other way."""
    return _reverse(case, MOTION, _loaded_joint(case, rng))


def reversed_torque(case: Case, _: None, rng: np.random.Generator) -> Case:
    """The torque of one joint counts the other way."""
    return _reverse(case, ("effort",), _loaded_joint(case, rng))


def reversed_all(case: Case, channels: tuple[str, ...], rng: np.random.Generator) -> Case:
    """All positions, or all torques, count the other way."""
    return _reverse(case, channels, slice(None))


def zero(angle: float) -> Callable[[Case, None, np.random.Generator], Case]:
    """The zero of a joint is elsewhere [degrees]."""

    def apply(case: Case, _: None, rng: np.random.Generator) -> Case:
        q = case.data.q.copy()
        q[:, _loaded_joint(case, rng)] += np.deg2rad(angle) * rng.choice([-1.0, 1.0])
        return case.read(q=q)

    return apply


def clock(case: Case, factor: float, rng: np.random.Generator) -> Case:
    """The stamps run so many times too slowly."""
    return case.read(time=factor * case.data.time)


def misread_rate(case: Case, rate: float, rng: np.random.Generator) -> Case:
    """A log of 30 Hz is read as one of another rate; at less than half of it, runs of rows are lost as well."""
    data = resample(low_pass(resample(case.data), 12.0), 30.0)
    nearest = np.round(np.interp(data.time, case.data.time, np.arange(case.data.samples))).astype(int)
    slow = case.happened(data, bad=None if case.bad is None else case.bad[nearest])
    slow = _without_stretches(slow, 0.2, rng) if rate < 15.0 else slow
    rows = np.arange(slow.data.samples)
    return slow.happened(replace(slow.data, time=rows / 30.0)).read(time=rows / rate)


def joint_gain(case: Case, factor: float, rng: np.random.Generator) -> Case:
    """The torque of one joint is too large by a factor."""
    gains = np.ones(case.robot.n)
    gains[_loaded_joint(case, rng)] = factor
    return case.read(effort=gains * _effort(case.data))


def effort_unit(case: Case, factor: float, rng: np.random.Generator) -> Case:
    """Torques are in another unit."""
    return case.read(effort=factor * _effort(case.data))


def currents(case: Case, _: None, rng: np.random.Generator) -> Case:
    """Currents are taken for torques; 6 to 16 N·m belong to an ampere."""
    return case.read(effort=_effort(case.data) / rng.uniform(6.0, 16.0, case.robot.n))


def motor_side(case: Case, _: None, rng: np.random.Generator) -> Case:
    """Torques are those of the motors, before gears of 50 to 160."""
    return case.read(effort=_effort(case.data) / np.round(rng.uniform(50.0, 160.0, case.robot.n)))


def delay(case: Case, seconds: float, rng: np.random.Generator) -> Case:
    """Torques were written so much later than positions."""
    late = shift_effort(case.data, -seconds)
    kept = np.searchsorted(case.data.time, late.time)
    names = (*_channels(case.data), "time")
    true = replace(late, **{name: getattr(case.true_data, name)[kept] for name in names if name != "time"}, time=case.true_data.time[kept])
    bad = None if case.bad is None else case.bad[kept]
    return replace(case, data=late, true_data=true, bad=bad)


def rounded(case: Case, _: None, rng: np.random.Generator) -> Case:
    """Stamps are written with two digits, and the log is read from a file."""
    names = [f"{name}{joint + 1}" for name in _channels(case.data) for joint in range(case.robot.n)]
    table = np.column_stack([np.round(case.data.time, 2), *_channels(case.data).values()])
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "log.csv"
        header = ",".join(("time", *(name.replace("effort", "tau") for name in names)))
        np.savetxt(file, table, fmt=["%.2f", *["%.9g"] * len(names)], delimiter=",", header=header, comments="")
        loaded = load_dataset(file)
    assert isinstance(loaded, Dataset)
    read = replace(loaded, joint_names=case.data.joint_names, gears=case.data.gears)
    true = replace(read, time=case.data.time)  # what the stamps were is known, and may be restored
    return replace(case, data=read, true_data=true, bad=np.ones(read.q.shape, dtype=bool))


def _channels(data: Dataset) -> dict[str, np.ndarray]:
    return {name: values for name in CHANNELS if (values := getattr(data, name)) is not None}


def _effort(data: Dataset) -> np.ndarray:
    assert data.effort is not None
    return data.effort


def _add_effort(data: Dataset, torque: np.ndarray) -> Dataset:
    return replace(data, effort=_effort(data) + torque)


def _reverse(case: Case, channels: tuple[str, ...], joints: int | slice) -> Case:
    signs = np.ones(case.robot.n)
    signs[joints] = -1.0
    return case.read(**{name: signs * values for name, values in _channels(case.data).items() if name in channels})


def _smooth(data: Dataset) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q, dq, ddq (N, n) at the log's stamps, below 8 Hz."""
    bare = resample(replace(data, dq=None, ddq=None, effort=None, effort_kind=None))
    motion = differentiate(low_pass(bare, min(8.0, 0.2 * bare.rate)))
    q, dq, ddq = (np.column_stack([np.interp(data.time, motion.time, column) for column in getattr(motion, name).T]) for name in MOTION)
    return q, dq, ddq


def loaded_joints(log: Log) -> np.ndarray:
    """(n,) whether gravity loads a joint in a way that varies."""
    load = gravity(log.robot, log.links, log.data.q).std(axis=0)
    return load >= LOADED * load.max()


def _loaded_joint(case: Case, rng: np.random.Generator) -> int:
    return int(rng.choice(np.flatnonzero(loaded_joints(case.log))))


def _column(case: Case, joint: int) -> np.ndarray:
    bad = np.zeros(case.data.q.shape, dtype=bool)
    bad[:, joint] = True
    return bad


def _two_moments(time: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return time[0] + (time[-1] - time[0]) * np.array([rng.uniform(0.2, 0.45), rng.uniform(0.55, 0.8)])


def _without_stretches(case: Case, seconds: float, rng: np.random.Generator) -> Case:
    time = case.data.time
    near = np.array([np.abs(time - moment) for moment in _two_moments(time, rng)]).min(axis=0)
    kept = near > 0.5 * seconds
    bad = np.tile((near < 0.5 * seconds + 0.5)[kept, None], (1, case.robot.n))
    if case.bad is not None:
        bad = bad | case.bad[kept]
    return case.happened(case.data.take(np.flatnonzero(kept), starts=(0,)), bad=bad)


_SCALE, _GRAVITY, _CLOCK, _JOINT, _ROWS = (frozenset({name}) for name in ("scale", "gravity", "clock", "joint", "rows"))
_EVERYTHING = _SCALE | _GRAVITY | _CLOCK | _JOINT | _ROWS | {"motion"}
_SCALE_WORDS = ("current", "motor", "gain", "scale")
KINDS = (
    Kind(name="mounting", apply=mounting, sizes=((1.0, 0.0, 0.0), (0.0, 0.0, 1.0)), group=_GRAVITY | _JOINT),
    Kind(name="payload", apply=payload, words=("payload", "tool", "load"), group=_SCALE | _GRAVITY),
    Kind(name="pushes", apply=pushes, words=("contact", "push", "collision", "external"), group=_ROWS),
    Kind(name="gravity compensated", apply=compensated, group=_GRAVITY | _SCALE),
    Kind(name="dead channel", apply=dead, sizes=("zeros", "stuck"), words=("dead", "stuck", "constant", "channel"), group=_JOINT | _SCALE),
    Kind(name="clipping", apply=clipping, sizes=(0.5, 0.7), words=("satur", "clip"), group=_JOINT),
    Kind(name="repeated samples", apply=repeated, sizes=(3, 5), words=("repeat", "held", "hold", "interpol"), group=_ROWS | _CLOCK),
    Kind(name="leap", apply=leap, sizes=(0.1, 0.3), words=("leap", "step", "jump", "slip"), group=_ROWS | _JOINT),
    Kind(name="gaps", apply=gaps, sizes=(0.5, 1.0), words=("gap",), group=_ROWS | _CLOCK),
    Kind(name="lost samples", apply=lost, sizes=(0.5, 1.0), words=("leap", "gap", "lost", "step", "missing"), group=_ROWS | _CLOCK),
    Kind(name="misread rate", apply=misread_rate, sizes=(25.0, 12.5), needs=("dq",), group=_CLOCK | _ROWS),
    Kind(name="commanded velocity", apply=commanded, sizes=(0.1, 0.2), needs=("dq",), group=_CLOCK),
    Kind(name="garbage accelerations", apply=garbage, sizes=("noise", "zeros"), needs=("dq", "ddq"), group=_CLOCK),
    Kind(name="degrees", apply=degrees, sizes=(MOTION, ("q",)), group=frozenset({"motion"}) | _CLOCK),
    Kind(name="velocity unit", apply=velocity_unit, sizes=(180.0 / np.pi, 30.0 / np.pi), needs=("dq",), group=_CLOCK),
    Kind(name="order swapped", apply=swapped, group=_JOINT),
    Kind(name="position reversed", apply=reversed_position, group=_JOINT),
    Kind(name="torque reversed", apply=reversed_torque, group=_JOINT),
    Kind(name="all reversed", apply=reversed_all, sizes=(MOTION, ("effort",)), group=_GRAVITY | _JOINT),
    Kind(name="zero of 5°", apply=zero(5.0), group=frozenset({"motion"}) | _JOINT | _GRAVITY),
    Kind(name="zero of 30°", apply=zero(30.0), zero=3.0, group=frozenset({"motion"}) | _JOINT | _GRAVITY),
    Kind(name="zero of 90°", apply=zero(90.0), zero=9.0, group=frozenset({"motion"}) | _JOINT | _GRAVITY),
    Kind(name="clock x20", apply=clock, sizes=(20.0,), group=_CLOCK),
    Kind(name="gain of one joint", apply=joint_gain, sizes=(2.0, 0.5), group=_SCALE | _JOINT),
    Kind(name="effort unit", apply=effort_unit, sizes=(10.1972, 1000.0), group=_SCALE),
    Kind(name="currents as torque", apply=currents, words=_SCALE_WORDS, group=_SCALE, gain=2.0),
    Kind(name="motor-side torque", apply=motor_side, words=_SCALE_WORDS, group=_SCALE, gain=2.0),
    Kind(name="delay of 3 ms", apply=delay, sizes=(0.003,), group=_ROWS | _CLOCK),
    Kind(name="delay of 10 ms", apply=delay, sizes=(0.01,), group=_ROWS | _CLOCK),
    Kind(name="delay of 20 ms", apply=delay, sizes=(0.02,), group=_ROWS | _CLOCK),
    Kind(name="rounded stamps", apply=rounded, words=("stamp", "time", "jitter", "clock", "round"), group=_EVERYTHING),
)
