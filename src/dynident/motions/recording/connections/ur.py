# pyright: basic
"""Arms of Universal Robots through ur_rtde (extra `ur`): servoJ at the controller's own rate, motor currents; M and c from PolyScope 5.26.

Names and behaviour are those of ur_rtde 1.6. A thread of its own receives the states, so that a new one is known by its time stamp. The
script on the controller repeats the last servoJ: when no new one comes, the arm comes to rest there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from dynident.core.arrays import Array
from dynident.core.options import Options, option
from dynident.data.dataset import EffortKind
from dynident.errors import InputError, MissingExtraError
from dynident.motions.recording.connection import ConnectionLostError, JointState, ModelAnswer, RobotFaultError, Vendor
from dynident.robots.robot import Robot

_JOINTS = 6
#: So long a new state is waited for [s]; and how often it is looked for.
_PATIENCE, _LOOK = 0.2, 1e-4
#: The robot mode in which an arm can move.
_RUNNING = 7


@dataclass(frozen=True, kw_only=True)
class UROptions(Options):
    lookahead: float = option(0.05, "Seconds over which servoJ smooths, 0.03 to 0.2")
    gain: float = option(600.0, "With which servoJ follows, 100 to 2000")
    deceleration: float = option(2.0, "Of the leading axis in a halt (rad/s²)")


class URConnection:
    """A UR arm at an address, in remote control. Its safety settings are those of the installation; they are not touched."""

    n = _JOINTS
    effort_kind = EffortKind.CURRENT

    def __init__(self, address: str, options: UROptions | None = None) -> None:
        self._modules = _import_rtde()
        self._address, self._options = address, options or UROptions()
        self._receive: Any = None
        self._control: Any = None
        self._stamp = -np.inf
        with self._told("can't be reached; check the address, that it is switched on, and remote control"):
            self._receive = self._modules[0].RTDEReceiveInterface(address)
            self._control = self._modules[1].RTDEControlInterface(address)
            self._period = float(self._control.getStepTime())
        if not self._period > 0.0:
            raise RobotFaultError(f"the UR arm at {address} tells no time step", remedy="put it into remote control")

    @property
    def rate(self) -> float:
        return 1.0 / self._period

    @property
    def facts(self) -> Mapping[str, Any]:
        with self._told("stopped answering"):
            load = {"mass": float(self._receive.getPayload()), "com": [float(x) for x in self._receive.getPayloadCog()]}
        from importlib.metadata import PackageNotFoundError, version

        try:
            library = f"ur_rtde {version('ur_rtde')}"
        except PackageNotFoundError:  # built from source, without a package
            library = "ur_rtde"
        options = self._options
        return {
            "vendor": "ur",
            "address": self._address,
            "library": library,
            "gain": options.gain,
            "lookahead": options.lookahead,
            "load": load,
        }

    def read(self) -> JointState:
        state = self._next()
        if self._receive.getRobotMode() != _RUNNING:
            remedy = "switch it on and release its brakes"
            raise RobotFaultError(f"the UR arm is not running (robot mode {self._receive.getRobotMode()})", remedy=remedy)
        return state

    def begin(self) -> JointState:
        with self._told("stopped answering"):
            if not self._control.isProgramRunning() and not self._control.reuploadScript():
                raise RobotFaultError("the UR arm doesn't run the control script", remedy="put it into remote control")
        return self.read()

    def step(self, command: Array) -> JointState:
        options = self._options
        with self._told("stopped answering"):
            followed = self._control.servoJ(command.tolist(), 0.0, 0.0, self._period, options.lookahead, options.gain)
        if not followed:
            self._require_sound()
            raise RobotFaultError("the UR arm refused a servoJ command")
        return self._next()

    def end(self, command: Array) -> None:
        self.step(command)
        with self._told("stopped answering"):
            self._control.servoStop()

    def halt(self) -> None:
        with self._told("stopped answering"):
            self._control.servoStop(self._options.deceleration)

    def ask_model(self) -> ModelAnswer:
        state = self.read()
        with self._told("stopped answering"):
            M, c = (
                self._control.getMassMatrix(list(state.q), False),
                self._control.getCoriolisAndCentrifugalTorques(list(state.q), list(state.dq)),
            )
        if len(M) != _JOINTS**2:
            raise InputError("this UR controller tells no inertia matrix; PolyScope 5.26 or later does. Record a trajectory instead")
        q, dq = np.asarray(state.q, dtype=float), np.asarray(state.dq, dtype=float)
        effort = np.asarray(c, dtype=float) if len(c) == _JOINTS else None
        return ModelAnswer(q=q, dq=dq, M=np.asarray(M, dtype=float).reshape(_JOINTS, _JOINTS), c=effort)

    def reconnect(self) -> None:
        with self._told("can't be reached"):
            if not (self._receive.isConnected() or self._receive.reconnect()):
                raise ConnectionLostError(f"the UR arm at {self._address} can't be reached")
            if not (self._control.isConnected() or self._control.reconnect()):
                raise ConnectionLostError(f"the UR arm at {self._address} can't be reached")
        self._stamp = -np.inf

    def close(self) -> None:
        control, receive, self._control, self._receive = self._control, self._receive, None, None
        if control is not None:
            control.stopScript()
            control.disconnect()
        if receive is not None:
            receive.disconnect()

    def _next(self) -> JointState:
        """The first state with another stamp than the last one; whole, for its parts are asked for one by one."""
        receive = self._receive
        deadline = time.monotonic() + _PATIENCE
        with self._told("stopped answering"):
            while time.monotonic() < deadline:
                stamp = receive.getTimestamp()
                if stamp != self._stamp:
                    state = _joint_state(receive, stamp)
                    if receive.getTimestamp() == stamp:
                        self._stamp = stamp
                        self._require_sound()
                        return state
                time.sleep(_LOOK)
        raise ConnectionLostError(f"no state came from the UR arm at {self._address} for {_PATIENCE:g} s")

    def _require_sound(self) -> None:
        if not self._receive.isConnected():
            raise ConnectionLostError(f"the line to the UR arm at {self._address} is down")
        if self._receive.isEmergencyStopped():
            raise RobotFaultError("the UR arm is in emergency stop")
        if self._receive.isProtectiveStopped():
            raise RobotFaultError("the UR arm is in protective stop", remedy="look why, and unlock it on the pendant")

    @contextmanager
    def _told(self, what: str) -> Generator[None]:
        """ur_rtde raises RuntimeError, for whatever reason."""
        try:
            yield
        except RuntimeError as error:
            raise ConnectionLostError(f"the UR arm at {self._address} {what} ({error})") from None


def _joint_state(receive: Any, stamp: float) -> JointState:
    extra: dict[str, Callable[[], Any]] = {"target_moment": receive.getTargetMoment, "temperature": receive.getJointTemperatures}
    return JointState(
        time=stamp,
        q=receive.getActualQ(),
        dq=receive.getActualQd(),
        effort=receive.getActualCurrent(),
        reference=receive.getTargetQ(),
        extra={name: ask() for name, ask in extra.items()},
    )


def _import_rtde() -> tuple[Any, Any]:
    try:
        return import_module("rtde_receive"), import_module("rtde_control")
    except ImportError:
        raise MissingExtraError("ur", "ur_rtde", "recording from a UR arm") from None


def _connect(address: str, robot: Robot, options: UROptions) -> URConnection:
    return URConnection(address, options)


VENDOR = Vendor(name="ur", connect=_connect, options=UROptions)
