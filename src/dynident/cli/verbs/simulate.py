"""`dynident simulate`: a virtual robot follows a trajectory, or answers as a controller, and leaves a log to try things out on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from dynident.cli import options as opt
from dynident.cli.inputs import check_output, parse_reading, read_motion, read_robot
from dynident.cli.terminal import console, print_notes, progress_bar
from dynident.core.fields import parse_numbers, read_fields
from dynident.errors import FileError, InputError, UnknownNameError, ValueRangeError

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynident.core.arrays import Array
    from dynident.data import Dataset
    from dynident.robots import Robot
    from dynident.simulation import Elasticity, Payload, Push, Sensors

EXAMPLE = """Examples:

[bold]dynident simulate panda traj.csv -o log.npz --noise realistic --friction linear --truth truth.npz[/bold]

[bold]dynident simulate panda --controller 1010 -o samples.npz --noise realistic[/bold]"""

#: Position noise of the controller's configurations with realistic noise [rad | m].
CONTROLLER_NOISE = 3e-4


def simulate(
    robot: opt.RobotArgument,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Log to write: .npz, .csv or .parquet.")],
    trajectory: Annotated[
        Path | None,
        typer.Argument(metavar="[TRAJECTORY]", help="Motion to follow, in any format of dynident excite or a table with time and q."),
    ] = None,
    *,
    noise: Annotated[str, typer.Option("--noise", metavar="NAME", help="none, or realistic: like a recorded Panda.")] = "none",
    unsigned: Annotated[bool, typer.Option("--unsigned", help="Record only the magnitude of the torque.")] = False,
    friction: Annotated[
        str | None, typer.Option("--friction", metavar="NAME", help="Friction model, such as linear or viscous+coulomb. Default: none.")
    ] = None,
    friction_parameters: Annotated[
        Path | None,
        typer.Option("--friction-parameters", metavar="FILE", help="YAML: each parameter and shape, or a list with one per joint."),
    ] = None,
    parameters: Annotated[
        Path | None, typer.Option("--parameters", metavar="RUN", help="Use the link parameters that were retrieved in this run folder.")
    ] = None,
    payload: Annotated[
        str | None, typer.Option("--payload", metavar="KG[,X,Y,Z]", help="Hang a mass on the tool, centred at X,Y,Z (m) in its frame.")
    ] = None,
    elastic: Annotated[
        str | None,
        typer.Option("--elastic", metavar="STIFFNESS", help="Joint stiffness (N·m/rad, N/m), one or one per joint: 2e4,inf."),
    ] = None,
    push: Annotated[
        list[str] | None,
        typer.Option(
            "--push", metavar="T:S:FX,FY,FZ[:LINK]", help="Push the tool, or a link, from T s on for S s with a force (N). Repeatable."
        ),
    ] = None,
    rate: Annotated[str, typer.Option("--rate", metavar="HZ", help="Samples per second of the log.")] = "1000",
    controller: Annotated[
        int | None,
        typer.Option("--controller", metavar="N", min=1, help="No motion: M and g at N random configurations, as a controller tells them."),
    ] = None,
    truth: Annotated[
        Path | None, typer.Option("--truth", metavar="FILE", help="Also write what a robot would not tell, to this .npz file.")
    ] = None,
    ignore_limits: Annotated[bool, typer.Option("--ignore-limits", help="Follow the trajectory beyond the joints' limits too.")] = False,
    read: opt.MotionReading,
    mounting: opt.Mounting,
    seed: Annotated[int, typer.Option("--seed", help="Of the noise, and of the controller's configurations.", min=0)] = 0,
    debug: opt.Debug = False,
) -> None:
    """Simulate a robot and record what a real one would.

    A position servo drives the robot in MuJoCo (extra sim) along the trajectory, with friction and noise as wanted. With
    --controller nothing moves, and MuJoCo is not needed. Exits with 1 when the simulated robot runs away.
    """
    from dynident.data.formats.writing import WRITERS
    from dynident.simulation import NOISES

    opt.one_of(noise, tuple(NOISES), "noise")
    inputs = (robot, trajectory, friction_parameters)
    check_output(output, "log", WRITERS, inputs=inputs, runs=(parameters,))
    if truth is not None:
        check_output(truth, "truth", (".npz",), inputs=inputs, runs=(parameters,))
        if truth.absolute() == output.absolute():
            raise InputError(f"--truth and --output are both {truth}; give the truth a file of its own")
    machine = read_robot(robot, **mounting)
    true = _true_parameters(machine, parameters)
    load = _payload(payload)
    if controller is not None:
        of_motion = {"TRAJECTORY": trajectory, "--unsigned": unsigned, "--friction": friction, "--elastic": elastic, "--truth": truth}
        given = opt.name_given({**of_motion, "--friction-parameters": friction_parameters, "--push": push})
        if given:
            raise InputError(f"{given} and --controller don't go together, for a controller's answers have no motion; leave one out")
        _answer(machine, true, load, controller, output, noise, seed)
        return
    if trajectory is None:
        raise InputError("nothing to simulate; give a trajectory file, or --controller N")
    motion = read_motion(trajectory, machine, parse_reading(read)).samples
    _follow(
        machine,
        motion,
        output,
        truth,
        unsigned=unsigned,
        parameters=true,
        payload=load,
        **_friction(machine, friction, friction_parameters),
        noise=noise,
        elasticity=_elasticity(machine, elastic),
        pushes=[_push(machine, text) for text in push or ()],
        rate=opt.parse_frequency(rate, "--rate"),
        check_limits=not ignore_limits,
        seed=seed,
    )


def _follow(robot: Robot, motion: Dataset, output: Path, truth: Path | None, *, unsigned: bool, **options: Any) -> None:
    from dynident.data import write_dataset
    from dynident.simulation import NOISES, write_truth
    from dynident.simulation import simulate as run

    if unsigned:
        sensors = NOISES[options["noise"]]
        magnitudes: Callable[[Array], Sensors] = lambda scale: replace(sensors(scale), unsigned=True)  # noqa: E731
        options["noise"] = magnitudes
    with progress_bar("Simulating") as progress:
        recording = run(robot, motion, **options, progress=progress)
    write_dataset(recording.log, output)
    if truth is not None:
        write_truth(recording.truth, truth)
    out = console()
    out.print(str(recording.log), markup=False)
    print_notes(out, recording.notes)
    out.print(f"Written to {output}{'' if truth is None else f', the truth to {truth}'}", markup=False)


def _answer(robot: Robot, parameters: Array | None, payload: Payload | None, samples: int, output: Path, noise: str, seed: int) -> None:
    from dynident.data import write_dataset
    from dynident.simulation import VirtualController, loaded_parameters, random_configurations

    inside = loaded_parameters(robot, parameters, payload)
    level = CONTROLLER_NOISE if noise == "realistic" else 0.0
    found = VirtualController(robot, inside, position_noise=level, seed=seed).sample(random_configurations(robot, samples, seed=seed))
    write_dataset(found, output)
    console().print(f"{found}\nWritten to {output}", markup=False)


def _true_parameters(robot: Robot, run: Path | None) -> Array | None:
    if run is None:
        return None
    from dynident.runs import read_parameters

    stored = read_parameters(run)
    if stored.robot.link_names != robot.link_names or stored.robot.frame_names != robot.frame_names:
        names = ", ".join(stored.robot.link_names)
        raise FileError(run, f"has parameters of other links ({names}) than robot {robot.name!r}; give the robot that was identified")
    return stored.parameters


def _payload(text: str | None) -> Payload | None:
    if text is None:
        return None
    from dynident.simulation import Payload

    numbers = parse_numbers(text)
    if len(numbers) not in (1, 4):
        raise ValueRangeError("--payload", f"got {text!r}; a mass in kg, or a mass and its centre in m, were expected, such as 2,0,0,0.05")
    return Payload(mass=numbers[0], com=cast("Any", tuple(numbers[1:]) or (0.0, 0.0, 0.0)))


def _push(robot: Robot, text: str) -> Push:
    from dynident.simulation import Push

    times, force, link = text.split(":")[:2], text.split(":")[2:3], text.split(":")[3:]
    numbers = [number for word in (*times, *force) for number in parse_numbers(word)]
    if len(numbers) != 5 or len(force) != 1 or len(link) > 1:
        raise ValueRangeError("--push", f"got {text!r}; start, duration and a force in base axes were expected, such as 5:0.4:0,0,-10")
    if link and link[0] not in robot.link_names:
        raise UnknownNameError("link", link[0], robot.link_names)
    return Push(start=numbers[0], duration=numbers[1], force=(numbers[2], numbers[3], numbers[4]), link="".join(link))


def _elasticity(robot: Robot, text: str | None) -> Elasticity | None:
    if text is None:
        return None
    from dynident.simulation import Elasticity

    numbers = parse_numbers(text)
    if len(numbers) not in (1, robot.n) or not all(number > 0.0 for number in numbers):
        raise ValueRangeError("--elastic", f"got {text!r}; one positive stiffness in N·m/rad or N/m, or {robot.n} of them, were expected")
    return Elasticity(stiffness=numbers[0] if len(numbers) == 1 else tuple(numbers))


def _friction(robot: Robot, name: str | None, file: Path | None) -> dict[str, Any]:
    """The model, and (n, k) its parameters of a YAML file, which may give shape constants too: one value for all joints, or one each."""
    if name is None or name == "none":
        if file is not None:
            raise InputError("--friction-parameters needs --friction, which names the model that they are of")
        return {}
    import numpy as np

    from dynident.friction import friction_model
    from dynident.friction.shapes import shape_joints

    model = friction_model(name)
    if file is None:
        return {"friction": model}
    fields = read_fields(file)
    shapes = [shape.name for part in model.parts for shape in part.shapes]
    fields.only((*model.parameter_names, *shapes))
    given = {key: np.asarray(fields.per_joint(key, robot.n)) for key in shapes if fields.has(key)}
    theta = np.column_stack([fields.per_joint(key, robot.n) for key in model.parameter_names])
    return {"friction": shape_joints(model, robot.n, given) if given else model, "friction_parameters": theta}
