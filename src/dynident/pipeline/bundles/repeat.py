"""A run made again from renamed inputs, by the steps that made it and with the options that it remembers.

A step that needs anything that has a name of the user's is not repeated, and the bundle says which stage it lacks. Of the options only
what is dynident's own is taken: numbers, and words of its registries.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import Any, cast

import numpy as np
import yaml

from dynident.core.files import clear_errors, file_digest, json_text, write_atomically
from dynident.core.kinds import parse_number
from dynident.core.options import DeclaredOption, Options, declared_options
from dynident.data import ControllerSamples, Dataset, write_dataset
from dynident.data.reading.reading import Reading
from dynident.diagnosis import doctor
from dynident.diagnosis.document import DiagnosisDocument
from dynident.dynamics.friction.registry import FRICTION_MODELS
from dynident.errors import DynidentError, InputError
from dynident.exports import convert
from dynident.links.methods import METHODS
from dynident.links.solvers.registry import SOLVERS
from dynident.pipeline.bundles.bundle import DOCTOR, PRINTED, RUN, Bundle, RepeatedStep, Samples, pack
from dynident.pipeline.bundles.rename import rename_conditions, rename_data, rename_problem, rename_robot
from dynident.pipeline.options import STEPS, command_of, inputs_of
from dynident.pipeline.reading import read_log, read_log_and_samples
from dynident.pipeline.steps import (
    identify_step,
    monitor_step,
    payload_step,
    recover_signs_step,
    refit_friction_step,
    retrieve_step,
    sample_step,
    validate_step,
)
from dynident.regression.estimation import estimate
from dynident.regression.uncertainty.losses import loss_by_name
from dynident.robots import load_robot
from dynident.robots.mounting import Mounting
from dynident.robots.robot import STANDARD_GRAVITY, Robot
from dynident.routes.signs import SignRecovery
from dynident.routes.signs.methods.registry import METHODS as SIGN_METHODS
from dynident.runs import Run, RunFolder, Stage, load_run, read_estimate, write_result
from dynident.runs.results import find_parameters
from dynident.runs.stages import StageOrigin

#: Stages that a run may have from Python alone, which are made again with the default options.
_USUAL = {Stage.PARAMETERS: "retrieve", Stage.SAMPLES: "sample"}
#: Options that say who does the work, and for how long.
_WITHOUT_EFFECT = ("workers", "scheduler", "budget")


class NotRepeatableError(InputError):
    """Why a step can't be repeated, without a name in it."""


def make_bundle(folder: Path, data: Sequence[Path] = (), samples: Samples = "excerpt") -> Bundle:
    """A run folder as a bundle without names; FileError where there is no estimate in it, or where it is damaged.

    data : of the estimate, where the files that the run remembers are not to be taken.
    samples : "excerpt" of the logs, "all" of them, or "none": no measured sample at all, nor the rows that were made of them.
    """
    run = load_run(folder)
    with clear_errors(Path(gettempdir())), TemporaryDirectory(prefix="dynident-") as place:
        again = Repetition(run=run, folder=Path(place).absolute(), data=data)
        again.repeat()
        digests = sorted({digest for stage in run.contents for digest in again.digests(stage).values()})
        return pack(again.folder, run, steps=again.steps, missing=again.missing, logs=again.logs, digests=digests, samples=samples)


@dataclass(kw_only=True)
class Repetition:
    """A run that is repeated in a folder.

    run : the original. data : files with the data of its estimate, where the user names them. name : of the repeated run in the folder.
    steps, printed : what was done, and what it gave. missing : what could not be repeated, and why.
    logs : what was read, by the names of the files that were written; fitted : names of those with the data of the estimate.
    """

    run: Run
    folder: Path
    data: Sequence[Path] = ()
    name: str = RUN
    steps: list[RepeatedStep] = field(default_factory=list[RepeatedStep])
    printed: list[str] = field(default_factory=list[str])
    missing: list[str] = field(default_factory=list[str])
    logs: dict[str, Dataset | ControllerSamples] = field(default_factory=dict[str, "Dataset | ControllerSamples"])
    fitted: Sequence[str] = ()
    _written: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def repeat(self) -> None:
        """Make the run again, and what the doctor says of its log."""
        if not self.description:
            self.missing.append("a description of the robot for other programs: no format can hold it")
        self.repeat_stages()
        if not self.fitted:  # also where the step can't be repeated, its log is worth having
            with contextlib.suppress(*([] if self.data else [DynidentError])):  # what the user names must be there
                self._write_logs(Stage.ESTIMATE)
        if self.printed:
            write_atomically(self.folder / PRINTED, "\n".join(self.printed))
        log = next((name for name in self.fitted if isinstance(self.logs[name], Dataset)), "")
        if self.description and log:
            with contextlib.chdir(self.folder), contextlib.suppress(DynidentError):
                robot = load_robot(self.description, self.mounting)
                diagnosis = doctor(robot, read_log([Path(log)], robot, Reading(), ordered=False))
                write_atomically(Path(DOCTOR), json_text(DiagnosisDocument.of(diagnosis, written=None)))

    def repeat_stages(self) -> None:
        """Every stage that counts, in the order in which they are made from each other."""
        reasons: dict[str, str] = {}  # by step, of which several stages may be; empty where it was repeated
        for stage, content in self.run.contents.items():
            origin = content.origin
            if not origin.step and self._has(stage):
                continue
            key = json.dumps([origin.step or _USUAL.get(stage, ""), dict(origin.options), origin.data])
            if key not in reasons:
                reasons[key] = self._repeat_step(stage)
            if reasons[key]:
                self._do_without(stage, reasons[key])
            if not self._has(Stage.ESTIMATE):
                return

    def _has(self, stage: Stage) -> bool:
        return (self.folder / self.name / stage.file).is_file()

    def _repeat_step(self, stage: Stage) -> str:
        """Why the step of a stage can't be repeated; empty where it was."""
        origin = self.run.contents[stage].origin
        step = origin.step or _USUAL.get(stage, "")
        try:
            if step not in STEPS:
                raise NotRepeatableError("the run does not remember the step: it was made from Python, or by an older dynident")
            uses = inputs_of(step)
            if "ROBOT" in uses and not self.description:
                raise NotRepeatableError("no format can hold the robot")
            source = self._repeat_other(Path(origin.links)) if "SOURCE" in uses else ""
            files = tuple(map(Path, self._write_logs(stage))) if "DATA" in uses else ()
            choice = self._rename_options(STEPS[step], origin.options)
        except NotRepeatableError as error:
            return error.message
        except DynidentError:  # which may name what is not to be named
            return "its options or its data can't be read any more"
        options = (choice, self.mounting) if "ROBOT" in uses else (choice,)
        command = command_of(step, *options, data=files, robot=self.description, run=self.name, source=source)
        with contextlib.chdir(self.folder):
            try:
                result = self._do(step, choice, files, source, StageOrigin(command=command, data=tuple(map(str, files))))
                code = 1 if isinstance(result, SignRecovery) and not result.verdict.settled else 0
            except DynidentError as error:
                result, code = error, 2 if isinstance(error, InputError) else 1
        self.steps.append(RepeatedStep(command=command, code=code))
        self.printed.append(f"$ {command}\n{result}\n")
        return "" if self._has(stage) else "its step gave none when it was repeated; printed.txt has the reason"

    def _do(self, step: str, choice: Any, files: Sequence[Path], source: str, origin: StageOrigin) -> object:
        """The result of a step in the working folder. source : the run that an estimate was made from."""
        run, robot = RunFolder(self.name), load_robot(self.description, self.mounting) if self.description else self.robot
        if step == "identify":
            data = read_log_and_samples(files, robot, Reading(), choice.train)
            return identify_step(run, robot, *data, choice, origin).result
        part = getattr(choice, "train" if step == "signs" else "part", (0.0, 1.0))
        log: Any = read_log(files, robot, Reading(), part) if files else None
        if step == "signs":
            return recover_signs_step(run, robot, log, choice, origin).result
        if step == "friction":
            return refit_friction_step(RunFolder(source), run.path, log, choice, origin).result
        if step == "sample":
            return sample_step(run, choice, origin).result
        if step == "monitor":
            return monitor_step(run, log, log, choice, origin)
        if step == "retrieve":
            return retrieve_step(run, read_estimate(run), choice, origin).result
        if step == "payload":
            return payload_step(run, read_estimate(run), log, choice, origin).result
        return validate_step(run, read_estimate(run), find_parameters(run), log, choice, origin).result

    def _repeat_other(self, folder: Path) -> str:
        """The name of the repeated run that an estimate was made from."""
        place = next((base / folder for base in self._places if os.path.isfile(base / folder / Stage.ESTIMATE.file)), None)
        if place is None or self.name != RUN:
            raise NotRepeatableError("the run that it was made from is not there any more")
        other = replace(self, run=load_run(place), data=(), name=f"earlier_{RUN}")
        other.repeat_stages()
        return other.name

    def _do_without(self, stage: Stage, reason: str) -> None:
        problem = self.run.estimate.problem if stage is Stage.ESTIMATE else None
        if problem is None:
            self.missing.append(f"{stage.key}: {reason}")
            return
        summary = self.run.estimate.summary
        fitting: dict[str, Any] = {"noise": summary.noise, "drop_above_percent": summary.drop_above_percent}
        again = estimate(rename_problem(problem, self.robot), loss=loss_by_name(summary.loss), **fitting)
        write_result(self.folder / self.name, again, origin=StageOrigin(seed=self.run.contents[stage].origin.seed))
        self.missing.append(f"the step from the log to its equations: {reason}; the estimate is made from the equations in the run")

    # ------------------------------------------------------------------------------------------------------------- renamed inputs

    @cached_property
    def robot(self) -> Robot:
        return rename_robot(self.run.estimate.base.robot)

    @cached_property
    def mounting(self) -> Mounting:
        """The gravity, which a URDF does not have."""
        gravity = self.robot.gravity.tolist()
        return Mounting() if np.array_equal(gravity, STANDARD_GRAVITY) else Mounting(gravity=gravity)

    @cached_property
    def description(self) -> str:
        """The robot's file: DH where its frames are DH frames, else URDF; empty where neither can hold it."""
        name = "robot.yaml" if all("DH frame" in frame for frame in self.robot.frame_names) else "robot.urdf"
        try:
            text, _ = convert(self.robot, name)
        except DynidentError:
            return ""
        write_atomically(self.folder / name, text)
        return name

    def _rename_options(self, kind: type[Options], options: Mapping[str, Any]) -> Options:
        """The options of a step on the renamed inputs."""
        declared = {item.name: item for item in declared_options(kind)}
        if not options.keys() <= declared.keys():
            raise NotRepeatableError("the run does not remember its options as this version has them")
        named = {name: value for name, value in options.items() if name not in _WITHOUT_EFFECT}
        return kind(**{name: self._rename_option(declared[name], value) for name, value in named.items()})

    def _rename_option(self, item: DeclaredOption, value: Any) -> Any:
        names = self.run.estimate.base.robot.link_names
        if item.name in ("constraints", "bounds"):
            return [self._write_conditions(Path(file)) for file in value]
        if item.name == "link" and value in names:
            return self.robot.link_names[names.index(value)]
        base = self.run.estimate.base
        known = {*item.kind.words, *_REGISTERED, *base.columns.names, *base.known}
        if not all(part in known or parse_number(part) is not None for part in _words(value)):
            raise NotRepeatableError(f"{item.flag} names something of yours")
        return [math.inf if part is None else part for part in cast("list[Any]", value)] if isinstance(value, list) else value

    def _write_conditions(self, file: Path) -> str:
        place = next((base / file for base in self._places if os.path.isfile(base / file)), None)
        if place is None or place.suffix == ".py":
            raise NotRepeatableError(
                "a file with its conditions is not there any more" if place is None else "its conditions are a program"
            )
        name = f"conditions{len(list(self.folder.glob('conditions*'))) + 1}.yaml"
        write_atomically(self.folder / name, yaml.safe_dump(rename_conditions(place, self.run.estimate.base), sort_keys=False))
        return name

    def _write_logs(self, stage: Stage) -> list[str]:
        """The files with the data of a stage, which are written where they are not there yet."""
        origin = self.run.contents[stage].origin
        files = list(self.data) if stage is Stage.ESTIMATE and self.data else self._find(stage, origin.data)
        if not files:
            raise NotRepeatableError("its log was not found where it was")
        reading = origin.reading or self.run.estimate.summary.processing.read
        key = f"{files} {reading}"
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
            self.fitted = self._written[key]
        return self._written[key]

    def _find(self, stage: Stage, given: Sequence[str]) -> list[Path]:
        """Files and folders that hold what the stage was made from; empty where one of it is gone, has changed, or was never named.

        The run may be anybody's: only files of the names and contents that it remembers are looked at, wherever it says that they are.
        """
        missing = {digest: name for name, digest in self.digests(stage).items()}
        files: list[Path] = []
        for place in (base / name for name in given for base in self._places):
            held = {file for file, digest in _digests(place, set(missing.values())) if missing.pop(digest, "")}
            if held:
                files += held if os.path.isfile(place / Stage.ESTIMATE.file) else [place]
        return [] if missing else files

    def digests(self, stage: Stage) -> Mapping[str, str]:
        """SHA-256 of the data of a stage by the names of their files."""
        provenance = getattr(self.run.result_of(stage), "provenance", None)
        return self.run.contents[stage].origin.files or getattr(provenance, "files", {})

    @property
    def _places(self) -> tuple[Path, ...]:
        """Where relative paths may begin."""
        run = self.run.folder.absolute()
        return Path.cwd(), run, run.parent


def _words(value: Any) -> list[str]:
    """The words in the value of an option, without its numbers."""
    if isinstance(value, Mapping):
        value = [part for item in cast("Mapping[str, Any]", value).items() for part in item]
    if isinstance(value, list):
        return [word for part in cast("list[Any]", value) for word in _words(part)]
    return [part for part in re.split("[=+(),:%]", value) if part] if isinstance(value, str) else []


def _digests(place: Path, names: set[str]) -> Iterator[tuple[Path, str]]:
    """SHA-256 of a file, or of the files in a folder, of these names."""
    files = [place] * (place.name in names) + [place / name for name in sorted(names) if name == os.path.basename(name)]
    return ((file, file_digest(file)) for file in files if os.path.isfile(file))  # False where the system can't be asked for such a name


def _registered_words() -> frozenset[str]:
    """Names of friction models, solvers and methods, and of their options."""
    variants: list[Any] = [*SOLVERS.values(), *SIGN_METHODS.values()]
    options = [item.name for variant in variants for item in declared_options(variant.options)]
    shapes = [shape.name for model in FRICTION_MODELS.values() for shape in model().shapes]
    return frozenset(("none", "default", "auto", *FRICTION_MODELS, *shapes, *SOLVERS, *METHODS, *SIGN_METHODS, *options))


_REGISTERED = _registered_words()
