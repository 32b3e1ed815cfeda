"""Tables of links and friction: YAML and CSV.

YAML is in dynident's own layout, which keeps the robot's named parameter frames, or as franka_description's inertials.yaml, which is for
URDF macros, so that its links are in their joint frames. CSV has the tables of the papers: links with m, c, I as in the Panda supplement,
friction beside them; or the coefficients.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

import numpy as np
import yaml

from dynident.core.arrays import Array
from dynident.core.names import file_stem, printable
from dynident.core.options import Options, option
from dynident.core.xml import number_text
from dynident.dynamics import inverse_dynamics
from dynident.errors import InputError
from dynident.exports.export_model import ExportModel
from dynident.exports.formats.description import bodies_in_joint_frames
from dynident.exports.proof import Comparison, States, compare
from dynident.exports.target import Exported, Exporter, Request
from dynident.robots.kinematics import inverse_pose
from dynident.robots.parameters import INERTIA_NAMES, LinkInertia, change_of_frame, from_com, inertia_tensor, link_inertia
from dynident.robots.robot import Link, Robot

SCHEMA = "dynident/model/1"
_LINK_NUMBER = re.compile(r"(?:^|.*_)(link\d+)$")


@dataclass(frozen=True, kw_only=True)
class YamlOptions(Options):
    """How the file is laid out."""

    layout: Literal["dynident", "franka"] = option("dynident", "Of the YAML: dynident, or franka for its inertials.yaml.")


def write_yaml(model: ExportModel, request: Request) -> Exported:
    """One file in the layout that was asked for."""
    franka = isinstance(request.options, YamlOptions) and request.options.layout == "franka"
    left_out = franka and model.friction is not None
    notes = ("the franka layout has no place for friction, so it is left out",) if left_out else ()
    content = _franka(model) if franka else _own(model)
    comment = [f"# {printable(line)}" for line in request.opening(model, *notes)]
    text = "\n".join(comment) + "\n" + yaml.dump(content, Dumper=_Dumper, sort_keys=False, default_flow_style=None, width=10_000)
    name = "inertials.yaml" if franka else f"{file_stem(model.robot.name)}.yaml"
    return Exported(target="yaml", files={name: text.encode()}, notes=notes)


def parameters_from_yaml(text: str | bytes, robot: Robot) -> Array:
    """(n, 10) parameters of the robot's links in its named frames, from either layout."""
    content = cast("dict[str, Any]", yaml.safe_load(text))
    try:
        if content.get("schema") == SCHEMA:
            rows = {entry["name"]: _row(entry["mass"], entry["com"], entry["inertia"]) for entry in content["links"]}
            return np.array([rows[name] for name in robot.link_names])
        entries = [content[name] for name in franka_names(robot)]
    except KeyError as error:
        raise InputError(f"the YAML has no {error}; it must be as dynident export writes it for robot {robot.name!r}") from None
    rows = [_row(entry["mass"], [float(word) for word in entry["origin"]["xyz"].split()], entry["inertia"]) for entry in entries]
    return np.array([change_of_frame(inverse_pose(link.placement)) @ row for link, row in zip(robot.links, rows, strict=True)])


def prove_yaml(model: ExportModel, exported: Exported, states: States) -> Comparison:
    """Our own dynamics with the parameters read back."""
    parameters = parameters_from_yaml(exported.main, model.robot)
    return compare("dynident, from the file,", model, states, inverse_dynamics(model.robot, parameters, *states))


YAML = Exporter(
    name="yaml", help="Write the links and friction as YAML.", write=write_yaml, prove=prove_yaml, bodies=True, options=YamlOptions
)


def franka_names(robot: Robot) -> tuple[str, ...]:
    """link1 for panda_link1 and fr3_link1, as the macros know them; names that don't end so stay as they are."""
    matches = [_LINK_NUMBER.match(name) for name in robot.link_names]
    short = tuple(match[1] if match else name for match, name in zip(matches, robot.link_names, strict=True))
    return short if len(set(short)) == len(short) else robot.link_names


def _own(model: ExportModel) -> dict[str, Any]:
    robot = model.robot
    content: dict[str, Any] = {"schema": SCHEMA, "robot": robot.name, "gravity": robot.gravity.tolist(), "links": []}
    for link, body in _bodies(model):
        content["links"].append(
            {"name": link.name, "frame": link.frame, "mass": body.mass, "com": body.com.tolist(), "inertia": body.elements}
        )
    if model.friction is not None and model.friction_parameters is not None:
        values = [model.friction.values_of(j, row) for j, row in enumerate(model.friction_parameters)]
        content["friction"] = {"model": model.friction.name, "joints": dict(zip(robot.joint_names, values, strict=True))}
        shapes = [model.friction.of_joint(j).shapes_by_name() for j in range(robot.n)]
        if any(shapes):
            content["friction"]["shapes"] = dict(zip(robot.joint_names, shapes, strict=True))
    return content


def _franka(model: ExportModel) -> dict[str, Any]:
    content: dict[str, Any] = {}
    for name, body in zip(franka_names(model.robot), bodies_in_joint_frames(model.robot, model.parameters), strict=True):
        link = link_inertia(body.parameters, name)
        content[name] = {"origin": {"xyz": number_text(link.com), "rpy": "0 0 0"}, "mass": link.mass, "inertia": link.elements}
    return content


def _row(mass: float, com: list[float], inertia: dict[str, float]) -> Array:
    return from_com(mass, com, inertia_tensor([inertia[name] for name in INERTIA_NAMES]))


class _Dumper(yaml.SafeDumper):
    """PyYAML writes 1e-05, which YAML 1.1 readers, its own among them, take for a text."""

    def _number(self, value: float) -> yaml.ScalarNode:
        text = repr(value)
        mantissa, letter, exponent = text.partition("e")
        if letter and "." not in mantissa:
            text = f"{mantissa}.0e{exponent}"
        return yaml.ScalarNode("tag:yaml.org,2002:float", text)


_Dumper.add_representer(float, _Dumper._number)  # pyright: ignore[reportPrivateUsage]


def write_csv(model: ExportModel, request: Request) -> Exported:
    """One table, a heading and its rows. CSV has no comments; a warning is its last column."""
    rows = _coefficient_rows(model) if model.coefficients else _link_rows(model)
    if request.warning:
        rows = [[*row, "warning" if number == 0 else request.warning] for number, row in enumerate(rows)]
    shaped = model.friction is not None and not model.coefficients and any(part.shapes for part in model.friction.parts)
    notes = ("the table has no place for the shape constants of the friction model; YAML, C and Python do",) if shaped else ()
    return Exported(target="csv", files={f"{file_stem(model.robot.name)}.csv": csv_bytes(rows)}, notes=notes)


def csv_bytes(rows: Iterable[Sequence[object]]) -> bytes:
    """Rows as the content of a CSV file."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue().encode()


CSV = Exporter(name="csv", help="Write the table of links, or of coefficients.", write=write_csv, prove=None, bodies=False)


def _link_rows(model: ExportModel) -> list[list[str]]:
    friction = model.friction
    heading = ["link", "frame", "m [kg]", *(f"c{axis} [m]" for axis in "xyz"), *(f"I{element} [kg·m²]" for element in INERTIA_NAMES)]
    rows = [[*heading, *(() if friction is None else ("joint", *friction.headings(model.robot.joints)))]]
    for i, (link, body) in enumerate(_bodies(model)):
        row = [link.name, link.frame, *map(repr, (body.mass, *body.com.tolist(), *body.elements.values()))]
        if friction is not None and model.friction_parameters is not None:
            values = friction.values_of(i, model.friction_parameters[i])
            row += [model.robot.joints[i].name, *(repr(values[name]) if name in values else "" for name in friction.parameter_names)]
        rows.append(row)
    return rows


def _coefficient_rows(model: ExportModel) -> list[list[str]]:
    rows = [["no.", "name", "coefficient", "value", "std", "std [%]", "unit", "kept"]]
    for number, item in enumerate(model.coefficients, start=1):
        numbers = ["" if value is None else repr(value) for value in (item.value, item.std, item.relative_std_percent)]
        rows.append([str(number), item.name, item.expression, *numbers, item.unit, "yes" if item.kept else "no"])
    return rows


def _bodies(model: ExportModel) -> Iterator[tuple[Link, LinkInertia]]:
    """The links with their mass, centre of mass and inertia in their named frames."""
    for link, row in zip(model.robot.links, model.parameters, strict=True):
        yield link, link_inertia(row, link.name)
