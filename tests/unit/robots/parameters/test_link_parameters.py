"""The three faces of a link's inertia agree, and the margin is what its formula says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynident.errors import ShapeError, ValueRangeError
from dynident.robots.parameters import (
    INERTIA_NAMES,
    consistency_margin,
    from_com,
    from_pseudo_inertia,
    inertia_matrix,
    inertia_tensor,
    link_inertia,
    pseudo_inertia,
    to_com,
)
from tests.facts import raises

seeds = st.integers(0, 2**32 - 1)


def point_masses(seed: int, count: int = 8) -> tuple[np.ndarray, np.ndarray]:
    """Masses (count,) and positions (count, 3): a body whose moments are sums."""
    rng = np.random.default_rng(seed)
    return rng.uniform(0.1, 2.0, count), rng.normal(size=(count, 3))


def moments(masses: np.ndarray, points: np.ndarray) -> np.ndarray:
    """The ten parameters straight from their definition."""
    x, y, z = points.T
    J = [y * y + z * z, -x * y, -x * z, x * x + z * z, -y * z, x * x + y * y]
    return np.array([masses.sum(), *(masses @ points), *(masses @ element for element in J)])


@given(seeds)
def test_parameters_are_the_moments_of_the_mass_distribution(seed: int) -> None:
    masses, points = point_masses(seed)
    m = masses.sum()
    c = masses @ points / m
    r = points - c
    I_c = np.einsum("k,kij->ij", masses, np.einsum("kl,kl->k", r, r)[:, None, None] * np.eye(3) - r[:, :, None] * r[:, None, :])
    np.testing.assert_allclose(from_com(m, c, I_c), moments(masses, points), rtol=1e-12, atol=1e-12)


@given(seeds)
def test_pseudo_inertia_is_the_second_moment_of_homogeneous_points(seed: int) -> None:
    masses, points = point_masses(seed)
    homogeneous = np.column_stack([points, np.ones(len(points))])
    expected = (homogeneous * masses[:, None]).T @ homogeneous
    np.testing.assert_allclose(pseudo_inertia(moments(masses, points)), expected, rtol=1e-12, atol=1e-12)


@given(seeds)
def test_conversions_come_back(seed: int) -> None:
    p = np.random.default_rng(seed).normal(size=(4, 3, 10))
    np.testing.assert_allclose(from_pseudo_inertia(pseudo_inertia(p)), p, rtol=0, atol=1e-13)
    p[..., 0] = np.abs(p[..., 0]) + 0.1
    np.testing.assert_allclose(from_com(*to_com(p)), p, rtol=0, atol=1e-12)


@given(seeds)
def test_margin_is_the_smaller_of_mass_and_triangle_slack(seed: int) -> None:
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(3, 3))
    m, c, I_c = rng.uniform(0.01, 3.0), rng.normal(size=3), A + A.T
    slack = 0.5 * np.trace(I_c) - np.linalg.eigvalsh(I_c)[-1]
    assert consistency_margin(from_com(m, c, I_c)) == pytest.approx(min(m, slack), rel=1e-9, abs=1e-9)


def test_margin_tells_consistent_from_not() -> None:
    bar = from_com(2.0, [0.3, 0.0, 0.1], np.diag([0.01, 0.05, 0.05]))
    beyond = from_com(2.0, [0.3, 0.0, 0.1], np.diag([0.01, 0.05, 0.07]))  # 0.07 > 0.01 + 0.05
    assert consistency_margin(bar) == pytest.approx(0.005)
    assert consistency_margin(beyond) == pytest.approx(-0.005)
    assert consistency_margin(-bar) < 0


def test_margin_of_a_massless_link_is_that_about_the_origin() -> None:
    assert consistency_margin(np.zeros(10)) == 0.0
    p = np.array([0.0, 1.0, 0, 0, 0, 0, 0, 0, 0, 0])
    assert consistency_margin(p) == pytest.approx(-1.0)


def test_inertia_matrix_places_the_six_elements() -> None:
    J = inertia_matrix([0, 0, 0, 0, 1, 2, 3, 4, 5, 6])
    assert J.tolist() == [[1, 2, 3], [2, 4, 5], [3, 5, 6]]


def test_a_massless_link_has_no_centre_of_mass() -> None:
    with raises(ValueRangeError, "zero", name="mass"):
        to_com(np.zeros(10))


def test_one_link_with_its_elements_by_name() -> None:
    p = from_com(2.0, [0.1, 0.2, 0.3], np.diag([0.3, 0.4, 0.5]))
    mass, com, inertia = link_inertia(p)
    assert mass == 2.0
    np.testing.assert_allclose(com, [0.1, 0.2, 0.3])
    np.testing.assert_allclose(inertia, np.diag([0.3, 0.4, 0.5]), atol=1e-15)
    elements = link_inertia(p).elements
    assert tuple(elements) == INERTIA_NAMES
    np.testing.assert_array_equal(inertia_tensor(list(elements.values())), inertia)
    difference = np.abs(inertia_matrix(from_com(mass, com, inertia)) - inertia_matrix(p)).max()
    assert difference <= link_inertia(p).rounding < 1e-13


def test_a_massless_link_has_its_inertia_about_the_origin() -> None:
    p = np.array([0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    mass, com, inertia = link_inertia(p, "rotor")
    assert (mass, com.tolist()) == (0.0, [0.0, 0.0, 0.0])
    np.testing.assert_array_equal(inertia, inertia_matrix(p))
    p[1] = 0.1
    assert link_inertia(p).com.tolist() == [0.0, 0.0, 0.0]
    with raises(ValueRangeError, name="mass of link 'rotor'"):
        link_inertia(p, "rotor")


@pytest.mark.parametrize("function", [to_com, pseudo_inertia, consistency_margin, inertia_matrix])
def test_a_wrong_shape_is_named(function) -> None:
    with pytest.raises(ShapeError) as caught:
        function(np.zeros((3, 9)))
    assert caught.value.shape == (3, 9)
    with pytest.raises(ShapeError):
        from_pseudo_inertia(np.zeros((3, 3)))
