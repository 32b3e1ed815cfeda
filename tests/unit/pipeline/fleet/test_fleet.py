"""A fleet: the same bits whoever does the work, nothing lost with a worker, nothing done twice, and failures that stop nobody."""

from __future__ import annotations

import json
import os
import signal
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dynident import load_robot
from dynident.core.records import OpenedFile
from dynident.errors import InputError
from dynident.pipeline.fleet.fleet import identify_fleet, name_folders, odd_links, plan_robots, work_on_all
from dynident.pipeline.fleet.robots import DIAGNOSIS, FleetOptions, RobotOutcome, RobotWork, is_done, work_on
from dynident.pipeline.options import RetrieveChoice
from dynident.runs import RunFolder, Stage
from tests.schemas import validator
from tests.unit.runs.comparison.fleets import robot_log

MODEL = "pendulum_1r"


QUICK = RetrieveChoice(ranges=False)


def robots(folder: Path, logs: Path, count: int = 4, retrieve: RetrieveChoice = QUICK) -> list[RobotWork]:
    return plan_robots(load_robot(MODEL), [logs / f"r{k}.npz" for k in range(count)], folder, FleetOptions(retrieve=retrieve))


def quiet(text: str, share: float) -> None:
    """Nobody looks."""


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three logs, and one that is none."""
    folder = tmp_path_factory.mktemp("logs")
    for k in range(3):
        log = robot_log(k, model=MODEL, samples=900)
        np.savez(folder / f"r{k}.npz", t=log.time, q=log.q, dq=log.dq, tau=log.effort)
    (folder / "r3.npz").write_bytes(b"no log")
    return folder


@pytest.fixture(scope="module")
def serial(logs: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list]:
    folder = tmp_path_factory.mktemp("serial")
    return folder, work_on_all(robots(folder, logs), tell=quiet)


def digests(folder: Path) -> dict[str, str]:
    """Of every record, which have every digit."""
    files = sorted(folder.glob("r*/*.safetensors"))
    return {f"{file.parent.name}/{file.name}": OpenedFile(file, remedy="").digest for file in files}


def test_a_robot_that_fails_is_listed_with_its_sentence_and_the_others_go_on(serial):
    folder, outcomes = serial
    assert [outcome.done for outcome in outcomes[:3]] == [("doctor", "identify", "retrieve", "validate")] * 3
    assert outcomes[3].done == ()
    assert "is not an .npz archive" in outcomes[3].failures["identify"]
    assert "retrieve" not in outcomes[3].failures
    assert outcomes[3].run is None
    assert outcomes[0].run.validation_percent is not None
    assert len(digests(folder)) == 9


def test_all_documents_of_a_robot_are_as_their_schemas_say(serial):
    folder, _ = serial
    found = sorted(path.name for path in (folder / "r0").glob("*.json"))
    assert found == ["diagnosis.json", "estimate.json", "parameters.json", "robot.json", "validation.json"]
    for name in found:
        validator(name).validate(json.loads((folder / "r0" / name).read_text()))


def test_a_step_does_what_the_command_does_and_says_so(serial, logs, command, tmp_path):
    folder, _ = serial
    run = tmp_path / "run"
    assert command("identify", MODEL, logs / "r1.npz", "-o", run, "--train", "0:0.7")[0] == 0
    assert RunFolder(run).digest(Stage.ESTIMATE) == RunFolder(folder / "r1").digest(Stage.ESTIMATE)
    said = {name: json.loads((folder / "r1" / f"{name}.json").read_text())["provenance"]["command"] for name in ("estimate", "validation")}
    assert said["estimate"] == f"dynident identify {MODEL} {logs / 'r1.npz'} -o {folder / 'r1'} --train 0:0.7"
    assert said["validation"] == f"dynident validate {folder / 'r1'} {logs / 'r1.npz'} --part 0.7:1"


def test_what_is_done_is_not_done_again_until_its_input_changes(serial, logs):
    folder, _ = serial
    first = robots(folder, logs)[0]
    before = {file: file.stat().st_mtime_ns for file in (folder / "r0").iterdir()}
    assert is_done(first)
    assert work_on(first).repeated == ()
    assert {file: file.stat().st_mtime_ns for file in (folder / "r0").iterdir()} == before
    (changed,) = robots(folder, logs, 1, retrieve=replace(QUICK, total_mass=(0.0, 50.0)))
    assert not is_done(changed)
    assert work_on(changed).repeated == ("retrieve", "validate")
    assert work_on(first).repeated == ("retrieve", "validate")
    assert not is_done(replace(first, data=logs / "r1.npz")), "other data"
    assert not is_done(replace(first, robot=first.robot.with_gravity([0.0, 0.0, -1.62]))), "another robot"


def test_files_that_options_name_count_by_their_content(serial, logs, tmp_path):
    folder, _ = serial
    bounds = tmp_path / "bounds.yaml"
    bounds.write_text("bounds: {m1: [0, 50]}")
    (bounded,) = robots(folder, logs, 1, retrieve=replace(QUICK, bounds=(bounds,)))
    assert work_on(bounded).repeated == ("retrieve", "validate")
    (moved,) = robots(folder, logs, 1, retrieve=replace(QUICK, bounds=(bounds.rename(tmp_path / "again.yaml"),)))
    assert is_done(moved)
    (tmp_path / "again.yaml").write_text("bounds: {m1: [0, 60]}")
    assert not is_done(moved)
    assert work_on(robots(folder, logs, 1)[0]).repeated == ("retrieve", "validate")


def test_a_file_that_is_damaged_or_was_lost_is_made_again(serial, logs):
    folder, _ = serial
    third = robots(folder, logs)[2]
    before = digests(folder)
    (folder / "r2" / "parameters.safetensors").write_bytes(b"?")
    assert work_on(third).repeated == ("retrieve",), "the validation is that of the same parameters"
    (folder / "r2" / "estimate.safetensors").write_bytes(b"?")
    assert work_on(third).repeated == ("identify",), "the parameters are those of the same estimate"
    (folder / "r2" / DIAGNOSIS).write_text("{")
    (folder / "r2" / "validation.json").unlink()
    assert work_on(third).repeated == ("doctor", "validate")
    assert digests(folder) == before


def test_a_process_that_ends_loses_the_step_that_it_was_at(logs, tmp_path, monkeypatch):
    (work,) = robots(tmp_path, logs, 1, retrieve=RetrieveChoice())

    def end(links: object, progress: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("dynident.links.with_ranges", end)
        with pytest.raises(KeyboardInterrupt):
            work_on(work)
    assert not (tmp_path / "r0" / "parameters.json").exists()
    assert work_on(work).repeated == ("retrieve", "validate")


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes as Linux has them")
def test_two_workers_give_the_same_bits_also_when_one_is_killed(serial, logs, tmp_path):
    import psutil

    killed: list[int] = []

    def kill_once(text: str, share: float) -> None:
        if share > 0.0 and not killed:
            killed.extend(child.pid for child in psutil.Process().children())
            os.kill(killed[0], signal.SIGKILL)

    outcomes = work_on_all(robots(tmp_path, logs), workers=2, tell=kill_once)
    assert killed
    folder, expected = serial
    assert [outcome.done for outcome in outcomes] == [outcome.done for outcome in expected]
    assert {name: text.replace(str(tmp_path), "") for name, text in outcomes[3].failures.items()} == expected[3].failures
    assert digests(tmp_path) == digests(folder)
    assert outcomes[1].run.validation_percent == expected[1].run.validation_percent


def test_robots_are_named_after_their_logs(tmp_path):
    data = [Path("a/log.npz"), Path("b/log.npz"), Path("c.tar.gz")]
    assert list(name_folders(data, tmp_path)) == ["a_log", "b_log", "c"]
    with pytest.raises(InputError, match="would both be"):
        name_folders([Path("a/log.npz"), Path("x/a/log.csv")], tmp_path)


def test_the_command_writes_a_summary_and_says_with_its_exit_code_that_a_robot_failed(serial, logs, command):
    folder, _ = serial
    data = [logs / f"r{k}.npz" for k in range(4)]
    code, said = command("fleet", MODEL, *data, "-o", folder, "--retrieve", "--no-ranges", "--workers", 2)
    assert code == 1
    assert "4 robots, 0 worked on now, 1 with a step that failed" in said
    assert "r3 identify" in said
    document = json.loads((folder / "fleet.json").read_text())
    validator("fleet.json").validate(document)
    assert [robot["robot"] for robot in document["robots"]] == ["r0", "r1", "r2", "r3"]
    assert document["comparison"]["reference"] == "the median of 3 runs"
    assert "is not an .npz archive" in (folder / "fleet.html").read_text()
    rows = (folder / "fleet.csv").read_text().splitlines()
    assert len(rows) == 1 + 3 * len(document["comparison"]["quantities"])
    code, said = command("compare", folder / "r0", folder / "r1", "-o", folder / "two.csv", "--json")
    assert (code, json.loads(said)["reference"]) == (0, str(folder / "r0"))
    assert (folder / "two.csv").is_file()


def test_a_fleet_of_which_nothing_can_be_identified_says_so(logs, command, tmp_path):
    code, said = command("fleet", MODEL, logs / "r3.npz", "-o", tmp_path / "none")
    assert code == 1
    assert "There is no comparison" in said
    assert "too few robots" in (tmp_path / "none" / "fleet.html").read_text()


def test_links_are_shared_by_all_but_those_that_are_odd(serial, logs, command, tmp_path):
    folder, _ = serial
    data = [logs / f"r{k}.npz" for k in range(3)]
    code, said = command("fleet", MODEL, *data, "-o", folder, "--retrieve", "--no-ranges", "--workers", 1, "--share", "links")
    assert code == 0
    assert "3 robots share their links" in said
    notes = json.loads((folder / "r0" / "parameters.json").read_text())["notes"]
    assert any("the links of 2 robots of this model" in note for note in notes), "its own data are not what the others say"
    code, said = command("fleet", MODEL, *data, "-o", folder, "--retrieve", "--no-ranges", "--workers", 1, "--share", "links")
    assert "0 worked on now" in said
    code, said = command("fleet", MODEL, *data, "-o", tmp_path / "x", "--share", "friction")
    assert (code, "--share is 'friction'; expected links" in said) == (2, True)
    code, said = command("fleet", MODEL, *data, "-o", folder, "--retrieve", "--prior none", "--workers", 1, "--share", "links")
    assert (code, "another prior was given" in said) == (2, True)
    code, said = command("retrieve", folder / "r0", "--prior", folder / "links.safetensors", "--two-step")
    assert (code, "in units of the noise" in said) == (2, True)


def test_options_of_the_steps_are_understood_before_anything_is_done(logs, command, tmp_path):
    for words, part in (
        (("--identify", "--bogus 1"), "No such option: --bogus; see 'dynident identify --help'"),
        (("--retrieve", "--total-mass 20 heavy"), "--total-mass"),
        (("--retrieve", "--prior 'none"), "can't be split into options"),
    ):
        code, said = command("fleet", MODEL, logs / "r0.npz", "-o", tmp_path / "new", *words)
        assert (code, part in said) == (2, True), said
    assert not (tmp_path / "new").exists()
    code, _ = command("fleet", MODEL, logs / "r0.npz", "-o", tmp_path / "new", "--filter", "none", "--identify", "--loss huber --seed 3")
    document = json.loads((tmp_path / "new" / "r0" / "estimate.json").read_text())
    assert document["provenance"]["command"].endswith("--filter none --seed 3 --train 0:0.7 --loss huber")
    assert (code, document["seed"], document["preprocessing"].get("cutoff_hz")) == (0, 3, None)


def test_a_fleet_from_python(logs, tmp_path):
    summary = identify_fleet(load_robot(MODEL), [logs / "r0.npz", logs / "r1.npz"], tmp_path, FleetOptions(retrieve=QUICK), workers=1)
    assert summary.failed == ()
    assert summary.comparison is not None
    assert summary.comparison.names == ("r0", "r1")


def test_robots_with_odd_links_are_told_from_those_with_odd_friction():
    from tests.unit.runs.comparison.fleets import compared

    runs = [compared(seed) for seed in range(10)]
    runs[3], runs[6] = compared(3, worn=1), compared(6, payload=0.6)
    assert odd_links([RobotOutcome(name=run.name, failures={}, run=run) for run in runs]) == ("robot 6",)


def test_workers_of_a_scheduler_get_absolute_paths(logs, tmp_path, monkeypatch):
    monkeypatch.chdir(logs)
    (tmp_path / "limits.yaml").write_text("bounds: {m1: [0, 50]}")
    bounds = Path(os.path.relpath(tmp_path / "limits.yaml"))
    options = FleetOptions(retrieve=replace(QUICK, bounds=(bounds,), prior="uniform"))
    (work,) = plan_robots(load_robot(MODEL), [Path("r0.npz")], Path("runs"), options, scheduler="tcp://somewhere:1")
    assert (work.data, work.folder) == (logs / "r0.npz", logs / "runs" / "r0")
    assert (work.options.retrieve.bounds, work.options.retrieve.prior) == ((tmp_path / "limits.yaml",), "uniform")
