"""The work for one robot of a fleet: the steps of the pipeline in its run folder, each unless it has been done already with the same input.

A step is done where its file is there, is that of the stages before it, and keeps the digest of what the step would be done with now:
data, robot and options, by their content. What is done is then not done again, in whatever process that was, and a process that is killed
loses the step that it was at.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar, cast

from dynident.comparison import ComparedRun, observe
from dynident.core.files import file_digest, json_text, make_folder, read_json, write_atomically
from dynident.core.options import Options, declared_options, map_values, typed_words
from dynident.data import ControllerSamples, Dataset
from dynident.data.reading.reading import Reading
from dynident.doctor import diagnose
from dynident.doctor.document import DiagnosisDocument
from dynident.errors import DynidentError, FileError, InputError
from dynident.pipeline.options import IdentifyChoice, RetrieveChoice
from dynident.pipeline.reading import read_log_and_samples
from dynident.pipeline.steps import identify_run, retrieve_run, validate_run
from dynident.regression.options import DataPart, TrainingPart
from dynident.regression.prepare import order_joints
from dynident.robots import Robot
from dynident.robots.mounting import Mounting
from dynident.robots.serialize import robot_to_dict
from dynident.runs import RunFolder, Stage, StageContent, load_run
from dynident.runs.folder import stale_documents

DIAGNOSIS = "diagnosis.json"
DataT = TypeVar("DataT", Dataset, ControllerSamples)


@dataclass(frozen=True, kw_only=True)
class FleetOptions:
    """What holds for all robots of a fleet.

    Attributes
    ----------
    training : TrainingPart
        Part of each log to identify from; what follows it validates.
    reading : Reading
        How the logs are read.
    mounting : Mounting
        How the robot was read, for the commands that a run remembers.
    identify : IdentifyChoice
        Options of the identification.
    retrieve : RetrieveChoice
        Options of the retrieval.
    say
        The sentence of an error, in the words of the interface; workers call it, so that it is a function of a module.
    """

    training: TrainingPart = field(default_factory=lambda: TrainingPart(train=(0.0, 0.7)))
    reading: Reading = field(default_factory=Reading)
    mounting: Mounting = field(default_factory=Mounting)
    identify: IdentifyChoice = field(default_factory=IdentifyChoice)
    retrieve: RetrieveChoice = field(default_factory=RetrieveChoice)
    say: Callable[[BaseException], str] = str

    @property
    def held_out(self) -> tuple[float, float] | None:
        """Part of each log to validate with; None where all of it is fitted."""
        stop = self.training.train[1]
        return None if stop == 1.0 else (stop, 1.0)


@dataclass(frozen=True, kw_only=True)
class RobotWork:
    """What is done for one robot.

    name : of the robot; data : its log, or the folder of its logs; folder : of its run; steps : names of those that are done, in order.
    description : of the robot, as it was given.
    """

    name: str
    folder: Path
    data: Path
    robot: Robot
    description: str
    options: FleetOptions
    steps: tuple[str, ...] = ("doctor", "identify", "retrieve", "validate")

    def command(self, stage: Stage) -> str:
        """What a user would type to do the step of a stage."""
        options = self.options
        chosen: Mapping[Stage, tuple[Options, ...]] = {
            Stage.ESTIMATE: (options.training, options.reading, options.mounting, options.identify),
            Stage.PARAMETERS: (options.retrieve,),
            Stage.VALIDATION: (DataPart(part=options.held_out or (0.0, 1.0)), Reading(without=options.reading.without)),
        }
        places = {"ROBOT": self.description, "DATA": str(self.data), "RUN": str(self.folder)}
        return shlex.join([*(places.get(word, word) for word in stage.value.command.split()), *typed_words(*chosen[stage])])


@dataclass(frozen=True, kw_only=True)
class RobotOutcome:
    """What became of a robot.

    done : names of the steps whose files count, those of an earlier time included; repeated : those that were done now.
    failures : sentence by step.
    run : what a comparison needs; None where nothing was identified.
    """

    name: str
    done: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()
    failures: Mapping[str, str] = field(default_factory=dict[str, str])
    run: ComparedRun | None = None


def work_on(work: RobotWork) -> RobotOutcome:
    """Do all steps that are not done. One that fails is listed with its sentence, and those that need it are not tried."""
    from threadpoolctl import threadpool_limits

    robot, failures, done, repeated = _RobotAtWork(work), dict[str, str](), list[str](), list[str]()
    with threadpool_limits(limits=1):  # as in the workers of a cluster, so that the rounding is the same everywhere
        for step in work.steps:
            try:
                if not robot.has_done(step):
                    STEPS[step].do(robot, robot.inputs(step))
                    repeated.append(step)
                done.append(step)
            except Exception as error:  # noqa: BLE001 (one robot's mishap, of whatever kind, is not that of the others)
                failures[step] = work.options.say(error)
                if STEPS[step].needed:
                    break
    observed = robot.observe() if "identify" in done else None
    return RobotOutcome(name=work.name, done=tuple(done), repeated=tuple(repeated), failures=failures, run=observed)


def is_done(work: RobotWork) -> bool:
    """Whether nothing of it would be done again; not so where its data can't be read, which `work_on` says."""
    robot = _RobotAtWork(work)
    try:
        return all(robot.has_done(step) for step in work.steps)
    except (DynidentError, OSError):
        return False


class _RobotAtWork:
    """A robot with its run folder. Its log is read once, and only where a step needs it."""

    def __init__(self, work: RobotWork) -> None:
        self.work, self.options, self.run = work, work.options, RunFolder(work.folder)

    def has_done(self, step: str) -> bool:
        """Whether what the step left counts, and was made with the same inputs."""
        stage = STEPS[step].stage
        if stage is None:
            return _diagnosed_inputs(self.work.folder) == self.inputs(step)
        try:
            content = self.run.find(stage)
        except FileError:  # damaged
            return False
        if not isinstance(content, StageContent) or content.origin.inputs != self.inputs(step):
            return False
        beside = {source: content.origin.made_from.get(source.key, "") for source in map(Stage.__getitem__, stage.value.beside)}
        if any(digest != self.run.digest(source) for source, digest in beside.items()):
            return False
        return all((self.work.folder / name).is_file() for name in stage.files) and not any(stale_documents(self.run, (stage,)))

    def inputs(self, step: str) -> str:
        """The digest of what the step depends on beside the stages before it. Where data and run folder lie does not matter."""
        options = STEPS[step].options(self.options)
        values = [map_values(getattr(each, item.name), _content) for each in options for item in declared_options(type(each))]
        return hashlib.sha256(json.dumps([version("dynident"), self.data_and_robot, values]).encode()).hexdigest()

    @cached_property
    def data_and_robot(self) -> str:
        """The digest of the data, of folders and of the YAML beside a file, and of the robot."""
        digest = hashlib.sha256(json_text(robot_to_dict(self.work.robot)).encode())
        path = self.work.data
        files = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path, path.with_name(f"{path.name}.yaml")]
        for file in files:
            if file.is_file():
                digest.update(os.fsencode(f"{file.name}\0{file_digest(file)}\0"))
        return digest.hexdigest()

    @cached_property
    def recorded(self) -> tuple[Dataset | None, ControllerSamples | None]:
        """All that was recorded, as it is in the files."""
        return read_log_and_samples([self.work.data], self.work.robot, self.options.reading, ordered=False)

    def log(self, part: tuple[float, float], *, ordered: bool = True) -> Dataset | None:
        """A part of the log, None where there are controller's samples alone."""
        return _part(self.work.robot, self.recorded[0], part, ordered=ordered)

    def provenance(self, step: str, inputs: str) -> dict[str, Any]:
        """What the stage of a step remembers of how it was made."""
        stage = STEPS[step].stage
        return {"inputs": inputs} | ({} if stage is None else {"command": self.work.command(stage)})

    def observe(self) -> ComparedRun | None:
        """What a comparison needs of the run; None where that can't be read."""
        try:
            return observe(load_run(self.run), self.work.name)
        except DynidentError:
            return None


def _part(robot: Robot, data: DataT | None, part: tuple[float, float], *, ordered: bool = True) -> DataT | None:
    if data is None:
        return None
    data = cast("DataT", order_joints(robot, data)) if ordered else data
    return data if part == (0.0, 1.0) else cast("DataT", data.part(*part))


# ----------------------------------------------------------------------------------------------------------------------------- steps


def _diagnose(robot: _RobotAtWork, inputs: str) -> None:
    log = robot.log(robot.options.training.train, ordered=False)
    if log is None:
        raise InputError("the data are samples of a controller's M and g; the doctor looks at logs")
    diagnosis = diagnose(robot.work.robot, log)
    make_folder(robot.work.folder)
    document = DiagnosisDocument.of(diagnosis, written=None, made_from={"inputs": inputs})
    write_atomically(robot.work.folder / DIAGNOSIS, json_text(document))


def _identify(robot: _RobotAtWork, inputs: str) -> None:
    work, options = robot.work, robot.options
    log, samples = robot.log(options.training.train), robot.recorded[1]
    samples = _part(work.robot, samples, options.training.train if log is None else (0.0, 1.0))
    provenance = robot.provenance("identify", inputs)
    identify_run(robot.run, work.robot, log, samples, options.identify, options.reading, provenance=provenance)


def _retrieve(robot: _RobotAtWork, inputs: str) -> None:
    retrieve_run(robot.run, robot.options.retrieve, provenance=robot.provenance("retrieve", inputs))


def _validate(robot: _RobotAtWork, inputs: str) -> None:
    """Of a controller's samples nothing is kept."""
    part = robot.options.held_out
    log = None if part is None else robot.log(part)
    if log is not None:
        validate_run(robot.run, log, provenance=robot.provenance("validate", inputs) | {"part": part})


def _of_data(options: FleetOptions) -> tuple[Options, ...]:
    return options.training, options.reading


@dataclass(frozen=True, kw_only=True)
class Step:
    """A step of a robot.

    do : with the digest of its inputs; options : those that its result depends on; stage : what it leaves, None for the doctor's diagnosis.
    needed : whether the steps after it can't be done without it.
    """

    do: Callable[[_RobotAtWork, str], None]
    options: Callable[[FleetOptions], tuple[Options, ...]] = _of_data
    stage: Stage | None = None
    needed: bool = True


#: By the names of their commands, in order.
STEPS: Mapping[str, Step] = {
    "doctor": Step(do=_diagnose, needed=False),
    "identify": Step(do=_identify, stage=Stage.ESTIMATE, options=lambda options: (*_of_data(options), options.identify)),
    "retrieve": Step(do=_retrieve, stage=Stage.PARAMETERS, options=lambda options: (options.retrieve,)),
    "validate": Step(do=_validate, stage=Stage.VALIDATION),
}


def _diagnosed_inputs(folder: Path) -> str:
    """The digest of the inputs that the diagnosis in a folder was made from; empty where there is none."""
    try:
        return str(read_json(folder / DIAGNOSIS).get("made_from", {}).get("inputs", ""))
    except (FileError, AttributeError):
        return ""


def _content(value: Any) -> Any:
    """A value of an option for a digest: the content of a file or a run folder in place of its name."""
    if isinstance(value, str | Path) and os.path.isfile(value):
        return file_digest(value)
    if isinstance(value, Path) and value.is_dir():
        return [RunFolder(value).digest(stage) for stage in (Stage.ESTIMATE, Stage.PARAMETERS)]
    return value if value is None or isinstance(value, bool | int | float) else str(value)
