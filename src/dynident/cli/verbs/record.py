"""`dynident record`: drive a robot along a trajectory, or to configurations at which its controller is asked, and write what it tells."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any

from dynident.cli.command_line import Argument
from dynident.cli.exits import Exit
from dynident.cli.inputs import check_output, read_driving_limits, read_motion
from dynident.cli.interrupts import INTERRUPTED
from dynident.cli.terminal import console, print_report, progress_bar
from dynident.core.kinds import Count
from dynident.errors import DynidentError, InputError, Remedy, ValueRangeError, require
from dynident.robots.mounting import Mounting

if TYPE_CHECKING:
    from dynident.excitation.limits.limits import Limits
    from dynident.recording import RecordingPlan, RobotConnection, Vendor
    from dynident.robots import Robot

EXAMPLE = """Examples:

dynident record franka 172.16.0.2 --robot panda --trajectory trajectory.csv -o log.npz --repeat 3

dynident record franka 172.16.0.2 --robot panda --configurations configurations.csv -o samples.npz --speed 0.1

dynident record virtual:panda --trajectory trajectory.csv -o log.npz --approach --yes"""


def record(
    connection: Annotated[
        Sequence[str],
        Argument(metavar="VENDOR HOST", help="What to record from: {}.", registry="dynident.recording.registry:known_vendors"),
    ],
    /,
    *,
    output: Annotated[Path, Argument(help="Recording to write (.npz); never overwritten.", short="-o")],
    robot: Annotated[str | None, Argument(help="Description of the robot that stands there, with its limits.", metavar="ROBOT")] = None,
    trajectory: Annotated[Path | None, Argument(help="Motion to drive, such as dynident excite writes it.")] = None,
    configurations: Annotated[
        Path | None, Argument(help="Positions to stand at and ask the controller for M, g and c (excite --static).")
    ] = None,
    repeat: Annotated[Count, Argument(help="How often the trajectory is driven; each time is a segment of the log.")] = 1,
    resume: Annotated[bool, Argument(help="Go on with a recording that was not finished.")] = False,
    mounting: Mounting,
    speed: Annotated[
        float | None,
        Argument(
            help="Share of the velocity limits that nothing may exceed.",
            metavar="SHARE",
            group="Limits",
            shown="1 for a trajectory, 0.2 between configurations",
        ),
    ] = None,
    limits: Annotated[
        Path | None,
        Argument(help="YAML file with limits, as for dynident excite.", group="Limits", shown="all of the robot's own"),
    ] = None,
    approach: Annotated[bool, Argument(help="Drive slowly to where the trajectory starts.", group="Consent")] = False,
    confirm_each: Annotated[bool, Argument(help="Ask before every move.", group="Consent")] = False,
    yes: Annotated[bool, Argument(help="Don't ask before moving.", group="Consent")] = False,
    patience: Annotated[float, Argument(help="How long a lost connection is tried again.", metavar="SECONDS", group="Advanced")] = 30.0,
    connection_option: Annotated[
        Mapping[str, str],
        Argument(help="An option of the vendor's own. {}.", group="Advanced", registry="dynident.recording.registry:vendor_options"),
    ] = MappingProxyType({}),
) -> None:
    """Record from a robot: its log along a trajectory, or its controller's M, g and c at configurations.

    Before anything moves, the plan is checked against the limits, shown, and confirmed. Ctrl-C stops the robot smoothly; what was
    recorded is kept whenever and however it ends. The file is one that identify reads at once. Exits with 1 when the robot reported an
    error or its connection was lost for good, with 130 after Ctrl-C.
    """
    from dynident.recording import connect, find_vendor
    from dynident.robots import load_robot

    check_output(output, "recording", (".npz",))
    name, address = _split(connection)
    vendor = find_vendor(name)
    if (trajectory is None) == (configurations is None):
        raise InputError("give one motion to record: --trajectory FILE, or --configurations FILE")
    machine = load_robot(_description(vendor, address, robot), mounting)
    allowed = read_driving_limits(machine, limits)
    arm = connect(vendor, address, machine, connection_option)
    try:
        plan = _plan(arm, machine, allowed, trajectory, configurations, speed=speed, repeat=repeat)
        _record(arm, plan, output, approach=approach, confirm_each=confirm_each, yes=yes, resume=resume, patience=patience)
    finally:
        arm.close()


def _split(words: Sequence[str]) -> tuple[str, str]:
    """The vendor and the address of "franka 172.16.0.2" or "virtual:panda"."""
    from dynident.recording.registry import known_vendors

    name, _, address = words[0].partition(":")
    rest = [*([address] if address else []), *words[1:]]
    if len(rest) != 1:
        raise InputError(f"got {' '.join(words)!r}; a vendor and an address were expected, one of: {known_vendors()}")
    return name, rest[0]


def _description(vendor: Vendor, address: str, robot: str | None) -> str:
    if vendor.is_description:
        if robot is not None:
            raise InputError(f"--robot and {vendor.name}:{address} both name a robot; leave --robot out")
        return address
    if robot is None:
        raise InputError(f"the limits of the robot at {address} are not known; describe it with --robot, such as --robot panda")
    return robot


def _plan(
    arm: RobotConnection,
    robot: Robot,
    limits: Limits,
    trajectory: Path | None,
    configurations: Path | None,
    *,
    speed: float | None,
    repeat: int,
) -> RecordingPlan:
    import numpy as np

    from dynident.data.reading.reading import Reading
    from dynident.recording import plan_configurations, plan_trajectory

    given: dict[str, Any] = {} if speed is None else {"speed": speed}
    found = read_motion(require(trajectory or configurations, "a trajectory or configurations"), robot, Reading())
    if found.unchecked:
        console().print(found.unchecked, style="bold red", markup=False)
    motion = found.samples
    standing = np.asarray(arm.read().reference, dtype=float)
    if trajectory is not None:
        return plan_trajectory(robot, motion, standing, limits=limits, rate=arm.rate, repeats=repeat, **given)
    if repeat != 1:
        raise ValueRangeError("--repeat", "is for trajectories; a controller says the same at the same configuration")
    return plan_configurations(robot, motion.q, standing, limits=limits, rate=arm.rate, stops=motion.period, **given)


def _record(
    arm: RobotConnection,
    plan: RecordingPlan,
    output: Path,
    *,
    approach: bool,
    confirm_each: bool,
    yes: bool,
    resume: bool,
    patience: float,
) -> None:
    from dynident.recording import RecordingStatus
    from dynident.recording import record as run
    from dynident.recording.recorder import passages_done

    done = passages_done(output, plan, resume=resume)
    left = plan.from_standing(plan.standing, done)
    if not left.passages:
        console().print(f"{output} has all {len(plan.passages)} already", markup=False)
        return
    print_report(left.tables())
    _confirm_start(left, approach=approach, yes=yes)

    def confirm(question: str) -> bool:
        return (yes and approach) or (sys.stdin.isatty() and _ask(question))

    with _ctrl_c() as interrupted, progress_bar("Recording") as progress:
        outcome = run(
            arm,
            plan,
            output,
            resume=resume,
            confirm=_ask if confirm_each else confirm,
            confirm_each=confirm_each,
            interrupted=interrupted,
            progress=progress,
            patience=patience,
        )
    if outcome.status is RecordingStatus.COMPLETE:
        console().print(f"{outcome.sentence[:1].upper()}{outcome.sentence[1:]}.", markup=False)
        return
    remedy = outcome.remedy or (Remedy("when all is in order, go on with {resume}", resume=True) if outcome.samples else "")
    if outcome.status is not RecordingStatus.INTERRUPTED:
        raise DynidentError(outcome.sentence, remedy=remedy)
    print("dynident:", outcome.sentence, file=sys.stderr)
    raise Exit(INTERRUPTED)


def _confirm_start(plan: RecordingPlan, *, approach: bool, yes: bool) -> None:
    """InputError unless the user wants it; a start that is elsewhere is approached only by consent."""
    away = f"the robot stands {plan.distance} from the start of the trajectory"
    if plan.needs_approach and not approach and (yes or not _ask(f"{away[:1].upper()}{away[1:]}. Drive there slowly first?")):
        raise InputError(f"{away}; drive it there, or allow it with --approach")
    if not yes and not _ask("Is the workspace clear, and the stop button at hand? Move the robot as shown?"):
        raise InputError("nothing was moved, because it was not confirmed")


def _ask(question: str) -> bool:
    """Yes or no of a person; nobody at the terminal is an InputError."""
    if not sys.stdin.isatty():
        raise InputError(f"nobody is there to answer {question!r}; allow it with --yes, and driving to the start with --approach")
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # while nothing moves, Ctrl-C is a no
    try:
        return input(f"{question} [y/N] ").strip().lower() in ("y", "yes")
    except (EOFError, KeyboardInterrupt):
        return False
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _ctrl_c() -> Generator[Callable[[], bool]]:
    """Whether Ctrl-C was pressed; it ends nothing by itself, for a robot must not be left in the middle of a motion."""
    asked = Event()

    def note(number: int, frame: object) -> None:
        asked.set()

    before = signal.signal(signal.SIGINT, note)
    try:
        yield asked.is_set
    finally:
        signal.signal(signal.SIGINT, before)
