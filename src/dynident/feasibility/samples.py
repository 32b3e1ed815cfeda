"""Parameter sets that the data leave open, as a result: what was drawn, whether the draws converged, and how far the links spread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dynident.core.arrays import Array
from dynident.core.figures import Figure, axis, numbers, plain
from dynident.core.results import Report, Result, Row, Table
from dynident.errors import InputError
from dynident.feasibility.result import LinkParameters
from dynident.feasibility.sampling import AGREEMENT, draw_posterior
from dynident.parameters import to_com
from dynident.regression.equations.base import BaseParameters

#: The quantiles between which nine of ten samples lie.
QUANTILES = (0.05, 0.95)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PosteriorSamples(Result):
    """Parameter sets drawn from the posterior of a retrieval; every one satisfies all its constraints.

    x : (count, p)       Standard columns: links, then friction.
    best : (p,)          What the retrieval found most probable.
    agreement : float    The largest split R̂ over the parameters; 1 where the chains can't be told apart.
    effective : float    How many independent draws the chains are worth, for the parameter where that is least.
    draws : int          That were made in all, and of which these are a part.
    reached : (n, 2)     Largest speed of each joint in the log, backward and forward [rad/s | m/s]; None where not known.
    branches : tuple     The branch of each rule with several in which they were drawn, by name.
    """

    base: BaseParameters
    x: Array
    best: Array
    agreement: float
    effective: float
    draws: int
    seed: int
    reached: Array | None = None
    branches: tuple[tuple[str, str], ...] = ()

    def __len__(self) -> int:
        return len(self.x)

    @property
    def headline(self) -> str:
        mean, std = float(self.total_mass.mean()), float(self.total_mass.std())
        return f"{self.base.robot.name}, {len(self)} samples, {mean:.4g} ± {std:.2g} kg, R̂ {self.agreement:.3f}"

    def tables(self) -> Report:
        columns = self.base.columns
        facts = [
            f"Total mass {self.total_mass.mean():.4g} ± {self.total_mass.std():.2g} kg, most probable {self._best_masses.sum():.4g} kg.",
            f"Chains agree: R̂ is {self.agreement:.3f} at most (limit {AGREEMENT}); the {self.draws} draws are worth {self.effective:.0f} "
            "independent ones at least.",
        ]
        if self.branches:
            drawn = "; ".join(f"{rule}: {branch}" for rule, branch in self.branches)
            facts.append(f"Drawn within the branches that the links have ({drawn}); other branches are left out.")
        if columns.of_friction:
            spread = self.x[:, columns.friction_slice].std(axis=0)
            worst = int(np.argmax(spread / np.maximum(np.abs(self.best[columns.friction_slice]), 1e-12)))
            entry = columns.of_friction[worst]
            facts.append(f"Friction is drawn with the links; {entry.name} is the least certain, ± {spread[worst]:.2g} {entry.unit}.")
        header = f"{self.base.robot.name}: {len(self)} parameter sets that data, prior and constraints leave open"
        return Report(header=(header,), tables=(self._table(),), facts=tuple(facts), notes=())

    def records(self) -> list[dict[str, Any]]:
        """One row per sample: its number from 1, and every parameter by name."""
        names = self.base.columns.names
        return [{"sample": i, **dict(zip(names, row, strict=True))} for i, row in enumerate(self.x.tolist(), start=1)]

    def figures(self) -> tuple[Figure, ...]:
        """The masses of the links: every sample, the most probable and the nominal one."""
        robot = self.base.robot
        names = [plain(name) for name in robot.link_names]
        masses = self.links[:, :, 0]
        cloud = {"color": "@cloud", "size": 5, "opacity": 0.25}
        every = [name for _ in range(len(self)) for name in names]
        data = [{"type": "scatter", "mode": "markers", "x": numbers(masses), "y": every, "name": "samples", "marker": cloud}]
        marks: list[tuple[str, Array, dict[str, Any]]] = [
            ("most probable", self._best_masses, {"symbol": "circle", "size": 8, "color": "@measured"})
        ]
        if robot.parameters is not None:
            style = {"symbol": "diamond-open", "size": 10, "color": "@nominal", "line": {"width": 1.8}}
            marks.append(("nominal", robot.parameters[:, 0], style))
        data += [
            {"type": "scatter", "mode": "markers", "x": numbers(values), "y": names, "name": label, "marker": style}
            for label, values, style in marks
        ]
        layout = {"xaxis": axis("mass [kg]", rangemode="tozero"), "yaxis": axis("", autorange="reversed", automargin=True)}
        return (Figure(label="Masses of the samples", data=data, layout=layout, height=120 + 34 * robot.n),)

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
        """Per link: the most probable mass [kg], mean, standard deviation and quantiles of the sampled ones; standard deviation of the
        centre of mass (3,) [m]; principal inertias, mean (3,) [kg·m²] and standard deviation (3,) [% of the mean]."""
        mass, com, inertia = to_com(self.links)
        principal = np.linalg.eigvalsh(inertia)
        return [
            {
                "link": name,
                "mass": float(self._best_masses[i]),
                "mass_mean": float(mass[:, i].mean()),
                "mass_std": float(mass[:, i].std()),
                "mass_quantiles": np.quantile(mass[:, i], QUANTILES).tolist(),
                "com_std": com[:, i].std(axis=0).tolist(),
                "inertia_mean": principal[:, i].mean(axis=0).tolist(),
                "inertia_std_percent": (100.0 * principal[:, i].std(axis=0) / principal[:, i].mean(axis=0)).tolist(),
            }
            for i, name in enumerate(self.base.robot.link_names)
        ]

    def _table(self) -> Table:
        rows = [
            Row(
                (
                    item["link"],
                    f"{item['mass']:.3f}",
                    f"{item['mass_mean']:.3f} ± {item['mass_std']:.3f}",
                    "{:.2f} .. {:.2f}".format(*item["mass_quantiles"]),
                    "  ".join(f"{1000.0 * value:4.0f}" for value in item["com_std"]),
                    "  ".join(f"{value:.1e}" for value in item["inertia_mean"]),
                    "  ".join(f"{value:4.0f}" for value in item["inertia_std_percent"]),
                )
            )
            for item in self.spread()
        ]
        headings = (
            "link", "most probable [kg]", "sampled [kg]", "5 to 95 %", "com ± [mm]", "principal inertias [kg·m²]", "± [%]",
        )  # fmt: skip
        return Table(title="Spread of the links", headings=headings, rows=tuple(rows), left=frozenset({0}))

    @property
    def _best_masses(self) -> Array:
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
    drawn = draw_posterior(problem, count, seed=seed, progress=progress)
    return PosteriorSamples(base=links.base, best=links.x, seed=seed, reached=links.reached, branches=links.branches, **vars(drawn))
