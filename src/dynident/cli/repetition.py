"""A run made again from renamed inputs, by the commands that made it; `dynident bundle` packs the result.

Of a command only what is dynident's own is repeated: verbs, options, numbers and words of closed lists. Robot, logs and conditions are
those that were written with neutral names. A command that needs anything else is not repeated, and the bundle says which stage it lacks.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import Any

import numpy as np
import yaml

from dynident.bundles.bundle import DOCTOR, RUN, Bundle, Samples, Step, pack
from dynident.bundles.rename import rename_conditions, rename_data, rename_problem, rename_robot
from dynident.cli import app
from dynident.cli.command_line import Verb, Word, assign_words
from dynident.cli.exits import InterruptedByUser, sentence
from dynident.cli.inputs import typed
from dynident.core.files import clear_errors, file_digest, write_atomically
from dynident.core.kinds import Place, RefusedValue, parse_number
from dynident.core.options import declared_options
from dynident.data import ControllerSamples, Dataset, write_dataset
from dynident.data.provenance import Provenance
from dynident.data.reading.reading import Reading
from dynident.errors import DynidentError, InputError
from dynident.exports import convert
from dynident.feasibility.methods import METHODS
from dynident.feasibility.solvers.registry import SOLVERS
from dynident.friction.registry import FRICTION_MODELS
from dynident.pipeline.reading import read_log_and_samples
from dynident.regression.estimation import estimate
from dynident.regression.uncertainty.losses import loss_by_name
from dynident.robots.mounting import Mounting
from dynident.robots.robot import STANDARD_GRAVITY, Robot
from dynident.runs import Run, Stage, load_run, write_estimate
from dynident.signs.methods.registry import METHODS as SIGN_METHODS

#: Options whose files are logs, by the stage that tells their content; of `monitor` what is watched leaves nothing in a run.
_LOGS = {"data": None, "test": Stage.VALIDATION, "free": Stage.MONITOR}
_CONDITIONS = ("constraints", "bounds")
#: Options that change nothing in a run: what is printed or written elsewhere, and who does the work.
_WITHOUT_EFFECT = ("json", "output", "urdf", "mjcf", "signed_log", "bases", "workers", "scheduler", "budget")
#: Verbs that make a stage; a command of a run that somebody else has handed over may name any.
_MAKERS = {"fit", *(stage.value.command.split()[1] for stage in Stage)}


def make_bundle(folder: Path, data: Sequence[Path] = (), samples: Samples = "excerpt") -> Bundle:
    """A run folder as a bundle without names; FileError where nothing has been identified in it, or where it is damaged.

    data : of the estimate, where the files of its command are not to be taken.
    samples : "excerpt" of the logs, "all" of them, or "none": no measured sample at all, nor the rows that were made of them.
    """
    run = load_run(folder)
    with clear_errors(Path(gettempdir())), TemporaryDirectory(prefix="dynident-") as place:
        repetition = Repetition(run=run, folder=Path(place).absolute(), data=data)
        repetition.repeat()
        digests = {digest for stage in run.contents for digest in repetition.digests(stage).values()}
        return pack(
            repetition.folder,
            run,
            steps=repetition.steps,
            missing=repetition.missing,
            logs=repetition.logs,
            digests=sorted(digests),
            samples=samples,
        )


def _registered_words() -> frozenset[str]:
    """Names of friction models, solvers and methods, and of their options."""
    variants: list[Any] = [*SOLVERS.values(), *SIGN_METHODS.values()]
    options = [item.name for variant in variants for item in declared_options(variant.options)]
    shapes = [shape.name for model in FRICTION_MODELS.values() for shape in model().shapes]
    return frozenset(("none", "default", "auto", *FRICTION_MODELS, *shapes, *SOLVERS, *METHODS, *SIGN_METHODS, *options))


_REGISTERED = _registered_words()


class NotRepeatableError(InputError):
    """Why a command can't be repeated, without a name in it."""


@dataclass
class Repetition:
    """A folder in which a run is repeated.

    Attributes
    ----------
    data
        Files with the data of the estimate, where the user names them.
    name
        Of the repeated run in the folder.
    logs
        What was read, by the names of the files that were written.
    missing
        What could not be repeated, and why.
    """

    run: Run
    folder: Path
    data: Sequence[Path] = ()
    name: str = RUN
    logs: dict[str, Dataset | ControllerSamples] = field(default_factory=dict[str, "Dataset | ControllerSamples"])
    steps: list[Step] = field(default_factory=list[Step])
    missing: list[str] = field(default_factory=list[str])
    _fitted: Sequence[str] = ()
    _written: dict[Any, list[str]] = field(default_factory=dict[Any, list[str]])

    @cached_property
    def robot(self) -> Robot:
        return rename_robot(self.run.estimate.base.robot)

    @cached_property
    def description(self) -> str:
        """The robot's file: DH where its frames are DH frames, else URDF; empty where neither can hold it."""
        name = "robot.yaml" if all("DH frame" in frame for frame in self.robot.frame_names) else "robot.urdf"
        try:
            text, _ = convert(self.robot, name)
        except DynidentError:
            self.missing.append("a description of the robot for other programs: no format can hold it")
            return ""
        write_atomically(self.folder / name, text)
        return name

    def repeat(self) -> None:
        """Make the run again, and what the doctor says of its log."""
        self._repeat_stages()
        if not self._fitted:  # also where the command can't be repeated, its log is worth having
            with contextlib.suppress(*([] if self.data else [DynidentError])):  # what the user names must be there
                self._write_logs(Stage.ESTIMATE, _split(self._command(Stage.ESTIMATE)), ())
        log = next((name for name in self._fitted if isinstance(self.logs[name], Dataset)), "")
        if self.description and log:
            found = self._do(["doctor", self.description, log, *self._gravity, "--json"])
            if found.code in (0, 1):
                write_atomically(self.folder / DOCTOR, found.printed)

    def _repeat_stages(self) -> None:
        """Every stage that counts, in the order in which they are made from each other."""
        reasons: dict[str, str] = {}  # by command, of which several stages may be; empty where it was repeated
        for stage in self.run.contents:
            command = self._command(stage)
            if not command and self._has(stage):
                continue
            known = command or stage.key
            if known not in reasons:
                reasons[known] = self._repeat_command(stage, command)
            if reasons[known]:
                self._do_without(stage, reasons[known])
            if not self._has(Stage.ESTIMATE):
                return

    def _has(self, stage: Stage) -> bool:
        return (self.folder / self.name / stage.file).is_file()

    def _repeat_command(self, stage: Stage, command: str) -> str:
        """Why it can't be repeated; empty where it was."""
        usual = "" if "DATA" in stage.value.command else stage.value.command
        try:
            words = self._translate(stage, command or usual)
        except NotRepeatableError as error:
            return error.message
        except InterruptedByUser:
            raise
        except (DynidentError, RefusedValue):  # which may name what is not to be named
            return "its command or its data can't be read any more"
        self.steps.append(self._do(words))
        return "" if self._has(stage) else "its command gave none when it was repeated; printed.txt has the reason"

    def _repeat_other(self, folder: Path) -> str:
        """The name of the repeated run that an estimate was made from."""
        place = next((base / folder for base in self._places if os.path.isfile(base / folder / Stage.ESTIMATE.file)), None)
        if place is None or self.name != RUN:
            raise NotRepeatableError("the run that it was made from is not there any more")
        other = replace(self, run=load_run(place), name=f"earlier_{RUN}", data=())
        other._repeat_stages()
        return other.name

    def _command(self, stage: Stage) -> str:
        return self.run.contents[stage].origin.command

    def _do_without(self, stage: Stage, reason: str) -> None:
        problem = self.run.estimate.problem if stage is Stage.ESTIMATE else None
        if problem is None:
            self.missing.append(f"{stage.key}: {reason}")
            return
        summary = self.run.estimate.summary
        fitting: dict[str, Any] = {"noise": summary.noise, "drop_above_percent": summary.drop_above_percent}
        again = estimate(rename_problem(problem, self.robot), loss=loss_by_name(summary.loss), **fitting)
        write_estimate(self.folder / self.name, again, seed=self.run.contents[stage].origin.seed)
        self.missing.append(f"the step from the log to its equations: {reason}; the estimate is made from the equations in the run")

    def _do(self, words: Sequence[str]) -> Step:
        """Do what the words say in the folder; what is wrong with it is what it prints."""
        printed = io.StringIO()
        with contextlib.chdir(self.folder), contextlib.redirect_stdout(printed), typed(words):
            try:
                code = app.run(words) or 0
            except InterruptedByUser:
                raise
            except DynidentError as error:
                code = 2 if isinstance(error, InputError) else 1
                printed.write(f"{sentence(error, words=words)}\n")
        return Step(command=shlex.join(["dynident", *words]), code=code, printed=printed.getvalue())

    # ------------------------------------------------------------------------------------------------------------ words of a command

    def _translate(self, stage: Stage, command: str) -> list[str]:
        """The words of a command on the renamed inputs."""
        words = _split(command)
        if len(words) < 2 or words[0] not in _MAKERS:
            raise NotRepeatableError("the run does not remember a command that made it")
        verb = app.load_verb(words[0])
        assigned = assign_words(verb, words[1:])
        texts = [verb.name]
        for word, text in assigned:
            texts += self._translate_word(stage, verb, word, text, assigned)
        return [*texts, *(self._gravity if any(word.option.name == "robot" for word, _ in assigned) else ())]

    @property
    def _gravity(self) -> tuple[str, ...]:
        """Which a URDF does not have."""
        gravity = self.robot.gravity.tolist()
        return () if np.array_equal(gravity, STANDARD_GRAVITY) else (f"--gravity={','.join(map(repr, gravity))}",)

    def _translate_word(self, stage: Stage, verb: Verb, word: Word, text: Any, assigned: Sequence[tuple[Word, Any]]) -> list[str]:
        item = word.option
        if verb.sections.get(word.section) in (Reading, Mounting):  # they have been applied to what was written
            return []
        if item.name == "robot":
            if not self.description:
                raise NotRepeatableError("no format can hold the robot")
            return [self.description]
        if item.name in ("run", "arm"):
            return [self._repeat_other(Path(text)) if stage is Stage.ESTIMATE else self.name]
        if item.name in _LOGS:
            source = _LOGS[item.name] or stage
            texts = [part for _, text in assigned if not isinstance(text, bool) for part in ([text] if isinstance(text, str) else text)]
            names = self._write_logs(source, texts, assigned)
            return [part for name in names for part in (item.flag, name) if part]
        if item.name in _CONDITIONS:
            return [part for file in text for part in (item.flag, self._write_conditions(Path(file)))]
        if word.required:
            return [item.flag, self.name]
        if item.name in _WITHOUT_EFFECT:
            return []
        if item.name == "link" and text in self.run.estimate.base.robot.link_names:
            return [item.flag, self.robot.link_names[self.run.estimate.base.robot.link_names.index(text)]]
        if not self._is_neutral(word, text):
            raise NotRepeatableError(f"{item.flag} names something of yours")
        if item.kind.is_flag:
            return [item.flag if text else f"--no-{item.flag[2:]}"]
        parts = [text] if isinstance(text, str) else list(text)
        return [part for value in parts for part in (item.flag, value)] if item.kind.repeated else [item.flag, *parts]

    def _is_neutral(self, word: Word, text: Any) -> bool:
        """Whether a value consists of numbers and of words that dynident has itself."""
        texts = [text] if isinstance(text, str) else [] if isinstance(text, bool) else list(text)
        parts = [part for item in texts for part in re.split("[=+(),:%]", item) if part]
        known = {*word.option.kind.words, *_REGISTERED, *self.run.estimate.base.columns.names, *self.run.estimate.base.known}
        if all(part in known or parse_number(part) is not None for part in parts):
            return True
        return isinstance(word.option.kind.read(text, Place(typed=True)), int | float)  # with a unit

    # -------------------------------------------------------------------------------------------------------------------- files

    def _write_conditions(self, file: Path) -> str:
        place = next((base / file for base in self._places if os.path.isfile(base / file)), None)
        if place is None or place.suffix == ".py":
            raise NotRepeatableError(
                "a file with its conditions is not there any more" if place is None else "its conditions are a program"
            )
        name = f"conditions{len(list(self.folder.glob('conditions*'))) + 1}.yaml"
        write_atomically(self.folder / name, yaml.safe_dump(rename_conditions(place, self.run.estimate.base), sort_keys=False))
        return name

    def _write_logs(self, stage: Stage, words: Sequence[str], assigned: Sequence[tuple[Word, Any]]) -> list[str]:
        """The files with the data of a stage, which are written where they are not there yet."""
        files = list(self.data) if stage is Stage.ESTIMATE and self.data else self._find(stage, words)
        if not files:
            raise NotRepeatableError("its log was not found where it was")
        reading = self._reading(stage, assigned)
        key = (*files, *reading.without)
        if key not in self._written:
            data = read_log_and_samples(files, self.run.estimate.base.robot, reading)
            self._written[key] = []
            for kind, parts in zip(("log", "samples"), ([] if item is None else rename_data(item) for item in data), strict=True):
                for part in parts:
                    count = sum(name.startswith(kind) for name in self.logs)
                    name = f"{kind}{count + 1 if count else ''}.npz"
                    self.logs[name] = part
                    write_dataset(part, self.folder / name)
                    self._written[key].append(name)
        if stage is Stage.ESTIMATE:
            self._fitted = self._written[key]
        return self._written[key]

    def _reading(self, stage: Stage, assigned: Sequence[tuple[Word, Any]]) -> Reading:
        """How the data of a stage were read."""
        known = self.run.estimate.summary.processing.read
        given = {word.option.name: (word, text) for word, text in assigned if word.section == "reading"}
        if stage is not Stage.ESTIMATE and given.keys() - {"without"}:
            raise NotRepeatableError("its log was read in another way than that of the estimate")
        if "without" not in given:
            return known
        word, text = given["without"]
        return replace(known, without=word.option.kind.read(text, Place("without", typed=True)))

    def _find(self, stage: Stage, words: Iterable[str]) -> list[Path]:
        """Files and folders that hold what the stage was made from; empty where one of it is gone, has changed, or was never named.

        The command may be anybody's: only files of the names that the run remembers are looked at, wherever it says that they are.
        """
        wanted: dict[str, str] = {digest: name for name, digest in self.digests(stage).items()}
        found: list[Path] = []
        for word in dict.fromkeys((*map(str, self.data), *words)):
            for place in (base / word for base in self._places if word):
                held = {file: digest for file, digest in _digests(place, set(wanted.values())).items() if digest in wanted}
                if held:
                    found += held if os.path.isfile(place / Stage.ESTIMATE.file) else [place]
                    wanted = {digest: name for digest, name in wanted.items() if digest not in held.values()}
                    break
        return found if not wanted else []

    def digests(self, stage: Stage) -> Mapping[str, str]:
        """SHA-256 of the data of a stage by the names of their files."""
        provenance: Provenance | None = getattr(self.run.result_of(stage), "provenance", None)
        files: Mapping[str, str] | None = self.run.contents[stage].origin.files if stage in self.run.contents else None
        return files or (dict[str, str]() if provenance is None else provenance.files)

    @cached_property
    def _places(self) -> tuple[Path, ...]:
        """Where relative paths of a command may begin."""
        run = self.run.folder.absolute()
        return Path.cwd(), run, run.parent


def _split(command: str) -> list[str]:
    """The words of a command after the program; none where a quote is not closed."""
    try:
        return shlex.split(command)[1:]
    except ValueError:
        return []


def _digests(place: Path, names: set[str]) -> dict[Path, str]:
    """SHA-256 of a file, or of the files in a folder, of these names; empty where there are none."""
    files = [place] if place.name in names else []
    files += [place / name for name in sorted(names) if name == os.path.basename(name)]
    return {file: file_digest(file) for file in files if os.path.isfile(file)}  # False where the system can't be asked for such a name
