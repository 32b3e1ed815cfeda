"""Work on processes of this machine, or on the workers of a Dask scheduler (extra `cluster`)."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any, TypeVar

from dynident.core.parallel import collect, process_pool
from dynident.errors import DynidentError, InputError, import_optional, require

Item = TypeVar("Item")
Result = TypeVar("Result")

#: Seconds for which a scheduler is waited for.
_PATIENCE = 10.0


class LostWorkError(DynidentError):
    """Work that ended its process, also where nothing else was done beside it."""

    def __init__(self) -> None:
        super().__init__("the process that did this work ended again and again", remedy="look for a lack of memory, or do it by itself")


@contextmanager
def open_executor(workers: int, scheduler: str | None = None) -> Generator[Executor | None]:
    """What `multi_start` takes: the workers of a scheduler, or a pool of so many processes; None for one."""
    if scheduler is None:
        with process_pool(workers) as pool:
            yield pool
        return
    with _connect(scheduler) as client:
        yield client.get_executor(pure=False)


def for_each(
    task: Callable[[Item], Result],
    items: Sequence[Item],
    hand_over: Callable[[int, Result | BaseException], object],
    workers: int = 1,
    scheduler: str | None = None,
) -> None:
    """Call hand_over with the number of an item and task(item) of it, or what it raised, in the order in which they are completed.

    workers : processes of this machine; with one, the work is done here, in the order of the items.
    scheduler : address of a Dask scheduler, whose workers are taken in their place.
    """
    if scheduler is not None:
        _on_scheduler(task, items, hand_over, scheduler)
    elif workers > 1:
        _on_processes(task, items, hand_over, workers)
    else:
        for number, item in enumerate(items):
            hand_over(number, _attempt(task, item))


def _on_processes(task: Callable[[Item], Result], items: Sequence[Item], hand_over: Callable[[int, Any], object], workers: int) -> None:
    """A process that is killed takes the pool with it: what was being done then is done again, each item alone in a pool of its own."""
    waiting, begun = list(range(len(items))), list[int]()

    def done(number: int, result: Result | BaseException) -> None:
        waiting.remove(number)
        hand_over(number, result)

    def begin(number: int) -> Future[Any]:
        begun.append(number)
        return pool.submit(_attempt, task, items[number])

    while waiting:
        suspects = [number for number in begun if number in waiting]
        queue = suspects[:1] or list(waiting)
        with process_pool(workers) as opened:
            pool = require(opened, "a pool of processes")
            try:
                collect(queue, begin, done, workers)
            except BrokenProcessPool:
                if suspects:
                    done(queue[0], LostWorkError())


def _on_scheduler(task: Callable[[Item], Result], items: Sequence[Item], hand_over: Callable[[int, Any], object], scheduler: str) -> None:
    with _connect(scheduler) as client:
        distributed = import_optional("distributed", "work on a cluster")
        numbers = {client.submit(task, item, pure=False): number for number, item in enumerate(items)}
        for future in distributed.as_completed(list(numbers)):
            error = future.exception()
            lost = isinstance(error, distributed.KilledWorker)
            hand_over(numbers.pop(future), future.result() if error is None else LostWorkError() if lost else error)
            future.release()


def _attempt(task: Callable[[Item], Result], item: Item) -> Result | Exception:
    try:
        return task(item)
    except Exception as error:  # noqa: BLE001 (it is handed on, as one of another process is)
        return error


@contextmanager
def _connect(address: str) -> Generator[Any]:
    distributed = import_optional("distributed", "work on a cluster")
    try:
        client = distributed.Client(address, timeout=_PATIENCE)
    except (OSError, ValueError, TimeoutError) as error:
        reason = str(error).partition("\n")[0]
        raise InputError(
            f"no Dask scheduler answers at {address} ({reason})",
            remedy="start one with: dask scheduler, and workers with: dask worker ADDRESS",
        ) from None
    try:
        yield client
    finally:
        client.close()
