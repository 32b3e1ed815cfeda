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
from dynident.core.options import Options, declared_options
from dynident.data.reading.reading import Reading
from dynident.errors import InputError
from dynident.robots.mounting import Mounting
from dynident.runs.stages import Stage


@dataclass(frozen=True, kw_only=True)
class FleetOptions:
    """What holds for all robots. identify, retrieve : more words for these."""

    robot: str
    train: str
    held_out: str | None
    fitting: tuple[str, ...]
    reading: Reading
    mounting: Mounting
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
        steps = (
            Step(words=("doctor", *source, "--json", *how), files=(DIAGNOSIS,), printed=True, needed=False),
            Step(words=("identify", *source, "-o", run, *how, *self.fitting, *shlex.split(self.identify)), files=Stage.ESTIMATE.files),
            Step(words=("retrieve", run, *shlex.split(self.retrieve)), files=Stage.PARAMETERS.files),
        )
        if self.held_out is None:
            return steps
        words = ("validate", run, str(data), "--part", self.held_out, *option_words(Reading(without=self.reading.without)))
        return (*steps, Step(words=words, files=Stage.VALIDATION.files))


def option_words(options: Options) -> tuple[str, ...]:
    """What to type for options that differ from their defaults."""
    words: list[str] = []
    for item in declared_options(type(options)):
        value = getattr(options, item.name)
        if not item.flag or value == item.default:
            continue
        if isinstance(value, Mapping):
            pairs = cast("Mapping[str, Any]", value)
            words += [f"{item.flag}={item.kind.show({name: part})}" for name, part in pairs.items()]
        elif item.kind.repeated:
            words += [f"{item.flag}={item.kind.show((part,))}" for part in value]
        else:
            words.append(f"{item.flag}={item.kind.show(value)}")
    return tuple(words)


def name_folders(data: Sequence[Path], output: Path) -> dict[str, Path]:
    """A run folder for each log, by the name of its file, with that of its folder before it where two files have one name."""
    stems = [path.name if os.path.isdir(path) else path.name.split(".")[0] for path in data]
    names = [f"{path.absolute().parent.name}_{stem}" if stems.count(stem) > 1 else stem for path, stem in zip(data, stems, strict=True)]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"two of DATA would both be {output / twice}; rename one, or give them in folders of different names")
    return {name: place_below(output, name) for name in names}
