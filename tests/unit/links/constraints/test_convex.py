"""Every convex constraint against its definition: its blocks hold exactly where the condition on (m, c, I) does."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from dynident.dynamics.friction import linear
from dynident.errors import DynidentError, InputError, UnknownNameError, ValueRangeError
from dynident.links import (
    Bounds,
    Coefficients,
    ComInCylinder,
    ComInEllipsoid,
    ComInHull,
    Constraint,
    DontCare,
    Equal,
    FeasibleSet,
    FrictionNonnegative,
    Known,
    Objective,
    PhysicalConsistency,
    Ratio,
    Symmetric,
    TotalMass,
    build_retrieval,
    violations,
)
from dynident.regression import base_parameters
from dynident.regression.equations.columns import problem_columns
from dynident.robots.parameters import to_com
from tests.facts import raises
from tests.unit.links.links import COLUMNS, ROBOT, consistent_links, random_links, seeds

CORNERS = np.array([[-0.1, -0.2, 0.0], [0.25, 0.1, 0.0], [0.0, 0.2, 0.2], [0.05, -0.1, -0.25], [0.2, 0.2, -0.1]])


def triangle_slack(inertia: np.ndarray) -> float:
    return float(0.5 * np.trace(inertia) - np.linalg.eigvalsh(inertia)[-1])


def inside_hull(point: np.ndarray) -> float:
    """Distance to the nearest face, by the definition of a hull: linear programming over the corners would say the same."""
    from scipy.spatial import Delaunay

    return 1.0 if Delaunay(CORNERS).find_simplex(point) >= 0 else -1.0


#: constraint, and how far inside of it a robot with masses m, centres c and inertias I is (negative outside).
CASES = [
    (PhysicalConsistency(), lambda m, c, I: min(triangle_slack(tensor) for tensor in I)),
    (PhysicalConsistency(margin=0.01, links=(2,)), lambda m, c, I: triangle_slack(I[1]) - 0.01),
    (Bounds("m2", 1.0, 3.0), lambda m, c, I: min(m[1] - 1.0, 3.0 - m[1])),
    (Bounds("c3x", -0.1, 0.2), lambda m, c, I: min(c[2, 0] + 0.1, 0.2 - c[2, 0])),
    (Bounds("c1z", low=0.05), lambda m, c, I: c[0, 2] - 0.05),
    (Bounds("mc1y", high=0.3), lambda m, c, I: 0.3 - m[0] * c[0, 1]),
    (Bounds("I2yy", low=0.03), lambda m, c, I: I[1, 1, 1] - 0.03),
    (TotalMass(6.0, 9.0), lambda m, c, I: min(m.sum() - 6.0, 9.0 - m.sum())),
    (Ratio("m1", "m2", 0.5, 2.0), lambda m, c, I: min(m[0] - 0.5 * m[1], 2.0 * m[1] - m[0])),
    (ComInHull(2, CORNERS), lambda m, c, I: inside_hull(c[1])),
    (ComInEllipsoid.sphere("link3", [0.1, 0.0, 0.0], 0.25), lambda m, c, I: 0.25 - np.linalg.norm(c[2] - [0.1, 0.0, 0.0])),
    (
        ComInEllipsoid(1, [0.0, 0.1, 0.0], np.diag([5.0, 4.0, 10.0])),
        lambda m, c, I: 1.0 - np.linalg.norm([5.0, 4.0, 10.0] * (c[0] - [0.0, 0.1, 0.0])),
    ),
    (
        ComInCylinder(3, [0.0, 0.0, -0.1], [0.0, 0.0, 0.2], 0.2),
        lambda m, c, I: min(0.2 - np.hypot(*c[2, :2]), c[2, 2] + 0.1, 0.2 - c[2, 2]),
    ),
]


@pytest.mark.parametrize(("constraint", "inside"), CASES, ids=lambda case: type(case).__name__)
@given(seed=seeds)
def test_blocks_hold_exactly_where_the_condition_does(constraint, inside, seed):
    x = random_links(np.random.default_rng(seed))
    m, c, I = to_com(x.reshape(-1, 10))
    room = inside(m, c, I)
    if abs(room) > 1e-9:
        terms = constraint.terms(ROBOT, COLUMNS)
        assert not terms.nonconvex
        assert (min(block.margin(x) for block in terms.blocks) >= 0.0) == (room > 0.0)
        assert bool(violations(terms, x)) == (room < 0.0)


@given(seed=seeds)
def test_the_margin_of_a_link_at_the_boundary_is_zero(seed):
    x = random_links(np.random.default_rng(seed))
    slack = triangle_slack(to_com(x[:10])[2])
    (block,) = PhysicalConsistency(margin=slack, links=(1,)).terms(ROBOT, COLUMNS).blocks
    assert block.margin(x) == pytest.approx(0.0, abs=1e-12)


@given(seed=seeds)
def test_equalities_are_met_by_what_they_describe(seed):
    rng = np.random.default_rng(seed)
    x = random_links(rng).reshape(-1, 10)
    x[1, 0] = x[0, 0]
    m, c, _ = to_com(x)
    mirror = x[2].copy()
    mirror[[2, 5, 8]] *= -1.0  # y -> -y
    x[2] = 0.5 * (x[2] + mirror)
    flat = x.ravel()
    held: list[Constraint] = [Equal("m1", "m2"), Known("c1x", c[0, 0]), Known("m3", m[2]), Known("J1xz", x[0, 6]), Symmetric(3, "xz")]
    assert violations(FeasibleSet(tuple(held)).terms(ROBOT, COLUMNS), flat) == ()
    moved = flat.copy()
    moved[0] += 0.1
    moved[22] += 0.1
    broken = {item.name for item in violations(FeasibleSet(tuple(held)).terms(ROBOT, COLUMNS), moved)}
    assert {"m1 = m2", "symmetry of link3 in xz: mc3y = 0"} <= broken


def test_coefficients_hold_the_dynamics():
    base = base_parameters(ROBOT)
    x = consistent_links(np.random.default_rng(1))
    terms = Coefficients(base, base.coefficients(x)).terms(ROBOT, COLUMNS)
    free = np.linalg.svd(base.grouping)[2][base.rank :]
    assert violations(terms, x + 0.3 * free[0]) == ()
    assert violations(terms, x + 0.3 * base.grouping[0])
    with raises(InputError, "(15,)", name="values", shape=(1,)):
        Coefficients(base, [1.0]).terms(ROBOT, COLUMNS)


def test_friction_is_bounded_by_name():
    base = base_parameters(ROBOT, friction=linear())
    x = np.concatenate([consistent_links(np.random.default_rng(0)), np.tile([0.1, 0.2, -0.3], 3)])
    terms = FrictionNonnegative().terms(ROBOT, base.columns)
    assert violations(terms, x) == ()  # the offset may be negative
    x[base.columns.index("fc2")] = -0.01
    assert [item.name for item in violations(terms, x)] == ["fc2 >= 0"]
    assert [block.name for block in Bounds("fv1", 0.0, 1.0).terms(ROBOT, base.columns).blocks] == ["fv1 >= 0", "fv1 <= 1"]


def test_dont_care_pins_what_the_objective_does_not_contain():
    base = base_parameters(ROBOT, equations="controller")
    goal = Objective(name="", A=base.grouping, b=base.coefficients(ROBOT.parameters))
    free = base.unidentifiable[0]
    problem = build_retrieval(base, goal, DontCare(free, 0.01))
    assert problem.terms.equalities[0].name == f"{free} = 0.01"
    used = base.names[0]
    with raises(InputError, f"coefficient {used}", "don't-care"):
        build_retrieval(base, goal, DontCare(used, 0.01))


def test_what_was_known_in_the_identification_is_known_in_the_retrieval():
    base = base_parameters(ROBOT, known={"m3": 0.7})
    goal = Objective(name="", A=base.grouping, b=base.coefficients(ROBOT.parameters))
    assert [item.name for item in build_retrieval(base, goal, PhysicalConsistency()).terms.equalities] == ["m3 = 0.7"]


def test_sets_join_and_flatten():
    inner = FeasibleSet((TotalMass(1, 2), Known("m1", 1.0)))
    outer = PhysicalConsistency(), Bounds("m2", 0, 1)
    joined = FeasibleSet(outer) & inner & Equal("m1", "m2")
    assert len(joined.constraints) == 5
    assert FeasibleSet((inner, *outer)).flattened == (*inner.constraints, *outer)


@pytest.mark.parametrize(
    ("constraint", "error"),
    [
        (Bounds("m9", 0, 1), UnknownNameError),
        (Bounds("c1", 0, 1), UnknownNameError),
        (Bounds("m1", 2, 1), ValueRangeError),
        (Known("fv1", 0.1), UnknownNameError),
        (Equal("c1x", "c2x"), ValueRangeError),
        (Ratio("I1xx", "m1"), ValueRangeError),
        (Symmetric(1, "zz"), ValueRangeError),
        (Symmetric(4, "xz"), UnknownNameError),
        (PhysicalConsistency(links=("link9",)), UnknownNameError),
        (ComInHull(1, np.zeros((3, 3))), DynidentError),
        (ComInCylinder(1, [0, 0, 0], [0, 0, 0], 1.0), ValueRangeError),
    ],
    ids=str,
)
def test_what_makes_no_sense_is_refused(constraint, error):
    with pytest.raises(error):
        constraint.terms(ROBOT, COLUMNS)


def test_a_column_of_the_users_own_keeps_its_name_whatever_it_looks_like():
    columns = problem_columns(ROBOT, None, ("c1x",))
    (block,) = Bounds("c1x", low=2.0).terms(ROBOT, columns).blocks
    np.testing.assert_array_equal(block.indices, [columns.index("c1x")])
