# pyright: basic
"""Bags: recordings of ROS 2 (SQLite, MCAP) and ROS 1, and MCAP files with messages in JSON or Protobuf, of which joint states are taken."""

from __future__ import annotations

import json
import re
import sqlite3
import struct
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, NamedTuple

from numpy.typing import NDArray

from dynident.core.files import check_utf8_name
from dynident.core.options import Options, option
from dynident.data.formats.joint_states import (
    Channel,
    Series,
    StampsGoBackError,
    channels_of,
    header_stamp,
    joint_states,
    merge_channels,
)
from dynident.data.formats.reader import Reader
from dynident.errors import FileError, UnknownNameError

#: The types that are read, the one that is believed first in front.
_TYPES = (
    "sensor_msgs/msg/JointState",
    "control_msgs/msg/DynamicJointState",
    "control_msgs/msg/JointTrajectoryControllerState",
)
#: Definitions for bags that have none in them (SQLite before ROS 2 Iron), as in the package control_msgs; by version where they differ.
_POINT = "trajectory_msgs/JointTrajectoryPoint"
_MULTI = "trajectory_msgs/MultiDOFJointTrajectoryPoint"
_DYNAMIC = {
    "control_msgs/msg/InterfaceValue": "string[] interface_names\nfloat64[] values\n",
    "control_msgs/msg/DynamicJointState": "std_msgs/Header header\nstring[] joint_names\ncontrol_msgs/InterfaceValue[] interface_values\n",
}
_NOW = ("reference", "feedback", "error", "output", "desired", "actual")
_STATES = (
    "\n".join(
        (
            "std_msgs/Header header\nstring[] joint_names",
            *(f"{_POINT} {name}" for name in _NOW),
            "string[] multi_dof_joint_names",
            *(f"{_MULTI} multi_dof_{name}" for name in _NOW),
        )
    ),
    f"std_msgs/Header header\nstring[] joint_names\n{_POINT} desired\n{_POINT} actual\n{_POINT} error\n",
)
#: What the libraries raise on a damaged file depends on where the bytes stop making sense.
_DAMAGED = (
    sqlite3.Error,
    struct.error,
    OSError,
    ValueError,
    KeyError,
    IndexError,
    TypeError,
    AttributeError,
    AssertionError,
    EOFError,
    RuntimeError,
    OverflowError,
    MemoryError,
)
#: A name in the definition of a type.
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_MEND = {".mcap": "mcap recover", ".bag": "rosbag reindex", ".db3": "ros2 bag reindex"}


@dataclass(frozen=True, kw_only=True)
class BagOptions(Options):
    """What of the bag is read."""

    topic: str | None = option(None, "Topics to read, with commas, the first before the others; by default all that hold joint states.")
    joints: str | None = option(None, "Joints to read, with commas, in the robot's order; by default those of the robot.")
    clock: Literal["header", "received"] = option("header", "The time in the messages, or that of their arrival.")


class _Topic(NamedTuple):
    type: str
    count: int


class _Message(NamedTuple):
    topic: str
    received: int
    content: Any


def read_bag(path: Path, options: BagOptions) -> dict[str, NDArray[Any]]:
    """time [s] since the first message, position, velocity, acceleration and effort (N, n), joint_names."""
    import_module("rosbags")  # first, so that it is what a message names where nothing is installed
    if path.is_dir() or path.suffix.lower() == ".db3":
        check_utf8_name(path, "SQLite")
    damage, mend = _damage(), _MEND.get(path.suffix.lower(), "ros2 bag reindex")
    try:
        encodings = _encodings(path) if path.suffix.lower() == ".mcap" else {"cdr"}
        messages = _ros_messages if encodings <= {"cdr", "ros1", ""} else _mcap_messages
        return _read(path, options, messages)
    except damage as error:
        reason = " ".join(str(error).split()).rstrip(".") or type(error).__name__
        raise FileError(path, f"can't be read as a bag: {reason}", remedy=f"where it was cut off, `{mend}` saves what is there") from None


READER = Reader(
    name="rosbag",
    read=read_bag,
    suffixes=(".bag", ".db3", ".mcap"),
    marker="metadata.yaml",
    options=BagOptions,
    apart=True,
    extra="ros",
)


def _damage() -> tuple[type[Exception], ...]:
    """Errors of damaged files, also of the libraries that the libraries use."""
    from google.protobuf.message import DecodeError
    from mcap.exceptions import McapError
    from rosbags.highlevel import AnyReaderError
    from rosbags.rosbag1 import ReaderError as RosReaderError
    from rosbags.rosbag2 import ReaderError as Ros2ReaderError
    from rosbags.serde import SerdeError
    from rosbags.typesys import TypesysError

    errors: list[type[Exception]] = [McapError, DecodeError, AnyReaderError, RosReaderError, Ros2ReaderError, SerdeError, TypesysError]
    for module, name in (("zstandard", "ZstdError"), ("apsw", "Error")):
        with suppress(ImportError):
            errors.append(getattr(import_module(module), name))
    return (*_DAMAGED, *errors)


def _read(path: Path, options: BagOptions, messages: Any) -> dict[str, NDArray[Any]]:
    asked = None if options.topic is None else [name.strip() for name in options.topic.split(",")]
    series: dict[str, dict[tuple[str, ...], Series]] = {}
    topics: dict[str, _Topic] = {}
    for message in messages(path, asked, topics):
        states = joint_states(message.content)
        if states is None:
            continue
        stamp = header_stamp(message.content) if options.clock == "header" else None
        by_names = series.setdefault(message.topic, {})
        by_names.setdefault(states.names, Series(states.names)).append(stamp or message.received, states)
    if not series:
        raise _no_states(path, asked, topics)
    order = asked or sorted(series, key=lambda name: _TYPES.index(topics[name].type) if topics[name].type in _TYPES else len(_TYPES))
    try:
        candidates = [(name, channels_of(name, series[name].values())) for name in order if name in series]
        channels = _choose_channels(path, asked, candidates, topics)
        return merge_channels(channels, _choose_joints(path, options, channels))
    except StampsGoBackError as error:
        remedy = "read it with the reader option clock=received, or leave that topic out"
        raise FileError(path, str(error), remedy=remedy) from None


def _no_states(path: Path, asked: list[str] | None, topics: dict[str, _Topic]) -> FileError:
    held = ", ".join(f"{name} ({item.type}, {item.count} messages)" for name, item in sorted(topics.items())) or "no topic at all"
    if asked is not None:
        return FileError(path, f"there are no joint states in {', '.join(asked)}; found: {held}", remedy="choose another topic")
    remedy = "record a topic of sensor_msgs/JointState, such as /joint_states"
    return FileError(path, f"holds no joint states; found: {held}", remedy=remedy)


def _choose_channels(
    path: Path, asked: list[str] | None, candidates: list[tuple[str, dict[tuple[str, str], Channel]]], topics: dict[str, _Topic]
) -> dict[tuple[str, str], Channel]:
    """Each quantity of each joint from the first topic that has it; two topics of one type are ambiguous unless somebody chose."""
    chosen: dict[tuple[str, str], Channel] = {}
    owner: dict[tuple[str, str], str] = {}
    for topic, channels in candidates:
        for key, channel in channels.items():
            other = owner.setdefault(key, topic)
            if other == topic:
                chosen[key] = channel
            elif asked is None and topics[other].type == topics[topic].type:
                remedy = f"choose one of the two topics, such as {other}, or name both in the order in which they count"
                raise FileError(path, f"both {other} and {topic} have the {key[0]} of {key[1]}", remedy=remedy)
    return chosen


def _choose_joints(path: Path, options: BagOptions, channels: dict[tuple[str, str], Channel]) -> list[str]:
    """Those that were asked for; else all with a position, and of these the ones with an effort where some have one."""
    there = [joint for quantity, joint in channels if quantity == "position"]
    if options.joints is not None:
        asked = [name.strip() for name in options.joints.split(",")]
        missing = [name for name in asked if name not in there]
        if missing:
            listed = ", ".join(there) or "none"
            remedy = "name the bag's joints in the robot's order, with the reader option joints=a,b,..."
            raise FileError(path, f"lacks the positions of {', '.join(missing)}; it has those of: {listed}", remedy=remedy)
        return asked
    if not there:
        raise FileError(path, "holds efforts or velocities but no positions; read the topic with the positions too")
    with_effort = [joint for joint in there if ("effort", joint) in channels]
    return with_effort or there


def _ros_messages(path: Path, asked: list[str] | None, topics: dict[str, _Topic]) -> Iterator[_Message]:
    """Messages of a bag through rosbags. asked : topics, else those of a known type; topics : is filled with what there is."""
    from rosbags.highlevel import AnyReader, AnyReaderError

    _guard_types()
    stores = [_typestore(definition) for definition in _STATES]
    with AnyReader([path], default_typestore=stores[0]) as reader:
        topics.update({name: _Topic(str(info.msgtype), info.msgcount) for name, info in reader.topics.items()})
        _check_topics(path, asked, topics)
        connections = [item for item in reader.connections if (item.topic in asked if asked else item.msgtype in _TYPES)]
        for connection, received, raw in reader.messages(connections) if connections else ():
            try:
                content = reader.deserialize(raw, connection.msgtype)
            except AnyReaderError:
                if connection.msgtype != _TYPES[2]:
                    raise
                content = stores[1].deserialize_cdr(raw, connection.msgtype)  # as versions before ROS 2 Humble wrote it
            yield _Message(connection.topic, received, content)


@cache
def _guard_types() -> None:
    """rosbags makes Python code of the types that a bag defines, and runs it: their names must be names, whatever its parser lets pass."""
    from rosbags.typesys import TypesysError
    from rosbags.typesys.store import Typestore

    register: Any = Typestore.register

    def check(store: Any, types: Any) -> None:
        for name, (constants, fields) in types.items():
            words = [*name.split("/"), *(item[0] for item in constants), *(item[0] for item in fields)]
            if wrong := next((word for word in words if not _WORD.fullmatch(word)), None):
                raise TypesysError(f"the type {name!r} has {wrong!r} for a name, which no program can use; leave that topic out")
        register(store, types)

    Typestore.register = check  # pyright: ignore[reportAttributeAccessIssue]


def _typestore(state: str) -> Any:
    from rosbags.typesys import Stores, get_types_from_msg, get_typestore

    store = get_typestore(Stores.ROS2_HUMBLE)
    for name, text in (*_DYNAMIC.items(), (_TYPES[2], state)):
        store.register(get_types_from_msg(text, name))
    return store


def _check_topics(path: Path, asked: list[str] | None, topics: dict[str, _Topic]) -> None:
    for name in asked or ():
        if name not in topics:
            raise UnknownNameError(f"topic in {path.name}", name, sorted(topics))


def _encodings(path: Path) -> set[str]:
    """How the messages of an MCAP file are encoded."""
    from mcap.reader import make_reader

    with path.open("rb") as stream:
        summary = make_reader(stream).get_summary()
        return set() if summary is None else {channel.message_encoding for channel in summary.channels.values()}


def _mcap_messages(path: Path, asked: list[str] | None, topics: dict[str, _Topic]) -> Iterator[_Message]:
    """Messages in JSON or Protobuf; others are left alone."""
    from mcap.reader import make_reader
    from mcap_protobuf.decoder import DecoderFactory

    with path.open("rb") as stream:
        reader = make_reader(stream)
        summary = reader.get_summary()
        if summary is None:
            raise ValueError("it has no summary")
        counts = {} if summary.statistics is None else summary.statistics.channel_message_counts
        for number, channel in summary.channels.items():
            schema = summary.schemas.get(channel.schema_id)
            topics[channel.topic] = _Topic(f"{schema.name if schema else 'no schema'}, {channel.message_encoding}", counts.get(number, 0))
        _check_topics(path, asked, topics)
        factory = DecoderFactory()
        for schema, channel, message in reader.iter_messages(topics=asked):
            if channel.message_encoding == "json":
                yield _Message(channel.topic, message.log_time, json.loads(message.data))
            elif channel.message_encoding == "protobuf" and schema is not None:
                decode = factory.decoder_for(channel.message_encoding, schema)
                if decode is not None:
                    yield _Message(channel.topic, message.log_time, decode(message.data))
