"""How words of the command line become values."""

from __future__ import annotations

import numpy as np
import pytest

from dynident.cli.options import (
    parse_frequency,
    parse_gravity,
    parse_known,
    parse_locks,
    parse_map,
    parse_part,
    parse_units,
    parse_without,
)
from dynident.errors import ValueRangeError


def test_locks():
    assert parse_locks(None) == {}
    assert parse_locks(["finger*=0.02", "a=-1e-3"]) == {"finger*": 0.02, "a": -1e-3}
    assert parse_locks(["elbow=90deg", "wrist=-pi/2"]) == pytest.approx({"elbow": np.pi / 2, "wrist": -np.pi / 2})


def test_the_last_equals_sign_separates_the_value():
    assert parse_locks(["odd=name=1"]) == {"odd=name": 1.0}


@pytest.mark.parametrize("word", ["", "joint", "joint=", "=1", "joint=x", "joint=inf"])
def test_what_is_not_joint_equals_number_is_refused(word):
    with pytest.raises(ValueRangeError, match="--lock got"):
        parse_locks([word])


def test_maps_and_units():
    assert parse_map(["q=pos_*", "time=a=b"]) == {"q": ["pos_*"], "time": ["a=b"]}  # the first equals sign ends our name
    assert parse_map(["q=a, b,c"]) == {"q": ["a", "b", "c"]}
    assert parse_units(["q=deg", "effort=N,Nm"]) == {"q": "deg", "effort": ["N", "Nm"]}
    for parse, option in ((parse_map, "--map"), (parse_units, "--unit")):
        for word in ("q", "q=", "=a", "q=,"):
            with pytest.raises(ValueRangeError, match=f"{option} got"):
                parse([word])
        with pytest.raises(ValueRangeError, match="twice"):
            parse(["q=rad", "q=deg"])


def test_parts():
    assert parse_part(None, "--part") == (0.0, 1.0)
    assert parse_part("0.1:0.7", "--part") == (0.1, 0.7)
    assert parse_part(":0.7", "--part") == (0.0, 0.7)
    assert parse_part("0.7:", "--part") == (0.7, 1.0)
    for word in ("0.7", "a:b", "0.7:0.7", "0.8:0.7", "-0.1:1", "0:1.1", "0:1:2", "nan:1", ""):
        with pytest.raises(ValueRangeError, match="--part got"):
            parse_part(word, "--part")


def test_intervals_to_leave_out():
    assert parse_without(None) is None
    assert parse_without(["12.5:13.1", ":2", "-1:"]) == [(12.5, 13.1), (-np.inf, 2.0), (-1.0, np.inf)]
    for word in ("12.5", "a:b", "2:1", "1:1", ":", "1:2:3", "nan:1", ""):
        with pytest.raises(ValueRangeError, match="--without got"):
            parse_without([word])


def test_gravity_and_frequencies():
    assert parse_gravity(None) is None
    assert parse_gravity("1,-2e0, 3") == (1.0, -2.0, 3.0)
    for word in ("1,2", "1,2,3,4", "1,2,x", "1,2,inf", ""):
        with pytest.raises(ValueRangeError, match="--gravity got"):
            parse_gravity(word)
    assert parse_frequency("2.5", "--filter") == 2.5
    for word in ("0", "-1", "nan", "fast", ""):
        with pytest.raises(ValueRangeError, match="--filter got"):
            parse_frequency(word, "--filter")


def test_known_parameters():
    assert parse_known(["m7=0.73", "J2xy=0"]) == {"m7": 0.73, "J2xy": 0.0}
