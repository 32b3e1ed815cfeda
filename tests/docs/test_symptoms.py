"""The page on symptoms is made of the doctor's checks, knows all of them, and names commands and options that there are."""

from __future__ import annotations

import re

import pytest

from documentation.symptoms import DOCTOR, PAGE, SYMPTOMS, doctor_text, page_text
from dynident.cli.overview import VERBS
from dynident.doctor.checks.registry import CHECKS


@pytest.mark.parametrize(("page", "text"), [(PAGE, page_text()), (DOCTOR, doctor_text())], ids=["symptoms", "doctor"])
def test_the_page_is_up_to_date(page, text):
    assert page.read_text(encoding="utf-8") == text, "make it anew: python -m documentation.symptoms"


def test_every_check_of_the_doctor_belongs_to_a_symptom():
    assert {name for symptom in SYMPTOMS for name in symptom.checks} == set(CHECKS)
    assert all(symptom.checks or symptom.others for symptom in SYMPTOMS)


def test_every_symptom_is_in_the_table_and_has_a_section():
    text = page_text()
    for symptom in SYMPTOMS:
        assert text.count(f"[{symptom.seen}](#") == 1
        assert text.count(f"## {symptom.seen}\n") == 1


def test_commands_and_options_are_there(dynident):
    for command in re.findall(r"`(dynident [^`]+)`", page_text()):
        verb = command.split()[1]
        assert verb in VERBS
        offered = dynident(verb, "--help").stdout
        assert all(option in offered for option in re.findall(r"--[a-z-]+", command)), command
