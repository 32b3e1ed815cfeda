"""An intact file of every format that dynident reads, how it is read, and how it can be damaged."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator

from dynident import load_robot, regression
from dynident.data import Dataset, load_recording, write_dataset
from dynident.diagnosis.diagnose import doctor
from dynident.dynamics.friction import linear
from dynident.links import retrieval_problem, solve_retrieval
from dynident.links.constraints.files import read_constraints
from dynident.motions.formats.registry import read_trajectory, write_trajectory
from dynident.motions.limits.limits import require_usable
from dynident.motions.limits.limits_file import read_limits
from dynident.motions.limits.motion_check import check_motion
from dynident.regression import build_problem, identify
from dynident.regression.prepare import match_joints
from dynident.robots import Robot
from dynident.robots.check import check_robot
from dynident.robots.kinematics import arm_reach
from dynident.robots.serialize import robot_to_dict
from dynident.runs import load_run, save_run
from dynident.validation import validate
from tests.bags import joint_states, write_bag, write_json_mcap
from tests.faults import damage
from tests.faults import more_originals as more
from tests.faults.damage import Damage, damage_bytes, damage_json, damage_text, damage_xml, damage_yaml, of_arrays, pick
from tests.faults.forged_runs import damage_record
from tests.faults.outcomes import Found, concerns_of_log
from tests.logs import synthetic_log, synthetic_samples

ARM = "planar_2r"
NAMES = ("joint1", "joint2")
SAMPLES = 240
#: The error of the fit, which is the first number that is printed, tells of trouble beyond this [%].
UNEXPLAINED = 20.0


@dataclass(frozen=True, kw_only=True)
class Format:
    """One format. write : the intact file, and what it needs beside it, into a folder; file : the one that is damaged.

    read : the file to what was found in it, as a user's command would.
    cases : how many are tried in every run of the tests.
    """

    name: str
    file: str
    write: Callable[[Path], object]
    read: Callable[[Path], Found]
    damages: tuple[Damage, ...]
    cases: int = 120


LIMITED = ("position", "velocity", "effort")


@cache
def robot() -> Robot:
    return load_robot(ARM)


@cache
def log() -> Dataset:
    return synthetic_log(ARM, samples=SAMPLES, noise=0.02)


def tables() -> damage.Tables:
    data = log()
    found = {"t": data.time, "q": data.q, "dq": data.dq, "ddq": data.ddq, "tau": data.effort}
    return {name: np.array(values) for name, values in found.items()}


def columns() -> damage.Tables:
    """A column per joint."""
    found: damage.Tables = {}
    for name, values in tables().items():
        found |= {name: values} if values.ndim == 1 else {f"{name}{j + 1}": values[:, j] for j in range(values.shape[1])}
    return found


def write_text(delimiter: str) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        flat = columns()
        rows = [delimiter.join(flat), *(delimiter.join(repr(float(x)) for x in row) for row in zip(*flat.values(), strict=True))]
        (folder / ("log.csv" if delimiter == "," else "log.txt")).write_text("\n".join(rows) + "\n")

    return write


def read_log(path: Path) -> Found:
    """As `identify` does: read, with the robot's joints in its order, then looked at by the doctor."""
    data = match_joints(robot(), load_recording(path, robot_joints=robot().joint_names))
    arrays = {name: getattr(data, name, None) for name in ("time", "q", "dq", "ddq", "effort", "M", "g", "c", "temperature", "mask")}
    content = {name: np.array(values) for name, values in arrays.items() if values is not None}
    content["words"] = (data.joint_names, *(repr(getattr(data, name, None)) for name in ("effort_kind", "starts", "gears")))

    def says(thorough: bool) -> set[str]:
        estimate = identify(robot(), data)
        sentences = {*estimate.notes, estimate.status.value}
        if estimate.residuals.relative_percent > UNEXPLAINED:
            sentences.add("much is unexplained")
        if thorough and isinstance(data, Dataset):
            sentences |= {finding.name for finding in doctor(robot(), data).findings}
        return sentences

    return Found(content=content, says=says, concerns=concerns_of_log if isinstance(data, Dataset) else _concerns_of_samples)


def _concerns_of_samples(intact: Mapping[str, Any], content: Mapping[str, Any]) -> list[str]:
    return [
        f"{name} is {np.abs(content[name]).max():.3g}"
        for name in ("q", "M", "g")
        if name in content and name in intact and not np.abs(content[name]).max() < 50.0 * np.abs(intact[name]).max()
    ]


def read_robot(path: Path) -> Found:
    """As `check` does."""
    found = load_robot(path)

    def says(thorough: bool) -> set[str]:
        checked = check_robot(found)
        links = {f"{link.verdict.value} {link.warnings}" for link in checked.links}
        return {*checked.notes, *checked.warnings, *links, *(item.verdict.value for item in checked.sources), "joint " * found.n}

    sizes = {
        "reach": arm_reach(found),
        "mass": sum(abs(link.parameters[0]) for link in found.links if link.parameters is not None),
        "gravity": float(np.linalg.norm(found.gravity)),
        **{name: float(np.nan_to_num(getattr(found, f"{name}_limits"), posinf=0.0, neginf=0.0).max()) for name in LIMITED},
    }
    text = json.dumps(robot_to_dict(replace(found, source="")))
    return Found(content={"robot": text, "sizes": sizes}, says=says, concerns=_concerns_of_robot)


def _concerns_of_robot(intact: Mapping[str, Any], content: Mapping[str, Any]) -> list[str]:
    """Lengths, masses, limits and gravity far beyond those of the intact arm."""
    sizes, before = content["sizes"], intact["sizes"]
    return [f"{name} is {size:.3g}" for name, size in sizes.items() if not size <= 1e3 * max(before[name], 0.1)]


def read_motion(path: Path) -> Found:
    """As `excite --check` does."""
    file = read_trajectory(path, robot_joints=robot().joint_names)
    data = file.samples
    arrays = {name: getattr(data, name) for name in ("time", "q", "dq", "ddq", "period")}
    content = {name: np.array(values) for name, values in arrays.items() if values is not None}

    def says(thorough: bool) -> set[str]:
        checked = check_motion(robot(), data)
        broken = {f"{margin.name} is broken" for margin in checked.report.broken}
        return {*broken, *checked.notes, *checked.report.notes, file.unchecked}

    return Found(content={**content, "words": data.joint_names}, says=says, concerns=concerns_of_log)


def read_limits_file(path: Path) -> Found:
    limits = read_limits(path, robot())
    require_usable(robot(), limits)
    arrays = {name: getattr(limits, name) for name in ("position", "velocity", "acceleration", "effort", "jerk")}
    words = repr((limits.floor, limits.clearance, [(box.lower, box.upper, box.frames, box.name) for box in limits.boxes], limits.torque))
    return Found(content={**arrays, "words": words})


def read_constraints_file(path: Path) -> Found:
    return Found(content={"words": repr(read_constraints(path, base=stages()[1].base))})


def read_friction(path: Path) -> Found:
    from dynident.motions.simulation.options import SimulationChoice

    found = SimulationChoice(friction="linear", friction_parameters=path).of(robot())
    return Found(content={"parameters": np.array(found["friction_parameters"]), "words": repr(found["friction"])})


def read_run(path: Path) -> Found:
    """As `report` does."""
    run = load_run(path.parent)
    numbers = {name: getattr(run.estimate, name) for name in ("values", "covariance", "kept")}
    links = {} if run.parameters is None else {"links": np.array(run.parameters.x)}
    words = {"words": str(run).replace(str(path.parent), "RUN"), "problem": repr(run.problem)}
    return Found(content={**numbers, **links, **words}, says=lambda thorough: {*run.missing.values(), *run.stale})


@cache
def stages() -> tuple[Any, ...]:
    problem = build_problem(robot(), log(), friction=linear(), cutoff=None)
    estimate = regression.estimate(problem)
    links = solve_retrieval(retrieval_problem(estimate))
    return problem, estimate, links, validate(estimate, log(), links=links)


def write_run(folder: Path) -> None:
    problem, estimate, links, validation = stages()
    save_run(folder, estimate, problem=problem, parameters=links, validation=validation, seed=3)


def _messages(rng: Generator | None = None) -> list[Any]:
    data = log()
    states = joint_states("/joint_states", data.time, NAMES, position=data.q, velocity=data.dq, effort=data.effort)
    if rng is None:
        return states
    at = int(rng.integers(len(states)))
    state, kind = states[at], int(rng.integers(7))
    name = pick(rng, list(state.values))
    values = {key: np.array(value) for key, value in state.values.items()}
    if kind == 0:
        values[name][int(rng.integers(2))] = pick(rng, (np.nan, np.inf, 1e308, 1e200, 1e7))
        states[at] = state._replace(values=values)
    elif kind == 1:
        values[name] = values[name][:1]
        states[at] = state._replace(values=values)
    elif kind == 2:
        states[at] = state._replace(
            names=pick(rng, (("joint1",), ("joint1", "joint1"), ("a", "b"), (), ("joint2", "joint1"), ("é", "\x00")))
        )
    elif kind == 3:
        states[at] = state._replace(stamp=pick(rng, (0.0, -1.0, 1e3, 1e8, state.time + 0.5)))
    elif kind == 4:
        del states[at:]
    elif kind == 5:
        states = [item._replace(values={key: value for key, value in item.values.items() if key != name}) for item in states]
    else:
        states = [item._replace(topic=pick(rng, ("/a", "/b", "/joint_states"))) for item in states]
    return states


def _bag(name: str, write: Callable[[Path, list[Any]], object]) -> tuple[Callable[[Path], object], Damage]:
    """How a bag is written, and with damaged messages."""

    def damaged(rng: Generator, content: bytes) -> bytes:
        with tempfile.TemporaryDirectory() as folder:
            try:
                write(Path(folder) / name, _messages(rng))
            except (OverflowError, ValueError, KeyError, IndexError, AssertionError):  # what this format can't say
                return damage_bytes(rng, content)
            return (Path(folder) / name).read_bytes()

    return lambda folder: write(folder / name, _messages()), damaged


def _format_of_bag(name: str, file: str, write: Callable[[Path, list[Any]], object], cases: int) -> Format:
    intact, damaged = _bag(file, write)
    return Format(name=name, file=file, write=intact, read=read_log, damages=(damage_bytes, damage_bytes, damaged), cases=cases)


def _of_arrays(name: str, file: str, load: Any, save: Any, content: Callable[[], damage.Tables], cases: int = 120) -> Format:
    return Format(
        name=name,
        file=file,
        write=lambda folder: (folder / file).write_bytes(save(content())),
        read=read_log,
        damages=(damage_bytes, of_arrays(load, save), of_arrays(load, save)),
        cases=cases,
    )


def _of_text(name: str, file: str, text: str, read: Callable[[Path], Found], *damages: Damage, cases: int = 120) -> Format:
    return Format(
        name=name,
        file=file,
        write=lambda folder: (folder / file).write_text(text, encoding="utf-8"),
        read=read,
        damages=(damage_bytes, damage_text, damage_text, *damages),
        cases=cases,
    )


def _samples() -> damage.Tables:
    data = synthetic_samples(ARM, samples=40, noise=0.01)
    return {"q": data.q, "M": np.array(data.M), "g": np.array(data.g)}


def _motion(name: str, file: str, *damages: Damage) -> Format:
    def write(folder: Path) -> None:
        data = log()
        write_trajectory(replace(data, effort=None, effort_kind=None).part(0.0, 0.25), folder / file, format=name)

    return Format(name=f"trajectory {name}", file=file, write=write, read=read_motion, damages=(damage_bytes, *damages), cases=100)


def _of_run(file: str, *damages: Damage, cases: int = 100) -> Format:
    return Format(name=f"run {file}", file=file, write=write_run, read=read_run, damages=(damage_bytes, *damages), cases=cases)


_JOINT = """<joint name="{0}" type="revolute"><parent link="{1}"/><child link="{2}"/><origin xyz="0 0 0.5" rpy="1.57 0 0"/>
<axis xyz="0 0 1"/><limit lower="-2" upper="2" effort="80" velocity="3"/><dynamics damping="0.1" friction="0.2"/></joint>"""
_LINK = """<link name="{0}"><inertial><origin xyz="0.1 0.02 0.25" rpy="0 0.1 0"/><mass value="4"/>
<inertia ixx="0.1" ixy="0.001" ixz="0" iyy="0.1" iyz="0" izz="0.02"/></inertial></link>"""
_LINKS = "\n".join(_LINK.format(name) for name in ("a", "b", "hand"))
_JOINTS = "\n".join(_JOINT.format(*names) for names in (("one", "base", "a"), ("two", "a", "b")))
_FIXED = '<joint name="flange" type="fixed"><parent link="b"/><child link="hand"/><origin xyz="0 0 0.1"/></joint>'
URDF = f'<?xml version="1.0"?>\n<robot name="arm">\n<link name="base"/>\n{_LINKS}\n{_JOINTS}\n{_FIXED}\n</robot>\n'
XACRO = """<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:arg name="mass" default="4"/><xacro:property name="half" value="${0.5 * pi / 2}"/><xacro:property name="long" value="0.5"/>
<xacro:macro name="limb" params="name parent length:=0.4">
<link name="${name}"><inertial><origin xyz="0 0 ${length / 2}"/><mass value="$(arg mass)"/>
<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="${0.02 * 1.0}"/></inertial></link>
<joint name="j_${name}" type="revolute"><parent link="${parent}"/><child link="${name}"/><origin xyz="0 0 ${length}" rpy="${half} 0 0"/>
<axis xyz="0 0 1"/><limit lower="-2" upper="2" effort="80" velocity="3"/></joint></xacro:macro>
<link name="base"/><xacro:limb name="a" parent="base"/><xacro:limb name="b" parent="a" length="${long}"/>
<xacro:if value="true"><xacro:limb name="c" parent="b"/></xacro:if><xacro:unless value="${long > 1}"><link name="d"/></xacro:unless>
<joint name="flange" type="fixed"><parent link="c"/><child link="d"/></joint></robot>"""
_SDF_INERTIAL = """<inertial><pose>0.1 0.02 0.25 0 0.1 0</pose><mass>4</mass><inertia><ixx>0.1</ixx><ixy>0</ixy><ixz>0</ixz>
<iyy>0.1</iyy><iyz>0</iyz><izz>0.02</izz></inertia></inertial>"""
_SDF_JOINT = """<joint name="{0}" type="revolute"><parent>{1}</parent><child>{2}</child><pose>0 0 0.1 0 0 0</pose><axis><xyz>0 0 1</xyz>
<limit><lower>-2</lower><upper>2</upper><effort>80</effort><velocity>3</velocity></limit></axis></joint>"""
SDF = f"""<sdf version="1.9"><model name="arm"><link name="base"/>
<link name="a"><pose>0 0 0.5 1.57 0 0</pose>{_SDF_INERTIAL}</link>
<link name="b"><pose relative_to="two">0 0 0.4 0 0 0</pose>{_SDF_INERTIAL}</link>
{_SDF_JOINT.format("one", "base", "a")}{_SDF_JOINT.format("two", "a", "b").replace("<pose>", '<pose relative_to="a">')}</model></sdf>"""
_MJCF_INERTIAL = '<inertial mass="4" pos="0.1 0.02 0.25" quat="1 0.1 0 0" diaginertia="0.1 0.1 0.02"/>'
MJCF = f"""<mujoco model="arm"><compiler angle="radian" autolimits="true"/><option gravity="0 0 -9.81"/>
<default><joint damping="0.1"/></default><worldbody><body name="base" pos="0 0 0.1">
<body name="a" pos="0 0 0.5"><joint name="one" axis="0 0 1" range="-2 2"/>{_MJCF_INERTIAL}<geom name="g" size="0.1" type="sphere"/>
<body name="b" pos="0 0 0.4" euler="1.57 0 0"><joint name="two" axis="0 1 0" range="-2 2"/>{_MJCF_INERTIAL}</body></body></body></worldbody>
<actuator><motor joint="one" forcerange="-80 80"/><motor joint="two" forcerange="-30 30"/></actuator></mujoco>"""
DH_TABLE = """theta,d,a,alpha,convention,name,type,lower,upper,velocity,effort
0,0.333,0,pi/2,standard,joint1,revolute,-2.9,2.9,2.1,87
0,0,0.5,-90deg,standard,joint2,R,-1.8,1.8,2.1,87
pi/2,0.3,0.1,0,standard,joint3,prismatic,0,0.4,1,200
"""
LIMITS = """position_margin: 0.02
velocity: 1.5
acceleration: [5, 6.5]
velocity_scale: 0.9
position: {joint2: [-1.0, 1.0]}
floor: -0.5
boxes:
- {frames: [tool], lower: [-0.9, -0.9, null], upper: [0.9, 0.9, 1.2], name: cell}
clearance: 0.02
torque_factor: 1.3
"""
CONSTRAINTS = """consistency: {margin: 1e-6, links: [1, link2]}
total_mass: [3, 12]
bounds: {m1: [0, 10], fv1: [0, .inf]}
known: {m2: 3.0}
ratio:
- {of: m2, to: m1, low: 0.1, high: 2}
symmetric:
- {link: 1, plane: xz}
com:
- {link: 1, box: [[-0.1, -0.1, -0.1], [0.6, 0.1, 0.1]]}
- {link: link2, cylinder: {start: [0, 0, 0], end: [0.5, 0, 0], radius: 0.2}}
friction: nonnegative
"""
BOUNDS = "Coeff name,Lower bound,Upper bound\nm1,0,10\nm2,0.5,8\nfv1,0,inf\nmc1x,-1e3,2.5\n"
FRICTION = "fv: [0.4, 0.5]\nfc: 0.7\nfo: [0.1, -0.1]\n"
RECIPE = """columns: {time: t, q: q*, dq: "dq1:dq2", effort: [tau1, tau2], ddq: null}
units: {time: s, q: rad, dq: rad/s, effort: Nm}
effort_kind: torque
signs: [1, 1]
offsets: [0, 0.0]
gear_ratios: [1, 1]
skip: 3
without: [[0.5, 0.6]]
joints: [joint1, joint2]
"""


def _script() -> str:
    """URScript as it would be for an arm of two joints."""
    rows = [f"[{', '.join(repr(float(value)) for value in q)}]" for q in log().q[:60]]
    steps = [f"  servoj({row}, t=0.01, lookahead_time=0.1, gain=300)" for row in rows[1:]]
    return "\n".join(["def trajectory():", f"  movej({rows[0]}, a=0.5, v=0.25)", *steps, "  stopj(2.0)", "end", ""])


def _write_recipe(folder: Path) -> None:
    write_text(",")(folder)
    (folder / "log.csv.yaml").write_text(RECIPE)


def _write_preset(folder: Path) -> None:
    write_text(",")(folder)
    (folder / "preset.yaml").write_text(more.PRESET)


def _write_forged(folder: Path) -> None:
    write_run(folder / "run")
    (folder / "seed").write_bytes(b"intact")


def _library_text() -> str:
    import dynident.robots

    return (Path(str(dynident.robots.__file__)).parent / "library" / f"{ARM}.yaml").read_text()


def _write_csv_of_its_own(folder: Path) -> None:
    write_dataset(log(), folder / "own.csv")


@cache
def formats() -> dict[str, Format]:
    """All of them by name."""
    found = [
        Format(name="csv", file="log.csv", write=write_text(","), read=read_log, damages=(damage_bytes, damage_text, damage_text)),
        Format(name="csv of dynident", file="own.csv", write=_write_csv_of_its_own, read=read_log, damages=(damage_bytes, damage_text)),
        Format(name="blanks", file="log.txt", write=write_text("  "), read=read_log, damages=(damage_bytes, damage_text), cases=80),
        Format(
            name="recipe",
            file="log.csv.yaml",
            write=_write_recipe,
            read=lambda path: read_log(path.with_suffix("")),
            damages=(damage_bytes, damage_text, damage_yaml, damage_yaml),
        ),
        _of_arrays("npz", "log.npz", damage.load_npz, damage.save_npz, tables),
        _of_arrays("npz of M and g", "samples.npz", damage.load_npz, damage.save_npz, _samples),
        _of_arrays("parquet", "log.parquet", damage.load_parquet, damage.save_parquet, columns),
        _of_arrays("hdf5", "log.h5", damage.load_hdf5, damage.save_hdf5, tables, cases=60),
        _of_arrays("mat", "log.mat", damage.load_mat, damage.save_mat, tables, cases=60),
        _format_of_bag("mcap", "log.mcap", write_bag, 50),
        _format_of_bag("mcap of json", "log.mcap", write_json_mcap, 50),
        _format_of_bag("ros 1", "log.bag", write_bag, 50),
        _format_of_bag("ros 2 sqlite", "log.db3", write_bag, 50),
        _of_text("dh", "arm.yaml", _library_text(), read_robot, damage_yaml, damage_yaml),
        _of_text("dh table", "arm.csv", DH_TABLE, read_robot),
        _of_text("urdf", "arm.urdf", URDF, read_robot, damage_xml, damage_xml),
        _of_text("xacro", "arm.xacro", XACRO, read_robot, damage_xml, damage_xml, cases=80),
        _of_text("sdf", "arm.sdf", SDF, read_robot, damage_xml, damage_xml),
        _of_text("mjcf", "arm.xml", MJCF, read_robot, damage_xml, damage_xml),
        _of_text("limits", "limits.yaml", LIMITS, read_limits_file, damage_yaml, damage_yaml),
        _of_text("constraints", "constraints.yaml", CONSTRAINTS, read_constraints_file, damage_yaml, damage_yaml),
        _of_text("bounds", "bounds.csv", BOUNDS, read_constraints_file),
        _of_text("friction", "friction.yaml", FRICTION, read_friction, damage_yaml),
        _motion("csv", "motion.csv", damage_text),
        _motion("ros_yaml", "motion.yaml", damage_text, damage_yaml),
        _motion("ros_json", "motion.json", damage_text, damage_json),
        _of_text("trajectory urscript", "motion.script", _script(), read_motion, cases=80),
        _of_run("estimate.json", damage_text, damage_json),
        _of_run("estimate.safetensors", damage_record, cases=60),
        _of_run("parameters.safetensors", damage_record, cases=40),
        _of_run("validation.safetensors", damage_record, cases=40),
        Format(name="forged run", file="seed", write=_write_forged, read=more.read_forged_run, damages=(more.draw_seed,), cases=60),
        *(
            Format(
                name=name,
                file=file,
                write=more.write_mesh(file, content),
                read=more.read_shapes,
                damages=(damage_bytes, *damages),
                cases=30,
            )
            for name, (file, content, damages) in more.MESHES.items()
        ),
        Format(name="srdf", file="arm.srdf", write=more.write_srdf, read=more.read_shapes, damages=(damage_bytes, damage_text, damage_xml)),
        Format(
            name="preset",
            file="preset.yaml",
            write=_write_preset,
            read=more.read_with_preset,
            damages=(damage_bytes, damage_text, damage_yaml),
        ),
        Format(
            name="xacro expressions",
            file="arm.xacro",
            write=lambda folder: (folder / "arm.xacro").write_text(XACRO, encoding="utf-8"),
            read=lambda path: more.refuse_forbidden(path, read_robot),
            damages=(more.damage_expression,),
        ),
    ]
    return {item.name: item for item in found}
