"""Virtual fleets of a small arm: robots of one model that differ a little, with logs of their own."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from dynident import load_robot
from dynident.data import Dataset
from dynident.dynamics import inverse_dynamics
from dynident.regression import Estimate, identify
from dynident.runs import run_in_memory
from dynident.runs.comparison import ComparedRun, observe
from tests.logs import synthetic_log

FRICTION = np.array([0.4, 0.7, 0.1])


def robot_log(
    seed: int, *, model: str = "planar_2r", worn: int | None = None, payload: float = 0.0, samples: int = 600, spread: float = 0.02
) -> Dataset:
    """Links differ by `spread`, friction by 10 %. worn : the joint with twice the Coulomb friction; payload : on the last link [kg]."""
    robot, rng = load_robot(model), np.random.default_rng(1000 + seed)
    assert robot.parameters is not None
    links = robot.parameters * (1.0 + spread * rng.normal(size=(robot.n, 1)))
    links[-1, 0] += payload
    links[-1, 1] += 0.3 * payload
    friction = FRICTION[:, None] * (1.0 + 0.1 * rng.normal(size=(3, robot.n)))
    if worn is not None:
        friction[1, worn] *= 2.0
    log = synthetic_log(robot, samples=samples, seed=seed)
    assert log.dq is not None
    assert log.ddq is not None
    fv, fc, fo = friction
    effort = inverse_dynamics(robot, links, log.q, log.dq, log.ddq) + fv * log.dq + fc * np.sign(log.dq) + fo
    return replace(log, effort=effort + 0.02 * rng.normal(size=effort.shape), source=f"robot {seed}", provenance=None)


@cache
def estimate_of(seed: int, worn: int | None = None, payload: float = 0.0, friction: str = "default") -> Estimate:
    from dynident.dynamics.friction import friction_model

    law = "default" if friction == "default" else friction_model(friction)
    return identify(load_robot("planar_2r"), robot_log(seed, worn=worn, payload=payload), friction=law, cutoff=None)


def compared(seed: int, **what: object) -> ComparedRun:
    return observe(run_in_memory(estimate_of(seed, **what)), f"robot {seed}")
