"""Numbers in tables show digits whatever the size of the robot."""

from __future__ import annotations

import pytest

from dynident.core.texts import decimal_text, number_form, value_text


@pytest.mark.parametrize(
    ("values", "form"),
    [
        ([], ".4f"),
        ([0.0, None], ".4f"),
        ([1e-9, 0.5], ".4f"),
        ([1e-9, -2e-6], ".2e"),
        ([0.001], ".4f"),
        ([float("inf"), 3.0], ".4f"),
        ([2e6, 1.0], ".2e"),
    ],
)
def test_a_column_has_decimals_where_they_show_its_largest_number(values, form):
    assert number_form(4, values) == form


def test_single_numbers():
    assert (decimal_text(17.25, 2), decimal_text(0.0, 3), decimal_text(1.5e-6, 3)) == ("17.25", "0.000", "1.50e-06")


@pytest.mark.parametrize(
    ("value", "std", "text"),
    [
        (-1.0857e-13, 3.6e-16, "-1.086e-13 ± 4e-16"),
        (4.9e-17, 2e-16, "4.9e-17 ± 2e-16"),
        (0.75, 1e-16, "0.750000000 ± 1e-16"),
        (0.0, 1e-16, "0.000000000 ± 1e-16"),
        (1.5e-6, 0.0, "1.500000000e-06 ± 0e+00"),
        (1.23456, 0.012, "1.235 ± 0.012"),
    ],
)
def test_values_with_tiny_deviations(value, std, text):
    assert value_text(value, std) == text
