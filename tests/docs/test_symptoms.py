"""The page on symptoms knows all checks of the doctor, and names commands and options that there are."""

from __future__ import annotations

import re
from pathlib import Path

from documentation.macros import causes, symptoms
from dynident.cli.overview import VERBS
from dynident.diagnosis.checks.registry import CHECKS

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "decide" / "symptoms.md").read_text(encoding="utf-8")


def test_every_check_of_the_doctor_belongs_to_a_symptom():
    named = [name for call in re.findall(r"{{ causes\((.*)\) }}", PAGE) for name in re.findall(r'"([^"]+)"', call)]
    assert set(named) == set(CHECKS)
    assert all(f"the doctor's *{name}*" in causes(name) for name in CHECKS)


def test_every_symptom_is_in_the_table():
    seen = [heading for heading in re.findall(r"^## (.*)$", PAGE, re.M) if heading != "What a fault does to the numbers"]
    assert len(seen) > 10
    assert re.findall(r"^\| \[(.*)\]\(#", symptoms(), re.M) == seen


def test_commands_and_options_are_there(dynident):
    text = PAGE + causes(*CHECKS)
    for command in re.findall(r"`(dynident [^`]+)`", text):
        verb = command.split()[1]
        assert verb in VERBS
        offered = dynident(verb, "--help").stdout
        assert all(option in offered for option in re.findall(r"--[a-z-]+", command)), command
