"""Which combinations of parameters a robot's equations contain, and how they are written."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import dynident
from dynident import Robot, load_robot
from dynident.dynamics import inertia_gravity_regressor, torque_regressor
from dynident.dynamics.friction import Armature, Coulomb, Viscous, combine, linear
from dynident.errors import DynidentError, ShapeError, UnknownNameError
from dynident.regression import base_parameters
from dynident.regression.equations.columns import recognise
from tests.facts import raises
from tests.oracles.machines import states

#: What vanishes in the report's 3R arm: CoM offsets across the links, and products of inertia.
SPATIAL_3R_ZEROS = ["mc2y", "mc3y", "mc3z", "J2xy", "J2yz", "J3xy", "J3xz", "J3yz"]


@pytest.fixture(scope="module")
def panda() -> Robot:
    return load_robot("panda")


@pytest.mark.parametrize(
    ("name", "equations", "rank"),
    [
        ("panda", "torque", 43),
        ("panda", "controller", 43),
        ("kuka_lwr4", "gravity", 12),
        ("kuka_lwr4", "inertia", 39),
        ("kuka_lwr4", "controller", 43),
        ("kuka_lwr4", "torque", 43),
        ("spatial_3r", "torque", 15),
        ("pendulum_1r", "torque", 3),
    ],
)
def test_ranks(name: str, equations: str, rank: int) -> None:
    assert base_parameters(load_robot(name), equations=equations).rank == rank


def test_spatial_3r_has_eight_coefficients_once_its_zeros_are_declared() -> None:
    """The report's ten have m3 (L3 - d) three times, times L2, d2 and g; where geometry and gravity are known that is one."""
    zeros = dict.fromkeys(SPATIAL_3R_ZEROS, 0.0)
    base = base_parameters(load_robot("spatial_3r"), known=zeros)
    assert base.rank == 8
    assert base.names == ("J1yy", "J2xx", "J2xz", "J2zz", "J3xx", "J3zz", "mc2x", "mc3x")


def test_spatial_3r_has_ten_where_lever_arms_and_gravity_are_unknown_too(tmp_path: Path) -> None:
    """The report's count: the columns of robots that differ in d2, L2 and g, side by side."""
    known = dict.fromkeys(SPATIAL_3R_ZEROS, 0.0)
    base = base_parameters(load_robot("spatial_3r"), known=known)
    free = [i for i, name in enumerate(base.columns.names) if name not in known]
    text = (Path(dynident.__file__).parent / "robots" / "library" / "spatial_3r.yaml").read_text(encoding="utf-8")
    q, dq, ddq = states(base.robot, 300)
    columns = []
    for number, (offset, length, gravity) in enumerate([(0.09, 0.3, 9.81), (0.09, 0.3, 0.0), (0.2, 0.3, 9.81), (0.09, 0.4, 9.81)]):
        file = tmp_path / f"{number}.yaml"
        file.write_text(text.replace("d: -0.09", f"d: {-offset}").replace("a: 0.3", f"a: {length}"), encoding="utf-8")
        robot = load_robot(file).with_gravity([0.0, 0.0, -gravity])
        columns.append(torque_regressor(robot, q, dq, ddq)[:, :, free].reshape(-1, len(free)))
    assert np.linalg.matrix_rank(columns[0], rtol=1e-9) == 8
    assert np.linalg.matrix_rank(np.hstack(columns), rtol=1e-9) == 10


@pytest.mark.parametrize("name", ["panda", "kuka_lwr4", "spatial_3r"])
def test_one_set_whatever_the_seed(name: str) -> None:
    robot = load_robot(name)
    first = base_parameters(robot)
    for seed in range(1, 12):
        other = base_parameters(robot, seed=seed)
        assert other.names == first.names
        np.testing.assert_allclose(other.grouping, first.grouping, atol=1e-9)


def test_what_the_panda_never_shows(panda: Robot) -> None:
    first_link = {f"J1{axes}" for axes in ("xx", "xy", "xz", "yy", "yz")} | {"m1", "mc1x", "mc1y", "mc1z"}
    assert set(base_parameters(panda).unidentifiable) == first_link | {"m2", "mc2z"}


def test_a_tilted_base_shows_more_of_the_first_link(panda: Robot) -> None:
    tilted = base_parameters(panda.with_gravity([0.0, 6.0, -7.0]))
    assert {"mc1x", "mc1y"} <= set(tilted.names)


@pytest.mark.parametrize("seed", range(5))
def test_random_configurations_condition_the_panda_well(panda: Robot, seed: int) -> None:
    low, high = panda.position_limits.T
    q = np.random.default_rng(seed).uniform(low, high, (1010, 7))
    base = base_parameters(panda, equations="controller")
    Y = inertia_gravity_regressor(panda, q)[:, :, base.independent].reshape(-1, base.rank)
    assert 46.0 < np.linalg.cond(Y) < 50.5


def test_expressions_read_as_the_papers_write_them(panda: Robot) -> None:
    expressions = base_parameters(panda).expressions
    assert expressions[0] == "J1zz + J2yy"
    assert "J2xx - J2yy + J3yy + 0.632 mc3z + 0.09986 m3 + 0.1067 (m4 + m5 + m6 + m7)" in expressions
    assert "mc2y - mc3z - 0.316 (m3 + m4 + m5 + m6 + m7)" in expressions


def test_a_kinematic_constant_is_recognised_behind_rounding(panda: Robot) -> None:
    assert recognise(0.316**2 * (1 + 1e-11), panda) == pytest.approx(0.316**2, rel=1e-15)
    assert recognise(-2 * 0.316 * (1 - 1e-11), panda) == -0.632
    assert recognise(0.123456789, panda) == 0.123456789


def test_expressions_evaluate_to_the_grouping() -> None:
    """Every printed term is there, with its sign, to the printed digits."""
    for name in ("panda", "kuka_lwr4", "spatial_3r", "planar_2r"):
        base = base_parameters(load_robot(name), friction=linear())
        for text, row in zip(base.expressions, base.grouping, strict=True):
            np.testing.assert_allclose(_read(text, base.columns.names), row, rtol=6e-4, atol=1e-12)


def _read(text: str, names: tuple[str, ...]) -> np.ndarray:
    """The expression's coefficient of each name, by setting one name after the other to one."""
    code = compile(_with_products(text), "<expression>", "eval")
    return np.array([eval(code, {}, {other: float(other == name) for other in names}) for name in names])  # noqa: S307


def _with_products(text: str) -> str:
    return re.sub(r"(?<![\w.])(\d+(?:\.\d+)?(?:e-?\d+)?) (?=[(a-zA-Z])", r"\1 * ", text)


def test_friction_columns_stand_for_themselves(panda: Robot) -> None:
    base = base_parameters(panda, friction=linear())
    assert base.rank == 43 + 21
    assert base.expressions[-3:] == ("fv7", "fc7", "fo7")


def test_armature_is_part_of_the_inertia_about_the_axis(panda: Robot) -> None:
    """Of joints 1 and 2 the motor's inertia and the links' about the axis act alike; those of the others stand alone."""
    base = base_parameters(panda, friction=Armature())
    assert base.names[43:] == ("Ia3", "Ia4", "Ia5", "Ia6", "Ia7")
    assert base.expressions[0] == "J1zz + J2yy + Ia1"
    assert base.expressions[5].startswith("J2zz + J3yy + Ia2 + 0.632 mc3z")


def test_known_parameters_leave_the_columns(panda: Robot) -> None:
    base = base_parameters(panda, known={"J7zz": 0.01, "mc7x": 0.002})
    assert base.rank == 41
    assert base.known_vector[base.columns.index("J7zz")] == 0.01
    assert not np.any(base.grouping[:, [base.columns.index("J7zz"), base.columns.index("mc7x")]])
    assert "J7zz" not in base.unidentifiable


def test_a_known_leading_parameter_hands_its_place_on(panda: Robot) -> None:
    """With J2xx known, the grouping it led is led by the next of its terms: the rank stays."""
    base = base_parameters(panda, known={"J2xx": 0.1})
    assert base.rank == 43
    assert "J2xx" not in base.names


def test_extra_columns_come_last(panda: Robot) -> None:
    base = base_parameters(panda, friction=combine(Viscous(), Coulomb()), extra=("spring", "cable"))
    assert base.names[-2:] == ("spring", "cable")
    assert base.rank == 43 + 14 + 2


def test_names_that_are_not_there_are_refused_with_those_that_are(panda: Robot) -> None:
    with raises(DynidentError, "m1", "m7", kind="parameter", name="m8"):
        base_parameters(panda, known={"m8": 1.0})
    with raises(UnknownNameError, name="torques", known=("torque", "controller", "inertia", "gravity")):
        base_parameters(panda, equations="torques")


def test_friction_has_no_place_in_controller_equations(panda: Robot) -> None:
    with raises(DynidentError, name="friction"):
        base_parameters(panda, equations="gravity", friction=linear())


def test_vectors_of_another_length_are_refused(panda: Robot) -> None:
    base = base_parameters(panda)
    with raises(ShapeError, "(70,)", name="standard", shape=(71,)):
        base.coefficients(np.zeros(71))
    with raises(ShapeError, "(43,)", name="coefficients", shape=(42,)):
        base.representative(np.zeros(42))


def test_limits_beyond_half_a_turn_hide_no_coefficient() -> None:
    robot = load_robot("planar_2r")
    moved = replace(robot, joints=tuple(replace(joint, position=(3.5, 6.0)) for joint in robot.joints))
    assert base_parameters(moved).names == base_parameters(robot).names
