"""What every check of the doctor promises: a file, a line in the registry, words for the documentation, and silence about a good log."""

from __future__ import annotations

from functools import cache

import pytest

from dynident import load_robot
from dynident.diagnosis import Confidence, Diagnosis, doctor
from dynident.diagnosis.checks.registry import CHECKS
from dynident.errors import UnknownNameError
from tests.conftest import REPOSITORY
from tests.logs import synthetic_log

FOLDER = REPOSITORY / "src" / "dynident" / "diagnosis" / "checks"
FILES = sorted(file.stem for file in FOLDER.glob("[a-z]*.py") if file.stem != "registry")


@cache
def examined(robot: str) -> Diagnosis:
    return doctor(load_robot(robot), synthetic_log(robot, noise=0.1))


def test_every_file_is_registered():
    assert sorted(name.replace(" ", "_").replace("-", "_") for name, check in CHECKS.items() if check.look is not None) == FILES


def test_an_unknown_name_of_a_check_is_an_error():
    with pytest.raises(UnknownNameError, match="time base"):
        doctor(load_robot("planar_2r"), synthetic_log("planar_2r"), checks=["time bases"])


@pytest.mark.parametrize("name", CHECKS)
def test_a_check_says_what_it_finds_why_and_what_mends_it(name):
    check = CHECKS[name]
    assert check.name == name
    assert check.symptom
    assert check.cause
    assert "`" in check.fix


@pytest.mark.parametrize("robot", ["planar_2r", "spatial_3r"])
def test_a_good_log_has_no_sure_finding(robot):
    assert examined(robot).sure == ()
    assert examined(robot).correction.nothing


@pytest.mark.parametrize("name", CHECKS)
def test_a_check_alone_is_silent_about_a_good_log(name):
    found = doctor(load_robot("spatial_3r"), synthetic_log("spatial_3r", noise=0.1), checks=[name])
    assert [finding.name for finding in found.findings if finding.confidence is Confidence.HIGH] == []
