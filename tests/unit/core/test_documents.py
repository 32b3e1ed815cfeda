"""Declared documents: their JSON, their JSON Schema, and what is said about a field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np
from jsonschema import Draft202012Validator
from numpy.typing import NDArray

from dynident.core.documents import LEFT_OUT, NULLABLE, Document, Number, Unit, by_name, document_keys, fill, json_schema, to_json
from dynident.core.files import json_text


class Trust(StrEnum):
    GOOD = "good"


class Span(NamedTuple):
    """A stretch of time."""

    start: float
    stop: float


@dataclass(frozen=True, kw_only=True)
class Inner:
    """A part.

    Attributes
    ----------
    low, high : float
        Ends of it [m].
    limit : float
        Infinite without one.
    """

    low: float
    high: float
    limit: Annotated[float, NULLABLE] = 1.0
    DERIVED: ClassVar = ("middle",)

    @property
    def middle(self) -> float:
        """Between both."""
        return 0.5 * (self.low + self.high)


@dataclass(frozen=True, kw_only=True)
class Shared(Document):
    """What several have."""

    versions: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Whole(Shared):
    """A document
    in two lines.

    More about it.
    """

    FILE = "whole.json"
    SCHEMA = "dynident/whole/1"

    mass: Annotated[Number, "of all", Unit("kg")]
    parts: tuple[Inner, ...]
    spans: tuple[Span, ...]
    trust: Trust
    route: Literal["a", "b"]
    pose: NDArray[np.float64]
    by_joint: Mapping[str, Number]
    reason: Annotated[str | None, "why"] = field(default=None, metadata=LEFT_OUT)


WHOLE = Whole(
    mass=float("inf"),
    parts=(Inner(low=0.0, high=1.0, limit=float("nan")),),
    spans=(Span(0.0, 1.0),),
    trust=Trust.GOOD,
    route="a",
    pose=np.eye(2),
    by_joint=by_name(("q1", "q2"), np.array([1.0, np.nan])),
    versions={"python": "3"},
)


def test_json_has_the_keys_in_their_order_and_null_for_what_is_not_finite():
    content = to_json(WHOLE)
    assert list(content) == ["schema", "mass", "parts", "spans", "trust", "route", "pose", "by_joint", "versions"]
    assert content["mass"] is None
    assert content["parts"] == [{"low": 0.0, "high": 1.0, "limit": None, "middle": 0.5}]
    assert (content["spans"], content["trust"]) == ([{"start": 0.0, "stop": 1.0}], "good")
    assert content["pose"] == [[1.0, 0.0], [0.0, 1.0]]
    assert content["by_joint"] == {"q1": 1.0, "q2": None}
    assert json_text([WHOLE]) == json_text([content])


def test_the_schema_accepts_the_document_and_refuses_what_it_does_not_declare():
    schema = json_schema(Whole)
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    content = to_json(WHOLE)
    assert validator.is_valid(content)
    assert validator.is_valid({**content, "reason": "because"})
    changes: tuple[dict[str, Any], ...] = ({"more": 1}, {"mass": "1"}, {"reason": None}, {"route": "c"}, {"schema": "dynident/whole/2"})
    assert [change for change in changes if validator.is_valid({**content, **change})] == []
    assert not validator.is_valid({name: value for name, value in content.items() if name != "mass"})


def test_a_field_carries_its_sentence_and_unit():
    schema = json_schema(Whole)
    assert (schema["title"], schema["description"]) == ("whole.json", "A document in two lines.")
    assert schema["properties"]["mass"] == {"description": "of all", "type": ["number", "null"], "unit": "kg"}
    assert {key.name: key.sentence for key in document_keys(Inner)} == {
        "low": "Ends of it [m].",
        "high": "Ends of it [m].",
        "limit": "Infinite without one.",
        "middle": "Between both.",
    }


def test_a_record_is_filled_from_attributes_of_the_same_name():
    assert fill(Inner, WHOLE.parts[0], high=3.0).middle == 1.5
    assert fill(Inner, Span(0.0, 1.0), low=1.0, high=2.0).limit == 1.0
