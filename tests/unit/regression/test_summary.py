"""What an estimate remembers of its data and its fit is typed, and its JSON keeps its layout."""

import json

import pytest

from dynident.core.documents import to_json
from dynident.regression.summary import Processing, Reading
from tests.facts import carries

STEPS = {
    "resampled_to_hz": 999.5,
    "differentiated": ["dq", "ddq"],
    "filter": "zero-phase Butterworth, parallel",
    "order": 4,
    "cutoff_hz": 5.0,
    "rate_hz": 20.0,
    "read": {"columns": {"q": ["pos_*"]}, "units": {"q": "deg"}},
}


def made(steps: dict) -> Processing:
    kinds = {"differentiated": tuple, "read": lambda read: Reading(**read)}
    return Processing(**{name: kinds.get(name, lambda value: value)(value) for name, value in steps.items()})


@pytest.mark.parametrize("kept", [(), ("differentiated",), ("read",), ("filter", "order", "cutoff_hz", "rate_hz"), tuple(STEPS)])
def test_processing_has_the_layout_of_the_files_without_what_was_not_done(kept):
    content = {name: STEPS[name] for name in kept}
    assert list(to_json(made(content))) == list(content)
    assert json.loads(json.dumps(to_json(made(content)))) == content


def test_processing_in_words():
    assert carries(str(Processing()), "recorded")
    expected = "resampled to 999.5 Hz, dq and ddq by differences, filtered at 5 Hz in parallel, 20 samples per second kept"
    assert str(made(STEPS)) == expected


def test_what_is_said_last_about_reading_counts():
    first = Reading(columns={"q": ["a"], "dq": ["b"]}, units={"q": "deg"}, effort_kind="torque")
    found = Reading(columns={"q": ["c"]}).over(first)
    assert found == Reading(columns={"q": ["c"], "dq": ["b"]}, units={"q": "deg"}, effort_kind="torque")
