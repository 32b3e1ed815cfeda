"""Assertions about errors and notes by what they carry (type, attributes, names, numbers), so that their sentences can be improved.

A fact is a name, a number or one term that a message must carry, in whatever words and order. A piece of a sentence is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import pytest

E = TypeVar("E", bound=BaseException)

Fact = str | float

#: Two plain words in a row are a piece of a sentence.
_WORD = r"[a-z]{2,}(?:'[a-z]+)?"
SENTENCE = re.compile(rf"(?<![\w']){_WORD},? {_WORD}(?![\w'=(])")


def raises(kind: type[E], /, *facts: Fact, remedy: Mapping[str, object] | None = None, **attributes: object) -> pytest.RaisesExc[E]:
    """`pytest.raises` for an error of a kind whose message carries the facts.

    Parameters
    ----------
    kind
        Its class.
    facts
        Names, numbers and terms that the message has as words of their own.
    remedy
        The arguments that its `Remedy` names, with their values.
    attributes
        Attributes of the error, with their values.
    """
    facts = tuple(str(fact) for fact in facts)
    _refuse_sentences(facts)

    def check(error: E) -> bool:
        absent = [fact for fact in facts if not carries(str(error), fact)]
        assert not absent, f"{absent} not in {str(error)!r}"
        if remedy is not None:
            assert getattr(error.remedy, "arguments", None) == remedy, f"remedy of {error!r}"
        actual = {name: getattr(error, name, None) for name in attributes}
        assert actual == attributes, f"attributes of {error!r}"
        return True

    return pytest.raises(kind, check=check)


def about(notes: Iterable[Any], *facts: Fact) -> list[str]:
    """Those of the notes that carry all of the facts."""
    return [str(note) for note in notes if carries(str(note), *facts)]


def carries(text: str, *facts: Fact) -> bool:
    """Whether a text has each of the facts as a word (a name, a number) of its own."""
    _refuse_sentences(map(str, facts))
    return all(re.search(rf"(?<![\w.]){re.escape(str(fact))}(?![\w]|\.\d)", text) is not None for fact in facts)


def _refuse_sentences(facts: Iterable[str]) -> None:
    sentences = [fact for fact in facts if SENTENCE.search(fact)]
    if sentences:
        raise ValueError(f"{sentences} are pieces of sentences; give the names and numbers in them")
