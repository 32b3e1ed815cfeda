"""What every section of the report promises, and that a new one needs nothing but its file and a line in the registry."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from dynident import load_robot
from dynident.regression import build_problem, estimate
from dynident.reports import SECTIONS, report
from dynident.reports.blocks import Block, Card, Cards, Text
from dynident.reports.registry import Section
from dynident.reports.run_report import fill_section
from dynident.reports.tables import named_values
from dynident.runs import Run, Stage, load_run, write_result
from tests.logs import synthetic_log


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Identified, and nothing else."""
    folder = tmp_path_factory.mktemp("run")
    robot = load_robot("planar_2r")
    problem = build_problem(robot, synthetic_log(robot, noise=0.01), cutoff=None)
    write_result(folder, estimate(problem))
    return load_run(folder)


@pytest.mark.parametrize("key", SECTIONS)
def test_a_section_shows_something_or_says_what_must_be_done_first(key, run):
    section = SECTIONS[key]
    if not section.applies(run):
        assert f'id="{key}"' not in report(run).html
        return
    assert section.key == key
    assert re.fullmatch(r"[a-z][a-z-]*", key), "it is an anchor of the page"
    assert section.title
    found = fill_section(section, run)
    if section.stage is Stage.ESTIMATE:
        assert found.blocks
        assert not found.command
    else:
        assert not found.blocks
        assert found.reason.endswith(".")
        assert found.command == section.stage.command(run.folder)


def test_every_section_is_on_the_page_once_in_order(run):
    anchors = re.findall(r'<section id="([\w-]+)">', report(run).html)
    assert anchors == [
        key for key in SECTIONS if key not in ("signs", "beside", "payload")
    ]  # torque with its signs, nothing to compare with, no payload


def _weather(run: Run) -> Iterator[Block]:
    yield Text(f"It rained on {run.estimate.base.robot.name} <all day>.", headline=True)
    yield Cards((Card(label="Rain", value="3 mm"),))
    yield named_values("Measured", {"wind": "none"})


@pytest.mark.parametrize("stage", [Stage.ESTIMATE, Stage.VALIDATION])
def test_a_new_section_is_on_the_page_and_waits_for_its_stage(monkeypatch, command, run, stage, tmp_path):
    monkeypatch.setitem(SECTIONS, "weather", Section(key="weather", title="Weather", stage=stage, blocks=_weather))
    page_file = tmp_path / "page.html"
    assert command("report", run.folder, "-o", page_file)[0] == 0
    page = page_file.read_text()
    assert re.search(r'<a href="#weather"[^>]*>Weather</a>', page), "it is in the contents"
    part = page.split('<section id="weather">')[1].split("</section>")[0]
    if stage is Stage.ESTIMATE:
        assert '<p class="headline">It rained on planar_2r &lt;all day&gt;.</p>' in part
        assert all(word in part for word in ("3 mm", "wind", "none"))
    else:
        assert "This step has not been done yet." in part
        assert f"dynident validate {run.folder} DATA" in part
        assert "rained" not in part
