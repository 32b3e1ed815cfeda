"""Groupings with the names of the DH constants: substituting these gives the numbers back."""

from __future__ import annotations

import re

import numpy as np
import pytest
from sympy import Symbol, sympify
from sympy.parsing.sympy_parser import implicit_multiplication, parse_expr, standard_transformations

from dynident import load_robot
from dynident.dynamics.friction import linear
from dynident.regression import BaseParameters, base_parameters
from dynident.regression.equations.symbolic import dh_lengths, find_polynomials
from dynident.reproduce.gaz2019.groupings import CUT_OFF, printed_terms
from dynident.reproduce.gaz2019.published import TABLE_3
from dynident.robots.formats.dh_table import from_dh_table
from tests.chains import random_chain
from tests.draws import make_arm


def substituted(base: BaseParameters) -> np.ndarray:
    """(b, p) the groupings that the texts say, with the DH constants in place of their names; by SymPy."""
    names = {name: Symbol(name) for name in base.columns.names}
    constants = {Symbol(name): value for name, value in dh_lengths(base.robot).items()}
    found = np.zeros(base.grouping.shape)
    assert base.symbolic_expressions is not None
    for k, text in enumerate(base.symbolic_expressions):
        parsed = parse_expr(
            text.replace("²", "**2"), local_dict=names, transformations=(*standard_transformations, implicit_multiplication)
        )
        value = sympify(parsed).subs(constants).expand()
        found[k] = [float(value.coeff(names[name])) for name in base.columns.names]
    return found


def has_numbers(text: str) -> bool:
    return re.search(r"\d\.\d", text) is not None


def test_the_panda_as_published() -> None:
    base = base_parameters(load_robot("panda"), equations="controller")
    symbols = base.symbolic_expressions
    assert symbols[1] == "J2xx - J2yy + J3yy + 2 d3 mc3z + d3² m3 + (d3² + a4²) (m4 + m5 + m6 + m7)"
    assert symbols[7] == "J3xy + a4 mc4z"
    assert symbols[12] == "J4xy - a5 mc5z - a5 d5 (m5 + m6 + m7)"
    assert symbols[35] == "mc4x + a5 (m5 + m6 + m7)"
    assert not any(map(has_numbers, symbols))
    np.testing.assert_allclose(substituted(base), base.grouping, atol=1e-9)
    for row, item in zip(substituted(base), TABLE_3, strict=True):
        printed = printed_terms(item.symbol)
        assert {base.columns.names[i] for i in np.flatnonzero(row)} == printed.keys()
        assert all(abs(row[base.columns.index(name)] - value) <= CUT_OFF for name, value in printed.items())


@pytest.mark.parametrize("equations", ["torque", "inertia", "gravity"])
@pytest.mark.parametrize("name", ["seven", "six"])
def test_arms_that_are_in_no_library(name: str, equations: str) -> None:
    base = base_parameters(make_arm(name).robot, friction=linear() if equations == "torque" else None, equations=equations)
    assert not any(map(has_numbers, base.symbolic_expressions))
    np.testing.assert_allclose(substituted(base), base.grouping, atol=1e-8)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_random_tables_with_right_angles(convention: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = np.zeros((4, 4))  # theta, d, a, alpha
    table[:, 1:3] = np.round(rng.uniform(-0.4, 0.4, (4, 2)), 2) * rng.integers(0, 2, (4, 2))
    table[:, 3] = 0.5 * np.pi * rng.integers(-1, 2, 4)
    base = base_parameters(from_dh_table(table, convention, prismatic=[3] if seed == 3 else ()))
    np.testing.assert_allclose(substituted(base), base.grouping, atol=1e-8)
    assert not any(map(has_numbers, base.symbolic_expressions))


def test_a_number_where_there_is_no_such_polynomial() -> None:
    """A twist of 0.4 rad: sines and cosines are in the factors, and stay numbers."""
    table = np.array([[0.0, 0.3, 0.0, 0.5 * np.pi], [0.0, 0.1, 0.25, 0.4], [0.0, 0.2, 0.0, 0.0]])
    base = base_parameters(from_dh_table(table, "standard"))
    assert any(map(has_numbers, base.symbolic_expressions))
    assert any("a2" in text for text in base.symbolic_expressions or ())
    np.testing.assert_allclose(substituted(base), base.grouping, atol=1e-3)  # the numbers are printed with four digits


def test_equal_lengths_are_told_apart() -> None:
    """Of two links of the same length, each factor is that of its own."""
    table = np.array([[0.0, 0.0, 0.3, 0.0], [0.0, 0.0, 0.3, 0.0], [0.0, 0.0, 0.3, 0.0]])
    base = base_parameters(from_dh_table(table, "modified"))
    symbols = dict(zip(base.names, base.symbolic_expressions, strict=True))
    assert symbols["J1zz"] == "J1zz + a2² (m2 + m3)"
    assert symbols["J2zz"] == "J2zz + a3² m3"
    assert symbols["mc2x"] == "mc2x + a3 m3"


def test_known_parameters_are_left_out() -> None:
    base = base_parameters(load_robot("panda"), known={"m7": 0.7})
    assert base.symbolic_expressions is not None
    assert not any("m7" in text for text in base.symbolic_expressions)
    np.testing.assert_allclose(substituted(base), base.grouping, atol=1e-9)


def test_without_a_dh_table_there_is_none() -> None:
    assert base_parameters(random_chain(3)).symbolic_expressions is None
    assert dh_lengths(random_chain(3)) == {}
    assert dh_lengths(make_arm("six").robot)["a2"] == 0.42
    plain = from_dh_table(np.zeros((1, 4)), "modified")  # no length at all
    assert find_polynomials(base_parameters(plain)) == {}
