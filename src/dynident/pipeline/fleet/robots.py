"""The work for one robot of a fleet: the steps of the pipeline in its run folder, each unless it has been done already with the same input.

A step is done where its file is there, is that of the stages before it, and keeps the digest of what the step would be done with now:
data, robot and options, by their content. What is done is then not done again, in whatever process that was, and a process that is killed
loses the step that it was at.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

from dynident.core.files import file_digest, json_text, make_folder, read_json, write_atomically
from dynident.core.options import Options, declared_options, map_values
from dynident.data import ControllerSamples, Dataset
from dynident.data.reading.reading import Reading
from dynident.diagnosis import doctor
from dynident.diagnosis.document import DiagnosisDocument
from dynident.errors import DynidentError, FileError, InputError
from dynident.pipeline.options import IdentifyChoice, RetrieveChoice, ValidateChoice, command_of
from dynident.pipeline.reading import read_log_and_samples, take_part
from dynident.pipeline.steps import identify_step, retrieve_step, validate_step
from dynident.regression.options import TrainingPart
from dynident.robots import Robot
from dynident.robots.mounting import Mounting
from dynident.robots.serialize import robot_to_dict
from dynident.runs import RunFolder, Stage, StageContent, load_run, read_estimate, read_parameters
from dynident.runs.comparison import ComparedRun, observe
from dynident.runs.folder import stale_documents
from dynident.runs.stages import StageOrigin

DIAGNOSIS = "diagnosis.json"


@dataclass(frozen=True, kw_only=True)
class FleetOptions:
    """What holds for all robots of a fleet.

    Attributes
    ----------
    reading : Reading
        How the logs are read.
    mounting : Mounting
        How the robot was read, for the commands that a run remembers.
    identify : IdentifyChoice
        Options of the identification, the part of each log that is fitted among them; what follows it validates.
    retrieve : RetrieveChoice
        Options of the retrieval.
    say
        The sentence of an error, in the words of the interface; workers call it, so that it is a function of a module.
    """

    reading: Reading = field(default_factory=Reading)
    mounting: Mounting = field(default_factory=Mounting)
    identify: IdentifyChoice = field(default_factory=lambda: IdentifyChoice(train=(0.0, 0.7)))
    retrieve: RetrieveChoice = field(default_factory=RetrieveChoice)
    say: Callable[[BaseException], str] = str

    @property
    def held_out(self) -> tuple[float, float] | None:
        """Part of each log to validate with; None where all of it is fitted."""
        stop = self.identify.train[1]
        return None if stop == 1.0 else (stop, 1.0)

    @property
    def validate(self) -> ValidateChoice:
        """Options of the validation."""
        return ValidateChoice(part=self.held_out or (0.0, 1.0))


@dataclass(frozen=True, kw_only=True)
class RobotWork:
    """What is done for one robot, in its run folder. Its log is read once, and only where a step needs it.

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

    @cached_property
    def run(self) -> RunFolder:
        return RunFolder(self.folder)

    def origin(self, step: str) -> StageOrigin:
        """What the run remembers of a step, with the command that a user would type for it."""
        data = () if step == "retrieve" else (str(self.data),)
        command = command_of(step, *STEPS[step].options(self.options), data=data, robot=self.description, run=self.folder)
        return StageOrigin(command=command, data=data, reading=self.options.reading, inputs=self.inputs(step))

    def has_done(self, step: str) -> bool:
        """Whether what the step left counts, and was made with the same inputs."""
        stage = STEPS[step].stage
        if stage is None:
            return _diagnosed_inputs(self.folder) == self.inputs(step)
        try:
            content = self.run.find(stage)
        except FileError:  # damaged
            return False
        if not isinstance(content, StageContent) or content.origin.inputs != self.inputs(step):
            return False
        beside = {source: content.origin.made_from.get(source.key, "") for source in map(Stage.__getitem__, stage.value.beside)}
        if any(digest != self.run.digest(source) for source, digest in beside.items()):
            return False
        return all((self.folder / name).is_file() for name in stage.files) and not any(stale_documents(self.run, (stage,)))

    def inputs(self, step: str) -> str:
        """The digest of what the step depends on beside the stages before it. Where data and run folder lie does not matter."""
        options = STEPS[step].options(self.options)
        values = [map_values(getattr(each, item.name), _content) for each in options for item in declared_options(type(each))]
        return hashlib.sha256(json.dumps([version("dynident"), self.data_and_robot, values]).encode()).hexdigest()

    @cached_property
    def data_and_robot(self) -> str:
        """The digest of the data, of folders and of the YAML beside a file, and of the robot."""
        digest = hashlib.sha256(json_text(robot_to_dict(self.robot)).encode())
        path = self.data
        files = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path, path.with_name(f"{path.name}.yaml")]
        for file in files:
            if file.is_file():
                digest.update(os.fsencode(f"{file.name}\0{file_digest(file)}\0"))
        return digest.hexdigest()

    @cached_property
    def recorded(self) -> tuple[Dataset | None, ControllerSamples | None]:
        """All that was recorded, as it is in the files."""
        return read_log_and_samples([self.data], self.robot, self.options.reading, ordered=False)

    def observe(self) -> ComparedRun | None:
        """What a comparison needs of the run; None where that can't be read."""
        try:
            return observe(load_run(self.run), self.name)
        except DynidentError:
            return None


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

    work = replace(work)  # what is read is let go of with it
    failures, done, repeated = dict[str, str](), list[str](), list[str]()
    with threadpool_limits(limits=1):  # as in the workers of a cluster, so that the rounding is the same everywhere
        for step in work.steps:
            try:
                if not work.has_done(step):
                    STEPS[step].do(work)
                    repeated.append(step)
                done.append(step)
            except Exception as error:  # noqa: BLE001 (one robot's mishap, of whatever kind, is not that of the others)
                failures[step] = work.options.say(error)
                if STEPS[step].needed:
                    break
    observed = work.observe() if "identify" in done else None
    return RobotOutcome(name=work.name, done=tuple(done), repeated=tuple(repeated), failures=failures, run=observed)


def is_done(work: RobotWork) -> bool:
    """Whether nothing of it would be done again; not so where its data can't be read, which `work_on` says."""
    work = replace(work)
    try:
        return all(work.has_done(step) for step in work.steps)
    except (DynidentError, OSError):
        return False


# ----------------------------------------------------------------------------------------------------------------------------- steps


def _diagnose(work: RobotWork) -> None:
    log, _ = take_part(work.robot, *work.recorded, work.options.identify.train, ordered=False)
    if log is None:
        raise InputError("the data are samples of a controller's M and g; the doctor looks at logs")
    document = DiagnosisDocument.of(doctor(work.robot, log), written=None, made_from={"inputs": work.inputs("doctor")})
    make_folder(work.folder)
    write_atomically(work.folder / DIAGNOSIS, json_text(document))


def _identify(work: RobotWork) -> None:
    choice = work.options.identify
    log, samples = take_part(work.robot, *work.recorded, choice.train)
    identify_step(work.run, work.robot, log, samples, choice, work.origin("identify"))


def _retrieve(work: RobotWork) -> None:
    retrieve_step(work.run, read_estimate(work.run), work.options.retrieve, work.origin("retrieve"))


def _validate(work: RobotWork) -> None:
    """Of a controller's samples nothing is kept."""
    part = work.options.held_out
    log = None if part is None else take_part(work.robot, *work.recorded, part)[0]
    if log is not None:
        links = read_parameters(work.run)
        validate_step(work.run, read_estimate(work.run), links, log, work.options.validate, work.origin("validate"))


@dataclass(frozen=True, kw_only=True)
class FleetStep:
    """A step of a robot.

    options : those of its command, which its result depends on, as on the stages before it.
    stage : what it leaves, None for the doctor's diagnosis.
    needed : whether the steps after it can't be done without it.
    """

    do: Callable[[RobotWork], None]
    options: Callable[[FleetOptions], tuple[Options, ...]]
    stage: Stage | None = None
    needed: bool = True


#: By the names of their commands, in order.
STEPS: Mapping[str, FleetStep] = {
    "doctor": FleetStep(do=_diagnose, options=lambda of: (of.reading, TrainingPart(train=of.identify.train)), needed=False),
    "identify": FleetStep(do=_identify, options=lambda of: (of.reading, of.mounting, of.identify), stage=Stage.ESTIMATE),
    "retrieve": FleetStep(do=_retrieve, options=lambda of: (of.retrieve,), stage=Stage.PARAMETERS),
    "validate": FleetStep(do=_validate, options=lambda of: (Reading(without=of.reading.without), of.validate), stage=Stage.VALIDATION),
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
