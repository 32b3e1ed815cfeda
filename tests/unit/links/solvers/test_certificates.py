"""Contradictions: the set that is named can't hold, and leaving out any of it makes it possible."""

from __future__ import annotations

import numpy as np
import pytest

from dynident.links import Bounds, ComInEllipsoid, Equal, FeasibleSet, Known, PhysicalConsistency, Ratio, Terms, TotalMass
from dynident.links.solvers.certificates import conflicting
from dynident.links.solvers.conic import ConicProgram, ConicStatus
from tests.unit.links.links import COLUMNS, ROBOT

CASES = {
    "masses and their sum": ((Bounds("m1", 0, 1), Bounds("m2", 0, 1), Bounds("m3", 0, 1), TotalMass(4, 9), Bounds("c1x", -1, 1)), 4),
    "known and bounded": ((Known("m1", 2.0), Bounds("m1", 0, 1), PhysicalConsistency()), 2),
    "equal and apart": ((Equal("m1", "m2"), Known("m1", 1.0), Known("m2", 2.0)), 3),
    "negative mass": ((PhysicalConsistency(), Known("m2", -1.0), TotalMass(0, 10)), 2),
    "two regions": (
        (
            PhysicalConsistency(),
            Bounds("m1", 1, 2),
            ComInEllipsoid.sphere(1, [0.5, 0, 0], 0.1),
            Bounds("c1x", -0.1, 0.1),
        ),
        3,
    ),
    "ratio": ((Ratio("m1", "m2", 2.0), Known("m2", 3.0), Bounds("m1", 0, 5)), 3),
}


def possible(terms: Terms) -> bool:
    program = ConicProgram(1e-3 * np.eye(30), np.zeros(30), terms.blocks, terms.equalities)
    return program.solve(tolerance=1e-8).status is not ConicStatus.INFEASIBLE


@pytest.mark.parametrize("name", CASES)
def test_the_set_is_irreducible(name):
    constraints, size = CASES[name]
    terms = FeasibleSet(constraints).terms(ROBOT, COLUMNS)
    names = conflicting(terms, 30)
    assert len(names) == size

    def only(kept: tuple[str, ...]) -> Terms:
        return Terms(
            blocks=tuple(block for block in terms.blocks if block.name in kept),
            equalities=tuple(equality for equality in terms.equalities if equality.name in kept),
        )

    assert not possible(only(names))
    for left_out in names:
        assert possible(only(tuple(item for item in names if item != left_out)))
