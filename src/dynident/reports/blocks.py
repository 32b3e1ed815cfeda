"""What a section is made of. Blocks are data; the page's template is what knows HTML, and it escapes all text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from dynident.reports.figures import Figure
from dynident.reports.tables import Table


@dataclass(frozen=True)
class Text:
    """A paragraph. math : typeset the names of parameters in it; headline : the sentence that a section is summed up by."""

    text: str
    math: bool = False
    headline: bool = False
    kind: str = "text"


@dataclass(frozen=True)
class Heading:
    """The beginning of a part of a section."""

    text: str
    kind: str = "heading"


@dataclass(frozen=True)
class Listing:
    """A list of sentences. tone : "good", "bad" or "" (neutral)."""

    title: str
    items: tuple[str, ...]
    tone: str = ""
    kind: str = "listing"


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
    kind: str = "cards"


@dataclass(frozen=True)
class Key:
    """Entries of a legend that several figures share: (trace, label, colour). Each shows and hides its traces.

    hidden : traces that the figures don't show at first.
    """

    entries: tuple[tuple[str, str, str], ...]
    hidden: frozenset[str] = frozenset()
    kind: str = "key"


Block: TypeAlias = Text | Heading | Listing | Cards | Table | Figure | Key


def notes_listing(title: str, notes: Iterable[str]) -> Listing:
    """Notes as sentences."""
    return Listing(title, tuple(as_sentence(note) for note in notes))


def as_sentence(text: str) -> str:
    """With a capital and a full stop."""
    return f"{text[:1].upper()}{text[1:]}."
