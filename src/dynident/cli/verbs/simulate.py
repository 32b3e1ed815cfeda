"""`dynident simulate`: a virtual robot follows a trajectory, or answers as a controller, and leaves a log to try things out on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from dynident.cli.arguments import MotionReading, RandomSeed, RobotFile, name_given
from dynident.cli.command_line import Argument
from dynident.cli.inputs import check_output, read_motion
from dynident.cli.terminal import console, print_notes, progress_bar
from dynident.core.fields import parse_numbers, read_fields
from dynident.core.kinds import Count, Folder, Hertz, number, several, worded
from dynident.errors import FileError, InputError, UnknownNameError, ValueRangeError
from dynident.robots.mounting import Mounting

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynident.core.arrays import Array
    from dynident.data import Dataset
    from dynident.robots import Robot
    from dynident.simulation import Elasticity, Payload, Push, Sensors

EXAMPLE = """Examples:

dynident simulate panda traj.csv -o log.npz --noise realistic --friction linear --truth truth.npz

dynident simulate panda --controller 1010 -o samples.npz --noise realistic"""

#: Position noise of the controller's configurations with realistic noise [rad | m].
CONTROLLER_NOISE = 3e-4


def _parse_load(text: str) -> tuple[float, ...] | None:
    numbers = tuple(parse_numbers(text))
    return numbers if len(numbers) in (1, 4) else None


def _parse_push(text: str) -> tuple[Any, ...] | None:
    """(start, duration, fx, fy, fz, link) of "T:S:FX,FY,FZ[:LINK]"."""
    words = text.split(":")
    numbers = [number for word in words[:3] for number in parse_numbers(word)]
    return (*numbers, *words[3:], "")[:6] if len(numbers) == 5 and len(words) in (3, 4) else None


_LOAD = worded(_parse_load, "a mass in kg, or a mass and its centre in m, such as 2,0,0,0.05", "KG[,X,Y,Z]", types=tuple)
_PUSH = worded(_parse_push, "start, duration and a force in base axes, such as 5:0.4:0,0,-10", "T:S:FX,FY,FZ[:LINK]", types=tuple)
_STIFFNESS = several(number(above=0.0, infinite=True), metavar="STIFFNESS")


def simulate(
    robot: RobotFile,
    trajectory: Annotated[
        Path | None,
        Argument(metavar="[TRAJECTORY]", help="Motion to follow, in any format of dynident excite or a table with time and q."),
    ] = None,
    /,
    *,
    output: Annotated[Path, Argument(help="Log to write: .npz, .csv or .parquet.", short="-o")],
    friction: Annotated[
        str | None, Argument(help="Friction model, such as linear or viscous+coulomb.", metavar="NAME", shown="none")
    ] = None,
    noise: Annotated[Literal["none", "realistic"], Argument(help="none, or realistic: like a recorded Panda.", metavar="NAME")] = "none",
    rate: Annotated[Hertz, Argument(help="Samples per second of the log.")] = 1000.0,
    truth: Annotated[Path | None, Argument(help="Also write what a robot would not tell, to this .npz file.")] = None,
    controller: Annotated[
        Count | None, Argument(help="No motion: M and g at N random configurations, as a controller tells them.", metavar="N")
    ] = None,
    reading: MotionReading,
    mounting: Mounting,
    unsigned: Annotated[bool, Argument(help="Record only the magnitude of the torque.", group="The arm")] = False,
    friction_parameters: Annotated[
        Path | None, Argument(help="YAML: each parameter and shape, or a list with one per joint.", group="The arm")
    ] = None,
    parameters: Annotated[
        Folder | None, Argument(help="Use the link parameters that were retrieved in this run folder.", metavar="RUN", group="The arm")
    ] = None,
    payload: Annotated[
        Annotated[tuple[float, ...], _LOAD] | None,
        Argument(help="Hang a mass on the tool, centred at X,Y,Z (m) in its frame.", group="The arm"),
    ] = None,
    elastic: Annotated[
        Annotated[Sequence[float], _STIFFNESS],
        Argument(help="Joint stiffness (N·m/rad, N/m), one or one per joint: 2e4,inf.", group="The arm"),
    ] = (),
    push: Annotated[
        Sequence[Annotated[tuple[Any, ...], _PUSH]],
        Argument(help="Push the tool, or a link, from T s on for S s with a force (N).", group="The arm"),
    ] = (),
    ignore_limits: Annotated[bool, Argument(help="Follow the trajectory beyond the joints' limits too.", group="Advanced")] = False,
    seed: RandomSeed = 0,
) -> None:
    """Simulate a robot and record what a real one would.

    A position servo drives the robot in MuJoCo (extra sim) along the trajectory, with friction and noise as wanted. With
    --controller nothing moves, and MuJoCo is not needed. Exits with 1 when the simulated robot runs away.
    """
    from dynident.data.formats.writing import WRITERS
    from dynident.robots import load_robot

    inputs = (robot, trajectory, friction_parameters)
    check_output(output, "log", WRITERS, inputs=inputs, runs=(parameters,))
    if truth is not None:
        check_output(truth, "truth", (".npz",), inputs=inputs, runs=(parameters,))
        if truth.absolute() == output.absolute():
            raise InputError(f"--truth and --output are both {truth}; give the truth a file of its own")
    machine = load_robot(robot, mounting)
    true = _true_parameters(machine, parameters)
    load = _payload(payload)
    if controller is not None:
        of_motion = {"TRAJECTORY": trajectory, "--unsigned": unsigned, "--friction": friction, "--elastic": elastic, "--truth": truth}
        given = name_given({**of_motion, "--friction-parameters": friction_parameters, "--push": push})
        if given:
            raise InputError(f"{given} and --controller don't go together, for a controller's answers have no motion; leave one out")
        _answer(machine, true, load, controller, output, noise, seed)
        return
    if trajectory is None:
        raise InputError("nothing to simulate; give a trajectory file, or --controller N")
    motion = read_motion(trajectory, machine, reading).samples
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
        pushes=[_push(machine, given) for given in push],
        rate=rate,
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


def _payload(numbers: tuple[float, ...] | None) -> Payload | None:
    """A mass, and its centre where there is one."""
    if numbers is None:
        return None
    from dynident.simulation import Payload

    mass, *com = numbers
    return Payload(mass=mass, com=(com[0], com[1], com[2]) if com else (0.0, 0.0, 0.0))


def _push(robot: Robot, given: tuple[Any, ...]) -> Push:
    from dynident.simulation import Push

    start, duration, x, y, z, link = given
    if link and link not in robot.link_names:
        raise UnknownNameError("link", link, robot.link_names)
    return Push(start=start, duration=duration, force=(x, y, z), link=link)


def _elasticity(robot: Robot, stiffness: Sequence[float]) -> Elasticity | None:
    if not stiffness:
        return None
    from dynident.simulation import Elasticity

    if len(stiffness) not in (1, robot.n):
        raise ValueRangeError("--elastic", f"has {len(stiffness)} numbers; one stiffness in N·m/rad or N/m, or {robot.n}, were expected")
    return Elasticity(stiffness=stiffness[0] if len(stiffness) == 1 else tuple(stiffness))


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
