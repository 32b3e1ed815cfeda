"""Words of messages: counts, lists, sentences."""

from __future__ import annotations

import pytest

from dynident.core.texts import as_sentence, capitalize, count_text, join_words


@pytest.mark.parametrize(("count", "text"), [(0, "0 gaps"), (1, "1 gap"), (2, "2 gaps")])
def test_counts(count, text):
    assert count_text(count, "gap") == text


@pytest.mark.parametrize(("words", "text"), [("a", "a"), ("ab", "a and b"), ("abc", "a, b and c")])
def test_words_are_joined(words, text):
    assert join_words(tuple(words)) == text


def test_only_the_first_letter_changes():
    assert capitalize("the KUKA") == "The KUKA"
    assert (capitalize(""), as_sentence("the KUKA moves")) == ("", "The KUKA moves.")
