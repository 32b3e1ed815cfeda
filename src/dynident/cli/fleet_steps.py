"""What `dynident fleet` does for each robot: the words of doctor, identify, retrieve and validate, from its own options."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from dynident.cli.chain import DIAGNOSIS, Chain, Step
from dynident.core.files import place_below
from dynident.errors import InputError
from dynident.runs.stages import PROBLEM, ROBOT, Stage


@dataclass(frozen=True, kw_only=True)
class FleetOptions:
    """What holds for all robots. reading, mounting : values of the options of these groups; identify, retrieve : more words for these."""

    robot: str
    train: str
    held_out: str | None
    fitting: tuple[str, ...]
    reading: Mapping[str, Any]
    mounting: Mapping[str, Any]
    identify: str
    retrieve: str

    def chains(self, folders: Mapping[str, Path], data: Sequence[Path], robot: str) -> list[Chain]:
        """One for each of DATA. folders : by the names of the robots; robot : the description as text."""
        pairs = zip(folders.items(), data, strict=True)
        return [
            Chain(name=name, folder=folder, place=Path.cwd(), data=(file,), robot=robot, steps=self.steps(folder, file))
            for (name, folder), file in pairs
        ]

    def steps(self, folder: Path, data: Path) -> tuple[Step, ...]:
        """From the doctor to the validation; without the last where the whole log is fitted."""
        source, run = (self.robot, str(data)), str(folder)
        how = ("--train", self.train, *option_words(self.reading), *option_words(self.mounting))
        made = (*_files(Stage.ESTIMATE), PROBLEM, ROBOT)
        steps = (
            Step(words=("doctor", *source, "--json", *how), files=(DIAGNOSIS,), printed=True, needed=False),
            Step(words=("identify", *source, "-o", run, *how, *self.fitting, *shlex.split(self.identify)), files=made),
            Step(words=("retrieve", run, *shlex.split(self.retrieve)), files=_files(Stage.PARAMETERS)),
        )
        if self.held_out is None:
            return steps
        words = ("validate", run, str(data), "--part", self.held_out, *option_words({"without": self.reading["without"]}))
        return (*steps, Step(words=words, files=_files(Stage.VALIDATION)))


def option_words(values: Mapping[str, Any]) -> tuple[str, ...]:
    """The words of a group of options, which are named after their values."""
    words: list[str] = []
    for name, value in values.items():
        several = cast("list[Any]", value) if isinstance(value, list) else [] if value is None else [value]
        words += [f"--{name.replace('_', '-')}={item}" for item in several]
    return tuple(words)


def name_folders(data: Sequence[Path], output: Path) -> dict[str, Path]:
    """A run folder for each log, by the name of its file, with that of its folder before it where two files have one name."""
    stems = [path.name if os.path.isdir(path) else path.name.split(".")[0] for path in data]
    names = [f"{path.absolute().parent.name}_{stem}" if stems.count(stem) > 1 else stem for path, stem in zip(data, stems, strict=True)]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"two of DATA would both be {output / twice}; rename one, or give them in folders of different names")
    return {name: place_below(output, name) for name in names}


def _files(stage: Stage) -> tuple[str, ...]:
    return stage.value.document, stage.value.arrays
