"""ROS 2's trajectory_msgs/JointTrajectory, as YAML that `ros2 topic pub` takes and as JSON for programs. Numbers keep all their digits.

A point's time is in whole nanoseconds, ROS's own resolution. YAML has the first lines as comments; JSON, which has none, has them in
`header.frame_id`, the one text of the message that no controller of joints looks at.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import yaml

from dynident.core.arrays import Array
from dynident.core.files import parse_yaml, read_text
from dynident.core.options import NoOptions
from dynident.data.dataset import Dataset
from dynident.data.reading.reading import Reading
from dynident.errors import FileError, InputError
from dynident.motions.formats.format import TrajectoryFormat
from dynident.motions.formats.tables import read_samples

_BETWEEN = " | "
_POINTS = re.compile(r"""^\s*["']?points["']?\s*:""", re.MULTILINE)
_QUANTITIES = {"q": "positions", "dq": "velocities", "ddq": "accelerations"}


def _encode_yaml(samples: Dataset, lines: Sequence[str], options: NoOptions) -> str:
    # quoted, whatever a joint is called
    text = [*(f"# {line}" for line in lines), "header: {stamp: {sec: 0, nanosec: 0}, frame_id: ''}"]
    names = yaml.safe_dump(list(samples.joint_names), default_flow_style=True, default_style='"', width=math.inf).strip()
    text += [f"joint_names: {names}", "points:"]
    for i, time in enumerate(samples.time):
        mark = "-"
        for name, key in _QUANTITIES.items():
            values: Array | None = getattr(samples, name)
            if values is not None:
                text.append(f"{mark} {key}: {_row(values[i])}")
                mark = " "
        sec, nanosec = _duration(time)
        text.append(f"  time_from_start: {{sec: {sec}, nanosec: {nanosec}}}")
    return "\n".join(text) + "\n"


def _row(values: Array) -> str:
    # YAML 1.1 reads 1e-05 as text: a mantissa needs its point
    return "[" + ", ".join(np.format_float_scientific(value, trim="0") for value in values) + "]"


def _encode_json(samples: Dataset, lines: Sequence[str], options: NoOptions) -> str:
    points = ",\n".join(json.dumps(_point(samples, i)) for i in range(samples.samples))
    header = json.dumps({"stamp": {"sec": 0, "nanosec": 0}, "frame_id": _BETWEEN.join(lines)}, ensure_ascii=False)
    names = json.dumps(list(samples.joint_names))
    return f'{{"header": {header},\n"joint_names": {names},\n"points": [\n{points}\n]}}\n'


def _point(samples: Dataset, i: int) -> dict[str, Any]:
    sec, nanosec = _duration(samples.time[i])
    values = {key: values[i].tolist() for name, key in _QUANTITIES.items() if (values := getattr(samples, name)) is not None}
    return {**values, "time_from_start": {"sec": sec, "nanosec": nanosec}}


def _duration(time: float) -> tuple[int, int]:
    return divmod(round(float(time) * 1e9), 1_000_000_000)


def _read_yaml(path: Path, reading: Reading) -> Dataset:
    text = read_text(path)
    if not _POINTS.search(text):
        return read_samples(path, reading)  # the YAML beside data, which lists files
    return _samples(path, parse_yaml(path, text, large=True))


def _read_json(path: Path, reading: Reading) -> Dataset:
    return _samples(path, _json(path))


def _json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise FileError(path, f"is not valid JSON: {getattr(error, 'msg', 'it is nested too deeply')}; write it again") from None
    if not isinstance(content, dict):
        raise FileError(path, "is not a JointTrajectory; joint_names and points were expected")
    return cast("dict[str, Any]", content)


def _json_comments(path: Path) -> tuple[str, ...]:
    header = _message(_json(path)).get("header")
    text = cast("dict[str, Any]", header).get("frame_id") if isinstance(header, dict) else None
    return tuple(text.split(_BETWEEN)) if isinstance(text, str) and text else ()


def _message(content: Mapping[str, Any]) -> Mapping[str, Any]:
    """The message itself, or that of an action's goal around it."""
    for key in ("goal", "trajectory"):
        if isinstance(content.get(key), dict):
            content = content[key]
    return content


def _samples(path: Path, content: Mapping[str, Any]) -> Dataset:
    message = _message(content)
    names, points = message.get("joint_names"), message.get("points")
    if not isinstance(names, list) or not isinstance(points, list) or not points:
        raise FileError(path, "is not a JointTrajectory; joint_names and a list of points were expected")
    names, points = cast("list[Any]", names), cast("list[Any]", points)
    values: dict[str, list[list[float]]] = {name: [] for name in _QUANTITIES}
    time: list[float] = []
    for i, point in enumerate(points):
        try:
            time.append(_seconds(point["time_from_start"]))
            for name, key in _QUANTITIES.items():
                row = [float(value) for value in point.get(key) or ()]
                if len(row) not in (0, len(names)) or (name == "q" and not row):
                    raise FileError(path, f"has {len(row)} {key} for {len(names)} joints", place=f"points[{i}]")
                values[name].append(row)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
            raise FileError(path, "lists of numbers and a time_from_start were expected", place=f"points[{i}]") from None
    known = {name: np.array(rows) for name, rows in values.items() if all(rows)}
    try:
        return Dataset(time=np.array(time), joint_names=tuple(str(name) for name in names), source=path.name, **cast("Any", known))
    except InputError as error:
        raise FileError(path, error.message, remedy=error.remedy) from None


def _seconds(duration: Any) -> float:
    """Seconds of a duration of ROS 2 or 1, or of a plain number."""
    if not isinstance(duration, dict):
        return float(duration)
    parts = cast("dict[str, Any]", duration)
    whole = parts["sec"] if "sec" in parts else parts["secs"]
    return (int(whole) * 1_000_000_000 + int(parts.get("nanosec", parts.get("nsecs", 0)))) / 1e9


YAML = TrajectoryFormat(
    name="ros_yaml",
    about="a JointTrajectory of ROS 2 for ros2 topic pub",
    suffixes=(".yaml", ".yml"),
    encode=_encode_yaml,
    read=_read_yaml,
)
JSON = TrajectoryFormat(
    name="ros_json",
    about="a JointTrajectory of ROS 2 for programs",
    suffixes=(".json",),
    encode=_encode_json,
    read=_read_json,
    comments=_json_comments,
)
