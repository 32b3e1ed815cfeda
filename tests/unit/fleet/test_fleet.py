"""A fleet: the same bits whoever does the work, nothing lost with a worker, nothing done twice, and failures that stop nobody."""

from __future__ import annotations

import json
import math
import os
import signal
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from dynident.cli.chain import CHAIN, Chain, ChainOutcome, is_done, run_chain
from dynident.cli.fleet_sharing import odd_links
from dynident.cli.fleet_steps import FleetOptions, name_folders, option_words
from tests.unit.fleet.fleets import robot_log

from dynident import load_robot
from dynident.cli.command_line import make_verb, run_verb
from dynident.cli.verbs.fleet import run_all
from dynident.core.files import json_text
from dynident.core.records import OpenedFile
from dynident.data.reading.reading import Reading
from dynident.errors import InputError
from dynident.robots.mounting import Mounting
from dynident.robots.serialize import robot_to_dict
from dynident.runs import RunFolder, Stage
from tests.schemas import validator

MODEL = "pendulum_1r"


def chains(folder: Path, logs: Path, count: int = 4, **options: object) -> list[Chain]:
    asked = {"robot": MODEL, "train": "0:0.7", "held_out": "0.7:1", "fitting": (), "reading": Reading(), "mounting": Mounting()}
    fleet = FleetOptions(**{**asked, "identify": "", "retrieve": "--no-ranges", **options})
    folders = {f"r{k}": folder / f"r{k}" for k in range(count)}
    return fleet.chains(folders, [logs / f"{name}.npz" for name in folders], json_text(robot_to_dict(load_robot(MODEL))))


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
    return folder, run_all(chains(folder, logs), workers=1, scheduler=None, tell=lambda text, share: None)


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
    assert found == ["chain.json", "diagnosis.json", "estimate.json", "parameters.json", "robot.json", "validation.json"]
    for name in found:
        validator(name).validate(json.loads((folder / "r0" / name).read_text()))


def test_a_step_does_what_the_command_does_and_says_so(serial, logs, command, tmp_path):
    folder, _ = serial
    run = tmp_path / "run"
    assert command("identify", MODEL, logs / "r1.npz", "-o", run, "--train", "0:0.7")[0] == 0
    assert RunFolder(run).digest(Stage.ESTIMATE) == RunFolder(folder / "r1").digest(Stage.ESTIMATE)
    said = json.loads((folder / "r1" / "estimate.json").read_text())["provenance"]["command"]
    assert said == f"dynident identify {MODEL} {logs / 'r1.npz'} -o {folder / 'r1'} --train 0:0.7"


def test_what_is_done_is_not_done_again_until_its_input_changes(serial, logs):
    folder, _ = serial
    first = chains(folder, logs)[0]
    before = {file: file.stat().st_mtime_ns for file in (folder / "r0").iterdir()}
    assert is_done(first)
    assert run_chain(first).repeated == ()
    assert {file: file.stat().st_mtime_ns for file in (folder / "r0").iterdir()} == before
    (changed,) = chains(folder, logs, 1, retrieve="--no-ranges --total-mass 0 50")
    assert not is_done(changed)
    assert run_chain(changed).repeated == ("retrieve", "validate")
    assert run_chain(first).repeated == ("retrieve", "validate")
    other = replace(first, data=(logs / "r1.npz",), steps=chains(folder, logs, 2)[1].steps)
    assert not is_done(other), "other data"


def test_a_file_that_is_damaged_or_a_memory_that_is_no_more_is_made_again(serial, logs):
    folder, _ = serial
    third = chains(folder, logs)[2]
    before = digests(folder)
    (folder / "r2" / "parameters.safetensors").write_bytes(b"?")
    assert run_chain(third).repeated == ("retrieve",), "the validation is that of the same parameters"
    (folder / "r2" / CHAIN).write_text("{")
    assert run_chain(third).repeated == ("doctor", "identify", "retrieve", "validate")
    assert digests(folder) == before


@pytest.mark.network
@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes as Linux has them")
def test_two_workers_give_the_same_bits_also_when_one_is_killed(serial, logs, tmp_path):
    pytest.importorskip("distributed")
    import psutil

    killed: list[int] = []

    def kill_once(text: str, share: float) -> None:
        if share > 0.0 and not killed:
            killed.extend(child.pid for child in psutil.Process().children() if "spawn_main" in " ".join(child.cmdline()))
            os.kill(killed[0], signal.SIGKILL)

    outcomes = run_all(chains(tmp_path, logs), workers=2, scheduler=None, tell=kill_once)
    assert killed
    folder, expected = serial
    assert [outcome.done for outcome in outcomes] == [outcome.done for outcome in expected]
    assert {name: text.replace(str(tmp_path), "") for name, text in outcomes[3].failures.items()} == expected[3].failures
    assert digests(tmp_path) == digests(folder)
    assert outcomes[1].run.validation_percent == expected[1].run.validation_percent


def test_options_become_words_that_mean_the_same():
    reading = Reading(
        columns={"q": "a_*", "dq": None},
        effort_kind="current",
        offsets=[-1.0, 1 / 3],
        without=[(-math.inf, 2.0), (12.5, 13.1)],
        gears=[[32.0, 0.0], [8.0, 45.0]],
        low_pass={"q": [1.0, 2.0]},
    )
    words = option_words(reading)
    assert {"--map=q=a_*", "--map=dq=none", "--effort-kind=current", f"--joint-offsets=-1,{1 / 3!r}", "--without=:2"} <= set(words)
    received: list[Reading] = []

    def verb(*, reading: Reading) -> None:
        received.append(reading)

    run_verb(make_verb("verb", verb, ""), words)
    assert received == [reading]


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
    code, said = command("retrieve", folder / "r0", "--prior", folder / "links.safetensors", "--two-step")
    assert (code, "in units of the noise" in said) == (2, True)


def test_robots_with_odd_links_are_told_from_those_with_odd_friction():
    from tests.unit.fleet.fleets import compared

    runs = [compared(seed) for seed in range(10)]
    runs[3], runs[6] = compared(3, worn=1), compared(6, payload=0.6)
    assert odd_links([ChainOutcome(name=run.name, failures={}, run=run) for run in runs]) == ("robot 6",)
