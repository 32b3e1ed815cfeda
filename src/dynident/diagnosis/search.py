"""The search for what is wrong with a log: a beam over readings, each of which costs its evidence and what is against it beforehand.

From every reading in the beam all generators propose what else may be wrong; the cheapest few go on. What is found so is a set of
candidates that explain the log together. Each is then judged against the readings without it: those that cost hardly more are tied.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from dynident.diagnosis.case import Case, is_well_explained
from dynident.diagnosis.correction import Correction
from dynident.diagnosis.evidence import Explanation
from dynident.diagnosis.finding import Evidence

#: What a further candidate must gain in -2 log p, beside what is against it beforehand; 20 before the development set was seen.
LEAST = 6.0
#: Readings that go on, how far behind the best they may be in -2 log p, also where it explains the log well, and how many candidates
#: there can be in one.
_BEAM, _BEHIND, _CLOSE, _DEEPEST = 3, 400.0, 30.0, 5


@dataclass(frozen=True, eq=False)
class Candidate:
    """Something that may be wrong.

    Attributes
    ----------
    check : str
        Name of the check that looks for it.
    sentence : str
        What is wrong.
    correction : Correction
        What mends it, after the corrections before it.
    joints : tuple of int
        Whom it concerns, from 0; empty where it is all of them.
    nats : float
        How improbable it is beforehand.
    evidence : tuple of Evidence
        In numbers.
    which : str
        What tells it from others of its check and joints; nothing where those differ by a number only.
    payload : bool
        Whether the robot carries something that the description does not have.
    """

    check: str
    sentence: str
    correction: Correction
    joints: tuple[int, ...] = ()
    nats: float = 0.0
    evidence: tuple[Evidence, ...] = ()
    which: str = ""
    payload: bool = False

    @property
    def key(self) -> tuple[object, ...]:
        return (self.check, self.joints, self.which)


@dataclass(frozen=True, kw_only=True, eq=False)
class Hypothesis:
    """Candidates that are all true together, and what the log costs then.

    Attributes
    ----------
    candidates : tuple of Candidate
        In the order in which their corrections are applied.
    correction : Correction
        All of them.
    explanation : Explanation
        Of the dynamics.
    cost : float
        -2 log p, what is against the candidates beforehand included.
    """

    candidates: tuple[Candidate, ...]
    correction: Correction
    explanation: Explanation
    cost: float

    def has(self, *checks: str) -> bool:
        """Whether one of its candidates is of one of these checks."""
        return any(item.check in checks for item in self.candidates)

    @property
    def keys(self) -> frozenset[tuple[object, ...]]:
        return frozenset(item.key for item in self.candidates)

    @property
    def payload(self) -> bool:
        return any(item.payload for item in self.candidates)


def join_corrections(columns: int, candidates: Iterable[Candidate]) -> Correction:
    """Of all candidates, one after another."""
    correction = Correction.of(columns)
    for item in candidates:
        correction = correction.then(item.correction)
    return correction


Generator = Callable[[Case, Hypothesis], Iterator[Candidate]]


class Search:
    """All hypotheses about a case that were judged."""

    def __init__(self, case: Case, generators: Sequence[Generator], names: Collection[str]) -> None:
        self.case, self.generators, self.names = case, generators, names
        self.judged: dict[frozenset[tuple[object, ...]], Hypothesis] = {}
        self._expanded: set[frozenset[tuple[object, ...]]] = set()
        self.root = self._keep(self.judge(()))

    def judge(self, candidates: Sequence[Candidate], start: Hypothesis | None = None) -> Hypothesis:
        """What the log costs with all of these."""
        correction = join_corrections(self.case.robot.n, candidates)
        payload = any(item.payload for item in candidates)
        explanation = self.case.explain(correction, payload=payload, start=None if start is None else start.explanation)
        cost = explanation.cost + self.case.kinematics.cost(correction) + 2.0 * sum(item.nats for item in candidates)
        return Hypothesis(candidates=tuple(candidates), correction=correction, explanation=explanation, cost=cost)

    def run(self) -> Hypothesis:
        """The cheapest reading, of candidates that each gain something beside the others."""
        beam, best = [self.root], self.root
        for _ in range(_DEEPEST):
            children = sorted((child for parent in beam for child in self.expand(parent)), key=lambda item: item.cost)
            if not children or children[0].cost > best.cost - LEAST:
                break
            best = children[0]
            behind = _CLOSE if is_well_explained(best.explanation) else _BEHIND
            beam = [child for child in _differing(children) if child.cost < best.cost + behind][:_BEAM]
        return self.prune(best)

    def expand(self, parent: Hypothesis) -> list[Hypothesis]:
        """The reading with each candidate that the generators propose for it, where it gains something."""
        if parent.keys in self._expanded:
            return []
        self._expanded.add(parent.keys)
        children: list[Hypothesis] = []
        for generator in self.generators:
            for candidate in generator(self.case, parent):
                if candidate.key not in parent.keys and candidate.check in self.names:
                    child = self.judge((*parent.candidates, candidate), parent)
                    self._keep(child)
                    if child.cost < parent.cost:
                        children.append(child)
        return children

    def alternatives(self, best: Hypothesis, candidate: Candidate) -> list[Hypothesis]:
        """Readings without a candidate of the best one, the cheapest first; not those that are the same in other words."""
        rest = [item for item in best.candidates if item is not candidate]
        without = self._keep(self.judge(rest, best))
        self.expand(without)
        others = (item for keys, item in self.judged.items() if candidate.key not in keys and not self._is_same(item, best))
        return sorted(others, key=lambda item: item.cost)

    def _is_same(self, one: Hypothesis, other: Hypothesis) -> bool:
        kinematics = self.case.kinematics
        return one.explanation is other.explanation and kinematics.cost(one.correction) == kinematics.cost(other.correction)

    def _keep(self, item: Hypothesis) -> Hypothesis:
        known = self.judged.get(item.keys)
        if known is None or item.cost < known.cost:
            self.judged[item.keys] = item
        return self.judged[item.keys]

    def prune(self, best: Hypothesis) -> Hypothesis:
        """Without the candidates that gain nothing beside the others, the least first."""
        while best.candidates:
            rests = [self._keep(self.judge([other for other in best.candidates if other is not item], best)) for item in best.candidates]
            least = min(rests, key=lambda item: item.cost)
            if least.cost > best.cost + LEAST:
                break
            best = least
        return best


def _differing(children: Iterable[Hypothesis]) -> Iterator[Hypothesis]:
    """One of each kind of candidates."""
    kinds: set[frozenset[object]] = set()
    for child in children:
        kind = frozenset(item.check for item in child.candidates)
        if kind not in kinds:
            kinds.add(kind)
            yield child


def margin(best: Hypothesis, other: Hypothesis) -> float:
    """How many nats more probable the first is."""
    return 0.5 * (other.cost - best.cost)
