"""`dynident fleet`: many robots of one model, each as the single commands would do it, and what is odd about which."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal

from dynident.cli.arguments import AsJson, LogFiles, RobotFile, Scheduler
from dynident.cli.command_line import Argument
from dynident.cli.terminal import print_result, progress_steps
from dynident.core.kinds import Count, Folder, Part
from dynident.data.reading.reading import Reading
from dynident.robots.mounting import Mounting

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dynident.cli.chain import Chain, ChainOutcome

EXAMPLE = """Examples:

dynident fleet panda logs/*.npz -o fleet

dynident fleet arm.urdf robot1 robot2 robot3 -o fleet --friction auto --retrieve "--total-mass 16 20"

dynident fleet panda /shared/logs/*.npz -o /shared/fleet --scheduler tcp://cluster:8786"""


def fleet(
    robot: RobotFile,
    data: LogFiles,
    /,
    *,
    output: Annotated[
        Folder, Argument(help="Folder for a run folder of each robot and the summary; made if need be.", metavar="DIR", short="-o")
    ],
    friction: Annotated[str, Argument(help="As for identify, auto included.", metavar="NAME")] = "",
    cutoff: Annotated[str, Argument(help="As for identify.", flag="--filter", metavar="HZ")] = "",
    rate: Annotated[str, Argument(help="As for identify.", metavar="HZ")] = "",
    train: Annotated[Part, Argument(help="Part of each log to identify from, as fractions; what follows it validates.")] = (0.0, 0.7),
    as_json: AsJson = False,
    reading: Reading,
    mounting: Mounting,
    share: Annotated[
        Literal["links"] | None,
        Argument(help="links: the links of the other robots are known before a robot's own are retrieved.", metavar="WHAT", group="Search"),
    ] = None,
    scheduler: Scheduler = None,
    workers: Annotated[Count | None, Argument(help="Processes on this machine.", group="Search", shown="one for each core")] = None,
    identify: Annotated[str, Argument(help="More options of identify, as one text.", metavar="OPTIONS", group="Advanced")] = "",
    retrieve: Annotated[str, Argument(help="More options of retrieve, as one text.", metavar="OPTIONS", group="Advanced")] = "",
) -> int:
    """Identify many robots of one model and say which are odd, and in what.

    Each of DATA is one robot: a log, or a folder of its logs. Each goes through doctor, identify, retrieve and validate as with these
    commands, into a run folder of its own in DIR. What fails is listed with its sentence, and the others go on; what is done already is not
    done again. With --share links a robot's links are retrieved with what the others say of those of this model, so that a short log
    gains by theirs. The summary, fleet.html, fleet.json and fleet.csv, compares all robots with their median. Exits with
    1 when a step failed.
    """
    from dynident.cli.fleet_sharing import LINKS, share_in_fleet
    from dynident.cli.fleet_steps import FleetOptions, name_folders
    from dynident.cli.fleet_summary import DOCUMENT, PAGE, VALUES, summarise
    from dynident.core.files import check_writable, json_text
    from dynident.robots import load_robot
    from dynident.robots.serialize import robot_to_dict

    start, stop = train
    asked = FleetOptions(
        robot=robot,
        train=f"{start:g}:{stop:g}",
        held_out=None if stop == 1.0 else f"{stop:g}:1",
        fitting=tuple(f"--{name}={value}" for name, value in (("friction", friction), ("filter", cutoff), ("rate", rate)) if value),
        reading=reading,
        mounting=mounting,
        identify=identify,
        retrieve=retrieve,
    )
    check_writable(output, PAGE, DOCUMENT, VALUES, LINKS)
    machine = load_robot(robot, mounting)
    chains = asked.chains(name_folders(data, output), data, json_text(robot_to_dict(machine)))
    work = partial(run_all, workers=workers or os.cpu_count() or 1, scheduler=scheduler)
    facts: tuple[str, ...] = ()
    with progress_steps() as tell:
        if share is not None:
            chains, facts = share_in_fleet(chains, work([chain.until("identify") for chain in chains], tell=tell), output)
        outcomes = work(chains, tell=tell)
    summary = summarise(machine.name, output, outcomes, facts)
    print_result(summary.report(), summary.write(), as_json=as_json, written=str(output))
    return 1 if summary.failed else 0


def run_all(chains: Sequence[Chain], *, workers: int, scheduler: str | None, tell: Callable[[str, float], None]) -> list[ChainOutcome]:
    """The outcomes, in the order of the chains; a chain that was lost with its process is one that failed."""
    from dynident.cli.chain import ChainOutcome, is_done, run_chain, tell_mishap
    from dynident.core.cluster import each_completed, open_client

    outcomes: dict[int, ChainOutcome] = {}
    tell(f"0 of {len(chains)} robots", 0.0)
    open_chains = sum(not is_done(chain) for chain in chains)  # the others need only be read
    with open_client(min(workers, max(open_chains, 1)), scheduler if open_chains else None) as client:
        for number, found in each_completed(run_chain, chains, client):
            name = chains[number].name
            if isinstance(found, BaseException):
                outcomes[number] = ChainOutcome(name=name, failures={"worker": tell_mishap(found)})
            else:
                outcomes[number] = found
            tell(f"{len(outcomes)} of {len(chains)} robots, the last {name}", len(outcomes) / len(chains))
    return [outcomes[number] for number in range(len(chains))]
