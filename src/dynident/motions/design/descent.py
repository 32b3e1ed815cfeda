"""One start of the search: from a random motion downhill, round by round sharper and stricter, always keeping a valid answer.

A start can pause after its first rounds, so that only the best of several go on.

Each round minimises criterion + weight · penalty with L-BFGS. Its result is repaired: amplitudes shrink towards standing
still at a position that keeps all limits, until the trajectory does at ten times the search's sampling. What a round found
is therefore a trajectory that can be driven, whenever the search is stopped.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from importlib import import_module
from itertools import count
from typing import Any

import numpy as np

from dynident.core.arrays import Array
from dynident.errors import require
from dynident.motions.design.assumptions import Assumptions
from dynident.motions.design.criterion import Criterion, Sensitivity, condition_number, motion_gradient
from dynident.motions.design.parametrisation import Parametrisation
from dynident.motions.design.shrinking import largest_share
from dynident.motions.limits.margins import LENGTH_RESERVE, iterate_margins
from dynident.motions.limits.penalty import Penalty
from dynident.motions.trajectories.trajectory import SampledMotion
from dynident.robots.robot import Robot

#: Sharpness of the criterion, weight of the penalty, and share of the iterations, round by round.
ROUNDS = ((2.0, 1e1, 0.2), (4.0, 1e2, 0.35), (8.0, 1e3, 0.5), (16.0, 1e3, 0.7), (32.0, 1e4, 1.0), (64.0, 1e4, 1.0))
#: A criterion that is smooth by itself needs no more of them: in two v_optimal starts on a Panda the later ones gained nothing.
SMOOTH_ROUNDS = ROUNDS[:3]
#: Rounds that follow where limits that are not convex (links, torques) are still exceeded: a heavier penalty, the sharpness of the last.
#: Of 41 starts with such rounds (Panda, UR5, KUKA LWR IV+), one gained something after a round that had gained nothing, 0.3 %.
STRICTER = ((64.0, 1e4, 0.3), (64.0, 1e5, 0.3), (64.0, 1e6, 0.3), (64.0, 1e7, 0.3))
#: Rounds after which starts can be compared, to go on with the best. Of 8 starts, the one that ended best was among the three with the
#: least objective at that point for the Panda (seeds 0 and 2, and `condition`), the UR5 and the KUKA LWR IV+; for the Panda's seed 1 it was
#: the fourth, 0.1 % better than the best of the three. After one round it was the seventh (seed 2) or the last (seed 1, UR5). The values of
#: repaired motions say less: the start that ended best had the worst of them in two of six searches.
FIRST = 2
#: Trajectories are checked at this many times the search's sampling,
FINER = 10
#: and there keep this share of every limit in reserve for what peaks in between.
RESERVE = 2e-4
#: Size of the random start in the scaled unknowns.
_SPREAD = 0.3
#: A step of the line search that ends beyond this [rad | m] is charged by its length alone, so that it turns back.
_FAR = 1e5
#: Share of a start that is told at most before it ends.
_ALMOST = 0.98
#: Corrections that L-BFGS keeps.
_MEMORY = 30


@dataclass(frozen=True, kw_only=True, eq=False)
class TrajectoryCandidate:
    """A valid trajectory that a start found.

    value : float                  What was minimised: κ, or what `Criterion` says of its kind.
    history : tuple                (evaluations, value) after each round.
    interrupted : bool             The user stopped this start.
    paused : PausedStart or None   Where the start goes on, unless it has ended.
    """

    x: Array
    value: float
    condition_number: float
    start: int = 0
    evaluations: int = 0
    history: tuple[tuple[int, float], ...] = ()
    interrupted: bool = False
    paused: PausedStart | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class PausedStart:
    """Where a start stands after its first rounds.

    x : (z n,)          The unknowns, before the repair.
    centre : (z n,)     Standing still where the start began.
    objective : float   Criterion + weight · penalty of x: what tells best which starts are worth going on with.
    """

    x: Array
    centre: Array
    objective: float


@dataclass(frozen=True, kw_only=True, eq=False)
class DescentSearch:
    """Everything that a start needs; callable as task(start, generator) by `dynident.core.parallel.multi_start`.

    centres : (k, n)     Positions at which standing still keeps every limit.
    assumptions          What the criterion was made of.
    iterations : int     Most iterations of a round.
    deadline : float     Time of day after which no iteration begins [s since 1970].
    note                 Called with the start and the share of its iterations that are done, after each.
    begun                Candidates of starts whose first rounds are done, which go on; None where starts do all rounds at once, empty
                         where they pause after the first.
    """

    robot: Robot
    parametrisation: Parametrisation
    criterion: Criterion
    penalty: Penalty
    centres: Array
    assumptions: Assumptions
    iterations: int = 300
    deadline: float = np.inf
    note: Callable[[int, float], None] | None = None
    begun: Mapping[int, TrajectoryCandidate] | None = None

    def __call__(self, start: int, rng: np.random.Generator) -> TrajectoryCandidate:
        limit_threads: Any = import_module("threadpoolctl").threadpool_limits
        # Matrices are small: BLAS threads cost more than they give, and ten times as much where processes compete for cores.
        with limit_threads(limits=1, user_api="blas"):
            return self._descend(start, rng)

    @property
    def rounds(self) -> tuple[tuple[float, float, float], ...]:
        """The usual rounds."""
        return ROUNDS if self.criterion.kind == "condition" else SMOOTH_ROUNDS

    @property
    def first_share(self) -> float:
        """The share of the iterations of the usual rounds that come before a start pauses."""
        return sum(share for _, _, share in self.rounds[:FIRST]) / sum(share for _, _, share in self.rounds)

    def _descend(self, start: int, rng: np.random.Generator) -> TrajectoryCandidate:
        """A start, or a part of it. The share that is told counts the iterations of the usual rounds, and stops where stricter ones follow.

        A stricter round that gains nothing is the last.
        """
        best = self.begun[start] if self.begun else self._begin(start, rng)
        paused = require(best.paused, "where the start goes on")
        x, centre, rounds = paused.x, paused.centre, self.rounds
        remaining = (*rounds, *(stricter for stricter in STRICTER if stricter[1] > rounds[-1][1]))[len(best.history) :]
        remaining = remaining[:FIRST] if self.begun == {} else remaining
        planned = sum(share for _, _, share in rounds)
        reported = sum(share for _, _, share in rounds[: len(best.history)])
        objective = paused.objective
        try:
            for sharpness, weight, share in remaining:
                is_stricter = weight > rounds[-1][1]
                if (is_stricter and self.keeps(x)) or self._is_late():
                    break
                penalty = self.penalty.look_between(self.parametrisation.motion(x), self.parametrisation.motion(x, self._fine_times))
                iterations = max(1, round(share * self.iterations))
                tell = partial(self._tell, start, reported / planned, share / planned / iterations)
                x, objective, evaluations = replace(self, penalty=penalty)._round(x, sharpness, weight, iterations, tell)
                reported += share
                repaired = self.repair(x, centre)
                is_better = repaired.value < best.value
                history = (*best.history, (best.evaluations + evaluations, min(repaired.value, best.value)))
                best = replace(repaired if is_better else best, start=start, evaluations=best.evaluations + evaluations, history=history)
                if is_stricter and not is_better:
                    break
        except KeyboardInterrupt:
            return replace(best, interrupted=True, paused=None)
        return replace(best, paused=PausedStart(x=x, centre=centre, objective=objective) if self.begun == {} else None)

    def _begin(self, start: int, rng: np.random.Generator) -> TrajectoryCandidate:
        """A random motion about one of the centres."""
        centre = self.parametrisation.standing_still(self.centres[int(rng.integers(len(self.centres)))])
        x = centre + _SPREAD * rng.normal(size=centre.shape)
        best = self.repair(x, centre)
        if not self.penalty.is_convex:  # from outside, the search could end on the wrong side of a link
            x = best.x
        return replace(best, start=start, paused=PausedStart(x=x, centre=centre, objective=np.inf))

    def _tell(self, start: int, begun: float, step: float, iteration: int) -> None:
        """The share of a start that is done after so many iterations of a round."""
        if self.note is not None:
            self.note(start, min(_ALMOST, begun + step * iteration))

    def _is_late(self) -> bool:
        return time.time() >= self.deadline

    def objective(self, x: Array, sharpness: float, weight: float) -> tuple[float, Array]:
        """Criterion + weight · penalty, and the gradient by the unknowns."""
        motion = self.parametrisation.motion(x)
        if np.abs(motion.q).max() > _FAR:
            away = SampledMotion(2.0 * motion.q, np.zeros_like(motion.q), np.zeros_like(motion.q))
            return float((motion.q**2).sum()), self.parametrisation.gradient(away)
        value, by = self.criterion.evaluate(motion, sharpness)
        excess, by_motion, by_regressor = self.penalty.evaluate(motion)
        if by_regressor is not None:  # torques are the regressor times parameters, so their share comes with the same evaluations
            by = Sensitivity(by.rigid + weight * by_regressor, by.friction)
        gradient = motion_gradient(self.robot, motion, by, self.criterion.friction)
        total = SampledMotion(*(part + weight * other for part, other in zip(gradient, by_motion, strict=True)))
        return value + weight * excess, self.parametrisation.gradient(total)

    def _round(self, x: Array, sharpness: float, weight: float, iterations: int, tell: Callable[[int], None]) -> tuple[Array, float, int]:
        optimize: Any = import_module("scipy.optimize")  # imported here: `import dynident` stays light

        done = count(1)

        def stop_when_late(intermediate_result: object) -> None:
            tell(next(done))
            if self._is_late():
                raise StopIteration

        function: Callable[[Array], tuple[float, Array]] = lambda x: self.objective(x, sharpness, weight)  # noqa: E731
        options = {"maxiter": iterations, "maxcor": _MEMORY}
        result: Any = optimize.minimize(function, x, jac=True, method="L-BFGS-B", options=options, callback=stop_when_late)
        return np.asarray(result.x, dtype=float), float(result.fun), int(result.nfev)

    def repair(self, x: Array, centre: Array, times: Array | None = None) -> TrajectoryCandidate:
        """The trajectory of x with its amplitudes shrunk towards `centre` as little as all limits need."""
        mean = self.parametrisation.standing_still(self.parametrisation.coefficients(x)[-1])
        if self.keeps(mean, times):  # shrinking in place loses the least, where that is allowed
            centre = mean
        share = largest_share(lambda share: self.keeps(centre + share * (x - centre), times))
        return self._candidate(centre + share * (x - centre))

    def keeps(self, x: Array, times: Array | None = None) -> bool:
        """All limits hold, with the reserve, at `times`; by default at FINER times the search's sampling."""
        t = self._fine_times if times is None else times
        motion, collision = self.parametrisation.motion(x, t), self.penalty.collision
        margins = iterate_margins(self.robot, self.penalty.limits, t, motion, collision, enough=LENGTH_RESERVE)
        return all(m.margin >= LENGTH_RESERVE if np.isnan(m.share) else m.share <= 1.0 - RESERVE for m in margins)

    def _candidate(self, x: Array) -> TrajectoryCandidate:
        motion = self.parametrisation.motion(x, self._fine_times)
        kappa = condition_number(self.criterion.base, motion)
        value = kappa if self.criterion.kind == "condition" else self.criterion.value(motion)
        return TrajectoryCandidate(x=x, value=value, condition_number=kappa)

    @cached_property
    def _fine_times(self) -> Array:
        t, duration = self.parametrisation.times, self.parametrisation.duration
        end = duration if t[-1] >= duration * (1.0 - 1e-9) else t[-1] + t[1]  # of one period, its end is its start
        return np.linspace(0.0, float(end), FINER * len(t) + 1)
