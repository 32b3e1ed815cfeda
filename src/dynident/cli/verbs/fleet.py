"""`dynident fleet`: many robots of one model, each as the single commands would do it, and what is odd about which."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dynident.cli import options as opt
from dynident.cli.inputs import read_robot
from dynident.cli.terminal import print_result, progress_steps

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dynident.cli.chain import Chain, ChainOutcome

EXAMPLE = """Examples:

[bold]dynident fleet panda logs/*.npz -o fleet[/bold]

[bold]dynident fleet arm.urdf robot1 robot2 robot3 -o fleet --friction auto --retrieve "--total-mass 16 20"[/bold]

[bold]dynident fleet panda /shared/logs/*.npz -o /shared/fleet --scheduler tcp://cluster:8786[/bold]"""


def fleet(
    robot: opt.RobotArgument,
    data: opt.DataArgument,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Folder for a run folder of each robot and the summary; made if need be.")
    ],
    *,
    friction: Annotated[str | None, typer.Option("--friction", metavar="NAME", help="As for identify, auto included.")] = None,
    cutoff: Annotated[str | None, typer.Option("--filter", metavar="HZ", help="As for identify.")] = None,
    rate: Annotated[str | None, typer.Option("--rate", metavar="HZ", help="As for identify.")] = None,
    train: Annotated[
        str, typer.Option("--train", metavar="A:B", help="Part of each log to identify from, as fractions; what follows it validates.")
    ] = "0:0.7",
    identify: Annotated[str, typer.Option("--identify", metavar="OPTIONS", help="More options of identify, as one text.")] = "",
    retrieve: Annotated[str, typer.Option("--retrieve", metavar="OPTIONS", help="More options of retrieve, as one text.")] = "",
    share: Annotated[
        str | None,
        typer.Option("--share", metavar="WHAT", help="links: the links of the other robots are known before a robot's own are retrieved."),
    ] = None,
    scheduler: opt.Scheduler = None,
    workers: Annotated[
        int | None, typer.Option("--workers", metavar="N", help="Processes on this machine. Default: one for each core.", min=1)
    ] = None,
    read: opt.DataReading,
    mounting: opt.Mounting,
    as_json: opt.AsJson = False,
    debug: opt.Debug = False,
) -> None:
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
    from dynident.robots.serialize import robot_to_dict

    start, stop = opt.parse_part(train, "--train")
    if share is not None:
        opt.one_of(share, ("links",), "thing to share")
    asked = FleetOptions(
        robot=robot,
        train=f"{start:g}:{stop:g}",
        held_out=None if stop == 1.0 else f"{stop:g}:1",
        fitting=tuple(f"--{name}={value}" for name, value in (("friction", friction), ("filter", cutoff), ("rate", rate)) if value),
        reading=read,
        mounting=mounting,
        identify=identify,
        retrieve=retrieve,
    )
    check_writable(output, PAGE, DOCUMENT, VALUES, LINKS)
    machine = read_robot(robot, **mounting)
    chains = asked.chains(name_folders(data, output), data, json_text(robot_to_dict(machine)))
    work = partial(run_all, workers=workers or os.cpu_count() or 1, scheduler=scheduler)
    facts: tuple[str, ...] = ()
    with progress_steps() as tell:
        if share is not None:
            chains, facts = share_in_fleet(chains, work([chain.until("identify") for chain in chains], tell=tell), output)
        outcomes = work(chains, tell=tell)
    summary = summarise(machine.name, output, outcomes, facts)
    print_result(summary.report(), summary.write(), as_json=as_json, written=str(output))
    if summary.failed:
        raise typer.Exit(1)


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
