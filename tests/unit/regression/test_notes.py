"""Notes about a log: a short search for spikes finds what the long one does."""

from __future__ import annotations

import numpy as np
import pytest

from dynident.core.large_arrays import column_ranges
from dynident.data import Dataset
from dynident.regression import notes


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("share", [0.0005, 0.019, 0.021, 0.2])
def test_columns_that_can_have_no_spikes_are_passed_over(share: float, masked: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Large values are spikes where they are less than 2 % of all, whether or not other columns are looked at."""
    rng = np.random.default_rng(0)
    values = rng.uniform(0.5, 1.0, size=(2000, 3))
    values[rng.choice(2000, round(share * 2000), replace=False), 1] = 30.0
    mask = rng.random(values.shape) > 0.1 if masked else None
    data = Dataset(time=np.arange(2000) / 100.0, q=np.zeros_like(values), effort=values, effort_kind="torque", mask=mask)
    assert data.effort is not None
    ranges = column_ranges(data.effort, data.mask)
    found = notes._spikes(("a", "b", "c"), data, data.effort, *ranges)
    monkeypatch.setattr(notes, "_suspects", lambda *_: range(3))
    assert found == notes._spikes(("a", "b", "c"), data, data.effort, *ranges)
    assert [text[0] for text in found] == (["b"] if share < 0.02 else [])
