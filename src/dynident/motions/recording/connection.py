"""What the recorder asks of a robot: its state at every cycle, to follow positions, to stop, and what its controller tells of its model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from dynident.core.arrays import Array
from dynident.core.options import NoOptions, Options
from dynident.data.dataset import EffortKind
from dynident.errors import DynidentError
from dynident.robots.robot import Robot


class ConnectionLostError(DynidentError):
    """The robot can't be heard; it may come back."""


class RobotFaultError(DynidentError):
    """The robot reports an error, or refuses; a person must look at it."""


class JointState(NamedTuple):
    """One cycle of a robot, n joints.

    Attributes
    ----------
    time : float
        The robot's own clock [s].
    q, dq, effort : (n,) array
        Measured [rad | m, per second, and what the connection's `effort_kind` says].
    reference : (n,) array
        The position that the robot is told to hold [rad | m]; a new motion begins there.
    extra : dict
        Other numbers per joint that are worth keeping, (n,) each, by name.
    """

    time: float
    q: Sequence[float] | Array
    dq: Sequence[float] | Array
    effort: Sequence[float] | Array
    reference: Sequence[float] | Array
    extra: Mapping[str, Sequence[float] | Array] = MappingProxyType({})


class ModelAnswer(NamedTuple):
    """What a controller tells of its model where it stands: q, dq (n,), and M (n, n), g, c (n,) where it knows them."""

    q: Array
    dq: Array
    M: Array | None = None
    g: Array | None = None
    c: Array | None = None


@runtime_checkable
class RobotConnection(Protocol):
    """A robot that can be driven and read. Every method can raise ConnectionLostError and RobotFaultError.

    A motion is `begin`, then one `step` per cycle, then `end`; between motions the robot holds its position by itself.
    """

    @property
    def n(self) -> int:
        """Number of joints."""
        ...

    @property
    def rate(self) -> float:
        """Cycles per second [Hz]."""
        ...

    @property
    def effort_kind(self) -> EffortKind:
        """What the efforts are."""
        ...

    @property
    def facts(self) -> Mapping[str, Any]:
        """What belongs into the log's provenance, ready for JSON: address, versions, thresholds, the load that the controller knows."""
        ...

    def read(self) -> JointState:
        """The state now, without moving."""
        ...

    def begin(self) -> JointState:
        """Take over the control; the first command must be the state's `reference`."""
        ...

    def step(self, command: Array) -> JointState:
        """Send positions (n,) for this cycle, and wait for the state of the next one."""
        ...

    def end(self, command: Array) -> None:
        """Send the last positions (n,) of a motion, at rest, and give the control back."""
        ...

    def halt(self) -> None:
        """Stop at once by the robot's own means, whatever it does."""
        ...

    def ask_model(self) -> ModelAnswer:
        """M, g and c of the controller where the robot stands; InputError where it tells none."""
        ...

    def reconnect(self) -> None:
        """Connect again after a loss."""
        ...

    def close(self) -> None:
        """Let the robot go; a second time does nothing."""
        ...


@dataclass(frozen=True, kw_only=True)
class Vendor:
    """A kind of robot that can be recorded, with everything that the registry, the command line and the tests ask of it.

    Attributes
    ----------
    name : str
        On the command line.
    connect : (address, robot, options)
        To a connection. Libraries are imported in there, not before.
    address
        What stands behind the name on the command line, for help: "HOST".
    is_description
        The address is the robot's description itself, so that no other is needed.
    options
        Dataclass of the options that it has of its own.
    """

    name: str
    connect: Callable[[str, Robot, Any], RobotConnection]
    address: str = "HOST"
    is_description: bool = False
    options: type[Options] = NoOptions


def check_answer(answer: ModelAnswer) -> None:
    """RobotFaultError unless M is the inertia matrix of something that can be, and the answer is not all zeros."""
    parts = {name: value for name in ("M", "g", "c") if (value := getattr(answer, name)) is not None}
    where = ", ".join(f"{position:.4g}" for position in answer.q)
    for name, value in parts.items():
        if not np.all(np.isfinite(value)):
            raise RobotFaultError(f"the controller's {name} at ({where}) is not finite; ask the vendor, and use no such sample")
    if not any(np.any(parts[name]) for name in ("M", "g") if name in parts):
        known = " and ".join(name for name in ("M", "g") if name in parts)
        raise RobotFaultError(f"the controller's {known} at ({where}) are all zeros; its model is not loaded or not licensed")
    if answer.M is not None:
        _check_inertia(answer.M, where)


#: Largest asymmetry of M, relative to its largest element, that passes as rounding.
_ROUNDING = 1e-6


def _check_inertia(M: Array, where: str) -> None:
    largest = float(np.abs(M).max())
    asymmetry = float(np.abs(M - M.T).max())
    if asymmetry > _ROUNDING * largest:
        raise RobotFaultError(f"the controller's M at ({where}) is not symmetric: elements differ by {asymmetry:.2g} of {largest:.3g}")
    least = float(np.linalg.eigvalsh(M)[0])
    if not least > 0.0:
        raise RobotFaultError(
            f"the controller's M at ({where}) is not positive definite: an eigenvalue is {least:.2g}; no arm has such one"
        )
