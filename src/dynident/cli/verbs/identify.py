"""`dynident identify`: from a log, or from a controller's M and g, to a run folder with the estimate."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from dynident.cli.data import parse_reading, provenance_of, read_data
from dynident.cli.options import (
    AsJson,
    Base,
    DataArgument,
    Debug,
    EffortKindOption,
    Gravity,
    Lock,
    Map,
    RobotArgument,
    Tip,
    Unit,
    parse_frequency,
    parse_gravity,
    parse_known,
    parse_locks,
    parse_part,
)
from dynident.cli.terminal import console, print_report, progress_bar, spinner
from dynident.errors import UnknownNameError, ValueRangeError

if TYPE_CHECKING:
    from dynident.data import ControllerSamples, Dataset
    from dynident.friction import FrictionModel
    from dynident.regression import Problem
    from dynident.robots import Robot

EXAMPLE = """Examples:

[bold]dynident identify panda log.npz -o run --friction linear --filter 5 --rate 20 --train 0:0.7[/bold]

[bold]dynident identify panda samples.npz -o run[/bold]   (q, M and g of the controller)"""

#: Cutoff for logs without recorded accelerations when the user gives none [Hz]; above what arms move at, below most noise.
DEFAULT_CUTOFF = 5.0


def identify(
    robot: RobotArgument,
    data: DataArgument,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="RUN", help="Folder for the results; made if it is not there.")],
    friction: Annotated[
        str | None, typer.Option("--friction", metavar="NAME", help="Friction model, such as linear or viscous+coulomb, or none.")
    ] = None,
    cutoff: Annotated[
        str | None,
        typer.Option("--filter", metavar="HZ", help="Cutoff of the parallel filter, or none. Default: 5 where accelerations are missing."),
    ] = None,
    rate: Annotated[
        str | None, typer.Option("--rate", metavar="HZ", help="Samples per second to keep after filtering. Default: 4 x the cutoff.")
    ] = None,
    train: Annotated[
        str | None, typer.Option("--train", metavar="A:B", help="Use only this part of the data, as fractions: 0:0.7.")
    ] = None,
    noise: Annotated[str, typer.Option("--noise", metavar="MODEL", help="uniform, or per_group: each joint by its own noise.")] = "uniform",
    loss: Annotated[str, typer.Option("--loss", metavar="NAME", help="squared, or huber or tukey for gross errors.")] = "squared",
    drop: Annotated[
        float, typer.Option("--drop", metavar="PERCENT", help="Drop coefficients whose relative standard deviation is above this.")
    ] = 30.0,
    no_drop: Annotated[bool, typer.Option("--no-drop", help="Keep all coefficients that the data determine.")] = False,
    known: Annotated[
        list[str] | None, typer.Option("--known", metavar="NAME=VALUE", help="Declare a parameter known, such as m7=0.73. Repeatable.")
    ] = None,
    equations: Annotated[
        str | None, typer.Option("--equations", metavar="KIND", help="Of controller samples use only inertia or gravity.")
    ] = None,
    map: Map = None,
    unit: Unit = None,
    effort_kind: EffortKindOption = None,
    lock: Lock = None,
    base: Base = None,
    tip: Tip = None,
    gravity: Gravity = None,
    seed: Annotated[int, typer.Option("--seed", help="Of the random samples that tell the base parameters.", min=0)] = 0,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Identify dynamic coefficients and friction, with their uncertainty.

    The route follows from the data: a log with q and torque is fitted as such; samples of q, M and g are what the robot's
    controller returned. Writes estimate.json, estimate.npz, problem.npz and robot.json into the folder RUN.
    """
    from dynident.regression.fit import fit
    from dynident.regression.tables import report
    from dynident.robots import load_robot
    from dynident.runs.estimate import check_writable, write_estimate
    from dynident.runs.estimate_document import estimate_document

    reading, part = parse_reading(map, unit, effort_kind), parse_part(train, "--train")
    how = _Wanted(friction=friction, cutoff=cutoff, rate=rate, known=parse_known(known), equations=equations, seed=seed)
    fitting = _fit_options(noise, loss, None if no_drop else drop)
    check_writable(output)
    machine = load_robot(robot, lock=parse_locks(lock), base=base, tip=tip, gravity=parse_gravity(gravity))
    with spinner("Reading"):
        recorded = read_data(data, machine, reading, part)
    problem = how.problem(machine, recorded)
    problem = replace(problem, processing=replace(problem.processing, read=reading))
    with spinner("Fitting") as say:
        estimate = fit(problem, **fitting, progress=say)
    estimate = replace(estimate, summary=replace(estimate.summary, provenance=provenance_of(data)))
    write_estimate(output, estimate, problem, seed=seed)
    if as_json:
        print(json.dumps(estimate_document(estimate, seed=seed), indent=2, ensure_ascii=False, allow_nan=False))
    else:
        print_report(report(estimate))
        console().print(f"Written to {output}", markup=False)


@dataclass(frozen=True, kw_only=True)
class _Wanted:
    """The options that say what problem is to be built; what was not given depends on the data."""

    friction: str | None
    cutoff: str | None
    rate: str | None
    known: dict[str, float]
    equations: str | None
    seed: int

    def problem(self, robot: Robot, data: Dataset | ControllerSamples) -> Problem:
        from dynident.data import Dataset
        from dynident.regression.problem import build_problem

        is_log = isinstance(data, Dataset)
        cutoff, note = self._cutoff(data) if isinstance(data, Dataset) else (self._explicit_cutoff(), "")
        with progress_bar("Building the regression") as progress:
            problem = build_problem(
                robot,
                data,
                friction=self._model("linear" if is_log else "none"),
                cutoff=cutoff,
                rate=parse_frequency(self.rate, "--rate"),
                equations=cast("Any", self._equations()),
                known=self.known,
                seed=self.seed,
                progress=progress,
            )
        return replace(problem, notes=(note, *problem.notes)) if note else problem

    def _model(self, default: str) -> FrictionModel | None:
        from dynident.friction import friction_model

        name = self.friction or default
        return None if name == "none" else friction_model(name)

    def _explicit_cutoff(self) -> float | None:
        return None if self.cutoff == "none" else parse_frequency(self.cutoff, "--filter")

    def _cutoff(self, log: Dataset) -> tuple[float | None, str]:
        """The cutoff, and a note where it was not the user who chose it."""
        missing = [name for name, values in (("velocities", log.dq), ("accelerations", log.ddq)) if values is None]
        if self.cutoff is not None or not missing:
            return self._explicit_cutoff(), ""
        cutoff = min(DEFAULT_CUTOFF, log.rate / 4.0)  # a slow log is kept at its own rate
        what = " and no ".join(missing)
        return cutoff, f"the log has no {what}, so both sides were filtered at {cutoff:g} Hz; --filter chooses, --filter none leaves it out"

    def _equations(self) -> str | None:
        allowed = ("inertia", "gravity")
        if self.equations is not None and self.equations not in allowed:
            raise UnknownNameError("kind of equations", self.equations, allowed)
        return self.equations


def _fit_options(noise: str, loss: str, drop: float | None) -> dict[str, Any]:
    from dynident.regression.fit import NOISES
    from dynident.regression.losses import loss_by_name

    if noise not in NOISES:
        raise UnknownNameError("noise model", noise, NOISES)
    if drop is not None and not drop > 0.0:
        raise ValueRangeError("--drop", f"got {drop:g}; a positive percentage was expected, such as 30, or --no-drop")
    return {"noise": noise, "loss": loss_by_name(loss), "drop_above_percent": drop}
