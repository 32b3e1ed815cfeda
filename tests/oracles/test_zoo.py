"""Every robot description that the test packages ship is read, and its dynamics are Pinocchio's to the last digits."""

import re
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from dynident.dynamics import inverse_dynamics
from dynident.errors import DynidentError
from dynident.robots import Robot, load_robot
from tests.facts import raises

ROBOTS = Path(pin.__file__).parents[4] / "share" / "example-robot-data" / "robots"
FILES = sorted(ROBOTS.rglob("*.urdf"))
#: What is no robot with joints, and why.
REFUSED = {
    "bluevolta.urdf": ("moves", "base", "tip"),
    "falcon.urdf": ("top_propeller_joint", "<child>", "Z_propeller"),
    "iris_simple.urdf": ("moves", "base", "tip"),
    "quadrotor_base.urdf": ("no", "<joint>"),
    "ur3.urdf": ("no", "<link>"),
}


def test_the_zoo_is_there() -> None:
    assert len(FILES) > 60


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROBOTS)))
def test_a_description_is_read_as_pinocchio_reads_it(file: Path) -> None:
    if file.name in REFUSED:
        with raises(DynidentError, *REFUSED[file.name]):
            load_robot(file)
        return
    robot = load_robot(file)
    # links without inertials weigh nothing for Pinocchio
    parameters = np.array([np.zeros(10) if link.parameters is None else link.parameters for link in robot.links])
    rng = np.random.default_rng(0)
    q, dq, ddq = rng.uniform(-1.0, 1.0, (3, 1, robot.n))
    expected = torque_of_pinocchio(pin.buildModelFromUrdf(str(file)), robot, q[0], dq[0], ddq[0])
    np.testing.assert_allclose(inverse_dynamics(robot, parameters, q, dq, ddq)[0], expected, atol=1e-12 * np.abs(expected).max() + 1e-15)


def torque_of_pinocchio(model: pin.Model, robot: Robot, q: np.ndarray, dq: np.ndarray, ddq: np.ndarray) -> np.ndarray:
    """(n,) the joints' torques with the joints that were locked at their positions, found in the robot's notes."""
    notes = " ".join(robot.notes)
    held = {name: float(position) for name, position in re.findall(r"(\S+) at (-?[\d.e-]+)[,;]", notes)}
    model.gravity.linear = robot.gravity
    position, velocity, acceleration = pin.neutral(model), np.zeros(model.nv), np.zeros(model.nv)
    for name, joint in zip(model.names[1:], model.joints[1:], strict=True):
        assert (name in robot.joint_names) != (name in held), "a joint is either free or locked, and said to be"
        value = q[robot.joint_names.index(name)] if name in robot.joint_names else held[name]
        position[joint.idx_q : joint.idx_q + joint.nq] = (np.cos(value), np.sin(value)) if joint.nq == 2 else value
        if name in robot.joint_names:
            i = robot.joint_names.index(name)
            velocity[joint.idx_v], acceleration[joint.idx_v] = dq[i], ddq[i]
    torque = pin.rnea(model, model.createData(), position, velocity, acceleration)
    return np.array([torque[model.joints[model.getJointId(name)].idx_v] for name in robot.joint_names])
