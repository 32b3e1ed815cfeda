"""Export targets by name. A new target is its file and one line here; the command line and the contract suite then find it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from dynident.core.files import read_bytes, read_text
from dynident.core.options import settle_options
from dynident.core.xml import parse_xml
from dynident.errors import FileError, InputError, UnknownNameError
from dynident.export.code import c99, python_module
from dynident.export.formats import csv_table, mjcf, urdf, yaml_file
from dynident.export.model import Exported, Exporter, ExportModel, InfeasibleError, Original, Request, States
from dynident.export.proof import random_states

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


def export(
    model: ExportModel,
    target: str,
    *,
    original: str | Path | None = None,
    options: Mapping[str, object] | object | None = None,
    force: bool = False,
    states: States | None = None,
) -> Exported:
    """The files of a target, proven in another engine and not yet written.

    target     A name in EXPORTERS: "urdf", "mjcf", "c", "python", "yaml", "csv".
    original   The user's own file to patch, where the target can do that; without one a complete file is written.
    options    Of the target's own, by name or as its options class: {"layout": "franka"} of YAML.
    force      Export parameters that are not feasible, with a comment that says so.
    states     q, dq, ddq, (N, n) each, at which torques are compared; by default 1000 random ones.

    Raises InfeasibleError, DisagreementError, or an InputError about the original.
    """
    if target not in EXPORTERS:
        raise UnknownNameError("export target", target, EXPORTERS)
    exporter = EXPORTERS[target]
    if exporter.bodies and not model.describes_bodies:
        raise InputError(f"{target} describes links, and coefficients are sums over several of them", remedy="retrieve links first")
    violations = model.all_violations() if model.describes_bodies else model.violations
    if violations and not force:
        raise InfeasibleError(violations)
    own = settle_options(exporter.options, options, f"export target {target}")
    warning = f"NOT FEASIBLE: {'; '.join(violations)}" if violations else ""
    request = Request(original=read_original(original, exporter.original), options=own, warning=warning)
    exported = exporter.write(model, request)
    if exporter.prove is None:
        return replace(exported, notes=(*model.notes, *exported.notes))
    proof = exporter.prove(model, exported, random_states(model.robot) if states is None else states)
    if isinstance(proof, str):
        return replace(exported, notes=(*model.notes, *exported.notes, proof))
    return replace(exported, comparison=proof, notes=(*model.notes, *exported.notes))


def read_original(path: str | Path | None, root: str) -> Original | None:
    """The user's file, checked to be of the kind whose root element is `root`."""
    if path is None or not root:
        return None
    found = parse_xml(path, read_text(path).removeprefix("\ufeff")).tag
    if found != root:
        raise FileError(path, f"the root element is <{found}>; <{root}> was expected")
    return Original(path=str(path), content=read_bytes(path))
