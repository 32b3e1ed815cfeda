"""Seeded multi-start over any executor: one process, a process pool or a Dask cluster give the same answers.

Every start has a random generator of its own, spawned from one seed, so that neither the number of workers nor the
order in which they finish changes a result. `ProcessPoolExecutor(2)` and `distributed.Client(...).get_executor()`
(extra `cluster`) are executors; with those, the task and what it returns must survive pickling between processes.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from multiprocessing import get_context
from typing import TypeVar

import numpy as np

from dynident.core.files import interrupted_later
from dynident.core.isolation import end_with_parent
from dynident.core.sizes import check_count
from dynident.core.threads import VARIABLES
from dynident.errors import InputError, ValueRangeError

Result = TypeVar("Result")

#: While other processes work, the caller is called this often [s].
TICK = 0.25


def multi_start(
    task: Callable[[int, np.random.Generator], Result],
    starts: int,
    *,
    seed: int,
    executor: Executor | None = None,
    budget: float | None = None,
    finished: Mapping[int, Result] | None = None,
    on_finished: Callable[[int, Result], None] | None = None,
    progress: Callable[[str], None] | None = None,
    enough: Callable[[Result], bool] | None = None,
    patience: float = 0.0,
    on_tick: Callable[[], None] | None = None,
) -> dict[int, Result]:
    """Results by start, in the order of the starts: task(start, generator) for each start that is not in `finished`.

    budget : seconds after which no further start begins. One that has begun is completed, and one always is; those
        that complete are what they would have been without a budget.
    finished : results of an earlier, interrupted call with the same seed, which are not computed again.
    on_finished : called here, in this process, as each start completes, so that a caller can store it.
    enough : called with every result; once it is true, no further start begins.
    on_tick : called every TICK seconds while other processes work, and not where this one does.
    patience : seconds for which starts that other processes have begun are waited for after a Ctrl-C, which reaches them too.
    """
    if starts < 1:
        raise ValueRangeError("starts", f"is {starts}; at least 1 was expected")
    check_count("starts", starts, each=200, what="results")
    results = {start: result for start, result in (finished or {}).items() if 0 <= start < starts}
    children = np.random.SeedSequence(seed).spawn(starts)
    open_starts = [start for start in range(starts) if start not in results]
    deadline = np.inf if budget is None else time.monotonic() + budget

    def hand_over(start: int, result: Result) -> bool:
        """Hand over; whether no further start is wanted."""
        results[start] = result
        if on_finished is not None:
            on_finished(start, result)
        if progress is not None:
            progress(f"start {start + 1} done, {len(results)} of {starts}")
        return enough is not None and enough(result)

    if executor is None or len(open_starts) == 1:  # for one start there is nothing to share out
        for start in open_starts:
            if results and time.monotonic() >= deadline:
                break
            if hand_over(start, task(start, np.random.default_rng(children[start]))):
                break
    else:
        if isinstance(executor, ProcessPoolExecutor):
            _check_picklable(task)

        def begin(start: int) -> Future[Result]:
            return executor.submit(task, start, np.random.default_rng(children[start]))

        # a pool hands out jobs ahead of time, and those could no longer be called off: it gets as many as it has workers
        at_once = getattr(executor, "_max_workers", len(open_starts))
        collect(open_starts, begin, hand_over, at_once, deadline=deadline, patience=patience, on_tick=on_tick)
    return dict(sorted(results.items()))


@contextmanager
def process_pool(workers: int) -> Generator[Executor | None]:
    """A pool of processes, none for one worker. Forked, so that what a user's own file defined need not be defined again in each."""
    if workers == 1:
        yield None
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("fork"), initializer=_begin_worker, initargs=(os.getpid(),)) as pool:
        try:
            yield pool
        finally:
            _end_unfinished(pool)


def _end_unfinished(pool: ProcessPoolExecutor) -> None:
    """End workers whose results are no longer needed: a Ctrl-C does not reach a process that is just being forked."""
    if pool._pending_work_items:  # pyright: ignore[reportAttributeAccessIssue] (terminate_workers of Python 3.14)
        for process in list(pool._processes.values()):
            process.terminate()


def _begin_worker(parent: int) -> None:
    """In a worker: it ends with the process that began it, and is silent; one that waits for work would print a traceback at a Ctrl-C."""
    end_with_parent(parent)
    sys.stderr = open(os.devnull, "w")  # noqa: SIM115 (for as long as the process lives)
    os.environ.update(dict.fromkeys(VARIABLES, "1"))  # there are as many processes as are wanted
    signal.signal(signal.SIGINT, signal.default_int_handler)  # it was forked while its parent put Ctrl-C off


def collect(
    starts: Sequence[int],
    begin: Callable[[int], Future[Result]],
    hand_over: Callable[[int, Result], object],
    at_once: int,
    *,
    deadline: float = np.inf,
    patience: float = 0.0,
    on_tick: Callable[[], None] | None = None,
) -> None:
    """Keep the workers busy and hand over results as they come; at the deadline, or where it returns True, call off what has not begun."""
    waiting = list(starts)
    jobs: dict[Future[Result], int] = {}
    any_done = over = False
    try:
        while waiting or jobs:
            over = over or (time.monotonic() >= deadline and (any_done or any(job.running() for job in jobs)))
            if over:
                waiting.clear()
                jobs = {job: start for job, start in jobs.items() if not job.cancel()}
            while waiting and len(jobs) < at_once:
                start = waiting.pop(0)
                with interrupted_later():  # Python swallows a KeyboardInterrupt in what it calls before and after a fork
                    jobs[begin(start)] = start
            left = deadline - time.monotonic()
            timeout = min(np.inf if left <= 0.0 else left, np.inf if on_tick is None else TICK)
            done, _ = wait(jobs, timeout=None if np.isinf(timeout) else timeout, return_when=FIRST_COMPLETED)
            if on_tick is not None:
                on_tick()
            for job in sorted(done, key=lambda job: jobs[job]):
                any_done = True
                over = hand_over(jobs.pop(job), job.result()) is True or over
    except KeyboardInterrupt:
        begun = [job for job in jobs if not job.cancel()]
        for job in wait(begun, timeout=patience).done:
            if job.exception() is None:
                hand_over(jobs[job], job.result())
        raise
    finally:
        for job in jobs:
            job.cancel()


def _check_picklable(task: object) -> None:
    """InputError with a remedy; a pool would raise an error per job, without one."""
    try:
        pickle.dumps(task)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        remedy = "use functions that are written with def at the top of an importable module, or one process"
        raise InputError(f"the work can't be sent to worker processes ({error})", remedy=remedy) from None
