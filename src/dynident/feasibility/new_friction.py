"""Link parameters with friction that was fitted again: the links stay, and the friction is what they leave over of a new log."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dynident.errors import InputError
from dynident.feasibility.result import LinkParameters
from dynident.regression.estimate import Estimate
from dynident.regression.friction.hold_rigid import RigidModel, fit_friction_alone


def with_new_friction(links: LinkParameters, estimate: Estimate) -> LinkParameters:
    """The same links with the friction of the log of an estimate, whose friction model it is.

    estimate : of `refit_friction`, which carries the log.
    """
    problem, model = estimate.problem, estimate.base.friction
    if problem is None or model is None:
        raise InputError("the estimate doesn't carry the log that its friction was fitted to; fit it again")
    known = RigidModel(links=links.parameters, covariance=np.zeros((links.parameters.size, links.parameters.size)))
    fitted = fit_friction_alone(problem, model, known)
    note = f"the friction was fitted again to {estimate.summary.source}, with these links as they are"
    return replace(
        links,
        base=fitted.base,
        x=fitted.base.columns.join(links.parameters, fitted.friction_parameters),
        solutions=(),
        training=None,
        notes=(*links.notes, note),
        problem=None,
    )
