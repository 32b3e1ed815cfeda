"""Damaged files of every format are read, or refused with a sentence; none is an exception, a crash, a hang or a greed for memory."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import replace

import pytest

from dynident.data.formats.registry import READERS
from dynident.motions.formats.registry import FORMATS
from dynident.robots.load import _SUFFIXES
from tests.faults.campaign import damaged_content, run_cases
from tests.faults.originals import URDF, formats
from tests.faults.outcomes import Outcome

#: Variants of one reader that differ from one that is damaged here in the layout of their columns alone.
_ALIKE = {".tsv", ".hdf5", ".world", ".yml"}


@pytest.mark.parametrize("name", formats())
def test_damaged_files(name, tmp_path):
    item = formats()[name]
    cases = list(run_cases(item, range(item.cases), keep=tmp_path / "failures"))
    failed = [f"seed {case.seed}: {case.outcome.value}: {case.told}" for case in cases if not case.outcome.passes]
    assert not failed, f"{len(failed)} of {len(cases)}; make fuzz SEED=... FORMAT={name!r} repeats one:\n" + "\n".join(failed)
    counts = Counter(case.outcome for case in cases)
    assert counts[Outcome.SENTENCE] + counts[Outcome.SAID] > 0.2 * len(cases)  # else nothing was damaged
    assert counts[Outcome.SENTENCE] < len(cases)


#: Cases that ended badly once: a process that Arrow ended, overflows in clocks, a short gap in the clock that nobody named, an acceleration
#: that no joint has, and run folders with negative variances, rows of other joints, missing predictions and links that are no bodies.
ONCE_BAD = {
    "parquet": [1006314, 1008964],
    "mat": [1000891, 1000921, 1008112],
    "blanks": [1008156],
    "trajectory ros_json": [1006385, 1008762],
    "run estimate.safetensors": [1000388, 1000881, 1002890, 1005302],
    "run parameters.safetensors": [1003142, 1004492],
    "run validation.safetensors": [1001185, 1003230, 1006339],
    "forged run": [1000641, 1001431, 1003355, 1003527, 1004197, 1004768, 1006969, 1009992],
}


@pytest.mark.parametrize("name", ONCE_BAD)
def test_files_that_once_ended_badly(name):
    cases = list(run_cases(formats()[name], ONCE_BAD[name]))
    assert [case.seed for case in cases] == ONCE_BAD[name]
    assert all(case.outcome.passes for case in cases), [case.told for case in cases]


def test_every_reader_gets_damaged_files():
    damaged = {suffix for item in formats().values() for suffix in (f".{item.file.rpartition('.')[2]}",)}
    read = {suffix for reader in READERS.values() for suffix in reader.suffixes} | set(_SUFFIXES)
    read |= {suffix for item in FORMATS.values() for suffix in item.suffixes}
    assert read <= damaged | _ALIKE


def test_a_case_is_the_same_whenever_it_is_repeated():
    item = formats()["urdf"]
    together, apart = run_cases(item, [7, 3]), [*run_cases(item, [7]), *run_cases(item, [3])]
    assert [case.outcome for case in together] == [case.outcome for case in apart]
    assert damaged_content(item, 7, b"<a b='1'><c/></a>") == damaged_content(item, 7, b"<a b='1'><c/></a>")


def test_every_case_is_run_once_and_named_by_its_own_seed():
    """Also where one of them ends the process."""
    item = formats()["urdf"]
    seeds = [5, 1, 4, 9, 2, *range(20, 60)]
    crashing = replace(item, read=lambda path: os._exit(3) if b"two" not in path.read_bytes() else item.read(path))
    found = list(run_cases(crashing, seeds))
    assert [case.seed for case in found] == seeds
    ends = [b"two" not in damaged_content(item, seed, URDF.encode()) for seed in seeds]
    assert [case.outcome is Outcome.CRASH for case in found] == ends
    assert True in ends
