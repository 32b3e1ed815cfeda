"""Link parameters with friction that was fitted again: the links stay, and the friction is what they leave over of a new log."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dynident.core.arrays import Array
from dynident.core.linear_algebra import constrained_least_squares
from dynident.dynamics.friction.dissipation import opposing_inequalities
from dynident.errors import InputError, require
from dynident.links.result import LinkParameters
from dynident.regression.estimate import Estimate
from dynident.regression.friction.hold_rigid import RigidModel, fit_friction_alone, friction_places


def with_new_friction(links: LinkParameters, estimate: Estimate) -> LinkParameters:
    """The same links with the friction of the log of an estimate, whose friction model it is; it opposes the motion there.

    estimate : of `refit_friction`, which carries the log.
    """
    problem, model = estimate.problem, estimate.base.friction
    if problem is None or model is None:
        raise InputError("the estimate doesn't carry the log that its friction was fitted to; fit it again")
    known = RigidModel(links=links.parameters, covariance=np.zeros((links.parameters.size, links.parameters.size)))
    fitted = fit_friction_alone(problem, model, known)
    columns = fitted.base.columns
    friction, changed = _oppose_motion(fitted)
    notes = [f"the friction was fitted again to {estimate.summary.source}, with these links as they are"]
    if changed:
        which = ", ".join(f"{name} {rms:.2g} {unit}" for name, rms, unit in changed)
        notes.append(f"that friction opposes the motion at the speeds of the log costs, as RMS beside the best fit: {which}")
    return replace(
        links,
        base=fitted.base,
        x=columns.join(links.parameters, columns.friction(friction)),
        solutions=(),
        training=None,
        notes=(*links.notes, *notes),
        reached=fitted.reached,
        problem=None,
    )


def _oppose_motion(fitted: Estimate) -> tuple[Array, list[tuple[str, float, str]]]:
    """(p,) parameters whose friction opposes the motion, and by how much that of which joints differs from the best fit, with its unit."""
    base, problem, x, changed = fitted.base, fitted.require_problem(), fitted.standard.copy(), list[tuple[str, float, str]]()
    friction = require(base.friction, "the friction model")
    inequalities, of_friction = list(opposing_inequalities(friction, fitted.known_speeds)), friction_places(base)
    for j, (joint, group, factor) in enumerate(zip(base.robot.joints, problem.groups, problem.factors, strict=True)):
        mine = of_friction[group.columns]
        places = base.independent[group.columns[mine]]
        rows = [base.columns.join(np.zeros((base.robot.n, 10)), item.factors)[places] for item in inequalities if item.joint == j]
        G = np.array([row for row in rows if np.any(row)]).reshape(-1, len(places))
        best, A = x[places], factor[:, :-1][:, mine]
        if np.all(G @ best >= 0.0):
            continue
        x[places] = constrained_least_squares(A, A @ best, G)
        rms = float(np.linalg.norm(A @ (x[places] - best))) / np.sqrt(max(int(problem.counts[j]), 1))
        changed.append((joint.name, rms, joint.units.effort))
    return x, changed
