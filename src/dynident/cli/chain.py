"""Steps of the chain for one robot: commands that are run one after the other, each unless it has been done already with the same input.

A step's key is the digest of its words, of the data and the robot, and of the files that the steps before it have left. A step is done
where its key and the digests of its own files are those that chain.json in the run folder remembers. What is done is then not done again,
in whatever process that was, and a process that is killed loses the step that it was at.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import threading
from collections.abc import Generator, Mapping
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dynident.cli.exits import InterruptedByUser, sentence, system_sentence
from dynident.core.documents import Document
from dynident.core.files import clear_errors, file_digest, json_text, read_json, write_atomically
from dynident.errors import DynidentError, FileError

if TYPE_CHECKING:
    from dynident.fleet import ComparedRun

CHAIN, DIAGNOSIS = "chain.json", "diagnosis.json"


@dataclass(frozen=True, kw_only=True)
class StepDocument:
    """A step that is done: with which input, and the SHA-256 of what it left."""

    key: str
    files: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class ChainDocument(Document):
    """Which steps of a fleet's robot are done."""

    FILE = "chain.json"
    SCHEMA = "dynident/chain/1"

    steps: Mapping[str, StepDocument]


#: What commands print, and the folder that they run in, belong to the process: one chain at a time.
_ALONE = threading.Lock()


@dataclass(frozen=True, kw_only=True)
class Step:
    """A command.

    words : as a user would type them, the run folder included.
    files : that it leaves in the run folder; the first gets what it prints, where `printed`.
    needed : whether the steps after it can't be done without it.
    """

    words: tuple[str, ...]
    files: tuple[str, ...]
    printed: bool = False
    needed: bool = True

    @property
    def name(self) -> str:
        return self.words[0]


@dataclass(frozen=True, kw_only=True)
class Chain:
    """What is done for one robot. place : the folder that the words are typed in; robot : the description as text, for its digest."""

    name: str
    folder: Path
    place: Path
    data: tuple[Path, ...]
    robot: str
    steps: tuple[Step, ...]

    def until(self, name: str) -> Chain:
        """Its steps up to the one of that name."""
        last = [step.name for step in self.steps].index(name)
        return replace(self, steps=self.steps[: last + 1])

    def with_words(self, name: str, *words: str) -> Chain:
        """The same with more words for the step of that name."""
        steps = tuple(replace(step, words=(*step.words, *words)) if step.name == name else step for step in self.steps)
        return replace(self, steps=steps)


@dataclass(frozen=True, kw_only=True)
class ChainOutcome:
    """What became of a chain.

    done : names of the steps whose files count, those of an earlier time included; repeated : those that were done now.
    failures : sentence by step.
    run : what a comparison needs; None where nothing was identified.
    """

    name: str
    done: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()
    failures: Mapping[str, str]
    run: ComparedRun | None = None


def run_chain(chain: Chain) -> ChainOutcome:
    """Do all steps that are not done; one that fails is remembered with its sentence, and those after it are not tried."""
    with _ALONE, _in_folder(chain.place), _one_thread():
        done, repeated, failures = list[str](), list[str](), dict[str, str]()
        inputs = _input_digest(chain)
        for step in chain.steps:
            key = _key(chain, step, inputs)
            if _remembered(chain.folder, step) != key:
                try:
                    _do(chain.folder, step)
                    _remember(chain.folder, step, key)
                except InterruptedByUser:
                    raise KeyboardInterrupt from None
                except Exception as error:  # noqa: BLE001 (one robot's mishap, of whatever kind, is not that of the others)
                    failures[step.name] = tell_mishap(error)
                if step.name in failures:
                    if step.needed:
                        break
                    continue
                repeated.append(step.name)
            done.append(step.name)
        return ChainOutcome(
            name=chain.name,
            done=tuple(done),
            repeated=tuple(repeated),
            failures=failures,
            run=_observe(chain) if "identify" in done else None,
        )


def tell_mishap(error: BaseException) -> str:
    """What the summary says of an error that ended the work for one robot."""
    if isinstance(error, DynidentError):
        return " ".join(sentence(error).split())
    return system_sentence(error) if isinstance(error, OSError) else f"{type(error).__name__}: {error}"


def is_done(chain: Chain) -> bool:
    """Whether nothing of it would be done again; not so where its data can't be read, which the chain itself says."""
    try:
        inputs = _input_digest(chain)
    except (DynidentError, OSError):
        return False
    return all(_remembered(chain.folder, step) == _key(chain, step, inputs) for step in chain.steps)


def _observe(chain: Chain) -> ComparedRun | None:
    from dynident.fleet import observe
    from dynident.runs import load_run

    try:
        return observe(load_run(chain.folder), chain.name)
    except DynidentError:
        return None


def _do(folder: Path, step: Step) -> None:
    """Run the command; what it prints is kept, and where it asks for a file of its own, that is made of it."""
    from dynident.cli.app import run
    from dynident.cli.inputs import typed

    with clear_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()), typed(step.words):
        run(step.words)
    if step.printed:
        write_atomically(folder / step.files[0], printed.getvalue())


def _input_digest(chain: Chain) -> str:
    """Of the content of the data, of folders and of the YAML beside a file, and of the robot."""
    digest = hashlib.sha256(chain.robot.encode())
    for path in chain.data:
        files = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path, path.with_name(f"{path.name}.yaml")]
        for file in files:
            if file.is_file():
                digest.update(os.fsencode(f"{file.name}\0{file_digest(file)}\0"))
    return digest.hexdigest()


def _key(chain: Chain, step: Step, inputs: str) -> str:
    """What the step's result depends on. Where run folder and data lie does not matter, and other files count by their content."""
    earlier = chain.steps[: chain.steps.index(step)]
    made = {name: file_digest(chain.folder / name) for item in earlier for name in item.files if (chain.folder / name).is_file()}
    places = {str(chain.folder): "RUN"} | {str(path): "DATA" for path in chain.data}
    words = [places.get(word) or (file_digest(word) if Path(word).is_file() else word) for word in step.words]
    parts = [version("dynident"), words, inputs, made]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _remembered(folder: Path, step: Step) -> str:
    """The key with which the step was done last; empty where its files are not those that it left."""
    found = _memory(folder).get(step.name, {})
    files: dict[str, str] = found.get("files", {})
    same = files and all((folder / name).is_file() and file_digest(folder / name) == digest for name, digest in files.items())
    return str(found.get("key", "")) if same else ""


def _remember(folder: Path, step: Step, key: str) -> None:
    files = {name: file_digest(folder / name) for name in step.files if (folder / name).is_file()}
    memory = {**_memory(folder), step.name: StepDocument(key=key, files=files)}
    write_atomically(folder / CHAIN, json_text(ChainDocument(steps=memory)))


def _memory(folder: Path) -> dict[str, Any]:
    try:
        content = read_json(folder / CHAIN)
        return dict(content["steps"]) if content.get("schema") == ChainDocument.SCHEMA else {}
    except (FileError, KeyError, TypeError, ValueError):
        return {}


@contextlib.contextmanager
def _in_folder(place: Path) -> Generator[None]:
    """Relative paths mean the same to every worker that sees the files."""
    if place == Path.cwd():
        yield
        return
    if not place.is_dir():
        raise FileError(place, "is not there for this worker", remedy="start the workers where they see the same folders")
    with contextlib.chdir(place):
        yield


@contextlib.contextmanager
def _one_thread() -> Generator[None]:
    """As in the workers of a cluster, so that the rounding is the same everywhere."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):
        yield
