"""An arm that nobody holds: it floats under a gravity compensation, which shows how good that is.

The motors give what the compensation says at the present position, and nothing else. Where it errs by less than friction holds, a real
arm stays; where it errs by more, the arm sinks or rises. Simulated friction is smooth at rest (`simulated_friction`), so that an arm that
would stay creeps instead: slower than the threshold of that smoothing, and the slower the smaller the error is.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array, check_array, check_positive
from dynident.data import Dataset, EffortKind
from dynident.dynamics import gravity, mass_matrix
from dynident.dynamics.friction import FrictionModel
from dynident.errors import ShapeError
from dynident.motions.simulation.integrate import Physics, substeps
from dynident.motions.simulation.payload import Payload, loaded_parameters
from dynident.motions.simulation.plant import build_plant
from dynident.motions.simulation.sensors import effort_scale
from dynident.motions.simulation.virtual_controller import random_configurations
from dynident.motions.simulation.virtual_robot import CONTROL_RATE, choose_friction
from dynident.robots.robot import Robot

#: Configurations that the steps of the physics are chosen for.
_LOOKS = 100


def float_freely(
    robot: Robot,
    q: ArrayLike,
    compensation: Callable[[Array], ArrayLike],
    *,
    seconds: float = 10.0,
    parameters: ArrayLike | None = None,
    payload: Payload | None = None,
    friction: FrictionModel | str | None = None,
    friction_parameters: ArrayLike | None = None,
    rate: float = CONTROL_RATE,
) -> Dataset:
    """Let go of the robot at rest, and see where it goes: time, q and dq, without noise, and the efforts of the compensation.

    Parameters
    ----------
    robot
        The robot.
    q : (n,) array_like
        Where it is let go [rad | m].
    compensation
        From positions (n,) to the motors' efforts (n,) [N·m | N]: `gravity_vector` of an exported module, or `lambda q: gravity(robot,
        links, q)`. It is asked once a period.
    seconds
        How long it is watched [s].
    parameters : (n, 10) array_like
        Linear parameters of the links; by default the nominal ones.
    payload
        What hangs on the flange; None for nothing.
    friction
        Friction model of the joints; None for none.
    friction_parameters : (n, k) array_like
        Of the friction model; by default typical ones.
    rate
        Of the compensation and of the log [Hz].

    Returns
    -------
    Dataset
        What was seen.

    Notes
    -----
    The rest is as in `simulate`: what the robot really is, which the compensation may not know.
    """
    check_positive("seconds", seconds, "s")
    check_positive("rate", rate, "Hz")
    start = check_array("q", q, (robot.n,), f"({robot.n},) = one per joint")
    p = loaded_parameters(robot, parameters, payload)
    looks = random_configurations(robot, _LOOKS, seed=0)
    acting = choose_friction(robot, friction, friction_parameters, effort_scale(robot, gravity(robot, p, looks)))
    plant = build_plant(robot, p, armature=0.0 if acting is None else acting.inertia)
    M = mass_matrix(robot, p, looks) + np.diag(plant.inertia)
    steps = substeps(plant, acting, M, M, 1.0 / rate)
    physics = Physics(plant, acting, period=1.0 / rate, steps=steps, q=start, dq=np.zeros(robot.n))
    samples = max(2, round(seconds * rate) + 1)
    rows = np.empty((3, samples, robot.n))
    for k in range(samples):
        effort = np.asarray(compensation(physics.motor_q), dtype=float)
        if effort.shape != (robot.n,):
            raise ShapeError("compensation(q)", effort.shape, f"({robot.n},) = one effort per joint")
        rows[:, k] = physics.motor_q, physics.motor_dq, effort
        physics.advance(effort)
    return Dataset(
        time=np.arange(samples) / rate, q=rows[0], dq=rows[1], effort=rows[2], effort_kind=EffortKind.TORQUE, joint_names=robot.joint_names
    )
