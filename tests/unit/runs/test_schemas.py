"""The JSON Schemas of a run folder: what is written follows them, and what they don't know, lack or type otherwise is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dynident import load_robot
from dynident.dynamics.friction import linear
from dynident.regression import build_problem, estimate
from dynident.runs import Stage, write_result
from tests.logs import synthetic_log
from tests.schemas import NAMES, validator


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    write_result(folder, estimate(build_problem(load_robot("planar_2r"), synthetic_log("planar_2r", noise=0.1), friction=linear())))
    return folder


def test_every_document_of_a_stage_has_one():
    assert {stage.document for stage in Stage} | {"robot.json", "diagnosis.json"} <= set(NAMES)


@pytest.mark.parametrize("name", ["estimate.json", "robot.json"])
def test_what_is_written_follows_it(run, name):
    validator(name).validate(json.loads((run / name).read_text()))


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda content: content.update(more=1), "Additional properties are not allowed"),
        (lambda content: content["coefficients"][0].update(more=1), "Additional properties are not allowed"),
        (lambda content: content.pop("rank"), "'rank' is a required property"),
        (lambda content: content.update(rank="six"), "'six' is not of type 'integer'"),
        (lambda content: content.update(route="other"), "'other' is not one of"),
        (lambda content: content.update(schema="dynident/estimate/0"), "'dynident/estimate/1' was expected"),
        (lambda content: content["coefficients"][0].update(value=None, std=None), ""),
    ],
)
def test_what_it_does_not_say_is_refused(run, change, complaint):
    content = json.loads((run / "estimate.json").read_text())
    change(content)
    found = [error.message for error in validator("estimate.json").iter_errors(content)]
    assert any(complaint in message for message in found) if complaint else found == []
