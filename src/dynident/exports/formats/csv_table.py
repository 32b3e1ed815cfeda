"""CSV: the tables of the papers. Links with m, c, I as in the Panda supplement, friction beside them; or the coefficients."""

from __future__ import annotations

import csv
import io

from dynident.core.names import file_stem
from dynident.exports.export_model import ExportModel
from dynident.exports.target import Exported, Exporter, Request
from dynident.parameters import INERTIA_NAMES, link_inertia


def write_csv(model: ExportModel, request: Request) -> Exported:
    """One table, a heading and its rows. CSV has no comments; a warning is its last column."""
    rows = _coefficient_rows(model) if model.coefficients else _link_rows(model)
    if request.warning:
        rows = [[*row, "warning" if number == 0 else request.warning] for number, row in enumerate(rows)]
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    shaped = model.friction is not None and not model.coefficients and any(part.shapes for part in model.friction.parts)
    notes = ("the table has no place for the shape constants of the friction model; YAML, C and Python do",) if shaped else ()
    return Exported(target="csv", files={f"{file_stem(model.robot.name)}.csv": out.getvalue().encode()}, notes=notes)


EXPORTER = Exporter(name="csv", help="Write the table of links, or of coefficients.", write=write_csv, prove=None, bodies=False)


def _link_rows(model: ExportModel) -> list[list[str]]:
    friction = model.friction
    heading = ["link", "frame", "m [kg]", *(f"c{axis} [m]" for axis in "xyz"), *(f"I{element} [kg·m²]" for element in INERTIA_NAMES)]
    rows = [[*heading, *(() if friction is None else ("joint", *friction.headings(model.robot.joints)))]]
    for i, (link, own) in enumerate(zip(model.robot.links, model.parameters, strict=True)):
        body = link_inertia(own, link.name)
        numbers = [body.mass, *body.com.tolist(), *body.elements.values()]
        row = [link.name, link.frame, *map(repr, numbers)]
        if friction is not None and model.friction_parameters is not None:
            values = friction.values_of(i, model.friction_parameters[i])
            row += [model.robot.joints[i].name, *(repr(values[name]) if name in values else "" for name in friction.parameter_names)]
        rows.append(row)
    return rows


def _coefficient_rows(model: ExportModel) -> list[list[str]]:
    rows = [["no.", "name", "coefficient", "value", "std", "std [%]", "unit", "kept"]]
    for number, item in enumerate(model.coefficients, start=1):
        numbers = ["" if value is None else repr(value) for value in (item.value, item.std, item.relative_std_percent)]
        rows.append([str(number), item.name, item.expression, *numbers, item.unit, "yes" if item.kept else "no"])
    return rows
