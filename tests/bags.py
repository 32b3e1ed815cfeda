"""Bags of every kind as other programs write them: ROS 2 in SQLite and MCAP, ROS 1, and MCAP with JSON or Protobuf."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from mcap.writer import Writer as McapWriter
from rosbags.rosbag1 import Writer as Writer1
from rosbags.rosbag2 import StoragePlugin
from rosbags.rosbag2 import Writer as Writer2
from rosbags.typesys import Stores, get_typestore

from dynident.data.formats.bag import _typestore

START = 1_700_000_000_000_000_000


class State(NamedTuple):
    """One message, received `time` [s] after the start; its header says `stamp` [s], else the same.

    kind : JointState, DynamicJointState, JointTrajectoryControllerState or String.
    """

    topic: str
    kind: str
    time: float
    names: Sequence[str] = ()
    values: Mapping[str, Sequence[float]] = {}
    stamped: bool = True
    stamp: float | None = None


def joint_states(topic: str, time: Sequence[float], names: Sequence[str], kind: str = "JointState", **arrays: np.ndarray) -> list[State]:
    """Messages of arrays (N, n): position, velocity, acceleration, effort."""
    return [State(topic, kind, float(t), names, {name: array[i] for name, array in arrays.items()}) for i, t in enumerate(time)]


def write_bag(path: Path, states: Iterable[State]) -> Path:
    """A folder (SQLite; MCAP where it is called *_mcap), a .bag, or a lone .mcap or .db3."""
    ordered = sorted(states, key=lambda state: state.time)
    if path.suffix == ".bag":
        return _write_ros1(path, ordered)
    if path.suffix in (".mcap", ".db3"):
        folder = write_bag(path.with_name(path.stem + ("_mcap" if path.suffix == ".mcap" else "_db3")), ordered)
        next(folder.glob(f"*{path.suffix}")).rename(path)
        return path
    store = _typestore(_OLD)
    plugin = StoragePlugin.MCAP if path.name.endswith("_mcap") else StoragePlugin.SQLITE3
    with Writer2(path, version=8, storage_plugin=plugin) as writer:
        connections: dict[str, Any] = {}
        for state in ordered:
            name = _TYPES[state.kind]
            if state.topic not in connections:
                connections[state.topic] = writer.add_connection(state.topic, name, typestore=store)
            writer.write(connections[state.topic], START + round(1e9 * state.time), store.serialize_cdr(_message(store, state), name))
    return path


def write_json_mcap(path: Path, states: Iterable[State], *, protobuf: bool = False) -> Path:
    """An MCAP file with one JSON object, or one Protobuf message, per state."""
    with path.open("wb") as stream:
        if protobuf:
            from mcap_protobuf.writer import Writer

            with Writer(stream) as proto:
                for state in states:
                    proto.write_message(state.topic, _foxglove(state), log_time=START + round(1e9 * state.time), publish_time=0)
            return path
        writer = McapWriter(stream)
        writer.start()
        schema = writer.register_schema("JointState", "jsonschema", b"{}")
        channels: dict[str, int] = {}
        for state in states:
            channel = channels.setdefault(state.topic, 0) or writer.register_channel(state.topic, "json", schema)
            channels[state.topic] = channel
            content = {"name": list(state.names), **{name: np.asarray(values).tolist() for name, values in state.values.items()}}
            time = START + round(1e9 * state.time)
            writer.add_message(channel, log_time=time, publish_time=time, data=json.dumps(content).encode())
        writer.finish()
    return path


_OLD = """std_msgs/Header header
string[] joint_names
trajectory_msgs/JointTrajectoryPoint desired
trajectory_msgs/JointTrajectoryPoint actual
trajectory_msgs/JointTrajectoryPoint error
"""
_TYPES = {
    "JointState": "sensor_msgs/msg/JointState",
    "DynamicJointState": "control_msgs/msg/DynamicJointState",
    "JointTrajectoryControllerState": "control_msgs/msg/JointTrajectoryControllerState",
    "String": "std_msgs/msg/String",
}


def _message(store: Any, state: State, *, ros1: bool = False) -> Any:
    types = store.types
    if state.kind == "String":
        return types["std_msgs/msg/String"](data="hello")
    stamp = types["builtin_interfaces/msg/Time"](**_seconds(state) if state.stamped else {"sec": 0, "nanosec": 0})
    sequence = {"seq": 0} if ros1 else {}
    header = types["std_msgs/msg/Header"](stamp=stamp, frame_id="", **sequence)
    empty = np.zeros(0)
    if state.kind == "JointState":
        fields = {name: np.array(state.values.get(name, empty), dtype=float) for name in ("position", "velocity", "effort")}
        return types[_TYPES[state.kind]](header=header, name=list(state.names), **fields)
    if state.kind == "DynamicJointState":
        interfaces = [
            types["control_msgs/msg/InterfaceValue"](
                interface_names=list(state.values), values=np.array([values[j] for values in state.values.values()], dtype=float)
            )
            for j in range(len(state.names))
        ]
        return types[_TYPES[state.kind]](header=header, joint_names=list(state.names), interface_values=interfaces)
    plural = {"position": "positions", "velocity": "velocities", "acceleration": "accelerations", "effort": "effort"}
    duration = types["builtin_interfaces/msg/Duration"](sec=0, nanosec=0)

    def point(values: Mapping[str, Sequence[float]]) -> Any:
        fields = {field: np.array(values.get(name, empty), dtype=float) for name, field in plural.items()}
        return types["trajectory_msgs/msg/JointTrajectoryPoint"](time_from_start=duration, **fields)

    wrong = {name: 99.0 + np.asarray(values) for name, values in state.values.items()}
    return types[_TYPES[state.kind]](
        header=header, joint_names=list(state.names), desired=point(wrong), actual=point(state.values), error=point(wrong)
    )


def _seconds(state: State) -> dict[str, int]:
    time = START + round(1e9 * (state.time if state.stamp is None else state.stamp))
    return {"sec": time // 10**9, "nanosec": time % 10**9}


def _write_ros1(path: Path, states: Sequence[State]) -> Path:
    store = get_typestore(Stores.ROS1_NOETIC)
    with Writer1(path) as writer:
        connections: dict[str, Any] = {}
        for state in states:
            name = _TYPES[state.kind]
            if state.topic not in connections:
                connections[state.topic] = writer.add_connection(state.topic, name, typestore=store)
            raw = store.serialize_ros1(_message(store, state, ros1=True), name)
            writer.write(connections[state.topic], START + round(1e9 * state.time), raw)
    return path


def _foxglove(state: State) -> Any:
    """A message with the fields of Foxglove's JointStates."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, timestamp_pb2

    file = descriptor_pb2.FileDescriptorProto(name="joint_states_of_a_test.proto", package="foxglove", syntax="proto3")
    file.dependency.append("google/protobuf/timestamp.proto")
    kinds = descriptor_pb2.FieldDescriptorProto
    joint = file.message_type.add(name="JointState")
    joint.field.add(name="name", number=1, type=kinds.TYPE_STRING, label=kinds.LABEL_OPTIONAL)
    for number, name in enumerate(("position", "velocity", "acceleration", "effort"), start=2):
        joint.field.add(name=name, number=number, type=kinds.TYPE_DOUBLE, label=kinds.LABEL_OPTIONAL)
    whole = file.message_type.add(name="JointStates")
    stamp = ".google.protobuf.Timestamp"
    whole.field.add(name="timestamp", number=1, type=kinds.TYPE_MESSAGE, label=kinds.LABEL_OPTIONAL, type_name=stamp)
    whole.field.add(name="joints", number=2, type=kinds.TYPE_MESSAGE, label=kinds.LABEL_REPEATED, type_name=".foxglove.JointState")
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(timestamp_pb2.DESCRIPTOR.serialized_pb)
    pool.Add(file)
    kind = message_factory.GetMessageClass(pool.FindMessageTypeByName("foxglove.JointStates"))
    joints = [{"name": name, **{key: float(values[j]) for key, values in state.values.items()}} for j, name in enumerate(state.names)]
    stamp = _seconds(state)
    return kind(timestamp={"seconds": stamp["sec"], "nanos": stamp["nanosec"]}, joints=joints)
