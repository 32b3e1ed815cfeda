"""Which constraints contradict each other: an irreducible set, none of which can be left out (deletion filter)."""

from __future__ import annotations

import numpy as np

from dynident.feasibility.constraints.lmi import Block, Equality
from dynident.feasibility.constraints.terms import Terms
from dynident.feasibility.solvers.conic import ConicProgram, ConicStatus


def conflicting(terms: Terms, variables: int) -> tuple[str, ...]:
    """Names of constraints that can't all hold, while any of them left out makes the others possible."""
    members: list[Block | Equality] = [*terms.blocks, *terms.equalities]
    for member in tuple(members):
        rest = [other for other in members if other is not member]
        if not _possible(rest, variables):
            members = rest
    return tuple(dict.fromkeys(member.name for member in members))


def _possible(members: list[Block | Equality], variables: int) -> bool:
    blocks = [member for member in members if isinstance(member, Block)]
    equalities = [member for member in members if isinstance(member, Equality)]
    # a tiny pull to the origin keeps the program bounded; only its feasibility matters
    program = ConicProgram(1e-3 * np.eye(variables), np.zeros(variables), blocks, equalities)
    return program.solve(tolerance=1e-8).status is not ConicStatus.INFEASIBLE
