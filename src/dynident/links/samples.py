"""Parameter sets that the data leave open, as a result: what was drawn, and how far the links spread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, cast

import numpy as np

from dynident.core.arrays import Array
from dynident.core.documents import Unit, to_json
from dynident.core.records import Shape
from dynident.core.results import Result
from dynident.errors import InputError
from dynident.links.problem import RetrievalProblem
from dynident.links.result import LinkParameters
from dynident.links.sampling import draw_posterior
from dynident.regression.equations.base import BaseParameters
from dynident.robots.parameters import to_com

#: The quantiles between which nine of ten samples lie.
QUANTILES = (0.05, 0.95)


@dataclass(frozen=True, kw_only=True)
class LinkSpread:
    """How far the samples of a link spread."""

    link: str
    mass: Annotated[float, "most probable", Unit("kg")]
    mass_mean: Annotated[float, Unit("kg")]
    mass_std: Annotated[float, Unit("kg")]
    mass_quantiles: Annotated[tuple[float, float], "5 and 95 %", Unit("kg")]
    com_std: Annotated[tuple[float, ...], Unit("m")]
    inertia_mean: Annotated[tuple[float, ...], "principal", Unit("kg·m²")]
    inertia_std_percent: Annotated[tuple[float, ...], "of the mean"]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PosteriorSamples(Result):
    """Parameter sets drawn from the posterior of a retrieval; every one satisfies all its constraints.

    x : (count, p)       Standard columns: links, then friction.
    best : (p,)          What the retrieval found most probable.
    acceptance : float   The share of all that was drawn that satisfies the constraints; the rest was left out.
    reached : (n, 2)     Largest speed of each joint in the log, backward and forward [rad/s | m/s]; None where not known.
    branches : tuple     The branch of each rule with several in which they were drawn, by name.
    """

    base: BaseParameters
    x: Annotated[Array, Shape("k p")]
    best: Annotated[Array, Shape("p")]
    acceptance: float
    seed: int
    reached: Annotated[Array, Shape("n 2")] | None = None
    branches: tuple[tuple[str, str], ...] = ()

    def __len__(self) -> int:
        return len(self.x)

    @cached_property
    def links(self) -> Array:
        """(count, n, 10) linear parameters in the named frames."""
        return self.base.columns.links(self.x)

    @property
    def friction_parameters(self) -> Array | None:
        """(count, n, k) parameters of the friction model, None without one."""
        return None if self.base.friction is None else self.base.columns.friction(self.x)

    @property
    def total_mass(self) -> Array:
        """(count,) [kg]"""
        return self.links[:, :, 0].sum(axis=1)

    def spread(self) -> list[dict[str, Any]]:
        """The same as `link_spreads` in rows of plain values."""
        return to_json(self.link_spreads)

    @property
    def link_spreads(self) -> tuple[LinkSpread, ...]:
        """How far every link spreads: its mass beside the most probable one, its centre of mass, its principal inertias."""
        mass, com, inertia = to_com(self.links)
        principal = np.linalg.eigvalsh(inertia)
        return tuple(
            LinkSpread(
                link=name,
                mass=float(self.best_masses[i]),
                mass_mean=float(mass[:, i].mean()),
                mass_std=float(mass[:, i].std()),
                mass_quantiles=cast("tuple[float, float]", tuple(np.quantile(mass[:, i], QUANTILES).tolist())),
                com_std=tuple(com[:, i].std(axis=0).tolist()),
                inertia_mean=tuple(principal[:, i].mean(axis=0).tolist()),
                inertia_std_percent=tuple((100.0 * principal[:, i].std(axis=0) / principal[:, i].mean(axis=0)).tolist()),
            )
            for i, name in enumerate(self.base.robot.link_names)
        )

    @property
    def best_masses(self) -> Array:
        """(n,) the most probable ones [kg]."""
        return self.base.columns.links(self.best)[:, 0]


def sample_links(links: LinkParameters, count: int, *, seed: int = 0, progress: Callable[[float], None] | None = None) -> PosteriorSamples:
    """Draw from the posterior of the problem whose answer these links are; the errors are those of `draw_posterior`."""
    problem = links.problem
    if problem is None:
        raise InputError(
            "samples are drawn from the most probable links within convex constraints, and these links had others (either, a method of the "
            "papers, a bound of one entry of an inertia about the centre of mass), or come from an older version",
            remedy="retrieve them again without these",
        )
    if problem.prior is None or not problem.prior.fixed or problem.objective.noise is None:
        raise InputError(
            "these links were not retrieved with data and prior in units of the noise, so there is no posterior to draw from",
            remedy="retrieve them again as most probable links, which is the default",
        )
    if problem.terms.nonconvex:
        raise InputError(f"samples need convex constraints, and {problem.terms.nonconvex[0].name!r} is not; leave it out")
    free = _unconstrained_link(problem)
    if free is not None:
        raise InputError(
            f"samples are bodies that can exist, and physical consistency is not asked of {free!r}", remedy="retrieve links with it"
        )
    drawn = draw_posterior(problem, count, at=links.x, seed=seed, progress=progress)
    return PosteriorSamples(base=links.base, best=links.x, seed=seed, reached=links.reached, branches=links.branches, **vars(drawn))


def _unconstrained_link(problem: RetrievalProblem) -> str | None:
    """A link whose ten parameters no single inequality holds together, as physical consistency does; None where there is none."""
    held = [set(block.indices.tolist()) for block in problem.terms.blocks]
    columns = problem.base.columns
    names = enumerate(problem.base.robot.link_names)
    return next((name for i, name in names if not any(set(columns.of_link(i)) <= indices for indices in held)), None)
