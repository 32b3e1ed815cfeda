"""Sign assignments that physics is asked about: what the search found, and the same with whole joints turned."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product

import numpy as np

from dynident.core.arrays import Array, BoolArray
from dynident.links.constraints.terms import Terms
from dynident.routes.signs.feasible import FeasibleFit, feasible_fit, hypothesis_goal, physical_terms
from dynident.routes.signs.magnitudes import Magnitudes
from dynident.routes.signs.methods.method import SignHypotheses
from dynident.routes.signs.refine import Refined, fit_hard, refine
from dynident.routes.signs.sign_cost import SignCost

#: Assignments are the same when, in every joint, segments with less than this share of its energy differ.
SAME = 0.02
#: Of 2ⁿ ways to turn whole joints, so many of the cheapest are looked at beside those that turn one.
TURNED = 4
#: Up to so many joints all ways to turn them are compared.
ALL_TURNS = 10
#: Times that the best is followed to what physics makes of it.
FOLLOWED = 5


@dataclass(frozen=True, kw_only=True, eq=False)
class Assignment:
    """Signs of all segments with the model that explains them.

    signs : (S,)             ±1.
    refined, feasible        The most likely coefficients, and those that physics allows.
    """

    signs: Array
    refined: Refined
    feasible: FeasibleFit

    @property
    def score(self) -> float:
        """Log-likelihood of the feasible model, but for a constant."""
        return self.refined.log_likelihood - 0.5 * self.feasible.cost


def rank_assignments(
    magnitudes: Magnitudes, cost: SignCost, found: SignHypotheses, *, refined: bool = True, progress: Callable[[str], None] | None = None
) -> tuple[Assignment, ...]:
    """Distinct assignments, the most likely feasible one first.

    refined : False leaves the first hypothesis, or its negative, first and as it is; the others then only tell how sure it is.
    """
    some = hypothesis_goal(magnitudes.base, cost.R, cost.A @ found.signs[0])
    terms, ranked = physical_terms(magnitudes, some), list[Assignment]()
    for signs in _candidates(cost, found.signs, magnitudes.log.n) if refined else found.signs:
        ranked += [item for item in _both(magnitudes, cost, signs, terms, refined) if not _known(cost, ranked, item)]
    if refined:
        _follow_physics(magnitudes, cost, terms, ranked)
    chosen = ranked if refined else ranked[: 1 + found.mirrored]  # the first, and its negative
    best, backward = max(chosen, key=lambda item: item.score), _backward(magnitudes)
    for j in range(magnitudes.log.n):  # how sure each joint is, seen from the best
        # a constant load and Coulomb friction change places where one way is turned: |g ± f| is |f ± g|
        for flipped in (cost.joints == j, (cost.joints == j) & backward):
            turned = np.where(flipped, -best.signs, best.signs)
            ranked += [item for item in _both(magnitudes, cost, turned, terms, refined) if not _known(cost, ranked, item)]
    if progress is not None:
        progress(f"{len(ranked)} assignments compared")
    ordered = sorted(ranked, key=lambda item: -item.score)
    return tuple(ordered) if refined else (best, *(item for item in ordered if item is not best))


def same(cost: SignCost, one: Array, other: Array) -> bool:
    """Whether two sign vectors (S,) differ in next to nothing, joint by joint."""
    return not differing(cost, one, other).any()


def differing(cost: SignCost, one: Array, other: Array) -> BoolArray:
    """(n,) the joints in which two sign vectors (S,) differ by more than next to nothing."""
    n = len(cost.levels)
    energies = np.bincount(cost.joints, cost.energies, n)
    return np.bincount(cost.joints, np.where(one != other, cost.energies, 0.0), n) > SAME * energies


def _candidates(cost: SignCost, signs: Array, joints: int) -> list[Array]:
    """Distinct hypotheses, and the cheapest ways to turn whole joints of each; a vector stands for its negative too."""
    candidates: list[Array] = []
    for row in signs:
        shares = np.stack([cost.A[:, cost.joints == j] @ row[cost.joints == j] for j in range(joints)], axis=1)
        turns = _turns(joints)
        explained = np.sum((turns @ shares.T) ** 2, axis=1)
        for turn in turns[np.argsort(-explained, kind="stable")[:TURNED]]:
            turned = row * turn[cost.joints]
            if not any(same(cost, turned, other) or same(cost, -turned, other) for other in candidates):
                candidates.append(turned)
    return candidates


def _turns(joints: int) -> Array:
    """(T, n) ways to turn whole joints, of which none is the negative of another: all, or of many joints those that turn at most two."""
    if joints <= ALL_TURNS:
        return np.array([(1.0, *rest) for rest in product((1.0, -1.0), repeat=joints - 1)])
    pairs = [*((j,) for j in range(joints)), *combinations(range(joints), 2)]
    turns = np.ones((len(pairs) + 1, joints))
    for row, turned in zip(turns[1:], pairs, strict=True):
        row[list(turned)] = -1.0
    return turns


def _follow_physics(magnitudes: Magnitudes, cost: SignCost, terms: Terms, ranked: list[Assignment]) -> None:
    """Go on from the feasible coefficients of the best, where they differ from its own: short logs fit many signs, and physics few."""
    for _ in range(FOLLOWED):
        best = max(ranked, key=lambda item: item.score)
        signs = segment_signs(magnitudes, best.feasible.coefficients, best.signs)
        fresh = [item for item in _both(magnitudes, cost, signs, terms, True) if not _known(cost, ranked, item)]
        ranked += fresh
        if not any(item.score > best.score for item in fresh):
            break


def _both(magnitudes: Magnitudes, cost: SignCost, signs: Array, terms: Terms, refined: bool) -> list[Assignment]:
    """The assignment and its negative, which the data can't tell apart. Refining may have changed signs."""
    model = refine(magnitudes, cost.coefficients(signs)) if refined else fit_hard(magnitudes, cost, signs)
    settled = segment_signs(magnitudes, model.coefficients, signs) if refined else signs
    turned = replace(model, coefficients=-model.coefficients, rhs=-model.rhs)
    return [
        Assignment(signs=chosen, refined=item, feasible=feasible_fit(magnitudes.base, item, terms))
        for chosen, item in ((settled, model), (-settled, turned))
    ]


def _backward(magnitudes: Magnitudes) -> BoolArray:
    """(S,) the segments in which their joint moves in its negative direction."""
    dq = magnitudes.motion.require("dq")
    return np.array([float(dq[item.samples, item.joint].sum()) < 0.0 for item in magnitudes.segments], dtype=bool)


def segment_signs(magnitudes: Magnitudes, coefficients: Array, otherwise: Array) -> Array:
    """(S,) the sign that the model's torque has in each segment, by weight."""
    mu, b = magnitudes.predict(coefficients), magnitudes.b
    sums = np.array([float(mu[item.samples, item.joint] @ b[item.samples, item.joint]) for item in magnitudes.segments])
    return np.where(sums == 0.0, otherwise, np.sign(sums))


def _known(cost: SignCost, ranked: Sequence[Assignment], item: Assignment) -> bool:
    return any(same(cost, item.signs, other.signs) for other in ranked)
