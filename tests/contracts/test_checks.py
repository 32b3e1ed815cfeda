"""What every check of the doctor promises: a file, a line in the registry, words for the documentation, and silence about a good log."""

from __future__ import annotations

from functools import cache

import pytest

from dynident import load_robot
from dynident.doctor import Confidence, Diagnosis, diagnose
from dynident.doctor.checks.registry import CHECKS
from tests.conftest import REPOSITORY
from tests.logs import synthetic_log

FILES = sorted(file.stem for file in (REPOSITORY / "src" / "dynident" / "doctor" / "checks").glob("[a-z]*.py") if file.stem != "registry")


@cache
def examined(robot: str) -> Diagnosis:
    return diagnose(load_robot(robot), synthetic_log(robot, noise=0.1))


def test_every_file_is_registered():
    assert sorted(name.replace(" ", "_").replace("-", "_") for name in CHECKS) == FILES


@pytest.mark.parametrize("name", CHECKS)
def test_a_check_says_what_it_finds_why_and_what_mends_it(name):
    check = CHECKS[name]
    assert check.name == name
    assert check.symptom
    assert check.cause
    assert "`" in check.fix
    assert check.look is not None or check.suspects is not None


@pytest.mark.parametrize("robot", ["planar_2r", "spatial_3r"])
def test_a_good_log_has_no_sure_finding(robot):
    assert examined(robot).sure == ()
    assert examined(robot).correction.nothing


@pytest.mark.parametrize("name", CHECKS)
def test_a_check_alone_is_silent_about_a_good_log(name):
    found = diagnose(load_robot("spatial_3r"), synthetic_log("spatial_3r", noise=0.1), checks=[name])
    assert [finding.name for finding in found.findings if finding.confidence is Confidence.HIGH] == []


def test_the_documentation_has_the_table_of_symptoms_causes_and_fixes():
    page = (REPOSITORY / "docs" / "how-to" / "doctor.md").read_text(encoding="utf-8")
    table = page.split("| finding | symptom | cause | fix |\n|---|---|---|---|\n")[1].split("\n\n")[0]
    assert table.splitlines() == [f"| {check.name} | {check.symptom} | {check.cause} | {check.fix} |" for check in CHECKS.values()]
