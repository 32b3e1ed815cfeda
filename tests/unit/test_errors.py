"""Errors carry their remedy in the library's words; the command line says it with its options, and only there are options known."""

from __future__ import annotations

import ast
import pickle
import re
from pathlib import Path

import numpy as np
import pytest

import dynident
from dynident.cli.app import main
from dynident.cli.arguments import all_flags, option_text
from dynident.cli.overview import VERBS
from dynident.data import Reading
from dynident.diagnosis import Correction
from dynident.errors import DynidentError, FileError, MissingExtraError, Remedy, UnknownNameError, ValueRangeError

SOURCES = Path(dynident.__file__).parent
LIBRARY = sorted(file for file in SOURCES.rglob("*.py") if "cli" not in file.relative_to(SOURCES).parts)


#: What declares an option, or a stage with the command that makes it.
DECLARING = {"option", "StageRow"}


def strings(file: Path) -> list[str]:
    """All texts but those of declarations, which say what the command line calls an option, or which command prints a document."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    documents = [node for node in classes if any(isinstance(base, ast.Name) and base.id.endswith("Document") for base in node.bases)]
    calls = [
        node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in DECLARING
    ]
    declared = {id(part) for call in [*calls, *documents] for part in ast.walk(call)}
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in declared]
    return [node.value for node in found if isinstance(node.value, str)]


def test_the_library_quotes_no_option_and_no_command_line():
    declared = [file for file in LIBRARY if " = option(" in file.read_text(encoding="utf-8")]  # whose help texts name options
    others = [file for file in LIBRARY if file not in declared and file.parent.name != "core"]
    assert not [(file, text) for file in others for text in strings(file) if re.search(r"(?<![\w-])--[a-z]", text)]
    told = {"runs", "bundles"}  # run folders are what commands make, and what bundles are read with: they may name them
    elsewhere = [file for file in LIBRARY if not told & set(file.parts)]
    assert not [
        (file, text) for file in elsewhere for text in strings(file) if re.search(rf"\bdynident ({'|'.join(VERBS)}) ($|[A-Z<{{/.-])", text)
    ]


def test_a_remedy_is_text_that_can_be_told_in_other_words():
    remedy = Remedy("name them with {columns}, or {effort_kind}; {not} this", columns={"q": "{pos}_*"}, effort_kind="torque")
    assert remedy == "name them with columns={'q': '{pos}_*'}, or effort_kind='torque'; {not} this"
    assert remedy.told(option_text) == "name them with --map q={pos}_*, or --effort-kind torque; {not} this"
    assert Remedy("do {recover_signs}", recover_signs=...) == "do recover_signs(...)"
    assert pickle.loads(pickle.dumps(remedy)).told(option_text) == remedy.told(option_text)  # noqa: S301 (errors of worker processes)


@pytest.mark.parametrize(
    ("argument", "value", "text"),
    [
        ("without", {"log2.csv": [[12.5, 13.1], [20.0, 21.0]]}, "--without log2.csv=12.5:13.1 --without log2.csv=20:21"),
        ("lock", {"a": 0.0, "b": 0.25}, "--lock a=0 --lock b=0.25"),
        ("cutoff", 5.0, "--filter 5"),
        ("force", True, "--force"),
        ("units", {"effort": "mNm"}, "--unit effort=mNm"),
        ("recover_signs", ..., "dynident signs ROBOT DATA -o RUN"),
    ],
)
def test_arguments_as_options(argument, value, text):
    assert option_text(argument, value) == text


@pytest.mark.parametrize(
    ("error", "message", "remedy"),
    [
        (DynidentError("it failed", remedy="try again"), "it failed", "try again"),
        (FileError("a.csv", "is odd", place="line 7", remedy="mend it"), "a.csv, line 7: is odd", "mend it"),
        (ValueRangeError("rate", "is 0", remedy="raise it"), "rate is 0", "raise it"),
        (UnknownNameError("solver", "sdpp", ["sdp"], remedy="or none"), "no solver named 'sdpp'; known: sdp", "or none"),
        (MissingExtraError("sim", "mujoco", "it"), "it needs mujoco, which is not installed", 'pip install "dynident[sim]"'),
    ],
)
def test_errors_carry_message_and_remedy(error, message, remedy):
    assert (error.message, error.remedy, str(error)) == (message, remedy, f"{message}; {remedy}")
    assert str(DynidentError("it failed")) == "it failed"


_ALL_CORRECTIONS = Correction.of(
    1,
    Reading(
        columns={"dq": "none"},
        units={"q": "deg"},
        signs=[-1.0],
        gears=[2.0],
        effort_gains=[2.0],
        effort_signs=[1.0],
        offsets=[1.0],
        delay=[1.0],
        sampling_rate=1.0,
        without=[(0.0, 1.0)],
        effort_joints=["joint1"],
        effort_kind="magnitude",
    ),
    gravity=np.zeros(3),
)


def test_every_argument_that_a_remedy_or_a_doctor_names_has_an_option():
    named = set[str]()
    for file in LIBRARY:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Remedy":
                named |= {keyword.arg for keyword in node.keywords if keyword.arg is not None}
    assert named | set(_ALL_CORRECTIONS.arguments) <= set(all_flags())


def test_every_option_of_a_remedy_exists(capsys):
    shown = ""
    for verb in ("identify", "retrieve", "export", "record", "excite", "monitor", "doctor"):
        with pytest.raises(SystemExit):
            main([verb, "--help"])
        shown += capsys.readouterr().out
    options = [text for text in all_flags().values() if text.startswith("--")]
    assert all(re.search(rf"{option}\b", shown) for option in options)
    commands = {text.split()[1] for text in all_flags().values() if text.startswith("dynident ")}
    assert commands <= set(VERBS)
    assert len(options) + len(commands) == len(all_flags()), "each is an option or a command"


def test_the_command_line_says_the_remedy_with_its_options(tmp_path, capsys):
    (tmp_path / "log.csv").write_text("t,angle1,angle2\n0,1,2\n1,2,3\n2,3,4\n")
    with pytest.raises(SystemExit) as caught:
        main(["identify", "planar_2r", str(tmp_path / "log.csv"), "-o", str(tmp_path / "run")])
    assert caught.value.code == 2
    assert "name them with --map q=... (wildcards allowed)" in capsys.readouterr().err
    with pytest.raises(FileError, match=r"name them with columns={'q': '\.\.\.'} \(wildcards allowed\)"):
        dynident.load_dataset(tmp_path / "log.csv")
