"""The stages of a run folder in one table, and how a stage is written, read and found to be out of date.

A stage is one file, the record of its result, which is replaced at once: it is the old one or the new one, whenever a process ends. The
record names the digests of the stages that it was made from; where one of these has changed since, it is out of date. Beside it is
a JSON document for people and programs, which is made from the record, names its digest and is never read back.
"""

from __future__ import annotations

import contextlib
import platform
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from importlib import import_module, metadata
from pathlib import Path
from typing import Any, TypeAlias

from dynident.core.files import check_writable, json_text, make_parents, read_json, write_files
from dynident.core.records import OpenedFile, RecordFile, encode
from dynident.errors import FileError

ROBOT, STARTS = "robot.json", "starts"
#: Files of versions that were never released.
_OLDER = (".npz",)
_NUMERICS, _CONIC = ("dynident", "numpy", "scipy", "numba"), ("dynident", "numpy", "scipy", "clarabel")


@dataclass(frozen=True, kw_only=True)
class StageRow:
    """What is known about a stage.

    record : "module:class" of its result; document : "module:function" that makes its document of result and `Origin`, without what all
        documents have. Both are imported when they are needed.
    schema : kind and version of its document.
    command : that makes it; lacking : what its absence means; packages : that do the work.
    made_from : stages that it is made from; when one of these is made again, it is out of date.
    beside : stages whose digests it keeps, and which may change.
    given : fields of its result that are the results of other stages, by name.
    optional : few runs need the step, so that nobody is told to do it; several : whether it is called "them".
    """

    record: str
    document: str
    schema: str
    command: str
    lacking: str
    packages: tuple[str, ...] = _NUMERICS
    made_from: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    given: Mapping[str, str] = field(default_factory=dict[str, str])
    optional: bool = False
    several: bool = False


class Stage(Enum):
    """A step and what it leaves. To add one, add a row."""

    ESTIMATE = StageRow(
        record="dynident.regression.estimate:Estimate",
        document="dynident.runs.documents:estimate_document",
        schema="dynident/estimate/1",
        command="dynident identify ROBOT DATA -o RUN",
        lacking="so nothing has been identified in it",
    )
    SIGNS = StageRow(
        record="dynident.signs.result:SignRecovery",
        document="dynident.runs.documents:signs_document",
        schema="dynident/signs/1",
        command="dynident signs ROBOT DATA -o RUN",
        lacking="so no signs have been recovered in it",
        packages=_CONIC,
        made_from=("ESTIMATE",),
        given={"estimate": "ESTIMATE", "links": "PARAMETERS"},
        optional=True,
        several=True,
    )
    PARAMETERS = StageRow(
        record="dynident.feasibility.result:LinkParameters",
        document="dynident.runs.documents:parameters_document",
        schema="dynident/parameters/1",
        command="dynident retrieve RUN",
        lacking="so no link parameters have been retrieved in it",
        packages=_CONIC,
        made_from=("ESTIMATE",),
        several=True,
    )
    VALIDATION = StageRow(
        record="dynident.validation.result:Validation",
        document="dynident.runs.documents:validation_document",
        schema="dynident/validation/2",
        command="dynident validate RUN DATA",
        lacking="so nothing has been validated in it",
        made_from=("ESTIMATE",),
        beside=("PARAMETERS",),
    )
    SAMPLES = StageRow(
        record="dynident.feasibility.samples:PosteriorSamples",
        document="dynident.runs.documents:samples_document",
        schema="dynident/samples/1",
        command="dynident sample RUN",
        lacking="so no samples have been drawn in it",
        made_from=("ESTIMATE", "PARAMETERS"),
        several=True,
    )
    PAYLOAD = StageRow(
        record="dynident.payload.result:PayloadEstimate",
        document="dynident.runs.documents:payload_document",
        schema="dynident/payload/1",
        command="dynident payload RUN DATA",
        lacking="so no payload has been identified in it",
        packages=_CONIC,
        made_from=("ESTIMATE",),
        optional=True,
    )
    FRICTION = StageRow(
        record="dynident.regression.friction.refit:FrictionRefit",
        document="dynident.runs.documents:friction_document",
        schema="dynident/friction/1",
        command="dynident friction RUN DATA",
        lacking="so no friction has been fitted again in it",
        made_from=("ESTIMATE",),
        given={"estimate": "ESTIMATE"},
        optional=True,
    )
    MONITOR = StageRow(
        record="dynident.monitoring.contact_monitor:ContactMonitor",
        document="dynident.runs.documents:monitor_document",
        schema="dynident/monitor/1",
        command="dynident monitor RUN DATA",
        lacking="so no thresholds have been found in it",
        made_from=("ESTIMATE", "PARAMETERS"),
        optional=True,
    )

    @property
    def key(self) -> str:
        """Its name in files and messages."""
        return self.name.lower()

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
        return (self.document, self.file, *((ROBOT,) if self is Stage.ESTIMATE else ()))

    @property
    def kind(self) -> type:
        """The class of its result."""
        return _load(self.value.record)

    def make_document(self, result: Any, origin: Origin, folds: Any = None) -> dict[str, Any]:
        """What its document says, without the digests of files. folds : the cross-validation of an estimate."""
        known = replace(origin, versions=origin.versions or self.versions)
        content = _load(self.value.document)(result, known, **({"folds": folds} if self is Stage.ESTIMATE else {}))
        return {"schema": self.value.schema, **content}

    def command(self, folder: Path) -> str:
        return self.value.command.replace("RUN", str(folder))

    def remedy(self, folder: Path) -> str:
        return f"make {'them' if self.value.several else 'it'} with: {self.command(folder)}"

    @property
    def versions(self) -> dict[str, str]:
        """Of the programs that do the work of this stage."""
        return {"python": platform.python_version()} | {name: metadata.version(name) for name in self.value.packages}


def _load(name: str) -> Any:
    """What is called "module:name"."""
    module, _, attribute = name.partition(":")
    return getattr(import_module(module), attribute)


@dataclass(frozen=True, kw_only=True)
class Origin:
    """How a result was made, beside what it says itself.

    versions : of the programs; made_from : digest by stage; command : that was run.
    part : of the data, as fractions; links : the run folder that the links are from; files : SHA-256 of data files by name.
    held : the run whose gravity was held, and the digests of its stages.
    """

    versions: Mapping[str, str] = field(default_factory=dict[str, str])
    made_from: Mapping[str, str] = field(default_factory=dict[str, str])
    seed: int = 0
    command: str = ""
    part: tuple[float, float] | None = None
    links: str = ""
    files: Mapping[str, str] | None = None
    held: Mapping[str, str | None] | None = None

    @property
    def provenance(self) -> dict[str, Any]:
        """What is known of the command and the data, as standard JSON."""
        part, files = None if self.part is None else list(self.part), None if self.files is None else dict(self.files)
        known = {"command": self.command or None, "part": part, "links": self.links or None, "files": files}
        return {name: value for name, value in known.items() if value is not None}


@dataclass(frozen=True, kw_only=True, eq=False)
class StageContent:
    """A result as it is in a folder.

    Attributes
    ----------
    folds
        The cross-validation of its data, where it has one;.
    digest
        Of result and folds.
    shown
        What the document says, where the file keeps less than the whole result.
    made_from
        Names of the stages that it is made from, where these are not those of its row.
    """

    result: Any
    origin: Origin = Origin()
    folds: Any = None
    digest: str = ""
    shown: Any = None
    made_from: tuple[str, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class Absent:
    """Why a stage has no result that counts. reason : a sentence for a reader; error : what is raised where it is needed."""

    reason: str
    error: FileError


class RunFolder:
    """A folder whose stages are read once each: what is written after long work names the digests of what was read before it."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._opened: dict[Stage, OpenedFile | None] = {}
        self._found: dict[Stage, StageContent | Absent] = {}

    @staticmethod
    def of(folder: Folder) -> RunFolder:
        return folder if isinstance(folder, RunFolder) else RunFolder(folder)

    def digest(self, stage: Stage) -> str:
        """What tells one result of a stage from another; empty where there is none."""
        file = self.path / stage.file
        found = self._found.get(stage)
        if isinstance(found, StageContent):
            return found.digest
        if stage not in self._opened:
            self._opened[stage] = OpenedFile(file, remedy=stage.remedy(self.path), arrays=False) if file.is_file() else None
        opened = self._opened[stage]
        return "" if opened is None else opened.digest

    def find(self, stage: Stage) -> StageContent | Absent:
        """The result of a stage, or why there is none that counts; FileError where its file is damaged."""
        if stage not in self._found:
            self._found[stage] = self._find(stage)
        return self._found[stage]

    def read(self, stage: Stage) -> StageContent:
        """The result of a stage that is needed; FileError where there is none that counts."""
        found = self.find(stage)
        if isinstance(found, Absent):
            raise found.error
        return found

    def result_of(self, stage: Stage) -> Any:
        """The result of a stage; None where there is none that counts."""
        found = self.find(stage)
        return found.result if isinstance(found, StageContent) else None

    def forget(self, stages: Iterable[Stage]) -> None:
        """Read these again, which have been written."""
        for stage in stages:
            self._found.pop(stage, None)
            self._opened.pop(stage, None)

    def _find(self, stage: Stage) -> StageContent | Absent:
        absent = self._find_absent(stage)
        if absent is not None:
            return absent
        opened = OpenedFile(self.path / stage.file, remedy=stage.remedy(self.path))
        self._opened[stage] = opened
        made_from = _origin(opened).made_from
        for source in stage.value.made_from:
            digest = made_from.get(source.lower())
            if (digest is not None or source == Stage.ESTIMATE.name) and digest != self.digest(Stage[source]):
                return self._outdated(stage, Stage[source])
        return self._content(stage, opened)

    def find_any(self, stage: Stage) -> StageContent | None:
        """The result of a stage, be it out of date; None where there is none, or where it is damaged."""
        with contextlib.suppress(FileError):
            found = self.find(stage)
            if isinstance(found, StageContent):
                return found
            opened = self._opened.get(stage)
            return None if opened is None else self._content(stage, opened)
        return None

    def _content(self, stage: Stage, opened: OpenedFile) -> StageContent:
        given = {name: self.find(Stage[source]) for name, source in stage.value.given.items()}
        results = {name: found.result if isinstance(found, StageContent) else None for name, found in given.items()}
        content = opened.content(_types(stage), results)
        return StageContent(result=content["result"], origin=_origin(opened), folds=content.get("folds"), digest=opened.digest)

    def _find_absent(self, stage: Stage) -> Absent | None:
        run, not_done = self.path, "This step has not been done yet."
        if not run.is_dir():
            what = "is a file, not a run folder" if run.exists() else "no such run folder"
            return Absent(reason=not_done, error=FileError(run, what, remedy=Stage.ESTIMATE.remedy(run)))
        if (run / stage.file).is_file():
            return None
        older = next((stage.key + suffix for suffix in _OLDER if (run / (stage.key + suffix)).is_file()), None)
        if older is not None:
            error = FileError(run / older, "was made by an older dynident, and this one does not read it", remedy=stage.remedy(run))
            return Absent(reason="This step was done by an older dynident.", error=error)
        return Absent(reason=not_done, error=FileError(run, f"has no {stage.file}, {stage.value.lacking}", remedy=stage.remedy(run)))

    def _outdated(self, stage: Stage, source: Stage) -> Absent:
        links = source is Stage.PARAMETERS
        what = "other link parameters than those in the folder" if links else "another estimate than the one in the folder"
        error = FileError(self.path / stage.file, f"belongs to {what}", remedy=stage.remedy(self.path))
        since = "The link parameters have been retrieved" if links else "The robot has been identified"
        return Absent(reason=f"{since} again since this step was done.", error=error)


Folder: TypeAlias = str | Path | RunFolder


def _origin(opened: OpenedFile) -> Origin:
    return opened.about({"origin": Origin})["origin"]


def _types(stage: Stage) -> dict[str, Any]:
    """The declared types of what the file of a stage holds."""
    if stage is not Stage.ESTIMATE:
        return {"result": stage.kind}
    from dynident.validation.folds import CrossValidation

    return {"result": stage.kind, "folds": CrossValidation | None}


# ------------------------------------------------------------------------------------------------------------------------ writing


def write_stages(folder: Folder, contents: Mapping[Stage, StageContent]) -> dict[Stage, dict[str, Any]]:
    """Write results of several stages with their documents, which are returned as they were written; the folder is made if need be.

    All files are on the disk before the first is renamed to its name. The estimate's record comes last of the records: a process that
    ends in between leaves results that belong to another estimate than the one in the folder, and are out of date, never a wrong one.
    """
    run = RunFolder.of(folder)
    check_stages(run.path, *contents)
    records: dict[Path, bytes] = {}
    texts: dict[Path, str] = {}
    documents: dict[Stage, dict[str, Any]] = {}
    digests: dict[Stage, str] = {}
    for stage in sorted(contents, key=lambda stage: len(stage.value.made_from)):
        content = contents[stage]
        names = (*stage.value.made_from, *stage.value.beside) if content.made_from is None else content.made_from
        known = {source: digests[source] if source in contents else run.digest(source) for source in map(Stage.__getitem__, names)}
        sources = {source: digest for source, digest in known.items() if digest}
        made_from = {source.key: digest for source, digest in sources.items()}
        origin = replace(content.origin, versions=stage.versions, made_from=made_from)
        file = encode_stage(stage, content, origin)
        digests[stage] = file.digest
        records = {run.path / stage.file: file.to_bytes(), **records}
        document = stage.make_document(content.shown or content.result, origin, content.folds)
        listed = {source.file: digest for source, digest in sources.items()}
        documents[stage] = {**document, "files": {stage.file: file.digest}, "made_from": listed}
        texts[run.path / stage.document] = json_text(documents[stage])
        if stage is Stage.ESTIMATE:
            texts[run.path / ROBOT] = _robot_text(content.result)
    with make_parents(run.path):
        write_files({**records, **texts})
    run.forget(contents)
    return documents


def encode_stage(stage: Stage, content: StageContent, origin: Origin) -> RecordFile:
    """What the file of a stage holds."""
    return encode({name: getattr(content, name) for name in _types(stage)}, {"origin": origin})


def _robot_text(estimate: Any) -> str:
    from dynident.robots.serialize import robot_to_dict

    return json_text(robot_to_dict(estimate.base.robot))


# --------------------------------------------------------------------------------------------------------------- files of a folder


def check_stages(folder: str | Path, *stages: Stage) -> None:
    """To be asked before long work: FileError unless the stages can be written into the folder without replacing anything else."""
    run = Path(folder)
    check_writable(run, *(name for stage in stages for name in stage.files))
    for stage in stages:
        there = [name for name in stage.files if (run / name).exists()]
        if there and not _is_stage(run, stage):
            remedy = "name another folder for the run, or move the file away"
            raise FileError(run / there[0], f"is there already, and no {stage.key} of dynident; it is not replaced", remedy=remedy)


def _is_stage(run: Path, stage: Stage) -> bool:
    """Whether what a folder has of a stage was written by dynident, of whatever version; one of two files may be damaged."""
    with contextlib.suppress(FileError):
        kind = stage.value.schema.rpartition("/")[0]
        return str(read_json(run / stage.document).get("schema")).rpartition("/")[0] == kind
    with contextlib.suppress(FileError):
        OpenedFile(run / stage.file, remedy="", arrays=False)
        return True
    return False


def refuse_run_file(file: Path) -> None:
    """FileError where a file is one of a run folder's own, which only its step replaces."""
    if any(file.name in stage.files for stage in Stage) and (file.absolute().parent / Stage.ESTIMATE.file).is_file():
        raise FileError(file, "belongs to a run folder, whose steps write it; name another file")


def stale_documents(run: RunFolder, stages: Iterable[Stage]) -> Iterator[str]:
    """Names of the documents that were not made from the records beside them: a process ended in between, or somebody changed them."""
    for stage in stages:
        try:
            files = read_json(run.path / stage.document).get("files")
        except FileError:
            files = None
        if files != {stage.file: run.digest(stage)}:
            yield stage.document
