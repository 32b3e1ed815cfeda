"""Many robots of one model, each through the steps of the pipeline, on all cores or a cluster, and their comparison."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, cast

from dynident.core.cluster import each_completed, open_client
from dynident.core.files import check_writable, place_below
from dynident.core.options import Options, declared_options, map_values
from dynident.errors import InputError
from dynident.fleet.robots import STEPS, FleetOptions, RobotOutcome, RobotWork, is_done, work_on
from dynident.fleet.sharing import LINKS, share_in_fleet
from dynident.fleet.summary import DOCUMENT, PAGE, VALUES, FleetSummary, summarise
from dynident.robots import Robot

OptionsT = TypeVar("OptionsT", bound=Options)
#: Called with what is done, and the share of the robots that are.
Tell = Callable[[str, float], None]


def identify_fleet(
    robot: Robot,
    data: Sequence[Path],
    output: Path,
    options: FleetOptions | None = None,
    *,
    description: str = "",
    share: bool = False,
    workers: int | None = None,
    scheduler: str | None = None,
    tell: Tell = lambda text, share: None,
) -> FleetSummary:
    """Identify many robots of one model, each into a run folder of its own, and compare them.

    Parameters
    ----------
    robot
        The model.
    data
        A log, or a folder of logs, of each robot.
    output
        Folder of the run folders. What is done there already, from the same data and with the same options, is not done again.
    options
        What holds for all robots; by default 70 % of each log are fitted.
    description
        File or name of the robot, for the commands that the runs remember.
    share
        Whether the links of each robot are retrieved with what the others say of those of this model.
    workers, scheduler
        Processes on this machine, one for each core by default, or the address of a Dask scheduler.
    tell
        Called with what is done, and the share of the robots that are.

    Returns
    -------
    FleetSummary
        What was done for each robot, and how the robots compare.
    """
    options = options or FleetOptions()
    check_writable(output, PAGE, DOCUMENT, VALUES, LINKS)
    robots, facts = plan_robots(robot, data, output, options, description=description, scheduler=scheduler), tuple[str, ...]()
    if share:
        if options.retrieve.prior != "auto":
            raise InputError("links are shared as the prior of each robot, and another prior was given; leave one of them out")
        first = [replace(work, steps=("doctor", "identify")) for work in robots]
        robots, facts = share_in_fleet(robots, work_on_all(first, workers=workers, scheduler=scheduler, tell=tell), output)
    return summarise(robot.name, output, work_on_all(robots, workers=workers, scheduler=scheduler, tell=tell), facts)


def plan_robots(
    robot: Robot, data: Sequence[Path], output: Path, options: FleetOptions, *, description: str = "", scheduler: str | None = None
) -> list[RobotWork]:
    """What is to be done for each of DATA; workers of a scheduler get paths that do not depend on the folder that they work in."""
    folders = name_folders(data, output)
    if scheduler is not None:
        options = replace(options, reading=_with_absolute_paths(options.reading), retrieve=_with_absolute_paths(options.retrieve))
        data, folders = [path.absolute() for path in data], {name: folder.absolute() for name, folder in folders.items()}
    steps = tuple(name for name in STEPS if name != "validate" or options.held_out is not None)
    return [
        RobotWork(name=name, folder=folder, data=path, robot=robot, description=description or robot.name, options=options, steps=steps)
        for (name, folder), path in zip(folders.items(), data, strict=True)
    ]


def name_folders(data: Sequence[Path], output: Path) -> dict[str, Path]:
    """A run folder for each log, by the name of its file, with that of its folder before it where two files have one name."""
    stems = [path.name if os.path.isdir(path) else path.name.split(".")[0] for path in data]
    names = [f"{path.absolute().parent.name}_{stem}" if stems.count(stem) > 1 else stem for path, stem in zip(data, stems, strict=True)]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"two of DATA would both be {output / twice}; rename one, or give them in folders of different names")
    return {name: place_below(output, name) for name in names}


def work_on_all(robots: Sequence[RobotWork], *, workers: int | None = 1, scheduler: str | None = None, tell: Tell) -> list[RobotOutcome]:
    """The outcomes, in the order of the robots; a robot that was lost with its process is one that failed."""
    outcomes: dict[int, RobotOutcome] = {}
    tell(f"0 of {len(robots)} robots", 0.0)
    waiting = sum(not is_done(work) for work in robots)  # the others need only be read
    processes = min(workers or os.cpu_count() or 1, max(waiting, 1))
    with open_client(processes, scheduler if waiting else None) as client:
        for number, outcome in each_completed(work_on, robots, client):
            work = robots[number]
            lost = isinstance(outcome, BaseException)
            outcomes[number] = RobotOutcome(name=work.name, failures={"worker": work.options.say(outcome)}) if lost else outcome
            tell(f"{len(outcomes)} of {len(robots)} robots, the last {work.name}", len(outcomes) / len(robots))
    return [outcomes[number] for number in range(len(robots))]


def _with_absolute_paths(options: OptionsT) -> OptionsT:
    values = {item.name: map_values(getattr(options, item.name), _absolute) for item in declared_options(type(options))}
    return replace(cast("Any", options), **values)


def _absolute(value: Any) -> Any:
    return type(value)(os.path.abspath(value)) if isinstance(value, Path) or (isinstance(value, str) and os.path.isfile(value)) else value
