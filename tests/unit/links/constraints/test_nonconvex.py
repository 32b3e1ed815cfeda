"""Bounds on barycentric inertias, which are not convex, and the user's own functions."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynident.errors import InputError
from dynident.links import Bounds, UserConstraint, violations
from dynident.links.constraints.nonconvex import link_views
from dynident.robots.parameters import INERTIA_ELEMENTS, INERTIA_NAMES, to_com
from tests.facts import carries, raises
from tests.unit.links.links import COLUMNS, ROBOT, random_links, seeds

elements = st.sampled_from(INERTIA_NAMES)


def barycentric(x: np.ndarray, link: int, element: str) -> float:
    return float(to_com(x.reshape(-1, 10))[2][link][INERTIA_ELEMENTS[INERTIA_NAMES.index(element)]])


@given(seed=seeds, element=elements)
def test_bounds_hold_where_the_barycentric_inertia_is_within_them(seed, element):
    rng = np.random.default_rng(seed)
    x = random_links(rng)
    low, high = np.sort(rng.uniform(-0.05, 0.1, 2))
    value = barycentric(x, 1, element)
    if min(abs(value - low), abs(value - high)) > 1e-8:
        found = violations(Bounds(f"I2{element}", low, high).terms(ROBOT, COLUMNS), x)
        assert bool(found) == (not low <= value <= high)


@given(seed=seeds, element=elements, upper=st.booleans())
def test_a_violation_is_how_far_the_element_is_outside(seed, element, upper):
    x = random_links(np.random.default_rng(seed))
    value = barycentric(x, 2, element)
    bound = Bounds(f"I3{element}", high=0.01) if upper else Bounds(f"I3{element}", low=0.01)
    for item in bound.terms(ROBOT, COLUMNS).nonconvex:
        assert item.violation(x) == pytest.approx((value - 0.01) if upper else (0.01 - value), abs=1e-12)


@given(seed=seeds, element=elements, upper=st.booleans())
def test_the_convex_stand_in_implies_the_bound_and_is_tight_where_it_was_made(seed, element, upper):
    rng = np.random.default_rng(seed)
    here = random_links(rng)
    limit = barycentric(here, 0, element)
    bound = Bounds(f"I1{element}", high=limit) if upper else Bounds(f"I1{element}", low=limit)
    for item in bound.terms(ROBOT, COLUMNS).nonconvex:
        assert item.convex_at is not None
        block = item.convex_at(here)
        assert block.margin(here) == pytest.approx(0.0, abs=1e-12)
        for _ in range(20):
            x = here + 0.1 * rng.normal() * random_links(rng)
            if x[0] > 0.0 and block.margin(x) >= 0.0:
                assert item.violation(x) <= 1e-12


def test_lower_bounds_of_diagonal_elements_are_convex():
    terms = Bounds("I1xx", 0.0, 1.0).terms(ROBOT, COLUMNS)
    assert [block.name for block in terms.blocks] == ["I1xx >= 0"]
    assert [item.name for item in terms.nonconvex] == ["I1xx <= 1"]
    assert len(Bounds("I1xy", -1.0, 1.0).terms(ROBOT, COLUMNS).nonconvex) == 2


def test_a_massless_link_violates():
    (item,) = Bounds("I1xx", high=1.0).terms(ROBOT, COLUMNS).nonconvex
    assert item.violation(np.zeros(30)) == np.inf


@given(seed=seeds)
def test_links_are_shown_to_user_functions_as_they_are(seed):
    x = random_links(np.random.default_rng(seed))
    m, c, I = to_com(x.reshape(-1, 10))
    for i, view in enumerate(link_views(ROBOT, x.reshape(-1, 10))):
        assert (view.name, view.mass) == (ROBOT.link_names[i], m[i])
        np.testing.assert_allclose(view.com, c[i])
        np.testing.assert_allclose(view.inertia, I[i], atol=1e-12)


def heavier_towards_the_base(links):
    if links[0].mass > 3.0:
        return [links[1].mass - links[0].mass, links[2].mass - links[1].mass]
    return -1.0


@given(seed=seeds)
def test_a_function_with_if_and_else(seed):
    x = random_links(np.random.default_rng(seed))
    m = x[::10]
    found = violations(UserConstraint(heavier_towards_the_base).terms(ROBOT, COLUMNS), x)
    assert bool(found) == (m[0] > 3.0 and max(m[1] - m[0], m[2] - m[1]) > 1e-9)
    assert all(item.name == "heavier_towards_the_base" for item in found)


@pytest.mark.parametrize(
    ("function", "facts"),
    [
        (lambda links: float("nan"), ("[nan]", "numbers")),
        (lambda links: [], ("[]", "numbers")),
        (lambda links: 1 / 0, ("ZeroDivisionError",)),
        (lambda links: links[9].mass, ("IndexError",)),
        (lambda links: "far", ("ValueError",)),
    ],
)
def test_functions_that_return_no_numbers_are_named(function, facts):
    (item,) = UserConstraint(function, name="my rule").terms(ROBOT, COLUMNS).nonconvex
    with raises(InputError, "constraint 'my rule'") as caught:
        item.violation(random_links(np.random.default_rng(0)))
    assert carries(str(caught.value), *facts)


def test_conditions_can_be_sent_to_other_processes():
    x = random_links(np.random.default_rng(3))
    for constraint in (UserConstraint(heavier_towards_the_base), Bounds("I1xy", -0.1, 0.1)):
        terms = constraint.terms(ROBOT, COLUMNS)
        again = pickle.loads(pickle.dumps(terms))  # noqa: S301 (our own)
        assert [item.violation(x) for item in again.nonconvex] == [item.violation(x) for item in terms.nonconvex]
