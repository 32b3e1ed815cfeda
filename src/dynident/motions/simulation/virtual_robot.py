"""The virtual robot: a servo drives MuJoCo's model of it along a trajectory, and sensors write a log as a real one would."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array, check_positive
from dynident.data import Dataset
from dynident.data.signals.periods import marks_at
from dynident.dynamics import gravity, inverse_dynamics, mass_matrix
from dynident.dynamics.friction import FrictionModel, friction_model
from dynident.dynamics.friction.model import REFERENCE_TEMPERATURE, Motion
from dynident.errors import InputError, UnknownNameError, ValueRangeError
from dynident.motions.simulation.integrate import DriveLaw, SimulatedMotion, integrate, substeps
from dynident.motions.simulation.payload import Payload, loaded_parameters
from dynident.motions.simulation.plant import Elasticity, Plant, build_plant
from dynident.motions.simulation.push import Push
from dynident.motions.simulation.reference_motion import Reference, sample_reference
from dynident.motions.simulation.sensors import NOISES, Sensors, effort_scale
from dynident.motions.simulation.servo import Feedforward, Regulator, Servo, feedforward_torque
from dynident.motions.simulation.simulated_friction import SimulatedFriction, typical_friction
from dynident.motions.simulation.truth import Recording, Truth
from dynident.robots.robot import Robot

#: Least rate of the servo [Hz]; it is a multiple of the log's.
CONTROL_RATE = 1000.0

#: Mass matrices along the motion that the gains and the steps are chosen for.
_LOOKS = 100


def simulate(
    robot: Robot,
    trajectory: Dataset,
    *,
    parameters: ArrayLike | None = None,
    payload: Payload | None = None,
    friction: FrictionModel | str | None = None,
    friction_parameters: ArrayLike | None = None,
    servo: Servo | None = None,
    noise: Sensors | str | Callable[[Array], Sensors] = "none",
    elasticity: Elasticity | None = None,
    armature: ArrayLike = 0.0,
    pushes: Sequence[Push] = (),
    rate: float = CONTROL_RATE,
    check_limits: bool = True,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> Recording:
    """Let the robot follow a trajectory (time, q and, better, dq and ddq) and record it.

    Parameters
    ----------
    robot
        The robot.
    trajectory
        Samples with time and q, better with dq and ddq too.
    parameters : (n, 10) array_like
        True parameters of the links; by default the nominal ones.
    payload
        What hangs on the flange; None for nothing.
    friction
        A model or its name; smoothed at rest (`motions.simulation.simulated_friction`). Temperatures on which it depends are those of the
        trajectory, or 25 °C.
    friction_parameters : (n, k) array_like
        Its parameters; by default typical ones.
    servo
        How the controller follows the trajectory; by default a stiff one with feedforward.
    noise
        Sensors, what makes them for the joints' effort scale (n,), or the name of a preset: none or realistic.
    elasticity
        Springs in the joints. Servo, encoder and friction are then on the motor's side, and so is the log.
    armature
        Rotor inertia [kg·m² | kg], beside the links' parameters.
    pushes
        Forces on the links from outside, which the servo does not know.
    rate
        Of the log [Hz]; the servo runs at the same rate or a multiple, at least 1 kHz.
    check_limits
        Refuse a trajectory beyond the joints' limits of position, velocity and acceleration.
    seed
        Of the sensors' noise; the motion itself is not random.
    progress
        Called now and then with the share that is done, 0 to 1.

    Returns
    -------
    Recording
        The log as sensors record it, and the truth behind it.

    Raises
    ------
    SimulationError
        Where the motion runs away, or needs steps that are too short.

    Examples
    --------
    >>> from dynident import load_dataset, load_robot, simulate
    >>> recording = simulate(load_robot("arm.urdf"), load_dataset("log.csv"), friction="linear", noise="realistic", check_limits=False)
    >>> recording.log.n
    2
    """
    ticks, period = _timing(rate)
    length = float(trajectory.time[-1] - trajectory.time[0])
    if length * rate < 1.0:
        raise ValueRangeError("rate", f"is {rate:g} Hz, which gives 1 sample in {length:g} s; at least 2 are needed")
    reference = sample_reference(robot, trajectory, 1.0 / period, check_limits=check_limits)
    p = loaded_parameters(robot, parameters, payload)
    ideal = inverse_dynamics(robot, p, reference.q, reference.dq, reference.ddq)
    scale = effort_scale(robot, ideal)
    sensors = choose_sensors(noise, scale)
    joint_friction = choose_friction(robot, friction, friction_parameters, scale)
    on_motors = np.asarray(armature, dtype=float) + (0.0 if joint_friction is None else joint_friction.inertia)
    plant = build_plant(robot, p, elasticity=elasticity, armature=on_motors)
    servo = servo or Servo()
    motion, bandwidth = _run(plant, reference, servo, joint_friction, period, pushes, progress)
    kept = slice(None, None, ticks)
    truth = _truth(plant, reference, motion, joint_friction, kept)
    log = sensors.record(
        truth.time,
        motion.motor_q[kept],
        motion.motor_dq[kept],
        motion.effort[kept],
        seed=seed,
        joint_names=robot.joint_names,
        source=f"virtual {robot.name}, seed {seed}",
        temperature=truth.temperature,
    )
    log = log.after("", period=marks_at(trajectory, log.time))
    return Recording(log=log, truth=truth, notes=tuple(_notes(robot, reference, motion, servo, bandwidth)))


def _timing(rate: float) -> tuple[int, float]:
    """The servo's instants per row of the log, and its period [s]."""
    check_positive("rate", rate, "Hz")
    ticks = max(1, int(np.ceil(CONTROL_RATE / rate * (1.0 - 1e-12))))
    return ticks, 1.0 / (rate * ticks)


def choose_sensors(noise: Sensors | str | Callable[[Array], Sensors], scale: Array) -> Sensors:
    """Those of `simulate`'s argument, for joints of this effort scale (n,)."""
    if isinstance(noise, Sensors):
        return noise
    if not isinstance(noise, str):
        return noise(scale)
    if noise not in NOISES:
        raise UnknownNameError("noise", noise, NOISES)
    return NOISES[noise](scale)


def choose_friction(
    robot: Robot, model: FrictionModel | str | None, parameters: ArrayLike | None, scale: Array
) -> SimulatedFriction | None:
    """That of `simulate`'s arguments; typical parameters where none are given."""
    if model is None:
        if parameters is not None:
            raise InputError("friction parameters were given without a friction model; name the model too")
        return None
    chosen = friction_model(model) if isinstance(model, str) else model
    return SimulatedFriction.of(robot, chosen, typical_friction(robot, chosen, scale) if parameters is None else parameters)


def _run(
    plant: Plant,
    reference: Reference,
    servo: Servo,
    friction: SimulatedFriction | None,
    period: float,
    pushes: Sequence[Push],
    progress: Callable[[float], None] | None,
) -> tuple[SimulatedMotion, float]:
    robot, p = plant.robot, plant.parameters
    M = mass_matrix(robot, p, reference.q) + np.diag(plant.inertia)
    _check_moves_mass(robot, M)
    S = servo.shape(M)
    looks = np.linspace(0, len(M) - 1, _LOOKS).astype(int)
    felt = M[looks]
    for j in np.flatnonzero(plant.springs >= 0):  # behind its spring, a motor feels its rotor first
        felt[:, j, :] = felt[:, :, j] = 0.0
        felt[:, j, j] = plant.inertia[j]
    bandwidth = servo.stable_bandwidth(S[looks], felt, period)
    feedforward = feedforward_torque(servo, robot, p, reference.q, reference.dq, reference.ddq)
    # the robot has stood at the start for a while: its integral carries the weight that no feedforward does
    weight = gravity(robot, p, reference.q[0]) if servo.feedforward is Feedforward.NONE else np.zeros(robot.n)
    regulator = Regulator(bandwidth, period, robot.effort_limits, np.asarray(np.linalg.solve(S[0], weight), dtype=float))
    steps = substeps(plant, friction, felt, M[looks], period)
    drive = DriveLaw(feedforward, S, regulator)
    return integrate(plant, reference, drive, friction, steps=steps, pushes=pushes, progress=progress), bandwidth


def _check_moves_mass(robot: Robot, M: Array) -> None:
    inertias = np.diagonal(M, axis1=1, axis2=2)
    for name, value in zip(robot.joint_names, inertias.min(axis=0), strict=True):
        if not value > 1e-9 * min(1.0, float(inertias.max())):
            raise InputError(f"joint {name!r} moves no mass (inertia {value:.2g}), so no torque can drive it; give its links parameters")


def _truth(plant: Plant, reference: Reference, motion: SimulatedMotion, friction: SimulatedFriction | None, kept: slice) -> Truth:
    warmth = np.full_like(motion.load, REFERENCE_TEMPERATURE) if reference.temperature is None else reference.temperature
    motor = Motion(motion.motor_q, motion.motor_dq, motion.motor_ddq, motion.load, warmth)
    motor = Motion(*(values[kept] for values in motor))
    return Truth(
        robot=plant.robot,
        parameters=plant.parameters,
        joint_friction=friction,
        time=reference.time[kept],
        q=motion.q[kept],
        dq=motion.dq[kept],
        ddq=motion.ddq[kept],
        effort=motion.effort[kept],
        friction=np.zeros_like(motor.dq) if friction is None else friction.torque(motor),
        motor_q=motor.q,
        pushed=motion.pushed[kept],
        temperature=None if reference.temperature is None else motor.temperature,
    )


def _notes(robot: Robot, reference: Reference, motion: SimulatedMotion, servo: Servo, bandwidth: float) -> list[str]:
    error = np.abs(motion.motor_q - reference.q).max(axis=0)
    worst = int(np.argmax(error))
    notes = [f"largest tracking error {error[worst]:.2g} {robot.joints[worst].units.position} (joint {robot.joint_names[worst]!r})"]
    if bandwidth < 0.99 * servo.bandwidth:
        notes.append(f"the servo's bandwidth was lowered to {bandwidth:.3g} Hz, to be stable with its period and the joints' inertia")
    notes += [
        f"joint {name!r} was at its effort limit for {100 * share:.2g} % of the time"
        for name, share in zip(robot.joint_names, motion.saturated, strict=True)
        if share > 0.0
    ]
    return notes
