"""A joint that slides has metres and newtons wherever one that turns has radians and newton metres."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np

from dynident import load_robot, regression
from dynident.data import ControllerSamples
from dynident.dynamics import gravity, inverse_dynamics, mass_matrix
from dynident.errors import InputError, ValueRangeError
from dynident.exports.code.c99 import write_c
from dynident.exports.code.python_module import write_python
from dynident.exports.export_model import ExportModel
from dynident.exports.proof import compare, random_states
from dynident.exports.target import Exported, Request
from dynident.motions import design_trajectory, robot_limits
from dynident.motions.design.static_design import design_configurations
from dynident.motions.simulation.reference_motion import check_within_limits
from dynident.regression import build_problem
from dynident.reports.regression import residual_table
from dynident.reports.regression_figures import friction_figure
from dynident.reports.validation import joint_table, spectrum_figure, worst_table
from dynident.robots import Joint, JointType, Link, Robot
from dynident.validation import validate
from tests.facts import about, raises
from tests.logs import synthetic_log

LINKS = np.array([[2.0, 0.2, 0, 0, 0.1, 0, 0, 0.1, 0, 0.12], [1.5, 0.3, 0.1, 0, 0.1, 0, 0, 0.2, 0, 0.2]])


def polar() -> Robot:
    """An arm in a vertical plane that turns, and slides along itself."""
    joints = tuple(
        Joint(
            name="slide" if kind is JointType.PRISMATIC else "turn",
            type=kind,
            parent=i - 1,
            axis=np.array([1.0, 0.0, 0.0]) if kind is JointType.PRISMATIC else np.array([0.0, 0.0, 1.0]),
            position=(-1.0, 1.0),
            velocity=2.0,
            acceleration=20.0,
            effort=200.0,
        )
        for i, kind in enumerate((JointType.REVOLUTE, JointType.PRISMATIC))
    )
    links = tuple(Link(name=f"link{i}", frame=f"frame {i}", parameters=row) for i, row in enumerate(LINKS))
    return Robot(name="polar", joints=joints, links=links, gravity=np.array([0.0, -9.81, 0.0]))


def samples(robot: Robot) -> ControllerSamples:
    q = np.random.default_rng(0).uniform(-1, 1, (40, 2))
    return ControllerSamples(q=q, M=mass_matrix(robot, LINKS, q), g=gravity(robot, LINKS, q), source="synthetic")


def test_a_joint_knows_its_units_and_a_robot_all_of_them():
    turn, slide = polar().joints
    assert vars(turn.units) == {"position": "rad", "velocity": "rad/s", "acceleration": "rad/s²", "effort": "N·m", "jerk": "rad/s³"}
    assert vars(slide.units) == {"position": "m", "velocity": "m/s", "acceleration": "m/s²", "effort": "N", "jerk": "m/s³"}
    assert polar().unit("effort") == "N·m or N"
    assert replace(polar(), joints=(turn, replace(turn, name="other", parent=0))).unit("velocity") == "rad/s"


def test_rows_residuals_and_friction_curves():
    problem = build_problem(polar(), synthetic_log(polar(), noise=0.05), cutoff=None)
    assert [group.unit for group in problem.groups] == ["N·m", "N"]
    estimate = regression.estimate(problem)
    assert [row.texts[-1] for row in residual_table(estimate.residuals, estimate.base).lines] == ["N·m", "N", ""]
    layout = json.dumps(friction_figure(estimate, 1).layout, ensure_ascii=False)
    assert "velocity [m/s]" in layout
    assert "friction [N]" in layout


def test_elements_of_M_are_taken_together_only_with_their_own_unit():
    estimate = regression.estimate(build_problem(polar(), samples(polar())))
    cells = [(row.texts[0], row.texts[-1]) for row in residual_table(estimate.residuals, estimate.base).lines]
    elements = [("M (1 elements)", unit) for unit in ("kg·m²", "kg·m", "kg")] + [("g (1 elements)", unit) for unit in ("N·m", "N")]
    assert cells == [*elements, ("all", "")]


def test_validation():
    robot = polar()
    estimate = regression.estimate(build_problem(robot, synthetic_log(robot, noise=0.05), cutoff=None))
    found = validate(estimate, synthetic_log(robot, noise=0.05, seed=2))
    assert [row.texts[2] for row in joint_table(found).lines] == ["N·m", "N"]
    assert {row.texts[0]: row.texts[4] for row in worst_table(found, 1).lines} == {"turn": "N·m", "slide": "N"}
    labels = [json.dumps(figure.layout, ensure_ascii=False) for figure in found.figures()]
    assert "torque [N·m]" in labels[0]
    assert "force [N]" in labels[1]
    assert "N·m/√Hz or N/√Hz" in json.dumps(spectrum_figure(found).layout, ensure_ascii=False)


def test_efforts_in_another_unit_are_refused_in_the_joint_s_own():
    log = synthetic_log(polar())
    assert log.effort is not None
    with raises(InputError, "slide", "N", "median"):
        build_problem(polar(), replace(log, effort=log.effort * np.array([1.0, 1e4])), cutoff=None)


def test_excitation():
    robot = polar()
    found = design_trajectory(robot, friction=None, duration=4.0, harmonics=3, starts=1, iterations=20, unchecked=True)
    text = str(found.tables())
    assert re.search(r"torque noise of \S.* N·m or N \(", text)
    (torques,) = (table for table in found.tables().tables if table.title.startswith("Predicted torque"))
    assert [row.texts[-1] for row in torques.lines] == ["N·m", "N"]
    units = {(m.name, m.where): m.unit for m in found.report.margins if m.where in robot.joint_names}
    for (name, where), unit in units.items():
        assert unit == getattr(robot.joints[robot.joint_index(where)].units, name)
    static = design_configurations(robot, 4, limits=robot_limits(robot), unchecked=True)
    assert [row.texts[-1] for row in static.tables().tables[0].lines] == ["rad", "m"]


def test_simulation_names_the_limit_in_the_joint_s_unit():
    log = synthetic_log(polar())
    fast = replace(log, q=0.0 * log.q, dq=np.where([False, True], 3.0, 0.0) + 0.0 * log.q)
    with raises(ValueRangeError, "slide", "3 m/s", "[-2, 2] m/s"):
        check_within_limits(polar(), fast)


def test_generated_code_says_which_joints_slide():
    model = ExportModel(robot=polar(), parameters=LINKS)
    sentence = "Units are SI: rad, rad/s, rad/s^2 and N m; m, m/s, m/s^2 and N for the prismatic slide."
    assert sentence in write_c(model, Request()).main.decode()
    assert sentence in write_python(model, Request()).main.decode()
    states = random_states(polar(), 10)
    found = compare("itself", model, states, inverse_dynamics(polar(), LINKS, *states))
    assert found.unit == "N·m or N"
    assert f"{found.largest:.2g} N·m or N." in str(Exported(target="c", files={}, comparison=found).tables())
    pendulum = load_robot("pendulum_1r")
    assert pendulum.parameters is not None
    turning = ExportModel(robot=pendulum, parameters=pendulum.parameters)
    assert "SI: rad, rad/s, rad/s^2 and N m.\n" in write_c(turning, Request()).main.decode()


def test_a_joint_that_stands_still_is_noted_in_its_unit():
    log = synthetic_log(polar())
    still = replace(log, q=log.q * np.array([1.0, 0.0]))
    assert about(build_problem(polar(), still, cutoff=None).notes, "slide", "never", "0 m")
