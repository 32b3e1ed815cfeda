"""The tree of Pennese and Vulcano (unsigned-torque report, sections 2.4 and 3.5): a beam over segments in random order.

The tenth of a joint's samples that is nearest to zero is left out, and the runs that remain are segments, each of one sign. They are
taken in random order, those of all joints together. At every level each of the best five hypotheses goes on with either sign, and
the five that fit best stay: by least squares, or as in the report by penalty-based retrieval of link parameters (PBRP).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from dynident.core.arrays import Array
from dynident.core.options import option
from dynident.errors import ValueRangeError
from dynident.feasibility.constraints.convex import PhysicalConsistency
from dynident.feasibility.objective import Objective
from dynident.feasibility.problem import build_retrieval
from dynident.feasibility.solvers.search.box import box_of
from dynident.feasibility.solvers.search.penalised import Charge, Penalised
from dynident.feasibility.solvers.search.searches import search_locally
from dynident.regression.equations.base import BaseParameters
from dynident.signs.growing_fit import Step, compress_segments, grow_steps
from dynident.signs.magnitudes import Magnitudes
from dynident.signs.methods.method import SearchSettings, SignHypotheses, SignMethod
from dynident.signs.segments import Segment, runs
from dynident.signs.sign_cost import search_levels

#: ξ of the successive searches of a node, with what there is to explain as the unit of φ; Algorithm 1 has ten of them.
_FACTORS = (0.0, 10.0, 20.0)


@dataclass(frozen=True, kw_only=True)
class TreeOptions:
    """Of the report's tree."""

    width: int = option(5, "Hypotheses that stay at every level.")
    discard: float = option(10.0, "Percent of a joint's samples that are left out, those nearest to zero.")
    nodes: Literal["least-squares", "pbrp"] = option(
        "least-squares", "What judges a hypothesis: least-squares, or pbrp, the report's retrieval by pattern search, which is slow."
    )

    def __post_init__(self) -> None:
        if self.width < 1:
            raise ValueRangeError("width", f"is {self.width}; at least 1 was expected")
        if not 0.0 <= self.discard < 100.0:
            raise ValueRangeError("discard", f"is {self.discard:g}; a percentage from 0 to below 100 was expected")


def search(magnitudes: Magnitudes, settings: SearchSettings, own: TreeOptions) -> SignHypotheses:
    """The hypotheses that are left at the last level."""
    segments = discard_near_zero(magnitudes, 0.01 * own.discard)
    rows = compress_segments(replace(magnitudes, segments=segments), search_levels(magnitudes))
    rank, order = magnitudes.base.rank, settings.generator.permutation(len(segments))
    retrieval = _Retrieval(magnitudes.base, settings.generator) if own.nodes == "pbrp" else None
    d, costs, signs = np.zeros((rank, 1)), np.zeros(1), np.zeros((1, len(segments)))
    values, points = costs, np.zeros((1, 0)) if retrieval is None else retrieval.start[None]
    for level, (k, step) in enumerate(zip(order, grow_steps([rows[int(k)] for k in order], np.zeros((rank, rank))), strict=True)):
        # by least squares signs and their negatives are alike, and one of the two is enough
        choices = (1.0,) if retrieval is None and level == 0 else (1.0, -1.0)
        grown = [step.grow(d, costs + step.rest, sign) for sign in choices]
        d, costs = np.concatenate([item[0] for item in grown], axis=1), np.concatenate([item[1] for item in grown])
        signs, points = np.tile(signs, (len(choices), 1)), np.tile(points, (len(choices), 1))
        signs[:, k] = np.repeat(choices, len(signs) // len(choices))
        values = costs
        if retrieval is not None:
            beyond, points = retrieval.judge(step, d, points)
            values = costs + beyond
        best = np.argsort(values, kind="stable")[: own.width]
        d, costs, signs, points, values = d[:, best], costs[best], signs[best], points[best], values[best]
        settings.say(f"segment {level + 1} of {len(segments)}")
    return SignHypotheses(segments=segments, signs=signs, costs=values)


METHOD = SignMethod(
    name="tree",
    summary="the report's tree of segments in random order and its Algorithm 1, to be compared with",
    search=search,
    options=TreeOptions,
    refined=False,
    solver="barrier",
)


def discard_near_zero(magnitudes: Magnitudes, share: float) -> tuple[Segment, ...]:
    """The runs that remain when this share of each joint's samples, those with the smallest |τ|, is left out."""
    found: list[Segment] = []
    for j in range(magnitudes.log.n):
        pieces = [average(magnitudes.b[piece, j]) for piece in magnitudes.log.segments]
        threshold = float(np.quantile(np.concatenate(pieces), share))
        for piece, b in zip(magnitudes.log.segments, pieces, strict=True):
            found += [Segment(j, piece.start + start, piece.start + stop) for start, stop in runs(b > threshold, np.empty(0, np.int64))]
    return tuple(found)


def average(b: Array) -> Array:
    """|τ| (N,) over three samples. The report filters the torque before it takes its sign away; of |τ| more would blur its zeros."""
    return np.convolve(np.pad(b, 1, mode="edge"), np.full(3, 1.0 / 3.0), mode="valid")


class _Retrieval:
    """PBRP: link parameters within their box, what can't exist charged; a node begins where the one above it ended."""

    def __init__(self, base: BaseParameters, rng: np.random.Generator) -> None:
        objective = Objective(name="squared residual of the segments so far", A=base.grouping, b=np.zeros(base.rank))
        self.problem = build_retrieval(base, objective, PhysicalConsistency())
        self.start = box_of(self.problem).random(rng)

    def judge(self, step: Step, d: Array, points: Array) -> tuple[Array, Array]:
        """What links leave of each hypothesis beyond least squares (m,), charge included, and the links (m, p)."""
        A = step.F @ self.problem.base.grouping
        values, found = np.empty(len(points)), np.empty_like(points)
        for i, (b, point) in enumerate(zip(d.T, points, strict=True)):
            problem = replace(self.problem, objective=replace(self.problem.objective, A=A, b=np.ascontiguousarray(b)))
            penalised, box, charge = Penalised(problem), box_of(problem), Charge(0.0)
            found[i] = box.clip(point)
            for factor in _FACTORS:
                charge = Charge(factor * float(b @ b))
                found[i] = search_locally(penalised, found[i], box, charge, "pattern")
            values[i] = charge(*penalised.parts(found[i]))
        return values, found
