"""The estimate: its coefficients, which of them the log determines, another run beside it, and where everything came from."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, cast

import numpy as np

from dynident.core.texts import join_words, listing
from dynident.errors import require
from dynident.regression.comparison import compare
from dynident.regression.equations.base import BaseParameters
from dynident.regression.equations.columns import Column as BaseColumn
from dynident.regression.equations.columns import FrictionColumn
from dynident.regression.estimate import Dropped, Estimate
from dynident.reports.blocks import Block, Heading, Text, notes_listing
from dynident.reports.regression import coefficient_table, comparison_table, constants_table, vendor_table
from dynident.reports.regression_figures import precision_figure
from dynident.reports.tables import Column, Table, named_values
from dynident.robots.parameters import ParameterEntry
from dynident.runs import Run, Stage

_RIGID = {
    "J": "turn {link} with strong accelerations about several axes: fast reversals of {joints}",
    "mc": "hold and move {link} at many orientations to gravity: wide ranges of {joints}",
    "m": "raise, lower and swing {link}: wide and fast motions of {joints}",
}
#: Stages whose documents the page shows, with headings.
_DOCUMENTS = {Stage.ESTIMATE: "Identification", Stage.PARAMETERS: "Retrieval", Stage.VALIDATION: "Validation"}


def coefficients(run: Run) -> Iterator[Block | None]:
    """The dynamic coefficients with their standard deviations; dropped ones are marked and keep the numbers at which they were dropped."""
    estimate = run.estimate
    limit = estimate.summary.drop_above_percent
    rule = f" Those above {limit:g} % were dropped, one at a time, and the others estimated again." if limit is not None else ""
    yield Text(
        f"Torques depend on {estimate.base.rank} combinations of the links' parameters and friction; {int(estimate.kept.sum())} of them "
        f"are part of the model. The bar behind a standard deviation is its share of the value.{rule} Click a heading to sort."
    )
    yield coefficient_table(estimate, states=True)
    yield constants_table(estimate.base)
    if estimate.vendor_model is not None:
        yield Heading("The vendor's model, tested")
        yield Text(estimate.vendor_model.sentence)
    yield vendor_table(estimate.vendor_model)


def beside(run: Run) -> Iterator[Block]:
    """Another run of the same robot: what was identified twice, and how far the two differ."""
    runs = {"this run": run, "the other": require(run.beside, "the other run")}
    estimate, other = (item.estimate for item in runs.values())
    yield Text(f"{compare(estimate, other)}.", headline=True)
    yield named_values(
        "The two runs",
        {name: f"{item.folder}: {item.estimate.headline}, from {item.estimate.summary.source}" for name, item in runs.items()},
    )
    yield comparison_table(estimate, other, headings=("this run", "the other"))


def excitation(run: Run) -> Iterator[Block]:
    """Which coefficients the log determines, and what motion would fix the rest."""
    estimate = run.estimate
    yield Text(_summary(estimate))
    yield precision_figure(estimate)
    rows = list(_advice(estimate))
    if rows:
        columns = (
            Column("coefficients", math=True),
            Column("belongs", "what they belong to"),
            Column("motion", "motion that would show them"),
            Column("longer", "or this log, longer by", _longer_text),
        )
        yield Table.of_columns("What would determine the rest", dict(zip(columns, zip(*rows, strict=True), strict=True)))
        yield Text(
            "A standard deviation falls with the square root of the recorded time, so a better motion is worth more than a longer log."
        )
    if estimate.base.unidentifiable:
        names = ", ".join(estimate.base.unidentifiable)
        yield Text(
            f"No motion shows {names}: they have no effect on the torques of this robot, and need not be known to predict them.", math=True
        )
    yield notes_listing("About the data", (*estimate.doubts, *estimate.notes))


def _summary(estimate: Estimate) -> str:
    rank, full, kept = estimate.summary.rank, estimate.base.rank, int(estimate.kept.sum())
    ratio = float(estimate.singular_values[0] / max(estimate.singular_values[-1], np.finfo(float).tiny))
    return (
        f"The data have rank {rank} of {full} (tolerance {estimate.summary.rank_tolerance:.2g}), and {kept} coefficients are known well "
        f"enough to be part of the model. The condition number of the regressor is {ratio:.3g} with all of its columns, and "
        f"{estimate.condition_number:.3g} with those that were kept."
    )


def _longer_text(factor: float) -> str:
    return "no length" if factor >= 1e3 else f"{factor:.0f} times" if factor >= 3.0 else f"{factor:.1f} times"


def _advice(estimate: Estimate) -> Iterator[tuple[str, str, str, float]]:
    """Per link and kind of coefficient, and per kind of friction: which were not determined, what they belong to, the motion that would
    show them, and how many times as long another log of the same motion would have to be."""
    limit = estimate.summary.drop_above_percent
    base = estimate.base
    grouped: dict[tuple[str, str | int], list[Dropped]] = {}
    for item in sorted(estimate.dropped, key=lambda item: item.index):
        grouped.setdefault(_kind(base.columns[int(base.independent[item.index])]), []).append(item)
    for items in grouped.values():
        names = [base.names[item.index] for item in items]
        belongs, motion = _motion(base, [base.columns[int(base.independent[item.index])] for item in items])
        worst = max(100.0 * item.std / abs(item.value) if item.value and np.isfinite(item.std) else np.inf for item in items)
        factor = (worst / limit) ** 2 if limit is not None else np.inf
        yield ", ".join(names), belongs, motion, float(factor)


def _kind(column: BaseColumn) -> tuple[str, str | int]:
    """What the same motion shows: a quantity of one link, one friction parameter of any joint, or a column of the user's own."""
    if isinstance(column, ParameterEntry):
        return column.quantity, column.link
    return ("friction", column.slot) if isinstance(column, FrictionColumn) else ("extra", column.name)


def _motion(base: BaseParameters, columns: list[BaseColumn]) -> tuple[str, str]:
    """What columns of one kind belong to, and the motion that shows them: for a link that of the last joints before it."""
    robot, first = base.robot, columns[0]
    if isinstance(first, ParameterEntry):
        link = robot.link_names[first.link]
        joints = [robot.joint_names[i] for i in robot.ancestors(first.link)][-3:]
        return link, _RIGID[first.quantity].format(link=link, joints=join_words(joints))
    if not isinstance(first, FrictionColumn) or base.friction is None:
        return "columns of your own", "a motion in which they vary apart from the others"
    joints = [robot.joint_names[column.joint] for column in columns if isinstance(column, FrictionColumn)]
    return join_words(joints), base.friction.parameters[first.slot].motion


def provenance(run: Run) -> Iterator[Block]:
    """Where everything came from: data, processing, versions, hashes, seeds and commands."""
    for stage, title in _DOCUMENTS.items():
        if stage in run.documents:
            yield named_values(title, dict(_provenance_of(run.documents[stage])))
    if run.digests:
        yield named_values("Content of the stages (SHA-256)", run.digests)
    if run.stale:
        yield named_values("Out of date", dict.fromkeys(run.stale, "not made from the record beside it; do the step again"))
    for stage in (Stage.PARAMETERS, Stage.VALIDATION):
        notes = cast("list[str]", run.documents.get(stage, {}).get("notes", []))
        yield notes_listing(f"Notes of the {_DOCUMENTS[stage].lower()}", notes)


def _provenance_of(document: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    provenance = document.get("provenance", {})
    for name in ("robot", "source", "route", "samples", "method", "solver", "objective_name", "seed"):
        if document.get(name) is not None:
            yield name.replace("_", " "), document[name]
    if command := document.get("command") or provenance.get("command"):
        yield "command", command
    for name, value in provenance.get("files", {}).items():
        yield f"SHA-256 of {name}", value
    for item in provenance.get("recordings", []):
        spans = [f"{start} to {stop}" for start, stop, _ in item["ranges"]]
        yield f"samples of {', '.join(item['files']) or 'arrays in memory'}", f"{listing(spans, 6)} (of {item['samples']})"
    for name, value in document.get("preprocessing", {}).items():
        yield name.replace("_hz", " [Hz]").replace("_", " "), _value_text(value)
    if versions := document.get("versions"):
        yield "versions", ", ".join(f"{name} {value}" for name, value in versions.items())


def _value_text(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.8g}"
    if isinstance(value, list):
        return ", ".join(map(str, cast("list[object]", value)))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
