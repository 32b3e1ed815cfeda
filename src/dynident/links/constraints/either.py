"""Rules of the form if/else: one of several sets of constraints must hold.

"A heavy link 6 leaves less for link 7" is the choice between {m6 >= 1.5, m7 <= 0.9} and {m6 <= 1.5, m7 <= 1.2}. Each branch is convex where
its constraints are, and the whole is solved by branch and bound (`feasibility.branches`), with a lower bound that holds for all branches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dynident.errors import ValueRangeError
from dynident.links.constraints.terms import Alternatives, Constraint, FeasibleSet, Terms
from dynident.regression.equations.columns import Columns
from dynident.robots.robot import Robot

#: How many of its conditions name a branch that has no name.
_NAMED_BY = 3


@dataclass(frozen=True, eq=False)
class Either:
    """At least one of the branches holds; each is a constraint or a set of them.

    Attributes
    ----------
    branches
        Constraints, or sets of them; two or more.
    name
        Of the rule.
    labels
        Of the branches; by default what they say.
    """

    branches: Sequence[Constraint | FeasibleSet]
    name: str = "either"
    labels: Sequence[str] | None = None

    def terms(self, robot: Robot, columns: Columns) -> Terms:
        if len(self.branches) < 2:
            raise ValueRangeError(self.name, f"has {len(self.branches)} branches; two or more were expected")
        branches = [branch.terms(robot, columns) for branch in self.branches]
        labels = self.labels or [""] * len(branches)
        if len(labels) != len(branches):
            raise ValueRangeError(self.name, f"has {len(branches)} branches and {len(labels)} labels; as many were expected")
        for number, terms in enumerate(branches, start=1):
            if not terms.count:
                raise ValueRangeError(self.name, f"has no condition in branch {number}, which would always hold; leave the rule out")
            if function := next((item.name for item in terms.nonconvex if item.convex_at is None), ""):
                remedy = "write its branches as bounds and other built-in constraints, or leave out the rule"
                raise ValueRangeError(self.name, f"has the Python function {function!r} in branch {number}", remedy=remedy)
        named = tuple((label or _describe(terms), terms) for label, terms in zip(labels, branches, strict=True))
        return Terms(alternatives=(Alternatives(name=self.name, branches=named),))


def _describe(terms: Terms) -> str:
    names = list(dict.fromkeys(item.name for item in (*terms.blocks, *terms.equalities, *terms.nonconvex, *terms.alternatives)))
    return ", ".join(names[:_NAMED_BY]) + (f" and {len(names) - _NAMED_BY} more" if len(names) > _NAMED_BY else "")
