"""Hostile names through everything that is written: they stay inside their folder, come back as they were, and nothing takes them for code.

The targets come from the registries: a new one is tried here by its line there, and says in `NAMES_IN` how its names are read back.
"""

from __future__ import annotations

import csv
import io
import os
import re
import shutil
import subprocess
import unicodedata
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import yaml

from dynident import load_robot
from dynident.core.names import file_stem, identifier, printable
from dynident.data import Dataset, EffortKind, load_dataset
from dynident.data.formats.writing import write_dataset
from dynident.errors import InputError, ValueRangeError
from dynident.exports import EXPORTERS, Exported, convert, export
from dynident.motions.formats.format import FileHeader
from dynident.motions.formats.registry import FORMATS, read_trajectory, write_trajectory
from dynident.robots import Robot
from tests.export_models import model_of
from tests.faults.hostile_names import FILE, NAMES, hostile_robot, robots

ROBOTS = robots()


def _states(robot: Robot) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return tuple(np.random.default_rng(0).normal(size=(3, 5, robot.n)))


def _xml_names(tags: tuple[str, ...]) -> Callable[[Exported], set[str | None]]:
    def names(exported: Exported) -> set[str | None]:
        (content,) = exported.files.values()
        root = ElementTree.fromstring(content)  # noqa: S314 (that it is harmless is what is tried)
        return {root.get("name") or root.get("model"), *(element.get("name") for tag in tags for element in root.iter(tag))}

    return names


def _python_names(exported: Exported) -> set[str]:
    (content,) = exported.files.values()
    module: dict = {}
    exec(compile(content, "exported model", "exec"), module)  # noqa: S102 (that it is harmless is what is tried)
    return {module["NAME"], *module["JOINTS"]}


def _yaml_names(exported: Exported) -> set[str]:
    content = yaml.safe_load(exported.main)
    return {content["robot"], *(link["name"] for link in content["links"])}


def _csv_names(exported: Exported) -> set[str]:
    (content,) = exported.files.values()
    return {row[0] for row in csv.reader(io.StringIO(content.decode(), newline=""))}


def _c_names(exported: Exported) -> set[str]:
    """None: C has an identifier in place of the robot's name, and its comments tell what it was. Nothing in them steers an editor."""
    for content in exported.files.values():
        assert not [c for c in content.decode() if unicodedata.category(c) in ("Cc", "Cf") and c != "\n"]
    assert re.fullmatch(r"# Written by dynident\n(?:[\w ().\n]|\$\{CMAKE_[A-Z_]+\})+", exported.files["CMakeLists.txt"].decode())
    return set()


#: How the names in the files of a target are read; the first file is the main one.
NAMES_IN: dict[str, Callable[[Exported], set]] = {
    "urdf": _xml_names(("link", "joint")),
    "mjcf": _xml_names(("body", "joint")),
    "c": _c_names,
    "python": _python_names,
    "yaml": _yaml_names,
    "csv": _csv_names,
}


def test_it_is_known_how_every_target_gives_names_back():
    assert NAMES_IN.keys() == EXPORTERS.keys()


@pytest.mark.parametrize("target", sorted(EXPORTERS))
def test_names_come_back_and_files_stay_in_their_folder(tmp_path, monkeypatch, target):
    """Every target is proven in another engine before it is written: C compiles with -Wall -Werror and runs, Python is imported."""
    work = tmp_path / "a" / "b" / "work"
    work.mkdir(parents=True)
    monkeypatch.chdir(work)
    for number, robot in enumerate(ROBOTS):
        path = work / f"out{number}"
        exported = export(model_of(robot), target, path=path, states=_states(robot))
        for name in exported.files:
            assert Path(name).name == name.strip()
            assert len(name.encode()) < 200
            assert not name.startswith(".")
            assert name.isprintable()
        kept = {"urdf": (robot.name, *robot.link_names, *robot.joint_names), "mjcf": (robot.name, *robot.link_names, *robot.joint_names)}
        kept |= {"python": (robot.name, *robot.joint_names), "yaml": (robot.name, *robot.link_names), "csv": robot.link_names}
        assert set(kept.get(target, ())) <= NAMES_IN[target](exported)
    found = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert all(re.match(r"a/b/work/out\d+(/|$)", name) for name in found)
    assert FILE not in os.listdir()


@pytest.mark.parametrize(("target", "suffix"), [("urdf", ".urdf"), ("mjcf", ".xml")])
def test_our_own_reader_takes_them_and_they_can_be_patched(tmp_path, target, suffix):
    for number, robot in enumerate(ROBOTS):
        path = tmp_path / f"robot{number}{suffix}"
        export(model_of(robot), target, path=path, states=_states(robot))
        read = load_robot(path)
        assert (read.name, read.joint_names, read.link_names) == (robot.name, robot.joint_names, robot.link_names)
        patched = export(model_of(read, seed=4), target, original=path, states=_states(robot))
        assert {robot.name, *robot.joint_names, *robot.link_names} <= NAMES_IN[target](patched)


def test_a_description_in_dh_keeps_them(tmp_path):
    for number, robot in enumerate(ROBOTS):
        path = tmp_path / f"robot{number}.yaml"
        path.write_text(convert(robot, path)[0])
        read = load_robot(path)
        assert (read.name, read.joint_names, read.link_names) == (robot.name, robot.joint_names, robot.link_names)


@pytest.mark.parametrize("name", ["nan", "..", "CON", "int", "../../outside/x", "n" * 3000, "\u202e", " "])
@pytest.mark.parametrize("target", sorted(set(EXPORTERS) - {"c"}))
def test_a_robot_of_that_name_alone(tmp_path, target, name):
    robot = hostile_robot(["joint"], name)
    exported = export(model_of(robot), target, path=tmp_path / "out", states=_states(robot))
    assert re.fullmatch(r"\w[\w-]{0,70}(\.\w+)?", next(iter(exported.files)))


@pytest.mark.skipif(shutil.which("cmake") is None, reason="there is no CMake here")
def test_cmake_takes_the_folder(tmp_path):
    robot = ROBOTS[next(i for i, robot in enumerate(ROBOTS) if any("CMAKE" in name for name in robot.joint_names))]
    export(model_of(robot), "c", path=tmp_path / "source", states=_states(robot))
    command = ["cmake", "-S", tmp_path / "source", "-B", tmp_path / "build", "-Werror=dev"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert sorted(os.listdir(tmp_path)) == ["build", "source"]


@pytest.mark.parametrize("format", sorted(FORMATS))
def test_trajectory_files_hold_no_more_than_the_motion(tmp_path, format):
    """A line break in a name must not end the comment: the next line would be a command to the robot."""
    kind = FORMATS[format]
    for number, robot in enumerate(robots(kind.joints or 4)):
        if kind.joints not in (0, robot.n):
            continue
        rate = kind.rate or 125.0
        time = np.arange(40) / rate
        motion = Dataset(time=time, q=0.1 * np.sin(time)[:, None] * np.ones(robot.n), joint_names=robot.joint_names)
        path = tmp_path / f"motion{number}{kind.suffixes[0]}"
        write_trajectory(motion, path, header=FileHeader(robot=robot.name, units=("rad",) * robot.n), format=format)
        np.testing.assert_allclose(read_trajectory(path).samples.q, motion.q, atol=1e-6)
        if format == "urscript":
            lines = path.read_text().splitlines()
            assert {line.split("(")[0].strip() for line in lines if not line.startswith("#")} == {
                "def dynident_trajectory",
                "popup",
                "movej",
                "servoj",
                "stopj",
                "end",
            }
    assert {path.name for path in tmp_path.iterdir()} <= {f"motion{i}{kind.suffixes[0]}" for i in range(len(NAMES))}


@pytest.mark.parametrize("suffix", [".npz", ".csv", ".parquet"])
def test_logs_keep_the_names_of_their_joints(tmp_path, suffix):
    time = np.arange(50) / 100.0
    for robot in ROBOTS:
        q = np.sin(time)[:, None] * np.ones(robot.n)
        write_dataset(
            Dataset(time=time, q=q, effort=2.0 * q, effort_kind=EffortKind.TORQUE, joint_names=robot.joint_names), tmp_path / f"log{suffix}"
        )
        assert load_dataset(tmp_path / f"log{suffix}").joint_names == robot.joint_names


def test_columns_of_hostile_names_are_told_in_one_line(tmp_path):
    path = tmp_path / "log.csv"
    with path.open("w", newline="") as stream:
        csv.writer(stream).writerows([[name for name in NAMES if "\n" not in name], *([0.5] * len(NAMES) for _ in range(3))])
    with pytest.raises(InputError) as caught:
        load_dataset(path)
    assert "\n" not in printable(str(caught.value))


@pytest.mark.parametrize("name", ["\x1b[31mred", "a\x00b", "half a pair \ud800", "\x7f", "\ufffe"])
def test_what_no_file_can_hold_is_refused(name):
    with pytest.raises(ValueRangeError, match=r"joint name .* has the character U\+[0-9A-F]{4}, which can't be written; rename it"):
        hostile_robot([name], "arm")
    with pytest.raises(ValueRangeError, match="robot name"):
        hostile_robot(["joint"], name)


@pytest.mark.parametrize("name", NAMES)
def test_words_made_of_names(name):
    assert re.fullmatch(r"[\w.-]{1,61}", file_stem(name))
    assert not file_stem(name).startswith(".")
    assert re.fullmatch(r"[a-z][a-z0-9_]{0,66}", identifier(name))
    assert not [c for c in printable(name) if unicodedata.category(c) in ("Cc", "Cf")]


def test_devices_are_no_files():
    assert [file_stem(name) for name in ("CON", "nul.txt", "COM1", "console")] == ["CON_", "nul.txt_", "COM1_", "console"]


def test_the_terminal_is_not_steered(command, tmp_path):
    """Escape sequences of a file's name, or of anything in a message, are shown as what they are."""
    code, said = command("check", tmp_path / "\x1b[2J\u202earm.urdf")
    assert code == 2
    assert "<U+001B>[2J<U+202E>arm.urdf: no such file" in said
