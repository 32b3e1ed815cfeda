"""`record`: drive what was planned, keep what the robot tells, and leave it on disk whatever happens."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

import numpy as np

from dynident.errors import DynidentError
from dynident.motions.recording.connection import ConnectionLostError, RobotConnection, RobotFaultError, check_answer
from dynident.motions.recording.driving import Rows, drive
from dynident.motions.recording.paths import DrivenPath, stopping_time
from dynident.motions.recording.plan import START_TOLERANCE, Passage, RecordingPlan
from dynident.motions.recording.recording_file import RecordingFile, new_recording, resume_recording

#: A line that drops so often in one passage is not good enough.
_LOSSES = 3
#: Seconds between two tries to connect again.
_RETRY = 1.0


class RecordingStatus(StrEnum):
    """How a recording ended."""

    COMPLETE = "all that was planned is recorded"
    INTERRUPTED = "the user stopped the recording, and the robot stands"
    FAULT = "the robot reported an error, and the recording stopped at once"
    LOST = "the connection was lost and did not come back"
    DECLINED = "a move was not confirmed, so the recording ended"


@dataclass(frozen=True, kw_only=True)
class RecordingOutcome:
    """How a recording ended.

    Attributes
    ----------
    status : RecordingStatus
        In one word.
    path : Path
        The file that was written.
    done : int
        Passages of the plan that are whole in the file.
    planned : int
        Passages of the plan.
    samples : int
        Samples in the file.
    reason : str
        What ended it; empty where it is complete.
    remedy : str
        What to do about that.
    losses : int
        How often the connection was lost.
    """

    status: RecordingStatus
    path: Path
    done: int
    planned: int
    samples: int
    reason: str = ""
    remedy: str = ""
    losses: int = 0

    @property
    def sentence(self) -> str:
        """For people."""
        why = f" ({self.reason})" if self.reason else ""
        kept = (
            f"{self.samples} samples, {self.done} of {self.planned} whole, are in {self.path}" if self.samples else "nothing was recorded"
        )
        again = (
            f"; the connection was lost and came back, {self.losses} x" if self.losses and self.status is RecordingStatus.COMPLETE else ""
        )
        return f"{self.status}{why}{again}; {kept}"


class _Stop(Exception):
    """No error: how the loop ends."""

    def __init__(self, status: RecordingStatus, reason: str = "") -> None:
        self.status, self.reason = status, reason


@dataclass(kw_only=True)
class _Session:
    """One run of `record`: the connection, what to ask, and how often the line was lost."""

    connection: RobotConnection
    plan: RecordingPlan
    file: RecordingFile
    confirm: Callable[[str], bool]
    confirm_each: bool
    interrupted: Callable[[], bool]
    progress: Callable[[float], None] | None
    patience: float
    losses: int = 0

    def run(self) -> None:
        done = self.file.done
        for k, passage in enumerate(self.plan.passages):
            if passage.name in done:
                continue
            for attempt in range(_LOSSES + 1):
                try:
                    self._record_passage(passage, k, again=attempt > 0)
                    break
                except ConnectionLostError as error:
                    self.losses += 1
                    self.file.write(RecordingStatus.LOST)
                    if attempt == _LOSSES:
                        raise
                    self._reconnect(error)
            self.file.write(RecordingStatus.COMPLETE if k == len(self.plan.passages) - 1 else "in progress")
            self._tell(k, 1.0)

    def _tell(self, k: int, share: float) -> None:
        if self.progress is not None:
            self.progress((k + share) / len(self.plan.passages))

    def _record_passage(self, passage: Passage, k: int, *, again: bool) -> None:
        self._go_to(passage, again=again)
        if passage.path is None:
            self._ask(passage)
            return
        rows, whole = Rows(), False
        try:
            whole = self._drive(passage.path, rows, lambda share: self._tell(k, share))
        finally:
            self.file.add(passage.name, rows.arrays(), whole=whole)
        if not whole:
            raise _Stop(RecordingStatus.INTERRUPTED)

    def _go_to(self, passage: Passage, *, again: bool) -> None:
        standing = np.asarray(self.connection.read().reference, dtype=float)
        from_here = replace(self.plan, standing=standing, passages=(passage,))
        if self.plan.kind == "trajectory" and not from_here.needs_approach and not self.confirm_each:
            return
        move = self.plan.move(standing, passage)
        question = f"Move to {passage.name}, {from_here.distance} away, in {move.duration:.1f} s?"
        if (again or self.confirm_each) and not self.confirm(question):
            raise _Stop(RecordingStatus.DECLINED)
        if not self._drive(move, Rows()):
            raise _Stop(RecordingStatus.INTERRUPTED)

    def _ask(self, passage: Passage) -> None:
        answer = self.connection.ask_model()
        check_answer(answer)
        arrays = {name: np.asarray(value, dtype=float) for name, value in answer._asdict().items() if value is not None}
        self.file.add(passage.name, arrays, whole=True)

    def _drive(self, path: DrivenPath, rows: Rows, progress: Callable[[float], None] | None = None) -> bool:
        if self.interrupted():
            return False
        return drive(
            self.connection,
            path,
            rows,
            tolerance=2.0 * START_TOLERANCE,
            stopping=stopping_time(path, self.plan.move_limits),
            interrupted=self.interrupted,
            progress=progress,
        )

    def _reconnect(self, lost: ConnectionLostError) -> None:
        deadline = time.monotonic() + self.patience
        while not self.interrupted():
            try:
                self.connection.reconnect()
                return
            except ConnectionLostError:
                if time.monotonic() + _RETRY > deadline:
                    raise lost from None
                time.sleep(_RETRY)
        raise _Stop(RecordingStatus.INTERRUPTED, lost.message)


def record(
    connection: RobotConnection,
    plan: RecordingPlan,
    path: str | Path,
    *,
    resume: bool = False,
    confirm: Callable[[str], bool] = lambda question: False,
    confirm_each: bool = False,
    interrupted: Callable[[], bool] = lambda: False,
    progress: Callable[[float], None] | None = None,
    patience: float = 30.0,
) -> RecordingOutcome:
    """Drive the plan and write an NPZ file, which grows after every passage and has all that was recorded when anything goes wrong.

    Parameters
    ----------
    connection
        What `connect` returned.
    plan
        What `plan_trajectory` or `plan_configurations` returned.
    path
        The NPZ file.
    resume
        Go on with the file of the same plan; else there must be none.
    confirm
        Asked before a move that was not in the plan as it was shown: after the connection was lost. With `confirm_each`, before every move.
    confirm_each
        Whether `confirm` is asked before every move.
    interrupted
        Asked at every cycle; when it says so, the robot comes to rest on its path, and the recording ends.
    progress
        Called now and then with the share that is done, 0 to 1.
    patience
        How long a lost connection is tried again [s]. The passage that was under way is driven again from its start; what was recorded of
        it stays.

    Returns
    -------
    RecordingOutcome
        How it ended, and what is in the file.

    Notes
    -----
    A robot that reports an error is told to halt at once. The outcome says how it ended; nothing is raised for that.
    """
    target = Path(path)
    file = resume_recording(target, plan) if resume else new_recording(target, plan)
    if any(passage.name not in file.done for passage in plan.passages):
        file.begin_session(connection)
    session = _Session(
        connection=connection,
        plan=plan,
        file=file,
        confirm=confirm,
        confirm_each=confirm_each,
        interrupted=interrupted,
        progress=progress,
        patience=patience,
    )
    status, reason, remedy = RecordingStatus.COMPLETE, "", ""
    try:
        session.run()
    except _Stop as stop:
        status, reason = stop.status, stop.reason
    except ConnectionLostError as error:
        status, reason = RecordingStatus.LOST, error.message
    except RobotFaultError as error:
        status, reason, remedy = RecordingStatus.FAULT, error.message, error.remedy
        _halt(connection)
    except BaseException:
        _halt(connection)
        file.write("ended by an error of the program")
        raise
    if status is not RecordingStatus.COMPLETE:
        file.write(status)
    samples = sum(part["samples"] for part in file.description["parts"])
    return RecordingOutcome(
        status=status,
        path=target,
        done=len(file.done),
        planned=len(plan.passages),
        samples=samples,
        reason=reason,
        remedy=remedy,
        losses=session.losses,
    )


def passages_done(path: Path, plan: RecordingPlan, *, resume: bool) -> frozenset[str]:
    """The passages of the plan that are whole in a file; FileError where it can't be recorded to. To be asked before anything moves."""
    return resume_recording(path, plan).done if resume else new_recording(path, plan).done


def _halt(connection: RobotConnection) -> None:
    with suppress(DynidentError):  # it stands already, or can't be told; the first reason is the one to report
        connection.halt()
