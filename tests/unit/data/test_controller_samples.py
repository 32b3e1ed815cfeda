"""Controller samples: checks of M and g, and cutting."""

from __future__ import annotations

import numpy as np
import pytest

from dynident.data import ControllerSamples
from dynident.errors import ShapeError, ValueRangeError


def samples(count: int = 5, n: int = 3, **changes: object) -> ControllerSamples:
    rng = np.random.default_rng(count)
    A = rng.normal(size=(count, n, n))
    content: dict = {"q": rng.normal(size=(count, n)), "M": A @ A.transpose(0, 2, 1), "g": rng.normal(size=(count, n)), "source": "s"}
    return ControllerSamples(**content | changes)


def test_one_of_both_is_needed():
    assert samples(g=None).g is None
    assert samples(M=None).M is None
    with pytest.raises(ValueRangeError, match="neither M nor g"):
        samples(M=None, g=None)
    with pytest.raises(ValueRangeError, match="dq is missing; the Coriolis effort"):
        samples(c=np.zeros((5, 3)))


def test_shapes_and_values_are_checked():
    with pytest.raises(ShapeError, match=r"M has shape \(5, 2, 2\); expected \(5, 3, 3\) = \(samples, joints, joints\)"):
        samples(M=np.zeros((5, 2, 2)))
    with pytest.raises(ShapeError, match=r"g has shape \(4, 3\); .* 4 samples, but there are 5"):
        samples(g=np.zeros((4, 3)))
    with pytest.raises(ShapeError, match=r"q has shape \(0, 3\)"):
        samples(q=np.zeros((0, 3)))
    with pytest.raises(ValueRangeError, match="g is nan at sample 2, joint 'joint3'"):
        samples(g=np.where(np.arange(15).reshape(5, 3) == 8, np.nan, 0))


def test_an_inertia_matrix_is_symmetric():
    M = np.array(samples().M)
    M[3, 0, 1] += 1e-7  # as single precision would leave it
    assert samples(M=M).samples == 5
    M[3, 0, 1] += 0.5
    with pytest.raises(ValueRangeError, match=r"M is not symmetric: elements differ by 0.5 at sample 3"):
        samples(M=M)


def test_parts_joints_and_joining():
    data = samples(10, dq=np.ones((10, 3)), c=np.ones((10, 3)))
    both = ControllerSamples.concatenate([data.part(0, 0.3), data.part(0.3, 1)])
    np.testing.assert_array_equal(both.M, data.M)
    chosen = data.select(["joint3", "joint1"])
    np.testing.assert_array_equal(chosen.M, data.M[:, [2, 0]][:, :, [2, 0]])
    np.testing.assert_array_equal(chosen.g, data.g[:, [2, 0]])
    with pytest.raises(ValueRangeError, match=r"g is in 's' but not in 's' \(1 of 2 have it\)"):
        ControllerSamples.concatenate([data, samples(g=None, dq=np.ones((5, 3)), c=np.ones((5, 3)))])
    with pytest.raises(ValueRangeError, match="two fractions"):
        data.part(1, 0)
    with pytest.raises(ValueRangeError, match="holds none"):
        data.part(0, 0.01)


def test_it_prints_a_table():
    text = str(samples())
    assert text.startswith("s: q, M, g at 5 configurations of 3 joints")
    assert len(text.splitlines()) == 5
