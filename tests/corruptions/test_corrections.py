"""What a YAML beside the data makes of a file is what the doctor's correction made of the log, each alone and any two together."""

from __future__ import annotations

from functools import reduce
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
import yaml

from benchmarks.doctor_logs import Conditions, virtual_log
from dynident import load_robot
from dynident.data import Dataset, load_dataset, write_dataset
from dynident.data.reading.reading import Reading
from dynident.doctor import Correction
from dynident.doctor.recipe_file import recipe_text

CORRECTIONS = {
    "units": Correction(units={"q": "deg", "dq": "deg/s", "ddq": "deg/s^2"}),
    "effort unit": Correction(units={"effort": "mNm"}),
    "gains": Correction(effort_gains=np.array([14.9, -12.1, 3.0])),
    "counts": Correction(counts=np.array([100.0, 80.0, 50.0])),
    "signs": Correction(signs=np.array([1.0, -1.0, 1.0])),
    "effort signs": Correction(effort_signs=np.array([-1.0, 1.0, 1.0])),
    "offsets": Correction(offsets=np.array([0.0, 0.25, -1.5])),
    "rate": Correction(rate=50.0, clock=2.0),
    "ignored": Correction(ignored=("ddq",)),
    "without": Correction(without=((1.0, 2.0), (3.5, 4.0))),
    "order": Correction(order=(2, 0, 1)),
    "effort order": Correction(effort_order=(1, 0, 2)),
    "delay": Correction(delay=np.full(3, 0.03)),
}
PAIRS = list(combinations(CORRECTIONS, 2))


@pytest.fixture(scope="module")
def log() -> Dataset:
    return virtual_log("spatial_3r", 3, Conditions(seconds=8.0, channels=("dq", "ddq"))).data


@pytest.mark.parametrize("names", [*((name,) for name in CORRECTIONS), *PAIRS], ids=" then ".join)
def test_the_file_is_read_as_the_log_was_corrected(log: Dataset, names: tuple[str, ...], tmp_path: Path) -> None:
    file = tmp_path / "log.csv"
    write_dataset(log, file)
    whole = reduce(Correction.then, (CORRECTIONS[name] for name in names))
    _, expected = whole.apply(load_robot("spatial_3r"), log)
    target, text = recipe_text(file, whole)
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


def test_what_was_told_when_the_log_was_read_goes_before_the_file_and_is_combined_with_the_correction(tmp_path: Path) -> None:
    file = tmp_path / "log.csv"
    file.with_name("log.csv.yaml").write_text("columns: {time: stamp}\neffort_gains: [7.0, 7.0, 7.0]\nskip: 3\n")
    told = Reading(columns={"q": ["pos_*"], "ddq": ["none"]}, effort_gains=[2.0, 2.0, 2.0], gears=[[9.0, 0, 0], [0, 8.0, 0], [0, 0, 7.0]])
    _, text = recipe_text(file, Correction(effort_gains=np.array([1.0, 3.0, 1.0])), told)
    assert yaml.safe_load(text) == {
        "columns": {"time": "stamp", "q": ["pos_*"], "ddq": ["none"]},
        "effort_gains": [2.0, 6.0, 2.0],
        "skip": 3,
        "gear_ratios": [[9.0, 0.0, 0.0], [0.0, 8.0, 0.0], [0.0, 0.0, 7.0]],
    }
