"""The stages of a run in one table. All that the program does with a stage follows from its row."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from importlib import import_module, metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dynident.core.documents import to_json
from dynident.core.options import Options, changes
from dynident.data.reading.reading import Reading
from dynident.errors import InputError

if TYPE_CHECKING:
    from dynident.runs.documents.stage import StageDocument

ROBOT, STARTS = "robot.json", "starts"
#: Samples per joint that a validation keeps for the report's pictures.
MOST_SAMPLES = 4000
_NUMERICS, _CONIC = ("dynident", "numpy", "scipy", "numba"), ("dynident", "numpy", "scipy", "clarabel")


@dataclass(frozen=True, kw_only=True)
class StageRow:
    """What is known about a stage.

    record, document : "module:class" of its result, and of its document, whose `of` makes it of result and `StageOrigin`. Both are imported
        when they are needed.
    command : that makes it, with the words ROBOT, RUN, SOURCE (another run) and DATA for its inputs; packages : that do the work.
    made_from : stages that it is made from; when one of these is made again, it is out of date.
    sources : the names in `made_from` that one result is made from, where not all results are made from all of them.
    beside : stages whose digests it keeps, and which may change.
    extras : "module:class" of further records in its file, by name; None where a result has none.
    written : what further files hold that are written with it, by name.
    kept : the part of a result that its file keeps, where that is less than the document has.
    given : fields of its result that are the results of other stages, by name.
    optional : few runs need the step, so that no message suggests it.
    """

    record: str
    document: str
    command: str
    packages: tuple[str, ...] = _NUMERICS
    made_from: tuple[str, ...] = ()
    sources: Callable[[Any], tuple[str, ...]] | None = None
    beside: tuple[str, ...] = ()
    extras: Mapping[str, str] = field(default_factory=dict[str, str])
    written: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict[str, "Callable[[Any], Any]"])
    kept: Callable[[Any], Any] = lambda result: result
    given: Mapping[str, str] = field(default_factory=dict[str, str])
    optional: bool = False


def _storable_links(links: Any) -> Any:
    """Without the problem where it has conditions that are functions, or ranges by another objective."""
    problem = links.problem
    kept = problem is None or not (problem.terms.nonconvex or problem.terms.alternatives or problem.ranges_by)
    return links if kept else replace(links, problem=None)


def _thin_series(validation: Any) -> Any:
    return replace(validation, series=tuple(item.thin(MOST_SAMPLES) for item in validation.series))


def _describe_robot(estimate: Any) -> Any:
    from dynident.robots.serialize import robot_to_dict

    return robot_to_dict(estimate.base.robot)


def _monitored_stages(monitor: Any) -> tuple[str, ...]:
    from dynident.validation.monitoring.watched_model import COEFFICIENTS

    return ("ESTIMATE",) if monitor.model.name == COEFFICIENTS else ("ESTIMATE", "PARAMETERS")


class Stage(Enum):
    """A step and what it leaves. To add one, add a row, below those of the stages that it is made from."""

    ESTIMATE = StageRow(
        record="dynident.regression.estimate:Estimate",
        document="dynident.runs.documents.estimate:EstimateDocument",
        command="dynident identify ROBOT DATA -o RUN",
        extras={"folds": "dynident.validation.folds:CrossValidation"},
        written={ROBOT: _describe_robot},
    )
    SIGNS = StageRow(
        record="dynident.routes.signs.result:SignRecovery",
        document="dynident.runs.documents.signs:SignsDocument",
        command="dynident signs ROBOT DATA -o RUN",
        packages=_CONIC,
        made_from=("ESTIMATE",),
        given={"estimate": "ESTIMATE", "links": "PARAMETERS"},
        optional=True,
    )
    PARAMETERS = StageRow(
        record="dynident.links.result:LinkParameters",
        document="dynident.runs.documents.parameters:ParametersDocument",
        command="dynident retrieve RUN",
        packages=_CONIC,
        made_from=("ESTIMATE",),
        kept=_storable_links,
    )
    VALIDATION = StageRow(
        record="dynident.validation.result:Validation",
        document="dynident.runs.documents.validation:ValidationDocument",
        command="dynident validate RUN DATA",
        made_from=("ESTIMATE",),
        beside=("PARAMETERS",),
        kept=_thin_series,
    )
    SAMPLES = StageRow(
        record="dynident.links.samples:PosteriorSamples",
        document="dynident.runs.documents.parameters:SamplesDocument",
        command="dynident sample RUN",
        made_from=("ESTIMATE", "PARAMETERS"),
    )
    PAYLOAD = StageRow(
        record="dynident.routes.payload.result:PayloadEstimate",
        document="dynident.runs.documents.payload:PayloadDocument",
        command="dynident payload RUN DATA",
        packages=_CONIC,
        made_from=("ESTIMATE",),
        optional=True,
    )
    FRICTION = StageRow(
        record="dynident.regression.friction.refit:FrictionRefit",
        document="dynident.runs.documents.friction:FrictionDocument",
        command="dynident friction SOURCE DATA -o RUN",
        made_from=("ESTIMATE",),
        given={"estimate": "ESTIMATE"},
        optional=True,
    )
    MONITOR = StageRow(
        record="dynident.validation.monitoring.contact_monitor:ContactMonitor",
        document="dynident.runs.documents.monitor:MonitorDocument",
        command="dynident monitor RUN DATA --free DATA",
        made_from=("ESTIMATE", "PARAMETERS"),
        sources=_monitored_stages,
        optional=True,
    )

    @property
    def key(self) -> str:
        """Its name in files and messages."""
        return self.name.lower()

    @property
    def verb(self) -> str:
        """Name of the command that makes it, and of that step."""
        return self.value.command.split()[1]

    @property
    def file(self) -> str:
        """The record."""
        return f"{self.key}.safetensors"

    @property
    def document(self) -> str:
        """For people."""
        return f"{self.key}.json"

    @property
    def files(self) -> tuple[str, ...]:
        """All that the stage may leave in a folder."""
        return (self.document, self.file, *self.value.written)

    @property
    def kind(self) -> type:
        """The class of its result."""
        return _load(self.value.record)

    @property
    def types(self) -> dict[str, Any]:
        """The declared types of what its file holds, by name."""
        return {"result": self.kind, **{name: _load(place) | None for name, place in self.value.extras.items()}}

    @staticmethod
    def of(kind: type) -> Stage:
        """The stage whose results are of a class; InputError where there is none."""
        stage = next((stage for stage in Stage if stage.value.record.endswith(f":{kind.__name__}") and stage.kind is kind), None)
        if stage is None:
            known = ", ".join(stage.value.record.partition(":")[2] for stage in Stage)
            raise InputError(f"no stage of a run has a {kind.__name__} as its result; the results are: {known}")
        return stage

    @property
    def document_kind(self) -> type[StageDocument]:
        """The class of its document."""
        return _load(self.value.document)

    def make_document(self, content: StageContent) -> dict[str, Any]:
        """The content of its document, without the digests of files."""
        origin = replace(content.origin, versions=content.origin.versions or self.versions)
        return to_json(self.document_kind.of(replace(content, origin=origin)))

    def command(self, folder: Path) -> str:
        return self.value.command.replace("RUN", str(folder))

    def remedy(self, folder: Path) -> str:
        return f"make it with: {self.command(folder)}"

    @property
    def versions(self) -> dict[str, str]:
        """Of the programs that do the work of this stage."""
        return {"python": platform.python_version()} | {name: metadata.version(name) for name in self.value.packages}


def _load(name: str) -> Any:
    """What is called "module:name"."""
    module, _, attribute = name.partition(":")
    return getattr(import_module(module), attribute)


@dataclass(frozen=True, kw_only=True)
class StageOrigin:
    """How a result was made, beside what the result itself has.

    versions : of the programs; made_from : digest by stage; command : that was run.
    part : of the data, as fractions; links : the run folder that the links are from; files : SHA-256 of data files by name.
    held : the run whose gravity was held, and the digests of its stages.
    inputs : SHA-256 of the data, the robot and the options, by which a fleet knows that the step need not be done again.
    step, options : name of the step of the pipeline that made it, and its options by name as far as they differ from the defaults; empty
        for results that were saved from Python. data : its files and folders as they were given; reading : how they were read.
    """

    versions: Mapping[str, str] = field(default_factory=dict[str, str])
    made_from: Mapping[str, str] = field(default_factory=dict[str, str])
    seed: int = 0
    command: str = ""
    part: tuple[float, float] | None = None
    links: str = ""
    files: Mapping[str, str] | None = None
    held: Mapping[str, str | None] | None = None
    inputs: str = ""
    step: str = ""
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    data: tuple[str, ...] = ()
    reading: Reading | None = None

    def of_step(self, step: str, choice: Options | None, **known: Any) -> StageOrigin:
        """With the step and its options; without where these don't say all that it was made with. known : of the other fields."""
        made: dict[str, Any] = {} if choice is None else {"step": step, "options": changes(choice)}
        return replace(self, **made, **known)


@dataclass(frozen=True, kw_only=True, eq=False)
class StageContent:
    """A result with how it was made.

    Attributes
    ----------
    result : Any
        Of the stage.
    origin : StageOrigin
        How it was made.
    folds : Any
        The cross-validation of its data, where it has one.
    digest : str
        Of both in a file.
    """

    result: Any
    origin: StageOrigin = StageOrigin()
    folds: Any = None
    digest: str = ""
