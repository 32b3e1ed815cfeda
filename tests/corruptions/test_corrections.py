"""What a YAML beside the data makes of a file is what the doctor's correction made of the log, each alone and any two together."""

from __future__ import annotations

from functools import reduce
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
import yaml

from dynident import load_robot
from dynident.data import Dataset, load_dataset, write_dataset
from dynident.data.reading.reading import Reading
from dynident.diagnosis import Correction
from dynident.diagnosis.recipe_file import recipe_text
from tests.logs import synthetic_log

READINGS = {
    "units": Reading(units={"q": "deg", "dq": "deg/s", "ddq": "deg/s^2"}),
    "effort unit": Reading(units={"effort": "mNm"}),
    "gains": Reading(effort_gains=[14.9, -12.1, 3.0]),
    "counts": Reading(gears=[100.0, 80.0, 50.0], effort_gains=[0.01, 0.0125, 0.02]),
    "signs": Reading(signs=[1.0, -1.0, 1.0], effort_signs=[1.0]),
    "effort signs": Reading(effort_signs=[-1.0, 1.0, 1.0]),
    "offsets": Reading(offsets=[0.0, 0.25, -1.5]),
    "rate": Reading(sampling_rate=50.0),
    "ignored": Reading(columns={"ddq": "none"}),
    "without": Reading(without=[(1.0, 2.0), (3.5, 4.0)]),
    "order": Reading(joints=["joint3", "joint1", "joint2"]),
    "effort order": Reading(effort_joints=["joint2", "joint1", "joint3"]),
    "delay": Reading(delay=[0.03]),
}
CORRECTIONS = {name: Correction.of(3, reading) for name, reading in READINGS.items()}
PAIRS = list(combinations(CORRECTIONS, 2))


@pytest.fixture(scope="module")
def log() -> Dataset:
    return synthetic_log("spatial_3r", samples=800, noise=0.02, seed=3)


@pytest.mark.parametrize("names", [*((name,) for name in CORRECTIONS), *PAIRS], ids=" then ".join)
def test_the_file_is_read_as_the_log_was_corrected(log: Dataset, names: tuple[str, ...], tmp_path: Path) -> None:
    file = tmp_path / "log.csv"
    write_dataset(log, file)
    whole = reduce(Correction.then, (CORRECTIONS[name] for name in names))
    _, expected = whole.apply(load_robot("spatial_3r"), log)
    target, text = recipe_text(file, whole.spell(log), log)
    target.write_text(text, encoding="utf-8")
    found = load_dataset(file)
    used = np.ones(found.q.shape, dtype=bool) if found.mask is None else found.mask
    asked = np.ones(expected.q.shape, dtype=bool) if expected.mask is None else expected.mask
    np.testing.assert_array_equal(used, asked)
    np.testing.assert_allclose(found.time - found.time[0], expected.time - expected.time[0], atol=1e-9)
    for channel in ("q", "dq", "ddq", "effort"):
        read, corrected = getattr(found, channel), getattr(expected, channel)
        assert (read is None) == (corrected is None), channel
        if read is not None:
            np.testing.assert_allclose(read, corrected, rtol=1e-6, atol=1e-6, err_msg=channel)


def test_what_was_told_when_the_log_was_read_goes_before_the_file_and_is_combined_with_the_correction(log: Dataset, tmp_path: Path) -> None:
    file = tmp_path / "log.csv"
    file.with_name("log.csv.yaml").write_text("columns: {time: stamp}\neffort_gains: [7.0, 7.0, 7.0]\nskip: 3\n")
    told = Reading(columns={"q": ["pos_*"], "ddq": ["none"]}, effort_gains=[2.0, 2.0, 2.0], gears=[[9.0, 0, 0], [0, 8.0, 0], [0, 0, 7.0]])
    _, text = recipe_text(file, Correction.of(3, Reading(effort_gains=[1.0, 3.0, 1.0])), log, told)
    assert yaml.safe_load(text) == {
        "columns": {"time": ["stamp"], "q": ["pos_*"], "ddq": ["none"]},
        "effort_gains": [2.0, 6.0, 2.0],
        "skip": 3,
        "gear_ratios": [[9.0, 0.0, 0.0], [0.0, 8.0, 0.0], [0.0, 0.0, 7.0]],
    }
