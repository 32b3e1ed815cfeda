"""Export targets by name. A new target is its file and one line here; the contract suite then finds it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from dynident.core.safe_xml import parse_xml
from dynident.errors import FileError, InputError, UnknownNameError
from dynident.export.code.c99 import write_c
from dynident.export.code.python_module import write_python
from dynident.export.formats.csv_table import write_csv
from dynident.export.formats.mjcf import write_mjcf
from dynident.export.formats.urdf import write_urdf
from dynident.export.formats.yaml_file import write_yaml
from dynident.export.model import Comparison, Exported, ExportModel, InfeasibleError, Original, Request
from dynident.export.proof import States, prove_c, prove_mjcf, prove_python, prove_urdf, prove_yaml, random_states

Proof = Callable[[ExportModel, Exported, States], Comparison | None]


@dataclass(frozen=True)
class Exporter:
    """A target.

    write : model and options to files; prove : the files in another engine, None where there is nothing to run.
    bodies : the format describes rigid bodies, so that coefficients alone are not enough.
    original : root element of the files of the user's own that it can patch; empty when it always writes anew.
    """

    write: Callable[[ExportModel, Request], Exported]
    prove: Proof | None
    bodies: bool
    original: str = ""


EXPORTERS: dict[str, Exporter] = {
    "urdf": Exporter(write_urdf, prove_urdf, bodies=True, original="robot"),
    "mjcf": Exporter(write_mjcf, prove_mjcf, bodies=True, original="mujoco"),
    "c": Exporter(write_c, prove_c, bodies=False),
    "python": Exporter(write_python, prove_python, bodies=False),
    "yaml": Exporter(write_yaml, prove_yaml, bodies=True),
    "csv": Exporter(write_csv, None, bodies=False),
}


def export(
    model: ExportModel,
    target: str,
    *,
    original: str | Path | None = None,
    layout: str = "dynident",
    force: bool = False,
    states: States | None = None,
) -> Exported:
    """The files of a target, proven in another engine and not yet written.

    target     "urdf", "mjcf", "c", "python", "yaml" or "csv".
    original   The user's URDF or MJCF to patch; without one a complete file is written.
    layout     Of YAML: "dynident" or "franka".
    force      Export parameters that are not feasible, with a comment that says so.
    states     q, dq, ddq, (N, n) each, at which torques are compared; by default 1000 random ones.

    Raises InfeasibleError, DisagreementError, or an InputError about the original.
    """
    if target not in EXPORTERS:
        raise UnknownNameError("export target", target, EXPORTERS)
    exporter = EXPORTERS[target]
    if exporter.bodies and not model.describes_bodies:
        raise InputError(
            f"{target} describes links, and coefficients are sums over several of them; retrieve links first: dynident retrieve RUN"
        )
    violations = model.all_violations() if model.describes_bodies else model.violations
    if violations and not force:
        raise InfeasibleError(violations)
    warning = f"NOT FEASIBLE: {'; '.join(violations)}" if violations else ""
    request = Request(original=read_original(original, exporter.original), layout=layout, warning=warning)
    exported = exporter.write(model, request)
    proof = None if exporter.prove is None else exporter.prove(model, exported, random_states(model.robot) if states is None else states)
    notes = list(exported.notes)
    if exporter.prove is not None and proof is None:
        notes.append("no C compiler was found (gcc or cc), so the code was not compiled and compared")
    return replace(exported, comparison=proof, notes=(*model.notes, *notes))


def read_original(path: str | Path | None, root: str) -> Original | None:
    """The user's file, checked to be of the kind whose root element is `root`."""
    if path is None or not root:
        return None
    try:
        content = Path(path).read_bytes()
        text = content.decode("utf-8")
    except FileNotFoundError:
        raise FileError(path, "no such file; check the path") from None
    except UnicodeDecodeError:
        raise FileError(path, "is not text (UTF-8); check that it is the right file") from None
    except OSError as error:
        raise FileError(path, f"can't be read: {error.strerror}") from None
    found = parse_xml(path, text.removeprefix("\ufeff")).tag
    if found != root:
        raise FileError(path, f"the root element is <{found}>; <{root}> was expected")
    return Original(path=str(path), content=content)
