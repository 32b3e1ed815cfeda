"""Export targets by name. A new target is its file and one line here; the command line and the contract suite then find it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from dynident.core.files import check_file_target, check_writable, make_parents, write_files
from dynident.core.options import settle_options
from dynident.dynamics.friction import stated_friction
from dynident.errors import FileError, InputError, UnknownNameError
from dynident.exports.code import c99, python_module
from dynident.exports.export_model import ExportModel, InfeasibleModelError, model_from_estimate, model_from_parameters
from dynident.exports.formats import mjcf, tables, urdf
from dynident.exports.formats.description import unheld_notes
from dynident.exports.formats.original import Original
from dynident.exports.proof import Comparison, States, random_states
from dynident.exports.target import Exported, Exporter, Request
from dynident.links.result import LinkParameters
from dynident.regression.estimate import Estimate
from dynident.robots.check import inside_compound_joint
from dynident.robots.formats.dh import BASE
from dynident.robots.parameters import PARAMETERS_PER_LINK
from dynident.robots.robot import Robot, ShapeRole
from dynident.routes.payload import PayloadEstimate
from dynident.runs.folder import refuse_run_file

EXPORTERS: dict[str, Exporter] = {
    exporter.name: exporter for exporter in (urdf.EXPORTER, mjcf.EXPORTER, c99.EXPORTER, python_module.EXPORTER, tables.YAML, tables.CSV)
}
"""The formats of an export, by name."""
#: Formats that a robot can be converted to, by suffix: a target, or DH.
CONVERSIONS = {".urdf": "urdf", ".xml": "mjcf", ".yaml": "dh", ".yml": "dh"}


def export(
    model: LinkParameters | Estimate | ExportModel,
    target: str,
    *,
    path: str | Path | None = None,
    original: str | Path | Original | None = None,
    options: Mapping[str, object] | object | None = None,
    force: bool = False,
    states: States | None = None,
) -> Exported:
    """The files of a target, proven in another engine, and written where a path is given.

    Parameters
    ----------
    model
        Link parameters; an estimate, whose coefficients are then exported; or a model of your own.
    target
        A name in EXPORTERS: "urdf", "mjcf", "c", "python", "yaml", "csv".
    path
        File to write; a folder for targets of several files, such as "c". Nothing is written before the proof.
    original
        The user's own file to patch, or what was read of it, where the target can do that; without one a complete file is written.
    options
        Of the target's own, by name or as its options class: {"layout": "franka"} of YAML.
    force
        Export parameters that are not feasible, with a comment that says so.
    states
        q, dq, ddq, (N, n) each, at which torques are compared; by default 1000 random ones.

    Returns
    -------
    Exported
        The files by name, not yet written where no path was given, with the comparison of torques that proved them.

    Raises
    ------
    InfeasibleModelError
        Where the parameters are not feasible and `force` was not given.
    DisagreementError
        Where the other engine computes other torques; then nothing is written.
    InputError
        Where the original file cannot be patched.

    Examples
    --------
    >>> from dynident import export, load_run
    >>> exported = export(load_run("run").parameters, "urdf", path="better.urdf")
    >>> exported.comparison.relative < 1e-6
    True
    """
    if target not in EXPORTERS:
        raise UnknownNameError("export target", target, EXPORTERS)
    exporter = EXPORTERS[target]
    if path is not None:
        check_target(exporter, Path(path), original)
    if isinstance(model, LinkParameters):
        model = model_from_parameters(model)
    elif isinstance(model, Estimate):
        model = model_from_estimate(model)
    if exporter.bodies and not model.describes_bodies:
        raise InputError(f"{exporter.name} describes links, and coefficients are sums over several of them", remedy="retrieve links first")
    violations = model.all_violations() if model.describes_bodies else model.violations
    if violations and not force:
        raise InfeasibleModelError(violations)
    model = model if exporter.fragment is not None else model.lump()
    request = Request(
        original=_read_original(exporter, original),
        options=settle_options(exporter.options, options, f"export target {exporter.name}"),
        warning=f"NOT FEASIBLE: {'; '.join(violations)}" if violations else "",
    )
    exported = exporter.write(model, request)
    proof = exporter.prove(model, exported, random_states(model.robot) if states is None else states) if exporter.prove else None
    unproven = (proof,) if isinstance(proof, str) else ()
    comparison = proof if isinstance(proof, Comparison) else None
    exported = replace(exported, comparison=comparison, notes=(*model.notes, *exported.notes, *unproven))
    if path is not None:
        write_exported({Path(path): exported})
    return exported


def _read_original(exporter: Exporter, original: str | Path | Original | None) -> Original | None:
    """The file to patch, checked to be of the kind that the target patches; None where it patches none."""
    if original is None or not exporter.original:
        return None
    file = original if isinstance(original, Original) else Original.read(original)
    if not exporter.patches(file):
        raise FileError(file.path, f"the root element is <{file.root.tag}>; <{exporter.original}> was expected")
    return file


def target_of_original(path: str | Path) -> str:
    """The target that patches a file of the user's, by its root element."""
    original = Original.read(path)
    for name, exporter in EXPORTERS.items():
        if exporter.patches(original):
            return name
    kinds = " nor ".join(exporter.original_name for exporter in EXPORTERS.values() if exporter.original)
    raise FileError(path, f"begins with <{original.root.tag}>, which is neither {kinds}; give the one that the run was made with")


def check_target(exporter: Exporter, path: Path, original: str | Path | Original | None) -> None:
    """FileError where the target cannot be written, or would replace a file of the user's."""
    if exporter.folder:
        check_writable(path)
        if exporter.guard is not None:
            exporter.guard(path)
        return
    patched = original.path if isinstance(original, Original) else original
    if patched is not None and path.exists() and path.samefile(patched):
        raise FileError(path, "is the file to patch, which is never overwritten; name another file")
    check_file_target(path)
    refuse_run_file(path)


def write_exported(exports: Mapping[Path, Exported]) -> None:
    """Write exports, one file to a path, or several into a folder of that name; no single file is replaced before all are on the disk."""
    folders = {path: exported for path, exported in exports.items() if EXPORTERS[exported.target].folder}
    for path, exported in folders.items():
        *others, last = exported.files
        if not (path / last).exists():  # in the folder of an earlier export it is there
            refuse_foreign(path, others, "export")
    for path, exported in folders.items():
        with make_parents(path):
            write_files({path / name: content for name, content in exported.files.items()})
    write_files({path: exported.main for path, exported in exports.items() if path not in folders})


def refuse_foreign(folder: Path, names: Iterable[str], what: str) -> None:
    """FileError where one of these files exists and is not from an earlier export or sample. what : "export" or "sample"."""
    foreign = next((folder / name for name in names if (folder / name).exists()), None)
    if foreign is not None:
        raise FileError(foreign, f"is there already, and is not from an earlier {what}; it is not replaced; name another folder")


def find_original(exporter: Exporter, robot: Robot) -> Original | None:
    """What the robot was read from, where the target can patch it."""
    original = Original.of_robot(robot) if exporter.original else None
    return original if exporter.patches(original) else None


def payload_fragment(payload: PayloadEstimate, target: str) -> str:
    """A payload alone: a file that loads as it is, and whose lines can be pasted into that of a robot.

    Parameters
    ----------
    payload
        What `identify_payload` returned.
    target
        "urdf" or "mjcf".

    Returns
    -------
    str
        The text of the file.
    """
    writers = {exporter.name: exporter.fragment for exporter in EXPORTERS.values() if exporter.fragment is not None}
    if target not in writers:
        raise UnknownNameError("format of a payload", target, writers)
    return writers[target](payload)


def dh_notes(robot: Robot) -> tuple[str, ...]:
    """What of a robot a DH file has no place for, one sentence each.

    Parameters
    ----------
    robot
        The robot.

    Returns
    -------
    tuple of str
        Sentences for people.
    """
    known = {BASE, *robot.link_names}
    apart = [pair for pair in robot.apart if not known.issuperset(pair)]
    pieces = [*robot.base_pieces, *(piece for link in robot.links for piece in link.pieces)]
    shaped = [piece.name for piece in pieces if any(shape.role is not ShapeRole.BOTH for shape in piece.shapes)]
    lumped = [name for link in robot.links for name in link.sources[1:]]
    return tuple(unheld_notes(robot, "A DH file", (), apart, shapes=shaped, lumped=lumped))


def convert(robot: Robot, path: str | Path) -> tuple[str, tuple[str, ...]]:
    """The text of the robot's description in the format that the path's suffix names, and what it lacks; nothing is written.

    URDF and MJCF are compared with this description in another engine first. Links without inertias have none in a URDF.

    Parameters
    ----------
    robot
        The robot.
    path
        The file that the text is for; its suffix is .urdf, .xml, .yaml or .yml.

    Returns
    -------
    tuple[str, tuple of str]
        The text, and sentences on what it lacks.
    """
    target = CONVERSIONS.get(Path(path).suffix.lower())
    if target is None:
        raise FileError(path, f"unknown suffix {Path(path).suffix!r}; known: {', '.join(CONVERSIONS)}")
    if target == "dh":
        return robot.to_dh_yaml(), dh_notes(robot)
    without = [link.name for i, link in enumerate(robot.links) if link.parameters is None and not inside_compound_joint(robot, i)]
    if without and target == "mjcf":
        raise FileError(robot.source, f"gives no inertia for {', '.join(without)}, and MuJoCo needs one; convert to .urdf or .yaml")
    rows = [np.zeros(PARAMETERS_PER_LINK) if link.parameters is None else link.parameters for link in robot.links]
    stated = any(joint.friction is not None for joint in robot.joints)
    model = ExportModel(
        robot=robot,
        parameters=np.array(rows),
        friction=stated_friction() if stated else None,
        friction_parameters=np.maximum([joint.friction or (0.0, 0.0) for joint in robot.joints], 0.0) if stated else None,
        provenance=f"converted from {Path(robot.source).name}",
    )
    exported = export(model, target, force=True)
    return exported.main.decode("utf-8"), exported.notes
