"""What every verb of the command line has: a file, a place in the registry, a group in the help, and examples that begin with it."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import import_module
from inspect import getdoc

import pytest

from dynident.cli import verbs
from dynident.cli.overview import GROUPS, OPTIONS, VERBS, purpose
from tests.conftest import REPOSITORY


def test_every_file_is_registered():
    files = {file.stem for file in (REPOSITORY / "src" / "dynident" / "cli" / "verbs").glob("[a-z]*.py")}
    assert files == set(VERBS)
    assert len(VERBS) == len(set(VERBS))
    assert verbs.__doc__


@pytest.mark.parametrize("name", VERBS)
def test_a_verb_says_what_it_is(name: str):
    module = import_module(f"dynident.cli.verbs.{name}")
    commands = [line for line in module.EXAMPLE.splitlines()[1:] if line]
    assert commands
    assert all(command.startswith(f"dynident {name}") for command in commands)


@pytest.mark.parametrize("name", VERBS)
def test_the_help_of_all_says_of_a_verb_what_its_own_help_begins_with(name: str):
    text = getdoc(getattr(import_module(f"dynident.cli.verbs.{name}"), name))
    assert text is not None
    assert " ".join(text.partition("\n\n")[0].split()) == purpose(name) != ""


def test_the_help_shows_the_groups(dynident):
    panels = re.split(r"╭─ ([A-Z][\w ]+?) ─+╮", dynident("--help").stdout)[1:]
    found = {title: re.findall(r"^│ (\w+) ", text, flags=re.MULTILINE) for title, text in zip(panels[::2], panels[1::2], strict=True)}
    assert found.pop("Options") == []
    assert found == {title: list(verbs) for title, verbs in GROUPS.items()}
    assert list(found) == list(GROUPS)


@pytest.mark.parametrize("words", [["--debug", "--help"], ["--help", "check"]])
def test_the_help_is_the_same_wherever_it_is_asked_for(dynident, words):
    assert dynident(*words).stdout.rstrip() == dynident("--help").stdout.rstrip()


def test_the_options_of_the_help_are_those_that_are_understood(dynident):
    assert all(option in dynident("--help").stdout for option in OPTIONS)
    assert dynident("--debug", "--version").stdout == dynident("--version").stdout
    assert "No such option" in dynident("--quiet", "check").stderr


def test_help_and_version_import_neither_verbs_nor_what_parses_their_options():
    heavy = ("cyclopts", "numpy", "yaml", "dynident.cli.verbs.check")
    ask = "import sys; from dynident.cli.app import run; run(['--help']); run(['--version']); "
    code = f"{ask}print([name for name in {heavy} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.endswith("[]\n")


def test_a_verb_imports_no_other():
    code = (
        "import sys; from dynident.cli.app import run; run(['check', '--help'])\nprint(sum('cli.verbs.' in name for name in sys.modules))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.endswith("\n1\n")


@pytest.mark.parametrize("name", VERBS)
def test_help_is_in_the_words_of_users(dynident, name):
    found = dynident(name, "-h")
    assert found.returncode == 0
    assert found.stdout == dynident(name, "--help").stdout
    assert not re.search(r"<\w+>|list\[|\bstr\b|\{\}", found.stdout)
    groups = re.findall(r"╭─ ([A-Z][\w ]+?) ─+╮", found.stdout)
    assert groups[0] == "Arguments"
    assert groups[-1] == "Advanced"


def test_the_help_of_identify_begins_with_what_people_use_first(dynident):
    text = dynident("identify", "--help").stdout
    panels = re.split(r"╭─ ([A-Z][\w ]+?) ─+╮", text)[1:]
    assert panels[::2] == ["Arguments", "Options", "Reading the log", "The robot", "Advanced"]
    flags = re.findall(r"^│ [ *] *(--[a-z-]+)", panels[3], flags=re.MULTILINE)
    assert flags == ["--output", "--friction", "--filter", "--rate", "--train", "--json"]


def test_the_help_of_identify_imports_neither_numpy_nor_the_rooms_behind_it():
    code = (
        "import sys; from dynident.cli.app import run; run(['identify', '--help']); "
        "print([name for name in ('numpy', 'scipy', 'numba', 'yaml', 'dynident.regression.identify') if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.endswith("[]\n")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_commands_are_completed(dynident, shell):
    script = dynident("--completion", shell).stdout
    assert all(word in script for word in (*VERBS, "--sampling-rate"))
    assert dynident("--completion", "dos").returncode == 2
