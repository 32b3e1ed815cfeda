"""`dynident export`: the model of a run folder as files for other programs, compared in another engine before they are written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from dynident.cli.command_line import Argument, Offered
from dynident.cli.terminal import Outcome, console, print_notes, progress_bar
from dynident.core.kinds import Folder, kind_of
from dynident.core.kinds import path as path_kind
from dynident.core.options import DeclaredOption, declared_options
from dynident.errors import FileError, InputError
from dynident.pipeline.reading import read_data

if TYPE_CHECKING:
    from dynident.exports import Exported
    from dynident.exports.formats.original import Original
    from dynident.exports.proof import States
    from dynident.exports.target import Exporter
    from dynident.robots import Robot
    from dynident.runs import RunFolder

RENAMED = {"--from": "--original", "--motion": "--along", "--payload": "--with-payload"}
EXAMPLE = """Examples:

dynident export run --urdf identified.urdf --original robot.urdf --c model

dynident export run --coefficients --python model.py --csv coefficients.csv"""
PRINTS = ("dynident.exports.document:ExportedDocument",)

#: Samples of a log that are compared, evenly chosen; engines are called one state at a time.
MOST_OF_A_MOTION = 2000


def offered_targets() -> list[DeclaredOption]:
    """An option per export target, then those that targets have of their own."""
    from dynident.exports import EXPORTERS

    options: list[DeclaredOption] = []
    for name, exporter in EXPORTERS.items():
        kind = path_kind("FOLDER" if exporter.folder else "FILE")
        options.append(DeclaredOption(name=name, kind=kind, flag=f"--{name}", help=exporter.help, group="Targets"))
        options += [replace(item, group="Targets") for item in declared_options(exporter.options)]
    to_patch = f"The file to patch: {_list_patched(' or ', '{0} (--{1})')}."
    any_model = ", ".join(f"--{name}" for name, exporter in EXPORTERS.items() if not exporter.bodies)
    by_coefficients = f"Export the estimate's coefficients, not link parameters: for {any_model}."
    return [
        *options,
        DeclaredOption(
            name="original", kind=path_kind(), flag="--original", help=to_patch, shown="the one that the run's robot was read from"
        ),
        DeclaredOption(name="coefficients", kind=kind_of(bool), flag="--coefficients", help=by_coefficients, default=False),
    ]


def export(
    run: Annotated[Folder, Argument(metavar="RUN", help="Folder in which dynident identify and retrieve were run.")],
    /,
    *,
    targets: Annotated[Mapping[str, Any], Offered(offered_targets)],
    along: Annotated[
        Sequence[Path], Argument(help="Compare torques along the motion of this log too, read as the run's.", metavar="DATA")
    ] = (),
    with_payload: Annotated[
        bool, Argument(help="With what dynident payload found, as a link on the flange of a URDF or MJCF, else lumped.")
    ] = False,
    force: Annotated[bool, Argument(help="Export parameters that are not feasible, with a comment that says so.")] = False,
) -> Outcome:
    """Write the identified model for other programs.

    Every model is loaded back into another engine (Pinocchio, MuJoCo, the C compiler, Python) and its torques are compared with dynident's
    at 1000 random states and, with --along, along a log; one that differs is not written. Nothing is written unless everything that was
    asked for can be. Exits with 1 when an engine disagrees.
    """
    from dynident.exports import EXPORTERS, model_from_run
    from dynident.exports import export as exported
    from dynident.exports.document import ExportedDocument
    from dynident.exports.formats.original import Original
    from dynident.exports.registry import check_target, write_exported
    from dynident.runs import RunFolder
    from dynident.runs.folder import refuse_source

    paths: dict[str, Path] = {name: targets[name] for name in EXPORTERS if targets.get(name) is not None}
    if not paths:
        raise InputError(f"nothing to export; name at least one of {', '.join(f'--{name}' for name in EXPORTERS)}")
    source = RunFolder(run)  # its stages are read once
    model = model_from_run(source, from_coefficients=targets.get("coefficients", False), payload=with_payload)
    given: Path | None = targets.get("original")
    if given is not None and not given.is_file():
        raise FileError(given, f"no such file; name {_list_patched(' or ', '{0}')} to patch")
    original: Original | None = None
    if any(EXPORTERS[name].original for name in paths):
        original = Original.of_robot(model.robot) if given is None else Original.read(given)
    originals = {name: original if EXPORTERS[name].patches(original) else None for name in paths}
    for name, path in paths.items():
        check_target(EXPORTERS[name], path, originals[name])
        refuse_source(source, path)
    _check_distinct(paths)
    if given is not None and not any(originals.values()):
        raise InputError(f"--original {given} is of no use to what is exported; {_list_patched(', ', '{0} is patched by --{1}')}")
    states = _states(source, model.robot, along)
    done: dict[str, Exported] = {}
    with progress_bar("Exporting") as say:
        for name in paths:
            say(f"Exporting {name}")
            options = _options_of(EXPORTERS[name], targets)
            done[name] = exported(model, name, original=originals[name], options=options, force=force, states=states)
    write_exported({path: done[name] for name, path in paths.items()})
    return Outcome(
        report=lambda: [_print(done[name], path, originals[name]) for name, path in paths.items()],
        document=[ExportedDocument.of(done[name], path) for name, path in paths.items()],
    )


def _list_patched(join: str, pattern: str) -> str:
    """The targets that patch a file of the user's: {0} is what such a file is called, {1} the target's name."""
    from dynident.exports import EXPORTERS

    patching = [exporter for exporter in EXPORTERS.values() if exporter.original]
    return join.join(pattern.format(exporter.original_name, exporter.name) for exporter in patching)


def _options_of(exporter: Exporter, values: Mapping[str, Any]) -> dict[str, Any]:
    return {item.name: values[item.name] for item in declared_options(exporter.options) if item.name in values}


def _states(run: RunFolder, robot: Robot, motion: Sequence[Path]) -> States:
    """1000 random states, and those of the logs that are to be compared too."""
    import numpy as np

    from dynident.data import Dataset, differentiate
    from dynident.exports import random_states
    from dynident.runs import read_estimate

    states = random_states(robot)
    if not motion:
        return states
    data = read_data(motion, robot, read_estimate(run).summary.processing.read)
    if not isinstance(data, Dataset) or data.n != robot.n:
        raise InputError(f"--along needs a log with the positions of the run's {robot.n} joints over time")
    moved = differentiate(data)
    motions = (moved.q, moved.require("dq"), moved.require("ddq"))
    chosen = slice(None, None, max(1, len(moved.q) // MOST_OF_A_MOTION))
    q, dq, ddq = (np.concatenate([drawn, values[chosen]]) for drawn, values in zip(states, motions, strict=True))
    return q, dq, ddq


def _check_distinct(targets: Mapping[str, Path]) -> None:
    for (first, path), (second, other) in combinations(targets.items(), 2):
        if path.resolve() == other.resolve():
            raise InputError(f"--{first} and --{second} name the same file {other}; give each its own")


def _print(exported: Exported, path: Path, source: Original | None) -> None:
    out = console()
    patched = f", patched from {source.path}" if source is not None else ""
    out.print(f"{exported.target}: {path}{patched}", markup=False, style="bold")
    proof = exported.comparison
    if proof is not None:
        out.print(
            f"  {proof.engine} agrees at {proof.states} states: largest difference {proof.largest:.2g} {proof.unit}, "
            f"{proof.relative:.1g} of a joint's largest torque.",
            markup=False,
        )
    print_notes(out, exported.notes, indent="  ")
