"""How words of the command line become values."""

from __future__ import annotations

import pytest

from dynident.cli.options import parse_locks
from dynident.errors import ValueRangeError


def test_locks():
    assert parse_locks(None) == {}
    assert parse_locks(["finger*=0.02", "a=-1e-3"]) == {"finger*": 0.02, "a": -1e-3}


def test_the_last_equals_sign_separates_the_value():
    assert parse_locks(["odd=name=1"]) == {"odd=name": 1.0}


@pytest.mark.parametrize("word", ["", "joint", "joint=", "=1", "joint=x", "joint=inf"])
def test_what_is_not_joint_equals_number_is_refused(word):
    with pytest.raises(ValueRangeError, match="--lock got"):
        parse_locks([word])
