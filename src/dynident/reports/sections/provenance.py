"""Where everything came from: data, processing, versions, hashes, seeds and commands."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, cast

from dynident.core.texts import listing
from dynident.reports.blocks import Block, Section, notes_listing
from dynident.reports.tables import named_values
from dynident.runs import Run, Stage

_STAGES = {Stage.ESTIMATE: "Identification", Stage.PARAMETERS: "Retrieval", Stage.VALIDATION: "Validation"}


def _blocks(run: Run) -> Iterator[Block]:
    for stage, title in _STAGES.items():
        if stage in run.documents:
            yield named_values(title, dict(_facts(run.documents[stage])))
    if run.digests:
        yield named_values("Content of the stages (SHA-256)", run.digests)
    if run.stale:
        yield named_values("Out of date", dict.fromkeys(run.stale, "not made from the record beside it; do the step again"))
    for stage in (Stage.PARAMETERS, Stage.VALIDATION):
        notes = cast("list[str]", run.documents.get(stage, {}).get("notes", []))
        if notes:
            yield notes_listing(f"Notes of the {_STAGES[stage].lower()}", notes)


SECTION = Section(key="provenance", title="Provenance", stage=Stage.ESTIMATE, blocks=_blocks)


def _facts(document: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
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
        yield name.replace("_hz", " [Hz]").replace("_", " "), _text(value)
    if versions := document.get("versions"):
        yield "versions", ", ".join(f"{name} {value}" for name, value in versions.items())


def _text(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.8g}"
    if isinstance(value, list):
        return ", ".join(map(str, cast("list[object]", value)))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
