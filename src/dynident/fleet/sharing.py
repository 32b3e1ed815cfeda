"""Links that the robots of a fleet share: who does, in which file, and the work that then knows of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from dynident.comparison import compare_runs
from dynident.comparison.quantities import LINKS as OF_LINKS
from dynident.errors import InputError
from dynident.feasibility.shared_links import Sharer, share_links
from dynident.fleet.robots import RobotOutcome, RobotWork
from dynident.runs import RunFolder, Stage
from dynident.runs.results import write_shared_links

LINKS = "links.safetensors"


def share_in_fleet(robots: Sequence[RobotWork], outcomes: Sequence[RobotOutcome], folder: Path) -> tuple[list[RobotWork], tuple[str, ...]]:
    """The robots, whose retrieval knows of the others' links, and what is to be said of it; links.safetensors is written into the folder.

    outcomes : of the identification. Robots whose links differ from the others' by more than chance neither share nor are told.
    """
    odd = odd_links(outcomes)
    sharing = [work for work, outcome in zip(robots, outcomes, strict=True) if outcome.run is not None and outcome.name not in odd]
    try:
        shared = share_links(_sharer(work) for work in sharing)
    except InputError as error:
        return list(robots), (f"Links are not shared: {error.message}.",)
    write_shared_links(folder / LINKS, shared)
    apart = (f"{', '.join(odd)}: links that are not those of the others, and not shared.",) if odd else ()
    return [_with_prior(work, folder / LINKS) if work in sharing else work for work in robots], (f"{shared.sentence}.", *apart)


def odd_links(outcomes: Sequence[RobotOutcome]) -> tuple[str, ...]:
    """Names of the robots whose links are beyond chance."""
    runs = [outcome.run for outcome in outcomes if outcome.run is not None]
    try:
        comparison = compare_runs(runs)
    except InputError:
        return ()
    if not comparison.spread.any():  # too few to know how much robots of this model differ
        return ()
    of_links = [q for q, item in enumerate(comparison.quantities) if item.part == OF_LINKS]
    return tuple(comparison.names[r] for r in range(len(runs)) if comparison.beyond[r, of_links].any())


def _sharer(work: RobotWork) -> Sharer:
    content = RunFolder(work.folder).read(Stage.ESTIMATE)
    return Sharer(name=work.name, digest=content.digest, estimate=content.result)


def _with_prior(work: RobotWork, file: Path) -> RobotWork:
    return replace(work, options=replace(work.options, retrieve=replace(work.options.retrieve, prior=str(file))))
