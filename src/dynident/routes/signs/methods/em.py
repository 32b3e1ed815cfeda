"""The method for arms with friction: a beam in the order of energy and hundreds of starts, in the metric of the noise.

What the search returns is refined by expectation and maximisation (`dynident.routes.signs.refine`), which gives the method its name.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from dynident.core.arrays import Array
from dynident.core.kinds import Count, Seed
from dynident.core.options import Options, option
from dynident.routes.signs.magnitudes import Magnitudes
from dynident.routes.signs.methods.method import SearchSettings, SignHypotheses, SignMethod
from dynident.routes.signs.search import beam_search, descend, distinct, project, random_signs
from dynident.routes.signs.sign_cost import SignCost, search_levels, sign_cost

#: Starts that descend together, so that memory stays small.
_BATCH = 100


@dataclass(frozen=True, kw_only=True)
class EmOptions(Options):
    beam: Count = option(16, "Sign vectors that the beam keeps.")
    starts: Seed = option(200, "Random starts beside it.")
    hypotheses: Count = option(8, "Best sign vectors that are looked at further.")


def search(magnitudes: Magnitudes, settings: SearchSettings, options: EmOptions) -> SignHypotheses:
    cost = sign_cost(magnitudes, search_levels(magnitudes))
    settings.say(f"searching the signs of {len(magnitudes.segments)} segments")
    candidates = [
        descend(
            cost,
            beam_search(
                cost, segment_grams(magnitudes, cost.levels), width=options.beam, order=np.argsort(-cost.energies).astype(np.int64)
            ),
        )
    ]
    rng = settings.generator
    begun = [random_signs(cost, min(_BATCH, options.starts - first), rng) for first in range(0, options.starts, _BATCH)]
    candidates += settings.map(partial(_settle, cost), begun)
    signs, costs = distinct(cost, np.concatenate(candidates), options.hypotheses)
    return SignHypotheses(segments=magnitudes.segments, signs=signs, costs=costs)


def _settle(cost: SignCost, signs: Array) -> Array:
    return descend(cost, project(cost, signs))


METHOD = SignMethod(
    name="em",
    summary="beam and many starts, refined sample by sample; right on arms of seven joints with friction, in seconds",
    search=search,
    options=EmOptions,
)


def segment_grams(magnitudes: Magnitudes, levels: Array) -> Array:
    """(S, b, b) Σ Y_tᵀ Y_t of each segment in units of the noise."""
    rank = magnitudes.base.rank
    grams = np.zeros((len(magnitudes.segments), rank, rank))
    for j, (group, Y) in enumerate(zip(magnitudes.groups, magnitudes.rows, strict=True)):
        for k, at in magnitudes.segment_rows[j]:
            rows = Y[at] / levels[j]
            grams[k][np.ix_(group.columns, group.columns)] = rows.T @ rows
    return grams
