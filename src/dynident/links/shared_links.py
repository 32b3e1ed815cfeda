"""What robots of one model say of the links of the next: a hierarchical prior whose spread is estimated too (empirical Bayes).

Robots of one model have nearly equal links: x_r = μ + d_r. In the entropic metric of the nominal links, u = G (x - nominal), the model's μ
is normal about zero with the weight of a description that is known to a factor of two, and d_r of link i is normal with the weight w_i,
one for each link. The data of robot r, friction eliminated, say ‖T_r x_r - t_r‖² in units of their noise, with the information
Λ_r = T_rᵀ T_r and η_r = T_rᵀ (t_r - T_r nominal) in these coordinates. All is normal, so that (Gelman and others, Bayesian Data Analysis,
2013, chapter 5), with W = diag(w) and S_r = (Λ_r + W)⁻¹,

    information of robot r on μ   M_r = W - W S_r W, with the vector W S_r η_r
    μ | data                      covariance C = (w₀ 1 + Σ M_r)⁻¹, mean C Σ W S_r η_r
    d_r | data                    mean S_r (η_r - Λ_r μ), covariance S_r + S_r Λ_r C Λ_r S_r

The weights follow by expectation and maximisation: 1 / w_i is the mean square of d over the robots, to which one robot that differs by
`USUAL` is added, so that two robots that happen to agree don't make all others equal. The links of the next robot are then normal about
μ with the covariance C + W⁻¹. A robot's own data are left out of what the others say of it. Constraints are not counted here; the
retrieval has them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated

import numpy as np

from dynident.core.arrays import Array
from dynident.core.records import Shape
from dynident.errors import InputError
from dynident.links.friction_prior import friction_std
from dynident.links.objective import posterior_data
from dynident.links.prior import NominalPrior
from dynident.links.retrieve import choose_nominal
from dynident.regression.equations.factors import triangular
from dynident.regression.estimate import Estimate
from dynident.robots.parameters.link_metric import factor_of, link_metric, weight_of

#: The description is known to about this factor, and links of one model usually differ by about this one.
DESCRIBED, USUAL = 2.0, 1.05
#: How much that is believed: as ten numbers of one robot.
_BELIEF = 10.0
_ROUNDS, _SETTLED = 300, 1e-3


@dataclass(frozen=True, kw_only=True, eq=False)
class SharedLinks:
    """Links of one model, from R robots.

    robots, digests : (R,)                  Their names, and what tells their estimates from others.
    nominal : (n, 10), roots : (n, 10, 10)  Where distances are measured, and G of each link: ‖G dx‖² is the squared distance.
    information, vectors : (R, 10 n, 10 n), (R, 10 n)   Λ and η of each robot.
    weights : (n,)                          w of each link: one over the variance between robots, per number of a link.
    """

    link_names: tuple[str, ...]
    robots: tuple[str, ...]
    digests: tuple[str, ...]
    nominal: Annotated[Array, Shape("n 10")]
    roots: Annotated[Array, Shape("n 10 10")]
    information: Annotated[Array, Shape("r 10n 10n")]
    vectors: Annotated[Array, Shape("r 10n")]
    weights: Annotated[Array, Shape("n")]

    @property
    def spread_percent(self) -> Array:
        """(n,) by how much each link differs between robots, about."""
        return 100.0 * np.array([factor_of(float(weight)) - 1.0 for weight in self.weights])

    @property
    def sentence(self) -> str:
        """How many robots share, and how much their links differ."""
        spread = self.spread_percent
        return (
            f"{len(self.robots)} robots share their links, which differ by about {np.median(spread):.1f} % between them "
            f"({', '.join(f'{name} {value:.1f} %' for name, value in zip(self.link_names, spread, strict=True))})"
        )

    @cached_property
    def _messages(self) -> tuple[Array, Array]:
        """M (R, m, m) and W S η (R, m): what each robot says of the model."""
        w = np.repeat(self.weights, 10)
        S = _inverses(self.information, w)
        return np.diag(w) - w[:, None] * S * w, w * np.einsum("rij,rj->ri", S, self.vectors)

    def posterior(self, digest: str = "") -> tuple[Array, Array]:
        """Mean (m,) and covariance (m, m) of the links of the next robot in the coordinates u; without the estimate of that digest."""
        M, h = self._messages
        others = np.array([item != digest for item in self.digests])
        P = weight_of(DESCRIBED) * np.eye(M.shape[1]) + M[others].sum(axis=0)
        C = np.asarray(np.linalg.inv(P), dtype=float)
        return C @ h[others].sum(axis=0), C + np.diag(1.0 / np.repeat(self.weights, 10))

    def prior_for(self, estimate: Estimate, digest: str = "") -> NominalPrior:
        """What the robots, but for the one of that digest, say of the links of another; friction is each robot's own."""
        robot = estimate.base.robot
        if robot.link_names != self.link_names:
            raise InputError(
                f"what is shared is of the links {', '.join(self.link_names)}, and {robot.name!r} has {', '.join(robot.link_names)}",
                remedy="share the links of robots of one model",
            )
        mean, covariance = self.posterior(digest)
        m, count = len(mean), len(self.robots) - (digest in self.digests)
        G = _block_diagonal(self.roots)
        root = np.asarray(np.linalg.solve(np.linalg.cholesky(covariance), G), dtype=float)
        links = self.nominal.ravel() + np.linalg.solve(G, mean)
        return NominalPrior(
            nominal=links.reshape(m // 10, 10),
            weight=float(np.exp(np.mean(np.log(self.weights)))),
            fixed=True,
            toward=f"the links of {count} robots of this model, which differ by about {np.median(self.spread_percent):.1f} % between them",
            friction_std=friction_std(estimate),
            root=root,
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Sharer:
    """A robot that shares its links. digest : what tells its estimate from others."""

    name: str
    digest: str
    estimate: Estimate


def share_links(sharers: Iterable[Sharer]) -> SharedLinks:
    """What robots of one model say of its links, and how much these differ. Of each estimate little is kept, so that they may be many."""
    names, digests, messages = list[str](), list[str](), list[tuple[Array, Array]]()
    links, nominal, roots = tuple[str, ...](), np.empty(0), np.empty(0)
    for sharer in sharers:
        robot = sharer.estimate.base.robot
        if not messages:
            links, nominal = robot.link_names, choose_nominal(robot).nominal
            roots = np.array([triangular([link_metric(link, "entropic")]) for link in nominal])
        _check(sharer, links)
        messages.append(_reduce(sharer.estimate, nominal, roots))
        names.append(sharer.name)
        digests.append(sharer.digest)
    if len(messages) < 2:
        raise InputError(f"links can be shared by two robots or more, and there is {len(messages)}")
    whole = SharedLinks(
        link_names=links,
        robots=tuple(names),
        digests=tuple(digests),
        nominal=nominal,
        roots=roots,
        information=np.array([information for information, _ in messages]),
        vectors=np.array([vector for _, vector in messages]),
        weights=np.full(len(nominal), weight_of(USUAL)),
    )
    return replace(whole, weights=estimate_weights(whole))


def estimate_weights(shared: SharedLinks) -> Array:
    """(n,) w of each link by expectation and maximisation, from the weights that it has."""
    for _ in range(_ROUNDS):
        weights = _next_weights(shared)
        step = float(np.abs(np.log(weights / shared.weights)).max())
        shared = replace(shared, weights=weights)
        if step < _SETTLED:
            break
    return shared.weights


def _next_weights(shared: SharedLinks) -> Array:
    w, information = np.repeat(shared.weights, 10), shared.information
    S = _inverses(information, w)
    P = weight_of(DESCRIBED) * np.eye(len(w)) + np.sum(np.diag(w) - w[:, None] * S * w, axis=0)
    C = np.asarray(np.linalg.inv(P), dtype=float)
    mu = C @ (w * np.einsum("rij,rj->i", S, shared.vectors))
    d = np.einsum("rij,rj->ri", S, shared.vectors - information @ mu)
    B = S @ information
    variance = np.einsum("rii->ri", S) + np.sum((B @ C) * B, axis=2)
    squares = np.sum((d**2 + variance).reshape(len(d), -1, 10), axis=(0, 2))
    return (10.0 * len(d) + _BELIEF) / (squares + _BELIEF / weight_of(USUAL))


def _inverses(information: Array, w: Array) -> Array:
    """S (R, m, m)"""
    return np.asarray(np.linalg.inv(information + np.diag(w)), dtype=float)


def _reduce(estimate: Estimate, nominal: Array, roots: Array) -> tuple[Array, Array]:
    """Λ (m, m) and η (m,) of a robot: friction and columns of the user's own, with their prior, are eliminated."""
    goal, m = posterior_data(estimate), nominal.size
    others, std = goal.A[:, m:], friction_std(estimate)
    known = np.isfinite(std)
    used = np.any(others != 0.0, axis=0)
    k = int(used.sum())
    before = np.zeros((int((known & used).sum()), k + m + 1))
    before[np.arange(len(before)), np.flatnonzero(known[used])] = 1.0 / std[known & used]
    R = triangular([np.column_stack([others[:, used], goal.A[:, :m], goal.b]), before])
    T, t = R[k : k + m, k : k + m], R[k : k + m, -1]
    scaled = np.linalg.solve(_block_diagonal(roots).T, T.T).T
    return scaled.T @ scaled, scaled.T @ (t - T @ nominal.ravel())


def _block_diagonal(blocks: Array) -> Array:
    """(10 n, 10 n) of blocks (n, 10, 10)."""
    size = blocks.shape[1]
    whole = np.zeros((len(blocks) * size, len(blocks) * size))
    for i, block in enumerate(blocks):
        whole[i * size : (i + 1) * size, i * size : (i + 1) * size] = block
    return whole


def _check(sharer: Sharer, links: tuple[str, ...]) -> None:
    base = sharer.estimate.base
    if base.robot.link_names != links:
        raise InputError(f"{sharer.name} is of another model: its links are {', '.join(base.robot.link_names)}, not {', '.join(links)}")
    if base.known:
        raise InputError(f"{sharer.name} was identified with known parameters ({', '.join(base.known)}), and its links can't be shared")
