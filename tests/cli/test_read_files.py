"""What a command reads of a run folder: each stage that it uses once, nothing else. Headers, for digests alone, are not counted."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest

from dynident.core import records
from dynident.data import write_dataset
from dynident.runs import save_run
from tests.logs import synthetic_log
from tests.whole_run import all_stages


@pytest.fixture(scope="module")
def saved(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("opened") / "run"
    save_run(folder, **all_stages())
    return folder


@pytest.fixture
def opened(monkeypatch) -> Counter[str]:
    """How often each record was read."""
    counts: Counter[str] = Counter()
    read = records._open

    def count(path: Path, remedy: str, arrays: bool):
        counts[path.stem] += arrays
        return read(path, remedy, arrays)

    monkeypatch.setattr(records, "_open", count)
    return counts


@pytest.mark.parametrize(
    ("words", "stages"),
    [
        (("retrieve", "{run}", "--no-ranges"), {"estimate"}),
        (("report", "{run}", "-o", "{folder}/page.html"), set(all_stages())),
        (("validate", "{run}", "{folder}/log.npz"), {"estimate", "parameters"}),
        (("export", "{run}", "--urdf", "{folder}/arm.urdf"), {"estimate", "parameters", "monitor"}),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_each_stage_is_read_once(words, stages, saved, opened, dynident, tmp_path):
    run = Path(shutil.copytree(saved, tmp_path / "run"))
    write_dataset(synthetic_log(noise=0.1, seed=4), tmp_path / "log.npz")
    result = dynident(*(word.format(run=run, folder=tmp_path) for word in words))
    assert result.returncode == 0, result.stderr
    assert +opened == dict.fromkeys(stages, 1)
