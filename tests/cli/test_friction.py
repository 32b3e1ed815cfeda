"""`dynident friction` and `identify --friction auto` as a user runs them: what they print and write, and one sentence for bad input."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from dynident.data import write_dataset
from dynident.dynamics.friction import linear
from dynident.runs import load_run
from tests.elbow_arm import controller_samples, described, draw_friction, elbow_arm, record, wear
from tests.logs import synthetic_samples
from tests.unit.regression.friction.friction_logs import friction_log

OLD = np.array([[0.4, 0.7, 0.1], [0.2, 0.5, -0.2], [0.1, 0.3, 0.05]])
WORN = OLD * np.array([[1.0], [1.5], [1.0]])


@pytest.fixture(scope="module")
def folder(tmp_path_factory, dynident_in) -> Path:
    made = tmp_path_factory.mktemp("friction")
    write_dataset(friction_log(linear(), OLD, noise=0.1), made / "old.npz")
    write_dataset(friction_log(linear(), WORN, noise=0.1, seed=5), made / "worn.npz")
    assert dynident_in(made, "identify", "spatial_3r", "old.npz", "-o", "run").returncode == 0
    assert dynident_in(made, "retrieve", "run").returncode == 0
    done = dynident_in(made, "friction", "run", "worn.npz", "-o", "now")
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    (made / "printed.txt").write_text(done.stdout)
    return made


def test_it_says_what_has_changed_and_writes_it(folder):
    printed = (folder / "printed.txt").read_text()
    for words in ("What has changed", "The friction of joint2 has changed by more than noise", "difference [std]", "Written to now"):
        assert words in printed
    document = json.loads((folder / "now" / "friction.json").read_text())
    assert document["schema"] == "dynident/friction/1"
    assert document["changed"] == ["joint2"]
    assert [item["changed"] for item in document["joints"]] == [False, True, False]
    assert document["joints"][1]["percent"] == pytest.approx(50.0, abs=5.0)
    names = {"name", "symbol", "before", "before_std", "now", "now_std", "difference_std", "unit"}
    assert document["joints"][1]["parameters"][0].keys() == names
    assert document["provenance"]["links"] == "run"


def test_the_new_folder_is_a_run_with_the_old_links(folder):
    old, new = load_run(folder / "run"), load_run(folder / "now")
    assert old.parameters is not None
    assert new.parameters is not None
    np.testing.assert_array_equal(new.parameters.parameters, old.parameters.parameters)
    np.testing.assert_allclose(new.estimate.link_part, old.estimate.link_part)
    np.testing.assert_allclose(new.parameters.friction_parameters, WORN, atol=0.03)
    assert new.friction is not None
    assert new.friction.changed == ("joint2",)
    assert new.friction.sentence.startswith("The friction of joint2 has changed by more than noise (")
    assert any("friction was fitted again to worn.npz" in note for note in new.parameters.notes)


def test_validate_export_and_report_take_it(folder, dynident_in):
    done = dynident_in(folder, "validate", "now", "worn.npz", "--json")
    assert done.returncode == 0, done.stderr
    old = dynident_in(folder, "validate", "run", "worn.npz", "--json")
    new_error, old_error = (json.loads(item.stdout)["models"][0]["relative_percent"] for item in (done, old))
    assert new_error < old_error
    assert dynident_in(folder, "export", "now", "--yaml", "model.yaml").returncode == 0
    assert dynident_in(folder, "report", "now").returncode == 0
    page = (folder / "now" / "report.html").read_text()
    assert "What has changed" in page
    assert "The friction of joint2 has changed by more than noise" in page


def test_retrieve_takes_the_links_of_the_run_and_the_friction_of_the_log(folder, dynident_in):
    shutil.copytree(folder / "now", folder / "again")
    done = dynident_in(folder, "retrieve", "again")
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    old, new = load_run(folder / "run").parameters, load_run(folder / "again").parameters
    np.testing.assert_allclose(new.parameters[:, 0], old.parameters[:, 0], rtol=0.05)
    np.testing.assert_allclose(new.friction_parameters, WORN, atol=0.03)


def test_a_model_is_chosen_on_demand(folder, dynident_in):
    done = dynident_in(folder, "friction", "run", "worn.npz", "-o", "chosen", "--model", "auto")
    assert done.returncode == 0, done.stderr
    assert "Friction models that were tried" in done.stdout
    done = dynident_in(folder, "friction", "run", "worn.npz", "-o", "named", "--model", "viscous+smooth_coulomb+offset", "--json")
    assert json.loads(done.stdout)["changed"] == ["joint2"]
    assert [shape["name"] for shape in json.loads((folder / "named" / "estimate.json").read_text())["friction_shapes"]] == ["threshold"] * 3


def test_identify_chooses_and_shows_why(folder, dynident_in):
    done = dynident_in(folder, "identify", "spatial_3r", "old.npz", "-o", "auto", "--friction", "auto")
    assert done.returncode == 0, done.stderr
    assert "Friction models that were tried" in done.stdout
    assert "Friction chosen per joint by 8 held-out parts" in done.stdout
    choice = json.loads((folder / "auto" / "estimate.json").read_text())["friction_choice"]
    assert {trial["joint"] for trial in choice["trials"] if trial["chosen"]} == {"joint1", "joint2", "joint3"}
    assert all(np.isfinite(trial["held_out_rms"]) for trial in choice["trials"])


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("run", "worn.npz", "-o", "run"), "the results would replace run"),
        (("run", "samples.npz", "-o", "x"), "have no friction in them"),
        (("run", "worn.npz", "-o", "x", "--model", "nonsense"), "no friction model named 'nonsense'"),
        (("nowhere", "worn.npz", "-o", "x"), "no such run folder"),
    ],
)
def test_bad_input_is_one_sentence(folder, dynident_in, words, sentence):
    if not (folder / "samples.npz").exists():
        write_dataset(synthetic_samples(), folder / "samples.npz")
    done = dynident_in(folder, "friction", *words)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
    assert not (folder / "x").exists()


@pytest.fixture(scope="module")
def reverse_engineered(tmp_path_factory, dynident_in) -> Path:
    """Sections IV-A and IV-B of the Panda paper on an arm that is in no library: M and g of its controller, then friction from a log."""
    made = tmp_path_factory.mktemp("reverse_engineered")
    arm, friction = elbow_arm(0), draw_friction("sigmoid")
    (made / "arm.yaml").write_text(described(arm).to_dh_yaml())
    write_dataset(controller_samples(arm), made / "controller.npz")
    for seed, name in enumerate(("log.npz", "new.npz")):
        write_dataset(record(arm, friction, seed), made / name)
    write_dataset(record(arm, wear(friction, "sigmoid", 1), 2), made / "worn.npz")
    assert dynident_in(made, "identify", "arm.yaml", "controller.npz", "-o", "links").returncode == 0
    done = dynident_in(made, "friction", "links", "log.npz", "-o", "run", "--model", "sigmoid")
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    (made / "printed.txt").write_text(done.stdout)
    return made


def strict_json(file: Path) -> dict:
    """JSON as its standard has it: neither NaN nor infinity."""
    return json.loads(file.read_text(), parse_constant=lambda name: pytest.fail(f"{file.name} has {name}"))


@pytest.mark.parametrize("model", ["linear", "sigmoid+offset", "auto"])
def test_links_of_a_controller_get_friction_of_any_model(reverse_engineered, dynident_in, model):
    done = dynident_in(reverse_engineered, "friction", "links", "log.npz", "-o", f"f_{model}", "--model", model, "--json")
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    document = strict_json(reverse_engineered / f"f_{model}" / "friction.json")
    assert (document["compared"], document["changed"]) == (False, [])
    for joint in document["joints"]:
        assert (joint["rms"], joint["percent"], joint["chance"], joint["changed"]) == (None,) * 4
        assert joint["error_after"] < joint["error_before"]


def test_friction_of_links_of_a_controller_is_that_of_the_arm(reverse_engineered):
    parameters = draw_friction("sigmoid")[1]
    found = load_run(reverse_engineered / "run").estimate
    np.testing.assert_allclose(found.friction_parameters, parameters, rtol=0.02)
    printed = (reverse_engineered / "printed.txt").read_text()
    for name in ("fsig (φ1)", "steepness (φ2)", "shift (φ3)", "Nothing was compared: the links (controller.npz) came without friction"):
        assert name in printed
    assert [shape["symbol"] for shape in strict_json(reverse_engineered / "run" / "estimate.json")["friction_shapes"]] == ["φ2", "φ3"] * 6


def test_links_are_retrieved_after_friction_as_before_it(reverse_engineered, dynident_in):
    for name in ("links", "run"):
        done = dynident_in(reverse_engineered, "retrieve", name)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
    before, after = (load_run(reverse_engineered / name).parameters for name in ("links", "run"))
    assert before is not None
    assert after is not None
    np.testing.assert_allclose(after.parameters, before.parameters, rtol=1e-3, atol=1e-5)
    np.testing.assert_allclose(after.friction_parameters, draw_friction("sigmoid")[1], rtol=0.02)
    for words in (("sample", "run", "-n", "10"), ("export", "run", "--yaml", "model.yaml"), ("report", "run")):
        done = dynident_in(reverse_engineered, *words)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
    done = dynident_in(reverse_engineered, "validate", "run", "new.npz", "--json")
    assert all(model["relative_percent"] < 0.5 for model in json.loads(done.stdout)["models"] if model["friction"])
    for file in (reverse_engineered / "run").glob("*.json"):
        strict_json(file)


def test_friction_that_was_fitted_again_is_the_friction_before_of_the_next_log(reverse_engineered, dynident_in):
    for log, changed in (("new.npz", []), ("worn.npz", ["a2"])):
        done = dynident_in(reverse_engineered, "friction", "run", log, "-o", "next", "--json")
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        assert json.loads(done.stdout)["changed"] == changed
