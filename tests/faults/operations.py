"""A command in a forked process whose file operations are counted, and fail, or are the last thing before a kill.

The process does all of its work up to the first operation in its folder that changes something, locks the folder or looks for leftovers,
and waits there. From there it goes on as often as is wanted, each time in a fork of its own, so that a fault costs the writing and not the
work before it. It can also be made to wait before an operation, so that another process comes between.

Python announces what it asks of the file system (PEP 578), so that operations are seen wherever they come from; writing to an open file and
flushing it to the disk are watched in `os`.
"""

from __future__ import annotations

import errno
import gc
import io
import json
import os
import select
import sys
import tempfile
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

#: How a killed process ends.
KILLED = 137
#: In place of an error: the process waits before the operation, and then goes on.
PAUSE = -1
#: What changes a folder, "open" where it is for writing; or begins to.
_EVENTS = {"open", "os.listdir", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.chmod", "os.truncate"}
_FOR_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
#: What a process answers.
_PAUSES, _ENDS = b"|", b"."
#: What a full disk still allows.
_NEEDS_NO_ROOM = {"os.remove", "os.rmdir", "os.rename", "os.chmod"}


@dataclass(frozen=True)
class Fault:
    """number : of the operation, from 1, before which it happens; error : its errno, which stays; 0 for a kill; or PAUSE."""

    number: int
    error: int = 0

    def __str__(self) -> str:
        return f"{errno.errorcode.get(self.error, 'pause' if self.error else 'kill')} before operation {self.number}"


@dataclass(frozen=True)
class Outcome:
    """code : exit code; said : on stderr; operations : names of those that were asked for, in order; none of a killed process."""

    code: int
    said: str
    operations: tuple[str, ...]


class Command:
    """A command line in a folder; `run` goes on from its first file operation. Paths in words are relative to the folder."""

    #: Ends of pipes to all commands that live: a process that had another's too would keep it from seeing its end.
    _ends: ClassVar[set[int]] = set()

    def __init__(self, words: Sequence[str], folder: Path, log: Path, prepare: Callable[[], None] | None = None) -> None:
        self._log = log
        (folder / "tmp").mkdir(exist_ok=True)
        ask, self._ask = os.pipe()
        self._answer, answer = os.pipe()
        self._process = _fork()
        if self._process == 0:
            for end in (self._ask, self._answer, *self._ends):
                os.close(end)
            _live(words, folder, log, prepare, ask, answer)
        self._ends.update((self._ask, self._answer))
        self._ready = self._over = False
        os.close(ask)
        os.close(answer)

    def run(self, fault: Fault | None = None) -> Outcome:
        self.begin(fault)
        return self.finish()

    def begin(self, fault: Fault | None = None) -> None:
        """Let it go on: from where it pauses, else from its first operation."""
        self.get_ready()
        if not self._over:
            os.write(self._ask, json.dumps(None if fault is None else asdict(fault)).encode())

    def get_ready(self) -> None:
        """Wait until it has come to its first operation, or to its end where it has none."""
        if not self._ready:
            self._over, self._ready = os.read(self._answer, 1) == _ENDS, True

    def stops(self, seconds: float) -> bool:
        """Whether it pauses or ends within this time."""
        return bool(select.select([self._answer], [], [], seconds)[0])

    def pause(self, fault: Fault) -> None:
        """Begin, and wait until it pauses."""
        self.begin(fault)
        assert os.read(self._answer, 1) == _PAUSES, f"it ended before {fault}"

    def finish(self) -> Outcome:
        """Wait for its end."""
        assert self._over or os.read(self._answer, 1) == _ENDS
        found = json.loads(_outcome_file(self._log).read_text(encoding="utf-8"))
        return Outcome(code=found["code"], said=self._log.read_text(encoding="utf-8"), operations=tuple(found["operations"]))

    def close(self) -> None:
        for end in (self._ask, self._answer):
            self._ends.remove(end)
            os.close(end)
        os.waitpid(self._process, 0)


def run_once(words: Sequence[str], folder: Path, log: Path, prepare: Callable[[], None] | None = None) -> Outcome:
    """The command from its beginning to its end."""
    command = Command(words, folder, log, prepare)
    try:
        return command.run()
    finally:
        command.close()


def _fork() -> int:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads, which hold no lock that a child would wait for
        process = os.fork()
    if process == 0:
        gc.freeze()  # looking for garbage among the parent's objects would copy all of its memory
    return process


def _live(words: Sequence[str], folder: Path, log: Path, prepare: Callable[[], None] | None, ask: int, answer: int) -> None:
    """What the forked process does; it never returns."""
    watch: _Watch | None = None
    code = 99
    try:
        os.chdir(folder)
        tempfile.tempdir = str(folder / "tmp")
        sys.stdout = io.TextIOWrapper(io.BytesIO())
        sys.stderr = log.open("w", encoding="utf-8")
        if prepare is not None:
            prepare()
        watch = _Watch(folder, log, ask, answer)
        code = _main(words)
    except BaseException as error:  # noqa: BLE001 (this process has nobody to raise it to)
        sys.stderr.write(f"Traceback: {error!r}\n")
    sys.stderr.flush()
    if watch is not None:
        watch.asleep = True
        _outcome_file(log).write_text(json.dumps({"code": code, "operations": watch.operations}), encoding="utf-8")
        if not watch.begun:
            os.write(answer, _ENDS)
    os._exit(0)


def _outcome_file(log: Path) -> Path:
    return log.with_suffix(".json")


def _main(words: Sequence[str]) -> int:
    from dynident.cli.app import main

    try:
        main([str(word) for word in words])
    except SystemExit as end:
        return int(end.code or 0)
    return 99


class _Watch:
    """Sees the operations of this process, and does to them what a fault says."""

    def __init__(self, folder: Path, log: Path, ask: int, answer: int) -> None:
        self.folder, self.log, self.ask, self.answer = f"{folder}{os.sep}", log, ask, answer
        self.operations: list[str] = []
        self.fault: Fault | None = None
        self.begun = self.asleep = False
        self.process = os.getpid()
        sys.addaudithook(self.hear)
        self._watch_open_files()

    def hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self._sleeps() or event not in _EVENTS or not self._concerns(arguments[0]):
            return
        if event not in ("open", "os.listdir") or (event == "open" and arguments[2] & _FOR_WRITING):
            self.before(event)
        elif os.path.isdir(arguments[0]):  # to lock it, or to look for what others left
            self._begin()

    def _concerns(self, path: object) -> bool:
        return isinstance(path, (str, bytes)) and f"{os.path.abspath(os.fsdecode(path))}{os.sep}".startswith(self.folder)

    def _begin(self) -> None:
        if not self.begun:
            self.begun = True
            os.write(self.answer, _PAUSES)
            self._wait()

    def _sleeps(self) -> bool:
        """Also in workers of the command."""
        return self.asleep or os.getpid() != self.process

    def before(self, operation: str) -> None:
        if self._sleeps():
            return
        self._begin()
        self.operations.append(operation)
        fault = self.fault
        if fault is None or len(self.operations) < fault.number:
            return
        if fault.error == PAUSE:
            if len(self.operations) == fault.number:
                self._pause()
            return
        if not fault.error:
            os._exit(KILLED)
        if fault.error != errno.ENOSPC or operation not in _NEEDS_NO_ROOM or len(self.operations) == fault.number:
            raise OSError(fault.error, os.strerror(fault.error))

    def _pause(self) -> None:
        os.write(self.answer, _PAUSES)
        if not os.read(self.ask, 1 << 16):  # nobody is there to go on for
            os._exit(KILLED)

    def _wait(self) -> None:
        """Fork for every fault that is asked for; only the forks return."""
        while asked := os.read(self.ask, 1 << 16):
            self.asleep = True
            child = _fork()
            if child == 0:
                given = json.loads(asked)
                self.fault = None if given is None else Fault(**given)
                sys.stderr = self.log.open("w", encoding="utf-8")
                self.asleep, self.process = False, os.getpid()
                return
            if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == KILLED:
                _outcome_file(self.log).write_text(json.dumps({"code": KILLED, "operations": []}), encoding="utf-8")
            os.write(self.answer, _ENDS)
        os._exit(0)

    def _watch_open_files(self) -> None:
        flush, descriptor = os.fsync, os.fdopen

        def fsync(handle: int) -> None:
            self.before("fsync")
            flush(handle)

        def fdopen(*arguments: Any, **options: Any) -> Any:
            stream = descriptor(*arguments, **options)
            return _Stream(stream, self) if stream.writable() else stream

        os.fsync, os.fdopen = fsync, fdopen


class _Stream:
    """An open file whose writing is watched."""

    def __init__(self, stream: Any, watch: _Watch) -> None:
        self._stream, self._watch = stream, watch

    def write(self, content: bytes) -> int:
        self._watch.before("write")
        return self._stream.write(content)

    def __enter__(self) -> _Stream:
        return self

    def __exit__(self, *problem: object) -> None:
        self._stream.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
