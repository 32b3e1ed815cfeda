"""Numbers in sentences."""

from __future__ import annotations

import pytest

from dynident.core.texts import short_number


@pytest.mark.parametrize(
    ("value", "text"), [(0.8123, "0.81"), (5.32, "5.3"), (12.6, "13"), (228.4, "228"), (-388.2, "-388"), (3e9, "3e+09"), (0.0, "0")]
)
def test_a_short_number_keeps_all_before_the_point(value, text):
    assert short_number(value) == text
