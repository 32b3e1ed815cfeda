"""Numbers and angles as people write them, and complaints that name the place."""

from __future__ import annotations

import math

import pytest

from dynident.core.fields import Fields
from dynident.core.kinds import parse_number
from dynident.errors import FileError
from tests.facts import raises


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.25", 0.25),
        ("1e-3", 1e-3),
        ("-1.5E+2", -150.0),
        (".5", 0.5),
        ("pi", math.pi),
        ("pi/2", math.pi / 2),
        ("-pi/2", -math.pi / 2),
        ("- pi / 2", -math.pi / 2),
        ("2*pi/3", 2 * math.pi / 3),
        ("90 deg", math.pi / 2),
        ("-170deg", -170 * math.pi / 180),
        ("110 deg/s", 110 * math.pi / 180),
        ("1.5 rad", 1.5),
        ("inf", math.inf),
        ("-.Inf", -math.inf),
    ],
)
def test_numbers_and_angles(text: str, value: float) -> None:
    assert parse_number(text) == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize(
    "text",
    ["", " ", "abc", "pi pi", "pi/", "*2", "2**3", "1+2", "pi/0", "__import__('os')", "1e", "nan", "deg", "--1", "pi/-2", "1 2", "0x10"],
)
def test_anything_else_is_not_a_number(text: str) -> None:
    assert parse_number(text) is None


def fields(**values: object) -> Fields:
    return Fields("robot.yaml", {"joints": [values]}).sections("joints")[0]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("abc", "is 'abc'; expected a finite number"),
        (None, "is None; expected a finite number"),
        (True, "is True; expected a finite number"),
        ([1], "is [1]; expected a finite number"),
        ({"a": 1}, "is {'a': 1}; expected a finite number"),
        (float("nan"), "is nan; expected a finite number"),
        (float("inf"), "is inf; expected a finite number"),
        (10**400, "; expected a finite number"),
        ("1e999", "is '1e999'; expected a finite number"),
        ("-inf", "is '-inf'; expected a finite number"),
    ],
)
def test_a_bad_number_names_its_place(value: object, message: str) -> None:
    with pytest.raises(FileError) as caught:
        fields(alpha=value).number("alpha")
    assert (caught.value.file, caught.value.place) == ("robot.yaml", "joints[0].alpha")
    assert message in str(caught.value)


def test_infinity_only_where_it_is_allowed() -> None:
    assert fields(effort=float("inf")).number("effort", infinite=True) == math.inf
    with raises(FileError, "nan", place="joints[0].effort"):
        fields(effort=float("nan")).number("effort", infinite=True)


def test_lists_have_their_length_and_name_the_element() -> None:
    assert fields(com=[1, "2e-1", "pi"]).numbers("com", 3).tolist() == [1.0, 0.2, math.pi]
    with raises(FileError, "[1, 2]", 3, 2, place="joints[0].com"):
        fields(com=[1, 2]).numbers("com", 3)
    with pytest.raises(FileError) as caught:
        fields(com=[1, 2, "x"]).numbers("com", 3)
    assert caught.value.place == "joints[0].com[2]"
    with raises(FileError, 3, "list", place="joints[0].com"):
        fields(com=3).numbers("com", 3)


def test_a_list_of_any_length_is_not_empty_and_a_null_may_stand_for_a_number() -> None:
    assert fields(offsets=[1, "1e-3"]).numbers("offsets").tolist() == [1.0, 1e-3]
    assert fields(lower=[None, 0.5]).numbers("lower", 2, null=-math.inf).tolist() == [-math.inf, 0.5]
    with raises(FileError, "[]", 0, place="joints[0].offsets"):
        fields(offsets=[]).numbers("offsets")
    with raises(FileError, "None", "finite", place="joints[0].offsets[0]"):
        fields(offsets=[None]).numbers("offsets")


def test_rows_of_numbers() -> None:
    first, second = fields(points=[[1, 2], ["pi", 0]]).rows("points", 2)
    assert (first.tolist(), second.tolist()) == ([1.0, 2.0], [math.pi, 0.0])
    with pytest.raises(FileError) as caught:
        fields(points=[[1, 2], [0, "x"]]).rows("points", 2)
    assert caught.value.place == "joints[0].points[1][1]"


def test_one_number_for_all_joints_or_one_each() -> None:
    assert fields(fv="1e-3").per_joint("fv", 2).tolist() == [1e-3, 1e-3]
    assert fields(fv=[1, 2]).per_joint("fv", 2).tolist() == [1.0, 2.0]
    with raises(FileError, "[1, 2, 3]", 2, place="joints[0].fv"):
        fields(fv=[1, 2, 3]).per_joint("fv", 2)


def test_a_positive_number() -> None:
    assert fields(radius=0.1).positive("radius") == 0.1
    with raises(FileError, 0, "above", place="joints[0].radius"):
        fields(radius=0).positive("radius")


def test_keys_texts_and_choices() -> None:
    row = fields(name="a", type="revolute", notes=["x ", "y"], empty="", count=3)
    with raises(FileError, "'count'", "name", "type", "notes", "empty"):
        row.only(("name", "type"), ("notes", "empty"))
    with raises(FileError, "'mass'", "missing"):
        row.only(("mass",), ("name", "type", "notes", "empty", "count"))
    assert row.texts("notes") == ("x", "y")
    assert row.texts("name") == ("a",)
    assert row.texts("absent") == ()
    assert row.text("absent", "default") == "default"
    for key in ("empty", "count"):
        with pytest.raises(FileError, match="expected a text"):
            row.text(key)
    with pytest.raises(FileError, match="is 3; expected a text"):
        row.texts("count")
    with raises(FileError, "'revolute'", "fixed", place="joints[0].type"):
        row.choice("type", ("fixed",))
    with pytest.raises(FileError, match=r"notes\[1\]: is 3; expected a text"):
        fields(notes=["a", 3]).texts("notes")
    with pytest.raises(FileError, match="expected a mapping"):
        Fields("robot.yaml", [1], "base")
