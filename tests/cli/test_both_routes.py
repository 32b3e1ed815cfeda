"""`dynident identify ROBOT SAMPLES LOG`: both routes in one run, and every verb after it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dynident.data import write_dataset
from dynident.regression.vendor_model import CoefficientVerdict
from dynident.robots.formats.dh_write import to_dh_yaml
from dynident.runs import Stage, load_run
from tests.draws import Arm, draw_log, draw_samples, make_arm


@pytest.fixture(scope="module")
def arm() -> Arm:
    return make_arm("six")


@pytest.fixture(scope="module")
def folder(arm: Arm, tmp_path_factory, dynident_in) -> Path:
    made = tmp_path_factory.mktemp("both")
    (made / "arm.yaml").write_text(to_dh_yaml(arm.robot))
    write_dataset(draw_samples(arm, 800, samples=100), made / "samples.npz")
    write_dataset(draw_log(arm, 800, duration=20.0), made / "log.npz")
    write_dataset(draw_log(arm, 801, duration=20.0), made / "new.npz")
    done = dynident_in(made, "identify", "arm.yaml", "samples.npz", "log.npz", "-o", "run", "--friction", "linear")
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    (made / "printed.txt").write_text(done.stdout)
    return made


def test_the_table_is_printed_written_and_read_again(folder: Path, arm: Arm) -> None:
    printed = " ".join((folder / "printed.txt").read_text().split())
    assert "The vendor's model, tested" in printed
    document = json.loads((folder / "run" / "estimate.json").read_text())
    assert document["route"] == "combined"
    assert document["vendor_model"]["contradicted"] is False
    assert document["vendor_model"]["sentence"] in printed
    assert {item["verdict"] for item in document["vendor_model"]["coefficients"]} <= {item.value for item in CoefficientVerdict}
    assert set(document["provenance"]["files"]) == {"samples.npz", "log.npz"}
    run = load_run(folder / "run")
    assert run.documents[Stage.ESTIMATE]["vendor_model"] == document["vendor_model"]
    assert run.problem.controller.samples == 100
    np.testing.assert_allclose(run.estimate.values, arm.coefficients(run.estimate), atol=5.0 * run.estimate.std.max())


def test_every_verb_takes_the_run(folder: Path, arm: Arm, dynident_in) -> None:
    for words in (
        ("retrieve", "run", "--no-ranges"),
        ("validate", "run", "new.npz"),
        ("friction", "run", "new.npz", "-o", "now"),
        ("export", "run", "--yaml", "identified.yaml"),
        ("report", "run"),
        ("bundle", "run", "-o", "bundle.zip"),
    ):
        done = dynident_in(folder, *words)
        assert done.returncode == 0, (words, done.stdout, done.stderr)
    run = load_run(folder / "run")
    assert run.validation.recommended.overall_percent < 0.5
    assert run.parameters.feasible
    assert "The vendor&#39;s model, tested" in (folder / "run" / "report.html").read_text()
    assert load_run(folder / "now").friction.changed == ()
    # M and g, which no noise of the torques spoils, decide what links they are of
    found = run.estimate.base.coefficients(run.estimate.base.columns.join(run.parameters.parameters, run.parameters.friction_parameters))
    truth = arm.coefficients(run.estimate)
    assert np.linalg.norm((found - truth)[:36]) < 1e-2 * np.linalg.norm(truth[:36])


def test_a_contradiction_is_said_plainly(folder: Path, arm: Arm, dynident_in) -> None:
    heavier = replace(arm, links=arm.links * np.array([1.0, 1.0, 1.0, 1.0, 1.2, 1.2])[:, None])
    write_dataset(draw_log(heavier, 800, duration=20.0), folder / "heavier.npz")
    done = dynident_in(folder, "identify", "arm.yaml", "heavier.npz", "samples.npz", "-o", "heavier", "--friction", "linear", "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["vendor_model"]["contradicted"] is True
    assert document["vendor_model"]["sentence"].startswith("The log contradicts the controller's model in")
    assert any("contradict each other" in note for note in document["notes"])


def test_friction_with_shapes(folder: Path, dynident_in) -> None:
    done = dynident_in(folder, "identify", "arm.yaml", "log.npz", "samples.npz", "-o", "sigmoid", "--friction", "sigmoid+offset", "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert len(document["friction_shapes"]) > 0
    assert document["vendor_model"]["freedom"] == 36


def test_only_one_of_both_where_a_verb_takes_one(folder: Path, dynident_in) -> None:
    done = dynident_in(folder, "validate", "run", "samples.npz", "new.npz")
    assert done.returncode == 2
    assert "one by one" in " ".join(done.stderr.split())


def test_periods_are_of_logs(folder: Path, dynident_in) -> None:
    done = dynident_in(folder, "identify", "arm.yaml", "samples.npz", "-o", "none", "--average-periods")
    assert done.returncode == 2
    assert "for logs" in " ".join(done.stderr.split())
