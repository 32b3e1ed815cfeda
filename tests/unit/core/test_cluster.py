"""Clusters: results and failures one by one, schedulers that are not there, and the extra that is missing."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from dynident.core import cluster
from dynident.core.cluster import each_completed, open_client, open_executor
from dynident.core.parallel import multi_start
from dynident.errors import InputError, MissingExtraError


def half(number: int) -> int:
    if number % 2:
        raise InputError(f"{number} is odd")
    return number // 2


def draw(start: int, rng: np.random.Generator) -> float:
    return start + float(rng.uniform())


def test_one_worker_is_this_process_and_needs_no_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with open_client(1) as client:
        found = list(each_completed(half, [4, 3, 6], client))
    assert client is None
    assert [item if isinstance(item, int) else str(item) for _, item in found] == [2, "3 is odd", 3]


def test_several_workers_without_the_extra_are_one_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(MissingExtraError, match=r'needs distributed, which is not installed; pip install "dynident\[cluster\]"'),
        open_client(2),
    ):
        pass


def test_a_scheduler_that_does_not_answer_is_one_sentence(monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr(cluster, "_PATIENCE", 0.2)
    with pytest.raises(InputError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:9"), open_executor(1, "tcp://127.0.0.1:9"):
        pass


def test_a_scheduler_gives_the_same_as_this_process():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None) as local:
        address = local.scheduler_address
        with open_client(1, address) as client:
            found = sorted(each_completed(half, [4, 3, 6], client), key=lambda pair: pair[0])
        with open_executor(1, address) as executor:
            assert multi_start(draw, 4, seed=7, executor=executor) == multi_start(draw, 4, seed=7)
    assert [item if isinstance(item, int) else str(item) for _, item in found] == [2, "3 is odd", 3]
