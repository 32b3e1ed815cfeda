"""What goes wrong at the command line: one sentence on stderr, the right exit code, no traceback."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import run_here, run_installed

URDF = """<robot name="arm"><link name="base"/><link name="link1"/>
<joint name="joint1" type="{kind}"><parent link="base"/><child link="link1"/><axis xyz="0 0 1"/></joint></robot>"""

FILES = {
    "plain.urdf": "this is not XML",
    "broken.xml": "<mujoco><worldbody>",
    "entities.urdf": '<!DOCTYPE robot [<!ENTITY a "b">]><robot name="&a;"/>',
    "other.xml": "<html></html>",
    "floating.urdf": URDF.format(kind="floating"),
    "unknown_type.urdf": URDF.format(kind="spiral"),
    "good.urdf": URDF.format(kind="continuous"),
    "list.yaml": "- 1\n- 2\n",
    "no_convention.yaml": "joints: []\n",
    "tabs.yaml": "a:\n\t- b",
    "robot.txt": "a robot",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "binary.urdf").write_bytes(bytes(range(256)))
    (tmp_path / "folder.urdf").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["check", "missing.urdf"], ["missing.urdf", "no such file"]),
        (["check", "pandda"], ["pandda", "known:", "panda"]),
        (["check", "folder.urdf"], ["folder.urdf", "folder"]),
        (["check", "plain.urdf"], ["plain.urdf", "XML"]),
        (["check", "broken.xml"], ["broken.xml", "XML"]),
        (["check", "binary.urdf"], ["binary.urdf", "not text"]),
        (["check", "entities.urdf"], ["entities.urdf", "entit"]),
        (["check", "other.xml"], ["other.xml", "html"]),
        (["check", "floating.urdf"], ["floating.urdf", "joint1", "floating"]),
        (["check", "unknown_type.urdf"], ["unknown_type.urdf", "joint1", "spiral", "revolute"]),
        (["check", "list.yaml"], ["list.yaml", "mapping"]),
        (["check", "no_convention.yaml"], ["no_convention.yaml", "convention"]),
        (["check", "tabs.yaml"], ["tabs.yaml", "YAML", "line 2"]),
        (["check", "robot.txt"], ["robot.txt", ".urdf", ".yaml"]),
        (["check", "good.urdf", "--lock", "elbow=0"], ["elbow", "joint1"]),
        (["check", "good.urdf", "--base", "nowhere"], ["nowhere", "link1"]),
        (["check", "good.urdf", "--tip", "nowhere"], ["nowhere", "link1"]),
        (["check", "panda", "--lock", "panda_joint1"], ["--lock", "'panda_joint1'", "JOINT=VALUE"]),
        (["check", "panda", "--lock", "panda_joint1=much"], ["--lock panda_joint1", "'much'"]),
        (["check", "panda", "--lock", "panda_joint1=nan"], ["--lock", "finite"]),
        (["check", "panda", "--lock", "=1"], ["--lock", "JOINT=VALUE"]),
        (["check", "panda", "--lock", "a=1", "--lock", "a=2"], ["--lock", "a was given twice"]),
        (["check"], ["ROBOT", "--help"]),
        (["check", "panda", "--jsn"], ["--jsn", "--help"]),
        (["chek", "panda"], ["chek", "--help"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) and value and value[0].startswith("che") else "",
)
def test_bad_input_is_one_sentence_and_exit_2(dynident, folder, arguments, words):
    finished = dynident(*arguments, cwd=folder)
    assert finished.returncode == 2, finished.stderr
    assert finished.stdout == ""
    assert "Traceback" not in finished.stderr
    assert finished.stderr.startswith("dynident: ")
    assert finished.stderr.count("\n") == 1
    assert all(word in finished.stderr for word in words), finished.stderr


@pytest.mark.parametrize("arguments", [["check", "missing.urdf", "--debug"], ["--debug", "check", "missing.urdf"]])
def test_debug_shows_the_traceback(dynident, arguments):
    finished = dynident(*arguments)
    assert finished.returncode == 1
    assert "Traceback" in finished.stderr
    assert "FileError" in finished.stderr


@pytest.mark.parametrize("arguments", [[], ["--help"], ["check", "--help"]])
def test_help_has_an_example(dynident, arguments):
    finished = dynident(*arguments)
    assert finished.returncode == 0
    assert "dynident check panda" in finished.stdout


@pytest.mark.parametrize("words", ["export --help", "check panda", "check panda --json"])
def test_a_reader_that_has_seen_enough_ends_the_command_in_silence(words):
    """As `| head` does; the pipe is closed before anything is printed."""
    command = [sys.executable, "-c", "from dynident.cli import main; main()", *words.split()]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1


def test_version(dynident):
    finished = dynident("--version")
    assert finished.returncode == 0
    assert finished.stdout.startswith("dynident 0.")


@pytest.mark.parametrize(
    "words", [[], ["--version"], ["identify", "--help"], ["check", "panda"], ["check", "missing.urdf"], ["chek"]], ids=" ".join
)
def test_the_installed_command_says_the_same_as_the_one_in_this_process(tmp_path, words):
    installed, here = run_installed(tmp_path, *words), run_here(tmp_path, *words)
    assert (installed.returncode, installed.stdout, installed.stderr) == (here.returncode, here.stdout, here.stderr)
