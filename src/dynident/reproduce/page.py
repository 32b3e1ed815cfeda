"""A reproduction as one page: a summary, then a section per experiment with its numbers, verdicts and figures."""

from __future__ import annotations

from collections.abc import Iterator

from dynident.core.texts import capitalize
from dynident.reports.blocks import Block, Card, Cards, Heading, Listing, Text, notes_listing
from dynident.reports.page import FilledSection, Page, render
from dynident.reports.tables import Column, Table
from dynident.reproduce.claim import NEAR_SHARE, ClaimVerdict
from dynident.reproduce.document import count_verdicts, machine, number, source_of, tell_counts, tell_reasons, today
from dynident.reproduce.reproduction import Finished, Reproduction

#: The page's marks and tones.
_BADGES = {
    ClaimVerdict.EQUAL: "kept",
    ClaimVerdict.BETTER: "kept",
    ClaimVerdict.NEAR: "dropped",
    ClaimVerdict.CONSTRUCTED: "dropped",
    ClaimVerdict.NOT_REPRODUCIBLE: "dropped",
    ClaimVerdict.ERROR: "undetermined",
}
_TONES = {
    ClaimVerdict.EQUAL: "good",
    ClaimVerdict.BETTER: "good",
    ClaimVerdict.NEAR: "fair",
    ClaimVerdict.CONSTRUCTED: "",
    ClaimVerdict.NOT_REPRODUCIBLE: "fair",
    ClaimVerdict.ERROR: "bad",
}
_MEANINGS = {
    ClaimVerdict.EQUAL: "within the tolerance, which is said with each number",
    ClaimVerdict.BETTER: "smaller error or cost, or nearer to the truth",
    ClaimVerdict.NEAR: f"not the same, within {NEAR_SHARE:.0%}; with the reason",
    ClaimVerdict.CONSTRUCTED: "ours was made from the published number, so that agreement says nothing about the paper",
    ClaimVerdict.NOT_REPRODUCIBLE: "with the reason",
    ClaimVerdict.ERROR: "its own numbers contradict it",
}
#: Verdicts whose reasons the summary lists, in this order.
_EXPLAINED = {
    ClaimVerdict.ERROR: "Errors in the papers",
    ClaimVerdict.NOT_REPRODUCIBLE: "Not reproducible",
    ClaimVerdict.NEAR: "Near",
    ClaimVerdict.CONSTRUCTED: "By construction",
}


def reproduction_page(reproduction: Reproduction) -> Page:
    """The page, complete in itself."""
    papers = reproduction.papers
    sections = [FilledSection("summary", "Summary", tuple(_summary(reproduction)))]
    for paper in papers:
        sections.append(FilledSection(paper.key, paper.key, tuple(_paper(reproduction.of(paper)))))
    names = ", ".join(paper.key for paper in papers)
    return render(names, "reproduction", source_of(reproduction), sections, title="Reproduction of the papers")


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
        reasons = tuple(f"{sentence}." for sentence in tell_reasons(reproduction, verdict))
        yield Listing(title, reasons, tone="bad" if verdict is ClaimVerdict.ERROR else "")


def _paper(steps: tuple[Finished, ...]) -> Iterator[Block]:
    yield Text(f"{steps[0].paper.citation}.")
    for step in steps:
        yield Heading(capitalize(step.experiment.title))
        yield _table(step)
        if step.outcome.notes:
            yield notes_listing("How it was done", step.outcome.notes)
        yield from step.outcome.figures


def _table(step: Finished) -> Table:
    badges = {verdict.value: badge for verdict, badge in _BADGES.items()}
    columns = (
        Column("place"),
        Column("quantity", math=True),
        Column("published", form=_published_text, of=lambda claim: (claim.published, claim.origin)),
        Column("ours", form=number),
        Column("unit", left=True),
        Column("tolerance", form=".2g"),
        Column("verdict", of=lambda claim: claim.verdict.value, badge=badges.__getitem__),
    )
    return Table(tell_counts(step.outcome.claims), tuple(step.outcome.claims), columns)


def _published_text(claim: tuple[float, str]) -> str:
    value, origin = claim
    return number(value) + ("*" if origin == "prototype" else "")
