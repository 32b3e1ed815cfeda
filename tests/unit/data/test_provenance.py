"""Provenance: the same data are known by their content, whatever they are called and whatever was done to them."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from dynident.data import ControllerSamples, Dataset, decimate, differentiate, load_dataset, resample, trim, write_dataset
from dynident.data.provenance import Provenance
from tests.logs import synthetic_log, synthetic_samples


def ranges(data: Dataset | ControllerSamples) -> list[list[int]]:
    return [list(span) for item in data.provenance.used for span in item.ranges]


def test_a_part_of_a_part_is_a_range_of_the_recording():
    log = synthetic_log(samples=1000)
    assert ranges(log) == [[0, 1000, 1000]]
    assert ranges(log.part(0.5, 1).part(0, 0.2)) == [[500, 600, 100]]
    assert ranges(decimate(log.part(0.5, 1), 5)) == [[500, 996, 100]]
    assert ranges(decimate(log, 5).part(0.5, 1))[0][0] == pytest.approx(500, abs=3)
    assert ranges(log.take(np.r_[0:100, 300:400], starts=(0, 100))) == [[0, 100, 100], [300, 400, 100]]
    assert ranges(resample(log.part(0.2, 0.6), 37.0))[0][:2] == [200, 600]
    assert log.part(0, 0.5).provenance.steps == ("part 0:0.5",)


def test_every_segment_keeps_its_own_range():
    a, b = synthetic_log(samples=400), synthetic_log(samples=600, seed=5)
    both = Dataset.concatenate([a, b])
    assert ranges(trim(both, 0.5)) == [[50, 350, 300], [50, 550, 500]]
    assert [recording.samples for recording in both.provenance.recordings] == [400, 600]
    assert both.provenance.samples == 1000
    assert Dataset.concatenate([a, a.part(0, 0.5)]).provenance.overlap(a.provenance) == 1.0


def test_overlap_is_the_share_that_is_the_same():
    log = synthetic_log(samples=1000)
    half = log.part(0, 0.5).provenance
    assert half.overlap(log.provenance) == 1.0
    assert log.provenance.overlap(half) == 0.5
    assert half.overlap(log.part(0.5, 1).provenance) == 0.0
    assert log.provenance.overlap(Provenance.join([half, log.part(0.25, 0.75).provenance])) == 0.75
    assert half.overlap(synthetic_log(samples=1000, seed=3).provenance) == 0.0


def test_a_file_is_known_by_its_content(tmp_path):
    log = synthetic_log(samples=300)
    for name in ("log.npz", "log.csv", "log.parquet"):
        write_dataset(log, tmp_path / name)
    (tmp_path / "other").mkdir()
    shutil.copy(tmp_path / "log.npz", tmp_path / "other" / "renamed.npz")
    write_dataset(synthetic_log(samples=300, seed=8), tmp_path / "other" / "log.npz")
    read = load_dataset(tmp_path / "log.npz").provenance
    assert list(read.files) == ["log.npz"]
    for same in (tmp_path / "other" / "renamed.npz", tmp_path / "log.csv", tmp_path / "log.parquet"):
        assert load_dataset(same).provenance.overlap(read) == 1.0
    assert log.provenance.overlap(read) == 1.0
    assert load_dataset(tmp_path / "other" / "log.npz").provenance.overlap(read) == 0.0


def test_the_same_file_read_in_another_way_is_the_same_data(tmp_path):
    write_dataset(synthetic_log(samples=300), tmp_path / "log.csv")
    as_is = load_dataset(tmp_path / "log.csv")
    (tmp_path / "log.csv.yaml").write_text("signs: [1, -1]\noffsets: [0.1, 0.0]\nskip: 100\n")
    changed = load_dataset(tmp_path / "log.csv")
    assert changed.provenance.recordings[0].numbers != as_is.provenance.recordings[0].numbers
    assert ranges(changed) == [[100, 300, 200]]
    assert changed.provenance.overlap(as_is.part(0, 0.5).provenance) == pytest.approx(0.25)


def test_it_survives_processing_by_hand():
    log = synthetic_log(samples=500)
    parts = Dataset.concatenate([log.part(0, 0.2), synthetic_log(samples=50, seed=2), log.part(0.6, 0.8)])
    assert parts.provenance.samples == parts.samples
    assert parts.provenance.overlap(log.provenance) == pytest.approx(200 / 250)
    assert differentiate(log).provenance.overlap(log.provenance) == 1.0


def test_controller_samples_have_it_too():
    samples = synthetic_samples()
    assert ranges(samples.part(0.5, 1))[0][1] == samples.samples
    assert samples.part(0, 0.5).provenance.overlap(samples.part(0.5, 1).provenance) == 0.0
    assert samples.select(samples.joint_names[::-1]).provenance == samples.provenance


def test_scattered_samples_stay_few_pieces():
    log = synthetic_log(samples=20_000)
    chosen = np.flatnonzero(np.random.default_rng(0).random(20_000) < 0.5)
    assert len(log.take(chosen, starts=(0,)).provenance.pieces) <= 100
