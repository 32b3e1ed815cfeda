"""The payload as one rigid body: the most probable one that can exist, certified like any other link.

It is retrieved as the only link of a robot without an arm, so that constraints, priors, solvers and certificates are those of every
retrieval. Its prior is a ball around the flange, known to about a factor of three, of the mass that the data say and of the radius that
makes them most probable. It decides what the data leave open, and hardly more: it holds the mass to 220 % and its centre to 70 % of the
radius. A ball of another mass that makes the data still more probable is often too light, and then too sure of the inertia.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np

from dynident.core.arrays import Array
from dynident.links.constraints.convex import PhysicalConsistency
from dynident.links.constraints.terms import FeasibleSet
from dynident.links.objective import Objective
from dynident.links.posterior import evidence
from dynident.links.prior import NominalPrior
from dynident.links.problem import RetrievalProblem, build_retrieval
from dynident.links.retrieve import edge_of
from dynident.regression.equations.base import BaseParameters
from dynident.robots.kinematics import translation
from dynident.robots.parameters import PARAMETERS_PER_LINK, from_com
from dynident.robots.parameters.link_metric import weight_of
from dynident.robots.robot import Joint, Link, Robot
from dynident.routes.payload.difference import LoadDifference

#: Masses [kg], where the data don't tell it, and radii [m] of the balls that are tried, on an ordinary arm.
MASSES = tuple(0.05 * 4.0**k for k in range(6))
RADII = (0.05, 0.1, 0.2, 0.4)
#: To which factor the prior's ball is known.
FACTOR = 3.0


def payload_problem(difference: LoadDifference, length: float) -> RetrievalProblem:
    """The ten parameters of a rigid body at the flange that the data make most probable, to be solved with `solve_retrieval`.

    length : of the arm that carries it, as `length_unit` has it [m].
    """
    whitening = np.linalg.inv(np.linalg.cholesky(difference.covariance))
    goal = Objective(
        name="squared distance to what the logs say, in standard deviations",
        A=whitening @ difference.directions,
        b=whitening @ difference.values,
        noise=float(len(difference.values)),
    )
    base = _flange_body(length)
    constraints = FeasibleSet((PhysicalConsistency(margin=edge_of(base, goal)),))
    plain = build_retrieval(base, goal, constraints)
    masses = plain.unit * np.array(MASSES) if difference.mass is None else [max(difference.mass[0], 2.0 * difference.mass[1])]
    balls = [ball_prior(float(mass), length * radius) for mass, radius in product(masses, RADII)]
    prior = min(balls, key=lambda item: evidence(replace(plain, prior=item)))
    return build_retrieval(plain.base, goal, constraints, prior=prior)


def ball_prior(mass: float, radius: float) -> NominalPrior:
    """Toward a homogeneous ball around the origin of the flange frame."""
    ball = from_com(mass, np.zeros(3), 0.4 * mass * radius**2 * np.eye(3))
    toward = f"the mass, place and size of a ball of {mass:.2g} kg and a radius of {100.0 * radius:.3g} cm around the flange"
    return NominalPrior(nominal=ball[None], weight=weight_of(FACTOR), fixed=True, toward=toward)


def prior_covariance(prior: NominalPrior) -> Array:
    """(10, 10) of the ten parameters by the prior alone."""
    rows, _ = prior.rows(PARAMETERS_PER_LINK)
    return np.asarray(np.linalg.inv(rows.T @ rows), dtype=float)


@cache
def _flange_body(length: float) -> BaseParameters:
    """The body as the only link of a robot of that reach."""
    link = Link(name="payload", frame="flange frame")
    robot = Robot(name="payload", joints=(Joint(name="flange"),), links=(link,), tool=translation([0.0, 0.0, length]))
    return BaseParameters(
        robot=robot,
        friction=None,
        equations="torque",
        independent=np.arange(PARAMETERS_PER_LINK),
        grouping=np.eye(PARAMETERS_PER_LINK),
        known={},
    )
