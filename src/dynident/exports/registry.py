"""Export targets by name. A new target is its file and one line here; the command line and the contract suite then find it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from dynident.core.files import check_file_target, check_writable, make_parents, read_bytes, read_text, write_files
from dynident.core.options import settle_options
from dynident.core.xml import parse_xml
from dynident.errors import FileError, InputError, UnknownNameError
from dynident.exports.code import c99, python_module
from dynident.exports.export_model import ExportModel, InfeasibleModelError, model_from_estimate, model_from_parameters
from dynident.exports.formats import csv_table, mjcf, urdf, yaml_file
from dynident.exports.proof import random_states
from dynident.exports.target import Exported, Exporter, Original, Request, States
from dynident.feasibility.result import LinkParameters
from dynident.regression.estimate import Estimate
from dynident.robots.robot import Robot
from dynident.runs.folder import refuse_run_file

EXPORTERS: dict[str, Exporter] = {
    exporter.name: exporter
    for exporter in (
        urdf.EXPORTER,
        mjcf.EXPORTER,
        c99.EXPORTER,
        python_module.EXPORTER,
        yaml_file.EXPORTER,
        csv_table.EXPORTER,
    )
}
"""The formats of an export, by name."""


def export(
    model: LinkParameters | Estimate | ExportModel,
    target: str,
    *,
    path: str | Path | None = None,
    original: str | Path | None = None,
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
        The user's own file to patch, where the target can do that; without one a complete file is written.
    options
        Of the target's own, by name or as its options class: {"layout": "franka"} of YAML.
    force
        Export parameters that are not feasible, with a comment that says so.
    states
        q, dq, ddq, (N, n) each, at which torques are compared; by default 1000 random ones.

    Notes
    -----
    Raises InfeasibleModelError, DisagreementError, or an InputError about the original.
    """
    if target not in EXPORTERS:
        raise UnknownNameError("export target", target, EXPORTERS)
    exporter = EXPORTERS[target]
    if path is not None:
        check_target(exporter, Path(path), original)
    exported = _prove(_as_model(model), exporter, original, options, force, states)
    if path is not None:
        write_exported({Path(path): exported})
    return exported


def _as_model(model: LinkParameters | Estimate | ExportModel) -> ExportModel:
    if isinstance(model, ExportModel):
        return model
    return model_from_estimate(model) if isinstance(model, Estimate) else model_from_parameters(model)


def _prove(
    model: ExportModel,
    exporter: Exporter,
    original: str | Path | None,
    options: Mapping[str, object] | object | None,
    force: bool,
    states: States | None,
) -> Exported:
    if exporter.bodies and not model.describes_bodies:
        raise InputError(f"{exporter.name} describes links, and coefficients are sums over several of them", remedy="retrieve links first")
    violations = model.all_violations() if model.describes_bodies else model.violations
    if violations and not force:
        raise InfeasibleModelError(violations)
    model = model if exporter.attaches else model.lump()
    own = settle_options(exporter.options, options, f"export target {exporter.name}")
    warning = f"NOT FEASIBLE: {'; '.join(violations)}" if violations else ""
    request = Request(original=read_original(original, exporter.original), options=own, warning=warning)
    exported = exporter.write(model, request)
    notes = (*model.notes, *exported.notes)
    proof = exporter.prove(model, exported, random_states(model.robot) if states is None else states) if exporter.prove else None
    if isinstance(proof, str):
        return replace(exported, notes=(*notes, proof))
    return replace(exported, comparison=proof, notes=notes)


def check_target(exporter: Exporter, path: Path, original: str | Path | None) -> None:
    """Before the work: can the target be written, and is it none of the user's own files?"""
    if exporter.folder:
        check_writable(path)
        if exporter.guard is not None:
            exporter.guard(path)
        return
    if original is not None and path.exists() and path.samefile(original):
        raise FileError(path, "is the file that would be patched, and it is never overwritten; name another file")
    check_file_target(path)
    refuse_run_file(path)


def write_exported(exports: Mapping[Path, Exported]) -> None:
    """Write exports, one file to a path, or several into a folder of that name; no single file is replaced before all are on the disk."""
    folders = {path: exported for path, exported in exports.items() if EXPORTERS[exported.target].folder}
    for path, exported in folders.items():
        _refuse_others(path, exported)
    for path, exported in folders.items():
        with make_parents(path):
            write_files({path / name: content for name, content in exported.files.items()})
    write_files({path: next(iter(exported.files.values())) for path, exported in exports.items() if path not in folders})


def _refuse_others(folder: Path, exported: Exported) -> None:
    """FileError where a file would be replaced in a folder of no earlier export, whose last file would be there."""
    *others, last = exported.files
    foreign = next((folder / name for name in others if (folder / name).exists()), None)
    if foreign is not None and not (folder / last).exists():
        raise FileError(foreign, "is there already, and no earlier export; it is not replaced; name another folder")


def read_original(path: str | Path | None, root: str) -> Original | None:
    """The user's file, checked to be of the kind whose root element is `root`."""
    if path is None or not root:
        return None
    found = parse_xml(path, read_text(path).removeprefix("\ufeff")).tag
    if found != root:
        raise FileError(path, f"the root element is <{found}>; <{root}> was expected")
    return Original(path=str(path), content=read_bytes(path))


def find_original(exporter: Exporter, robot: Robot, given: Path | None = None) -> Path | None:
    """The user's file to patch: the one that is given, else what the robot was read from, where it is still there and of that kind."""
    file = Path(robot.source) if given is None else given
    if not exporter.original or not os.path.isfile(file):
        return None
    try:
        fits = parse_xml(file, read_text(file)).tag == exporter.original  # by the root element, for .xml can be either
    except FileError:
        fits = given is not None  # what is not XML is refused later, with a sentence; a DH file is just not one to patch
    return file if fits else None
