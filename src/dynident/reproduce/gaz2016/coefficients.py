"""Section II: how many gravity and inertia coefficients there are, and which parameters are in them."""

from __future__ import annotations

from typing import Any

import numpy as np

from dynident.core.arrays import Array, BoolArray
from dynident.dynamics import lagrangian_dynamics
from dynident.links.solvers.search.box import from_standard, to_standard
from dynident.motions.simulation import random_configurations
from dynident.regression import BaseParameters, base_parameters
from dynident.reproduce.claim import COUNTED, Claim
from dynident.reproduce.experiment import ExperimentOutcome, PaperExperiment, Setting
from dynident.reproduce.gaz2016.published import gravity_rows
from dynident.robots import load_robot

KEY = "gaz2016"
#: Singular values below this share of the largest are rounding; the next ones are a million times larger.
_RANK = 1e-10


def run(setting: Setting) -> ExperimentOutcome:
    """Ranks of the regressors by two independent kernels, and the parameters that any coefficient depends on."""
    robot = load_robot("kuka_lwr4")
    bases = {name: base_parameters(robot, equations=name) for name in ("gravity", "inertia", "controller")}
    ranks = _lagrangian_ranks()
    printed_rows, _ = gravity_rows(bases["gravity"].columns.names)
    spanned = int(np.linalg.matrix_rank(np.concatenate([printed_rows, bases["gravity"].grouping])))
    p = from_standard(np.asarray(robot.parameters).ravel(), robot.n)
    unknowns = {name: _matter(base, p) for name, base in bases.items()}

    def count(place: str, quantity: str, published: int, ours: int, **more: Any) -> Claim:
        return Claim(paper=KEY, place=place, quantity=quantity, published=published, ours=ours, **COUNTED, **more)

    how = (
        f"the regressor of the 28 elements of M at random configurations has rank {ranks['inertia']} by Newton-Euler and by Lagrange: "
        "52 columns of it can't be independent"
    )
    claims = [
        count("Section II-C", "gravity coefficients", 12, bases["gravity"].rank),
        count("eq. (8)", "rank of the printed combinations together with ours", 12, spanned),
        count("Section II-C", "independent inertia coefficients", 52, bases["inertia"].rank, implied=ranks["inertia"], reason=how),
        count("Section II-C", "coefficients of gravity and inertia together", 43, bases["controller"].rank, origin="prototype"),
        count("eq. (13)", "parameters in the gravity coefficients", 23, int(unknowns["gravity"].sum())),
        count("eq. (14)", "parameters in the inertia coefficients", 64, int(unknowns["inertia"].sum())),
        count("Section II-C", "inertia elements in the inertia coefficients", 37, int(unknowns["inertia"][:, 4:].sum())),
    ]
    return ExperimentOutcome(claims=tuple(claims))


def _matter(base: BaseParameters, p: Array) -> BoolArray:
    """(n, 10) whether any coefficient depends on a mass, a centre of mass or a barycentric inertia; p : (10 n,) all of them."""
    links, step = base.robot.n, 1e-4
    moved = [base.coefficients(to_standard(p + e, links)) - base.coefficients(to_standard(p - e, links)) for e in step * np.eye(len(p))]
    return (np.abs(moved).max(axis=1) > 1e-8 * step).reshape(links, 10)


def _lagrangian_ranks() -> dict[str, int]:
    """Of the regressors of g and of M by the readable kernel, which shares nothing with the compiled ones."""
    robot = load_robot("kuka_lwr4")
    Y = lagrangian_dynamics.inertia_gravity_regressor(robot, random_configurations(robot, 60, seed=1))
    n = robot.n
    parts = {"inertia": Y[:, :-n], "gravity": Y[:, -n:]}
    sizes = {name: np.linalg.svd(part.reshape(-1, Y.shape[-1]), compute_uv=False) for name, part in parts.items()}
    return {name: int(np.sum(size > _RANK * size[0])) for name, size in sizes.items()}


EXPERIMENT = PaperExperiment(key="coefficients", title="coefficients and their number", run=run)
