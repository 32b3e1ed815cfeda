"""`dynident demo`: the whole chain on a virtual robot, as the commands that a user would type, with nothing to download."""

from __future__ import annotations

import contextlib
import io
import shlex
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dynident.cli.options import Debug
from dynident.cli.terminal import console
from dynident.errors import UnknownNameError

if TYPE_CHECKING:
    from dynident.excitation import Trajectory
    from dynident.robots import Robot

GROUP = "Start here"
EXAMPLE = """Examples:

[bold]dynident demo[/bold]

[bold]dynident demo kuka -o my_run[/bold]"""


@dataclass(frozen=True)
class Demo:
    """One paper's robot. motion : the validation motion; total_mass : what a data sheet would tell [kg]."""

    robot: str
    title: str
    motion: Callable[[Robot], Trajectory]
    total_mass: tuple[float, float]
    duration: float = 20.0
    limits: str = ""  #: a limits file, where the description has no limits


def _panda_motion(robot: Robot) -> Trajectory:
    from dynident.excitation import panda_table_1

    return panda_table_1(joints=robot.joint_names)


def _kuka_motion(robot: Robot) -> Trajectory:
    from dynident.excitation import kuka_table_5

    return kuka_table_5(joints=robot.joint_names)


def _swing(robot: Robot) -> Trajectory:
    """Each joint at its own frequency."""
    import numpy as np

    from dynident.excitation import SinusoidTrajectory

    period, amplitude = np.array([2.0 + 0.7 * j for j in range(robot.n)]), np.full(robot.n, 1.2)
    start = -amplitude * period / (2 * np.pi)
    return SinusoidTrajectory(joints=robot.joint_names, amplitude=amplitude, period=period, start=start, duration=15.0)


#: The report gives no limits; these are moderate ones.
_REPORT_LIMITS = "position: [-2.5, 2.5]\nvelocity: 3.0\nacceleration: 15.0\n"

DEMOS = {
    "panda": Demo("panda", "Franka Emika Panda, validated on the motion of Table I (Gaz et al., 2019)", _panda_motion, (14.0, 19.0)),
    "kuka": Demo("kuka_lwr4", "KUKA LWR IV+, validated on the motion of Table V (Gaz et al., 2016)", _kuka_motion, (13.0, 19.0)),
    "1r": Demo("pendulum_1r", "pendulum of the unsigned-torque report", _swing, (3.0, 7.0), 10.0, _REPORT_LIMITS),
    "3r": Demo("spatial_3r", "spatial 3R arm of the unsigned-torque report", _swing, (8.0, 16.0), 10.0, _REPORT_LIMITS),
}


def demo(
    which: Annotated[str, typer.Argument(metavar="ROBOT", help="panda, kuka, 1r or 3r.")] = "panda",
    output: Annotated[Path | None, typer.Option("--output", "-o", metavar="DIR", help="Run folder to write. Default: demo-ROBOT.")] = None,
    budget: Annotated[
        float, typer.Option("--budget", metavar="SECONDS", help="Time for the design of the exciting trajectory.", min=1.0)
    ] = 20.0,
    seed: Annotated[int, typer.Option("--seed", help="Of the virtual robot, its noise and the design.", min=0)] = 0,
    debug: Debug = False,
) -> None:
    """Identify a virtual robot from end to end and write a run folder with a report.

    Designs an exciting trajectory, records it on a virtual robot that differs from its description, identifies the
    robot from the log and from its controller's M and g, retrieves feasible link parameters, validates them on another
    motion, exports them and writes a report. Every step is a dynident command and is shown.
    """
    if which not in DEMOS:
        raise UnknownNameError("demo", which, DEMOS)
    chosen = DEMOS[which]
    run = output or Path(f"demo-{which}")
    run.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    out = console()
    out.print(f"[bold]{chosen.title}[/]")
    steps = _Steps(run)
    _prepare(chosen, run, seed)
    robot, true = chosen.robot, str(run / "true_robot.yaml")
    log, motion = str(run / "log.npz"), str(run / "trajectory.csv")
    limits = ["--limits", str(run / "limits.yaml")] if chosen.limits else []
    steps.do("excite", robot, "-o", motion, "--duration", f"{chosen.duration:g}", "--budget", f"{budget:g}", "--seed", str(seed), *limits)
    steps.do("simulate", true, motion, "-o", log, "--noise", "realistic", "--friction", "linear", "--seed", str(seed))
    steps.do("simulate", true, "--controller", "500", "-o", str(run / "controller.npz"), "--noise", "realistic", "--seed", str(seed))
    steps.do("identify", robot, str(run / "controller.npz"), "-o", str(run / "controller"))
    steps.do(
        "identify", robot, log, "-o", str(run),
        "--friction", "linear", "--filter", "5", "--rate", "20",
    )  # fmt: skip
    low, high = chosen.total_mass
    steps.do("retrieve", str(run), "--total-mass", f"{low:g}", f"{high:g}")
    new = str(run / "validation_log.npz")
    steps.do(
        "simulate", true, str(run / "validation_motion.csv"), "-o", new,
        "--noise", "realistic", "--friction", "linear", "--ignore-limits", "--seed", str(seed + 1),
    )  # fmt: skip
    steps.do("validate", str(run), new)
    steps.do("export", str(run), "--urdf", str(run / "model.urdf"), "--mjcf", str(run / "model.xml"), "--yaml", str(run / "model.yaml"))
    steps.do("report", str(run))
    for line in _numbers(run):
        out.print(line, markup=False)
    out.print(f"Open {run / 'report.html'}; everything else is in {run} ({time.monotonic() - began:.0f} s).", markup=False)


class _Steps:
    """Runs dynident commands in this process; what they print is kept in demo.log."""

    def __init__(self, run: Path) -> None:
        self.log = run / "demo.log"
        self.log.write_text("", encoding="utf-8")

    def do(self, *words: str) -> None:
        from dynident.cli.app import run

        console().print(f"$ dynident {shlex.join(words)}", style="dim", markup=False, soft_wrap=True)
        printed = io.StringIO()
        try:
            with contextlib.redirect_stdout(printed):
                run(words)
        finally:
            with self.log.open("a", encoding="utf-8") as file:
                file.write(f"$ dynident {shlex.join(words)}\n{printed.getvalue()}\n")


def _prepare(chosen: Demo, run: Path, seed: int) -> None:
    """The virtual robot, which is not quite what its description says, and the validation motion."""
    from dynident.core.files import write_atomically
    from dynident.data import write_dataset
    from dynident.excitation import trajectory_dataset
    from dynident.robots import load_robot
    from dynident.simulation.payload import vary_links

    robot = load_robot(chosen.robot)
    true = robot.with_parameters(vary_links(robot, seed=seed))
    write_atomically(run / "true_robot.yaml", true.to_dh_yaml())
    write_dataset(trajectory_dataset(chosen.motion(robot), 100.0), run / "validation_motion.csv")
    if chosen.limits:
        write_atomically(run / "limits.yaml", chosen.limits)


def _numbers(run: Path) -> Sequence[str]:
    """The five numbers that matter."""
    from dynident.core.files import read_json

    estimate, parameters, validation = (read_json(run / f"{name}.json") for name in ("estimate", "parameters", "validation"))
    per_joint = ", ".join(f"{error:.2g}" for error in validation["relative_percent_per_joint"].values())
    return (
        f"Held-out error: {validation['relative_percent']:.2g} % in all, per joint {per_joint} % "
        f"(with the description's own numbers: {validation['nominal']['relative_percent']:.2g} %)",
        f"Rank: {estimate['rank']} coefficients",
        f"Condition number: {estimate['condition_number']:.3g}",
        f"Gap to the best possible fit: {parameters['gap_in_words']} (objective {parameters['objective']:.3g})",
        f"Feasible: {'yes' if parameters['feasible'] else 'no'}",
    )
