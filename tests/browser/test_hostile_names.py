"""Hostile names on every page, in a browser: they are shown as text, and no script of theirs runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dynident import regression
from dynident.data import Dataset, EffortKind
from dynident.diagnosis import doctor
from dynident.dynamics import inverse_dynamics
from dynident.dynamics.friction import linear
from dynident.motions import design_trajectory, drive_design, robot_limits
from dynident.motions.design.experiment import design_experiment
from dynident.regression import build_problem
from dynident.reports import report
from dynident.reports.comparison import comparison_page, fleet_page
from dynident.reports.diagnosis import diagnosis_page
from dynident.reports.monitoring import contacts_page
from dynident.reports.motion_page import design_page, experiment_page
from dynident.reports.view import view
from dynident.reproduce.claim import Claim
from dynident.reproduce.experiment import ExperimentOutcome, Size
from dynident.reproduce.page import reproduction_page
from dynident.reproduce.registry import PAPERS
from dynident.reproduce.reproduction import Finished, Reproduction
from dynident.robots import Robot
from dynident.runs import load_run, write_result
from dynident.runs.comparison import compare_runs
from dynident.validation import validate
from dynident.validation.monitoring import contact_monitor, find_contacts
from tests.browser import chromium
from tests.faults.hostile_names import hostile_robot

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(chromium.BROWSER is None or chromium.DRIVER is None, reason=chromium.MISSING),
]

#: Each would set the mark, and has a word that is found on a page.
SCRIPT = "<script>window.hacked=1</script><img src=x onerror=window.hacked=1>seen"
LINK = "</script>\"'><a href='javascript:window.hacked=1'>seen"
NAMES = (SCRIPT, LINK)


@pytest.fixture(scope="module")
def robot() -> Robot:
    return hostile_robot(NAMES, SCRIPT)


@pytest.fixture(scope="module")
def log(robot) -> Dataset:
    time = np.arange(0.0, 9.0, 0.01)
    phase = time[:, None] * np.array([2.0, 3.1]) + np.array([0.0, 1.0])
    q, dq, ddq = 0.8 * np.sin(phase), 0.8 * np.array([2.0, 3.1]) * np.cos(phase), -0.8 * np.array([2.0, 3.1]) ** 2 * np.sin(phase)
    effort = inverse_dynamics(robot, 1.1 * robot.parameters, q, dq, ddq) + dq + np.random.default_rng(0).normal(0.0, 0.1, q.shape)
    return Dataset(time=time, q=q, dq=dq, effort=effort, effort_kind=EffortKind.TORQUE, joint_names=NAMES, source=f"{LINK}.npz")


@pytest.fixture(scope="module")
def run(tmp_path_factory, robot, log) -> Path:
    folder = tmp_path_factory.mktemp("run")
    problem = build_problem(robot, log.part(0.0, 0.7), friction=linear(), cutoff=8.0, rate=32.0)
    estimate = regression.estimate(problem)
    write_result(folder, estimate)
    write_result(folder, validate(estimate, log.part(0.7, 1.0)))
    return folder


def _reproduction() -> Reproduction:
    paper = next(iter(PAPERS.values()))
    claim = Claim(paper=paper.key, place=LINK, quantity=SCRIPT, published=1.0, ours=1.0, tolerance=0.1, tolerance_from=LINK, reason=SCRIPT)
    outcome = ExperimentOutcome(claims=(claim,), notes=(SCRIPT,))
    step = Finished(paper=paper, experiment=paper.experiments[0], outcome=outcome, seconds=1.0, kept=False)
    return Reproduction(steps=(step,), size=Size.QUICK, data=(f"{SCRIPT}.npz",))


@pytest.fixture(scope="module")
def pages(robot, log, run) -> dict[str, Callable[[], str]]:
    """Every page that a command writes."""
    limits = replace(robot_limits(robot, floor=None), torque=None)

    def design(**options):
        return design_trajectory(robot, **{"friction": linear(), "duration": 4.0, "limits": limits, "starts": 1, "iterations": 1} | options)

    def excite() -> str:
        return design_page(drive_design(design(unchecked=True)))

    def experiment() -> str:
        found = design_experiment(lambda **options: design(unchecked=True, **options), precision=50.0)
        return experiment_page(found, robot)

    def fleet() -> str:
        compared = compare_runs([load_run(run), load_run(run)])
        return fleet_page(robot.name, SCRIPT, compared, [(LINK, compared.tables().tables[0])], [SCRIPT]).html

    def monitor() -> str:
        return contacts_page(find_contacts(contact_monitor(load_run(run).estimate, log), log)).html

    return {
        "report": lambda: report(load_run(run), beside=load_run(run)).html,
        "view": lambda: view(robot, parameters=robot.parameters, motion=log, solids=True).html,
        "doctor": lambda: diagnosis_page(doctor(robot, replace(log, effort=log.effort * [1.0, -1.0]))).html,
        "compare": lambda: comparison_page(compare_runs([load_run(run), load_run(run)])).html,
        "reproduce": lambda: reproduction_page(_reproduction()).html,
        "fleet": fleet,
        "monitor": monitor,
        "excite": excite,
        "experiment": experiment,
    }


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    found = chromium.start(tmp_path_factory.mktemp("profile"))
    yield found
    found.quit()


@pytest.mark.parametrize("kind", ["report", "view", "doctor", "compare", "fleet", "monitor", "reproduce", "excite", "experiment"])
def test_names_are_text(browser, tmp_path, pages, kind):
    page = tmp_path / "page.html"
    page.write_text(pages[kind](), encoding="utf-8")
    if "dataset.drawn" in page.read_text(encoding="utf-8"):
        chromium.open_page(browser, page)
    else:
        _open_plain(browser, page)
    shown = f"{FRAMES} return all.map((w) => w.document.body.innerText).join(' ')"
    chromium.wait(lambda: "window.hacked=1" in browser.execute_script(shown), "the names are shown as they are")
    assert not _is_hacked(browser)


@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_is_no_text_would_be_noticed(browser, tmp_path, name):
    page = tmp_path / "page.html"
    page.write_text(f"<!doctype html><html><body><p>{name}</p></body></html>", encoding="utf-8")
    _open_plain(browser, page)
    assert _is_hacked(browser)


#: The windows of a page: its own, and those of its frames.
FRAMES = "const all = [window, ...[...document.querySelectorAll('iframe')].map((f) => f.contentWindow)];"


def _open_plain(browser, page: Path) -> None:
    browser.get(page.resolve().as_uri())
    chromium.wait(lambda: browser.execute_script("return document.readyState") == "complete", "the page is loaded")


def _is_hacked(browser) -> bool:
    """Has a script of a name run, or is a link or picture of one there?"""
    marks = browser.execute_script(f"{FRAMES} return all.map((w) => w.hacked ?? null)")
    named = "(e) => e.getAttribute('href') ?? e.getAttribute('src') ?? ''"
    found = browser.execute_script(f"{FRAMES} return all.flatMap((w) => [...w.document.querySelectorAll('a, img')].map({named}))")
    return 1 in marks or any("hacked" in link or link == "x" for link in found)
