"""Many robots of one model, each through the steps of the pipeline, on all cores or a cluster, and their comparison."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, cast

from dynident.core.cluster import for_each
from dynident.core.files import check_writable, place_below
from dynident.core.options import Options, declared_options, map_values
from dynident.core.records import write_record
from dynident.errors import InputError
from dynident.links.shared_links import Sharer, share_links
from dynident.pipeline.fleet.robots import STEPS, FleetOptions, RobotOutcome, RobotWork, is_done, work_on
from dynident.pipeline.fleet.summary import DOCUMENT, PAGE, VALUES, FleetSummary, summarise
from dynident.robots import Robot
from dynident.runs import RunFolder, Stage
from dynident.runs.comparison import compare_runs
from dynident.runs.comparison.quantities import LINKS as OF_LINKS

#: File of the links that the robots share.
LINKS = "links.safetensors"
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

    def keep(number: int, outcome: RobotOutcome | BaseException) -> None:
        work = robots[number]
        lost = isinstance(outcome, BaseException)
        outcomes[number] = RobotOutcome(name=work.name, failures={"worker": work.options.say(outcome)}) if lost else outcome
        tell(f"{len(outcomes)} of {len(robots)} robots, the last {work.name}", len(outcomes) / len(robots))

    for_each(work_on, robots, keep, processes, scheduler if waiting else None)
    return [outcomes[number] for number in range(len(robots))]


def _with_absolute_paths(options: OptionsT) -> OptionsT:
    values = {item.name: map_values(getattr(options, item.name), _absolute) for item in declared_options(type(options))}
    return replace(cast("Any", options), **values)


def _absolute(value: Any) -> Any:
    return type(value)(os.path.abspath(value)) if isinstance(value, Path) or (isinstance(value, str) and os.path.isfile(value)) else value


# ---------------------------------------------------------------------------------------------------- shared links


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
    write_record(folder / LINKS, shared)
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
