"""Multi-start: the same answers, in the same order, whatever runs them."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dynident.core import parallel
from dynident.core.parallel import multi_start
from dynident.errors import InputError, ValueRangeError
from tests.facts import raises


def draw(start: int, rng: np.random.Generator) -> float:
    return start + float(rng.uniform())


def slow_first(start: int, rng: np.random.Generator) -> float:
    time.sleep(0.2 if start == 0 else 0.0)
    return draw(start, rng)


def failing(start: int, rng: np.random.Generator) -> float:
    raise RuntimeError(f"start {start} failed")


class Backwards(Executor):
    """Runs the last job first, as a cluster might."""

    def __init__(self) -> None:
        self.jobs: list[tuple[Future[Any], Callable[..., Any], tuple[Any, ...]]] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.jobs.append((future, fn, args))
        if len(self.jobs) == 4:
            for future_, fn_, args_ in reversed(self.jobs):
                future_.set_result(fn_(*args_))
        return future


def test_serial_results_come_by_start_and_repeat() -> None:
    first, second = (multi_start(draw, 4, seed=7) for _ in range(2))
    assert list(first) == [0, 1, 2, 3]
    assert first == second
    assert first != multi_start(draw, 4, seed=8)


def test_more_starts_leave_the_first_ones_alone() -> None:
    assert multi_start(draw, 6, seed=7)[2] == multi_start(draw, 3, seed=7)[2]


def test_starts_are_independent() -> None:
    fractions = {value - start for start, value in multi_start(draw, 50, seed=0).items()}
    assert len(fractions) == 50


def test_a_process_pool_gives_the_same() -> None:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        assert multi_start(slow_first, 4, seed=7, executor=pool) == multi_start(draw, 4, seed=7)


def test_order_of_completion_is_irrelevant() -> None:
    results = multi_start(draw, 4, seed=7, executor=Backwards())
    assert list(results.items()) == list(multi_start(draw, 4, seed=7).items())


@pytest.mark.network
def test_dask_gives_the_same() -> None:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            processes=False, n_workers=2, dashboard_address="127.0.0.1:0", protocol="tcp", host="127.0.0.1"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        assert multi_start(draw, 4, seed=7, executor=client.get_executor()) == multi_start(draw, 4, seed=7)


def test_finished_starts_are_not_repeated() -> None:
    calls: list[int] = []

    def counting(start: int, rng: np.random.Generator) -> float:
        calls.append(start)
        return draw(start, rng)

    whole = multi_start(draw, 4, seed=7)
    resumed = multi_start(counting, 4, seed=7, finished={0: whole[0], 2: whole[2], 9: 1.0})
    assert calls == [1, 3]
    assert resumed == whole


def test_each_start_is_handed_over_as_it_completes() -> None:
    handed, told = {}, []
    results = multi_start(draw, 3, seed=1, on_finished=handed.__setitem__, progress=told.append)
    assert handed == results
    assert told == ["start 1 done, 1 of 3", "start 2 done, 2 of 3", "start 3 done, 3 of 3"]


@pytest.mark.parametrize("pooled", [False, True])
def test_a_budget_ends_the_starts_but_changes_none(pooled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A start takes one second, on a clock that the starts themselves turn; a pool of two begins at most two more than have ended."""
    ended: list[int] = []

    def slow(start: int, rng: np.random.Generator) -> float:
        ended.append(start)
        return draw(start, rng)

    monkeypatch.setattr(parallel, "time", SimpleNamespace(monotonic=lambda: float(len(ended))))
    whole = multi_start(draw, 100, seed=7)
    with ThreadPoolExecutor(2) as pool:
        some = multi_start(slow, 100, seed=7, executor=pool if pooled else None, budget=4.0)
    assert 4 <= len(some) <= (5 if pooled else 4)
    assert all(whole[start] == value for start, value in some.items())


def test_one_start_runs_however_small_the_budget() -> None:
    assert list(multi_start(draw, 5, seed=7, budget=0.0)) == [0]
    with ThreadPoolExecutor(1) as pool:
        assert len(multi_start(slow_first, 5, seed=7, executor=pool, budget=0.0)) >= 1


@pytest.mark.parametrize("pooled", [False, True])
def test_no_start_begins_once_a_result_is_enough(pooled: bool) -> None:
    begun: list[int] = []

    def counting(start: int, rng: np.random.Generator) -> float:
        begun.append(start)
        return draw(start, rng)

    with ThreadPoolExecutor(1) as pool:
        some = multi_start(counting, 9, seed=7, executor=pool if pooled else None, enough=lambda value: value >= 2.0)
    assert begun == list(some) == [0, 1, 2]


def test_what_has_begun_is_waited_for_after_an_interruption() -> None:
    handed: dict[int, float] = {}
    under_way, interrupted = threading.Event(), threading.Event()

    def first_is_slow(start: int, rng: np.random.Generator) -> float:
        if start == 0:
            under_way.set()
        assert (under_way if start else interrupted).wait(60.0)
        return draw(start, rng)

    def interrupted_by_the_first(start: int, value: float) -> None:
        handed[start] = value
        if len(handed) == 1:
            interrupted.set()
            raise KeyboardInterrupt

    with ThreadPoolExecutor(2) as pool, pytest.raises(KeyboardInterrupt):
        multi_start(first_is_slow, 9, seed=7, executor=pool, on_finished=interrupted_by_the_first, patience=60.0)
    assert list(handed) == [1, 0], "start 0 was under way, and no other began"


def test_failures_are_raised() -> None:
    with pytest.raises(RuntimeError, match="start 0 failed"):
        multi_start(failing, 2, seed=0)
    with ThreadPoolExecutor(1) as pool, pytest.raises(RuntimeError, match="failed"):
        multi_start(failing, 2, seed=0, executor=pool)


def test_no_starts_is_an_error() -> None:
    with raises(ValueRangeError, 0, 1, name="starts"):
        multi_start(draw, 0, seed=0)


def test_work_that_no_other_process_can_have_is_refused_in_a_sentence() -> None:
    with ProcessPoolExecutor(1) as pool, raises(InputError, "importable"):
        multi_start(lambda start, rng: start, 2, seed=0, executor=pool)


INTERRUPTED_FORK = """
import os, signal, time
from dynident.core.parallel import multi_start, process_pool
from tests.facts import raises

main = os.getpid()

def interrupt():  # as Ctrl-C in this moment; Python ignores what such a callback raises
    os.kill(main, signal.SIGINT)

def work(start, rng):
    time.sleep(100.0)

os.register_at_fork(after_in_parent=interrupt)
try:
    with process_pool(2) as pool:
        multi_start(work, 2, seed=0, executor=pool)
except KeyboardInterrupt:
    print("interrupted")
"""


def test_ctrl_c_while_workers_are_forked_ends_them():
    done = subprocess.run([sys.executable, "-c", INTERRUPTED_FORK], check=False, capture_output=True, text=True, timeout=60)
    assert done.stdout == "interrupted\n"
    assert done.stderr == ""
