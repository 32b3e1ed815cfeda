"""Links that the robots of a fleet share: who does, in which file, and the chains that then know of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dynident.cli.chain import Chain, ChainOutcome
from dynident.errors import InputError

if TYPE_CHECKING:
    from dynident.feasibility.shared_links import Sharer

LINKS = "links.safetensors"


def share_in_fleet(chains: Sequence[Chain], outcomes: Sequence[ChainOutcome], folder: Path) -> tuple[list[Chain], tuple[str, ...]]:
    """The chains, whose retrieval knows of the others' links, and what is to be said of it; links.safetensors is written into the folder.

    outcomes : of the identification. Robots whose links differ from the others' by more than chance neither share nor are told.
    """
    from dynident.feasibility.shared_links import share_links
    from dynident.runs.results import write_shared_links

    odd = odd_links(outcomes)
    sharing = [chain for chain, outcome in zip(chains, outcomes, strict=True) if outcome.run is not None and outcome.name not in odd]
    try:
        shared = share_links(_sharers(sharing))
    except InputError as error:
        return list(chains), (f"Links are not shared: {error.message}.",)
    write_shared_links(folder / LINKS, shared)
    told = [chain.with_words("retrieve", "--prior", str(folder / LINKS)) if chain in sharing else chain for chain in chains]
    apart = (f"{', '.join(odd)}: links that are not those of the others, and not shared.",) if odd else ()
    return told, (f"{shared.sentence}.", *apart)


def odd_links(outcomes: Sequence[ChainOutcome]) -> tuple[str, ...]:
    """Names of the robots whose links are beyond chance."""
    from dynident.fleet import compare_runs
    from dynident.fleet.quantities import LINKS

    runs = [outcome.run for outcome in outcomes if outcome.run is not None]
    try:
        found = compare_runs(runs)
    except InputError:
        return ()
    if not found.spread.any():  # too few to know how much robots of this model differ
        return ()
    of_links = [q for q, item in enumerate(found.quantities) if item.part == LINKS]
    return tuple(found.names[r] for r in range(len(runs)) if found.beyond[r, of_links].any())


def _sharers(chains: Sequence[Chain]) -> Iterator[Sharer]:
    from dynident.feasibility.shared_links import Sharer
    from dynident.runs import RunFolder, Stage

    for chain in chains:
        found = RunFolder(chain.folder).read(Stage.ESTIMATE)
        yield Sharer(name=chain.name, digest=found.digest, estimate=found.result)
