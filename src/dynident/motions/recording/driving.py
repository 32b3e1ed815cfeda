"""Driving a robot along a path, cycle by cycle, while its states are kept; and stopping on the path when asked to."""

from __future__ import annotations

import gc
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from dynident.core.arrays import Array
from dynident.motions.recording.connection import JointState, RobotConnection, RobotFaultError
from dynident.motions.recording.paths import DrivenPath, PathClock

#: A difference between where a path begins and what the robot holds is taken up over so long [s].
_TAKE_UP = 1.0


@dataclass(kw_only=True)
class Rows:
    """States as they come; what was kept stays, whatever ends the motion. marked : whether the motion's whole periods are numbered."""

    times: list[float] = field(default_factory=list[float])
    commands: list[Array] = field(default_factory=list[Array])
    states: list[JointState] = field(default_factory=list[JointState])
    marks: list[int] = field(default_factory=list[int])
    marked: bool = False

    def keep(self, time: float, command: Array, state: JointState, mark: int = 0) -> None:
        self.times.append(time)
        self.marks.append(mark)
        self.commands.append(command)
        self.states.append(state)

    def __len__(self) -> int:
        return len(self.times)

    def arrays(self) -> dict[str, Array]:
        """time (N,) from the first row on, q, dq, effort, commanded_q and what else there is, (N, n) each; one row per stamp.

        period (N,) where whole periods are marked.
        """
        times = np.array(self.times)
        fresh = np.concatenate([[True], np.diff(times) > 0.0]) if len(times) else np.zeros(0, dtype=bool)

        def stack(values: Sequence[Sequence[float] | Array]) -> Array:
            return np.array(values, dtype=float)[fresh]

        arrays = {"time": times[fresh] - times[0]} if len(times) else {"time": times}
        arrays |= {name: stack([getattr(state, name) for state in self.states]) for name in ("q", "dq", "effort")}
        arrays["commanded_q"] = stack(self.commands)
        if self.marked:
            arrays["period"] = np.array(self.marks)[fresh]
        extra = tuple(self.states[0].extra) if self.states else ()
        return arrays | {name: stack([state.extra[name] for state in self.states]) for name in extra}


def drive(
    connection: RobotConnection,
    path: DrivenPath,
    rows: Rows,
    *,
    tolerance: float,
    stopping: float,
    interrupted: Callable[[], bool],
    progress: Callable[[float], None] | None = None,
) -> bool:
    """Drive along a path; whether its end was reached. What it says is to be kept goes to `rows`, whatever happens.

    tolerance : how far from the path's start the robot may hold its position [rad | m]; RobotFaultError beyond.
    stopping : [s] in which the robot comes to rest on the path when `interrupted` says so.
    """
    clock = PathClock(stopping)
    rows.marked = path.period is not None
    with _undisturbed():
        state = connection.begin()
        began, offset = state.time, np.asarray(state.reference, dtype=float) - path.q[0]
        if np.abs(offset).max() > tolerance:
            connection.end(np.asarray(state.reference, dtype=float))
            j = int(np.abs(offset).argmax())
            raise RobotFaultError(f"joint {j + 1} holds {offset[j]:+.3g} rad off the start of the motion; it was moved in the meantime")
        cycles, slack = 0, 0.25 / path.rate  # stamps are rounded; a cycle is not
        while True:
            elapsed = state.time - began
            if interrupted():
                clock.stop(elapsed)
            along = clock.along(elapsed)
            command = path.at(along) + offset * _fade(elapsed / min(_TAKE_UP, path.duration))
            if path.keep[0] < path.keep[1] and path.keep[0] - slack <= along <= path.keep[1] + slack:
                rows.keep(elapsed, command, state, path.mark(along))
            reached = along >= path.duration - slack
            if reached or clock.stands(elapsed):
                break
            state = connection.step(command)
            cycles += 1
            if progress is not None and cycles % 256 == 0:
                progress(along / path.duration)
        connection.end(command)
    return reached


def _fade(u: float) -> float:
    """From 1 to 0 without a jump in velocity or acceleration."""
    u = min(u, 1.0)
    return 1.0 - u**3 * (10.0 - 15.0 * u + 6.0 * u**2)


@contextmanager
def _undisturbed() -> Generator[None]:
    """A robot waits for no garbage collection."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
