"""The cross-engine proof: what was exported is loaded by another engine, and its torques are compared with our Newton-Euler.

A description that loads can still be wrong: a wrong frame or sign shows only in the torques. So every export is compared
at random states, and one whose torques differ is refused.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dynident.core.arrays import Array
from dynident.dynamics import inverse_dynamics
from dynident.dynamics.friction.model import REFERENCE_TEMPERATURE, Motion
from dynident.errors import DynidentError
from dynident.exports.export_model import ExportModel
from dynident.robots.robot import Robot

#: q, dq, ddq, (N, n) each, at which torques are compared.
States = tuple[Array, Array, Array]
#: Largest difference of a joint's torque, as a share of that joint's largest torque.
TOLERANCE = 1e-9
#: A joint whose torques are smaller than this share of the largest joint's is judged by that.
_SMALL_JOINT = 1e-3


class DisagreementError(DynidentError):
    """Another engine refuses what was exported, or computes other torques from it than dynident does. Attributes: `problem`, `reason`."""

    def __init__(self, problem: str, reason: str = "") -> None:
        self.problem, self.reason = problem, reason
        super().__init__(f"{problem}, so nothing was written{': ' if reason else ''}{reason}")


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Torques of an exported model in another engine against dynident's own.

    Attributes
    ----------
    engine : str
        What computed the other torques.
    states : int
        Number of states that were compared.
    largest : float
        Largest difference [unit].
    unit : str
        Of the largest difference.
    relative : float
        Largest difference of a joint as a share of that joint's largest torque.
    """

    engine: str
    states: int
    largest: float
    unit: str
    relative: float


def random_states(robot: Robot, count: int = 1000, seed: int = 0) -> States:
    """q within the position limits (half a turn at most), dq and ddq.

    Parameters
    ----------
    robot
        The robot.
    count
        Number of states N.
    seed
        Of the random numbers.

    Returns
    -------
    States
        q, dq and ddq, (N, n) each.
    """
    rng, (low, high) = np.random.default_rng(seed), robot.drawn_range.T
    return rng.uniform(low, high, (count, robot.n)), rng.normal(size=(count, robot.n)), 3.0 * rng.normal(size=(count, robot.n))


def compare(engine: str, model: ExportModel, states: States, torques: Array, *, friction: bool = False) -> Comparison:
    """Another engine's torques (N, n) against ours; DisagreementError above the tolerance."""
    expected = inverse_dynamics(model.robot, model.loaded_parameters, *states)
    if friction:
        expected = expected + model.friction_torque(Motion(*states, expected, _temperature(states)))
    difference = np.abs(torques - expected).max(axis=0)
    scale = np.abs(expected).max(axis=0)
    relative = difference / np.maximum(scale, max(_SMALL_JOINT * float(scale.max()), np.finfo(float).tiny))
    worst = int(np.argmax(relative))
    if not np.all(relative <= TOLERANCE):
        raise DisagreementError(
            f"{engine} computes torques from the exported model that differ from dynident's by up to {difference[worst]:.3g} "
            f"(joint {model.robot.joint_names[worst]!r}, {relative[worst]:.2g} of its largest)"
        )
    largest, unit = float(difference.max()), model.robot.unit("effort")
    return Comparison(engine=engine, states=len(torques), largest=largest, unit=unit, relative=float(relative.max()))


def friction_states(model: ExportModel, states: States) -> tuple[Array, ...]:
    """(N, n) each: what the friction function of generated code is given at the states."""
    return (*states, _temperature(states))[: len(model.friction_inputs)]


def _temperature(states: States) -> Array:
    """Of the joints, the same for both sides of the comparison [°C]."""
    return REFERENCE_TEMPERATURE + 10.0 * states[0]
