"""Controller samples: checks of M and g, and cutting."""

from __future__ import annotations

import numpy as np

from dynident.data import ControllerSamples
from dynident.errors import ShapeError, ValueRangeError
from tests.facts import carries, raises


def samples(count: int = 5, n: int = 3, **changes: object) -> ControllerSamples:
    rng = np.random.default_rng(count)
    A = rng.normal(size=(count, n, n))
    content: dict = {"q": rng.normal(size=(count, n)), "M": A @ A.transpose(0, 2, 1), "g": rng.normal(size=(count, n)), "source": "s"}
    return ControllerSamples(**content | changes)


def test_one_of_both_is_needed():
    assert samples(g=None).g is None
    assert samples(M=None).M is None
    with raises(ValueRangeError, "neither", "M", "g", name="controller samples"):
        samples(M=None, g=None)
    with raises(ValueRangeError, "Coriolis", "effort", name="dq"):
        samples(c=np.zeros((5, 3)))


def test_shapes_and_values_are_checked():
    with raises(ShapeError, 3, name="M", shape=(5, 2, 2)):
        samples(M=np.zeros((5, 2, 2)))
    with raises(ShapeError, 5, name="g", shape=(4, 3)):
        samples(g=np.zeros((4, 3)))
    with raises(ShapeError, name="q", shape=(0, 3)):
        samples(q=np.zeros((0, 3)))
    with raises(ValueRangeError, "nan", 2, "joint3", name="g"):
        samples(g=np.where(np.arange(15).reshape(5, 3) == 8, np.nan, 0))


def test_an_inertia_matrix_is_symmetric():
    M = np.array(samples().M)
    M[3, 0, 1] += 1e-7  # as single precision would leave it
    assert samples(M=M).samples == 5
    M[3, 0, 1] += 0.5
    with raises(ValueRangeError, "symmetric", 0.5, 3, name="M"):
        samples(M=M)


def test_parts_joints_and_joining():
    data = samples(10, dq=np.ones((10, 3)), c=np.ones((10, 3)))
    both = ControllerSamples.concatenate([data.part(0, 0.3), data.part(0.3, 1)])
    np.testing.assert_array_equal(both.M, data.M)
    chosen = data.select(["joint3", "joint1"])
    np.testing.assert_array_equal(chosen.M, data.M[:, [2, 0]][:, :, [2, 0]])
    np.testing.assert_array_equal(chosen.g, data.g[:, [2, 0]])
    with raises(ValueRangeError, 1, 2, name="g"):
        ControllerSamples.concatenate([data, samples(g=None, dq=np.ones((5, 3)), c=np.ones((5, 3)))])
    with raises(ValueRangeError, "1:0", "0:0.7", name="part"):
        data.part(1, 0)
    with raises(ValueRangeError, "0:0.01", 10, name="part"):
        data.part(0, 0.01)


def test_it_prints_a_table():
    text = str(samples())
    assert carries(text, "s: q, M, g", 5, 3)
    assert len(text.splitlines()) == 5
