"""A run folder whose digests fit and whose content does not: every verb that reads it does its work, or says one sentence."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from tests.commands import run_here
from tests.faults.cases import ROBOT
from tests.faults.forged_runs import FINE, forge

#: Verbs that read a run, on files of `runs`.
VERBS = (
    "report {run}",
    "retrieve {run} --no-ranges",
    "validate {run} new.npz",
    "export {run} --urdf m.urdf --mjcf m.xml --python m.py --yaml m.yaml --csv m.csv",
    "compare {run} {run} -o c.html",
    "sample {run} -n 2",
    "friction {run} new.npz -o again",
    "payload {run} new.npz",
    "monitor {run} new.npz --free log.npz",
    "bundle {run}",
)
#: How many forged folders of each run a verb gets; the campaign has more.
CASES = 12


@pytest.fixture(scope="module")
def runs(inputs, tmp_path_factory) -> Path:
    """A run with all stages, one of recovered signs, and one of refitted friction."""
    folder = tmp_path_factory.mktemp("forged") / "runs"
    shutil.copytree(inputs, folder)
    make_runs(folder)
    return folder


def make_runs(folder: Path) -> None:
    for words in (
        "sample run -n 5",
        "payload run new.npz",
        "monitor run new.npz --free log.npz",
        f"signs {ROBOT} unsigned.npz -o signs",
        "retrieve signs --no-ranges",
        "friction run new.npz -o warm",
    ):
        found = run_here(folder, *words.split())
        assert found.returncode == 0, found.stderr


@pytest.mark.parametrize("run", ["run", "signs", "warm"])
@pytest.mark.parametrize("verb", VERBS, ids=lambda words: words.split()[0])
def test_every_verb_reads_it_or_says_why_not(verb, run, runs, tmp_path):
    try_verb(verb, run, runs, tmp_path / "work", range(CASES))


def try_verb(verb: str, run: str, runs: Path, work: Path, seeds: range) -> None:
    for seed in seeds:
        shutil.rmtree(work, ignore_errors=True)
        shutil.copytree(runs, work)
        what = forge(work / run, np.random.default_rng([seed, len(verb), len(run)]))
        found = run_here(work, *verb.format(run=run).split())
        told = f"seed {seed}, {what}: {found.stderr[-1500:]}"
        assert "Traceback" not in found.stderr, told
        assert found.returncode in FINE, told
        if found.returncode == 2:
            assert found.stderr.count("\n") == 1, told
