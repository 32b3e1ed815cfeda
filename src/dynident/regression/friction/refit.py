"""Friction that has changed since a robot was identified: fitted again to a new log, with the links as they were, and compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from dynident.core.arrays import Array
from dynident.core.kinds import NOT_STORED
from dynident.core.results import Result
from dynident.core.texts import short_number
from dynident.data import Dataset
from dynident.dynamics.friction.combined import linear
from dynident.dynamics.friction.model import FrictionModel
from dynident.errors import InputError
from dynident.regression.equations.base import base_parameters
from dynident.regression.estimate import Estimate
from dynident.regression.friction.change import JointChange, compare_friction
from dynident.regression.friction.choose import choose_friction, chosen_model
from dynident.regression.friction.fit_friction import change_friction
from dynident.regression.friction.hold_rigid import RigidModel, hold_links
from dynident.regression.friction.joined import join_data
from dynident.regression.identify import Auto, settle_filter
from dynident.regression.problem import Problem, problem_on_base
from dynident.regression.solution import residuals


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class FrictionRefit(Result):
    """Friction of a new log beside that of an estimate.

    estimate : Estimate  With the new friction; its links are as before.
    links_source : str   The data that the links, and the friction before, come from.
    uncompared : str     Why there is nothing to compare the new friction with; empty where there is.
    """

    estimate: Estimate = field(metadata=NOT_STORED)
    links_source: str
    changes: tuple[JointChange, ...]
    uncompared: str = ""

    @property
    def changed(self) -> tuple[str, ...]:
        """The joints whose friction has changed by more than noise."""
        return tuple(change.joint for change in self.changes if change.changed)

    @property
    def sentence(self) -> str:
        """What has changed, in words."""
        if self.uncompared:
            return f"Nothing was compared: {self.uncompared}."
        if not self.changed:
            return "The friction of no joint has changed by more than noise."
        largest = max((change for change in self.changes if change.changed), key=lambda change: change.percent or 0.0)
        most = f", most that of {largest.joint}" if len(self.changed) > 1 else ""
        share = "" if largest.percent is None else f", {short_number(largest.percent)} % of what it was"
        size = short_number(largest.rms or 0.0)
        return f"The friction of {', '.join(self.changed)} has changed by more than noise{most} ({size} {largest.unit}{share})."


def refit_friction(
    estimate: Estimate,
    data: Dataset,
    *,
    model: FrictionModel | Auto | None = None,
    cutoff: float | Auto | None = "auto",
    rate: float | None = None,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> FrictionRefit:
    """Friction of a new log with the links of an estimate.

    Parameters
    ----------
    estimate
        What `identify` returned.
    data
        The new log.
    model
        By default the one that the estimate has, its shapes fitted again; "auto" chooses one per joint.
    cutoff, rate
        Of the filter, as in `build_problem`; "auto" are those of the estimate, and of links from a controller's M and g what is usual for
        such a log.
    seed
        Of the starts of the fits.
    progress
        Called now and then with the share that is done, 0 to 1.

    Returns
    -------
    FrictionRefit
        The new friction, and whether it differs by more than noise.
    """
    base = estimate.base
    cutoff, rate, chosen = settle_filter(estimate, data, cutoff, rate)
    if base.equations in ("gravity", "inertia"):
        missing = "inertia" if base.equations == "gravity" else "gravity"
        raise InputError(f"the estimate doesn't know the {missing} of the links, which would be taken for friction; identify both")
    if base.columns.of_extra:
        raise InputError("the model has columns of its own, which a new log doesn't tell; identify it again with them")
    rigid = RigidModel.of(estimate)
    first = linear() if model == "auto" or base.friction is None else base.friction
    problem = problem_on_base(base_parameters(base.robot, friction=first, known=base.known), data, cutoff=cutoff, rate=rate)
    problem = replace(problem, notes=(*chosen, *problem.notes))
    choice = None
    if model == "auto":
        choice = choose_friction(problem, rigid=rigid.coefficients(problem.base)[0], seed=seed, progress=progress)
        model = chosen_model(choice)
    spread = hold_links(problem, model or first, rigid, seed=seed)
    after = replace(spread.include(rigid.coefficients(spread.estimate.base)[1]), choice=choice)
    after = replace(after, joined=join_data(estimate, after))
    if estimate.provenance is not None and (share := data.used.overlap(estimate.provenance)) > 0.0:
        same = f"{100.0 * share:.3g} % of the samples are those that the links were identified from, so that no change can show in them"
        after = replace(after, notes=(same, *after.notes))
    uncompared = _why_uncompared(estimate)
    changes = compare_friction(estimate, spread, after, _errors(estimate, problem), compared=not uncompared)
    return FrictionRefit(estimate=after, links_source=estimate.summary.source, changes=changes, uncompared=uncompared)


def _why_uncompared(before: Estimate) -> str:
    """Why the friction of an estimate can't be compared with another; empty where it can."""
    if before.base.friction is None:
        return f"the links ({before.summary.source}) came without friction"
    if before.shapes and before.shape_covariance is None:
        return "the friction before comes from a version of dynident that didn't store how certain its shapes are; identify again"
    return ""


def _errors(estimate: Estimate, problem: Problem) -> Array:
    """(n,) RMS of what the whole model of an estimate leaves of the rows of another log."""
    if estimate.base.friction is None:
        return residuals(problem, RigidModel.of(estimate).coefficients(problem.base)[0]).rms_per_group
    same = change_friction(problem, estimate.base.friction)
    return residuals(same, same.base.grouping @ estimate.standard).rms_per_group
