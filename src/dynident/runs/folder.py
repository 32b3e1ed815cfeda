"""A run folder: how its stages are written, read and found to be out of date.

A stage is one file, the record of its result, which is replaced at once: it is the old one or the new one, whenever a process ends. The
record names the digests of the stages that it was made from; where one of these has changed since, it is out of date. Beside it is
a JSON document for people and programs, which is made from the record, names its digest and is never read back.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from dynident.core.files import check_writable, file_digest, json_text, make_parents, read_json, write_files
from dynident.core.records import OpenedFile, RecordFile, encode
from dynident.errors import FileError
from dynident.runs.stages import ROBOT, Origin, Stage, StageContent


@dataclass(frozen=True, kw_only=True)
class Absent:
    """Why a stage has no result that counts.

    Attributes
    ----------
    reason : str
        A sentence for a reader.
    error : FileError
        What is raised where the result is needed.
    """

    reason: str
    error: FileError


class RunFolder:
    """A folder whose stages are read once each: what is written after long work names the digests of what was read before it.

    Parameters
    ----------
    path
        The folder.
    """

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
        older = run / f"{stage.key}.npz"  # of a version that was never released
        if older.is_file():
            error = FileError(older, "was made by an older dynident, and this one does not read it", remedy=stage.remedy(run))
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
    for stage in (stage for stage in Stage if stage in contents):  # each after those that it is made from
        content = contents[stage]
        row = stage.value
        names = (*(row.made_from if row.sources is None else row.sources(content.result)), *row.beside)
        known = {source: digests[source] if source in contents else run.digest(source) for source in map(Stage.__getitem__, names)}
        sources = {source: digest for source, digest in known.items() if digest}
        made_from = {source.key: digest for source, digest in sources.items()}
        origin = replace(content.origin, versions=stage.versions, made_from=made_from)
        file = encode_stage(stage, content, origin)
        digests[stage] = file.digest
        records = {run.path / stage.file: file.to_bytes(), **records}
        document = stage.make_document(content.result, origin, content.folds)
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
    kept = replace(content, result=stage.value.kept(content.result))
    return encode({name: getattr(kept, name) for name in _types(stage)}, {"origin": origin})


def _robot_text(estimate: Any) -> str:
    from dynident.robots.serialize import robot_to_dict

    return json_text(robot_to_dict(estimate.base.robot))


# --------------------------------------------------------------------------------------------------------------- files of a folder


def check_stages(folder: str | Path, *stages: Stage) -> None:
    """To be asked before long work: whether stages can be written into a folder without replacing anything else.

    Parameters
    ----------
    folder
        The run folder.
    stages
        Those that are going to be written.

    Raises
    ------
    FileError
        Where they cannot.
    """
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
        return str(read_json(run / stage.document).get("schema")).rpartition("/")[0] == f"dynident/{stage.key}"
    with contextlib.suppress(FileError):
        OpenedFile(run / stage.file, remedy="", arrays=False)
        return True
    return False


def refuse_run_file(file: Path) -> None:
    """FileError where a file is one of a run folder's own, which only its step replaces."""
    if any(file.name in stage.files for stage in Stage) and (file.absolute().parent / Stage.ESTIMATE.file).is_file():
        raise FileError(file, "belongs to a run folder, whose steps write it; name another file")


def refuse_source(run: Folder, file: Path) -> None:
    """FileError where a file that is to be written is one that the run was made from.

    That is a log, which is known by its content wherever it lies, the YAML beside one, and the description of the robot.
    """
    folder = RunFolder.of(run)
    if not file.is_file():
        return
    estimate = folder.find_any(Stage.ESTIMATE)
    logs, robot = dict(_logs(folder)), "" if estimate is None else estimate.result.base.robot.source
    described = os.path.isfile(robot) and file.samefile(robot)
    if described or file.name in {f"{Path(name).name}.yaml" for name in logs} or (logs and file_digest(file) in logs.values()):
        raise FileError(file, f"is what the run {folder.path} was made from, and is not replaced; name another file")


def _logs(run: RunFolder) -> Iterator[tuple[str, str]]:
    """Name and SHA-256 of the data of all stages."""
    for stage in Stage:
        content = run.find_any(stage)
        if content is not None:
            provenance = getattr(content.result, "provenance", None)
            yield from (provenance.files if provenance is not None else {}).items()
            yield from (content.origin.files or {}).items()


def stale_documents(run: RunFolder, stages: Iterable[Stage]) -> Iterator[str]:
    """Names of the documents that were not made from the records beside them: a process ended in between, or somebody changed them."""
    for stage in stages:
        try:
            files = read_json(run.path / stage.document).get("files")
        except FileError:
            files = None
        if files != {stage.file: run.digest(stage)}:
            yield stage.document
