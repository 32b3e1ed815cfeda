"""What another law of friction would leave of the errors of a model: by linear least squares, for laws with their usual shapes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from dynident.core.arrays import Array
from dynident.core.linear_algebra import least_squares
from dynident.core.texts import short_number
from dynident.dynamics.friction.candidates import friction_additions, friction_laws
from dynident.dynamics.friction.model import FrictionModel
from dynident.regression.equations.rows import LogRows
from dynident.regression.estimate import Estimate
from dynident.regression.friction.joint_rows import friction_columns
from dynident.regression.problem import rows_in_time
from dynident.regression.uncertainty.autocovariance import correlation_time
from dynident.regression.uncertainty.lags import lag_sums

#: A law is worth a note where it would leave at most this share of the error.
WORTH = 0.5
#: Fewer errors than this tell no friction; of more, or of logs with more samples, nobody waits for the columns of all laws.
_LEAST_ROWS, _MOST_ROWS, _MOST_SAMPLES = 20, 20_000, 200_000
_USUAL = len(friction_laws()[0].parameters)


class BestLaw(NamedTuple):
    """The friction that explains most of a joint's error. rms : what is left then [N·m | N]; name : empty where nothing explains any."""

    rms: float
    name: str


def best_law(error: Array, logs: Sequence[LogRows], joint: int, own: FrictionModel | None = None) -> BestLaw:
    """Of the laws that a choice of friction tries and the own one, with at most one addition, that which explains an error best.

    What a law has more than linear friction counts as if it had been judged on other data: of N independent errors, k numbers leave
    √(1 - k/N) of noise alone. The measured effort is no load, because its noise is in the error too.

    error : (rows,) of the joint in all rows of the logs.
    """
    size = float(error @ error)
    best = BestLaw(float(np.sqrt(size / max(len(error), 1))), "")
    if len(error) < _LEAST_ROWS:
        return best
    alike = max(1.0, 2.0 * correlation_time(lag_sums(error[None], error[None], len(error) // 3)))
    known = {name for name in ("load", "temperature") if all(_has(log, name) for log in logs)}
    laws = (*friction_laws(), *(() if own is None or own.shared else (own.of_joint(joint),)))
    additions = [part for part in friction_additions() if part.needs <= known]
    if not _is_short(logs, len(error)):
        laws, additions = laws[:1], []
    parts = list(dict.fromkeys(chain(additions, *(law.parts for law in laws if law.needs <= known))))
    columns = [np.concatenate([friction_columns(log, joint, part) for log in logs], axis=1) for part in parts]
    places = dict(zip(parts, np.split(np.arange(sum(map(len, columns))), np.cumsum([len(block) for block in columns])[:-1]), strict=True))
    table = np.concatenate(columns)
    table = table / np.maximum(np.linalg.norm(table, axis=1), np.finfo(float).tiny)[:, None]
    gram, right = table @ table.T, table @ error
    for chosen in _combinations([law for law in laws if law.needs <= known], additions):
        used = np.concatenate([places[part] for part in chosen])
        more = max(len(used) - _USUAL, 0)
        free = len(error) / alike - more
        if free < 1.0:
            continue
        explained = float(right[used] @ least_squares(gram[np.ix_(used, used)], right[used], rcond=1e-9))
        left = float(np.sqrt(max(size - explained, 0.0) / len(error) * (1.0 + more / free)))
        if left < best.rms:
            best = BestLaw(left, "+".join(part.name for part in chosen))
    return best


def richer_friction(estimate: Estimate) -> tuple[str, ...]:
    """A note where laws of friction exist that would halve the error of a fit; empty where none would, or the log is not there."""
    problem, model = estimate.problem, estimate.base.friction
    if problem is None or model is None or model.shared or not problem.rows:
        return ()
    logs = [log for log in problem.rows if isinstance(log, LogRows)]
    if len(logs) < len(problem.rows) or not _is_short(logs, int(problem.counts.max())):
        return ()
    squares, laws = np.zeros((2, len(problem.groups))), list[BestLaw]()
    for joint, (group, tables) in enumerate(zip(problem.groups, rows_in_time(problem), strict=True)):
        table = np.concatenate(tables, axis=1)
        error = table[-1] - estimate.values[group.columns] @ table[:-1]
        laws.append(best_law(error, logs, joint, model))
        squares[:, joint] = float(error @ error), len(error) * laws[-1].rms ** 2
    before, after = squares.sum(axis=1)
    if before == 0.0 or after > WORTH**2 * before:
        return ()
    most = int(np.argmax(squares[0] - squares[1]))
    percent = estimate.residuals.relative_percent
    left = short_number(percent * float(np.sqrt(after / before)))
    which = f"most in {problem.groups[most].name}, {laws[most].name}"
    text = f"another law of friction would leave {left} % of the effort unexplained in place of {short_number(percent)} % ({which})"
    return (f"{text}; let it be chosen per joint, with friction auto",)


def _combinations(laws: Sequence[FrictionModel], additions: Sequence[FrictionModel]) -> Iterator[tuple[FrictionModel, ...]]:
    for law in laws:
        yield tuple(law.parts)
        yield from ((*law.parts, part) for part in additions if part not in law.parts)


def _is_short(logs: Sequence[LogRows], rows: int) -> bool:
    return rows <= _MOST_ROWS and sum(log.dataset.samples for log in logs) <= _MOST_SAMPLES


def _has(log: LogRows, name: str) -> bool:
    return (log.load if name == "load" else log.dataset.temperature) is not None
