# pyright: basic
"""The simulation's loop: servo, friction and MuJoCo's physics, each at its own rate.

The servo's torque is constant for a period. Friction is linearised in every step of the physics, f(v₀) + f'(v₀) (v - v₀), with
the slope as MuJoCo's joint damping: exact at the beginning of the step, and stable where the slope times the step over the
inertia stays below RK4's bound of 2.78.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dynident.core.arrays import Array, IntArray
from dynident.core.native_output import silence_mujoco
from dynident.dynamics.friction.model import REFERENCE_TEMPERATURE, Motion
from dynident.errors import DynidentError, import_optional
from dynident.motions.simulation.plant import Plant
from dynident.motions.simulation.push import Push
from dynident.motions.simulation.reference_motion import Reference
from dynident.motions.simulation.servo import Regulator
from dynident.motions.simulation.simulated_friction import SimulatedFriction

#: Least rate of the physics [Hz].
PHYSICS_RATE = 4000.0

#: Largest product of the physics' step with a friction's decay rate and with a spring's frequency.
_DECAY_STEP, _SPRING_STEP = 1.0, 0.5

#: Rounds in which load and the friction that depends on it agree to rounding; friction is a small part of the load.
_LOAD_ROUNDS = 20

#: Smaller steps than this would take hours; something is too stiff or too light [s].
_LEAST_STEP = 1e-5
#: A stiffness beyond this is too stiff whatever it is [N·m/rad | N/m].
_STIFFEST = 1e100

#: No arm accelerates like this [rad/s²]; MuJoCo itself gives up at 1e10, and writes a log file about it.
_ABSURD_ACCELERATION = 1e8


class SimulationError(DynidentError):
    """The simulation can't be done, or ran away."""


class DriveLaw(NamedTuple):
    """The servo and what it needs at each instant: feedforward (N, n) and S (N, n, n)."""

    feedforward: Array
    S: Array
    regulator: Regulator


@dataclass(frozen=True, kw_only=True, eq=False)
class SimulatedMotion:
    """What happened at the servo's instants. All (N, n) but `saturated` (n,), the share of instants at the torque limit.

    load : (N, n)   What the motors passed on to the links: the effort without friction and without what moves the rotors.
    pushed : (N, n) What pushes from outside did in the joints.
    """

    q: Array
    dq: Array
    ddq: Array
    motor_q: Array
    motor_dq: Array
    motor_ddq: Array
    effort: Array
    load: Array
    pushed: Array
    saturated: Array


def substeps(plant: Plant, friction: SimulatedFriction | None, felt: Array, M: Array, period: float) -> int:
    """Steps of the physics per period of the servo, so that neither friction nor springs are too fast for them.

    felt : (N, n, n)  Inertia matrix that the motors feel at once, along the motion; M : (N, n, n) that of the whole.
    """
    step, culprit = 1.0 / PHYSICS_RATE, ""
    if friction is not None:
        slopes = np.abs(friction.tangent(Motion.steady(np.zeros(plant.robot.n)))[1])  # a falling one grows as fast as a rising one decays
        decay = np.abs(np.linalg.eigvals(np.linalg.solve(felt, np.diag(slopes)))).max()
        if decay * step > _DECAY_STEP:
            step, culprit = _DECAY_STEP / decay, "the friction near rest is too steep for the joints' inertia; raise the threshold"
    elastic = plant.springs >= 0
    if np.any(elastic):
        # a spring between a rotor and a link swings at most at sqrt(k / B + k / M)
        stiffness = np.minimum(plant.model.jnt_stiffness[plant.springs[elastic]], _STIFFEST)
        links = (M - np.diag(plant.inertia))[:, elastic][:, :, elastic]
        fastest = np.abs(np.linalg.eigvals(np.linalg.solve(links, np.diag(stiffness)))).max()
        frequency = np.sqrt(fastest + np.max(stiffness / plant.inertia[elastic]))
        if frequency * step > _SPRING_STEP:
            step, culprit = _SPRING_STEP / frequency, "a joint is too stiff for its inertia; lower the stiffness or leave it rigid"
    if step < _LEAST_STEP:
        raise SimulationError(f"the physics would need steps of {step:.1e} s: {culprit}")
    return int(np.ceil(period / step * (1.0 - 1e-9)))


def integrate(
    plant: Plant,
    reference: Reference,
    drive: DriveLaw,
    friction: SimulatedFriction | None,
    *,
    steps: int,
    pushes: Sequence[Push] = (),
    progress: Callable[[float], None] | None = None,
) -> SimulatedMotion:
    """Run the servo along the reference, from its first state, with `steps` of physics per instant."""
    samples, n = reference.q.shape
    period = reference.time[1] - reference.time[0]
    physics = Physics(plant, friction, period=period, steps=steps, q=reference.q[0], dq=reference.dq[0])
    rows = {name: np.empty((samples, n)) for name in ("q", "dq", "ddq", "motor_q", "motor_dq", "motor_ddq", "effort", "load", "pushed")}
    saturated = np.zeros(n)
    torque = np.empty(0)
    for k in range(samples):
        before = torque
        errors = reference.q[k] - physics.motor_q, reference.dq[k] - physics.motor_dq
        torque = drive.regulator.torque(*errors, drive.feedforward[k], drive.S[k])
        saturated += drive.regulator.saturated
        # at the instant itself the torque jumps: what belongs to it is the mean of both sides
        now = torque if k == 0 else 0.5 * (before + torque)
        if reference.temperature is not None:
            physics.temperature = reference.temperature[k]
        physics.push(pushes, reference.time[k] - reference.time[0])
        physics.feel(now)
        _note(rows, k, plant, physics, now)
        if k < samples - 1:
            physics.advance(torque)
        if progress is not None and k % 256 == 0:
            progress(k / samples)
    if progress is not None:
        progress(1.0)
    return SimulatedMotion(**rows, saturated=saturated / samples)


class Physics:
    """A plant at work: what changes in it is MuJoCo's state, period by period, under the torques of its motors.

    period : float   [s], in `steps` steps of the physics; q, dq : (n,) where the motors begin [rad | m, per second].
    load : (n,)      What the motors pass on to the links [N·m | N].
    pushed : (n,)    What acts on the links from outside [N·m | N].
    temperature      Of all joints, or (n,) [°C].
    """

    def __init__(self, plant: Plant, friction: SimulatedFriction | None, *, period: float, steps: int, q: Array, dq: Array) -> None:
        self._mujoco = import_optional("mujoco", "simulating a robot")
        self._plant, self._friction, self._steps = plant, friction, steps
        self.data = self._mujoco.MjData(plant.model)
        plant.model.opt.timestep = period / steps
        # MuJoCo makes such a view whenever it is asked for one
        self._q, self._dq, self._ddq = self.data.qpos, self.data.qvel, self.data.qacc
        self._applied, self._damping = self.data.qfrc_applied, plant.model.dof_damping
        self._motors = _as_slice(plant.motors)
        self._q[self._motors], self._dq[self._motors] = q, dq
        self._loaded = friction is not None and friction.loaded
        self._tangent: tuple[Array, Array] | None = None
        self.load, self.pushed, self._ever_pushed = np.zeros(plant.robot.n), np.zeros(plant.robot.n), False
        self.temperature: Array | float = REFERENCE_TEMPERATURE
        _settle_springs(self._mujoco, plant, self.data)

    @property
    def motor_q(self) -> Array:
        return self._q[self._motors].copy()

    @property
    def motor_dq(self) -> Array:
        return self._dq[self._motors].copy()

    def push(self, pushes: Sequence[Push], time: float) -> None:
        """What those of the pushes that act at a time [s] do in the joints, from now on."""
        acting = [push for push in pushes if push.acts_at(time)]
        if acting or np.any(self.pushed):
            q = self._plant.link_side(self.data.qpos)
            self._ever_pushed = True
            self.pushed = np.sum([push.effort(self._plant.robot, q) for push in acting], axis=0) + np.zeros(self._plant.robot.n)

    def feel(self, torque: Array) -> None:
        """The accelerations that a torque (n,) gives at this instant, and the load."""
        friction: Array | float = 0.0
        with silence_mujoco(self._mujoco):
            for _ in range(_LOAD_ROUNDS if self._loaded else 1):
                friction = self._act(self._mujoco.mj_forward, torque)
        self._find_load(torque, friction)

    def advance(self, torque: Array) -> None:
        """One period with a torque (n,) that stays the same."""
        with silence_mujoco(self._mujoco):
            for _ in range(self._steps):
                self._act(self._mujoco.mj_step, torque)
                self._tangent = None

    def _act(self, function: Callable[[Any, Any], None], torque: Array) -> Array | float:
        """A function of MuJoCo's with this torque, and with the friction, returned, that the load of the call before gives."""
        friction = self._apply(torque)
        if self._ever_pushed:
            elastic = self._plant.springs >= 0
            # a force on a link acts on the motor's angle and on the deflection alike, whose sum the link's position is
            self._applied[self._motors] += self.pushed
            self._applied[self._plant.springs[elastic]] = self.pushed[elastic]
        function(self._plant.model, self.data)
        if not self._ddq @ self._ddq < _ABSURD_ACCELERATION**2:  # NaN is not below it either
            raise SimulationError(
                f"the simulated robot ran away at {self.data.time:.3f} s; "
                "check that friction takes energy out, or lower the servo's bandwidth"
            )
        if self._loaded:
            self._find_load(torque, friction)
        return friction

    def _find_load(self, torque: Array, friction: Array | float) -> None:
        self.load = torque - friction - self._plant.inertia * self._ddq[self._motors]

    def _apply(self, torque: Array) -> Array | float:
        """Set the torques of a step; the friction in it is returned."""
        motors = self._motors
        if self._friction is None:
            self._applied[motors] = torque
            return 0.0
        velocity = self._dq[motors]
        if self._tangent is None or self._loaded:  # it stays the same until the physics makes a step
            self._tangent = self._friction.tangent(Motion(self._q[motors], velocity, None, self.load, self.temperature))
        here, slope = self._tangent
        damping = np.maximum(slope, 0.0)  # a falling characteristic (Stribeck) stays a force
        self._damping[motors] = damping
        self._applied[motors] = torque - (here - damping * velocity)
        return here


def _as_slice(indices: IntArray) -> slice | IntArray:
    """Indices that follow each other as a slice, which is taken in a fraction of the time and without a copy."""
    first = int(indices[0])
    return slice(first, first + len(indices)) if np.array_equal(indices, first + np.arange(len(indices))) else indices


def _settle_springs(mujoco: Any, plant: Plant, data: Any) -> None:
    """The deflections under the arm's weight, as after standing still."""
    springs = plant.springs[plant.springs >= 0]
    if len(springs) == 0:
        return
    velocity = data.qvel.copy()
    data.qvel[:] = 0.0
    for _ in range(20):  # the weight changes with the deflection, but hardly
        mujoco.mj_forward(plant.model, data)
        data.qpos[springs] = -data.qfrc_bias[springs] / plant.model.jnt_stiffness[springs]
    data.qvel[:] = velocity


def _note(rows: dict[str, Array], k: int, plant: Plant, physics: Physics, torque: Array) -> None:
    data = physics.data
    for link, motor, values in (("q", "motor_q", data.qpos), ("dq", "motor_dq", data.qvel), ("ddq", "motor_ddq", data.qacc)):
        rows[link][k] = plant.link_side(values)
        rows[motor][k] = values[plant.motors]
    rows["effort"][k], rows["load"][k], rows["pushed"][k] = torque, physics.load, physics.pushed
