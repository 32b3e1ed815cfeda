"""A position servo as torque-controlled arms have it: PID, velocity feed-forward, torque limits.

The gains put the three poles of every joint at -ω, whatever inertia it moves:

    torque = feedforward + S · (3 ω² (q_ref - q) + 3 ω (dq_ref - dq) + ω³ ∫ (q_ref - q) dt)

S is the inertia matrix at the reference; or, for a servo per joint that knows nothing of the others, the mean of its diagonal
along the motion. The servo sees the joints as they are: sensor noise is in the log alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from dynident.core.arrays import Array, BoolArray, check_positive
from dynident.dynamics import gravity, inverse_dynamics
from dynident.errors import UnknownNameError
from dynident.robots.robot import Robot

#: Largest share of a joint's velocity error that the discrete servo may undo in one period; at 2 it would oscillate.
_LARGEST_STEP = 0.5


class Feedforward(StrEnum):
    """What the servo adds from a model of the robot, along the reference."""

    NONE = "none"  #: nothing; the integral term carries the weight
    GRAVITY = "gravity"  #: the gravity torque
    MODEL = "model"  #: the whole inverse dynamics (computed torque)

    @classmethod
    def _missing_(cls, value: object) -> Feedforward:
        raise UnknownNameError("feedforward", str(value), cls)


@dataclass(frozen=True, kw_only=True)
class Servo:
    """How the joints are driven.

    Attributes
    ----------
    bandwidth : float
        ω / 2π [Hz]; lowered where the period is too long for it.
    feedforward : Feedforward
        From the simulated robot's own parameters.
    per_joint : bool
        Scale each joint's gains by its own mean inertia alone. Without rotor inertia (armature) a light wrist then feels the gains of the
        heavy joints before it, and the bandwidth is lowered much.
    """

    bandwidth: float = 10.0
    feedforward: Feedforward = Feedforward.GRAVITY
    per_joint: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "feedforward", Feedforward(self.feedforward))
        check_positive("bandwidth", self.bandwidth, "Hz")

    def shape(self, M: Array) -> Array:
        """S (N, n, n) for the inertia matrices M (N, n, n) along the motion."""
        if not self.per_joint:
            return M
        return np.broadcast_to(np.diag(np.mean(np.diagonal(M, axis1=1, axis2=2), axis=0)), M.shape)

    def stable_bandwidth(self, S: Array, felt: Array, period: float) -> float:
        """The bandwidth [Hz] at which a servo with this period [s] is still stable, at most the wanted one.

        Parameters
        ----------
        felt : (N, n, n) array
            Inertia matrix that the motors feel at once. Coupled joints in discrete time are stable while the largest eigenvalue of felt⁻¹ ·
            S · 3 ω · period is well below 2.
        """
        largest = float(np.abs(np.linalg.eigvals(np.linalg.solve(felt, S))).max())
        return min(self.bandwidth, _LARGEST_STEP / (3.0 * period * largest) / (2.0 * np.pi))


def feedforward_torque(servo: Servo, robot: Robot, parameters: Array, q: Array, dq: Array, ddq: Array) -> Array:
    """(N, n) what the servo adds along the reference."""
    if servo.feedforward is Feedforward.GRAVITY:
        return gravity(robot, parameters, q)
    if servo.feedforward is Feedforward.MODEL:
        return inverse_dynamics(robot, parameters, q, dq, ddq)
    return np.zeros_like(q)


class Regulator:
    """The servo at work: the only thing in it that changes is the integral.

    bandwidth : float       [Hz]
    limit : (n,)            Largest torque of each joint.
    integral : (n,)         Initial value of the integral term [rad/s² | m/s²].
    saturated : (n,) bool   Whether the last torque was cut at the limit.
    """

    def __init__(self, bandwidth: float, period: float, limit: Array, integral: Array) -> None:
        self._omega, self._period, self._limit = 2.0 * np.pi * bandwidth, period, limit
        self._integral = integral.copy()
        self.saturated: BoolArray = np.zeros(len(integral), dtype=bool)

    def torque(self, position_error: Array, velocity_error: Array, feedforward: Array, S: Array) -> Array:
        """(n,) torque for the next period, within the limits.

        Where the torque is cut, the integral takes no error that would push further into the limit (anti-windup).
        """
        omega = self._omega
        step = omega**3 * self._period * position_error
        acceleration = 3.0 * omega**2 * position_error + 3.0 * omega * velocity_error + self._integral + step
        command = feedforward + S @ acceleration
        torque = np.minimum(np.maximum(command, -self._limit), self._limit)
        self.saturated = torque != command
        self._integral += np.where(self.saturated & (step * (command - torque) > 0.0), 0.0, step)
        return torque
