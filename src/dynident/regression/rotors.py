"""Whether a log shows rotors behind gears: inertia that each joint feels by itself, and that no link explains.

A model without them leaves that to the links, and no links can explain it. A model with them, of a robot whose torques are measured behind
the gears, has one more way to be wrong in every joint. Noise makes such inertias of either sign, and so do flexible joints and friction of
another law; rotors have one in every joint, and all of them are positive.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dynident.core.arrays import IntArray
from dynident.dynamics.friction.model import FrictionModel
from dynident.regression.equations.base import base_parameters
from dynident.regression.equations.columns import FrictionColumn, problem_columns
from dynident.regression.equations.factors import triangular
from dynident.regression.equations.rows import LogRows
from dynident.regression.estimation import estimate
from dynident.regression.problem import Problem
from dynident.regression.solution import WeightedSolution
from dynident.regression.uncertainty.covariance import inverse_normal

#: Standard deviations by which all joints together must show rotors (Stouffer's sum over the root of their number), and below zero which
#: none may be. Of 32 virtual arms without rotors, most with friction or flexibility that no model knows, none passes; of as many with
#: rotors of 0.3 kg·m² in the first joint 29 do, of 1.5 kg·m² all; of the recorded Panda and KUKA, with sensors behind the gears, none.
TOGETHER, NONE_BELOW = 5.0, -2.0
#: Share of a joint's effort that its rotor must be in at least one of them; less is rounding, and nobody misses it.
MATERIAL = 2e-3


def settle_rotors(problem: Problem, plain: FrictionModel, *, seed: int = 0) -> Problem:
    """The problem as it is, with a note, where its log shows what its friction model has more than `plain`; else that with `plain`.

    problem : of a log, with rotor inertia beside the parameters of `plain`.
    """
    if not set(problem.base.known) <= set(problem_columns(problem.base.robot, plain).names) | set(_extras(problem)):
        return problem  # somebody knows a rotor's inertia
    shown = find_rotors(problem, plain)
    return replace(problem, notes=(*problem.notes, shown)) if shown else drop_friction(problem, plain, seed=seed)


def find_rotors(problem: Problem, plain: FrictionModel) -> str:
    """The sentence that says which rotors a log shows; empty where it shows none. problem, plain : as in `settle_rotors`."""
    added = _added(problem, plain)
    if not len(added) or not _may_show(problem, added):
        return ""
    result = estimate(problem)
    scores = result.values[added] / np.maximum(result.std[added], np.finfo(float).tiny)
    together = float(scores.sum() / np.sqrt(len(scores)))
    if together <= TOGETHER or scores.min() <= NONE_BELOW or not np.all(result.kept[added]):
        return ""
    names = ", ".join(problem.base.names[int(i)] for i in added)
    shown = f"the log shows rotors behind gears ({names}: {together:.0f} standard deviations together)"
    return f"{shown}, so they are part of the model; a friction model that is named, such as linear, leaves them out"


def drop_friction(problem: Problem, plain: FrictionModel, *, seed: int = 0) -> Problem:
    """The same problem with a friction model that has some of its parameters, from its compressed rows."""
    old = problem.base
    base = base_parameters(old.robot, friction=plain, equations=old.equations, known=old.known, extra=_extras(problem), seed=seed)
    rows = tuple(replace(source, base=base) for source in problem.rows if isinstance(source, LogRows))
    places = {name: place for place, name in enumerate(old.names)}
    lines: list[list[int]] = []
    for group, whole in zip(rows[0].groups, problem.groups, strict=True):
        local = {int(place): k for k, place in enumerate(whole.columns)}
        lines.append([*(local[places[base.names[int(i)]]] for i in group.columns), -1])
    factors = tuple(triangular([factor[:, kept]]) for factor, kept in zip(problem.factors, lines, strict=True))
    parts = tuple(
        tuple(part._replace(factor=triangular([part.factor[:, kept]])) for part, kept in zip(recording, lines, strict=True))
        for recording in problem.parts
    )
    tables = problem.filtered
    filtered = None if tables is None else tuple(tuple(table[kept] for table in whole) for whole, kept in zip(tables, lines, strict=True))
    return replace(problem, base=base, groups=rows[0].groups, factors=factors, rows=rows, filtered=filtered, parts=parts)


def _extras(problem: Problem) -> tuple[str, ...]:
    """Names of the user's own columns."""
    return problem.base.columns.names[problem.base.columns.extra_slice]


def _added(problem: Problem, plain: FrictionModel) -> IntArray:
    """Coefficients of the parameters that `plain` does not have."""
    places = [(i, problem.base.columns[int(column)]) for i, column in enumerate(problem.base.independent)]
    of_friction = [(i, column) for i, column in places if isinstance(column, FrictionColumn)]
    return np.array([i for i, column in of_friction if column.parameter not in plain.parameter_names], dtype=np.int64)


def _may_show(problem: Problem, added: IntArray) -> bool:
    """Whether independent noise would let it be, and it is more than rounding; correlated noise makes deviations larger only."""
    solution = WeightedSolution.of(problem, "per_group", None)
    if not np.all(solution.determined):
        return False
    values, std = solution.values[added], np.sqrt(np.diag(inverse_normal(solution.factor[:, :-1], solution.determined))[added])
    if values.sum() <= 0.0 or float((values / np.maximum(std, np.finfo(float).tiny)).sum()) <= TOGETHER * np.sqrt(len(added)):
        return False
    shares = [
        float(np.linalg.norm(factor[:, :-1][:, group.columns == place])) * abs(value) / float(np.linalg.norm(factor[:, -1]))
        for place, value in zip(added, values, strict=True)
        for group, factor in zip(problem.groups, problem.factors, strict=True)
        if place in group.columns and np.any(factor[:, -1])
    ]
    return max(shares, default=0.0) > MATERIAL
