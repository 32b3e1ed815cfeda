"""Exported files as a table."""

from __future__ import annotations

from collections.abc import Iterator

from dynident.exports.target import Exported
from dynident.reports.show import show
from dynident.reports.tables import Column, Table


def _headline(exported: Exported) -> str:
    proof = "" if exported.comparison is None else f", within {exported.comparison.largest:.1g} of {exported.comparison.engine}"
    return f"{exported.target}, {', '.join(exported.files)}{proof}"


def _file_table(exported: Exported) -> Table:
    rows = tuple({"target": exported.target, "file": name, "bytes": len(content)} for name, content in exported.files.items())
    return Table("Files", rows, (Column("file", "name"), Column("bytes")))


def _facts(exported: Exported) -> Iterator[str]:
    if (proof := exported.comparison) is not None:
        yield f"Torques in {proof.engine} at {proof.states} states differ by at most {proof.largest:.2g} {proof.unit}."


show(
    Exported,
    headline=_headline,
    header=lambda exported: [f"{exported.target} export, not yet written"],
    tables=lambda exported: [_file_table(exported)],
    facts=_facts,
)
