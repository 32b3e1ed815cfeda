"""Running the experiments step by step. What a step found is kept in a file, so that an interrupted run goes on where it was."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from importlib import resources
from pathlib import Path
from typing import Any

from dynident.core.files import check_writable, file_digest, json_text, make_folder, place_below, read_json, write_atomically
from dynident.errors import FileError, UnknownNameError
from dynident.reproduce.claim import Claim
from dynident.reproduce.experiment import ExperimentOutcome, Paper, PaperExperiment, Recordings, Setting, Size
from dynident.reproduce.recordings import read_recordings
from dynident.reproduce.registry import PAPERS

_STEPS = "steps"


@dataclass(frozen=True, kw_only=True, eq=False)
class Finished:
    """An experiment and its outcome. seconds : that it took when it was run; kept : whether that was in an earlier call."""

    paper: Paper
    experiment: PaperExperiment
    outcome: ExperimentOutcome
    seconds: float
    kept: bool


@dataclass(frozen=True, kw_only=True, eq=False)
class Reproduction:
    """All experiments of the papers that were asked for.

    Attributes
    ----------
    steps : tuple of Finished
        Each with its outcome.
    size : Size
        How many of the papers' starts and runs were made.
    data : tuple of str
        Names of the recordings that were given.
    """

    steps: tuple[Finished, ...]
    size: Size
    data: tuple[str, ...] = ()

    @property
    def papers(self) -> tuple[Paper, ...]:
        return tuple({step.paper.key: step.paper for step in self.steps}.values())

    @property
    def claims(self) -> tuple[Claim, ...]:
        return tuple(claim for step in self.steps for claim in step.outcome.claims)

    def of(self, paper: Paper) -> tuple[Finished, ...]:
        return tuple(step for step in self.steps if step.paper.key == paper.key)


def papers_named(name: str) -> tuple[Paper, ...]:
    """The papers of a name: one paper, all of them, or one experiment of a paper.

    Parameters
    ----------
    name
        "gaz2016", "all", or "gaz2016/extraction".

    Returns
    -------
    tuple of Paper
        In the order of publication.
    """
    key, slash, part = name.partition("/")
    if name == "all":
        return tuple(PAPERS.values())
    if key not in PAPERS:
        raise UnknownNameError("paper", key, [*PAPERS, "all"])
    paper = PAPERS[key]
    if not slash:
        return (paper,)
    experiments = {experiment.key: experiment for experiment in paper.experiments}
    if part not in experiments:
        raise UnknownNameError(f"experiment of {key}", part, experiments)
    return (replace(paper, experiments=(experiments[part],)),)


def reproduce(
    papers: Sequence[Paper],
    folder: str | Path,
    *,
    data: Sequence[Path] = (),
    size: Size = Size.USUAL,
    progress: Callable[[str, float], None] | None = None,
) -> Reproduction:
    """Run the experiments of papers; each step's outcome is a file in `folder`, and is taken from there where nothing has changed.

    Parameters
    ----------
    papers
        What `papers_named` returned.
    folder
        Where the outcomes are kept.
    data
        Recorded logs, and samples of a controller's M and g; virtual robots take the place of what is not given.
    size
        How many of the papers' starts and runs.
    progress
        Called with the name of the step and the share of all that is done.

    Returns
    -------
    Reproduction
        All claims, with ours beside the published numbers.
    """
    target = Path(folder)
    check_writable(target)
    recordings, files = read_recordings(data)
    digests = {name: [file_digest(file) for file in items] for name, items in files.items()}
    steps = [(paper, experiment) for paper in papers for experiment in paper.experiments]
    done: list[Finished] = []
    for number, (paper, experiment) in enumerate(steps):
        tell = partial(_tell, progress, f"{paper.key}: {experiment.title}", number, len(steps))
        tell(0.0)
        inputs = {
            "code": code_digest(),
            "experiment": f"{paper.key}/{experiment.key}",
            "size": size.name if experiment.sized else "any",
            "data": {name: digests[name] for name in experiment.uses},
        }
        digest = hashlib.sha256(json.dumps(inputs, sort_keys=True).encode()).hexdigest()
        store = _Store(place_below(target, _STEPS), f"{paper.key}-{experiment.key}", digest)
        done.append(_do(paper, experiment, store, recordings, size, tell))
    return Reproduction(steps=tuple(done), size=size, data=tuple(file.name for file in data))


def _do(
    paper: Paper, experiment: PaperExperiment, store: _Store, recordings: Recordings, size: Size, tell: Callable[[float], None]
) -> Finished:
    content = store.read("")
    kept = content is not None
    if content is None:
        start = time.monotonic()
        outcome = experiment.run(Setting(size=size, recordings=recordings, keep=store.keep, progress=tell))
        content = {"seconds": round(time.monotonic() - start, 3), **outcome.to_dict()}
        store.write("", content)
    return Finished(
        paper=paper, experiment=experiment, outcome=ExperimentOutcome.of_dict(content), seconds=float(content["seconds"]), kept=kept
    )


def _tell(progress: Callable[[str, float], None] | None, name: str, number: int, count: int, share: float) -> None:
    if progress is not None:
        progress(name, (number + share) / count)


@dataclass(frozen=True)
class _Store:
    """Files of one step and of its parts, each with the digest of what it was made from."""

    folder: Path
    step: str
    digest: str

    def read(self, part: str) -> dict[str, Any] | None:
        """What was written from the same inputs; None where there is nothing, or something else."""
        try:
            content = read_json(self._file(part))
        except FileError:
            return None
        return content if content.get("digest") == self.digest else None

    def write(self, part: str, content: Mapping[str, Any]) -> None:
        make_folder(self.folder)
        write_atomically(self._file(part), json_text({"digest": self.digest, **content}))

    def keep(self, part: str, compute: Callable[[], Any]) -> Any:
        content = self.read(part)
        if content is None:
            content = {"value": compute()}
            self.write(part, content)
        return content["value"]

    def _file(self, part: str) -> Path:
        return self.folder / f"{self.step}{'.' * bool(part)}{part}.json"


@lru_cache(maxsize=1)
def code_digest() -> str:
    """Of all of dynident's code and tables: a change anywhere makes kept outcomes old."""
    total = hashlib.sha256()
    for name, content in _sources(resources.files("dynident")):
        total.update(name.encode())
        total.update(content)
    return total.hexdigest()


def _sources(folder: Any, prefix: str = "") -> Iterator[tuple[str, bytes]]:
    for item in sorted(folder.iterdir(), key=lambda item: item.name):
        if item.is_dir() and item.name != "__pycache__":
            yield from _sources(item, f"{prefix}{item.name}/")
        elif item.name.endswith((".py", ".yaml")):
            yield f"{prefix}{item.name}", item.read_bytes()
