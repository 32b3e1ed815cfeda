"""`dynident simulate`: a virtual robot follows a trajectory, or answers as a controller, and leaves a log to try things out on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from dynident.cli.arguments import MotionReading, RandomSeed, RobotFile
from dynident.cli.command_line import Argument
from dynident.cli.inputs import check_output
from dynident.cli.terminal import console, print_notes, progress_bar
from dynident.core.kinds import Count, Folder
from dynident.core.options import names_given
from dynident.errors import FileError, InputError, OptionsError
from dynident.motions.simulation.options import SimulationChoice
from dynident.robots.mounting import Mounting

if TYPE_CHECKING:
    from dynident.core.arrays import Array
    from dynident.robots import Robot

EXAMPLE = """Examples:

dynident simulate panda traj.csv -o log.npz --noise realistic --friction linear --truth truth.npz

dynident simulate panda --controller 1010 -o samples.npz --noise realistic"""


def simulate(
    robot: RobotFile,
    trajectory: Annotated[
        Path | None,
        Argument(metavar="[TRAJECTORY]", help="Motion to follow, in any format of dynident excite or a table with time and q."),
    ] = None,
    /,
    *,
    output: Annotated[Path, Argument(help="Log to write: .npz, .csv or .parquet.", short="-o")],
    choice: SimulationChoice,
    truth: Annotated[Path | None, Argument(help="Also write what a robot would not tell, to this .npz file.")] = None,
    controller: Annotated[
        Count | None, Argument(help="No motion: M and g at N random configurations, as a controller tells them.", metavar="N")
    ] = None,
    reading: MotionReading,
    mounting: Mounting,
    parameters: Annotated[
        Folder | None, Argument(help="Use the link parameters that were retrieved in this run folder.", metavar="RUN", group="The arm")
    ] = None,
    seed: RandomSeed = 0,
) -> None:
    """Simulate a robot and record what a real one would.

    A position servo drives the robot in MuJoCo (extra sim) along the trajectory, with friction and noise as wanted. With
    --controller nothing moves, and MuJoCo is not needed. Exits with 1 when the simulated robot runs away.
    """
    from dynident.data import write_dataset
    from dynident.data.formats.writing import WRITERS
    from dynident.motions.formats.registry import read_motion
    from dynident.motions.simulation import VirtualController, write_truth
    from dynident.motions.simulation import simulate as run
    from dynident.robots import load_robot

    inputs = (robot, trajectory, choice.friction_parameters)
    check_output(output, "log", WRITERS, inputs=inputs, runs=(parameters,))
    if truth is not None:
        check_output(truth, "truth", (".npz",), inputs=inputs, runs=(parameters,))
        if truth.absolute() == output.absolute():
            raise InputError(f"--truth and --output are both {truth}; give the truth a file of its own")
    machine, out = load_robot(robot, mounting), console()
    true = None if parameters is None else _links_of(machine, parameters)
    if controller is not None:
        names = ["TRAJECTORY"] * (trajectory is not None) + ["truth"] * (truth is not None)
        if names := names + names_given(choice, "unsigned", "friction", "elastic", "friction_parameters", "push"):
            raise OptionsError("{} and {controller} don't go together, for a controller's answers have no motion; leave one out", names)
        realistic = choice.noise == "realistic"
        samples = VirtualController.loaded(machine, true, choice.load, noisy=realistic, seed=seed).sample_randomly(controller)
        write_dataset(samples, output)
        out.print(f"{samples}\nWritten to {output}", markup=False)
        return
    if trajectory is None:
        raise InputError("nothing to simulate; give a trajectory file, or --controller N")
    motion = read_motion(trajectory, machine, reading).samples
    with progress_bar("Simulating") as progress:
        recording = run(machine, motion, parameters=true, **choice.of(machine), seed=seed, progress=progress)
    write_dataset(recording.log, output)
    if truth is not None:
        write_truth(recording.truth, truth)
    out.print(str(recording.log), markup=False)
    print_notes(out, recording.notes)
    out.print(f"Written to {output}{'' if truth is None else f', the truth to {truth}'}", markup=False)


def _links_of(robot: Robot, folder: Path) -> Array:
    """The (n, 10) link parameters of a run of the same robot."""
    from dynident.runs import read_parameters

    links = read_parameters(folder)
    if links.robot.link_names != robot.link_names or links.robot.frame_names != robot.frame_names:
        names = ", ".join(links.robot.link_names)
        raise FileError(folder, f"has parameters of other links ({names}) than robot {robot.name!r}; give the robot that was identified")
    return links.parameters
