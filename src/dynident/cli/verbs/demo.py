"""`dynident demo`: the whole pipeline on a virtual robot, as the commands that a user would type, with nothing to download."""

from __future__ import annotations

import contextlib
import io
import shlex
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from dynident.cli.arguments import RandomSeed
from dynident.cli.command_line import Argument
from dynident.cli.interrupts import end_at_once
from dynident.cli.terminal import console
from dynident.core.kinds import Folder, number
from dynident.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    import numpy as np

    from dynident.motions import Trajectory
    from dynident.robots import Robot

EXAMPLE = """Examples:

dynident demo

dynident demo kuka -o my_run"""


@dataclass(frozen=True)
class Demo:
    """One paper's robot.

    total_mass : what a data sheet would tell [kg].
    mean_position : of the report's motion [rad]; None: a motion is designed, and torques have signs and noise.
    validation : function of `dynident.motions` that makes the published motion for the validation; None: each joint swings by itself.
    """

    robot: str
    title: str
    total_mass: tuple[float, float]
    mean_position: tuple[float, ...] | None = None
    validation: str | None = None

    @property
    def noise(self) -> str:
        """Of the sensors; the report's simulation has none."""
        return "realistic" if self.mean_position is None else "none"

    def validation_motion(self, robot: Robot) -> Trajectory:
        from dynident import motions

        return _swing(robot) if self.validation is None else getattr(motions, self.validation)(joints=robot.joint_names)


def _swing(robot: Robot) -> Trajectory:
    """Each joint at its own frequency."""
    import numpy as np

    from dynident.motions import SinusoidTrajectory

    period, amplitude = np.array([2.0 + 0.7 * j for j in range(robot.n)]), np.full(robot.n, 1.2)
    start = -amplitude * period / (2 * np.pi)
    return SinusoidTrajectory(joints=robot.joint_names, amplitude=amplitude, period=period, start=start, duration=15.0)


#: Farthest from the mean position that the report's motion goes here; the report doesn't tell its own [rad].
_AMPLITUDE = 1.2
#: The virtual robot in the run folder.
_TRUE = "true_robot.yaml"

DEMOS = {
    "panda": Demo(
        "panda", "Franka Emika Panda, validated on the motion of Table I (Gaz et al., 2019)", (14.0, 19.0), validation="panda_table_1"
    ),
    "kuka": Demo(
        "kuka_lwr4", "KUKA LWR IV+, validated on the motion of Table V (Gaz et al., 2016)", (13.0, 19.0), validation="kuka_table_5"
    ),
    "1r": Demo("pendulum_1r", "pendulum of the unsigned-torque report, with and without signs", (3.0, 7.0), (0.0,)),
    "3r": Demo("spatial_3r", "3R arm of the unsigned-torque report, with and without signs", (8.0, 16.0), (0.0, -1.5708, 0.0)),
}


def demo(
    which: Annotated[str, Argument(metavar="ROBOT", help="panda, kuka, 1r or 3r.")] = "panda",
    /,
    *,
    output: Annotated[Folder | None, Argument(help="Run folder to write.", metavar="DIR", short="-o", shown="demo-ROBOT")] = None,
    budget: Annotated[
        Annotated[float, number("s", low=1.0, metavar="SECONDS")] | None,
        Argument(help="Time for the design of the exciting trajectory of panda and kuka.", shown="4 starts"),
    ] = None,
    seed: RandomSeed = 0,
) -> None:
    """Identify a virtual robot from end to end and write a run folder with a report.

    Designs an exciting trajectory, records it on a virtual robot that differs from its description, identifies the robot from the log and
    from its controller's M and g, retrieves feasible link parameters, validates them on another motion, draws models that the data leave
    open, exports the links and writes a report. The robots of the unsigned-torque report, 1r and 3r, follow a motion as in the report and
    are identified with the signs of the torque, into the folder signed, and without. Every step is a dynident command and is shown; what
    the commands print is in demo.log.
    """
    from dynident.core.files import make_folder, place_below

    if which not in DEMOS:
        raise UnknownNameError("demo", which, DEMOS)
    chosen = DEMOS[which]
    if chosen.mean_position is not None and budget is not None:
        raise InputError(f"--budget is for the design of a trajectory, and demo {which} follows the report's; leave it out")
    run = output or Path(f"demo-{which}")
    make_folder(run)
    for name in ("controller", "signed", "samples"):
        place_below(run, name)
    began = time.monotonic()
    out = console()
    out.print(f"[bold]{chosen.title}[/]")
    steps = _Steps(run)
    _prepare(chosen, run, seed)
    if chosen.mean_position is None:
        data, beside = _record_both_routes(steps, chosen, run, budget, seed)
    else:
        data, beside = _record_without_signs(steps, chosen, run, seed)
    new, sensors = run / "validation_log.npz", ("--noise", chosen.noise, "--friction", "linear")
    steps.do("simulate", run / _TRUE, run / "validation_motion.csv", "-o", new, *sensors, "--ignore-limits", "--seed", seed + 1)
    low, high = chosen.total_mass
    steps.do("fit", chosen.robot, *data, "-o", run, "--test", new, "--total-mass", f"{low:g}", f"{high:g}")
    steps.do("sample", run, "-n", 20, "-o", run / "samples", "--seed", seed)
    steps.do("export", run, "--mjcf", run / "model.xml", "--yaml", run / "model.yaml")
    steps.do("report", run, *beside)
    for line in _numbers(run):
        out.print(line, markup=False)
    out.print(f"Open {run / 'report.html'}; everything else is in {run} ({time.monotonic() - began:.0f} s).", markup=False)


def _record_both_routes(steps: _Steps, chosen: Demo, run: Path, budget: float | None, seed: int) -> tuple[list[object], list[object]]:
    """A log of a motion that is designed first, to be fitted; and what the controller's M and g give. What the report shows beside."""
    log, motion, samples, noise = run / "log.npz", run / "trajectory.csv", run / "controller.npz", ("--noise", "realistic")
    effort = ("--starts", 4) if budget is None else ("--budget", f"{budget:g}")  # starts are the same on a busy machine
    steps.do("excite", chosen.robot, "-o", motion, "--duration", 20, *effort, "--seed", seed)
    steps.do("simulate", run / _TRUE, motion, "-o", log, *noise, "--friction", "linear", "--seed", seed)
    steps.do("simulate", run / _TRUE, "--controller", 500, "-o", samples, *noise, "--seed", seed)
    steps.do("identify", chosen.robot, samples, "-o", run / "controller")
    return [log], []


def _record_without_signs(steps: _Steps, chosen: Demo, run: Path, seed: int) -> tuple[list[object], list[object]]:
    """A log without the signs of its torque, to be fitted; and what the same log gives with them, which the report shows beside."""
    log, friction, sensors = run / "log.npz", ("--friction", "linear"), ("--noise", chosen.noise)
    steps.do("simulate", run / _TRUE, run / "trajectory.csv", "-o", log, *sensors, *friction, "--rate", 100, "--seed", seed)
    unsigned = _forget_signs(log)
    console().print(f"{unsigned} is the same log without the signs of its torque.", style="dim", markup=False, soft_wrap=True)
    steps.do("identify", chosen.robot, log, "-o", run / "signed", *friction)
    return [unsigned, *friction, "--seed", seed], ["--beside", run / "signed"]


class _Steps:
    """Runs dynident commands in this process; what they print is kept in demo.log."""

    def __init__(self, run: Path) -> None:
        self.log, self.text = run / "demo.log", ""

    def do(self, *arguments: object) -> None:
        from dynident.cli.app import run
        from dynident.core.files import write_atomically

        words = [str(argument) for argument in arguments]
        command, printed = f"$ dynident {shlex.join(words)}", io.StringIO()
        console().print(command, style="dim", markup=False, soft_wrap=True)
        try:
            with contextlib.redirect_stdout(printed), end_at_once():
                run(words)
        finally:
            self.text += f"{command}\n{printed.getvalue()}\n"
            write_atomically(self.log, self.text)


def _prepare(chosen: Demo, run: Path, seed: int) -> None:
    """The virtual robot, which is not quite what its description says, the validation motion, and the report's where it is followed."""
    import numpy as np

    from dynident.core.files import write_atomically
    from dynident.data import write_dataset
    from dynident.motions import trajectory_dataset
    from dynident.motions.simulation.payload import vary_links
    from dynident.robots import load_robot

    robot = load_robot(chosen.robot)
    true = robot.with_parameters(vary_links(robot, seed=seed))
    write_atomically(run / _TRUE, true.to_dh_yaml())
    write_dataset(trajectory_dataset(chosen.validation_motion(robot), 100.0), run / "validation_motion.csv")
    if chosen.mean_position is not None:
        motion = _report_motion(robot, chosen.mean_position, np.random.default_rng(seed))
        write_dataset(trajectory_dataset(motion, 100.0), run / "trajectory.csv")


def _report_motion(robot: Robot, mean_position: Sequence[float], rng: np.random.Generator) -> Trajectory:
    """A random Fourier series as in the report, section 2.1: five harmonics of 0.1 π rad/s.

    The report follows it five times and keeps the three periods in the middle, when its servo has settled; ours begins on the
    trajectory, so three are recorded.
    """
    import numpy as np

    from dynident.motions import FourierTrajectory

    a, b = rng.uniform(-1.0, 1.0, (2, robot.n, 5))
    whole = FourierTrajectory(joints=robot.joint_names, base_frequency=0.05, a=a, b=b, q0=np.zeros(robot.n), duration=60.0)
    scale = (_AMPLITUDE / np.abs(whole.sample(np.arange(0.0, 20.0, 0.05)).q).max(axis=0))[:, None]
    return replace(whole, a=scale * a, b=scale * b, q0=np.array(mean_position))


def _forget_signs(file: Path) -> Path:
    """A copy of a log with |torque| in place of the torque."""
    import numpy as np

    from dynident.data import EffortKind, load_dataset, write_dataset

    log = load_dataset(file)
    target = file.with_name("log_unsigned.npz")
    write_dataset(log.after("signs forgotten", effort=np.abs(log.require("effort")), effort_kind=EffortKind.MAGNITUDE), target)
    return target


def _numbers(run: Path) -> Iterator[str]:
    """The five numbers that matter, and what became of the signs."""
    from dynident.core.files import read_json
    from dynident.regression.comparison import compare
    from dynident.runs import read_estimate

    estimate, parameters, validation = (read_json(run / f"{name}.json") for name in ("estimate", "parameters", "validation"))
    if (run / "signs.json").is_file():
        yield read_json(run / "signs.json")["sentence"]
        yield f"With and without signs: {compare(read_estimate(run), read_estimate(run / 'signed'))}"
    per_joint = ", ".join(f"{error:.2g}" for error in validation["relative_percent_per_joint"].values())
    yield (
        f"Held-out error: {validation['relative_percent']:.2g} % in all, per joint {per_joint} % "
        f"(with the description's own numbers: {validation['nominal']['relative_percent']:.2g} %)"
    )
    yield f"Rank: {estimate['rank']} coefficients"
    yield f"Condition number: {estimate['condition_number']:.3g}"
    yield f"Gap to the best possible fit: {parameters['gap_in_words']} (objective {parameters['objective']:.3g})"
    yield f"Feasible: {'yes' if parameters['feasible'] else 'no'}"
