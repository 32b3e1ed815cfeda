"""Choosing a friction model per joint by cross-validation: the simplest one whose held-out error is that of the best, to within its noise.

Blocks of the log are predicted in turn by a fit to the others. Two models are compared on the same blocks, so what makes a block hard
for both does not count; the simplest candidate within one standard error of the best is taken (Breiman et al., CART, 1984, 3.4.3).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Unpack

import numpy as np

from dynident.core.arrays import Array, BoolArray, IntArray
from dynident.core.linear_algebra import least_squares
from dynident.dynamics.friction.candidates import friction_additions, friction_laws
from dynident.dynamics.friction.combined import combine
from dynident.dynamics.friction.model import FrictionModel, Motion
from dynident.dynamics.friction.per_joint import PerJoint
from dynident.errors import InputError
from dynident.regression.equations.base import base_parameters
from dynident.regression.equations.factors import triangular
from dynident.regression.equations.partition import Parts, partition_rows
from dynident.regression.estimate import Estimate
from dynident.regression.estimation import EstimateOptions
from dynident.regression.friction.choice import FrictionChoice, Trial
from dynident.regression.friction.fit_friction import fit_friction, rigid_loads, wide_ridge
from dynident.regression.friction.joint_rows import JointRows, joint_rows
from dynident.regression.friction.projection import Projection, eliminate_friction, fit_shapes, project, project_known
from dynident.regression.problem import Problem, rows_in_time
from dynident.regression.uncertainty.autocovariance import correlation_time
from dynident.regression.uncertainty.blocks import BLOCKS
from dynident.regression.uncertainty.lags import lag_sums

#: Friction that should take energy out of the motion may give it back in this share of the samples, by rounding and noise at rest.
_GIVES_BACK = 0.01
#: A model that explains more by chance in more than this share of cases explains nothing more. About ten are tried per joint: of 48 joints
#: with linear friction none got another model at this share, three at 0.02.
SIGNIFICANT = 0.005
#: Starts of the search for a candidate's shapes, beside its usual ones.
_STARTS = 2


def choose_friction(
    problem: Problem,
    *,
    rigid: Array | None = None,
    blocks: int = BLOCKS,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> FrictionChoice:
    """A friction model for each joint of a log.

    Parameters
    ----------
    problem
        Of the log with linear friction.
    rigid : (b,) array
        Its coefficients where those of the links are known and stay; by default they are fitted together with friction.
    blocks
        Parts that are held out in turn.
    seed
        Of the starts of the fits.
    progress
        Called now and then with the share that is done, 0 to 1.

    Returns
    -------
    FrictionChoice
        The model of each joint, and what was tried.
    """
    search = _Search.of(problem, blocks, seed, rigid)
    n = problem.base.robot.n
    trials: list[list[Trial]] = []
    for j in range(n):
        trials.append(_try_joint(search, j))
        if progress is not None:
            progress((j + 1) / (n + 1))
    choice = _settle_together(search, trials)
    if progress is not None:
        progress(1.0)
    return choice


def fit_chosen_friction(
    problem: Problem, *, seed: int = 0, progress: Callable[[str], None] | None = None, **fitting: Unpack[EstimateOptions]
) -> Estimate:
    """The coefficients with the friction that suits each joint; fitting : options of `fit`."""
    if problem.base.equations != "torque":
        raise InputError("friction is chosen for a log of motion and torque, and the data are controller samples; leave it out")
    if fitting.get("prior") is not None:
        raise InputError("a prior is about coefficients that are known beforehand, and those of friction are being chosen; name a model")

    def say(share: float) -> None:
        if progress is not None:
            progress(f"choosing friction, {share:.0%}")

    choice = choose_friction(problem, seed=seed, progress=say)
    estimate = fit_friction(problem, chosen_model(choice), starts=0, seed=seed, progress=progress, **fitting)
    return replace(estimate, choice=choice)


def _try_joint(search: _Search, j: int) -> list[Trial]:
    """The candidates of a joint, one of them chosen; what may come on top is tried on the best law."""
    trials = [search.trial(j, combine(*model.parts, *search.always)) for model in friction_laws() if search.applies(j, model)]
    best = one_standard_error(trials)
    left = [model for model in friction_additions() if model not in search.always and search.applies(j, model)]
    while left:
        grown = [search.trial(j, combine(*best.model.parts, model)) for model in left]
        trials += grown
        better = one_standard_error([best, *grown])
        if better is best:
            break
        left = [model for model in left if model.name not in {part.name for part in better.model.parts}]
        best = better
    return [replace(trial, chosen=trial is best) for trial in trials]


def one_standard_error(trials: Sequence[Trial]) -> Trial:
    """The simplest of the trials whose error exceeds that of the best by no more than the standard error of the difference.

    Those compete that can be, and that explain more of the whole log than the first by more than noise; the first competes whatever it
    is, because there must be one. Of ten candidates that explain nothing, one would be better by a standard error in four of ten joints.
    """
    first = trials[0]
    possible = [first, *(trial for trial in trials[1:] if not trial.impossible and trial.chance(first) < SIGNIFICANT)]
    best = min(possible, key=lambda trial: float(trial.errors.mean()))
    near = [trial for trial in possible if trial is best or _exceeds(trial, best) <= 1.0]
    return min(near, key=lambda trial: (trial.size, float(trial.errors.mean())))


def _exceeds(trial: Trial, best: Trial) -> float:
    """By how many standard errors a trial is worse than the best."""
    share, error = trial.change(best)
    return share / error if error > 0.0 else np.inf if share > 0.0 else 0.0


def _settle_together(search: _Search, trials: list[list[Trial]]) -> FrictionChoice:
    """The choice with all joints at once: what was better alone but makes all joints together worse goes back to the first law."""
    plain = [candidates[0] for candidates in trials]
    chosen = [next(trial for trial in candidates if trial.chosen) for candidates in trials]
    before = search.errors_together(plain)
    after = search.errors_together(chosen)
    while True:
        without = {
            j: search.errors_together([*chosen[:j], plain[j], *chosen[j + 1 :]]) for j, trial in enumerate(chosen) if trial is not plain[j]
        }
        best = min(without, key=lambda j: search.total(without[j]), default=None)
        if best is None or search.total(without[best]) > search.total(after):
            break
        chosen[best], after = plain[best], without[best]
    flat = tuple(replace(trial, chosen=trial is taken) for candidates, taken in zip(trials, chosen, strict=True) for trial in candidates)
    return FrictionChoice(parts=search.parts.names, trials=flat, before=before, after=after)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Search:
    """The rows of a log in blocks, and what is the same for all candidates.

    always : what all joints have whatever their law, such as rotors where the log shows them.
    """

    problem: Problem
    rows: tuple[JointRows, ...]
    parts: Parts
    labels: tuple[IntArray, ...]
    guard: int
    weights: Array
    ridge: Array
    motion: Motion
    seed: int
    rigid: Array | None
    always: tuple[FrictionModel, ...]
    separate: dict[FrictionModel, frozenset[str]] = field(default_factory=dict[FrictionModel, "frozenset[str]"])
    eliminated: dict[tuple[int, FrictionModel], tuple[Array, list[Array]]] = field(
        default_factory=dict["tuple[int, FrictionModel]", "tuple[Array, list[Array]]"]
    )

    @staticmethod
    def of(problem: Problem, blocks: int, seed: int, rigid: Array | None) -> _Search:
        tables, processing = rows_in_time(problem), problem.processing
        parts = partition_rows(tables, blocks)
        guard = 0 if processing.cutoff_hz is None or processing.rate_hz is None else round(processing.rate_hz / processing.cutoff_hz)
        weights, ridge = wide_ridge(problem)
        rows = joint_rows(problem, rigid_loads(problem, rigid))
        return _Search(
            problem=problem,
            rows=rows,
            parts=parts,
            labels=tuple(np.concatenate(pieces) for pieces in parts.labels),
            guard=guard,
            weights=weights,
            ridge=ridge,
            motion=_whole_motion(rows[0]),
            seed=seed,
            rigid=rigid,
            always=_beside_linear(problem.base.friction),
        )

    def applies(self, j: int, model: FrictionModel) -> bool:
        """Whether the data have what the model needs, and the links don't explain the same."""
        if "temperature" in model.needs and self.motion.temperature is None:
            return False
        return {f"{name}{j + 1}" for name in model.parameter_names} <= self._separate(model)

    def _separate(self, model: FrictionModel) -> frozenset[str]:
        """The parameters of a model that the links don't explain."""
        if model not in self.separate:
            base = self.problem.base
            self.separate[model] = frozenset(base_parameters(base.robot, friction=model, known=base.known).names)
        return self.separate[model]

    def trial(self, j: int, model: FrictionModel) -> Trial:
        """A candidate's errors on the blocks. Its shapes are fitted to the whole log, and to the others of each block by one step."""
        rows, group, whole = self.rows[j], self.problem.groups[j], self.projections[j][-1]
        fitted = fit_shapes(model, rows.columns, whole, starts=_STARTS, seed=self.seed + j)
        phi = rows.columns(fitted)
        f, left_over = whole.solve(phi)
        residual = left_over[whole.others :]
        alike = max(1.0, 2.0 * correlation_time(lag_sums(residual[None], residual[None], len(residual) // 3)))
        columns = np.concatenate([phi, rows.derivatives(fitted, f)])
        errors = np.zeros(len(self.parts.names))
        for k, projection in enumerate(self.projections[j][:-1]):
            parameters, _ = projection.solve(columns)
            held_out = self.labels[j] == k
            rest = projection.rest(columns, parameters) if self.rigid is None else self.rigid[rows.rest]
            left = rows.z[held_out] - rest @ rows.Y[:, held_out] - parameters @ columns[:, held_out]
            errors[k] = _mean_square(left)
        values = dict(zip(fitted.parameter_names, f.tolist(), strict=True))
        return Trial(
            joint=group.name,
            unit=group.unit,
            model=fitted,
            parameters=values,
            errors=errors,
            squares=float(left_over @ left_over),
            noise=alike * float(np.mean(residual**2)),
            independent=len(residual) / alike,
            impossible=self._impossible(j, fitted, values),
        )

    @cached_property
    def projections(self) -> list[list[Projection]]:
        """Per joint one for each block, fitted without it, and last one for the whole log; the other joints have linear friction."""
        return [[self._project(j, k) for k in range(len(self.parts.names) + 1)] for j in range(len(self.rows))]

    def _project(self, j: int, k: int) -> Projection:
        rows, weight, used = self.rows[j], float(self.weights[j]), self.used(j, k)
        if self.rigid is not None:
            return project_known(rows, weight, self.rigid, used)
        return project(rows, weight, [factor for g, factor in enumerate(self._plain_factors[k]) if g != j], self.ridge, used)

    @cached_property
    def _plain_factors(self) -> list[list[Array]]:
        """Per block, and last for the whole log, the joints' rows with linear friction eliminated."""
        phi = [rows.columns(combine(*friction_laws()[0].parts, *self.always)) for rows in self.rows]
        return [[self._eliminate(j, columns, k) for j, columns in enumerate(phi)] for k in range(len(self.parts.names) + 1)]

    def used(self, j: int, k: int) -> BoolArray:
        """(rows,) the rows that block k is predicted from; all for the last."""
        if k == len(self.parts.names):
            return np.ones(len(self.labels[j]), dtype=bool)
        return ~self.parts.near(j, k, self.guard)

    def errors_together(self, trials: Sequence[Trial]) -> Array:
        """(n,) held-out RMS error of the joints when each has the model of its trial, with the shapes of the whole log."""
        pieces = [self._pieces(j, trial.model) for j, trial in enumerate(trials)]
        squares, b = np.zeros((len(self.parts.names), len(self.rows))), self.problem.base.rank
        prior = np.concatenate([np.diag(1.0 / self.ridge), np.zeros((b, 1))], axis=1)
        for k in range(len(squares)):
            if self.rigid is None:
                R = triangular([*(factors[k] for _, factors in pieces), prior])
                values = np.linalg.solve(R[:b, :b], R[:b, b])
            else:
                values = self.rigid
            for j, (rows, (phi, _)) in enumerate(zip(self.rows, pieces, strict=True)):
                left, used, held_out = rows.z - values[rows.rest] @ rows.Y, self.used(j, k), self.labels[j] == k
                f = least_squares(phi[:, used].T, left[used])
                squares[k, j] = _mean_square(left[held_out] - f @ phi[:, held_out])
        return np.sqrt(squares.mean(axis=0))

    def _pieces(self, j: int, model: FrictionModel) -> tuple[Array, list[Array]]:
        """A joint's friction columns, and per block its rows with these eliminated."""
        if (j, model) not in self.eliminated:
            phi, blocks = self.rows[j].columns(model), range(len(self.parts.names))
            self.eliminated[j, model] = phi, [self._eliminate(j, phi, k) for k in blocks]
        return self.eliminated[j, model]

    def _eliminate(self, j: int, phi: Array, k: int) -> Array:
        return eliminate_friction(self.rows[j], phi, float(self.weights[j]), self.problem.base.rank, self.used(j, k))

    def total(self, errors: Array) -> float:
        """Of all joints, each in units of its noise."""
        return float(np.sum((self.weights * errors) ** 2))

    def _impossible(self, j: int, model: FrictionModel, values: dict[str, float]) -> str:
        """Why friction of these parameters can't be: parameters that it adds to linear friction and that have the wrong sign, or energy
        that it puts into the motion of the log."""
        usual = combine(*friction_laws()[0].parts, *self.always).parameter_names
        for parameter, nonnegative in zip((p for part in model.parts for p in part.parameters), model.nonnegative, strict=True):
            if nonnegative and parameter.name not in usual and values[parameter.name] < 0.0:
                return f"{parameter.name} {values[parameter.name]:.2g} would be {parameter.negative}"
        motion = Motion(*(None if column is None else column[:, j : j + 1] for column in self.motion))
        power = np.zeros(len(motion.dq))
        for part in model.parts:
            if part.dissipative:
                power += (part.columns(motion)[:, 0] @ np.array([values[name] for name in part.parameter_names])) * motion.dq[:, 0]
        return "gives energy back" if np.mean(power < 0.0) > _GIVES_BACK else ""


def _mean_square(left: Array) -> float:
    """Of a block; zero, which favours no candidate, where a mask leaves none of its rows."""
    return float(np.mean(left**2)) if len(left) else 0.0


def _beside_linear(friction: FrictionModel | None) -> tuple[FrictionModel, ...]:
    """What the friction model of a problem has beside linear friction, in all joints."""
    usual = {part.name for part in friction_laws()[0].parts}
    return () if friction is None else tuple(part for part in friction.of_joint(0).parts if part.name not in usual)


def _whole_motion(rows: JointRows) -> Motion:
    motions = [log.motion(slice(None)) for log in rows.logs]
    columns = ([getattr(motion, name) for motion in motions] for name in Motion._fields)
    return Motion(*(None if any(part is None for part in parts) else np.concatenate(parts) for parts in columns))


def chosen_model(choice: FrictionChoice) -> PerJoint:
    """The chosen models, one per joint."""
    return PerJoint(tuple(trial.model for trial in choice.chosen))
