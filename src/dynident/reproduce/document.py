"""A reproduction as tables for the terminal, as Markdown and as JSON: three readings of the same claims."""

from __future__ import annotations

import os
import platform
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import groupby
from typing import Any

from dynident.core.results import Report, Row, Table
from dynident.reproduce.claim import Claim, Verdict
from dynident.reproduce.reproduction import Finished, Reproduction

#: A terminal shows a table of the paper with more rows than this as one line.
_ROWS = 12


def number(value: float) -> str:
    """Six significant digits; a number that is zero to rounding as it is."""
    return f"{value:.6g}"


def count_verdicts(claims: Iterable[Claim]) -> dict[Verdict, int]:
    """How often each verdict was given, in the order of `Verdict`."""
    counts = Counter(claim.verdict for claim in claims)
    return {verdict: counts[verdict] for verdict in Verdict}


def tell_counts(claims: Sequence[Claim]) -> str:
    """ "61 numbers: 50 equal, 6 better, ..."."""
    told = [f"{count} {verdict.value}" for verdict, count in count_verdicts(claims).items() if count]
    return f"{len(claims)} numbers: {', '.join(told)}"


def source_of(reproduction: Reproduction) -> str:
    """Which data, and how much of the papers' effort."""
    data = f"recorded data ({', '.join(reproduction.data)})" if reproduction.data else "virtual robots"
    return f"{data}; {reproduction.size.value}"


def machine() -> str:
    cpu = platform.processor() or platform.machine()
    return f"{cpu}, {os.cpu_count()} cores, Python {platform.python_version()}, dynident {version('dynident')}"


def reproduction_report(reproduction: Reproduction) -> Report:
    """For the terminal; long tables of a paper are one line each, and notes say why a number is not reproduced."""
    tables = tuple(
        Table(
            title=f"{paper.key}: {tell_counts([claim for step in reproduction.of(paper) for claim in step.outcome.claims])}",
            headings=("place", "quantity", "published", "ours", "verdict"),
            rows=tuple(row for step in reproduction.of(paper) for row in _terminal_rows(step)),
            left=frozenset({0, 1, 4}),
        )
        for paper in reproduction.papers
    )
    explained = (Verdict.ERROR, Verdict.NOT_REPRODUCIBLE, Verdict.NEAR, Verdict.CONSTRUCTED)
    notes = tuple(sentence for verdict in explained for sentence in tell_reasons(reproduction, verdict))
    header = (f"Reproduction from {source_of(reproduction)}", tell_counts(reproduction.claims))
    return Report(header=header, tables=tables, facts=(), notes=notes)


def tell_reasons(reproduction: Reproduction, verdict: Verdict) -> tuple[str, ...]:
    """Why claims have this verdict; those of one place with one reason in one sentence."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for claim in reproduction.claims:
        if claim.verdict is verdict:
            groups.setdefault((claim.paper, claim.place, claim.why), []).append(claim.quantity)
    return tuple(
        f"{paper}, {place}, {quantities[0] if len(quantities) == 1 else f'{len(quantities)} numbers'}: {why}"
        for (paper, place, why), quantities in groups.items()
    )


def _terminal_rows(step: Finished) -> Iterable[Row]:
    for place, group in groupby(step.outcome.claims, key=lambda claim: claim.place):
        claims = list(group)
        if len(claims) > _ROWS:
            counts = ", ".join(f"{count} {verdict.value}" for verdict, count in count_verdicts(claims).items() if count)
            yield Row((place, f"{len(claims)} numbers", "", "", counts))
            continue
        for claim in claims:
            yield Row((place, claim.quantity, *_values(claim), claim.verdict.value))


def _values(claim: Claim) -> tuple[str, str]:
    unit = f" {claim.unit}" * bool(claim.unit)
    return f"{number(claim.published)}{unit}", f"{number(claim.ours)}{unit}"


def reproduction_markdown(reproduction: Reproduction) -> str:
    """Every number beside ours, with its tolerance, its verdict and the reason."""
    lines = [
        "# Reproduction of the papers",
        "",
        f"{today()}, on {machine()}; {source_of(reproduction)}. {tell_counts(reproduction.claims)}.",
        "",
        "A number marked * is of an independent implementation and not printed in the paper.",
        "",
        "| paper | " + " | ".join(verdict.value for verdict in Verdict) + " |",
        "|---|" + "---|" * len(Verdict),
    ]
    for paper in reproduction.papers:
        counts = count_verdicts(claim for step in reproduction.of(paper) for claim in step.outcome.claims)
        lines.append(f"| {paper.key} | " + " | ".join(map(str, counts.values())) + " |")
    for paper in reproduction.papers:
        lines += ["", f"## {paper.key}", "", f"{paper.citation}."]
        for step in reproduction.of(paper):
            lines += ["", *_markdown_step(step)]
    return "\n".join(lines) + "\n"


def _markdown_step(step: Finished) -> list[str]:
    head = "| place | quantity | published | ours | tolerance | verdict | why |"
    rows = [_markdown_row(claim) for claim in step.outcome.claims]
    notes = [f"- {note[:1].upper()}{note[1:]}." for note in step.outcome.notes]
    title = f"### {step.experiment.title[:1].upper()}{step.experiment.title[1:]} ({step.seconds:.1f} s)"
    return [title, "", head, "|---|---|---|---|---|---|---|", *rows, *([""] if notes else []), *notes]


def _markdown_row(claim: Claim) -> str:
    published, ours = _values(claim)
    mark = "*" if claim.origin == "prototype" else ""
    tolerance = f"{claim.tolerance:.2g} ({claim.tolerance_from})"
    why = "" if claim.verdict is Verdict.EQUAL else claim.why
    cells = (claim.place, claim.quantity, published + mark, ours, tolerance, claim.verdict.value, why)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def reproduction_document(reproduction: Reproduction) -> dict[str, Any]:
    """For `reproduction.json`."""
    return {
        "schema": "dynident/reproduction/1",
        "date": today(),
        "machine": machine(),
        "size": reproduction.size.name.lower(),
        "data": list(reproduction.data),
        "verdicts": {verdict.value: count for verdict, count in count_verdicts(reproduction.claims).items()},
        "papers": [
            {
                "paper": paper.key,
                "citation": paper.citation,
                "experiments": [
                    {
                        "experiment": step.experiment.key,
                        "title": step.experiment.title,
                        "seconds": step.seconds,
                        "notes": list(step.outcome.notes),
                        "claims": [claim.to_dict() for claim in step.outcome.claims],
                    }
                    for step in reproduction.of(paper)
                ],
            }
            for paper in reproduction.papers
        ],
    }


def today() -> str:
    return datetime.now(UTC).date().isoformat()
