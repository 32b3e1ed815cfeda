"""Work on threads, whose results keep their order."""

from __future__ import annotations

import threading
import time

import pytest

from dynident.core.threads import map_in_order, thread_count
from dynident.errors import DynidentError
from tests.facts import raises


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_results_come_in_the_order_of_the_work(threads: int) -> None:
    def slow_first(item: int) -> int:
        time.sleep(0.01 if item == 0 else 0.0)
        return item * item

    assert list(map_in_order(slow_first, range(20), threads)) == [item * item for item in range(20)]


def test_several_threads_work_at_once() -> None:
    together = threading.Barrier(2, timeout=10.0)
    list(map_in_order(lambda _: together.wait(), range(4), 2))


def test_few_results_wait_however_many_there_are() -> None:
    begun: list[int] = []
    results = map_in_order(begun.append, range(1000), 2)
    next(results)
    time.sleep(0.05)
    assert len(begun) <= 6
    results.close()  # type: ignore[attr-defined]
    assert len(begun) <= 6


def test_an_error_of_the_work_is_raised() -> None:
    def refuse(item: int) -> int:
        if item == 3:
            raise ValueError("three")
        return item

    with pytest.raises(ValueError, match="three"):
        list(map_in_order(refuse, range(50), 2))


def test_the_environment_says_how_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "3,2")
    monkeypatch.delenv("DYNIDENT_THREADS", raising=False)
    assert thread_count() == 3
    monkeypatch.setenv("DYNIDENT_THREADS", "5")
    assert thread_count() == 5
    monkeypatch.setenv("DYNIDENT_THREADS", "many")
    with raises(DynidentError, "DYNIDENT_THREADS", "'many'"):
        thread_count()
    monkeypatch.delenv("DYNIDENT_THREADS")
    monkeypatch.setenv("OMP_NUM_THREADS", "")
    assert thread_count() >= 1
