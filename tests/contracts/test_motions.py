"""What every kind of motion promises, on robots that are not in the library. A new kind is tested once it has parameters below."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynident.core.documents import to_json
from dynident.dynamics.friction import linear
from dynident.motions import MOTIONS, LimitError, check_trajectory, design_motion, robot_limits, trajectory_dataset
from dynident.motions.documents import DesignDocument
from dynident.motions.proposals.proposal import Stretchable
from dynident.robots import Robot
from dynident.robots.formats.build import build_robot
from dynident.robots.formats.dh import read_dh

ARM = """
name: arm
convention: modified
joints:
  - {name: base, type: revolute, a: 0, alpha: 0, d: 0.3, theta: 0, position: [-2.8, 2.8], velocity: 2, acceleration: 10, effort: 60}
  - {name: shoulder, type: revolute, a: 0, alpha: -pi/2, d: 0, theta: 0, position: [-2.2, 1], velocity: 2, acceleration: 8, effort: 90}
  - {name: elbow, type: revolute, a: 0.35, alpha: 0, d: 0, theta: 0, position: [-0.5, 2.4], velocity: 2.5, acceleration: 12, effort: 40}
inertias:
  frame: link
  about: com
  links:
    - {name: link1, mass: 4, com: [0, 0, -0.1], inertia: {xx: 0.03, xy: 0, xz: 0, yy: 0.03, yz: 0, zz: 0.01}}
    - {name: link2, mass: 3, com: [0.17, 0, 0.02], inertia: {xx: 0.006, xy: 0, xz: 0, yy: 0.04, yz: 0, zz: 0.04}}
    - {name: link3, mass: 2, com: [0.14, 0.01, 0], inertia: {xx: 0.003, xy: 0, xz: 0, yy: 0.02, yz: 0, zz: 0.02}}
capsules:
  base: [{from: [0, 0, 0.05], to: [0, 0, 0.12], radius: 0.05}]
  link1: [{from: [0, 0, -0.1], to: [0, 0, 0], radius: 0.05}]
  link2: [{from: [0, 0, 0], to: [0.35, 0, 0], radius: 0.045}]
  link3: [{from: [0, 0, 0], to: [0.3, 0, 0], radius: 0.04}]
"""
#: A gantry: one joint slides, and none has limits of acceleration or effort.
GANTRY = """
name: gantry
convention: modified
joints:
  - {name: rail, type: prismatic, a: 0, alpha: 0, d: 0, theta: 0, position: [0.1, 0.9], velocity: 0.5}
  - {name: swing, type: revolute, a: 0, alpha: pi/2, d: 0, theta: 0, position: [-1.5, 1.5], velocity: 2}
floor: -2
capsules:
  link2: [{from: [0, 0, 0], to: [0.3, 0, 0], radius: 0.03}]
"""
ROBOTS = {name: build_robot(read_dh(f"{name}.yaml", text)) for name, text in (("arm", ARM), ("gantry", GANTRY))}
PARAMETERS = {
    "sinusoids": {"arm": {"duration": 6.0}, "gantry": {"duration": 6.0, "amplitude": [0.2, 0.8], "period": [3.0, 2.0]}},
    "splines": {
        "arm": {"times": [0, 2, 4, 5], "knots": [[0, -0.6, 1], [1, -1, 0.5], [-1, -0.5, 1.5], [0, -1, 1]]},
        "gantry": {"times": [0, 4, 8], "knots": [[0.5, 0], [0.8, 1], [0.3, -1]]},
    },
    "friction-sweep": {"arm": {"hold": 0.3}, "gantry": {"hold": 0.3}},
}


def test_every_registered_motion_has_parameters():
    assert set(PARAMETERS) == set(MOTIONS)
    assert all(kind.name == name and kind.about for name, kind in MOTIONS.items())


@pytest.fixture(params=[(kind, robot) for kind in MOTIONS for robot in ROBOTS], ids="-".join)
def case(request: pytest.FixtureRequest):
    kind, name = request.param
    return kind, ROBOTS[name], PARAMETERS[kind][name]


def test_from_rest_to_rest_within_all_limits(case):
    kind, robot, parameters = case
    design = design_motion(robot, kind, parameters, friction=linear())
    assert design.report.holds
    assert design.drive is not None
    assert isinstance(design.trajectory, Stretchable)
    assert check_trajectory(design.drive.trajectory, robot, robot_limits(robot), rate=2500.0).holds
    log = trajectory_dataset(design.drive.trajectory, 100.0)
    np.testing.assert_allclose(log.q[[0, -1]], [design.drive.home.q] * 2, atol=1e-9)
    np.testing.assert_allclose(np.concatenate([log.dq[[0, -1]], log.ddq[[0, -1]]]), 0.0, atol=1e-9)
    assert np.abs(log.dq).max(axis=0).min() > 0.0  # every joint moves
    document = to_json(DesignDocument.of(design))
    assert document["description"] in str(design)


def is_chosen(kind: str, parameters: dict) -> bool:
    """Whether the motion is made for the limits, so that it never has to be slowed down."""
    return kind == "friction-sweep" or (kind == "sinusoids" and "amplitude" not in parameters)


def test_what_is_too_fast_is_driven_more_slowly(case):
    kind, robot, parameters = case
    limits = robot_limits(robot)
    fast = design_motion(robot, kind, parameters, friction=None, limits=limits)
    assert "slower" not in fast.description
    largest = np.abs(trajectory_dataset(fast.trajectory, 1000.0).ddq).max(axis=0)
    found = design_motion(robot, kind, parameters, friction=None, limits=replace(limits, acceleration=largest / 5.0))
    assert found.report.holds
    if is_chosen(kind, parameters):
        assert "slower" not in found.description
        return
    ratio = found.trajectory.duration / fast.trajectory.duration
    assert ratio == pytest.approx(5.0**0.5, rel=1e-3)
    assert f"{ratio:.3g} times slower" in found.description
    assert "acceleration limit" in found.notes[0]
    t = np.linspace(0.0, 1.0, 50)
    before, after = (design.trajectory.sample(t * design.trajectory.duration).q for design in (fast, found))
    np.testing.assert_allclose(before, after, atol=1e-9)  # the same path


def test_what_the_path_breaks_is_refused(case):
    kind, robot, parameters = case
    limits = robot_limits(robot)
    narrow = replace(limits, position=np.column_stack([limits.position.mean(axis=1) - 1e-4, limits.position.mean(axis=1) + 1e-4]))
    if not is_chosen(kind, parameters):
        with pytest.raises(LimitError, match="position limit"):
            design_motion(robot, kind, parameters, friction=None, limits=narrow)
    else:  # chosen to fit
        assert design_motion(robot, kind, parameters, friction=None, limits=narrow).report.holds


def test_a_stretched_trajectory_has_the_same_path(case):
    kind, robot, parameters = case
    trajectory = design_motion(robot, kind, parameters, friction=None).trajectory
    longer = trajectory.stretch(3.0 * trajectory.duration)
    t = np.linspace(0.0, trajectory.duration, 41)
    before, after = trajectory.sample(t), longer.sample(3.0 * t)
    for order, (one, other) in enumerate(zip(before, after, strict=True)):
        np.testing.assert_allclose(one, other * 3.0**order, atol=1e-9)


def test_a_robot_without_shapes_is_refused(monkeypatch):
    """Where collisions can't be checked, nothing is designed unless the caller looks after it."""
    from dynident.errors import InputError
    from dynident.motions.limits import collision

    robot: Robot = ROBOTS["arm"]
    monkeypatch.setattr(collision, "_of_robot", lambda robot: (None, "collisions were not checked: the description has no shapes"))
    with pytest.raises(InputError, match="no shapes"):
        design_motion(robot, "splines", PARAMETERS["splines"]["arm"], friction=None)
    found = design_motion(robot, "splines", PARAMETERS["splines"]["arm"], friction=None, unchecked=True)
    assert "no shapes" in found.unchecked
