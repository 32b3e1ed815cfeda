"""Checked and frozen arrays: what is accepted, and complaints that name the array, its shape and the remedy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from dynident.core.arrays import (
    Array,
    all_finite,
    check_array,
    check_positive,
    check_samples,
    check_unique,
    freeze,
    per_joint,
    set_frozen,
)
from dynident.errors import ShapeError, ValueRangeError
from tests.facts import raises


def test_a_frozen_array_shares_the_memory_and_leaves_the_callers_writable() -> None:
    own = np.zeros(3)
    view = freeze(own)
    own[0] = 1.0
    assert view[0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 2.0
    assert freeze(np.zeros((4, 6))[:, ::2]).flags.c_contiguous


def test_a_frozen_field_is_a_copy() -> None:
    @dataclass(frozen=True)
    class Box:
        corner: Array

        def __post_init__(self) -> None:
            set_frozen(self, "corner", self.corner)

    own = np.zeros(3)
    box = Box(own)
    own[0] = 1.0
    assert box.corner.tolist() == [0.0, 0.0, 0.0]
    assert not box.corner.flags.writeable


@pytest.mark.filterwarnings("error")
def test_finite_also_where_the_sum_overflows() -> None:
    assert all_finite(np.array([1e308, 1e308]))
    assert all_finite(np.array([]))
    assert not all_finite(np.array([np.inf, -np.inf]))
    assert not all_finite(np.array([0.0, np.nan]))


def test_an_array_of_a_shape() -> None:
    assert check_array("a", [[1, 2], [3, 4]], (None, 2)).dtype == np.float64
    with raises(ShapeError, name="a", shape=(2, 2), expected="(None, 3)"):
        check_array("a", np.zeros((2, 2)), (None, 3))
    with raises(ShapeError, name="a", shape=(2,), expected="(N, 2) = (samples, joints)"):
        check_array("a", np.zeros(2), (None, 2), "(N, 2) = (samples, joints)")


def test_infinity_only_where_it_is_allowed_and_nan_never() -> None:
    assert check_array("a", [np.inf], (1,), infinite=True).tolist() == [np.inf]
    with raises(ValueRangeError, "NaN", "infinity", name="a"):
        check_array("a", [np.inf], (1,), remedy="less")
    with raises(ValueRangeError, "NaN", name="a"):
        check_array("a", [np.nan], (1,), infinite=True, remedy="numbers")


def test_samples_of_joints() -> None:
    assert check_samples("q", np.zeros((5, 2)), 2).shape == (5, 2)
    assert check_samples("q", [0, 1], 2).shape == (2,)
    with raises(ShapeError, "(samples, 2)", name="q", shape=(5, 3)):
        check_samples("q", np.zeros((5, 3)), 2)
    with raises(ValueRangeError, "NaN", "infinity", name="q"):
        check_samples("q", [0, np.nan], 2)


def test_one_number_for_all_joints_or_one_each() -> None:
    assert per_joint("k", 2, 3).tolist() == [2.0, 2.0, 2.0]
    assert per_joint("k", [1, np.inf], 2, sign="positive", infinite=True).tolist() == [1.0, np.inf]
    with raises(ShapeError, "(3,)", name="k", shape=(2,)):
        per_joint("k", [1, 2], 3)


@pytest.mark.parametrize(
    ("value", "options", "message"),
    [
        (np.nan, {"infinite": True}, "k is nan; numbers were expected"),
        (np.inf, {}, "k is inf; finite numbers were expected"),
        (0.0, {"sign": "positive"}, r"k is 0\.; finite positive numbers were expected"),
        (-1.0, {"sign": "nonnegative", "infinite": True}, r"k is -1\.; numbers that are not negative were expected"),
    ],
)
def test_numbers_per_joint_that_are_not_allowed(value: float, options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueRangeError, match=message):
        per_joint("k", value, 2, **options)


def test_a_positive_number_and_unique_names() -> None:
    assert check_positive("rate", 5, "Hz") == 5.0
    for value in (0.0, -1.0, np.inf, np.nan):
        with raises(ValueRangeError, value, "Hz", name="rate"):
            check_positive("rate", value, "Hz")
    assert check_unique("joint", ["a", "b"]) == ("a", "b")
    with raises(ValueRangeError, "twice", name="joint name 'a'"):
        check_unique("joint", ["a", "b", "a"])
