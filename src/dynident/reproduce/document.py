"""A reproduction as tables for the terminal, as Markdown and as JSON: three readings of the same claims."""

from __future__ import annotations

import os
import platform
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import groupby
from typing import Annotated, Any

from dynident.core.documents import Document
from dynident.core.texts import as_sentence, capitalize
from dynident.reports.tables import Column, Report, Table
from dynident.reproduce.claim import Claim, ClaimVerdict
from dynident.reproduce.experiment import Size
from dynident.reproduce.reproduction import Finished, Reproduction

#: A terminal shows a table of the paper with more rows than this as one line.
_ROWS = 12


def number(value: float) -> str:
    """Six significant digits; a number that is zero to rounding as it is."""
    return f"{value:.6g}"


def count_verdicts(claims: Iterable[Claim]) -> dict[ClaimVerdict, int]:
    """How often each verdict was given, in the order of `ClaimVerdict`."""
    counts = Counter(claim.verdict for claim in claims)
    return {verdict: counts[verdict] for verdict in ClaimVerdict}


def tell_counts(claims: Sequence[Claim]) -> str:
    """ "61 numbers: 50 equal, 6 better, ..."."""
    return _counts_text({verdict.value: count for verdict, count in count_verdicts(claims).items()})


def _counts_text(counts: Mapping[str, int]) -> str:
    return f"{sum(counts.values())} numbers: {', '.join(f'{count} {verdict}' for verdict, count in counts.items() if count)}"


def source_of(reproduction: Reproduction) -> str:
    """Which data, and how much of the papers' effort."""
    return _source_text(reproduction.data, reproduction.size)


def _source_text(data: Sequence[str], size: Size) -> str:
    source = f"recorded data ({', '.join(data)})" if data else "virtual robots"
    return f"{source}; {size.value}"


def machine() -> str:
    cpu = platform.processor() or platform.machine()
    return f"{cpu}, {os.cpu_count()} cores, Python {platform.python_version()}, dynident {version('dynident')}"


def reproduction_report(reproduction: Reproduction) -> Report:
    """For the terminal; long tables of a paper are one line each, and notes say why a number is not reproduced."""
    tables = tuple(
        Table(
            f"{paper.key}: {tell_counts([claim for step in reproduction.of(paper) for claim in step.outcome.claims])}",
            tuple(row for step in reproduction.of(paper) for row in _terminal_rows(step)),
            (Column("place"), Column("quantity"), _number_column("published"), _number_column("ours"), Column("verdict")),
        )
        for paper in reproduction.papers
    )
    explained = (ClaimVerdict.ERROR, ClaimVerdict.NOT_REPRODUCIBLE, ClaimVerdict.NEAR, ClaimVerdict.CONSTRUCTED)
    notes = tuple(sentence for verdict in explained for sentence in tell_reasons(reproduction, verdict))
    header = (f"Reproduction from {source_of(reproduction)}", tell_counts(reproduction.claims))
    return Report(header=header, tables=tables, notes=notes)


def tell_reasons(reproduction: Reproduction, verdict: ClaimVerdict) -> tuple[str, ...]:
    """Why claims have this verdict; those of one place with one reason in one sentence."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for claim in reproduction.claims:
        if claim.verdict is verdict:
            groups.setdefault((claim.paper, claim.place, claim.why), []).append(claim.quantity)
    return tuple(
        f"{paper}, {place}, {quantities[0] if len(quantities) == 1 else f'{len(quantities)} numbers'}: {why}"
        for (paper, place, why), quantities in groups.items()
    )


def _number_column(name: str) -> Column:
    """Of numbers with their units."""
    return Column(name, form=lambda pair: _value_text(*pair), missing="")


def _terminal_rows(step: Finished) -> Iterable[dict[str, Any]]:
    for place, group in groupby(step.outcome.claims, key=lambda claim: claim.place):
        claims = list(group)
        if len(claims) > _ROWS:
            counts = ", ".join(f"{count} {verdict.value}" for verdict, count in count_verdicts(claims).items() if count)
            yield {"place": place, "quantity": f"{len(claims)} numbers", "published": None, "ours": None, "verdict": counts}
            continue
        for claim in claims:
            values = {"published": (claim.published, claim.unit), "ours": (claim.ours, claim.unit)}
            yield {"place": place, "quantity": claim.quantity, **values, "verdict": claim.verdict.value}


def _value_text(value: float, unit: str) -> str:
    return f"{number(value)} {unit}" if unit else number(value)


def reproduction_markdown(document: Mapping[str, Any]) -> str:
    """Every number beside ours, with its tolerance, its verdict and the reason. document : content of reproduction.json."""
    verdicts, papers = list(document["verdicts"]), document["papers"]
    lines = [
        "# Reproduction of the papers",
        "",
        f"{document['date']}, on {document['machine']}; {_source_text(document['data'], Size[document['size'].upper()])}. "
        f"{_counts_text(document['verdicts'])}.",
        "",
        "A number marked * is of an independent implementation and not printed in the paper.",
        "",
        "| paper | " + " | ".join(verdicts) + " |",
        "|---|" + "---|" * len(verdicts),
    ]
    for paper in papers:
        counts = Counter(claim["verdict"] for experiment in paper["experiments"] for claim in experiment["claims"])
        lines.append(f"| {paper['paper']} | " + " | ".join(str(counts[verdict]) for verdict in verdicts) + " |")
    for paper in papers:
        lines += ["", f"## {paper['paper']}", "", f"{paper['citation']}."]
        for experiment in paper["experiments"]:
            lines += ["", *_markdown_experiment(experiment)]
    return "\n".join(lines) + "\n"


def _markdown_experiment(experiment: Mapping[str, Any]) -> list[str]:
    head = "| place | quantity | published | ours | tolerance | verdict | why |"
    rows = [_markdown_row(Claim.of_dict(claim)) for claim in experiment["claims"]]
    notes = [f"- {as_sentence(note)}" for note in experiment["notes"]]
    title = f"### {capitalize(experiment['title'])} ({experiment['seconds']:.1f} s)"
    return [title, "", head, "|---|---|---|---|---|---|---|", *rows, *([""] if notes else []), *notes]


def _markdown_row(claim: Claim) -> str:
    published, ours = (_value_text(value, claim.unit) for value in (claim.published, claim.ours))
    mark = "*" if claim.origin == "prototype" else ""
    tolerance = f"{claim.tolerance:.2g} ({claim.tolerance_from})"
    why = "" if claim.verdict is ClaimVerdict.EQUAL else claim.why
    cells = (claim.place, claim.quantity, published + mark, ours, tolerance, claim.verdict.value, why)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


@dataclass(frozen=True, kw_only=True)
class PaperExperimentDocument:
    """An experiment of a paper, done again."""

    experiment: str
    title: str
    seconds: float
    notes: tuple[str, ...]
    claims: tuple[Claim, ...]


@dataclass(frozen=True, kw_only=True)
class PaperDocument:
    """A paper."""

    paper: str
    citation: str
    experiments: tuple[PaperExperimentDocument, ...]


@dataclass(frozen=True, kw_only=True)
class ReproductionDocument(Document):
    """reproduction.json, which `dynident reproduce --json` prints too."""

    FILE = "reproduction.json"
    SCHEMA = "dynident/reproduction/1"

    date: str
    machine: str
    size: Annotated[str, "how much of the papers' effort was made: quick, usual or full"]
    data: Annotated[tuple[str, ...], "recorded data that were given"]
    verdicts: Annotated[Mapping[str, int], "how often each was given"]
    papers: tuple[PaperDocument, ...]

    @staticmethod
    def of(reproduction: Reproduction) -> ReproductionDocument:
        return ReproductionDocument(
            date=today(),
            machine=machine(),
            size=reproduction.size.name.lower(),
            data=tuple(reproduction.data),
            verdicts={verdict.value: count for verdict, count in count_verdicts(reproduction.claims).items()},
            papers=tuple(
                PaperDocument(
                    paper=paper.key,
                    citation=paper.citation,
                    experiments=tuple(
                        PaperExperimentDocument(
                            experiment=step.experiment.key,
                            title=step.experiment.title,
                            seconds=step.seconds,
                            notes=step.outcome.notes,
                            claims=step.outcome.claims,
                        )
                        for step in reproduction.of(paper)
                    ),
                )
                for paper in reproduction.papers
            ),
        )


def today() -> str:
    return datetime.now(UTC).date().isoformat()
