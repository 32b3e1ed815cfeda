"""`dynident gains` as a user runs it, and what `identify` does with its file."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from dynident import load_robot, write_dataset
from tests.current_logs import PAYLOAD, UR10, current_log, draw_gains

TRUE = draw_gains(6, 0)


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    robot = load_robot(UR10)
    write_dataset(current_log(robot, TRUE, 0, seconds=20.0), tmp_path / "unloaded.npz")
    write_dataset(current_log(robot, TRUE, 0, seconds=20.0, payload=PAYLOAD), tmp_path / "loaded.npz")
    return tmp_path


def test_from_two_logs_to_a_model_in_torques(dynident, logs: Path) -> None:
    stopped = dynident("identify", UR10, "unloaded.npz", "-o", "run")
    assert stopped.returncode == 2
    assert "the log holds current rather than torque" in stopped.stderr
    assert "dynident gains ROBOT DATA" in stopped.stderr
    found = dynident("gains", UR10, "unloaded.npz", "--loaded", "loaded.npz", "--payload-mass", "2.8", "-o", "gains.yaml")
    assert found.returncode == 0, found.stderr
    assert "fixed by a payload of 2.8 ± 0.0056 kg" in found.stdout
    assert "Written to gains.yaml" in found.stdout
    identified = dynident("identify", UR10, "unloaded.npz", "-o", "run", "--effort-gains", "gains.yaml", "--friction", "linear+armature")
    assert identified.returncode == 0, identified.stderr
    read = json.loads((logs / "run" / "estimate.json").read_text())["preprocessing"]["read"]
    np.testing.assert_allclose(read["effort_gains"], TRUE, rtol=0.03)


def test_json_and_masses(dynident, logs: Path) -> None:
    found = dynident("gains", UR10, "unloaded.npz", "--moving-mass", "28.7+-5%", "--json")
    assert found.returncode == 0, found.stderr
    document = json.loads(found.stdout)
    assert document["status"] == "absolute"
    gains = [row["gain"] for row in document["gains"]]
    np.testing.assert_allclose(gains[:3], TRUE[:3], rtol=0.06)
    assert [row["trust"] for row in document["gains"]][4:] == ["not known", "not known"]


def test_without_a_scale_ratios_are_shown_and_nothing_is_written(dynident, logs: Path) -> None:
    shown = dynident("gains", UR10, "unloaded.npz")
    assert shown.returncode == 0, shown.stderr
    assert "nothing fixes the scale" in shown.stdout
    refused = dynident("gains", UR10, "unloaded.npz", "-o", "gains.yaml")
    assert refused.returncode == 2
    assert "scale" in refused.stderr
    assert not (logs / "gains.yaml").exists()


def test_gains_that_are_all_unknown_are_shown_and_not_written(dynident, logs: Path) -> None:
    known = ("gains", UR10, "unloaded.npz", "--moving-mass", "28.7+-20%")
    shown = dynident(*known, "--json")
    assert shown.returncode == 0, shown.stderr
    assert {row["trust"] for row in json.loads(shown.stdout)["gains"]} == {"not known"}
    refused = dynident(*known, "-o", "gains.yaml")
    assert refused.returncode == 2
    assert "gain" in refused.stderr
    assert not (logs / "gains.yaml").exists()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--loaded", "loaded.npz"], "go together"),
        (["--loaded", "loaded.npz", "--payload-mass", "2.8", "--without", "0:2"], "--without is for one recording"),
        (["--payload-com", "0,0,0.1"], "--payload-com needs --payload-mass"),
        (["--payload-mass", "heavy", "--loaded", "loaded.npz"], "--payload-mass is 'heavy'; expected a number, such as 2.8"),
        (["--payload-mass", "2", "--payload-com", "0,1"], "--payload-com is '0,1'; expected 3 values, X,Y,Z"),
        (["--mass", "m9=3"], "no mass of a link named 'm9'"),
        (["--vendor", "1,2"], "has 2 gains"),
        (["-o", "gains.txt", "--moving-mass", "28"], "unknown suffix '.txt'"),
    ],
)
def test_what_cant_be_used_is_said(dynident, logs: Path, options: list[str], sentence: str) -> None:
    refused = dynident("gains", UR10, "unloaded.npz", *options)
    assert refused.returncode == 2
    assert sentence in refused.stderr
