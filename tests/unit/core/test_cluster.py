"""Clusters: results and failures one by one, schedulers that are not there, and the extra that is missing."""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

import numpy as np
import pytest

from dynident.core import cluster
from dynident.core.cluster import LostWorkError, for_each, open_executor
from dynident.core.parallel import multi_start
from dynident.errors import InputError, MissingExtraError
from tests.facts import raises
from tests.logs import synthetic_log

#: A scheduler that is asked for no address looks for that of this machine, which has one only where it has a network.
HERE = {"protocol": "tcp", "host": "127.0.0.1"}


HALVES = {0: 2, 1: "3 is odd", 2: 3}


def half(number: int) -> int:
    if number % 2:
        raise InputError(f"{number} is odd")
    return number // 2


def end_at_three(number: int) -> int:
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def outcomes(*arguments: Any) -> dict[int, Any]:
    """What came of each item, by its number."""
    found: dict[int, Any] = {}
    for_each(half, [4, 3, 6], found.__setitem__, *arguments)
    return {number: item if isinstance(item, int) else str(item) for number, item in found.items()}


def draw(start: int, rng: np.random.Generator) -> float:
    return start + float(rng.uniform())


def test_one_worker_is_this_process_and_needs_no_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert outcomes() == HALVES


def test_several_workers_need_no_extra_and_give_the_same(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert outcomes(2) == HALVES


def test_work_that_ends_its_process_is_lost_and_takes_no_other_with_it():
    found: dict[int, Any] = {}
    for_each(end_at_three, [4, 3, 6, 8], found.__setitem__, 2)
    assert {number: item for number, item in found.items() if number != 1} == {0: 4, 2: 6, 3: 8}
    assert isinstance(found[1], LostWorkError)


def test_a_scheduler_without_the_extra_is_one_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        raises(MissingExtraError, "distributed", '"dynident[cluster]"'),
        open_executor(1, "tcp://127.0.0.1:9"),
    ):
        pass


@pytest.mark.network
def test_a_scheduler_that_does_not_answer_is_one_sentence(monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr(cluster, "_PATIENCE", 0.2)
    with raises(InputError, "Dask", "tcp://127.0.0.1:9"), open_executor(1, "tcp://127.0.0.1:9"):
        pass


@pytest.mark.network
def test_a_scheduler_gives_the_same_as_this_process():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0", **HERE) as local:
        address = local.scheduler_address
        assert outcomes(1, address) == HALVES
        with open_executor(1, address) as executor:
            assert multi_start(draw, 4, seed=7, executor=executor) == multi_start(draw, 4, seed=7)


@pytest.mark.network
def test_multi_starts_of_the_verbs_are_the_same_on_a_scheduler():
    """Retrieval, the search for signs and the design of a trajectory."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0", **HERE) as local,
        open_executor(1, local.scheduler_address) as executor,
    ):
        assert executor is not None
        for compute in (_retrieved, _signs, _designed):
            np.testing.assert_array_equal(compute(executor), compute(None))


def _retrieved(executor):
    from dynident import identify, load_robot
    from dynident.links import SolverOptions, retrieval_problem, solve_retrieval

    problem = retrieval_problem(identify(load_robot("pendulum_1r"), synthetic_log("pendulum_1r", samples=300, noise=0.01), cutoff=None))
    return solve_retrieval(problem, solver="barrier", options=SolverOptions(starts=2, seed=3, executor=executor)).x


def _signs(executor):
    from dataclasses import replace

    from dynident import load_robot, recover_signs
    from dynident.data import EffortKind

    log = synthetic_log("pendulum_1r", samples=600, noise=0.01)
    unsigned = replace(log, effort=np.abs(log.effort), effort_kind=EffortKind.MAGNITUDE)
    return recover_signs(load_robot("pendulum_1r"), unsigned, options={"starts": 150}, executor=executor).segment_signs


def _designed(executor):
    from dynident import design_trajectory, load_robot
    from dynident.dynamics.friction import linear
    from dynident.motions.limits.limits import Limits

    limits = Limits(position=[[-2, 2]], velocity=[2], acceleration=[9], effort=[np.inf])
    robot, options = load_robot("pendulum_1r"), {"duration": 4.0, "starts": 2, "iterations": 2, "executor": executor}
    found = design_trajectory(robot, friction=linear(), limits=limits, **options)
    return found.trajectory.sample(np.linspace(0.0, 4.0, 9)).q
