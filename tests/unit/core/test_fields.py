"""Numbers and angles as people write them, and complaints that name the place."""

from __future__ import annotations

import math

import pytest

from dynident.core.fields import Fields, parse_numbers
from dynident.core.kinds import parse_number
from dynident.errors import FileError


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


def test_numbers_between_commas() -> None:
    assert parse_numbers("2,-1e-3, pi") == [2.0, -1e-3, math.pi]
    assert parse_numbers("2,x") == parse_numbers("2,") == parse_numbers("") == []


def fields(**values: object) -> Fields:
    return Fields("robot.yaml", {"joints": [values]}).sections("joints")[0]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("abc", "is 'abc'; a finite number was expected"),
        (None, "is None; a finite number"),
        (True, "is True; a finite number"),
        ([1], "is [1]; a finite number"),
        ({"a": 1}, "is {'a': 1}; a finite number"),
        (float("nan"), "is nan; a finite number"),
        (float("inf"), "is inf; a finite number"),
        (10**400, "; a finite number"),
        ("1e999", "is '1e999'; a finite number"),
        ("-inf", "is '-inf'; a finite number"),
    ],
)
def test_a_bad_number_names_its_place(value: object, message: str) -> None:
    with pytest.raises(FileError) as caught:
        fields(alpha=value).number("alpha")
    assert (caught.value.file, caught.value.place) == ("robot.yaml", "joints[0].alpha")
    assert message in str(caught.value)


def test_infinity_only_where_it_is_allowed() -> None:
    assert fields(effort=float("inf")).number("effort", infinite=True) == math.inf
    with pytest.raises(FileError, match="is nan"):
        fields(effort=float("nan")).number("effort", infinite=True)


def test_lists_have_their_length_and_name_the_element() -> None:
    assert fields(com=[1, "2e-1", "pi"]).numbers("com", 3).tolist() == [1.0, 0.2, math.pi]
    with pytest.raises(FileError, match="has 2 elements; 3 numbers were expected"):
        fields(com=[1, 2]).numbers("com", 3)
    with pytest.raises(FileError) as caught:
        fields(com=[1, 2, "x"]).numbers("com", 3)
    assert caught.value.place == "joints[0].com[2]"
    with pytest.raises(FileError, match="a list was expected, not 3"):
        fields(com=3).numbers("com", 3)


def test_a_list_of_any_length_is_not_empty_and_a_null_may_stand_for_a_number() -> None:
    assert fields(offsets=[1, "1e-3"]).numbers("offsets").tolist() == [1.0, 1e-3]
    assert fields(lower=[None, 0.5]).numbers("lower", 2, null=-math.inf).tolist() == [-math.inf, 0.5]
    with pytest.raises(FileError, match="has 0 elements; one or more numbers were expected"):
        fields(offsets=[]).numbers("offsets")
    with pytest.raises(FileError, match=r"offsets\[0\]: is None; a finite number"):
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
    with pytest.raises(FileError, match=r"has 3 elements; one number, or a list of 2 \(one per joint\), was expected"):
        fields(fv=[1, 2, 3]).per_joint("fv", 2)


def test_a_positive_number() -> None:
    assert fields(radius=0.1).positive("radius") == 0.1
    with pytest.raises(FileError, match="is 0; a number above 0 was expected"):
        fields(radius=0).positive("radius")


def test_keys_texts_and_choices() -> None:
    row = fields(name="a", type="revolute", notes=["x ", "y"], empty="", count=3)
    with pytest.raises(FileError, match="unknown key 'count'; allowed: name, type, notes, empty"):
        row.only(("name", "type"), ("notes", "empty"))
    with pytest.raises(FileError, match="key 'mass' is missing; needed: mass"):
        row.only(("mass",), ("name", "type", "notes", "empty", "count"))
    assert row.texts("notes") == ("x", "y")
    assert row.texts("name") == ("a",)
    assert row.texts("absent") == ()
    assert row.text("absent", "default") == "default"
    for key in ("empty", "count"):
        with pytest.raises(FileError, match="a text was expected"):
            row.text(key)
    with pytest.raises(FileError, match="a text or a list of texts"):
        row.texts("count")
    with pytest.raises(FileError, match="is 'revolute'; allowed: fixed"):
        row.choice("type", ("fixed",))
    with pytest.raises(FileError, match="list of texts"):
        fields(notes=["a", 3]).texts("notes")
    with pytest.raises(FileError, match="a mapping was expected"):
        Fields("robot.yaml", [1], "base")
