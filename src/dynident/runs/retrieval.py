"""Retrieval problems as arrays, so that what was solved can be drawn from, or asked for ranges, after it was read from a run folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dynident.core.archives import Arrays
from dynident.core.arrays import Array
from dynident.feasibility.constraints.lmi import Block, Equality, Side
from dynident.feasibility.constraints.terms import Terms
from dynident.feasibility.objective import Objective
from dynident.feasibility.prior import NominalPrior
from dynident.feasibility.problem import RetrievalProblem
from dynident.regression.equations.base import BaseParameters

_PRIOR_ARRAYS = ("nominal", "friction_std", "centres", "root")
_PRIOR_WORDS = ("metric", "weight", "fixed", "toward")


def retrieval_parts(problem: RetrievalProblem | None) -> tuple[Arrays, dict[str, Any] | None]:
    """Arrays and a description; none of a problem with conditions that are not convex, which are functions and no data, or whose ranges
    are by another objective. The data behind the objective are the estimate's, and are not stored again."""
    if problem is None or problem.terms.nonconvex or problem.terms.alternatives or problem.ranges_by is not None:
        return {}, None
    blocks, equalities, prior = problem.terms.blocks, problem.terms.equalities, problem.prior
    arrays: Arrays = {
        "retrieval_A": problem.objective.A,
        "retrieval_b": problem.objective.b,
        "retrieval_blocks": _joined([part for block in blocks for part in (block.constant, block.matrices)]),
        "retrieval_block_indices": _joined([block.indices for block in blocks]),
        "retrieval_equalities": _joined([equality.coefficients for equality in equalities]),
        "retrieval_equality_indices": _joined([equality.indices for equality in equalities]),
    }
    words = None
    if prior is not None:
        words = {name: getattr(prior, name) for name in _PRIOR_WORDS}
        arrays |= {f"prior_{name}": value for name in _PRIOR_ARRAYS if (value := getattr(prior, name)) is not None}
    objective = problem.objective
    return arrays, {
        "objective": {"name": objective.name, "constant": objective.constant, "noise": objective.noise},
        "prior": words,
        "blocks": [[item.name, item.unit, item.size, len(item.indices), None if item.side is None else list(item.side)] for item in blocks],
        "equalities": [[item.name, item.unit, item.value, len(item.indices)] for item in equalities],
        "notes": list(problem.notes),
    }


def retrieval_from_parts(base: BaseParameters, arrays: Arrays, description: Mapping[str, Any] | None) -> RetrievalProblem | None:
    """The problem that `retrieval_parts` was given; None where it gave none, and in files of older versions."""
    if description is None:
        return None
    words: dict[str, Any] | None = description["prior"]
    held: dict[str, Any] = {name: arrays.get(f"prior_{name}") for name in _PRIOR_ARRAYS}
    prior = None if words is None else NominalPrior(**words, **held)
    return RetrievalProblem(
        base=base,
        objective=Objective(A=arrays["retrieval_A"], b=arrays["retrieval_b"], **description["objective"]),
        terms=Terms(blocks=_blocks(arrays, description["blocks"]), equalities=_equalities(arrays, description["equalities"])),
        prior=prior,
        notes=tuple(description["notes"]),
    )


def _blocks(arrays: Arrays, found: Sequence[Sequence[Any]]) -> tuple[Block, ...]:
    values, indices = _Reader(arrays["retrieval_blocks"]), _Reader(arrays["retrieval_block_indices"])
    return tuple(
        Block(
            name=name,
            unit=unit,
            constant=values.take(size, size),
            matrices=values.take(count, size, size),
            indices=indices.take(count).astype(np.int64),
            side=None if side is None else Side(*side),
        )
        for name, unit, size, count, side in found
    )


def _equalities(arrays: Arrays, found: Sequence[Sequence[Any]]) -> tuple[Equality, ...]:
    values, indices = _Reader(arrays["retrieval_equalities"]), _Reader(arrays["retrieval_equality_indices"])
    return tuple(
        Equality(name=name, unit=unit, value=value, coefficients=values.take(count), indices=indices.take(count).astype(np.int64))
        for name, unit, value, count in found
    )


class _Reader:
    """Arrays that were stored one after the other."""

    def __init__(self, values: Array) -> None:
        self.values, self.at = values, 0

    def take(self, *shape: int) -> Array:
        start, self.at = self.at, self.at + int(np.prod(shape))
        return self.values[start : self.at].reshape(shape)


def _joined(parts: Sequence[Array | np.ndarray[Any, np.dtype[np.int64]]]) -> Array:
    return np.concatenate([np.zeros(0), *(np.asarray(part, dtype=float).ravel() for part in parts)])
