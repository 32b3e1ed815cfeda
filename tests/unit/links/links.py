"""Random links, consistent or not, for the tests of constraints and solvers."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from dynident import Robot, load_robot
from dynident.regression import base_parameters
from dynident.regression.equations.columns import Columns
from dynident.robots.parameters import from_com

ROBOT = load_robot("spatial_3r")
COLUMNS: Columns = base_parameters(ROBOT).columns

seeds = st.integers(min_value=0, max_value=2**32 - 1)


def random_links(rng: np.random.Generator, n: int = ROBOT.n, *, spread: float = 0.3) -> np.ndarray:
    """(10 n,) links with positive masses; about half of the inertias break the triangle inequality."""
    mass = rng.uniform(0.1, 5.0, n)
    com = rng.uniform(-spread, spread, (n, 3))
    turns = np.linalg.qr(rng.normal(size=(n, 3, 3)))[0]
    principal = rng.uniform(-0.005, 0.1, (n, 3))
    return from_com(mass, com, np.einsum("nik,nk,njk->nij", turns, principal, turns)).ravel()


def consistent_links(rng: np.random.Generator, n: int = ROBOT.n) -> np.ndarray:
    """(10 n,) links that are three point masses and a ball, and so bodies that can exist."""
    total = np.zeros((n, 10))
    for _ in range(4):
        mass, place = rng.uniform(0.1, 2.0, n), rng.uniform(-0.2, 0.2, (n, 3))
        ball = np.broadcast_to(np.eye(3), (n, 3, 3)) * (mass * 1e-3)[:, None, None]
        total += from_com(mass, place, ball)
    return total.ravel()


def robot_with(parameters: np.ndarray) -> Robot:
    return ROBOT.with_parameters(parameters)
