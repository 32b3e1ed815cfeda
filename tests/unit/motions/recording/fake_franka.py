"""A stand-in for pylibfranka 0.21 that behaves as libfranka is documented to: its names, exceptions, order of calls and limits.

Commands are judged as the arm's motion generator does: the first must be q_d, and velocity, acceleration and jerk, by differences
over a cycle, must keep the limits of a Panda. The measured positions lag a little behind, as those of an impedance controller.
"""

from __future__ import annotations

from enum import Enum
from types import ModuleType
from typing import Any

import numpy as np

from dynident import load_robot
from dynident.dynamics import coriolis_vector, gravity, mass_matrix

PANDA = load_robot("panda")
HOME = np.array([0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785])
VELOCITY = PANDA.velocity_limits
ACCELERATION = PANDA.acceleration_limits
JERK = 1000.0 * np.array([7.5, 3.75, 5.0, 6.25, 7.5, 10.0, 10.0])
CYCLE = 1e-3


class FrankaException(Exception):
    pass


class CommandException(RuntimeError):
    pass


class ControlException(RuntimeError):
    pass


class InvalidOperationException(RuntimeError):
    pass


class NetworkException(RuntimeError):
    pass


class RealtimeException(RuntimeError):
    pass


class RealtimeConfig(Enum):
    kEnforce = 0
    kIgnore = 1


class ControllerMode(Enum):
    JointImpedance = 0
    CartesianImpedance = 1


class RobotMode(Enum):
    Other = 0
    Idle = 1
    Move = 2
    Guiding = 3
    Reflex = 4
    UserStopped = 5
    AutomaticErrorRecovery = 6


class Duration:
    def __init__(self, milliseconds: int) -> None:
        self._milliseconds = milliseconds

    def to_sec(self) -> float:
        return self._milliseconds / 1000.0


class Errors:
    def __init__(self, *names: str) -> None:
        self._names = names

    def __bool__(self) -> bool:
        return bool(self._names)

    def __str__(self) -> str:
        return "[" + ", ".join(f'"{name}"' for name in self._names) + "]"


class JointPositions:
    def __init__(self, q: Any) -> None:
        if len(q) != 7 or not all(type(value) is float for value in q):
            raise TypeError("incompatible constructor arguments")
        self.q = list(q)
        self.motion_finished = False


class RobotState:
    m_ee, m_load = 0.73, 0.0
    F_x_Cee, F_x_Cload = [-0.01, 0.0, 0.03], [0.0, 0.0, 0.0]
    tau_ext_hat_filtered = [0.1] * 7

    def __init__(self, arm: Arm) -> None:
        lag = 2e-4 * np.sin(arm.q_d)
        self.q, self.q_d, self.dq = (arm.q_d - lag).tolist(), arm.q_d.tolist(), arm.dq_d.tolist()
        self.tau_J = gravity(PANDA, PANDA.parameters, arm.q_d - lag).tolist()
        self.time = Duration(arm.clock)
        self.robot_mode, self.current_errors, self.last_motion_errors = arm.mode, arm.errors, arm.last_errors


class Arm:
    """The arm itself, which is still there when the connection is not; `plan` is what goes wrong, by cycles of motion."""

    def __init__(self) -> None:
        self.q_d, self.dq_d, self.ddq_d = HOME.copy(), np.zeros(7), np.zeros(7)
        self.clock, self.cycles = 5_000_000, 0
        self.mode, self.errors, self.last_errors = RobotMode.Idle, Errors(), Errors()
        self.trouble: dict[int, str] = {}
        self.reachable, self.real_time = True, True
        self.thresholds: list[Any] = []
        self.stops, self.recoveries, self.connections = 0, 0, 0
        self.model_zero = False

    def reflex(self, *names: str) -> ControlException:
        self.mode, self.last_errors = RobotMode.Reflex, Errors(*names)
        self.dq_d, self.ddq_d = np.zeros(7), np.zeros(7)
        listed = ", ".join(f'"{name}"' for name in names)
        return ControlException(f"libfranka: Move command aborted: motion aborted by reflex! [{listed}]")


ARM = Arm()


class ActiveControlBase:
    def __init__(self, arm: Arm) -> None:
        self._arm, self._read, self._finished, self._first = arm, False, False, True

    def readOnce(self) -> tuple[RobotState, Duration]:
        if self._finished:
            raise ControlException("libfranka: Control is finished.")
        arm = self._arm
        trouble = arm.trouble.pop(arm.cycles, "")
        if trouble == "network":
            arm.reflex("communication_constraints_violation")
            raise NetworkException("libfranka: UDP receive: Timeout")
        if trouble:
            raise arm.reflex(trouble)
        arm.clock += 1
        arm.cycles += 1
        self._read = True
        return RobotState(arm), Duration(1)

    def writeOnce(self, command: JointPositions) -> None:
        arm = self._arm
        assert self._read, "a command answers a state: read first"
        assert isinstance(command, JointPositions)
        self._read = False
        q = np.array(command.q)
        if self._first and np.abs(q - arm.q_d).max() > 1e-5:
            raise arm.reflex("joint_position_motion_generator_start_pose_invalid")
        self._first = False
        dq = (q - arm.q_d) / CYCLE
        ddq = (dq - arm.dq_d) / CYCLE
        jerk = (ddq - arm.ddq_d) / CYCLE
        if np.any(np.abs(dq) > VELOCITY):
            raise arm.reflex("joint_motion_generator_velocity_limits_violation")
        if np.any(np.abs(ddq) > ACCELERATION):
            raise arm.reflex("joint_motion_generator_velocity_discontinuity")
        if np.any(np.abs(jerk) > JERK):
            raise arm.reflex("joint_motion_generator_acceleration_discontinuity")
        arm.q_d, arm.dq_d, arm.ddq_d = q, dq, ddq
        if command.motion_finished:
            if np.abs(dq).max() > 1e-3:
                raise arm.reflex("joint_motion_generator_velocity_discontinuity")
            arm.dq_d, arm.ddq_d, arm.mode, self._finished = np.zeros(7), np.zeros(7), RobotMode.Idle, True


class Model:
    def __init__(self, arm: Arm) -> None:
        self._arm = arm

    def mass(self, state: RobotState) -> list[float]:
        M = mass_matrix(PANDA, PANDA.parameters, np.array(state.q))
        return ((0.0 if self._arm.model_zero else 1.0) * M).ravel(order="F").tolist()

    def gravity(self, state: RobotState) -> list[float]:
        g = gravity(PANDA, PANDA.parameters, np.array(state.q))
        return ((0.0 if self._arm.model_zero else 1.0) * g).tolist()

    def coriolis(self, state: RobotState) -> list[float]:
        return coriolis_vector(PANDA, PANDA.parameters, np.array(state.q), np.array(state.dq)).tolist()


class Robot:
    def __init__(self, robot_ip_address: str, realtime_config: RealtimeConfig = RealtimeConfig.kEnforce) -> None:
        assert isinstance(realtime_config, RealtimeConfig)
        self._arm = arm = ARM
        if not arm.reachable:
            raise NetworkException("libfranka: Connection error: No route to host")
        if realtime_config is RealtimeConfig.kEnforce and not arm.real_time:
            raise RealtimeException("libfranka: Running kernel does not have realtime capabilities.")
        arm.connections += 1

    def set_collision_behavior(self, *thresholds: list[float]) -> None:
        assert [len(part) for part in thresholds] == [7, 7, 6, 6]
        self._arm.thresholds = list(thresholds)

    def load_model(self) -> Model:
        return Model(self._arm)

    def read_once(self) -> RobotState:
        if not self._arm.reachable:
            raise NetworkException("libfranka: UDP receive: Timeout")
        self._arm.clock += 1
        return RobotState(self._arm)

    def start_joint_position_control(self, mode: ControllerMode) -> ActiveControlBase:
        assert isinstance(mode, ControllerMode)
        if self._arm.mode is RobotMode.Move:
            raise InvalidOperationException("libfranka robot: Cannot perform this operation while another control or read is running.")
        if self._arm.mode is not RobotMode.Idle:
            mode_name = self._arm.mode.name
            raise CommandException(f"libfranka: Move command rejected: command not possible in the current mode ({mode_name})!")
        self._arm.mode = RobotMode.Move
        return ActiveControlBase(self._arm)

    def automatic_error_recovery(self) -> None:
        self._arm.recoveries += 1
        self._arm.mode, self._arm.last_errors = RobotMode.Idle, Errors()

    def stop(self) -> None:
        self._arm.stops += 1


def module() -> ModuleType:
    """A module `pylibfranka` with an arm of its own, `module.ARM`."""
    global ARM
    ARM = Arm()
    made = ModuleType("pylibfranka")
    names = "FrankaException CommandException ControlException InvalidOperationException NetworkException RealtimeException RealtimeConfig"
    names += " ControllerMode RobotMode Duration Errors JointPositions RobotState ActiveControlBase Model Robot"
    for name in names.split():
        setattr(made, name, globals()[name])
    made.__dict__.update(__version__="0.21.3", ARM=ARM)
    return made
