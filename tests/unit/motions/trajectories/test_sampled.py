"""A motion between its samples, against SciPy's interpolation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import BPoly, CubicHermiteSpline, CubicSpline

from dynident.data import Dataset
from dynident.errors import InputError, ValueRangeError
from dynident.motions import SampledTrajectory
from tests.facts import raises

RNG = np.random.default_rng(3)
T = np.concatenate([[0.0], np.cumsum(RNG.uniform(0.05, 0.4, 12))])
Q, DQ, DDQ = RNG.normal(size=(3, len(T), 2))
ORACLES = {
    0: CubicSpline(T, Q),
    1: CubicHermiteSpline(T, Q, DQ),
    2: BPoly.from_derivatives(T, np.stack([Q, DQ, DDQ], axis=1)),
}


@pytest.mark.parametrize("derivatives", ORACLES)
def test_it_is_scipys_polynomial(derivatives):
    known = dict(zip(("dq", "ddq")[:derivatives], (DQ, DDQ), strict=False))
    motion = SampledTrajectory(joints=("a", "b"), times=T, q=Q, **known).sample(np.linspace(0.0, T[-1], 400))
    for order, values in enumerate(motion):
        np.testing.assert_allclose(values, ORACLES[derivatives](np.linspace(0.0, T[-1], 400), order), rtol=1e-9, atol=1e-9)


def test_the_samples_are_on_it():
    motion = SampledTrajectory(joints=("a", "b"), times=T, q=Q, dq=DQ, ddq=DDQ).sample(T)
    for values, given in zip(motion, (Q, DQ, DDQ), strict=True):
        np.testing.assert_allclose(values, given, atol=1e-9)


def test_a_log_whose_clock_begins_elsewhere_begins_at_0():
    motion = SampledTrajectory.of_dataset(Dataset(time=T + 1000.0, q=Q))
    assert (motion.times[0], motion.duration) == (0.0, pytest.approx(T[-1]))


def test_what_is_not_one_motion():
    with raises(InputError, 2, "segments"):
        SampledTrajectory.of_dataset(Dataset(time=T, q=Q, starts=(0, 5)))
    with raises(ValueRangeError, 0, name="times"):
        SampledTrajectory(joints=("a", "b"), times=T[::-1], q=Q)
