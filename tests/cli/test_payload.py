"""`dynident payload` as a user runs it: from a run folder or from two logs, what it writes, and one sentence for bad input."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from benchmarks.payload import hard_cases, make_case
from dynident.cli.app import main
from dynident.data import write_dataset
from dynident.robots import load_robot
from dynident.runs import load_run
from tests.logs import synthetic_samples

DECLARED = ("--declared-mass", "1.4", "--declared-com", "0,0,0.05")


@pytest.fixture(scope="module")
def folder(tmp_path_factory, dynident_in) -> Path:
    made = tmp_path_factory.mktemp("payload")
    case = make_case("panda", 1.5, 3)
    write_dataset(case.unloaded, made / "bare.npz")
    write_dataset(case.loaded, made / "loaded.npz")
    write_dataset(hard_cases()["of another arm with seven joints"].loaded, made / "other.npz")
    assert dynident_in(made, "identify", "panda", "bare.npz", "-o", "run").returncode == 0
    done = dynident_in(made, "payload", "run", "loaded.npz", *DECLARED)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    (made / "printed.txt").write_text(done.stdout)
    return made


def test_it_prints_the_payload_and_writes_its_stage(folder):
    printed = (folder / "printed.txt").read_text()
    for words in ("Payload: 1.5", "What was declared", "Effort along this log", "told by the data", "Written to run"):
        assert words in printed
    document = json.loads((folder / "run" / "payload.json").read_text())
    assert document["schema"] == "dynident/payload/1"
    assert document["mass"] == pytest.approx(1.5, rel=0.01)
    assert document["declared"][0]["declared"] == 1.4
    assert document["declared"][0]["in_std"] < -10.0
    assert len(document["quantities"]) == 10
    assert document["provenance"]["command"].startswith("dynident payload run loaded.npz --declared-mass 1.4")
    assert load_run(folder / "run").payload.mass == document["mass"]


def test_two_logs_will_do(folder, dynident_in):
    done = dynident_in(folder, "payload", "panda", "loaded.npz", "--unloaded", "bare.npz", "-o", "both", "--json")
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    found = load_run(folder / "both")
    assert json.loads(done.stdout)["mass"] == found.payload.mass
    assert found.payload.mass == pytest.approx(load_run(folder / "run").payload.mass, rel=1e-6)
    assert found.estimate.kept.all()


def test_the_page_shows_it(folder, dynident_in):
    assert dynident_in(folder, "report", "run").returncode == 0
    part = (folder / "run" / "report.html").read_text().split('<section id="payload">')[1].split("</section>")[0]
    for words in ("Declared mass", "1.4 kg", "Centre of mass", "The data tell the mass"):
        assert words in part


def test_the_robot_is_exported_with_it(folder, dynident_in):
    assert dynident_in(folder, "retrieve", "run", "--no-ranges").returncode == 0
    done = dynident_in(folder, "export", "run", "--with-payload", "--urdf", "loaded.urdf", "--csv", "loaded.csv")
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert "the payload is part of link7" in done.stdout
    run, loaded = load_run(folder / "run"), load_robot(folder / "loaded.urdf")
    assert loaded.parameters[:, 0].sum() == pytest.approx(run.parameters.total_mass + run.payload.mass)
    refused = dynident_in(folder, "export", "run", "--with-payload", "--coefficients", "--c", "model")
    assert refused.returncode == 2
    assert "a payload is a body, and coefficients are none" in refused.stderr


def test_friction_can_be_held(folder, monkeypatch, capsys, tmp_path):
    shutil.copytree(folder / "run", tmp_path / "run")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as exit:
        main(["payload", "run", str(folder / "loaded.npz"), "--keep-friction", "--part", "0:0.9", "--urdf", "a.urdf", "--mjcf", "a.xml"])
    assert not exit.value.code
    assert '<parent link="link7"/>' in (tmp_path / "a.urdf").read_text()
    assert '<body name="payload"' in (tmp_path / "a.xml").read_text()
    assert "Friction was held at that of the arm." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("run", "bare.npz"), "all samples of the loaded log are those that the arm was identified from"),
        (("run", "other.npz"), "no payload makes this log one of the arm of bare.npz"),
        (("nowhere", "loaded.npz"), "nowhere is no run folder of an identified arm; make one with: dynident identify"),
        (("panda", "loaded.npz"), "panda is no run folder of an identified arm"),
        (("panda", "bare.npz", "--unloaded", "loaded.npz", "-o", "swapped"), "less in the loaded log than in its own"),
        (("panda", "loaded.npz", "--unloaded", "loaded.npz", "-o", "same"), "all samples of the loaded log"),
        (("panda", "loaded.npz", "--unloaded", "bare.npz"), "name one with -o RUN"),
        (("run", "loaded.npz", "-o", "elsewhere"), "--output: only with --unloaded"),
        (("run", "loaded.npz", "--gravity", "0,0,9.8"), "--gravity: only with --unloaded"),
        (("run", "loaded.npz", "--declared-com", "0,0,1"), "--declared-com needs --declared-mass"),
        (("run", "loaded.npz", "--declared-mass", "1", "--declared-com", "0,0"), "--declared-com is '0,0'; expected 3 values"),
        (("run", "loaded.npz", "--declared-mass", "-1"), "declared mass is -1 kg; a finite mass that is not negative was expected"),
        (("run", "loaded.npz", "--link", "hand"), "no link named 'hand'; known: link1"),
        (("run", "nothing.npz"), "no such file"),
    ],
)
def test_bad_input_is_one_sentence(folder, monkeypatch, capsys, words, sentence):
    assert sentence in refused(folder, monkeypatch, capsys, words)
    assert not (folder / "swapped").is_dir() or not list((folder / "swapped").iterdir())


def test_samples_of_a_controller_have_no_payload(folder, monkeypatch, capsys):
    samples = synthetic_samples("panda")
    np.savez(folder / "samples.npz", q=samples.q, M=samples.M, g=samples.g)
    assert "a log was expected, with torques" in refused(folder, monkeypatch, capsys, ("run", "samples.npz"))


def refused(folder, monkeypatch, capsys, words) -> str:
    """The sentence, of a command in this process."""
    monkeypatch.chdir(folder)
    with pytest.raises(SystemExit) as exit:
        main(["payload", *words])
    printed = capsys.readouterr()
    assert exit.value.code == 2
    assert printed.out == ""
    assert printed.err.startswith("dynident: ")
    assert printed.err.count("\n") == 1
    return printed.err
