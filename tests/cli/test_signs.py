"""`dynident signs` as a user runs it: a run folder that everything else works on, exit codes, and one sentence for bad input."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.sign_cases import make_case
from dynident.data import Dataset, EffortKind, load_dataset, write_dataset
from dynident.runs import load_run
from tests.cli.test_identify import refused
from tests.geared_arms import NAMES, GearedArm, make_arm

OPTIONS = ("--friction", "linear", "--train", "0:0.75")


def log_of_3r(**changes: object) -> tuple[Dataset, Dataset]:
    """With and without its signs."""
    case = make_case("3r", 11, trajectories=2, seconds=20.0, noise=0.01)
    return replace(case.signed, **changes), replace(case.log, **changes)


@pytest.fixture(scope="module")
def folder(tmp_path_factory, dynident_in) -> Path:
    made = tmp_path_factory.mktemp("signs")
    signed, unsigned = log_of_3r()
    write_dataset(signed, made / "signed.npz")
    write_dataset(unsigned, made / "log.npz")
    done = dynident_in(made, "signs", "spatial_3r", "log.npz", "-o", "run", "--signed-log", "found.csv", *OPTIONS)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    (made / "printed.txt").write_text(done.stdout)
    return made


def test_a_filter_of_the_magnitude_alone(folder, dynident_in):
    done = dynident_in(folder, "signs", "spatial_3r", "log.npz", "-o", "filtered", "--low-pass", "effort=20", *OPTIONS)
    assert done.returncode == 0, done.stderr
    document = json.loads((folder / "filtered" / "estimate.json").read_text())
    assert document["preprocessing"]["read"]["low_pass"] == {"effort": [20.0]}


def test_it_prints_the_verdict_and_writes_every_stage(folder):
    printed = (folder / "printed.txt").read_text()
    assert "The signs are certain" in printed
    assert "Signs per joint" in printed
    assert "Written to run, found.csv" in printed
    names = {file.name for file in (folder / "run").iterdir()}
    assert names == {
        *("estimate.json", "estimate.safetensors", "robot.json", "signs.json", "signs.safetensors"),
        *("parameters.json", "parameters.safetensors"),
    }
    document = json.loads((folder / "run" / "signs.json").read_text())
    assert document["schema"] == "dynident/signs/1"
    assert document["verdict"] == "certain"
    assert document["sentence"] in printed
    assert {segment["sign"] for segment in document["segments"]} == {-1, 1}
    assert all(0.5 <= segment["probability"] <= 1.0 for segment in document["segments"])


def test_the_signs_are_those_of_the_torque(folder):
    found = load_run(folder / "run").signs
    signed = log_of_3r()[0].part(0, 0.75)
    clear = np.abs(signed.effort) > found.threshold
    assert np.mean((found.signs == np.sign(signed.effort))[clear]) > 0.998


def test_the_log_with_its_signs_is_one_of_torques(folder):
    found, signed = load_dataset(folder / "found.csv"), log_of_3r()[0].part(0, 0.75)
    assert found.effort_kind is EffortKind.TORQUE
    error = np.linalg.norm(found.effort - signed.effort) / np.linalg.norm(signed.effort)
    assert error < 0.03  # noise of 1 %, of which a magnitude turns some over


def test_a_signed_log_never_takes_the_place_of_the_log(folder, dynident_in):
    refused(dynident_in(folder, "signs", "spatial_3r", "log.npz", "-o", "other", "--signed-log", "log.npz"), "log.npz")
    assert not (folder / "other").exists()


def test_the_usual_verbs_work_on_it(folder, dynident_in):
    done = dynident_in(folder, "retrieve", "run")
    assert done.returncode == 0, done.stderr
    done = dynident_in(folder, "validate", "run", "signed.npz", "--part", "0.75:1", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["relative_percent"] < 5.0
    done = dynident_in(folder, "export", "run", "--urdf", "model.urdf")
    assert done.returncode == 0, done.stderr
    assert dynident_in(folder, "identify", "spatial_3r", "signed.npz", "-o", "with_signs", *OPTIONS).returncode == 0
    done = dynident_in(folder, "report", "run", "--beside", "with_signs")
    assert done.returncode == 0, done.stderr
    page = (folder / "run" / "report.html").read_text()
    assert '<section id="signs">' in page
    assert "The signs are certain" in page
    assert '<section id="beside">' in page
    assert "standard deviations; as vectors they differ by" in page


def test_identifying_again_leaves_no_old_signs_in_the_report(folder, dynident_in):
    dynident_in(folder, "signs", "spatial_3r", "log.npz", "-o", "again", *OPTIONS)
    dynident_in(folder, "identify", "spatial_3r", "signed.npz", "-o", "again", *OPTIONS)
    assert load_run(folder / "again").signs is None
    assert dynident_in(folder, "report", "again").returncode == 0
    assert '<section id="signs">' not in (folder / "again" / "report.html").read_text()


@pytest.mark.parametrize(("method", "option"), [("exact", "keep=1"), ("tree", "width=8")])
def test_other_methods_and_their_options(tmp_path, dynident_in, method, option):
    case = make_case("1r", 11, trajectories=1, seconds=10.0, noise=0.01)  # a tree looks at one sample after the other
    write_dataset(case.log, tmp_path / "log.npz")
    signs = ("signs", "pendulum_1r", "log.npz", "-o")
    done = dynident_in(tmp_path, *signs, "run", "--method", method, "--method-option", option, "--friction", "linear", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["method"] == method
    refused(dynident_in(tmp_path, *signs, "x", "--method-option", "depth=3"), ["depth", "known: beam"])


def test_identify_names_the_command(folder, dynident_in):
    refused(
        dynident_in(folder, "identify", "spatial_3r", "log.npz", "-o", "x"),
        ["magnitude of the torque, not its sign", "dynident signs ROBOT DATA -o RUN"],
    )
    assert not (folder / "x").exists()


def test_currents_without_gains_are_right_up_to_the_scale(folder, dynident_in):
    _, unsigned = log_of_3r()
    gain = 20.0
    write_dataset(replace(unsigned, effort=unsigned.effort / gain, effort_kind=EffortKind.CURRENT_MAGNITUDE), folder / "amps.csv")
    done = dynident_in(folder, "signs", "spatial_3r", "amps.csv", "-o", "amps", *OPTIONS)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "come out divided by it" in " ".join(done.stdout.split())
    in_torques, in_amps = load_run(folder / "run").estimate, load_run(folder / "amps").estimate
    np.testing.assert_allclose(gain * in_amps.values, in_torques.values, atol=1e-6)
    done = dynident_in(folder, "signs", "spatial_3r", "amps.csv", "-o", "gains", "--effort-gains", "20,-20,20", *OPTIONS)
    assert done.returncode == 0, done.stderr
    np.testing.assert_allclose(load_run(folder / "gains").estimate.values, in_torques.values, atol=1e-6)


def test_a_plain_file_needs_no_option_and_what_follows_knows(tmp_path, dynident):
    log = log_of_3r()[1]
    np.savez(tmp_path / "plain.npz", t=log.time, q=log.q, tau=log.effort, starts=log.starts)  # nothing says that it has no sign
    done = dynident("signs", "spatial_3r", "plain.npz", "-o", "run", *OPTIONS)
    assert done.returncode == 0
    assert "taken for a magnitude" in " ".join(done.stdout.split())
    done = dynident("validate", "run", "plain.npz", "--part", "0.75:1", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["models"][0]["relative_percent"] < 5.0


def test_signs_that_friction_hides_end_with_one(tmp_path, dynident):
    case = make_case("3r", 4, trajectories=1, modelled=False)
    write_dataset(case.log, tmp_path / "log.npz")
    done = dynident("signs", "spatial_3r", "log.npz", "-o", "run", "--friction", "none")
    assert done.returncode == 1
    assert "does not explain the data" in " ".join(done.stdout.split())
    assert (tmp_path / "run" / "signs.json").is_file()  # what was found can be looked at all the same


def still(log: Dataset) -> Dataset:
    return replace(log, q=np.column_stack([log.q[:, 0], np.full(log.samples, 0.3), log.q[:, 2]]))


def constant(log: Dataset) -> Dataset:
    return replace(log, effort=np.column_stack([log.effort[:, 0], np.full(log.samples, 2.5), log.effort[:, 2]]))


@pytest.mark.parametrize(
    ("spoil", "options", "expected"),
    [
        (still, (), ["joint2", "never moves"]),
        (constant, (), ["joint2", "all the time"]),
        (lambda log: log.part(0, 0.0015), (), ["few"]),
        (lambda log: replace(log_of_3r()[0]), (), ["torques with their signs", "identify it as it is"]),
        (lambda log: replace(log_of_3r()[0]), ("--effort-kind", "magnitude"), ["negative values", "absolute value"]),
        (lambda log: log, ("--method", "guess"), ["no method named 'guess'", "em, exact, tree"]),
        (lambda log: log, ("--friction", "sticky"), ["sticky"]),
    ],
    ids=["a joint that never moves", "a constant", "too short", "signed", "called unsigned", "method", "friction"],
)
def test_bad_input_is_one_sentence(tmp_path, dynident, spoil, options, expected):
    write_dataset(spoil(log_of_3r()[1]), tmp_path / "log.npz")
    refused(dynident("signs", "spatial_3r", "log.npz", "-o", "run", *options), expected)
    assert not (tmp_path / "run").exists()


def test_controller_samples_have_signs(tmp_path, dynident):
    from tests.logs import synthetic_samples

    write_dataset(synthetic_samples(), tmp_path / "samples.npz")
    refused(dynident("signs", "spatial_3r", "samples.npz", "-o", "run"), ["M and g", "dynident identify"])


def rotors_of(run: Path) -> list[str]:
    return [name for name in load_run(run).estimate.base.names if name.startswith("Ia")]


@pytest.fixture(scope="module")
def geared(tmp_path_factory) -> dict[str, tuple[Path, GearedArm]]:
    """Arms with friction and rotors behind gears, and logs of |torque|; the second one is to be predicted."""
    made: dict[str, tuple[Path, GearedArm]] = {}
    for name in NAMES:
        folder = tmp_path_factory.mktemp(name)
        made[name] = folder, make_arm(name, folder)
        write_dataset(made[name][1].log, folder / "log.npz")
        write_dataset(make_arm(name, folder, motion=1).log, folder / "other.npz")
    return made


@pytest.mark.parametrize("name", NAMES)
def test_rotors_are_part_of_the_model_where_the_log_shows_them(geared, dynident_in, name):
    folder, arm = geared[name]
    done = dynident_in(folder, "signs", arm.file.name, "log.npz", "-o", "run")
    assert (done.returncode, done.stderr) == (0, "")
    assert "shows rotors behind gears" in " ".join(done.stdout.split())
    assert "Ia6" in rotors_of(folder / "run")
    assert arm.percent_right(load_run(folder / "run").signs.signs) >= 99.9
    done = dynident_in(folder, "validate", "run", "other.npz", "--json")
    assert json.loads(done.stdout)["relative_percent"] < 0.5


def test_a_named_model_has_no_rotors_and_the_advice_names_them(geared, dynident_in):
    folder, arm = geared["elbow"]
    done = dynident_in(folder, "signs", arm.file.name, "log.npz", "-o", "named", "--friction", "linear", "--json")
    assert done.returncode == 1
    document = json.loads(done.stdout)
    assert document["verdict"] == "unexplained"
    assert "linear+armature" in document["advice"]
    done = dynident_in(folder, "signs", arm.file.name, "log.npz", "-o", "named", "--friction", "linear+armature")
    assert done.returncode == 0
    assert arm.percent_right(load_run(folder / "named").signs.signs) >= 99.9


def test_friction_is_chosen_per_joint_where_that_is_asked_for(geared, dynident_in):
    folder, arm = geared["offset_wrist"]
    done = dynident_in(folder, "signs", arm.file.name, "log.npz", "-o", "auto", "--friction", "auto")
    assert done.returncode == 0, done.stdout + done.stderr
    run = load_run(folder / "auto")
    assert run.estimate.choice is not None
    assert {trial.joint for trial in run.estimate.choice.chosen} == set(arm.robot.joint_names)
    assert arm.percent_right(run.signs.signs) >= 99.9
    assert dynident_in(folder, "report", "auto").returncode == 0


@pytest.mark.parametrize("name", ["elbow", "anthropomorphic", "pendulum"])
def test_an_arm_without_rotors_is_identified_as_with_linear_friction(dynident, tmp_path, name):
    arm = make_arm(name, tmp_path, rotors=False)
    write_dataset(arm.log, tmp_path / "log.npz")
    for run, options in (("run", ()), ("linear", ("--friction", "linear"))):
        assert dynident("signs", arm.file.name, "log.npz", "-o", run, *options).returncode == 0
    assert rotors_of(tmp_path / "run") == []
    found, plain = load_run(tmp_path / "run"), load_run(tmp_path / "linear")
    np.testing.assert_array_equal(found.signs.signs, plain.signs.signs)
    np.testing.assert_array_equal(found.estimate.values, plain.estimate.values)
    assert arm.percent_right(found.signs.signs) >= 99.9


def test_whole_periods_are_used_where_they_are_marked(dynident, tmp_path):
    arm = make_arm("anthropomorphic", tmp_path, seconds=40.0)  # four periods of 10 s
    time = arm.log.time
    spoiled = np.where((time < 10.0)[:, None], 3.0 * arm.log.effort, arm.log.effort)  # on the way there something else happens
    write_dataset(replace(arm.log, effort=spoiled, period=np.floor(time / 10.0).astype(int)), tmp_path / "log.npz")
    for words, first, last in (((), 10.0, 40.0), (("--periods", "2:3"), 20.0, 40.0), (("--periods", "1"), 10.0, 20.0)):
        done = dynident("signs", arm.file.name, "log.npz", "-o", "run", *words)
        assert done.returncode == 0, done.stdout + done.stderr
        segments = json.loads((tmp_path / "run" / "signs.json").read_text())["segments"]
        assert min(segment["start"] for segment in segments) >= first
        assert max(segment["stop"] for segment in segments) <= last
        used = ((time >= first) & (time < last))[:, None] & np.ones(3, dtype=bool)
        right = load_run(tmp_path / "run").signs.signs * arm.torque > 0.0
        # one period of ten seconds tells less: what is tested here is which samples are used, how many signs are right in tests/papers
        assert np.mean(right[used & (np.abs(arm.torque) > 3.0 * arm.noise)]) >= (0.998 if last - first > 10.0 else 0.99)
    assert dynident("signs", arm.file.name, "log.npz", "-o", "run", "--periods", "all").returncode == 1
    refused(dynident("signs", arm.file.name, "log.npz", "-o", "x", "--periods", "7"), ["7:7", "1 to 3"])
    refused(dynident("signs", arm.file.name, "log.npz", "-o", "x", "--periods", "two"), ["--periods", "'two'"])
