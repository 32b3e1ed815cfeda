# pyright: basic
"""Joint states as messages bring them: which joints and quantities a message holds, and all of them on one clock.

A message is known by its fields, in whatever encoding: names with positions, velocities and efforts (sensor_msgs/JointState, Foxglove's
JointStates), names with interfaces and their values (control_msgs/DynamicJointState), or names with the measured point of a trajectory
(control_msgs/JointTrajectoryControllerState). Publishers have clocks of their own, and each may know a part of the joints.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynident.core.arrays import Array, IntArray
from dynident.data.signals.clocks import merge_clocks

_log = logging.getLogger(__name__)

QUANTITIES = ("position", "velocity", "acceleration", "effort")
#: Names of the fields that hold a quantity, of one joint or of all.
_FIELDS = {name: (name, f"{name[:-1]}ies" if name.endswith("y") else f"{name}s") for name in QUANTITIES}
#: Fields of a controller's state that are what was measured; `actual` is what older versions call it.
_MEASURED = ("feedback", "actual")


class JointStates(NamedTuple):
    """What one message says: names of joints, and per quantity a value for each of them (NaN where there is none)."""

    names: tuple[str, ...]
    values: Mapping[str, Sequence[float]]


def joint_states(message: Any) -> JointStates | None:
    """The joint states in a message, an object with attributes or a mapping; None where it is something else."""
    joints = _get(message, "joints")
    if joints is not None and len(joints) and _get(joints[0], "name") is not None:
        names = tuple(str(_get(joint, "name")) for joint in joints)
        return JointStates(names, {name: [_number(_get(joint, name)) for joint in joints] for name in QUANTITIES})
    interfaces = _get(message, "interface_values")
    if interfaces is not None:
        names = tuple(map(str, _get(message, "joint_names")))
        by_interface = [dict(zip(_get(item, "interface_names"), _get(item, "values"), strict=True)) for item in interfaces]
        return JointStates(names, {name: [_number(item.get(name)) for item in by_interface] for name in QUANTITIES})
    names = _get(message, "name") if _get(message, "name") is not None else _get(message, "joint_names")
    if names is None or isinstance(names, str):
        return None
    measured = next((value for key in _MEASURED if (value := _get(message, key)) is not None), message)
    fields = {name: next((values for key in keys if (values := _get(measured, key)) is not None), ()) for name, keys in _FIELDS.items()}
    if not any(len(values) for values in fields.values()):
        return None
    return JointStates(tuple(map(str, names)), {name: values for name, values in fields.items() if len(values) == len(names)})


def header_stamp(message: Any) -> int | None:
    """The time in a message's header [ns]; None where there is none, or it is zero."""
    header = _get(message, "header")
    stamp = _get(header, "stamp") if header is not None else _get(message, "timestamp")
    for whole, rest in (("sec", "nanosec"), ("secs", "nsecs"), ("seconds", "nanos"), ("sec", "nsec")):
        if stamp is not None and _get(stamp, whole) is not None and _get(stamp, rest) is not None:
            return int(_get(stamp, whole)) * 1_000_000_000 + int(_get(stamp, rest)) or None
    return None


def _get(message: Any, name: str) -> Any:
    return message.get(name) if isinstance(message, Mapping) else getattr(message, name, None)


def _number(value: Any) -> float:
    return float("nan") if value is None else float(value)


@dataclass
class Series:
    """The states of one set of joints in one topic, message by message. stamps : [ns]."""

    names: tuple[str, ...]
    stamps: list[int] = field(default_factory=list)
    values: dict[str, list[Sequence[float]]] = field(default_factory=lambda: {name: [] for name in QUANTITIES})

    def append(self, stamp: int, states: JointStates) -> None:
        self.stamps.append(stamp)
        missing = (float("nan"),) * len(self.names)
        for name, rows in self.values.items():
            rows.append(states.values.get(name, missing))


class Channel(NamedTuple):
    """One quantity of one joint: stamps [ns] that increase, and values."""

    stamps: IntArray
    values: Array


class StampsGoBackError(ValueError):
    """The stamps of a topic go back."""

    def __init__(self, topic: str, seconds: float, at: float) -> None:
        self.topic = topic
        super().__init__(f"stamps of {topic} go back by {seconds:.3g} s, {at:.3f} s after its first")


def channels_of(topic: str, series: Iterable[Series]) -> dict[tuple[str, str], Channel]:
    """{(quantity, joint): channel} of a topic, without what no message holds; messages that repeat a stamp are dropped."""
    channels: dict[tuple[str, str], Channel] = {}
    for item in series:
        stamps = np.array(item.stamps, dtype=np.int64)
        steps = np.diff(stamps)
        if np.any(steps < 0):
            i = int(np.argmin(steps))
            raise StampsGoBackError(topic, -1e-9 * float(steps[i]), 1e-9 * float(stamps[i] - stamps[0]))
        new = np.append(True, steps > 0)
        if not np.all(new):
            _log.info("%s: %d messages repeat the stamp of the one before and are left out", topic, int((~new).sum()))
        for quantity, rows in item.values.items():
            values = np.array(rows, dtype=float)[new]
            for j, joint in enumerate(item.names):
                there = np.isfinite(values[:, j])
                if there.any():
                    channels.setdefault((quantity, joint), Channel(stamps[new][there], values[there, j]))
    return channels


def merge_channels(channels: Mapping[tuple[str, str], Channel], joints: Sequence[str]) -> dict[str, NDArray[Any]]:
    """The table of these joints on the clock of the first one's position, where all of their channels were recorded.

    Quantities that not all of them have are left out. Values between samples are those of cubics; where a channel was silent for more than
    ten of its periods, the joint is masked. Raises ValueError where channels have no time in common.
    """
    chosen = {
        name: [channels[name, joint] for joint in joints] for name in QUANTITIES if all((name, joint) in channels for joint in joints)
    }
    clock = chosen["position"][0].stamps
    merged = merge_clocks(clock, [channel for of_joints in chosen.values() for channel in of_joints])
    kept = clock[merged.kept]
    if len(kept) < 2:
        raise ValueError("the topics have no time in common")
    shape = (len(chosen), len(joints), len(kept))
    values, heard = np.reshape(merged.values, shape), np.asarray(np.reshape(merged.heard, shape).all(axis=0))
    table: dict[str, NDArray[Any]] = {"time": np.asarray(1e-9 * (kept - kept[0]), dtype=float), "joint_names": np.array(joints)}
    table |= {name: rows.T for name, rows in zip(chosen, values, strict=True)}
    if not heard.all():
        table["mask"] = heard.T
    return table
