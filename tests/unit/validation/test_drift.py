"""Friction that changes over a log is found, and friction that does not is not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynident.reports.validation import drift_figures
from dynident.validation.drift import friction_drift
from dynident.validation.series import JointSeries


def series(trend: float, *, noise: float = 0.05, seconds: float = 60.0) -> JointSeries:
    rng, time = np.random.default_rng(1), np.arange(int(20 * seconds)) / 20.0
    velocity = np.sin(1.3 * time) + 0.4 * np.sin(3.1 * time)
    friction = 0.5 * np.sign(velocity) + 0.2 * velocity
    rigid = 3.0 * np.sin(0.7 * time)
    measured = rigid + friction * (1.0 + trend * (time / time[-1] - 0.5)) + noise * rng.normal(size=len(time))
    predicted = {"coefficients": rigid + friction, "coefficients_rigid": rigid}
    zeros = np.zeros(len(time), dtype=np.int64)
    return JointSeries(
        joint="elbow", prismatic=False, time=time, segment=zeros, velocity=velocity, measured=measured, predicted=predicted, std={}
    )


@pytest.mark.parametrize("trend", [0.3, -0.3])
def test_a_trend_is_found_with_its_size(trend: float):
    found = friction_drift(series(trend))
    assert found is not None
    assert found.drifts
    assert found.trend == pytest.approx(trend, abs=0.03)
    assert found.share[-1] - found.share[0] == pytest.approx(trend, abs=0.1)


def test_it_is_drawn_against_time_and_against_temperature_where_that_was_recorded():
    cold = series(0.3)
    found, warm = friction_drift(cold), friction_drift(replace(cold, temperature=20.0 + cold.time))
    assert found is not None
    assert warm is not None
    assert [figure.label for figure in drift_figures(found)] == ["Friction of elbow against time"]
    assert [figure.label for figure in drift_figures(warm)] == ["Friction of elbow against time", "Friction of elbow against temperature"]
    np.testing.assert_allclose(warm.temperature, 20.0 + warm.time)


def test_steady_friction_does_not_drift():
    found = friction_drift(series(0.0, noise=0.3))
    assert found is not None
    assert not found.drifts


def test_a_short_log_tells_nothing():
    assert friction_drift(series(0.3, seconds=4.0)) is None
