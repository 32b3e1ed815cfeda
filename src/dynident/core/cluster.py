"""Work on a Dask cluster (extra `cluster`): one of processes of its own on this machine, or any whose scheduler is named.

The cluster of one's own listens on 127.0.0.1 alone, has no dashboard, and asks for a certificate that is made for it: other users of the
machine can't use it. A process that ends while it works is replaced, and its work begun again.
"""

from __future__ import annotations

import logging
import signal
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from multiprocessing import resource_tracker
from typing import Any, TypeVar

from dynident.core.native_output import catch_native_errors
from dynident.core.parallel import process_pool
from dynident.errors import DynidentError, InputError, import_optional

Item = TypeVar("Item")
Result = TypeVar("Result")

_PURPOSE = "work on several processes"
#: Seconds for which a scheduler is waited for.
_PATIENCE = 10.0
#: Of a worker: numerical libraries have one thread, for there are as many workers as are wanted; memory that is free is given back from
#: 128 MB on, for the next robot wants as much again.
_ENVIRONMENT = {
    **dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), 1),
    "MALLOC_TRIM_THRESHOLD_": 1 << 27,
}
_SETTINGS: dict[str, Any] = {
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.worker.profile.enabled": False,  # what it keeps grows by a megabyte every few seconds
    "distributed.admin.large-graph-warning-threshold": "1GB",
    "distributed.nanny.pre-spawn-environ": _ENVIRONMENT,
}


class LostWorkError(DynidentError):
    """Work that ended its process every time that it was begun."""

    def __init__(self) -> None:
        super().__init__("the process that did this work ended again and again", remedy="look for a lack of memory, or do it by itself")


@contextmanager
def open_client(workers: int, scheduler: str | None = None) -> Generator[Any]:
    """A Dask client of the scheduler at an address, or of a cluster of so many processes of its own; None for one, which is this one."""
    if scheduler is None and workers == 1:
        yield None
        return
    distributed, dask = import_optional("distributed", _PURPOSE), import_optional("dask", _PURPOSE)
    if scheduler is not None:
        with _connect(distributed, scheduler) as client:
            yield client
        return
    import_optional("cryptography", _PURPOSE)
    with (
        dask.config.set(_SETTINGS),
        distributed.LocalCluster(
            loop=_start_loop(distributed),
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            scheduler_kwargs={"dashboard": False},
            security=True,
            memory_limit=0,
            silence_logs=logging.CRITICAL,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def _start_loop(distributed: Any) -> Any:
    """A loop in a thread of its own that Ctrl-C does not reach, nor the processes that are begun there: this process ends them."""
    with catch_native_errors([]):  # it would complain about what a process that is interrupted leaves to it
        resource_tracker.ensure_running()  # and let Ctrl-C through in the thread that first needs it
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        runner = distributed.utils.LoopRunner(asynchronous=False)
        runner.start()
        return runner.loop
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def open_executor(workers: int, scheduler: str | None = None) -> Generator[Executor | None]:
    """What `multi_start` takes: the workers of a scheduler, or a pool of so many processes; None for one."""
    if scheduler is None:
        with process_pool(workers) as pool:
            yield pool
        return
    with open_client(workers, scheduler) as client:
        yield client.get_executor(pure=False)


def each_completed(task: Callable[[Item], Result], items: Sequence[Item], client: Any) -> Iterator[tuple[int, Result | BaseException]]:
    """The number of an item and task(item) of it, or what it raised, in the order in which they are completed.

    client : of `open_client`; without one the work is done here, in the order of the items.
    """
    if client is None:
        for number, item in enumerate(items):
            yield number, _attempt(task, item)
        return
    distributed = import_optional("distributed", _PURPOSE)
    numbers = {client.submit(task, item, pure=False): number for number, item in enumerate(items)}
    for future in distributed.as_completed(list(numbers)):
        error = future.exception()
        lost = isinstance(error, distributed.KilledWorker)
        yield numbers.pop(future), future.result() if error is None else LostWorkError() if lost else error
        future.release()


def _attempt(task: Callable[[Item], Result], item: Item) -> Result | Exception:
    try:
        return task(item)
    except Exception as error:  # noqa: BLE001 (it is handed on, as one of another process is)
        return error


@contextmanager
def _connect(distributed: Any, address: str) -> Generator[Any]:
    try:
        client = distributed.Client(address, timeout=_PATIENCE)
    except (OSError, ValueError, TimeoutError) as error:
        told = str(error).partition("\n")[0]
        raise InputError(
            f"no Dask scheduler answers at {address} ({told})",
            remedy="start one with: dask scheduler, and workers with: dask worker ADDRESS",
        ) from None
    try:
        yield client
    finally:
        client.close()
