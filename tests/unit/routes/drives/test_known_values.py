"""Numbers with their doubt, as people write them."""

from __future__ import annotations

import pytest

from dynident.errors import ValueRangeError
from dynident.routes.drives import KnownValue
from tests.facts import raises


@pytest.mark.parametrize(
    ("text", "value", "std"),
    [("28.9±5%", 28.9, 1.445), ("28.9 +- 5 %", 28.9, 1.445), ("2.8±0.05", 2.8, 0.05), ("-12+/-3", -12.0, 3.0), ("2.8", 2.8, 0.0056)],
)
def test_a_text_becomes_a_value_and_its_deviation(text: str, value: float, std: float) -> None:
    known = KnownValue.of(text)
    assert (known.value, known.std) == pytest.approx((value, std))


def test_a_plain_number_is_known_as_well_as_the_caller_says() -> None:
    assert KnownValue.of(2.0, share=0.1).std == pytest.approx(0.2)
    assert KnownValue.of(0.0, std=0.005).std == 0.005


@pytest.mark.parametrize("text", ["heavy", "2.8±", "2.8±a", "2±1±1", "", "2.8±0", "0"])
def test_anything_else_is_refused(text: str) -> None:
    with raises(ValueRangeError, name="a known value"):
        KnownValue.of(text)
