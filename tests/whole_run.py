"""Results of all stages of a run, of a small robot."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from dynident import load_robot, regression
from dynident.data import EffortKind
from dynident.dynamics.friction import linear
from dynident.links import retrieval_problem, solve_retrieval
from dynident.links.ranges import with_ranges
from dynident.regression import Estimate, build_problem, refit_friction
from dynident.routes.payload import Declared, identify_payload
from dynident.routes.signs import SignRecovery, recover_signs
from dynident.runs import Run, Stage, StageContent
from dynident.validation import validate
from dynident.validation.monitoring import contact_monitor
from tests.logs import synthetic_log


@cache
def all_stages(*, noise: float = 0.1, seed: int = 1) -> dict[str, Any]:
    """By the names of `save_run`."""
    problem = build_problem(load_robot("planar_2r"), synthetic_log(noise=noise, seed=seed), friction=linear(), cutoff=5.0)
    estimate = regression.estimate(problem)
    links = with_ranges(solve_retrieval(retrieval_problem(estimate, total_mass=(0.1, 50.0))))
    # as if the log had come without its signs, and as if the estimate had got its friction from another one
    signs = replace(_signs(), estimate=estimate, links=links)
    friction = replace(refit_friction(estimate, synthetic_log(noise=0.1, seed=6)), estimate=estimate)
    return {
        "estimate": estimate,
        "signs": signs,
        "parameters": links,
        "validation": validate(estimate, synthetic_log(noise=0.1, seed=4), links=links, folds=3),
        "samples": links.sample(20),
        "payload": carried(estimate),
        "friction": friction,
        "monitor": contact_monitor(estimate, synthetic_log(noise=0.1, seed=7), links=links),
    }


@cache
def _signs() -> SignRecovery:
    log = synthetic_log(noise=0.1)
    unsigned = replace(log, effort=np.abs(log.effort), effort_kind=EffortKind.MAGNITUDE)
    return recover_signs(load_robot("planar_2r"), unsigned, friction=linear())


def carried(estimate: Estimate) -> Any:
    """A payload of another log."""
    return identify_payload(estimate, synthetic_log(noise=0.1, seed=5), declared=Declared(mass=0.3, com=(0.0, 0.1, 0.0)))


def exchange(run: Run, **results: Any) -> Run:
    """The run with other results, by the names of their stages; None for one that goes."""
    contents = {stage: item for stage, item in run.contents.items() if results.get(stage.key, item) is not None}
    new = {Stage[name.upper()]: result for name, result in results.items() if result is not None}
    return replace(run, contents={**contents, **{stage: StageContent(result=result) for stage, result in new.items()}})
