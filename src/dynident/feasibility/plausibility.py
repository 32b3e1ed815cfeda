"""Would a person believe these links? What no solver asks: do they explain the data, and is this an arm of that size?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from dynident.core.arrays import Array
from dynident.feasibility.constraints.regions import arm_reach
from dynident.feasibility.constraints.terms import Terms
from dynident.feasibility.prior import link_span
from dynident.feasibility.problem import RetrievalProblem
from dynident.feasibility.solvers.conic import ConicStatus
from dynident.parameters import link_inertia
from dynident.regression.equations.base import BaseParameters

#: Links whose error on the data of the fit is this many times that of the coefficients, and this much larger in percent of the effort,
#: are not the robot's.
FAR_ABOVE, CLEARLY = 2.0, 1.0
#: A total mass beyond this factor of the nominal one.
MASS_FACTOR = 3.0
#: How far from the span between its joints a link may reach, as a share of the arm's reach.
BEYOND_SPAN = 0.2


def explains_badly(fitted_percent: float, links_percent: float) -> bool:
    """Whether links leave far more of the effort unexplained than the coefficients do on the same data."""
    return links_percent > FAR_ABOVE * fitted_percent and links_percent > fitted_percent + CLEARLY


def find_costliest(problem: RetrievalProblem) -> str:
    """Of the prior and each kind of constraint, the one without which the data are explained best."""
    blocks = problem.terms.blocks
    kinds = dict.fromkeys(block.name.split(" of ")[0] for block in blocks)
    others = {kind: replace(problem.terms, blocks=tuple(b for b in blocks if b.name.split(" of ")[0] != kind)) for kind in kinds}
    tried = {kind: replace(problem, terms=terms) for kind, terms in others.items()}
    if problem.prior is not None:
        tried["the prior"] = replace(problem, prior=None)
    if problem.terms.equalities:
        tried["what is known or held equal"] = replace(problem, terms=replace(problem.terms, equalities=()))
    errors = {name: _error_without(item) for name, item in tried.items()}
    return min(errors, key=lambda name: errors[name]) if errors else "the model"


def _error_without(problem: RetrievalProblem) -> float:
    relaxed = replace(problem, terms=Terms(blocks=problem.terms.blocks, equalities=problem.terms.equalities)).relaxed
    return problem.objective.value(relaxed.x) if relaxed.status is ConicStatus.SOLVED else np.inf


def doubts(base: BaseParameters, parameters: Array) -> Iterator[str]:
    """What no arm like this robot can be, in sentences."""
    robot = base.robot
    mass = float(parameters[:, 0].sum())
    nominal = None if robot.parameters is None else float(robot.parameters[:, 0].sum())
    if nominal is not None and nominal > 0.0 and not nominal / MASS_FACTOR <= mass <= MASS_FACTOR * nominal:
        yield f"the links weigh {mass:.3g} kg in all, and the nominal ones {nominal:.3g} kg; one of the two is wrong"
    room = BEYOND_SPAN * arm_reach(robot)
    if room == 0.0:
        return
    outside: list[str] = []
    wide: list[str] = []
    for i, name in enumerate(robot.link_names):
        body = link_inertia(parameters[i], name)
        if body.mass <= 0.0:
            continue
        low, high = link_span(robot, i)
        if np.any(body.com < low - room) or np.any(body.com > high + room):
            outside.append(name)
        # of a body, the trace of the inertia is twice its second moment, and a body that fills a box has at most half the diagonal
        gyration = float(np.sqrt(max(np.trace(body.inertia), 0.0) / (2.0 * body.mass)))
        if gyration > 0.5 * float(np.linalg.norm(high - low + 2.0 * room)):
            wide.append(name)
    if outside:
        yield f"the centre of mass of {', '.join(outside)} lies outside of the link"
    if wide:
        yield f"the inertia of {', '.join(wide)} is that of a body larger than the link"
