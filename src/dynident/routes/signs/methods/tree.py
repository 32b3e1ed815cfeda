"""The algorithm of Pennese and Vulcano (unsigned-torque report, sections 2.3, 2.4, 3.4 and 3.5), as they printed it and nothing else.

The tenth of a joint's samples that is nearest to zero is left out, and the runs that remain are segments, each of one sign. They are
taken in random order, those of all joints together. At every level each of the best five hypotheses goes on with either sign, and
the five with the smallest loss stay. The loss is that of the penalty-based retrieval of link parameters (PBRP, Algorithm 1) with a pattern
search: φ = ‖Y π(p) - τ‖², all joints in one unit, no friction unless a model is named, no prior. With the signs of the best, PBRP by
simulated annealing gives the links, the best of three runs.

The report says neither how many steps κ its retrievals have nor where those of a node start: κ is that of the Panda paper, and a node
starts where the one above it ended.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np

from dynident.core.arrays import Array
from dynident.core.kinds import Count, number
from dynident.core.options import Options, option
from dynident.links.constraints.convex import PhysicalConsistency
from dynident.links.objective import Objective, one_step
from dynident.links.problem import build_retrieval
from dynident.links.result import LinkParameters
from dynident.links.retrieve import retrieval_problem
from dynident.links.solve import solve_retrieval
from dynident.links.solvers.search.box import box_of
from dynident.links.solvers.search.penalised import Charge, Penalised
from dynident.links.solvers.search.searches import search_locally
from dynident.links.solvers.solver import SolverOptions
from dynident.regression.equations.base import BaseParameters
from dynident.regression.estimate import Estimate
from dynident.routes.signs.growing_fit import FitStep, compress_segments, grow_steps
from dynident.routes.signs.magnitudes import Magnitudes
from dynident.routes.signs.methods.method import SearchSettings, SignHypotheses, SignMethod
from dynident.routes.signs.segments import Segment, runs

#: Runs of simulated annealing that the links are the best of.
_RUNS = 3


@dataclass(frozen=True, kw_only=True)
class TreeOptions(Options):
    """Of the report's tree."""

    width: Count = option(5, "Hypotheses that stay at every level.")
    discard: Annotated[float, number("%", low=0.0, below=100.0)] = option(
        10.0, "Samples of a joint that are left out, those nearest to zero."
    )
    nodes: Literal["pbrp", "least-squares"] = option(
        "pbrp",
        "What judges a hypothesis: pbrp, as in the report, which takes a minute for three joints, or least-squares, which takes a second.",
    )
    steps: Count = option(10, "Successive pattern searches of a retrieval, with a charge that grows by 10 each time.")


def search(magnitudes: Magnitudes, settings: SearchSettings, own: TreeOptions) -> SignHypotheses:
    """The hypotheses that are left at the last level."""
    segments, rng = discard_near_zero(magnitudes, 0.01 * own.discard), settings.generator
    rows = compress_segments(replace(magnitudes, segments=segments), np.ones(magnitudes.log.n))
    rank, order = magnitudes.base.rank, rng.permutation(len(segments))
    retrieval, published = _Retrieval(magnitudes.base, own.steps, rng), own.nodes == "pbrp"
    d, costs, signs = np.zeros((rank, 1)), np.zeros(1), np.zeros((1, len(segments)))
    values, points = costs, retrieval.start[None]
    for level, (k, step) in enumerate(zip(order, grow_steps([rows[int(k)] for k in order], np.zeros((rank, rank))), strict=True)):
        # by least squares signs and their negatives are alike, and one of the two is enough
        choices = (1.0, -1.0) if published or level > 0 else (1.0,)
        grown = [step.grow(d, costs + step.rest, sign) for sign in choices]
        d, costs = np.concatenate([item[0] for item in grown], axis=1), np.concatenate([item[1] for item in grown])
        signs, points = np.tile(signs, (len(choices), 1)), np.tile(points, (len(choices), 1))
        signs[:, k] = np.repeat(choices, len(signs) // len(choices))
        values = costs
        if published:
            beyond, points = retrieval.judge(step, d, points)
            values = costs + beyond
        best = np.argsort(values, kind="stable")[: own.width]
        d, costs, signs, points, values = d[:, best], costs[best], signs[best], points[best], values[best]
        settings.say(f"segment {level + 1} of {len(segments)}")
    return SignHypotheses(segments=segments, signs=signs, costs=values, mirrored=not published)


def retrieve_links(estimate: Estimate, seed: int) -> LinkParameters:
    """The links by PBRP on the torque with its signs: simulated annealing, the best of three runs."""
    problem = retrieval_problem(estimate, objective=one_step(estimate.require_problem()), prior=None)
    return solve_retrieval(problem, solver="penalty", options=SolverOptions(seed=seed, starts=_RUNS))


METHOD = SignMethod(
    name="tree",
    summary="the unsigned-torque report's algorithm as published, without friction unless it is named, to be compared with",
    search=search,
    options=TreeOptions,
    refined=False,
    friction=None,
    noise="uniform",
    retrieve=retrieve_links,
)


def discard_near_zero(magnitudes: Magnitudes, share: float) -> tuple[Segment, ...]:
    """The runs that remain when this share of each joint's samples, those with the smallest |τ|, is left out."""
    segments: list[Segment] = []
    for j in range(magnitudes.log.n):
        pieces = [average(magnitudes.b[piece, j]) for piece in magnitudes.log.segments]
        threshold = float(np.quantile(np.concatenate(pieces), share))
        for piece, b in zip(magnitudes.log.segments, pieces, strict=True):
            segments += [Segment(j, piece.start + start, piece.start + stop) for start, stop in runs(b > threshold, np.empty(0, np.int64))]
    return tuple(segments)


def average(b: Array) -> Array:
    """|τ| (N,) over three samples. The report filters the torque before it takes its sign away; of |τ| more would blur its zeros."""
    return np.convolve(np.pad(b, 1, mode="edge"), np.full(3, 1.0 / 3.0), mode="valid")


class _Retrieval:
    """PBRP: link parameters within their box, what can't exist charged; a node starts where the one above it ended."""

    def __init__(self, base: BaseParameters, steps: int, rng: np.random.Generator) -> None:
        objective = Objective(name="squared residual of the segments so far", A=base.grouping, b=np.zeros(base.rank))
        self.problem, self.steps = build_retrieval(base, objective, PhysicalConsistency()), steps
        self.start = box_of(self.problem).random(rng)

    def judge(self, step: FitStep, d: Array, points: Array) -> tuple[Array, Array]:
        """What links leave of each hypothesis beyond least squares (m,), charge included, and the links (m, p)."""
        A = step.F @ self.problem.base.grouping
        values, links = np.empty(len(points)), np.empty_like(points)
        for i, (b, point) in enumerate(zip(d.T, points, strict=True)):
            problem = replace(self.problem, objective=replace(self.problem.objective, A=A, b=np.ascontiguousarray(b)))
            penalised, box, charge = Penalised(problem), box_of(problem), Charge(0.0)
            links[i] = box.clip(point)
            for k in range(self.steps):
                charge = Charge(10.0 * k)  # ξ_1 = 0 and ξ_(k+1) = 10 k
                links[i] = search_locally(penalised, links[i], box, charge, "pattern")
            values[i] = charge(*penalised.parts(links[i]))
        return values, links
