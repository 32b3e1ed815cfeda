"""Parameter sets drawn from what the data, the prior and the constraints leave open: a normal distribution within a convex set.

With data and prior in units of the noise the posterior density is exp(-½ ‖A x - b‖²) where the constraints hold, and zero elsewhere.
In coordinates u in which the untruncated posterior is the standard normal distribution, a particle of random velocity w moves on
u cos t + w sin t and is mirrored where a matrix inequality F(u) ⪰ 0 would fail; where it is after a while is a draw, and no draw is
rejected (Pakman, Paninski, J. Comput. Graph. Stat. 23, 2014; for matrix inequalities Chalkis, Emiris, Fisikopoulos, Repouskos,
Tsigaridas 2022). Several chains start far apart and go on until they agree (split R̂; Gelman et al., Bayesian Data Analysis, 11.4).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dynident.core.arrays import Array
from dynident.errors import DynidentError, InputError, ValueRangeError
from dynident.feasibility.problem import RetrievalProblem
from dynident.feasibility.solvers.interior.central_path import enter, wander
from dynident.feasibility.solvers.interior.newton import Cone, Interior, centre, least_margin
from dynident.feasibility.solvers.interior.reduced import Reduced

#: Chains agree when R̂ of every parameter is below this.
AGREEMENT = 1.05
_CHAINS = 4
#: Draws of each chain before they are compared for the first time, and how often that number may be doubled.
_FIRST_DRAWS = 100
_DOUBLINGS = 5
#: A path goes on for this long on average; after π / 2 a path that meets no boundary has forgotten where it began.
_TIME = 0.5 * np.pi
_MOST_MIRRORINGS = 100_000
#: A path stops short of the boundary by this share of the way to the middle.
_SHORT = 1e-8


@dataclass(frozen=True, kw_only=True, eq=False)
class PosteriorSamples:
    """Draws from a posterior, every one within the constraints.

    x : (draws, p)        Standard columns: links, then friction.
    agreement : float     The largest split R̂ over the parameters; 1 where the chains can't be told apart.
    effective : float     How many independent draws the chains are worth, for the parameter where that is least.
    """

    x: Array
    agreement: float
    effective: float
    seed: int


def sample_posterior(
    problem: RetrievalProblem, count: int, *, seed: int = 0, progress: Callable[[float], None] | None = None
) -> PosteriorSamples:
    """Draw `count` parameter sets from the posterior of a problem whose rows are in units of the noise.

    Raises InputError where data and prior together leave a direction open, or a constraint is not convex, and DynidentError where the
    chains still disagree after a long time.
    """
    if count < 1:
        raise ValueRangeError("count", f"is {count}; at least one sample is needed")
    if problem.terms.nonconvex:
        raise InputError(f"samples need convex constraints, and {problem.terms.nonconvex[0].name!r} is not; leave it out")
    walk = _Walk.of(problem)
    rngs = [np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(_CHAINS)]
    interior = _interior(walk.cones, walk.dimension)
    chains: list[list[Array]] = [[wander(interior, walk.middle, rng)] for rng in rngs]  # further apart than draws are
    draws = max(_FIRST_DRAWS, -(-2 * count // _CHAINS))
    agreement = effective = float("nan")
    for _ in range(_DOUBLINGS):
        for number, (chain, rng) in enumerate(zip(chains, rngs, strict=True)):
            while len(chain) < draws:
                chain.append(walk.travel(chain[-1], _TIME * rng.uniform(0.5, 1.5), rng))
                if progress is not None:
                    progress((number + len(chain) / draws) / _CHAINS)
        settled = np.array([chain[len(chain) // 2 :] for chain in chains])  # the first half is on its way from the starts
        agreement, effective = judge_chains(settled)
        if agreement <= AGREEMENT:
            flat = settled.reshape(-1, walk.dimension)
            chosen = np.linspace(0, len(flat) - 1, count).round().astype(np.intp)
            return PosteriorSamples(x=walk.to_x(flat[chosen]), agreement=agreement, effective=effective, seed=seed)
        draws *= 2
    raise DynidentError(f"{_CHAINS} chains of {draws // 2} draws each still disagree (R̂ = {agreement:.2f}); the set is too thin to walk in")


def judge_chains(chains: Array) -> tuple[float, float]:
    """The largest split R̂ and the smallest effective number of draws of (chains, draws, parameters)."""
    half = chains.shape[1] // 2
    split = np.concatenate([chains[:, :half], chains[:, half : 2 * half]])
    m, n, _ = split.shape
    within = split.var(axis=1, ddof=1).mean(axis=0)
    between = n * split.mean(axis=1).var(axis=0, ddof=1)
    total = (n - 1) / n * within + between / n
    agreement = np.sqrt(total / within)
    effective = m * n * np.minimum(1.0, total / between)
    return float(agreement.max()), float(effective.min())


@dataclass(frozen=True, kw_only=True, eq=False)
class _Walk:
    """x = unit (origin + basis u), where the untruncated posterior of u is the standard normal distribution.

    middle : (d,) a point well inside the cones, which are scaled so that every F(middle) is the identity.
    """

    origin: Array
    basis: Array
    cones: tuple[Cone, ...]
    middle: Array
    unit: float

    @staticmethod
    def of(problem: RetrievalProblem) -> _Walk:
        reduced = Reduced.of(problem)
        A, b = problem.rows
        unit = reduced.unit
        rows = np.column_stack([unit * (A @ reduced.basis), b - unit * (A @ reduced.origin)])
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
        cones = tuple(Cone.of(batch, origin, basis, unit=unit) for batch in problem.batches)
        middle = _middle(cones, d)
        return _Walk(origin=origin, basis=basis, cones=tuple(_at_unity(cone, middle) for cone in cones), middle=middle, unit=unit)

    @property
    def dimension(self) -> int:
        return self.basis.shape[1]

    def to_x(self, u: Array) -> Array:
        return self.unit * (self.origin + u @ self.basis.T)

    def travel(self, u: Array, time: float, rng: np.random.Generator) -> Array:
        """Where a path of the given time ends that leaves u with a random velocity and is mirrored at the boundary."""
        w = rng.normal(size=self.dimension)
        for _ in range(_MOST_MIRRORINGS):
            turn, cone = self._first_hit(u, w, time)
            end = self._along(u, w, turn)
            if (outside := self._outside(end)) is not None:
                # rounding can hide a root where the path only grazes the boundary
                turn, cone = self._last_inside(u, w, turn), outside
                end = self._along(u, w, turn)
            u, w = end, w * np.cos(turn) - u * np.sin(turn)
            if cone is None:
                return u
            n = _normal(cone, u)
            w = w - 2.0 * (w @ n) / (n @ n) * n
            time -= turn
        return u

    def _along(self, u: Array, w: Array, t: float) -> Array:
        """u cos t + w sin t, a hair nearer to the middle: on the boundary the matrices could not be factorised."""
        end = u * np.cos(t) + w * np.sin(t)
        return end + _SHORT * (self.middle - end)

    def _first_hit(self, u: Array, w: Array, time: float) -> tuple[float, Cone | None]:
        """When u cos t + w sin t first meets the boundary, and that of which cone; the whole time and None where it doesn't.

        With z = tan(t / 2), F(u) = L Lᵀ and C = 2 F(0) - F(u), F along the path is singular where
        det(1 + 2 z L⁻¹ F'(w) L⁻ᵀ + z² L⁻¹ C L⁻ᵀ) = 0, so that 1 / z is an eigenvalue of a companion matrix.
        """
        first: Cone | None = None
        for cone in self.cones:
            F = cone.values(u)
            largest = float(_largest_roots(F, cone.tensor @ w, 2.0 * cone.constant - F).max())
            if largest > 0.0 and (t := 2.0 * float(np.arctan(1.0 / largest))) < time:
                first, time = cone, t
        return time, first

    def _outside(self, u: Array) -> Cone | None:
        return next((cone for cone in self.cones if least_margin((cone,), u) <= 0.1 * _SHORT), None)

    def _last_inside(self, u: Array, w: Array, high: float) -> float:
        low = 0.0
        for _ in range(50):
            t = 0.5 * (low + high)
            low, high = (t, high) if self._outside(self._along(u, w, t)) is None else (low, t)
        return low


def _largest_roots(F: Array, V: Array, C: Array) -> Array:
    """(blocks,) the largest real λ with det(λ² F + 2 λ V + C) = 0, negative where there is none that is positive."""
    blocks, k, _ = F.shape
    if k == 1:
        f, v, c = F[:, 0, 0], V[:, 0, 0], C[:, 0, 0]
        inside = v**2 - f * c
        return np.where(inside >= 0.0, (np.sqrt(np.maximum(inside, 0.0)) - v) / f, -1.0)
    L = np.linalg.inv(np.linalg.cholesky(F))
    companion = np.zeros((blocks, 2 * k, 2 * k))
    companion[:, :k, :k] = -2.0 * (L @ V @ L.swapaxes(1, 2))
    companion[:, :k, k:] = -(L @ C @ L.swapaxes(1, 2))
    companion[:, k:, :k] = np.eye(k)
    values = np.linalg.eigvals(companion)
    real = np.abs(values.imag) <= 1e-9 * np.abs(values)
    return np.where(real, values.real, -1.0).max(axis=1)


def _normal(cone: Cone, u: Array) -> Array:
    """(d,) the gradient of the smallest eigenvalue of a cone's blocks: the boundary's normal where that is zero."""
    values, vectors = np.linalg.eigh(cone.values(u))
    block = int(np.argmin(values[:, 0]))
    v = vectors[block, :, 0]
    return np.einsum("k,klp,l->p", v, cone.tensor[block], v)


def _middle(cones: tuple[Cone, ...], d: int) -> Array:
    """The maximum of the density times the determinants of all F(u): where draws are, but not at the edge."""
    interior = _interior(cones, d)
    u, margin = enter(interior, np.zeros(d))
    if margin <= 0.0:
        raise InputError("the constraints leave no room to draw samples from: they have no interior; drop equalities written as two bounds")
    return centre(interior, u, 0.5)[0]


def _at_unity(cone: Cone, middle: Array) -> Cone:
    """The same set with F(middle) = 1, whatever the units: how far a point is from the boundary is then a share of the way there."""
    L = np.linalg.inv(np.linalg.cholesky(cone.values(middle)))
    tensor = np.einsum("bij,bjkp,blk->bilp", L, cone.tensor, L)
    return Cone(constant=L @ cone.constant @ L.swapaxes(1, 2), tensor=tensor)


def _interior(cones: tuple[Cone, ...], d: int) -> Interior:
    return Interior(A=np.eye(d), b=np.zeros(d), cones=cones, anchor=np.zeros(d), spread=np.full(d, 1e3))
