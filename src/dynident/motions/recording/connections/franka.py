# pyright: basic
"""Arms of Franka Robotics through pylibfranka (extra `franka`): joint positions at 1 kHz, link-side torques, M, g and c of the controller.

Names and behaviour are those of libfranka 0.21. The first command must be the desired position q_d, the time of a command is that
of the state it answers, and a motion ends with `motion_finished`. An answer that comes too late, or a lost line, makes the arm stop by
itself (communication_constraints_violation).
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from dynident.core.arrays import Array
from dynident.core.options import Options, option
from dynident.data.dataset import EffortKind
from dynident.errors import Remedy, import_optional
from dynident.motions.recording.connection import ConnectionLostError, JointState, ModelAnswer, RobotFaultError, Vendor
from dynident.robots.robot import Robot

_JOINTS = 7
#: The error that means that the line was at fault, and not the motion.
_LATE = "communication_constraints_violation"


@dataclass(frozen=True, kw_only=True)
class FrankaOptions(Options):
    torque_threshold: float = option(20.0, "External torque of a joint (N·m) that counts as a collision")
    force_threshold: float = option(25.0, "External force (N) or moment (N·m) at the hand that counts as a collision")
    realtime: Literal["enforce", "ignore"] = option("enforce", "Need a real-time kernel, or ignore that there is none")


class FrankaConnection:
    """A Panda or FR3 at an address. Beyond the collision thresholds it stops by itself."""

    n = _JOINTS
    rate = 1000.0
    effort_kind = EffortKind.TORQUE

    def __init__(self, address: str, options: FrankaOptions | None = None) -> None:
        self._franka = import_optional("pylibfranka", "recording from a Franka arm")
        self._address, self._options = address, options or FrankaOptions()
        self._robot: Any = None
        self._model: Any = None
        self._control: Any = None
        self._connect()

    @property
    def facts(self) -> Mapping[str, Any]:
        with self._told():
            state = self._robot.read_once()
        options = self._options
        return {
            "vendor": "franka",
            "address": self._address,
            "library": f"pylibfranka {self._franka.__version__}",
            "torque_threshold": options.torque_threshold,
            "force_threshold": options.force_threshold,
            "end_effector": {"mass": float(state.m_ee), "com": [float(x) for x in state.F_x_Cee]},
            "load": {"mass": float(state.m_load), "com": [float(x) for x in state.F_x_Cload]},
        }

    def read(self) -> JointState:
        with self._told():
            state = self._robot.read_once()
        self._require_ready(state)
        return _joint_state(state)

    def begin(self) -> JointState:
        with self._told():
            self._control = self._robot.start_joint_position_control(self._franka.ControllerMode.JointImpedance)
            state, _ = self._control.readOnce()
        return _joint_state(state)

    def step(self, command: Array) -> JointState:
        with self._told():
            self._control.writeOnce(self._franka.JointPositions(command.tolist()))
            state, _ = self._control.readOnce()
        if state.current_errors:
            raise RobotFaultError(f"the Franka arm reports {state.current_errors}")
        return _joint_state(state)

    def end(self, command: Array) -> None:
        last = self._franka.JointPositions(command.tolist())
        last.motion_finished = True
        with self._told():
            self._control.writeOnce(last)
        self._control = None

    def halt(self) -> None:
        self._control = None
        with self._told():
            self._robot.stop()

    def ask_model(self) -> ModelAnswer:
        with self._told():
            state = self._robot.read_once()  # the model is evaluated at the very positions that are kept
            M, g, c = (np.asarray(part(state), dtype=float) for part in (self._model.mass, self._model.gravity, self._model.coriolis))
        q, dq = np.asarray(state.q, dtype=float), np.asarray(state.dq, dtype=float)
        return ModelAnswer(q=q, dq=dq, M=M.reshape(_JOINTS, _JOINTS, order="F"), g=g.reshape(_JOINTS), c=c.reshape(_JOINTS))

    def reconnect(self) -> None:
        self._control = None
        self._connect()
        with self._told():
            state = self._robot.read_once()
            # only what the lost line itself has caused is cleared by itself; after a collision a person must look
            if state.robot_mode == self._franka.RobotMode.Reflex and _only_late(state.last_motion_errors):
                self._robot.automatic_error_recovery()

    def close(self) -> None:
        self._control = self._model = self._robot = None  # libfranka disconnects when the object goes

    def _connect(self) -> None:
        franka, options = self._franka, self._options
        realtime = franka.RealtimeConfig.kEnforce if options.realtime == "enforce" else franka.RealtimeConfig.kIgnore
        torques, forces = [options.torque_threshold] * _JOINTS, [options.force_threshold] * 6
        with self._told():
            self._robot = franka.Robot(self._address, realtime)
            self._robot.set_collision_behavior(torques, torques, forces, forces)
            self._model = self._robot.load_model()

    def _require_ready(self, state: Any) -> None:
        mode = state.robot_mode
        if mode not in (self._franka.RobotMode.Idle, self._franka.RobotMode.Move):
            why = f" after {state.last_motion_errors}" if state.last_motion_errors else ""
            raise RobotFaultError(f"the Franka arm is in mode {mode.name}{why}", remedy="make it ready in Desk (FCI active, blue light)")
        if state.current_errors:
            raise RobotFaultError(f"the Franka arm reports {state.current_errors}")

    @contextmanager
    def _told(self) -> Generator[None]:
        """libfranka's exceptions in our words; they have no common class."""
        franka = self._franka
        try:
            yield
        except franka.NetworkException as error:
            raise ConnectionLostError(f"the Franka arm at {self._address} can't be reached: {error}") from None
        except franka.RealtimeException as error:
            remedy = Remedy("start a real-time kernel, or ignore it with {connection_options}", connection_options={"realtime": "ignore"})
            raise RobotFaultError(f"the control loop can't run in real time: {error}", remedy=remedy) from None
        except franka.ControlException as error:
            self._control = None
            kind = ConnectionLostError if _only_late(error) else RobotFaultError
            raise kind(f"the Franka arm stopped the motion: {error}") from None
        except (franka.CommandException, franka.InvalidOperationException, franka.FrankaException) as error:
            raise RobotFaultError(f"the Franka arm refused: {error}") from None


def _only_late(errors: object) -> bool:
    """Whether a list of errors in square brackets names the line alone; libfranka puts each name between double quotes."""
    names = {word for word in str(errors).replace("[", '"').replace("]", '"').replace(",", '"').split('"') if "_" in word}
    return {name.strip() for name in names} == {_LATE}


def _joint_state(state: Any) -> JointState:
    external = {"tau_ext_filtered": state.tau_ext_hat_filtered}
    return JointState(time=state.time.to_sec(), q=state.q, dq=state.dq, effort=state.tau_J, reference=state.q_d, extra=external)


def _connect(address: str, robot: Robot, options: FrankaOptions) -> FrankaConnection:
    return FrankaConnection(address, options)


VENDOR = Vendor(name="franka", connect=_connect, options=FrankaOptions)
