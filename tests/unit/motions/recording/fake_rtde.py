"""Stand-ins for the modules rtde_receive and rtde_control of ur_rtde 1.6: their names, signatures and RuntimeErrors.

The arm has 500 cycles a second and follows servoJ as a first-order filter does. Its time passes where the connection waits, and nowhere
else, so that a busy machine loses no cycle.
"""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dynident.motions.recording.connections import ur

PERIOD = 0.002


class Arm:
    def __init__(self) -> None:
        self.now = 0.0
        self.target, self.q, self.qd = np.array([0.0, -1.2, 1.2, -1.5, -1.5, 0.0]), np.zeros(6), np.zeros(6)
        self.q[:] = self.target
        self.connected = self.reachable = self.running = True
        self.protective = self.emergency = False
        self.robot_mode = 7
        self.servos: list[list[float]] = []
        self.stops: list[float] = []
        self.trouble: dict[int, str] = {}
        self.mass: list[float] = (np.diag([3.0, 3.0, 2.0, 0.4, 0.3, 0.1]) + 0.01).ravel().tolist()

    @property
    def stamp(self) -> float:
        return 1000.0 + PERIOD * int(self.now / PERIOD)

    def wait(self, seconds: float) -> None:
        self.now += seconds

    def servo(self, q: list[float]) -> bool:
        trouble = self.trouble.pop(len(self.servos), "")
        if trouble == "lost":
            self.connected = False
        if trouble == "protective":
            self.protective = True
        if self.protective or self.emergency or not self.connected:
            return False
        self.servos.append(q)
        new = self.q + 0.3 * (np.array(q) - self.q)
        self.qd, self.q, self.target = (new - self.q) / PERIOD, new, np.array(q)
        return True


ARM = Arm()


class RTDEReceiveInterface:
    def __init__(self, hostname: str, frequency: float = -1.0) -> None:
        if not ARM.reachable:
            raise RuntimeError(f"Error: Could not connect to: {hostname} at 30004, verify the IP")
        self._arm = ARM

    def getTimestamp(self) -> float:
        return self._arm.stamp

    def getActualQ(self) -> list[float]:
        return self._arm.q.tolist()

    def getActualQd(self) -> list[float]:
        return self._arm.qd.tolist()

    def getActualCurrent(self) -> list[float]:
        return (np.cos(self._arm.q) + 0.1 * self._arm.qd).tolist()

    def getTargetQ(self) -> list[float]:
        return self._arm.target.tolist()

    def getTargetMoment(self) -> list[float]:
        return (10.0 * np.cos(self._arm.q)).tolist()

    def getJointTemperatures(self) -> list[float]:
        return [30.0, 31.0, 32.0, 33.0, 34.0, 35.0]

    def getRobotMode(self) -> int:
        return self._arm.robot_mode

    def getPayload(self) -> float:
        return 1.5

    def getPayloadCog(self) -> list[float]:
        return [0.0, 0.0, 0.05]

    def isConnected(self) -> bool:
        return self._arm.connected

    def isProtectiveStopped(self) -> bool:
        return self._arm.protective

    def isEmergencyStopped(self) -> bool:
        return self._arm.emergency

    def reconnect(self) -> bool:
        self._arm.connected = self._arm.reachable
        return self._arm.connected

    def disconnect(self) -> None:
        pass


class RTDEControlInterface:
    def __init__(self, hostname: str, frequency: float = -1.0) -> None:
        if not ARM.reachable:
            raise RuntimeError(f"Error: Could not connect to: {hostname} at 30004, verify the IP")
        self._arm = ARM

    def getStepTime(self) -> float:
        return PERIOD

    def servoJ(self, arg0: list[float], arg1: float, arg2: float, arg3: float, arg4: float, arg5: float) -> bool:
        assert [type(value) for value in arg0] == [float] * 6
        assert 0.03 <= arg4 <= 0.2
        assert 100.0 <= arg5 <= 2000.0
        return self._arm.servo(arg0)

    def servoStop(self, a: float = 10.0) -> bool:
        self._arm.stops.append(a)
        self._arm.qd = np.zeros(6)
        return True

    def isProgramRunning(self) -> bool:
        return self._arm.running

    def reuploadScript(self) -> bool:
        self._arm.running = self._arm.reachable
        return self._arm.running

    def getMassMatrix(self, q: Any = (), include_rotors_inertia: bool = False) -> list[float]:
        assert include_rotors_inertia is False
        return self._arm.mass

    def getCoriolisAndCentrifugalTorques(self, q: Any = (), qd: Any = ()) -> list[float]:
        return [0.0] * 6

    def isConnected(self) -> bool:
        return self._arm.connected

    def reconnect(self) -> bool:
        self._arm.connected = self._arm.reachable
        return self._arm.connected

    def stopScript(self) -> None:
        self._arm.running = False

    def disconnect(self) -> None:
        pass


def modules() -> dict[str, ModuleType]:
    """rtde_receive and rtde_control with an arm of their own, `module.ARM`."""
    global ARM
    ARM = Arm()
    receive, control = ModuleType("rtde_receive"), ModuleType("rtde_control")
    receive.__dict__.update(RTDEReceiveInterface=RTDEReceiveInterface, ARM=ARM)
    control.__dict__.update(RTDEControlInterface=RTDEControlInterface, ARM=ARM)
    return {"rtde_receive": receive, "rtde_control": control}


def install(monkeypatch: pytest.MonkeyPatch) -> Arm:
    """The modules in place of ur_rtde's, and the arm's time in place of the computer's; the arm."""
    for name, module in modules().items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(ur, "time", SimpleNamespace(monotonic=lambda: ARM.now, sleep=ARM.wait))
    return ARM
