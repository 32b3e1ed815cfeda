"""Columns know what they are, so that nobody counts places or takes names apart."""

import numpy as np
import pytest

from dynident import load_robot
from dynident.dynamics.friction import linear
from dynident.errors import DynidentError
from dynident.regression import base_parameters
from dynident.regression.equations.columns import ExtraColumn, FrictionColumn, moved_columns, problem_columns
from dynident.robots.parameters import ParameterEntry
from tests.facts import raises

ROBOT = load_robot("planar_2r")
COLUMNS = problem_columns(ROBOT, linear(), ("Jm", "spring"))


def test_each_column_says_what_it_is():
    assert COLUMNS.names[10:20] == ("m2", "mc2x", "mc2y", "mc2z", "J2xx", "J2xy", "J2xz", "J2yy", "J2yz", "J2zz")
    assert COLUMNS.names[20:] == ("fv1", "fc1", "fo1", "fv2", "fc2", "fo2", "Jm", "spring")
    for place, (name, unit) in enumerate(zip(COLUMNS.names, COLUMNS.units, strict=True)):
        column = COLUMNS[place]
        assert (column.name, column.unit, COLUMNS.index(name)) == (name, unit, place)
        if isinstance(column, ParameterEntry):
            assert COLUMNS.of_link(column.link)[column.slot] == place
            assert name == f"{column.quantity}{column.link + 1}{column.element}"
        elif isinstance(column, FrictionColumn):
            assert COLUMNS.of_joint(column.joint)[column.slot] == place
            assert name == f"{column.parameter}{column.joint + 1}"
            assert column.nonnegative == (column.parameter != "fo")
        else:
            assert isinstance(column, ExtraColumn)


def test_a_vector_falls_into_links_friction_and_extras():
    x = np.arange(float(len(COLUMNS)))
    np.testing.assert_array_equal(COLUMNS.links(x), x[:20].reshape(2, 10))
    np.testing.assert_array_equal(COLUMNS.friction(x), x[20:26].reshape(2, 3))
    assert COLUMNS.extra(x) == {"Jm": 26.0, "spring": 27.0}
    several = np.stack([x, -x, 2 * x])
    np.testing.assert_array_equal(COLUMNS.links(several)[2], 2 * COLUMNS.links(x))
    np.testing.assert_array_equal(COLUMNS.friction(several)[1], -COLUMNS.friction(x))
    np.testing.assert_array_equal(np.flatnonzero(COLUMNS.is_link), np.arange(20))


def test_without_friction_there_is_none():
    columns = problem_columns(ROBOT, None)
    assert columns.friction(np.zeros(20)).shape == (2, 0)
    assert list(columns.of_joint(1)) == []
    assert columns.extra(np.zeros(20)) == {}


def test_a_joint_moves_what_is_beyond_it():
    np.testing.assert_array_equal(moved_columns(ROBOT, COLUMNS, 1), [*range(10, 20), 23, 24, 25, 26, 27])


@pytest.mark.parametrize("extra", [("m1",), ("fv2",), ("spring", "spring")])
def test_an_extra_column_with_a_name_that_is_taken_is_refused(extra):
    with raises(DynidentError, f"{extra[-1]!r}", "another"):
        base_parameters(ROBOT, friction=linear(), extra=extra)


def test_a_name_that_begins_like_an_inertia_is_still_the_users_own():
    base = base_parameters(ROBOT, friction=linear(), extra=("Jm", "m3"))
    assert base.expressions[-2:] == ("Jm", "m3")
