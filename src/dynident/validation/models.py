"""The models that are compared: the coefficients, link parameters that were retrieved from them, and the nominal ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from dynident.core.arrays import Array, check_array
from dynident.data import Dataset, EffortKind
from dynident.data.signals.agreement import smooth_motion
from dynident.errors import InputError, require
from dynident.regression.equations.base import base_parameters
from dynident.regression.estimate import Estimate, Residuals
from dynident.regression.prepare import even_clock, match_log, usual_cutoff

#: Keys of the models, in the order in which they are shown.
COEFFICIENTS, LINKS, NOMINAL = "coefficients", "links", "nominal"
#: What follows a model's key when its friction is left out.
RIGID = "_rigid"


class LinkModel(Protocol):
    """What a retrieval gives, or a model of the links from elsewhere."""

    @property
    def parameters(self) -> Array:
        """(n, 10) linear parameters in the named frames."""
        ...

    @property
    def friction_parameters(self) -> Array | None:
        """(n, k) parameters of the friction model, None without one."""
        ...

    @property
    def covariance(self) -> Array | None:
        """(p, p) of the standard columns, links and then friction; None where it is not known, and then there is no band."""
        ...

    @property
    def doubts(self) -> tuple[str, ...]:
        """Why the links are not those of such an arm, however well they fit."""
        ...


@dataclass(frozen=True, kw_only=True, eq=False)
class NewtonEuler:
    """A model that is evaluated by the recursive Newton-Euler algorithm.

    links : (n, 10); friction : (n, k) or None; covariance : (b, b) or None, of the base parameters.
    """

    name: str
    links: Array
    friction: Array | None
    covariance: Array | None = None


def sign_as_predicted(estimate: Estimate, data: Dataset) -> Dataset:
    """A log of magnitudes as one of torques, with the signs of the estimate's prediction along the smoothed motion.

    |measured| - |predicted| is then measured - predicted, but for a sign that does not matter.
    """
    matched = match_log(estimate.base.robot, data)
    log = even_clock(matched)
    effort = log.require("effort")
    predicted = estimate.predict(smooth_motion(log, usual_cutoff(log.rate)))
    return log.after("signs as predicted", effort=np.where(predicted < 0.0, -effort, effort), effort_kind=EffortKind.TORQUE)


def newton_euler_models(estimate: Estimate, links: LinkModel | None) -> tuple[NewtonEuler, ...]:
    """Those beside the coefficients. A description has no friction of its own, so the nominal links get the identified one:
    the difference that is left is that of the links."""
    robot, K = estimate.base.robot, estimate.base.grouping
    models: list[NewtonEuler] = []
    if links is not None:
        spread, p = links.covariance, K.shape[1]
        if spread is not None:
            spread = K @ check_array("covariance", spread, (p, p), f"({p}, {p}) = (columns, columns)") @ K.T
        models.append(NewtonEuler(name=LINKS, links=links.parameters, friction=links.friction_parameters, covariance=spread))
    if robot.parameters is not None:
        models.append(NewtonEuler(name=NOMINAL, links=robot.parameters, friction=estimate.friction_parameters))
    return tuple(models)


def as_torque_model(estimate: Estimate, links: LinkModel | None = None) -> Estimate:
    """The estimate in the base parameters of the torque equations, where it was made from the controller's M and g.

    M and g determine the torque of every motion, c(q, dq) through the Christoffel symbols of M. The map between the two
    sets of base parameters is linear, so the covariance follows. An estimate of only one of the two knows too little, and
    where there are links, as after a retrieval in two steps, the coefficients are theirs, without a covariance.
    """
    base = estimate.base
    if base.equations == "torque":
        return estimate
    if base.equations != "controller" and links is None:
        other = "gravity" if base.equations == "inertia" else "inertia"
        both = f"identify its {other} too, or retrieve its links with gravity held"
        raise InputError(f"the estimate knows the robot's {base.equations} only, so it can't predict torques", remedy=both)
    torque = base_parameters(base.robot, known=base.known)
    none = Residuals(names=(), counts=estimate.residuals.counts[:0], squares=estimate.values[:0], totals=estimate.values[:0])
    if base.equations == "controller":
        map_to_torque = torque.grouping[:, base.independent]
        values, covariance = map_to_torque @ estimate.values, map_to_torque @ estimate.covariance @ map_to_torque.T
    else:
        values, covariance = torque.coefficients(require(links, "links").parameters), np.zeros((torque.rank, torque.rank))
    return replace(
        estimate,
        base=torque,
        values=values,
        covariance=covariance,
        kept=values != 0.0,
        dropped=(),
        residuals=none,
    )
