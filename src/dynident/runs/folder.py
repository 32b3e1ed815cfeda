"""A run folder: how its stages are written, read and found to be out of date.

A stage is one file, the record of its result, which is replaced at once: it is the old one or the new one, whenever a process ends. The
record names the digests of the stages that it was made from; where one of these has changed since, it is out of date. Beside it is
a JSON document for people and programs, which is made from the record, names its digest and is never read back.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from dynident.core.files import check_writable, file_digest, json_text, make_parents, read_json, write_files
from dynident.core.records import OpenedFile, encode
from dynident.errors import FileError
from dynident.regression.estimate import FOLDS_OF_FIT
from dynident.runs.stages import Stage, StageContent, StageOrigin

#: Why a stage that was never made is missing.
NOT_DONE = "This step has not been done yet."


class MissingStageError(FileError):
    """A stage has no result, or none that is up to date.

    Attributes
    ----------
    reason : str
        The same as a sentence for a reader of the run.
    """

    def __init__(self, place: Path, message: str, reason: str, remedy: str) -> None:
        super().__init__(place, message, remedy=remedy)
        self.reason = reason


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
        self._stages: dict[Stage, StageContent | MissingStageError] = {}

    @staticmethod
    def of(folder: Folder) -> RunFolder:
        return folder if isinstance(folder, RunFolder) else RunFolder(folder)

    def digest(self, stage: Stage) -> str:
        """The digest of the result of a stage; empty where there is none."""
        file = self.path / stage.file
        if stage not in self._opened:
            self._opened[stage] = OpenedFile(file, remedy=stage.remedy(self.path), arrays=False) if file.is_file() else None
        opened = self._opened[stage]
        return "" if opened is None else opened.digest

    def find(self, stage: Stage) -> StageContent | MissingStageError:
        """The result of a stage, or why there is none that is up to date; FileError where its file is damaged."""
        if stage not in self._stages:
            self._stages[stage] = self._find(stage)
        return self._stages[stage]

    def read(self, stage: Stage) -> StageContent:
        """The result of a stage that is needed; MissingStageError where there is none that is up to date."""
        content = self.find(stage)
        if isinstance(content, MissingStageError):
            raise content
        return content

    def result_of(self, stage: Stage) -> Any:
        """The result of a stage; None where there is none that is up to date."""
        content = self.find(stage)
        return content.result if isinstance(content, StageContent) else None

    def find_any(self, stage: Stage) -> StageContent | None:
        """The result of a stage, be it out of date; None where there is none, or where it is damaged."""
        with contextlib.suppress(FileError):
            content, opened = self.find(stage), self._opened.get(stage)
            if isinstance(content, StageContent):
                return content
            return None if opened is None else self._content(stage, opened)
        return None

    def forget(self, stages: Iterable[Stage]) -> None:
        """Read these again, which have been written."""
        for stage in stages:
            self._stages.pop(stage, None)
            self._opened.pop(stage, None)

    def _find(self, stage: Stage) -> StageContent | MissingStageError:
        run, older, remedy = self.path, self.path / f"{stage.key}.npz", stage.remedy(self.path)
        if not run.is_dir():
            what = "is a file, not a run folder" if run.exists() else "no such run folder"
            return MissingStageError(run, what, NOT_DONE, Stage.ESTIMATE.remedy(run))
        if not (run / stage.file).is_file():
            if older.is_file():  # of a version that was never released
                message = "was made by an older dynident, and this one does not read it"
                return MissingStageError(older, message, "This step was done by an older dynident.", remedy)
            return MissingStageError(run, f"has no {stage.file}", NOT_DONE, remedy)
        opened = self._opened[stage] = OpenedFile(run / stage.file, remedy=remedy)
        made_from = _origin(opened).made_from
        for source in map(Stage.__getitem__, stage.value.made_from):
            digest = made_from.get(source.key)
            if (digest is not None or source is Stage.ESTIMATE) and digest != self.digest(source):
                reason = f"This step was not done with {source.file} as it is now."
                return MissingStageError(run / stage.file, f"was not made from {source.file} as it is now", reason, remedy)
        return self._content(stage, opened)

    def _content(self, stage: Stage, opened: OpenedFile) -> StageContent:
        given = {name: self.result_of(Stage[source]) for name, source in stage.value.given.items()}
        content = StageContent(**opened.content(stage.types, given), origin=_origin(opened), digest=opened.digest)
        if content.folds is not None:
            content.result.memory[FOLDS_OF_FIT] = content.folds, ""
        return content


Folder: TypeAlias = str | Path | RunFolder


def _origin(opened: OpenedFile) -> StageOrigin:
    return opened.about({"origin": StageOrigin})["origin"]


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
        kept = replace(content, result=row.kept(content.result))
        file = encode({name: getattr(kept, name) for name in stage.types}, {"origin": origin})
        digests[stage] = file.digest
        records = {run.path / stage.file: file.to_bytes(), **records}
        document = stage.make_document(replace(content, origin=origin))
        listed = {source.file: digest for source, digest in sources.items()}
        documents[stage] = {**document, "files": {stage.file: file.digest}, "made_from": listed}
        texts[run.path / stage.document] = json_text(documents[stage])
        texts |= {run.path / name: json_text(describe(content.result)) for name, describe in row.written.items()}
    with make_parents(run.path):
        write_files({**records, **texts})
    run.forget(contents)
    return documents


# --------------------------------------------------------------------------------------------------------------- files of a folder


def check_stages(folder: str | Path, *stages: Stage) -> None:
    """Check, before long work, that stages can be written into a folder without replacing anything else.

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
