"""Work on threads whose results come in the order of the work, so that sums over them don't depend on the number of threads."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from dynident.errors import ValueRangeError

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

#: Environment variables that say how many threads to use, the first of them that is set; that of OpenMP is what schedulers set.
VARIABLES = ("DYNIDENT_THREADS", "OMP_NUM_THREADS")


def thread_count() -> int:
    """As many as the environment says, else as the process may use processors."""
    for name in VARIABLES:
        text = os.environ.get(name, "").split(",")[0].strip()
        if text.isdigit() and int(text) > 0:
            return int(text)
        if text and name == VARIABLES[0]:
            raise ValueRangeError(f"environment variable {name}", f"is {text!r}; it must be a positive whole number")
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def map_in_order(function: Callable[[_Item], _Result], items: Iterable[_Item], threads: int) -> Iterator[_Result]:
    """function(item) of each item, in the order of the items; few results wait at a time, however many items there are."""
    if threads <= 1:
        yield from map(function, items)
        return
    with ThreadPoolExecutor(threads) as pool:
        waiting: deque[Future[_Result]] = deque()
        try:
            for item in items:
                waiting.append(pool.submit(function, item))
                if len(waiting) > 2 * threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()
