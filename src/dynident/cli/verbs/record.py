"""`dynident record`: drive a robot along a trajectory, or to configurations at which its controller is asked, and write what it tells."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Annotated

from dynident.cli.command_line import Argument
from dynident.cli.exits import Exit
from dynident.cli.inputs import check_output
from dynident.cli.interrupts import INTERRUPTED
from dynident.cli.terminal import console, print_report, progress_bar
from dynident.core.texts import as_sentence, capitalize
from dynident.errors import DynidentError, InputError, Remedy
from dynident.motions.recording.options import RecordingChoice
from dynident.robots.mounting import Mounting

if TYPE_CHECKING:
    from dynident.motions.recording import RecordingPlan

EXAMPLE = """Examples:

dynident record franka 172.16.0.2 --robot panda --trajectory trajectory.csv -o log.npz --repeat 3

dynident record franka 172.16.0.2 --robot panda --configurations configurations.csv -o samples.npz --speed 0.1

dynident record virtual:panda --trajectory trajectory.csv -o log.npz --approach --yes"""


def record(
    connection: Annotated[
        Sequence[str],
        Argument(metavar="VENDOR HOST", help="What to record from: {}.", registry="dynident.motions.recording.registry:known_vendors"),
    ],
    /,
    *,
    output: Annotated[Path, Argument(help="Recording to write (.npz); never overwritten.", short="-o")],
    choice: RecordingChoice,
    mounting: Mounting,
    approach: Annotated[bool, Argument(help="Drive slowly to where the trajectory starts.", group="Consent")] = False,
    confirm_each: Annotated[bool, Argument(help="Ask before every move.", group="Consent")] = False,
    yes: Annotated[bool, Argument(help="Don't ask before moving.", group="Consent")] = False,
) -> None:
    """Record from a robot: its log along a trajectory, or its controller's M, g and c at configurations.

    Before anything moves, the plan is checked against the limits, shown, and confirmed. Ctrl-C stops the robot smoothly; what was
    recorded is kept whenever and however it ends. The file is one that identify reads at once. Exits with 1 when the robot reported an
    error or its connection was lost for good, with 130 after Ctrl-C.
    """
    from dynident.motions.recording import RecordingStatus, connect
    from dynident.motions.recording import record as run
    from dynident.motions.recording.options import find_connection
    from dynident.motions.recording.recorder import passages_done
    from dynident.robots import load_robot

    check_output(output, "recording", (".npz",))
    vendor, address = find_connection(connection)
    choice.check()
    machine = load_robot(choice.description(vendor, address), mounting)
    arm = connect(vendor, address, machine, choice.connection_option)
    try:
        plan, unchecked = choice.plan(arm, machine)
        if unchecked:
            console().print(unchecked, style="bold red", markup=False)
        left = plan.from_standing(plan.standing, passages_done(output, plan, resume=choice.resume))
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
                resume=choice.resume,
                confirm=_ask if confirm_each else confirm,
                confirm_each=confirm_each,
                interrupted=interrupted,
                progress=progress,
                patience=choice.patience,
            )
    finally:
        arm.close()
    if outcome.status is RecordingStatus.COMPLETE:
        console().print(as_sentence(outcome.sentence), markup=False)
        return
    remedy = outcome.remedy or (Remedy("when all is in order, go on with {resume}", resume=True) if outcome.samples else "")
    if outcome.status is not RecordingStatus.INTERRUPTED:
        raise DynidentError(outcome.sentence, remedy=remedy)
    print("dynident:", outcome.sentence, file=sys.stderr)
    raise Exit(INTERRUPTED)


def _confirm_start(plan: RecordingPlan, *, approach: bool, yes: bool) -> None:
    """InputError unless the user wants it; a start that is elsewhere is approached only by consent."""
    away = f"the robot stands {plan.distance} from the start of the trajectory"
    if plan.needs_approach and not approach and (yes or not _ask(f"{capitalize(away)}. Drive there slowly first?")):
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
