"""What a simulation returns: the log that a robot would have written, and what no robot tells."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dynident.core.archives import write_npz
from dynident.core.arrays import Array
from dynident.core.files import write_atomically
from dynident.core.results import Result
from dynident.data import Dataset, EffortKind
from dynident.dynamics import inverse_dynamics
from dynident.dynamics.friction import friction_to_dict
from dynident.motions.simulation.simulated_friction import SimulatedFriction
from dynident.robots.robot import Robot


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Truth(Result):
    """The motion without noise, on a uniform clock, and the parameters behind it.

    Attributes
    ----------
    robot : Robot
        The robot.
    parameters : (n, 10) array
        Of the links, payload included.
    joint_friction : SimulatedFriction
        The friction that acted, with its parameters; None without friction.
    time : (N,) array
        [s].
    q, dq, ddq : (N, n) array
        Of the links [rad | m, per second, per second²].
    effort : (N, n) array
        Of the motors [N·m | N].
    friction : (N, n) array
        Friction's part of it.
    motor_q : (N, n) array
        Motor positions seen through the gear; q for rigid joints.
    temperature : (N, n) array or None
        Of the joints, where the trajectory told it [°C].
    pushed : (N, n) array or None
        What pushes from outside did in the joints [N·m | N].

    Notes
    -----
    At every sample of a rigid joint without armature, effort = rigid + friction - pushed to rounding. The servo's torque is constant for a
    period: at a sample, effort and ddq are the means of just before and just after it, so that they belong to that instant.
    """

    robot: Robot
    parameters: Array
    joint_friction: SimulatedFriction | None
    time: Array
    q: Array
    dq: Array
    ddq: Array
    effort: Array
    friction: Array
    motor_q: Array
    temperature: Array | None = None
    pushed: Array | None = None

    @property
    def rigid(self) -> Array:
        """(N, n) effort that the links' motion needs: the inverse dynamics [N·m | N]."""
        return inverse_dynamics(self.robot, self.parameters, self.q, self.dq, self.ddq)

    @property
    def dataset(self) -> Dataset:
        """The motion and the effort, as a log without noise and with accelerations."""
        return Dataset(
            time=self.time,
            q=self.q,
            dq=self.dq,
            ddq=self.ddq,
            effort=self.effort,
            effort_kind=EffortKind.TORQUE,
            temperature=self.temperature,
            joint_names=self.robot.joint_names,
            source=f"truth of virtual {self.robot.name}",
        )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Recording(Result):
    """A simulated experiment.

    Attributes
    ----------
    log : Dataset
        What the sensors recorded.
    truth : Truth
        What happened.
    notes : tuple of str
        What a reader of the log should know about how it went.
    """

    log: Dataset
    truth: Truth
    notes: tuple[str, ...] = ()


def write_truth(truth: Truth, path: str | Path) -> None:
    """Write an NPZ file, all of it or nothing; load_dataset reads its motion and effort.

    Beside time, q, dq, ddq, effort it has `motor_q`, `rigid_effort` and `friction_effort` (N, n), `link_parameters` (n, 10),
    `friction_parameters` (n, k), `pushed_effort` (N, n) where there were pushes, and `description`, a JSON text with the robot, the
    frames, and the friction model with its threshold.

    Parameters
    ----------
    truth
        What `simulate` returned beside the log.
    path
        The file.
    """
    names = ("time", "q", "dq", "ddq", "effort", "motor_q")
    arrays: dict[str, Any] = {name: getattr(truth, name) for name in names}
    arrays |= {
        "joint_names": np.array(truth.robot.joint_names),
        "effort_kind": np.array(EffortKind.TORQUE.value),
        "rigid_effort": truth.rigid,
        "friction_effort": truth.friction,
        "link_parameters": truth.parameters,
    }
    description: dict[str, Any] = {
        "schema": "dynident/truth/1",
        "robot": truth.robot.name,
        "links": list(truth.robot.link_names),
        "frames": list(truth.robot.frame_names),
    }
    if truth.pushed is not None and np.any(truth.pushed):
        arrays["pushed_effort"] = truth.pushed
    if truth.joint_friction is not None:
        arrays["friction_parameters"] = truth.joint_friction.parameters
        smooth = truth.joint_friction.model
        description["friction"] = {
            **friction_to_dict(smooth.model),
            "threshold": smooth.threshold,
            "parameter_names": list(smooth.parameter_names),
        }
    write_atomically(path, write_npz({**arrays, "description": np.array(json.dumps(description, ensure_ascii=False))}))
