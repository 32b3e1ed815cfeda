"""Parameter sets drawn from what the data, the prior and the constraints leave open: a normal distribution within a convex set.

With data and prior in units of the noise the posterior density is exp(-½ ‖A x - b‖²) where the constraints hold, and zero elsewhere.
In coordinates u in which the untruncated posterior is the standard normal distribution, a particle of random velocity w moves on
u cos t + w sin t and is mirrored where a matrix inequality F(u) ⪰ 0 would fail; where it is after a while is a draw, and no draw is
rejected (Pakman, Paninski, J. Comput. Graph. Stat. 23, 2014; for matrix inequalities Chalkis, Emiris, Fisikopoulos, Repouskos,
Tsigaridas 2022). Several chains start far apart and go on until they agree and are worth enough independent draws (split R̂, effective
number of draws; Gelman et al., Bayesian Data Analysis, 11.4 and 11.5).

The prior of the draws has the metric of the retrieval's, and the nominal link as its mean where that has it as its mode: the boundary cuts
off what is lighter, and links that the data leave open would else be about twice as heavy on average as the prior says.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from dynident.core.arrays import Array, IntArray
from dynident.core.sizes import check_count
from dynident.errors import DynidentError, InputError, ValueRangeError
from dynident.feasibility.mirrored_path import travel
from dynident.feasibility.problem import RetrievalProblem
from dynident.feasibility.solvers.interior.central_path import enter
from dynident.feasibility.solvers.interior.newton import Cone, Interior, centre
from dynident.feasibility.solvers.interior.reduced import Reduced

#: Chains agree when R̂ of every parameter is below this.
AGREEMENT = 1.05
#: More independent draws than these are not waited for, however many samples are asked for.
ENOUGH = 400
_CHAINS = 4
#: Draws of each chain before they are compared for the first time, and how often that number may be doubled.
_FIRST_DRAWS = 100
_DOUBLINGS = 6
#: A path goes on for this long on average; after π / 2 a path that meets no boundary has forgotten where it began.
_TIME = 0.5 * np.pi
_MOST_MIRRORINGS = 100_000
#: Newton's method goes on so often from where it stopped; the way from a point that is only feasible can be long.
_CENTRINGS = 20
#: The chains start where paths from the middle end that are this many times as fast: further apart than draws are.
_APART = 3.0
#: A path stops short of the boundary by this share of the way to the middle.
_SHORT = 1e-8


class NotConvergedError(DynidentError):
    """Chains that still disagree, or whose draws are worth too few independent ones. Attributes: `agreement`, `effective`, `draws`."""

    def __init__(self, agreement: float, effective: float, draws: int) -> None:
        self.agreement, self.effective, self.draws = agreement, effective, draws
        super().__init__(
            f"the samples have not converged: after {draws} draws in {_CHAINS} chains R̂ is {agreement:.2f} (at most {AGREEMENT} is "
            f"needed), and they are worth {effective:.0f} independent ones",
            remedy="ask for fewer samples, or retrieve with constraints that leave more room",
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Draws:
    """Draws from a posterior, every one within the constraints.

    x : (count, p)        Standard columns: links, then friction.
    agreement : float     The largest split R̂ over the parameters; 1 where the chains can't be told apart.
    effective : float     How many independent draws the chains are worth, for the parameter where that is least.
    draws : int           That were made in all, and of which these are a part.
    """

    x: Array
    agreement: float
    effective: float
    draws: int


def draw_posterior(problem: RetrievalProblem, count: int, *, seed: int = 0, progress: Callable[[float], None] | None = None) -> Draws:
    """Draw `count` parameter sets from the posterior of a problem whose rows are in units of the noise.

    Raises InputError where data and prior together leave a direction open, a constraint is not convex, or links need not be bodies, and
    NotConvergedError where the chains still disagree after a long time.
    """
    if count < 1:
        raise ValueRangeError("count", f"is {count}; at least one sample is needed")
    check_count("count", count, each=20 * len(problem.base.columns.names), what="parameter sets")
    if problem.terms.nonconvex:
        raise InputError(f"samples need convex constraints, and {problem.terms.nonconvex[0].name!r} is not; leave it out")
    free = _unconstrained_link(problem)
    if free is not None:
        raise InputError(
            f"samples are bodies that can exist, and physical consistency is not asked of {free!r}", remedy="retrieve links with it"
        )
    if problem.prior is not None:
        problem = replace(problem, prior=problem.prior.averaged())
    walk = _Walk.of(problem)
    rngs = [np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(_CHAINS)]
    chains = [[walk.travel(walk.middle, _TIME, rng, speed=_APART)] for rng in rngs]
    draws = max(_FIRST_DRAWS, -(-2 * count // _CHAINS))
    agreement = effective = float("nan")
    for _ in range(_DOUBLINGS):
        while len(chains[0]) < draws:
            for chain, rng in zip(chains, rngs, strict=True):
                chain.append(walk.travel(chain[-1], _TIME * rng.uniform(0.5, 1.5), rng))
            if progress is not None:
                progress(len(chains[0]) / draws)
        settled = np.array([chain[len(chain) // 2 :] for chain in chains])  # the first half is on its way from the starts
        agreement, effective = judge_chains(settled)
        if agreement <= AGREEMENT and effective >= min(count, ENOUGH):
            flat = settled.reshape(-1, walk.dimension)
            chosen = np.linspace(0, len(flat) - 1, count).round().astype(np.intp)
            x = walk.to_x(flat[chosen])
            if any(problem.violations(row) for row in x):
                raise DynidentError("a sample breaks a constraint by more than rounding; this is a defect, please report it")
            return Draws(x=x, agreement=agreement, effective=effective, draws=_CHAINS * draws)
        draws *= 2
    raise NotConvergedError(agreement, effective, _CHAINS * draws // 2)


def _unconstrained_link(problem: RetrievalProblem) -> str | None:
    """A link whose ten parameters no single inequality holds together, as physical consistency does; None where there is none."""
    held = [set(block.indices.tolist()) for block in problem.terms.blocks]
    columns = problem.base.columns
    names = enumerate(problem.base.robot.link_names)
    return next((name for i, name in names if not any(set(columns.of_link(i)) <= indices for indices in held)), None)


def judge_chains(chains: Array) -> tuple[float, float]:
    """The largest split R̂ and the smallest effective number of draws of (chains, draws, parameters)."""
    half = chains.shape[1] // 2
    split = np.concatenate([chains[:, :half], chains[:, half : 2 * half]])
    m, n, _ = split.shape
    within = split.var(axis=1, ddof=1).mean(axis=0)
    total = (n - 1) / n * within + split.mean(axis=1).var(axis=0, ddof=1)
    spectrum = np.abs(np.fft.rfft(split - split.mean(axis=1, keepdims=True), 2 * n, axis=1)) ** 2
    covariance = np.fft.irfft(spectrum, axis=1)[:, :n].mean(axis=0) / n
    correlation = 1.0 - (within - covariance) / total
    # the sums of pairs are positive and fall (Geyer 1992): noise is what comes after the first that is not positive
    pairs = correlation[: n - n % 2].reshape(-1, 2, correlation.shape[1]).sum(axis=1)
    pairs = np.minimum.accumulate(np.where(np.minimum.accumulate(pairs > 0.0, axis=0), pairs, 0.0), axis=0)
    effective = m * n / np.maximum(2.0 * pairs.sum(axis=0) - 1.0, 1.0)
    return float(np.sqrt(total / within).max()), float(effective.min())


@dataclass(frozen=True, kw_only=True, eq=False)
class _Walk:
    """x = units (origin + basis u), where the untruncated posterior of u is the standard normal distribution.

    middle : (d,) a point well inside the cones, which are scaled so that every F(middle) is the identity.
    """

    origin: Array
    basis: Array
    cones: tuple[Cone, ...]
    middle: Array
    units: Array

    @staticmethod
    def of(problem: RetrievalProblem) -> _Walk:
        reduced = Reduced.of(problem)
        A, b = problem.rows
        units = reduced.units
        rows = np.column_stack([(A * units) @ reduced.basis, b - A @ (units * reduced.origin)])
        scale = np.linalg.norm(rows[:, :-1], axis=0)
        scale[scale == 0.0] = 1.0
        rows[:, :-1] /= scale
        d = len(scale)
        R: Array = np.asarray(np.linalg.qr(rows, mode="r"), dtype=float)[:d]
        diagonal = np.abs(np.diag(R[:, :d]))
        if len(R) < d or diagonal.min() <= 1e-12 * diagonal.max():
            raise InputError("data and prior together leave a parameter open, so there is no posterior to draw from; give a prior")
        inverse = np.linalg.inv(R[:, :d]) / scale[:, None]
        basis = reduced.basis @ inverse
        origin = reduced.origin + reduced.basis @ (inverse @ R[:, d])
        cones = tuple(Cone.of(batch, origin, basis) for batch in problem.batches)
        middle = _middle(cones, d)
        return _Walk(origin=origin, basis=basis, cones=tuple(_at_unity(cone, middle) for cone in cones), middle=middle, units=units)

    @property
    def dimension(self) -> int:
        return self.basis.shape[1]

    def to_x(self, u: Array) -> Array:
        return self.units * (self.origin + u @ self.basis.T)

    @cached_property
    def _flat(self) -> tuple[Array, Array, IntArray]:
        """The blocks for the compiled path: their entries (q, d) and (q,) row by row, and their sizes."""
        tensor = np.concatenate([cone.tensor.reshape(-1, self.dimension) for cone in self.cones])
        constant = np.concatenate([cone.constant.ravel() for cone in self.cones])
        return tensor, constant, np.concatenate([np.full(len(cone.constant), cone.size) for cone in self.cones])

    def travel(self, u: Array, time: float, rng: np.random.Generator, speed: float = 1.0) -> Array:
        """Where a path of the given time ends that leaves u with a random velocity and is mirrored at the boundary."""
        w = speed * rng.normal(size=self.dimension)
        end, mirrored = travel(*self._flat, self.middle, u, w, time, _SHORT, _MOST_MIRRORINGS)
        if mirrored == _MOST_MIRRORINGS:
            raise DynidentError("a path is mirrored without end; the set is too thin to walk in", remedy="loosen a constraint")
        return end


def _middle(cones: tuple[Cone, ...], d: int) -> Array:
    """The maximum of the density times the determinants of all F(u): where draws are, but not at the edge."""
    interior = _interior(cones, d)
    u, margin = enter(interior, np.zeros(d))
    if margin <= 0.0:
        raise InputError("the constraints leave no room to draw samples from: they have no interior; drop equalities written as two bounds")
    for _ in range(_CENTRINGS):
        u, centred = centre(interior, u, 0.5)
        if centred:
            return u
    raise DynidentError("no middle of the constraints was found to draw samples from; the set is too thin", remedy="loosen a constraint")


def _at_unity(cone: Cone, middle: Array) -> Cone:
    """The same set with F(middle) = 1, whatever the units: how far a point is from the boundary is then a share of the way there."""
    L = np.linalg.inv(np.linalg.cholesky(cone.values(middle)))
    tensor = np.einsum("bij,bjkp,blk->bilp", L, cone.tensor, L)
    return Cone(constant=L @ cone.constant @ L.swapaxes(1, 2), tensor=tensor)


def _interior(cones: tuple[Cone, ...], d: int) -> Interior:
    return Interior(A=np.eye(d), b=np.zeros(d), cones=cones, anchor=np.zeros(d), spread=np.full(d, 1e3))
