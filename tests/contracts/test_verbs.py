"""What every verb of the command line has: a file, a place in the registry, a group in the help, and examples that begin with it."""

from __future__ import annotations

import re
from types import ModuleType

import pytest

from dynident.cli import verbs
from dynident.cli.app import VERBS
from tests.conftest import REPOSITORY

GROUPS = {
    "Start here": ["demo", "reproduce"],
    "Robot": ["check", "view", "convert", "repair"],
    "Experiment": ["excite", "simulate", "record", "doctor"],
    "Model": ["presets", "gains", "identify", "signs", "retrieve", "validate", "friction", "payload"],
    "Use": ["export", "report", "sample"],
}


def name_of(module: ModuleType) -> str:
    return module.__name__.rpartition(".")[2]


def test_every_file_is_registered():
    files = {file.stem for file in (REPOSITORY / "src" / "dynident" / "cli" / "verbs").glob("[a-z]*.py")}
    assert files == {name_of(module) for module in VERBS}
    assert verbs.__doc__


@pytest.mark.parametrize("module", VERBS, ids=name_of)
def test_a_verb_says_what_it_is(module: ModuleType):
    name = name_of(module)
    assert callable(getattr(module, name))
    assert getattr(module, name).__doc__
    assert name in GROUPS[module.GROUP]
    commands = re.findall(r"\[bold\](.*?)\[/bold\]", module.EXAMPLE)
    assert commands
    assert all(command.startswith(f"dynident {name}") for command in commands)


def test_the_help_shows_the_groups(dynident):
    panels = re.split(r"╭─ ([A-Z][\w ]+?) ─+╮", dynident("--help").stdout)[1:]
    found = {title: re.findall(r"^│ (\w+) ", text, flags=re.MULTILINE) for title, text in zip(panels[::2], panels[1::2], strict=True)}
    assert list(found.pop("Options")) == []
    assert found == GROUPS
    assert list(found) == list(GROUPS)
