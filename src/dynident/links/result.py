"""A feasible set of link parameters, with what certifies it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, TypeAlias

import numpy as np

from dynident.core.arrays import Array
from dynident.core.records import Shape
from dynident.core.results import Result, showing
from dynident.links.constraints.terms import Violation
from dynident.links.objective import ROUNDING
from dynident.links.problem import RetrievalProblem
from dynident.regression.equations.base import BaseParameters
from dynident.robots.parameters import LinkInertia, consistency_margin, link_inertia
from dynident.robots.robot import Robot

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure

    from dynident.links.samples import PosteriorSamples

#: Lower and upper end, None where there is none.
Bounds: TypeAlias = tuple[float | None, float | None]

#: Up to this share of the objective, or of what noise alone would leave, a gap counts as none. φ is quadratic, so the fitted
#: values of the answer and of the optimum differ by at most √gap in norm: with φ in standard deviations, a hundredth of the noise
#: is a tenth of a standard deviation per coefficient, far below what the data can tell; a hundredth of the objective is a fit
#: whose residual is half a percent longer than the shortest.
OPTIMAL_GAP = 1e-2


class RetrievalStatus(Enum):
    """How a retrieval ended; the value is the sentence that the user sees."""

    DOUBTFUL = "feasible, but doubtful; see the notes"
    OPTIMAL = "feasible, and as good as the best possible to within 1 %"
    FEASIBLE = "feasible, but not shown to be near the best possible"
    NOT_CONVERGED = "feasible, but the solver did not converge: parameters that fit better exist; try more starts or another solver"
    INFEASIBLE = "no parameters satisfy all constraints"
    NOT_FOUND = "the solver found no feasible parameters"


@dataclass(frozen=True, kw_only=True, eq=False)
class SolverAnswer:
    """What a solver proposes.

    Attributes
    ----------
    x : (p,) array
        Standard columns.
    merit : float
        Objective with prior.
    start : int
        Number of the start that it came from.
    """

    x: Array
    merit: float
    start: int = 0


@dataclass(frozen=True, kw_only=True, eq=False)
class Solution:
    """One of the distinct answers. objective : φ(x); merit : with the prior; feasible : whether it meets all constraints."""

    x: Annotated[Array, Shape("p")]
    start: int
    objective: float
    merit: float
    feasible: bool


@dataclass(frozen=True, kw_only=True)
class Range:
    """The values that a parameter can take while everything else adapts: within the constraints and the noise of the data."""

    low: float
    high: float
    determined_by: str  #: "data", "constraint" or "prior"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class LinkParameters(Result):
    """Parameters of every link, recomputed and judged against the constraints, whatever the solver claimed.

    Attributes
    ----------
    base : BaseParameters
        The coefficients and the robot.
    x : (p,) array
        Standard columns: links, then friction.
    status : RetrievalStatus
        What is known of the answer.
    objective : float
        φ(x), without the prior;.
    objective_name
        What φ is.
    noise : float or None
        What φ amounts to by noise alone, where that is known.
    lower_bound : float
        No parameters that satisfy the convex constraints have a smaller φ; -inf where unknown.
    violations : tuple of Violation
        Conditions that do not hold, the largest first.
    solver : str
        Name of the solver.
    solutions : tuple
        Distinct answers of a multi-start, the best first.
    ranges : tuple
        One per column of the links; empty until computed.
    bounds
        {column: (low, high)} That were asked for on masses and, times the mass, on centres of mass.
    scale : float
        φ of parameters that are all zero; what is below a share of 1e-12 of it is zero up to rounding.
    training : (2,)
        Relative error of the coefficients and of these links on the data of the fit [%]; None where not known.
    branches : tuple
        The branch of each rule that has several, by name; problem, ranges and samples are of these.
    method : str
        Name of the published method that found it (`retrieve_by_method`); empty where it was none.
    notes : tuple
        What the prior costs in φ, what the bound leaves out.
    doubts : tuple of str
        Why the links are not those of an arm like this, however well they fit.
    reached : (n, 2) array
        Largest speed of each joint in the log of the friction, backward and forward, zero for a direction in which it did not turn [rad/s |
        m/s]; None where not known.
    problem : or None
        What was solved; None for what was read from a file, where a user's own functions were part of it.
    """

    base: BaseParameters
    x: Annotated[Array, Shape("p")]
    status: RetrievalStatus
    objective: float
    objective_name: str
    noise: float | None
    lower_bound: float
    violations: tuple[Violation, ...]
    solver: str
    solutions: tuple[Solution, ...] = ()
    ranges: tuple[Range, ...] = ()
    bounds: Mapping[int, Bounds] = field(default_factory=dict[int, Bounds])
    scale: float = 0.0
    training: tuple[float, float] | None = None
    branches: tuple[tuple[str, str], ...] = ()
    method: str = ""
    notes: tuple[str, ...] = ()
    reached: Annotated[Array, Shape("n 2")] | None = None
    problem: RetrievalProblem | None = None
    doubts: tuple[str, ...] = ()

    def plot_robot(self) -> PlotlyFigure:
        """The robot in 3D with its identified inertias beside the nominal ones."""
        return showing(self).plot_robot(self)

    def sample(self, count: int, *, seed: int = 0, progress: Callable[[float], None] | None = None) -> PosteriorSamples:
        """Parameter sets drawn from what data and prior leave open, every one within the constraints; see `PosteriorSamples`."""
        from dynident.links.samples import sample_links  # which knows LinkParameters, not the other way round

        return sample_links(self, count, seed=seed, progress=progress)

    @property
    def found_by(self) -> str:
        """The solver, and the published method where one was asked for."""
        return f"solver {self.solver}, method {self.method}" if self.method else f"solver {self.solver}"

    @property
    def feasible(self) -> bool:
        return not self.violations

    @property
    def gap(self) -> float:
        """objective - lower_bound: at most this much could be gained."""
        return self.objective - self.lower_bound

    @property
    def gap_in_words(self) -> str:
        """The gap as a share of what noise alone would leave, where that is known, else of the objective; "zero up to rounding" where it
        is below 1e-12 of the objective's scale, of which a share of the objective would say nothing."""
        if not np.isfinite(self.gap):
            return "not known"
        if self.noise is None and self.gap <= ROUNDING * self.scale:
            return "zero up to rounding"
        of, whole = ("objective", self.objective) if self.noise is None else ("noise", self.noise)
        share = max(self.gap, 0.0) / whole if whole > 0.0 else 0.0
        return f"{100.0 * share:.2g} % of the {of}" if share < 0.995 else f"{100.0 * share:.0f} % of the {of}"

    @property
    def parameters(self) -> Array:
        """(n, 10) linear parameters in the named frames."""
        return self.base.columns.links(self.x)

    @cached_property
    def robot(self) -> Robot:
        """The robot with these parameters as its own."""
        return self.base.robot.with_parameters(self.parameters)

    @property
    def covariance(self) -> Array | None:
        """(p, p) of x by data and prior together; None where the prior only chose, or the problem is not there any more."""
        from dynident.links.posterior import covariance  # which is about problems, not results

        return None if self.problem is None else covariance(self.problem)

    @property
    def total_mass(self) -> float:
        return float(self.parameters[:, 0].sum())

    @property
    def margins(self) -> Array:
        """(n,) smallest eigenvalue of each link's pseudo-inertia about its centre of mass."""
        return consistency_margin(self.parameters)

    @property
    def friction_parameters(self) -> Array | None:
        """(n, k) parameters of the friction model, None without one."""
        base = self.base
        return None if base.friction is None else base.columns.friction(self.x)

    def link_ranges(self, link: int) -> tuple[Range, ...]:
        """(10,) the ranges of a link's parameters; empty until computed."""
        return tuple(self.ranges[place] for place in self.base.columns.of_link(link)) if self.ranges else ()

    def com_and_inertia(self, link: int) -> LinkInertia:
        """Mass, centre of mass (3,) and barycentric inertia (3, 3) of a link; of a massless link, about its origin."""
        return link_inertia(self.parameters[link])
