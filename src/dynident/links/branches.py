"""Branch and bound over the branches of `Either`: which of them the best parameters take, and a lower bound that holds for all.

A node has chosen some branches and leaves the other rules out, which is a relaxation: its bound is that of every other certificate,
recomputed here from multipliers. Where the relaxation's optimum keeps all rules by itself, the node is settled; else one rule that it
breaks is branched on. Nodes are taken in the order of their bounds, so that the first that is settled is the best one where everything
else is convex. The bound for the whole is the smallest among the nodes that were not shown to be empty.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from dynident.core.options import NoOptions
from dynident.core.texts import count_text
from dynident.links.constraints.terms import Alternatives, Terms, violations
from dynident.links.objective import ROUNDING
from dynident.links.problem import RetrievalProblem
from dynident.links.solvers import sdp
from dynident.links.solvers.certificates import conflicting
from dynident.links.solvers.solver import SolverOptions

#: A branch whose bound is within this share of the best cost can't be better in a way that matters, and is not looked into.
_AS_GOOD = 1e-6


@dataclass(frozen=True, kw_only=True, eq=False)
class Branching:
    """problem : that of the chosen branches, which has no rules left. bound : no parameters that keep the rules have a smaller objective.

    chosen : the branch of each rule, by name. relaxations : how many conic problems were solved.
    """

    problem: RetrievalProblem
    bound: float
    chosen: tuple[tuple[str, str], ...]
    relaxations: int

    @property
    def note(self) -> str:
        how = f"by branch and bound over {count_text(self.relaxations, 'conic problem')}"
        return f"which branches hold was chosen {how}; the lower bound is about all branches"


class ContradictionError(Exception):
    """No combination of branches has parameters. names : conditions that contradict each other, of all combinations."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names


@dataclass(frozen=True, kw_only=True, eq=False)
class _Node:
    """A problem whose rules are left out of its relaxation, and the branches that it has."""

    problem: RetrievalProblem
    rules: tuple[Alternatives, ...]
    chosen: tuple[tuple[str, str], ...] = field(default=())

    def take(self, rule: Alternatives, label: str, terms: Terms) -> _Node:
        """With one branch of one rule, and the rules within it."""
        conditions = self.problem.terms
        joined = Terms.joined([conditions, replace(terms, alternatives=())])
        rest = tuple(item for item in self.rules if item is not rule)
        return _Node(
            problem=replace(self.problem, terms=joined), rules=(*rest, *terms.alternatives), chosen=(*self.chosen, (rule.name, label))
        )

    @property
    def broken(self) -> Alternatives | None:
        """A rule of which the relaxation's optimum keeps no branch: the one that it breaks most."""
        x, units = self.problem.relaxed.x, self.problem.units
        amounts = [(violations(Terms(alternatives=(rule,)), x, units), rule) for rule in self.rules]
        candidates = [(broken[0].amount, rule) for broken, rule in amounts if broken]
        return max(candidates, key=lambda item: item[0])[1] if candidates else None

    def settle(self) -> _Node:
        """With the branches that its relaxation's optimum keeps by itself."""
        x, units, node = self.problem.relaxed.x, self.problem.units, self
        while node.rules:
            rule = node.rules[0]
            label, terms = next(branch for branch in rule.branches if not violations(branch[1], x, units))
            node = node.take(rule, label, terms)
        return node


def choose_branches(problem: RetrievalProblem, options: SolverOptions) -> Branching:
    """The branches of the best parameters; ContradictionError where no combination of branches has any.

    A prior that only breaks ties has no say in it, and gets its weight anew where the branches are chosen. A user's functions are left
    out of the choice. After `options.budget` seconds the best branches so far are taken.
    """
    search = _Search(problem)
    deadline = np.inf if options.budget is None else time.monotonic() + options.budget
    for step in search.run():
        if options.progress is not None:
            options.progress(step)
        if search.best is not None and time.monotonic() >= deadline:
            break
    return search.result()


class _Search:
    """The open nodes, the best settled one, and the smallest bound of those that are done."""

    def __init__(self, problem: RetrievalProblem) -> None:
        self.problem = problem
        prior = problem.prior if problem.prior is None or problem.prior.fixed else None
        plain = replace(problem, prior=prior, terms=replace(problem.terms, alternatives=()), prior_note="", notes=problem.other_notes)
        self.open: list[tuple[float, int, _Node]] = []
        self.best: _Node | None = None
        self.value, self.done, self.relaxations = np.inf, np.inf, 0
        self.empty: list[_Node] = []
        self._add(_Node(problem=plain, rules=problem.terms.alternatives))

    def run(self) -> Iterator[str]:
        """A sentence after every node."""
        while self.open:
            if self.open[0][0] >= self.value - self.tolerance:
                return
            bound, _, node = heapq.heappop(self.open)
            rule = node.broken
            if rule is None:
                self.done = min(self.done, bound)
                self._settle(node)
            else:
                for label, terms in rule.branches:
                    self._add(node.take(rule, label, terms))
            yield f"{self.relaxations} relaxations, {len(self.open)} open"

    @property
    def tolerance(self) -> float:
        return max(ROUNDING * self.problem.goal.scale, _AS_GOOD * self.value if np.isfinite(self.value) else 0.0)

    def result(self) -> Branching:
        if self.best is None:
            raise ContradictionError(tuple(dict.fromkeys(name for node in self.empty for name in _contradiction(node))))
        leaf, prior = self.best.problem, self.problem.prior
        if prior is not None and not prior.fixed:
            leaf = leaf.with_prior(prior)
        bounds = [self.done, *(bound for bound, _, _ in self.open)]
        return Branching(problem=leaf, bound=min(bounds), chosen=self.best.chosen, relaxations=self.relaxations)

    def _add(self, node: _Node) -> None:
        self.relaxations += 1
        floor = node.problem.floor
        if floor is None:
            self.empty.append(node)
        else:
            heapq.heappush(self.open, (floor.bound, self.relaxations, node))

    def _settle(self, node: _Node) -> None:
        leaf = node.settle()
        treatable = tuple(item for item in leaf.problem.terms.nonconvex if item.convex_at is not None)
        target = replace(leaf.problem, terms=replace(leaf.problem.terms, nonconvex=treatable))
        x = sdp.solve(target, SolverOptions(), NoOptions())[0].x
        value = np.inf if target.violations(x) else target.goal.value(x)
        if self.best is None or value < self.value:
            self.best, self.value = leaf, value


def _contradiction(node: _Node) -> tuple[str, ...]:
    return conflicting(node.problem.terms, node.problem.variables)
