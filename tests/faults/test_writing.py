"""Every command that writes, failed and killed before each of its file operations: every file is the old or the new one, and
results that don't belong together are out of date.

The cases of `tests.faults.cases` suffer the faults of `tests.faults.operations`. A verb or an export target without a case fails here.
"""

from __future__ import annotations

import errno
import fnmatch
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from dynident.cli.overview import VERBS
from dynident.exports import EXPORTERS
from dynident.runs import Stage, load_run
from tests.faults.cases import CASES, READ_ONLY, ROBOT, Case, copy_inputs, everything, is_leftover, visible
from tests.faults.operations import KILLED, Command, Fault, Outcome, run_once

ERRORS = (errno.ENOSPC, errno.EACCES, errno.EROFS)
#: Faults per case in the short version.
SOME = 3


class Trial:
    """A case with the states that its folder may be in: old, new, and what may be seen between them."""

    def __init__(self, case: Case, inputs: Path, place: Path) -> None:
        self.case, self.log = case, place / "said.txt"
        self.folder, self.origin = place / "work", place / "origin"
        copy_inputs(case, inputs, self.folder)
        for words in case.before:
            self._do(words)
        shutil.rmtree(self.folder / "tmp", ignore_errors=True)
        shutil.copytree(self.folder, self.origin)
        self.old = visible(self.folder)
        self.states = [self.old]
        for words in case.between:
            self._do(words)
            self.states.append(visible(self.folder))
            self.restore()
        self.command = Command(case.words.split(), self.folder, self.log, case.prepare)
        self.undisturbed = self.command.run()
        assert self.undisturbed.code == case.code, self.undisturbed.said
        self.new = visible(self.folder)
        assert self.new != self.old
        self.states.append(self.new)
        self.repeated: list[dict[str, bytes]] = []

    def _do(self, words: str) -> Outcome:
        found = run_once(words.split(), self.folder, self.log, self.case.prepare)
        assert found.code == self.case.code, found.said
        return found

    def restore(self) -> None:
        """The folder as it was before the command; it stays the same folder, for a process works in it."""
        for path in self.folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        shutil.copytree(self.origin, self.folder, dirs_exist_ok=True)
        (self.folder / "tmp").mkdir(exist_ok=True)

    def suffer(self, fault: Fault, *, again: bool) -> None:
        """A fault, and perhaps the command again, unless it has begun with the same files before."""
        self.restore()
        found = self.command.run(fault)
        self._check_words(found, fault)
        self._check_state(fault)
        left = everything(self.folder)
        if again and left not in self.repeated:
            self.repeated.append(left)
            self._do(self.case.again if self.case.again and self._see() != self.old else self.case.words)
            assert not self._leftovers(), f"{self._leftovers()} after {fault} and the command again"
            assert self._see() == self.new, f"after {fault} and the command again"

    def _see(self) -> dict[str, bytes]:
        """What the next command would see; the folder itself is left as it is."""
        copy = self.folder.with_name("seen")
        shutil.copytree(self.folder, copy)
        found = visible(copy)
        shutil.rmtree(copy)
        return found

    def _check_words(self, found: Outcome, fault: Fault) -> None:
        if not fault.error:
            assert found.code == KILLED
            return
        assert found.code in (1, 2), f"{fault}: {found.code} {found.said}"
        (sentence,) = (line for line in found.said.splitlines() if not line.startswith("["))  # which tell of progress
        assert sentence.startswith("dynident: ")
        assert "Traceback" not in sentence
        assert "can't print" not in sentence, f"{fault} of {self.undisturbed.operations}: {sentence}"

    def _check_state(self, fault: Fault) -> None:
        if fault.error == errno.ENOSPC:
            assert not self._leftovers(), f"{self._leftovers()} after {fault}"
        seen = self._see()
        names = seen.keys() | self.old.keys() | self.new.keys()
        for name in names - set(fnmatch.filter(names, self.case.progress)):
            assert seen.get(name) in [state.get(name) for state in self.states], f"neither old nor new after {fault}: {name}"
        self._check_runs(fault)

    def _check_runs(self, fault: Fault) -> None:
        """What counts in a run folder belongs together, and documents that are not of their records are named."""
        for record in self.folder.rglob(Stage.ESTIMATE.file):
            run = load_run(record.parent)
            estimate = run.contents[Stage.ESTIMATE].digest
            for stage, content in run.contents.items():
                assert stage is Stage.ESTIMATE or content.origin.made_from[Stage.ESTIMATE.key] == estimate, f"{stage} after {fault}"
                document = record.with_name(stage.document)
                fits = document.is_file() and content.digest in document.read_text(encoding="utf-8")
                assert fits == (stage.document not in run.stale), f"{stage.document} after {fault}"

    def _leftovers(self) -> list[Path]:
        shutil.rmtree(self.folder / "tmp")
        (self.folder / "tmp").mkdir()
        return [file for file in self.folder.rglob("*") if is_leftover(file) and file.is_file()]


@pytest.fixture
def trial(case: Case, inputs: Path, tmp_path: Path) -> Iterator[Trial]:
    made = Trial(case, inputs, tmp_path)
    yield made
    made.command.close()


def every_fault(trial: Trial) -> list[Fault]:
    numbers = range(1, len(trial.undisturbed.operations) + 1)
    return [Fault(number, error) for number in numbers for error in (0, *ERRORS)]


@pytest.mark.parametrize("case", [case for case in CASES if not case.long], ids=lambda case: case.name)
def test_some_faults(case: Case, trial: Trial):
    faults = every_fault(trial)
    chosen = random.Random(case.name).sample(faults, min(SOME, len(faults)))
    for fault in chosen:
        trial.suffer(fault, again=fault is chosen[0])


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_fault(case: Case, trial: Trial):
    faults = every_fault(trial)
    for fault in faults:
        trial.suffer(fault, again=True)
    print(f"{case.name}: {len(faults)} faults, {len(trial.repeated)} times again")  # noqa: T201


def test_every_verb_that_writes_has_a_case():
    assert set(VERBS) - {case.verb for case in CASES} == READ_ONLY
    words = {word for case in CASES if case.verb == "export" for word in case.words.split()}
    assert {f"--{name}" for name in EXPORTERS} <= words


@pytest.mark.parametrize("words", [f"check {ROBOT}", "presets"])
def test_the_others_write_nothing(words: str, tmp_path: Path):
    (tmp_path / "work").mkdir()
    found = run_once(words.split(), tmp_path / "work", tmp_path / "said.txt")
    assert (found.code, found.operations) == (0, ())
