"""Branch and bound: the best signs of all 2^S, with the proof.

What a hypothesis about the first k segments costs is a lower bound for all that continue it, so that a branch ends where its bound
passes the best complete answer. Segments are decided by their energy, the largest first: wrong signs there cost at once, and what is
small is left to the leaves. Hypotheses are expanded depth first, in blocks, because a block costs little more than one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dynident.core.arrays import Array
from dynident.core.kinds import Count
from dynident.core.options import Options, option
from dynident.routes.signs.growing_fit import FitStep, compress_segments, grow_steps, quiet_rows
from dynident.routes.signs.magnitudes import Magnitudes
from dynident.routes.signs.methods.method import SearchSettings, SignHypotheses, SignMethod
from dynident.routes.signs.sign_cost import search_levels

#: Hypotheses that are expanded at once.
_BLOCK = 64


@dataclass(frozen=True, kw_only=True)
class ExactOptions(Options):
    """Of the branch and bound."""

    nodes: Count = option(2_000_000, "Hypotheses to look at before it gives up without a proof.")
    keep: Count = option(4, "Best answers to return, each proven to be that; one is found faster.")


def search(magnitudes: Magnitudes, settings: SearchSettings, own: ExactOptions) -> SignHypotheses:
    """The best signs of the segments, proven unless the budget ended."""
    levels = search_levels(magnitudes)
    rows = compress_segments(magnitudes, levels)
    order = np.argsort([-float(item.z @ item.z) for item in rows], kind="stable")
    tree = _Tree(grow_steps([rows[int(k)] for k in order], quiet_rows(magnitudes, levels)), own.keep)
    bound = tree.explore(own.nodes)
    signs = np.empty((len(tree.costs), len(order)))
    signs[:, order] = tree.signs
    proven = bound >= float(tree.costs[0])
    outcome = "proven" if proven else f"the budget ended at a cost of {tree.costs[0]:.4g}, where {bound:.4g} is not excluded"
    settings.say(f"{tree.nodes} hypotheses, {outcome}")
    return SignHypotheses(segments=magnitudes.segments, signs=signs, costs=tree.costs, proven=proven, bound=bound)


METHOD = SignMethod(
    name="exact", summary="branch and bound with a proof, for small problems", search=search, options=ExactOptions, seeded=False
)


class _Tree:
    """The best leaves met so far: costs (K,) ascending, signs (K, S) in the order of the steps."""

    def __init__(self, steps: list[FitStep], keep: int) -> None:
        self.steps, self.keep, self.nodes = steps, keep, 0
        self.costs, self.signs = np.empty(0), np.empty((0, len(steps)))

    @property
    def limit(self) -> float:
        """What an answer must cost less than to be kept."""
        return float(self.costs[-1]) if len(self.costs) == self.keep else np.inf

    def explore(self, budget: int) -> float:
        """Search until all is proven or the budget ends; no signs cost less than the bound that is returned."""
        rest = sum(step.rest for step in self.steps)
        stack = [(np.zeros((len(self.steps[0].F), 1)), np.array([rest]), np.empty((1, 0)))]
        while stack and (self.nodes < budget or not len(self.costs)):
            d, costs, signs = stack.pop()
            open_ = costs < self.limit
            if signs.shape[1] == len(self.steps):
                self._hand_in(costs[open_], signs[open_])
            elif np.any(open_):
                stack += self._expand(d[:, open_], costs[open_], signs[open_])
        return min([float(self.costs[0]), *(float(costs[0]) for _, costs, _ in stack)])

    def _expand(self, d: Array, costs: Array, signs: Array) -> list[tuple[Array, Array, Array]]:
        """The children in blocks, those with the least cost last."""
        step = self.steps[int(signs.shape[1])]
        choices = (1.0, -1.0) if signs.shape[1] else (1.0,)  # signs and their negatives cost the same
        grown = [step.grow(d, costs, sign) for sign in choices]
        d, costs = np.concatenate([item[0] for item in grown], axis=1), np.concatenate([item[1] for item in grown])
        signs = np.concatenate([np.column_stack([signs, np.full(len(signs), sign)]) for sign in choices])
        self.nodes += len(costs)
        order = np.argsort(costs, kind="stable")
        order = order[costs[order] < self.limit]
        blocks = [order[start : start + _BLOCK] for start in range(0, len(order), _BLOCK)]
        return [(d[:, block], costs[block], signs[block]) for block in reversed(blocks)]

    def _hand_in(self, costs: Array, signs: Array) -> None:
        costs, signs = np.concatenate([self.costs, costs]), np.concatenate([self.signs, signs])
        best = np.argsort(costs, kind="stable")[: self.keep]
        self.costs, self.signs = costs[best], signs[best]
