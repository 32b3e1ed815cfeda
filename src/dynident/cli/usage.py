"""Command lines that can't be meant, in the words of the other errors: which option, what it got, what was expected, where the help is."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from dynident.errors import InputError, ValueRangeError

#: Beyond this no number that a robot or a log has can be, in any unit; and what is computed with it overflows.
LARGEST = 1e15


def check_words(words: Iterable[str]) -> None:
    """Refuse an empty word, the value of a shell variable that is not set and as a path the working folder; and absurd numbers."""
    before = option = "dynident"
    for word in words:
        name, equals, value = word.partition("=")
        option = name if re.match("--?[a-z]", name) else option
        if not word:
            raise InputError(f"there is an empty word after {before}; give a value, or leave it out")
        if name.startswith("--") and equals and not value:
            raise InputError(f"{name} got nothing; give it a value, or leave it out")
        if any(_is_absurd(part) for part in re.split("[=,:()%]", word)):
            raise ValueRangeError(option, f"got {word!r}; numbers up to {LARGEST:g} can be computed with")
        before = word


def _is_absurd(text: str) -> bool:
    """Is it a number, other than a whole one such as a seed, that is too large?"""
    try:
        return not text.strip("+-").isdecimal() and LARGEST < abs(float(text)) < math.inf
    except ValueError:
        return False
