"""Steps are kept, and an interrupted run goes on where it was."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from dynident.errors import FileError, UnknownNameError
from dynident.reports.figures import Figure
from dynident.reproduce import Size, papers_named, reproduce
from dynident.reproduce.claim import Claim
from dynident.reproduce.experiment import ExperimentOutcome, Paper, PaperExperiment, Setting
from dynident.reproduce.recordings import read_recordings


class Counting:
    """A paper of two experiments that count how often they and the parts of the second are run."""

    def __init__(self, *, interrupted: bool = False) -> None:
        self.interrupted = interrupted
        self.runs: list[str] = []

    @property
    def paper(self) -> Paper:
        first = PaperExperiment(key="first", title="the first", run=self._first, uses=("panda",))
        second = PaperExperiment(key="second", title="the second", run=self._second, sized=True)
        return Paper(key="made_up", citation="nobody", experiments=(first, second))

    def _first(self, setting: Setting) -> ExperimentOutcome:
        self.runs.append("first")
        figure = Figure(label="a picture", data=[], layout={}, height=100)
        return ExperimentOutcome(claims=(_claim(1.0),), figures=(figure,), notes=("how it was done",))

    def _second(self, setting: Setting) -> ExperimentOutcome:
        self.runs.append("second")
        values = [setting.kept(f"part{k}", lambda k=k: self._part(k)) for k in range(3)]
        setting.progress(0.5)
        return ExperimentOutcome(claims=(_claim(sum(values)),))

    def _part(self, k: int) -> float:
        if self.interrupted and k == 2:
            raise KeyboardInterrupt
        self.runs.append(f"part{k}")
        return float(k)


def _claim(value: float) -> Claim:
    return Claim(paper="made_up", place="p. 1", quantity="x", published=3.0, ours=value, tolerance=0.0, tolerance_from="a count")


def test_what_was_done_is_not_done_again(tmp_path: Path):
    counting = Counting()
    before = reproduce([counting.paper], tmp_path)
    counting.runs.clear()
    after = reproduce([counting.paper], tmp_path)
    assert counting.runs == []
    assert [step.kept for step in after.steps] == [True, True]
    assert after.claims == before.claims
    assert after.steps[0].outcome.notes == ("how it was done",)
    assert after.steps[0].outcome.figures[0].label == "a picture"


def test_an_interrupted_step_keeps_its_parts(tmp_path: Path):
    with pytest.raises(KeyboardInterrupt):
        reproduce([Counting(interrupted=True).paper], tmp_path)
    counting = Counting()
    assert reproduce([counting.paper], tmp_path).claims[-1].ours == 3.0
    assert counting.runs == ["second", "part2"]


def test_only_what_the_full_form_changes_is_done_again(tmp_path: Path):
    counting = Counting()
    reproduce([counting.paper], tmp_path)
    counting.runs.clear()
    reproduce([counting.paper], tmp_path, size=Size.FULL)
    assert counting.runs == ["second", "part0", "part1", "part2"]


@pytest.mark.parametrize("content", ["", "{", "[]", '{"digest": "another"}'])
def test_a_file_that_is_not_of_this_run_is_made_again(tmp_path: Path, content: str):
    counting = Counting()
    reproduce([counting.paper], tmp_path)
    file = tmp_path / "steps" / "made_up-first.json"
    file.write_text(content)
    reproduce([counting.paper], tmp_path)
    assert counting.runs.count("first") == 2
    assert json.loads(file.read_text())["claims"]


def test_progress_goes_from_nothing_to_the_last_step(tmp_path: Path):
    told: list[tuple[str, float]] = []
    reproduce([Counting().paper], tmp_path, progress=lambda name, share: told.append((name, share)))
    assert told == [("made_up: the first", 0.0), ("made_up: the second", 0.5), ("made_up: the second", 0.75)]


def test_an_unknown_paper_is_named():
    with pytest.raises(UnknownNameError, match=r"no paper named 'gaz2020'; known: .*gaz2016.*all"):
        papers_named("gaz2020")


class TestRecordings:
    def test_a_log_of_another_robot_is_refused(self, tmp_path: Path):
        rng = np.random.default_rng(0)
        file = tmp_path / "log.npz"
        np.savez(file, t=np.arange(100) / 100, q=rng.normal(size=(100, 7)), tau=rng.normal(size=(100, 7)))
        with pytest.raises(FileError, match="is of no robot of the papers"):
            read_recordings([file])

    def test_the_number_of_joints_is_told(self, tmp_path: Path):
        file = tmp_path / "log.npz"
        np.savez(file, t=np.arange(100) / 100, q=np.zeros((100, 6)), tau=np.ones((100, 6)))
        with pytest.raises(FileError, match="has 6 joints"):
            read_recordings([file])

    def test_the_recorded_logs_are_told_apart(self, shared_data: Path):
        files = [shared_data / "kuka_lwr4" / "measurements_1.npz", shared_data / "panda_gaz2019" / "trajectory_1.npz"]
        files.append(shared_data / "panda_gaz2019" / "derived_M_g_1010.npz")
        found, names = read_recordings(files)
        assert names == {"panda": [files[1]], "kuka": [files[0]], "controller": [files[2]]}
        assert [len(items) for items in (found.panda, found.kuka, found.controller)] == [1, 1, 1]

    def test_a_missing_log_is_named(self, tmp_path: Path):
        with pytest.raises(FileError, match=r"nothing\.npz"):
            read_recordings([tmp_path / "nothing.npz"])


def test_one_experiment_of_a_paper_can_be_named():
    (paper,) = papers_named("gaz2016")
    (alone,) = papers_named("gaz2016/extraction")
    assert alone.key == paper.key
    assert [experiment.key for experiment in alone.experiments] == ["extraction"]
    assert alone.experiments[0] in paper.experiments
    with pytest.raises(UnknownNameError, match=r"experiment of gaz2016 named 'x'"):
        papers_named("gaz2016/x")
