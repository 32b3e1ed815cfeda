"""`dynident fleet`: many robots of one model, each as the single commands would do it, and what is odd about which."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

from dynident.cli.arguments import LogFiles, RobotFile, Scheduler
from dynident.cli.command_line import Argument, Selected, parse_options
from dynident.cli.exits import mishap_sentence
from dynident.cli.terminal import Outcome, progress_bar
from dynident.core.kinds import Count, Folder, Part
from dynident.core.options import names_given, override
from dynident.data.reading.reading import Reading
from dynident.errors import OptionsError
from dynident.pipeline.options import IdentifyChoice, RetrieveChoice
from dynident.robots.mounting import Mounting

EXAMPLE = """Examples:

dynident fleet panda logs/*.npz -o fleet

dynident fleet arm.urdf robot1 robot2 robot3 -o fleet --friction auto --retrieve "--total-mass 16 20"

dynident fleet panda /shared/logs/*.npz -o /shared/fleet --scheduler tcp://cluster:8786"""
PRINTS = ("dynident.pipeline.fleet.summary:FleetDocument",)


def fleet(
    robot: RobotFile,
    data: LogFiles,
    /,
    *,
    output: Annotated[
        Folder, Argument(help="Folder for a run folder of each robot and the summary; made if need be.", metavar="DIR", short="-o")
    ],
    fitting: Annotated[IdentifyChoice, Selected(("friction", "cutoff", "rate"))],
    train: Annotated[Part, Argument(help="Part of each log to identify from, as fractions; what follows it validates.")] = (0.0, 0.7),
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
) -> Outcome:
    """Identify many robots of one model and say which are odd, and in what.

    Each of DATA is one robot: a log, or a folder of its logs. Each goes through doctor, identify, retrieve and validate as with these
    commands, into a run folder of its own in DIR. What fails is listed with its sentence, and the others go on; what is done already is not
    done again. With --share links a robot's links are retrieved with what the others say of those of this model, so that a short log
    gains by theirs. The summary, fleet.html, fleet.json and fleet.csv, compares all robots with their median. Exits with
    1 when a step failed.
    """
    from dynident.pipeline.fleet import FleetOptions, identify_fleet
    from dynident.robots import load_robot

    more = parse_options(IdentifyChoice, identify, "identify")
    if names_given(more, "train"):
        raise OptionsError("{train} is an option of fleet; give it there, and not in {identify}")
    options = FleetOptions(
        reading=reading,
        mounting=mounting,
        identify=replace(override(more, fitting), train=train),
        retrieve=parse_options(RetrieveChoice, retrieve, "retrieve"),
        say=mishap_sentence,
    )
    machine = load_robot(robot, mounting)
    with progress_bar(lines=True) as tell:
        summary = identify_fleet(
            machine,
            data,
            output,
            options,
            description=robot,
            share=share is not None,
            workers=workers,
            scheduler=scheduler,
            tell=tell,
        )
    return Outcome(report=summary.report(), document=summary.write(), written=str(output), code=1 if summary.failed else 0)
