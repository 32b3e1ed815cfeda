"""The stages of a run folder in one table: their files and schemas, the digests that tie files to each other, and what is stale.

A stage is a JSON document for people and an archive with every digit, written together. The document names the SHA-256 of what was
written with it, and of what it was made from: nothing half, mixed or old is taken for a result.
"""

from __future__ import annotations

import contextlib
import hashlib
import platform
import tempfile
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from enum import Enum
from importlib import metadata
from pathlib import Path
from typing import Any, TypeVar, cast

from dynident.core.archives import Arrays, unpack
from dynident.core.files import check_writable, clear_errors, file_digest, json_text, read_json
from dynident.core.together import wait_for_writer, write_together
from dynident.errors import FileError
from dynident.runs.declared import Document, is_declared, read_archive

_T = TypeVar("_T")
_IDENTIFY = "dynident identify ROBOT DATA -o RUN"
ROBOT, PROBLEM, STARTS = "robot.json", "problem.npz", "starts"
PROBLEM_SCHEMA = "dynident/problem/1"


@dataclass(frozen=True, kw_only=True)
class StageFiles:
    """schema, arrays_schema : of the document and of the archive; lacking : what their absence means; packages : that did the work.

    optional : few runs need the step, so that nobody is told to do it.
    """

    document: str
    arrays: str
    schema: str
    arrays_schema: str
    command: str
    lacking: str
    packages: tuple[str, ...]
    optional: bool = False


class Stage(Enum):
    """A step and the files that it leaves."""

    ESTIMATE = StageFiles(
        document="estimate.json",
        arrays="estimate.npz",
        schema="dynident/estimate/1",
        arrays_schema="dynident/estimate-arrays/1",
        command=_IDENTIFY,
        lacking="so nothing has been identified in it",
        packages=("dynident", "numpy", "scipy", "numba"),
    )
    SIGNS = StageFiles(
        document="signs.json",
        arrays="signs.npz",
        schema="dynident/signs/1",
        arrays_schema="dynident/sign-arrays/1",
        command="dynident signs ROBOT DATA -o RUN",
        lacking="so no signs have been recovered in it",
        packages=("dynident", "numpy", "scipy", "clarabel"),
        optional=True,
    )
    PARAMETERS = StageFiles(
        document="parameters.json",
        arrays="parameters.npz",
        schema="dynident/parameters/1",
        arrays_schema="dynident/parameter-arrays/1",
        command="dynident retrieve RUN",
        lacking="so no link parameters have been retrieved in it",
        packages=("dynident", "numpy", "scipy", "clarabel"),
    )
    VALIDATION = StageFiles(
        document="validation.json",
        arrays="validation.npz",
        schema="dynident/validation/2",
        arrays_schema="dynident/validation-arrays/2",
        command="dynident validate RUN DATA",
        lacking="so nothing has been validated in it",
        packages=("dynident", "numpy", "scipy", "numba"),
    )

    SAMPLES = StageFiles(
        document="samples.json",
        arrays="samples.npz",
        schema="dynident/samples/1",
        arrays_schema="dynident/sample-arrays/1",
        command="dynident sample RUN",
        lacking="so no samples have been drawn in it",
        packages=("dynident", "numpy", "scipy", "numba"),
    )
    PAYLOAD = StageFiles(
        document="payload.json",
        arrays="payload.npz",
        schema="dynident/payload/1",
        arrays_schema="dynident/payload-arrays/1",
        command="dynident payload RUN DATA",
        lacking="so no payload has been identified in it",
        packages=("dynident", "numpy", "scipy", "clarabel"),
        optional=True,
    )
    FRICTION = StageFiles(
        document="friction.json",
        arrays="friction.npz",
        schema="dynident/friction/1",
        arrays_schema="dynident/friction-arrays/1",
        command="dynident friction RUN DATA",
        lacking="so no friction has been fitted again in it",
        packages=("dynident", "numpy", "scipy", "numba"),
        optional=True,
    )

    MONITOR = StageFiles(
        document="monitor.json",
        arrays="monitor.npz",
        schema="dynident/monitor/1",
        arrays_schema="dynident/monitor-arrays/1",
        command="dynident monitor RUN DATA",
        lacking="so no thresholds have been found in it",
        packages=("dynident", "numpy", "scipy", "numba"),
        optional=True,
    )

    def command(self, folder: Path) -> str:
        return self.value.command.replace("RUN", str(folder))

    @property
    def versions(self) -> dict[str, str]:
        """Of the programs that do the work of this stage."""
        return {"python": platform.python_version()} | {name: metadata.version(name) for name in self.value.packages}

    def digest(self, folder: Path) -> str:
        """What tells one result of this stage from another: the SHA-256 of its archive; empty where there is none."""
        file = folder / self.value.arrays
        return file_digest(file) if file.is_file() else ""


@dataclass(frozen=True, kw_only=True)
class Absent:
    """Why a stage's files are no result. reason : a sentence for a reader; error : what is raised where they are needed."""

    reason: str
    error: FileError


def stage_files(stage: Stage) -> tuple[str, ...]:
    """The names of all files that a stage may leave."""
    beside = (PROBLEM, ROBOT) if stage is Stage.ESTIMATE else ()
    return stage.value.document, stage.value.arrays, *beside


def is_run_file(name: str) -> bool:
    """Whether a name is that of a file that some stage leaves."""
    return any(name in stage_files(stage) for stage in Stage)


def check_stages(folder: str | Path, *stages: Stage) -> None:
    """To be asked before long work: FileError unless the stages can be written into the folder without replacing anything else."""
    run = Path(folder)
    check_writable(run, *(name for stage in stages for name in stage_files(stage)))
    for stage in stages:
        there = [name for name in stage_files(stage) if (run / name).exists()]
        if there and not _is_stage(run, stage):
            remedy = "name another folder for the run, or move the file away"
            raise FileError(run / there[0], f"is there already, and no {stage.name.lower()} of dynident; it is not replaced", remedy=remedy)


def _is_stage(run: Path, stage: Stage) -> bool:
    """Whether what a folder has of a stage was written by dynident, of whatever version; one of two files may be damaged."""
    with contextlib.suppress(FileError):
        kind = stage.value.schema.rpartition("/")[0]
        return str(read_json(run / stage.value.document).get("schema")).rpartition("/")[0] == kind
    with contextlib.suppress(FileError):
        return unpack(run / stage.value.arrays, stage.value.arrays_schema, _is_there)
    return False


def _is_there(arrays: Arrays, description: dict[str, Any]) -> bool:
    return True


def refuse_run_file(file: Path) -> None:
    """FileError where a file is one of a run folder's own, which only its step replaces."""
    if is_run_file(file.name) and (file.absolute().parent / Stage.ESTIMATE.value.document).is_file():
        raise FileError(file, "belongs to a run folder, whose steps write it; name another file")


def write_stage(
    folder: Path, stage: Stage, document: Mapping[str, Any], contents: Mapping[str, str | bytes], *, made_from: tuple[Stage, ...] = ()
) -> dict[str, Any]:
    """Write a document with the files that belong to it, all or nothing; the document as it was written is returned."""
    raw = {name: content.encode() if isinstance(content, str) else content for name, content in contents.items()}
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in raw.items()}
    sources = {source.value.arrays: digest for source in made_from if (digest := source.digest(folder))}
    complete = {**document, "files": digests, "made_from": sources}
    check_stages(folder, stage)
    write_together(folder, {**raw, stage.value.document: json_text(complete)}, own=is_run_file)
    return complete


@contextlib.contextmanager
def gather_stages(folder: str | Path) -> Generator[Path]:
    """A temporary folder for several stages of one result; at the end its files replace those of the run folder, all or nothing."""
    place = Path(tempfile.gettempdir())
    with clear_errors(place), tempfile.TemporaryDirectory(prefix="dynident-") as draft:
        yield Path(draft)
        contents = {file.name: file.read_bytes() for file in sorted(Path(draft).iterdir())}
        check_stages(folder, *(stage for stage in Stage if stage.value.document in contents))
        write_together(folder, contents, own=is_run_file)


def open_stage(folder: str | Path, stage: Stage, make: Callable[[Arrays, dict[str, Any]], tuple[_T, str | None]]) -> _T | Absent:
    """What `make` makes of a stage's archive, or why it doesn't count; FileError where files are damaged or mixed.

    make : (arrays, description) -> the result, and the digest of the estimate that it was made from (None for an estimate).
    """
    run = Path(folder)
    try:
        return _open_once(run, stage, make)
    except FileError:  # another process may have renamed its files one after the other meanwhile
        wait_for_writer(run)
        return _open_once(run, stage, make)


def _open_once(run: Path, stage: Stage, make: Callable[[Arrays, dict[str, Any]], tuple[_T, str | None]]) -> _T | Absent:
    files = stage.value
    absent = find_absent(run, stage)
    if absent is not None:
        return absent
    check_digest(run, stage, files.arrays)
    result, estimate = read_archive(run / files.arrays, files.arrays_schema, make)
    if estimate is not None and estimate != Stage.ESTIMATE.digest(run):
        error = FileError(run / files.document, "belongs to another estimate than the one in the folder", remedy=_remedy(run, stage))
        return Absent(reason="The robot has been identified again since this step was done.", error=error)
    return result


def of_other_links(run: Path, stage: Stage) -> Absent:
    """That a stage was made from other link parameters than those in the folder."""
    error = FileError(run / stage.value.document, "belongs to other link parameters than those in the folder", remedy=_remedy(run, stage))
    return Absent(reason="The link parameters have been retrieved again since this step was done.", error=error)


def present(found: _T | Absent) -> _T:
    """A result that is needed."""
    if isinstance(found, Absent):
        raise found.error
    return found


def check_digest(folder: Path, stage: Stage, name: str) -> None:
    """FileError unless a file is the one that its stage's document was written with; documents of older versions don't say."""
    digests = cast("Mapping[str, str] | None", read_document(folder, stage).get("files"))
    if digests is None:
        return
    file, remedy = folder / name, _remedy(folder, stage)
    if name not in digests or not file.is_file():
        raise FileError(folder, f"has no {name} that belongs to its {stage.value.document}", remedy=remedy)
    if digests[name] != file_digest(file):
        raise FileError(file, f"is not the one that {stage.value.document} was written with: damaged, or of another run", remedy=remedy)


def read_document(folder: Path, stage: Stage) -> dict[str, Any]:
    """The content of a stage's document."""
    file = folder / stage.value.document
    content = read_json(file)
    schema = content.get("schema")
    if schema != stage.value.schema:
        raise FileError(file, f"its schema is {schema!r}; {stage.value.schema!r} was expected")
    if not is_declared(content, Document):
        raise FileError(file, "is not what was expected there", remedy=_remedy(folder, stage))
    return content


def find_absent(run: Path, stage: Stage) -> Absent | None:
    """Why a stage has no result in a folder, where its files are not there."""
    not_done = "This step has not been done yet."
    if not run.is_dir():
        what = "is a file, not a run folder" if run.exists() else "no such run folder"
        return Absent(reason=not_done, error=FileError(run, what, remedy=_remedy(run, Stage.ESTIMATE)))
    for name in (stage.value.document, stage.value.arrays):
        if not (run / name).is_file():
            return Absent(reason=not_done, error=FileError(run, f"has no {name}, {stage.value.lacking}", remedy=_remedy(run, stage)))
    return None


def _remedy(run: Path, stage: Stage) -> str:
    single = (Stage.ESTIMATE, Stage.VALIDATION, Stage.PAYLOAD, Stage.FRICTION, Stage.MONITOR)
    return f"make {'it' if stage in single else 'them'} with: {stage.command(run)}"
