"""Exported files as a table."""

from __future__ import annotations

from typing import Any

from dynident.exports.target import Exported
from dynident.reports import show
from dynident.reports.tables import Column, Report, Table


@show.headline.register(Exported)
def _(exported: Exported) -> str:
    proof = "" if exported.comparison is None else f", within {exported.comparison.largest:.1g} of {exported.comparison.engine}"
    return f"{exported.target}, {', '.join(exported.files)}{proof}"


@show.tables.register(Exported)
def _(exported: Exported) -> Report:
    facts: tuple[str, ...] = ()
    if (proof := exported.comparison) is not None:
        facts = (f"Torques in {proof.engine} at {proof.states} states differ by at most {proof.largest:.2g} {proof.unit}.",)
    table = Table("Files", tuple(show.records(exported)), (Column("file", "name"), Column("bytes")))
    return Report(header=(f"{exported.target} export, not yet written",), tables=(table,), facts=facts, notes=exported.notes)


@show.records.register(Exported)
def _(exported: Exported) -> list[dict[str, Any]]:
    """One row per file."""
    return [{"target": exported.target, "file": name, "bytes": len(content)} for name, content in exported.files.items()]
