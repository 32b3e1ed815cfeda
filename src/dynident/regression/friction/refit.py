"""Friction that has changed since a robot was identified: fitted again to a new log, with the links as they were, and compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dynident.core.arrays import Array
from dynident.core.figures import Figure
from dynident.core.linear_algebra import least_squares
from dynident.core.results import Report, Result, Row, Table, short_number
from dynident.data import Dataset
from dynident.errors import InputError
from dynident.friction.combined import linear
from dynident.friction.model import FrictionModel, Motion
from dynident.regression.equations.base import base_parameters
from dynident.regression.equations.columns import FrictionColumn
from dynident.regression.estimate import Estimate
from dynident.regression.friction.choose import choose_friction, chosen_model
from dynident.regression.friction.deviations import include_shapes
from dynident.regression.friction.fit_friction import change_friction
from dynident.regression.friction.hold_rigid import RigidModel, friction_places, hold_links
from dynident.regression.identify import Auto
from dynident.regression.problem import Problem, problem_on_base
from dynident.regression.solution import residuals
from dynident.regression.tables import value_text

#: Speeds, as shares of a joint's largest in the new log, at which friction before and after are compared.
_SHARES = np.array([-1.0, -0.6, -0.3, -0.1, 0.1, 0.3, 0.6, 1.0])
#: A change is more than noise beyond so many standard deviations: chance alone makes one as large in one of a hundred cases.
_SIGNIFICANT_DEVIATIONS = 2.576


@dataclass(frozen=True, kw_only=True, eq=False)
class JointChange:
    """Friction of one joint before and after.

    speeds : (s,)              At which both are compared [rad/s | m/s].
    before, after : (s,)       Friction torque there, at constant speed [N·m | N].
    std : (s,)                 Of their difference.
    deviations : float         The change as a whole in standard deviations: what a change as improbable would be of one number.
    changed : bool             Whether it is more than noise.
    error_before, error_after  RMS of what the model leaves of the new log with either friction [N·m | N].
    parameters : rows          (name, unit, before, its std, after, its std, std of the difference) of those that both models have.

    What is uncertain in the links is the same in both, and most of it does not show in the difference.
    """

    joint: str
    unit: str
    speed_unit: str
    speeds: Array
    before: Array
    after: Array
    std: Array
    deviations: float
    changed: bool
    error_before: float
    error_after: float
    parameters: tuple[tuple[str, str, float, float, float, float, float], ...]

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
    """Friction of a new log beside that of an estimate.

    estimate : Estimate  With the new friction; its links are as before.
    links_source : str   The data that the links, and the friction before, come from.
    """

    estimate: Estimate
    links_source: str
    changes: tuple[JointChange, ...]

    @property
    def changed(self) -> tuple[str, ...]:
        """The joints whose friction has changed by more than noise."""
        return tuple(change.joint for change in self.changes if change.changed)

    @property
    def headline(self) -> str:
        return f"{self.estimate.base.robot.name}, friction of {len(self.changed)} of {len(self.changes)} joints has changed"

    @property
    def sentence(self) -> str:
        """What has changed, in words."""
        if not self.changed:
            return "The friction of no joint has changed by more than noise."
        largest = max((change for change in self.changes if change.changed), key=lambda change: change.percent)
        most = f", most that of {largest.joint}" if len(self.changed) > 1 else ""
        return (
            f"The friction of {', '.join(self.changed)} has changed by more than noise{most} "
            f"({short_number(largest.rms)} {largest.unit}, {short_number(largest.percent)} % of what it was)."
        )

    def tables(self) -> Report:
        return Report(
            header=(f"{self.estimate.base.robot.name}: friction of {self.estimate.summary.source}, links of {self.links_source}",),
            tables=(self.change_table(), self.parameter_table(), *self._choice()),
            facts=(self.sentence,),
            notes=self.estimate.notes,
        )

    def _choice(self) -> tuple[Table, ...]:
        return () if self.estimate.choice is None else (self.estimate.choice.table(),)

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
                    f"{abs(item.deviations):.1f}",
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
            for name, unit, old, old_std, new, new_std, spread in change.parameters:
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
    fitted, rows = hold_links(problem, model or first, rigid, seed=seed)
    held = ~friction_places(fitted.base)
    after = replace(include_shapes(fitted, rows, held=held, known=rigid.coefficients(fitted.base)[1]), choice=choice)
    if estimate.provenance is not None and (share := data.used.overlap(estimate.provenance)) > 0.0:
        same = f"{100.0 * share:.3g} % of the samples are those that the links were identified from, so that no change can show in them"
        after = replace(after, notes=(same, *after.notes))
    noise = include_shapes(fitted, rows, held=held).covariance
    changes = _changes(estimate, after, noise, problem)
    return FrictionRefit(estimate=after, links_source=estimate.summary.source, changes=changes)


def _changes(before: Estimate, after: Estimate, noise: Array, problem: Problem) -> tuple[JointChange, ...]:
    """noise : (b, b) covariance of the new friction by the noise of the new log alone."""
    robot, speeds = after.base.robot, np.ones(after.base.robot.n) if problem.speeds is None else problem.speeds
    old_errors = _errors(before, problem)
    found: list[JointChange] = []
    for j, joint in enumerate(robot.joints):
        at = _SHARES * max(float(speeds[j]), 1e-6)
        difference = _Difference.of(before, after, noise, j)
        old, new = (_columns(estimate, j, at) @ _values(estimate, j) for estimate in (before, after))
        covariance = difference.covariance(_columns(before, j, at), _columns(after, j, at))
        deviations = _deviations(new - old, covariance)
        found.append(
            JointChange(
                joint=joint.name,
                unit=joint.units.effort,
                speed_unit=joint.units.velocity,
                speeds=at,
                before=old,
                after=new,
                std=np.sqrt(np.maximum(np.diag(covariance), 0.0)),
                deviations=deviations,
                changed=bool(deviations > _SIGNIFICANT_DEVIATIONS),
                error_before=float(old_errors[j]),
                error_after=float(after.residuals.rms_per_group[j]),
                parameters=_parameters(before, after, difference, j),
            )
        )
    return tuple(found)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Difference:
    """How certain a joint's friction now minus that before is.

    before : (p, p)  Covariance of the standard parameters of the estimate before, links and friction.
    passes : (k', p) How the friction parameters now follow the links of the estimate before.
    noise : (k', k') Their covariance by the noise of the new log.
    """

    before: Array
    passes: Array
    noise: Array
    old_places: list[int]

    @staticmethod
    def of(before: Estimate, after: Estimate, noise: Array, j: int) -> _Difference:
        old, new, problem = before.base, after.base, after.problem
        assert problem is not None  # noqa: S101 (just fitted)
        covariance = np.zeros((len(old.columns), len(old.columns)))
        covariance[np.ix_(old.independent, old.independent)] = before.covariance
        group, factor = problem.groups[j], problem.factors[j][:, :-1]
        mine = friction_places(new)[group.columns]
        K = new.grouping[group.columns[~mine]][:, new.columns.link_slice]
        passes = np.zeros((int(mine.sum()), len(old.columns)))
        passes[:, old.columns.link_slice] = -least_squares(factor[:, mine], factor[:, ~mine]) @ K
        own = group.columns[mine]
        places = [] if old.friction is None else list(old.columns.of_joint(j).values())
        return _Difference(before=covariance, passes=passes, noise=noise[np.ix_(own, own)], old_places=places)

    def covariance(self, old: Array, new: Array) -> Array:
        """(r, r) of new @ parameters now - old @ parameters before, for old (r, k) and new (r, k')."""
        direct = new @ self.passes
        direct[:, self.old_places] -= old
        return direct @ self.before @ direct.T + new @ self.noise @ new.T


def _deviations(change: Array, covariance: Array) -> float:
    """A change as a whole in standard deviations: a single number that far from zero is as improbable."""
    from scipy.special import chdtrc, ndtri  # here, because importing SciPy takes longer than all of dynident

    values, vectors = np.linalg.eigh(covariance)
    seen = values > 1e-9 * max(float(values.max(initial=0.0)), np.finfo(float).tiny)
    if not seen.any():
        return 0.0
    square = float(np.sum((vectors[:, seen].T @ change) ** 2 / values[seen]))
    return float(-ndtri(max(float(chdtrc(int(seen.sum()), square)), 1e-300) / 2.0))


def _columns(estimate: Estimate, j: int, speeds: Array) -> Array:
    """(s, k) a joint's friction columns at constant speeds, of the parameters that data can tell; k is 0 without friction."""
    base = estimate.base
    if base.friction is None:
        return np.zeros((len(speeds), 0))
    motion = np.zeros((len(speeds), base.robot.n))
    motion[:, j] = speeds
    return base.friction.columns(Motion.steady(motion))[:, j][:, [column.slot for column in _told(estimate, j)]]


def _values(estimate: Estimate, j: int) -> Array:
    columns = estimate.base.columns
    return np.array([estimate.standard[columns.index(column.name)] for column in _told(estimate, j)])


def _told(estimate: Estimate, j: int) -> list[FrictionColumn]:
    """A joint's friction parameters that are not part of other coefficients."""
    columns, separate = estimate.base.columns, set(estimate.base.independent.tolist())
    return [column for column in columns.of_friction if column.joint == j and columns.index(column.name) in separate]


def _parameters(
    before: Estimate, after: Estimate, difference: _Difference, j: int
) -> tuple[tuple[str, str, float, float, float, float, float], ...]:
    old, new = _told(before, j), _told(after, j)
    rows: list[tuple[str, str, float, float, float, float, float]] = []
    for a, mine in enumerate(old):
        for b, theirs in enumerate(new):
            if mine.parameter == theirs.parameter:
                one, other = np.eye(len(old))[[a]], np.eye(len(new))[[b]]
                spread = float(np.sqrt(max(float(difference.covariance(one, other)[0, 0]), 0.0)))
                rows.append((mine.parameter, mine.unit, *_value(before, mine), *_value(after, theirs), spread))
    shapes = {shape.name: shape for shape in after.shapes if shape.joint == after.base.robot.joint_names[j]}
    for shape in before.shapes:
        now = shapes.get(shape.name)
        if shape.joint == after.base.robot.joint_names[j] and now is not None and shape.std is not None and now.std is not None:
            spread = float(np.hypot(shape.std, now.std))
            rows.append((shape.name, shape.unit, shape.value, shape.std, now.value, now.std, spread))
    return tuple(rows)


def _value(estimate: Estimate, column: FrictionColumn) -> tuple[float, float]:
    """Value and standard deviation of a friction parameter."""
    at = estimate.base.names.index(column.name)
    return float(estimate.values[at]), float(estimate.std[at])


def _errors(estimate: Estimate, problem: Problem) -> Array:
    """(n,) RMS of what the whole model of an estimate leaves of the rows of another log."""
    if estimate.base.friction is None:
        return residuals(problem, RigidModel.of(estimate).coefficients(problem.base)[0]).rms_per_group
    same = change_friction(problem, estimate.base.friction)
    return residuals(same, same.base.grouping @ estimate.standard).rms_per_group
