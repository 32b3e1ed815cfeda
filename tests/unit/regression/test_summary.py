"""What an estimate remembers of its data and its fit is typed, and its JSON keeps its layout."""

import json

import pytest

from dynident.regression.summary import FitSummary, Processing, Reading

STEPS = {
    "resampled_to_hz": 999.5,
    "differentiated": ["dq", "ddq"],
    "filter": "zero-phase Butterworth, parallel",
    "order": 4,
    "cutoff_hz": 5.0,
    "rate_hz": 20.0,
    "read": {"columns": {"q": ["pos_*"]}, "units": {"q": "deg"}},
}


@pytest.mark.parametrize("kept", [(), ("differentiated",), ("read",), ("filter", "order", "cutoff_hz", "rate_hz"), tuple(STEPS)])
def test_processing_has_the_layout_of_the_files_without_what_was_not_done(kept):
    content = {name: STEPS[name] for name in kept}
    processing = Processing.from_dict(json.loads(json.dumps(content)))
    assert list(processing.to_dict()) == list(content)
    assert processing.to_dict() == content
    assert Processing.from_dict(processing.to_dict()) == processing


def test_processing_in_words():
    assert str(Processing()) == "as recorded"
    expected = "resampled to 999.5 Hz, dq and ddq by differences, filtered at 5 Hz in parallel, 20 samples per second kept"
    assert str(Processing.from_dict(STEPS)) == expected


def test_what_is_said_last_about_reading_counts():
    first = Reading(columns={"q": ["a"], "dq": ["b"]}, units={"q": "deg"}, effort_kind="torque")
    found = first.override(Reading(columns={"q": ["c"]}))
    assert found == Reading(columns={"q": ["c"], "dq": ["b"]}, units={"q": "deg"}, effort_kind="torque")


def test_a_summary_of_an_older_file_is_read():
    details = {
        "source": "log.npz",
        "samples": 100,
        "equations": 200,
        "preprocessing": STEPS,
        "noise": "per_group",
        "noise_levels": [0.1, 0.2],
    }
    details |= {"loss": "huber", "drop_above_percent": None, "condition_number": 40.0, "rank": 8, "rank_tolerance": 1e-8}
    summary = FitSummary.from_dict({**details, "provenance": {"command": "dynident identify"}})
    assert summary.processing.cutoff_hz == 5.0
    assert summary.noise_levels == (0.1, 0.2)
    assert summary.to_dict() == details | {"inflation": 1.0, "correlation_times": []}
    assert FitSummary.from_dict(summary.to_dict()) == summary
