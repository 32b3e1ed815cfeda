"""What a section is made of. Blocks are data; the page's template is what knows HTML, and it escapes all text."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from dynident.core.results import Result
from dynident.core.texts import as_sentence
from dynident.reports.figures import Figure
from dynident.reports.tables import Table


@dataclass(frozen=True)
class Text:
    """A paragraph. math : typeset the names of parameters in it; headline : the sentence that a section is summed up by."""

    text: str
    math: bool = False
    headline: bool = False


@dataclass(frozen=True)
class Heading:
    """The beginning of a part of a section."""

    text: str


@dataclass(frozen=True)
class Listing:
    """A list of sentences. tone : "good", "bad" or "" (neutral)."""

    title: str
    items: tuple[str, ...]
    tone: str = ""


@dataclass(frozen=True)
class Card:
    """One number that sums up much. tone : "good", "fair", "bad" or "" (neutral); bars : small ones below, (label, text, share to 1)."""

    label: str
    value: str
    detail: str = ""
    tone: str = ""
    bars: tuple[tuple[str, str, float], ...] = ()


@dataclass(frozen=True)
class Cards:
    cards: tuple[Card, ...]


@dataclass(frozen=True)
class Key:
    """Entries of a legend that several figures share: (kind of trace, label, colour). Each shows and hides its traces.

    hidden : kinds that the figures don't show at first.
    """

    entries: tuple[tuple[str, str, str], ...]
    hidden: frozenset[str]

    @staticmethod
    def of(figures: Iterable[Figure]) -> Key:
        """The kinds of traces that figures name with `meta`, as the first trace of each has it."""
        first: dict[str, dict[str, Any]] = {}
        for figure in figures:
            for trace in figure.data:
                first.setdefault(trace.get("meta", ""), trace)
        first.pop("", None)
        return Key(
            tuple((kind, html.unescape(trace["name"]), trace["line"]["color"]) for kind, trace in first.items()),
            frozenset(kind for kind, trace in first.items() if trace.get("visible") == "legendonly"),
        )


@dataclass(frozen=True)
class Frame:
    """A page within the page."""

    title: str
    html: str


Block: TypeAlias = Text | Heading | Listing | Cards | Table | Figure | Key | Frame


def result_blocks(result: Result, *about: Block) -> Iterator[Block]:
    """A result on a page: its first fact as the headline, what there is to say about it, tables, figures, the other facts, notes."""
    shown, figures = result.tables(), result.figures()
    yield Text(shown.facts[0], headline=True)
    yield from about
    yield from shown.tables
    yield Key.of(figures)
    yield from figures
    yield Text(" ".join(shown.facts[1:]))
    yield notes_listing("Notes", shown.notes)


def notes_listing(title: str, notes: Iterable[str]) -> Listing:
    """Notes as sentences."""
    return Listing(title, tuple(as_sentence(note) for note in notes))
