"""Friction that has changed since a robot was identified: fitted again to a new log, with the links as they were, and compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dynident.core.arrays import Array
from dynident.core.figures import Figure
from dynident.core.results import Report, Result, Row, Table, short_number
from dynident.data import Dataset
from dynident.errors import InputError
from dynident.friction.combined import linear
from dynident.friction.model import FrictionModel, Motion
from dynident.regression.equations.base import base_parameters
from dynident.regression.estimate import Estimate
from dynident.regression.friction.choose import choose_friction, chosen_model
from dynident.regression.friction.hold_rigid import RigidModel, fit_friction_alone
from dynident.regression.identify import Auto
from dynident.regression.problem import Problem, problem_on_base
from dynident.regression.solution import residuals
from dynident.regression.tables import value_text

#: Speeds, as shares of a joint's largest in the new log, at which friction before and after are compared.
_SHARES = np.array([-1.0, -0.6, -0.3, -0.1, 0.1, 0.3, 0.6, 1.0])
#: A change is more than noise where chance alone would make one as large in less than this share of cases.
SIGNIFICANT = 0.01


@dataclass(frozen=True, kw_only=True, eq=False)
class JointChange:
    """Friction of one joint before and after.

    speeds : (s,)              At which both are compared [rad/s | m/s].
    before, after : (s,)       Friction torque there, at constant speed [N·m | N].
    std : (s,)                 Of their difference.
    deviations : float         The change as a whole in standard deviations: what a change as improbable would be of one number.
    changed : bool             Whether it is more than noise.
    error_before, error_after  RMS of what the model leaves of the new log with either friction [N·m | N].
    parameters : rows          (name, unit, before, its std, after, its std) of those that both models have.
    """

    joint: str
    unit: str
    speeds: Array
    before: Array
    after: Array
    std: Array
    deviations: float
    changed: bool
    error_before: float
    error_after: float
    parameters: tuple[tuple[str, str, float, float, float, float], ...]

    @property
    def rms(self) -> float:
        """Change of the friction torque over these speeds [N·m | N]."""
        return float(np.sqrt(np.mean((self.after - self.before) ** 2)))

    @property
    def percent(self) -> float:
        """The same as a share of what it was."""
        return 100.0 * self.rms / max(float(np.sqrt(np.mean(self.before**2))), np.finfo(float).tiny)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class FrictionRefit(Result):
    """Friction of a new log beside that of an estimate. after : the estimate with the new friction, its links as before."""

    before: Estimate
    after: Estimate
    changes: tuple[JointChange, ...]

    @property
    def changed(self) -> tuple[str, ...]:
        """The joints whose friction has changed by more than noise."""
        return tuple(change.joint for change in self.changes if change.changed)

    @property
    def headline(self) -> str:
        return f"{self.after.base.robot.name}, friction of {len(self.changed)} of {len(self.changes)} joints has changed"

    @property
    def sentence(self) -> str:
        """What has changed, in words."""
        if not self.changed:
            return "The friction of no joint has changed by more than noise."
        largest = max((change for change in self.changes if change.changed), key=lambda change: change.percent)
        return (
            f"The friction of {', '.join(self.changed)} has changed by more than noise, most that of {largest.joint} "
            f"({short_number(largest.rms)} {largest.unit}, {short_number(largest.percent)} % of what it was)."
        )

    def tables(self) -> Report:
        return Report(
            header=(f"{self.after.base.robot.name}: friction of {self.after.summary.source}, links of {self.before.summary.source}",),
            tables=(self.change_table(), self.parameter_table(), *self._choice()),
            facts=(self.sentence,),
            notes=self.after.notes,
        )

    def _choice(self) -> tuple[Table, ...]:
        return () if self.after.choice is None else (self.after.choice.table(),)

    def records(self) -> list[dict[str, Any]]:
        """One row per joint: how much its friction changed, and what the model leaves of the new log with either."""
        names = ("joint", "unit", "rms", "percent", "deviations", "changed", "error_before", "error_after")
        return [{name: getattr(change, name) for name in names} for change in self.changes]

    def figures(self) -> tuple[Figure, ...]:
        """Friction before and after over velocity, a figure per joint."""
        from dynident.regression.figures import change_figure

        return tuple(change_figure(change) for change in self.changes)

    def change_table(self) -> Table:
        rows = tuple(
            Row(
                (
                    item.joint,
                    f"{item.rms:.3g}",
                    short_number(item.percent),
                    f"{item.deviations:.1f}",
                    "yes" if item.changed else "no",
                    f"{item.error_before:.3g}",
                    f"{item.error_after:.3g}",
                    item.unit,
                ),
                dimmed=not item.changed,
            )
            for item in self.changes
        )
        headings = ("joint", "change", "of friction [%]", "[std]", "more than noise", "error before", "error now", "unit")
        return Table(title="What has changed", headings=headings, rows=rows, left=frozenset({0, 4, 7}))

    def parameter_table(self) -> Table:
        rows: list[Row] = []
        for change in self.changes:
            for name, unit, old, old_std, new, new_std in change.parameters:
                spread = float(np.hypot(old_std, new_std))
                apart = "–" if not spread > 0.0 else f"{(new - old) / spread:+.1f}"
                rows.append(Row((change.joint, name, value_text(old, old_std), value_text(new, new_std), apart, unit)))
        headings = ("joint", "parameter", "before", "now", "difference [std]", "unit")
        return Table(title="Friction parameters", headings=headings, rows=tuple(rows), left=frozenset({0, 1, 5}))


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

    model : by default the one that the estimate has, its shapes fitted again; "auto" chooses one per joint.
    cutoff, rate : of the filter, as in `build_problem`; "auto" are those of the estimate.
    """
    base, processing = estimate.base, estimate.summary.processing
    cutoff, rate = (processing.cutoff_hz, rate or processing.rate_hz) if cutoff == "auto" else (cutoff, rate)
    if base.columns.of_extra:
        raise InputError("the model has columns of its own, which a new log doesn't tell; identify it again with them")
    rigid = RigidModel.of(estimate)
    first = linear() if model == "auto" or base.friction is None else base.friction
    problem = problem_on_base(base_parameters(base.robot, friction=first, known=base.known), data, cutoff=cutoff, rate=rate)
    choice = None
    if model == "auto":
        choice = choose_friction(problem, rigid=rigid.coefficients(problem.base)[0], seed=seed, progress=progress)
        model = chosen_model(choice)
    after = replace(fit_friction_alone(problem, model or first, rigid, seed=seed), choice=choice)
    return FrictionRefit(before=estimate, after=after, changes=_changes(estimate, after, problem))


def _changes(before: Estimate, after: Estimate, problem: Problem) -> tuple[JointChange, ...]:
    from scipy.special import chdtrc, ndtri  # here, because importing SciPy takes longer than all of dynident

    robot, speeds = after.base.robot, np.ones(after.base.robot.n) if problem.speeds is None else problem.speeds
    old_errors = _errors(before, problem)
    found: list[JointChange] = []
    for j, joint in enumerate(robot.joints):
        at = _SHARES * max(float(speeds[j]), 1e-6)
        (old, old_cover), (new, new_cover) = (_curve(item, j, at) for item in (before, after))
        covariance = old_cover + new_cover
        values, vectors = np.linalg.eigh(covariance)
        seen = values > 1e-9 * max(float(values.max(initial=0.0)), 1e-300)
        square = float(np.sum((vectors[:, seen].T @ (new - old)) ** 2 / values[seen])) if seen.any() else 0.0
        chance = float(chdtrc(max(int(seen.sum()), 1), square))
        found.append(
            JointChange(
                joint=joint.name,
                unit=joint.units.effort,
                speeds=at,
                before=old,
                after=new,
                std=np.sqrt(np.maximum(np.diag(covariance), 0.0)),
                deviations=float(-ndtri(max(chance, 1e-300) / 2.0)),
                changed=chance < SIGNIFICANT,
                error_before=float(old_errors[j]),
                error_after=float(after.residuals.rms_per_group[j]),
                parameters=_parameters(before, after, j),
            )
        )
    return tuple(found)


def _curve(estimate: Estimate, j: int, speeds: Array) -> tuple[Array, Array]:
    """(s,) friction torque at constant speeds, and its covariance (s, s); the shapes are taken as they are."""
    base = estimate.base
    if base.friction is None:
        return np.zeros(len(speeds)), np.zeros((len(speeds), len(speeds)))
    motion = np.zeros((len(speeds), base.robot.n))
    motion[:, j] = speeds
    phi = base.friction.columns(Motion.steady(motion))[:, j]
    places = base.columns.of_joint(j)
    at = {int(standard): i for i, standard in enumerate(base.independent)}
    own = [(slot, at[place]) for slot, place in places.items() if place in at]
    A, chosen = phi[:, [slot for slot, _ in own]], [i for _, i in own]
    values = np.array([estimate.standard[places[slot]] for slot in places])
    return phi[:, list(places)] @ values, A @ estimate.covariance[np.ix_(chosen, chosen)] @ A.T


def _parameters(before: Estimate, after: Estimate, j: int) -> tuple[tuple[str, str, float, float, float, float], ...]:
    old, new = (_values(estimate, j) for estimate in (before, after))
    return tuple((name, new[name][0], *old[name][1:], *new[name][1:]) for name in old if name in new)


def _values(estimate: Estimate, j: int) -> dict[str, tuple[str, float, float]]:
    """Unit, value and standard deviation of a joint's friction parameters and shapes, by name."""
    base, std = estimate.base, estimate.std
    name = base.robot.joint_names[j]
    at = {int(standard): i for i, standard in enumerate(base.independent)}
    found: dict[str, tuple[str, float, float]] = {}
    for column in base.columns.of_friction:
        place = base.columns.index(column.name)
        if column.joint == j and place in at:
            found[column.parameter] = (column.unit, float(estimate.values[at[place]]), float(std[at[place]]))
    for shape in estimate.shapes:
        if shape.joint == name and shape.std is not None:
            found[shape.name] = (shape.unit, shape.value, shape.std)
    return found


def _errors(estimate: Estimate, problem: Problem) -> Array:
    """(n,) RMS of what the whole model of an estimate leaves of the rows of another log."""
    from dynident.regression.friction.fit_friction import change_friction

    if estimate.base.friction is None:
        return residuals(problem, RigidModel.of(estimate).coefficients(problem.base)[0]).rms_per_group
    same = change_friction(problem, estimate.base.friction)
    return residuals(same, same.base.grouping @ estimate.standard).rms_per_group
