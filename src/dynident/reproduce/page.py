"""A reproduction as one page: a summary, then a section per experiment with its numbers, verdicts and figures."""

from __future__ import annotations

from collections.abc import Iterator

from dynident.reports.blocks import Block, Card, Cards, Cell, Grid, Heading, Listing, Section, Text, notes_listing
from dynident.reports.page import FilledSection, Page, render
from dynident.reproduce.claim import NEAR_SHARE, Claim, Verdict
from dynident.reproduce.document import count_verdicts, machine, number, source_of, tell_counts, tell_reasons, today
from dynident.reproduce.reproduction import Finished, Reproduction
from dynident.runs import Stage

#: The page's marks and tones.
_BADGES = {
    Verdict.EQUAL: "kept",
    Verdict.BETTER: "kept",
    Verdict.NEAR: "dropped",
    Verdict.CONSTRUCTED: "dropped",
    Verdict.NOT_REPRODUCIBLE: "dropped",
    Verdict.ERROR: "undetermined",
}
_TONES = {
    Verdict.EQUAL: "good",
    Verdict.BETTER: "good",
    Verdict.NEAR: "fair",
    Verdict.CONSTRUCTED: "",
    Verdict.NOT_REPRODUCIBLE: "fair",
    Verdict.ERROR: "bad",
}
_MEANINGS = {
    Verdict.EQUAL: "within the tolerance, which is said with each number",
    Verdict.BETTER: "smaller error or cost, or nearer to the truth",
    Verdict.NEAR: f"not the same, within {NEAR_SHARE:.0%}; with the reason",
    Verdict.CONSTRUCTED: "ours was made from the published number, so that agreement says nothing about the paper",
    Verdict.NOT_REPRODUCIBLE: "with the reason",
    Verdict.ERROR: "its own numbers contradict it",
}
#: Verdicts whose reasons the summary lists, in this order.
_EXPLAINED = {
    Verdict.ERROR: "Errors in the papers",
    Verdict.NOT_REPRODUCIBLE: "Not reproducible",
    Verdict.NEAR: "Near",
    Verdict.CONSTRUCTED: "By construction",
}


def reproduction_page(reproduction: Reproduction) -> Page:
    """The page, complete in itself."""
    papers = reproduction.papers
    sections = [FilledSection(_section("summary", "Summary"), blocks=tuple(_summary(reproduction)))]
    for paper in papers:
        sections.append(FilledSection(_section(paper.key, paper.key), blocks=tuple(_paper(reproduction.of(paper)))))
    names = ", ".join(paper.key for paper in papers)
    return render("Reproduction of the papers", "reproduction", names, source_of(reproduction), sections)


def _section(key: str, title: str) -> Section:
    return Section(key=key, title=title, stage=Stage.ESTIMATE, blocks=lambda run: iter(()))


def _summary(reproduction: Reproduction) -> Iterator[Block]:
    claims = reproduction.claims
    yield Text(f"{tell_counts(claims)}.", headline=True)
    yield Cards(
        tuple(
            Card(label=verdict.value.capitalize(), value=str(count), detail=_MEANINGS[verdict], tone=_TONES[verdict] if count else "")
            for verdict, count in count_verdicts(claims).items()
        )
    )
    yield Text(f"{today()}, {machine()}; {source_of(reproduction)}.")
    yield Text("A number marked * is of an independent implementation, and not printed in the paper.")
    for verdict, title in _EXPLAINED.items():
        told = tuple(f"{sentence}." for sentence in tell_reasons(reproduction, verdict))
        yield Listing(title, told, tone="bad" if verdict is Verdict.ERROR else "")


def _paper(steps: tuple[Finished, ...]) -> Iterator[Block]:
    yield Text(f"{steps[0].paper.citation}.")
    for step in steps:
        yield Heading(f"{step.experiment.title[:1].upper()}{step.experiment.title[1:]}")
        yield _grid(step)
        if step.outcome.notes:
            yield notes_listing("How it was done", step.outcome.notes)
        yield from step.outcome.figures


def _grid(step: Finished) -> Grid:
    headings = ("place", "quantity", "published", "ours", "unit", "tolerance", "verdict")
    rows = tuple((_cells(claim), False) for claim in step.outcome.claims)
    return Grid(title=tell_counts(step.outcome.claims), headings=headings, rows=rows, left=frozenset({0, 1, 4, 6}))


def _cells(claim: Claim) -> tuple[Cell, ...]:
    mark = "*" if claim.origin == "prototype" else ""
    return (
        Cell(text=claim.place),
        Cell(text=claim.quantity, math=True),
        Cell(text=number(claim.published) + mark, sort=claim.published),
        Cell(text=number(claim.ours), sort=claim.ours),
        Cell(text=claim.unit),
        Cell(text=f"{claim.tolerance:.2g}", sort=claim.tolerance),
        Cell(text=claim.verdict.value, badge=_BADGES[claim.verdict]),
    )
