"""An executor that remembers what it was given, so that a user's Ctrl-C does not throw away what workers were about to return."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import CancelledError, Executor, Future, wait
from typing import Any, TypeVar

T = TypeVar("T")

#: Ctrl-C reaches the workers too, and they return what they have; this long they are waited for [s].
_PATIENCE = 5.0


class RememberingExecutor(Executor):
    """Passes everything on to another executor."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self._jobs: list[Future[Any]] = []

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        job = self._executor.submit(fn, *args, **kwargs)
        self._jobs.append(job)
        return job

    def results(self) -> list[Any]:
        """What has been returned, or is within a few seconds, in the order of submission; failed and cancelled jobs left out."""
        for job in self._jobs:
            job.cancel()
        done, _ = wait(self._jobs, timeout=_PATIENCE)
        return [job.result() for job in self._jobs if job in done and not job.cancelled() and _succeeded(job)]


def _succeeded(job: Future[Any]) -> bool:
    try:
        return job.exception() is None
    except CancelledError:
        return False
