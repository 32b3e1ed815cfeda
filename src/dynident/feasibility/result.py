"""A feasible set of link parameters, with what certifies it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from dynident.core.arrays import Array
from dynident.feasibility.constraints.terms import Violation
from dynident.feasibility.problem import RetrievalProblem
from dynident.parameters import LinkInertia, consistency_margin, link_inertia

#: Up to this share of the objective, or of what noise alone would leave, a gap counts as none. φ is quadratic, so the fitted
#: values of the answer and of the optimum differ by at most √gap in norm: with φ in standard deviations, a hundredth of the noise
#: is a tenth of a standard deviation per coefficient, far below what the data can tell; a hundredth of the objective is a fit
#: whose residual is half a percent longer than the shortest.
OPTIMAL_GAP = 1e-2
#: Up to this share of ‖b‖² an objective is zero to rounding: a residual of a millionth of what is fitted.
ROUNDING = 1e-12


class RetrievalStatus(Enum):
    """How a retrieval ended; the value is the sentence that the user sees."""

    OPTIMAL = "feasible, and as good as the best possible to within 1 %"
    FEASIBLE = "feasible, but not shown to be near the best possible"
    INFEASIBLE = "no parameters satisfy all constraints"
    NOT_FOUND = "the solver found no feasible parameters"


def gap_in_words(status: RetrievalStatus, objective: float, lower_bound: float, noise: float | None) -> str:
    """The gap as a share of what noise alone would leave, where that is known, else of the objective."""
    gap = max(objective - lower_bound, 0.0)
    if not np.isfinite(gap):
        return "not known"
    if noise is not None:
        return f"{100.0 * gap / noise:.2g} % of the noise"
    share = gap / objective if objective > 0.0 else 0.0
    if status is RetrievalStatus.OPTIMAL and share > OPTIMAL_GAP:
        return "zero to rounding"
    return f"{100.0 * share:.2g} % of the objective"


@dataclass(frozen=True, kw_only=True, eq=False)
class Candidate:
    """What a solver proposes. x : (p,) standard columns; merit : φ plus prior; start : which start it came from."""

    x: Array
    merit: float
    start: int = 0


@dataclass(frozen=True, kw_only=True)
class Range:
    """The values that a parameter can take while everything else adapts: within the constraints and the noise of the data."""

    low: float
    high: float
    determined_by: str  #: "data", "constraint" or "prior"


@dataclass(frozen=True, kw_only=True, eq=False)
class LinkParameters:
    """Parameters of every link, recomputed and judged against the constraints, whatever the solver claimed.

    x : (p,)               Standard columns: links, then friction.
    objective : float      φ(x), without the prior.
    lower_bound : float    No parameters that satisfy the convex constraints have a smaller φ; -inf where unknown.
    solutions : tuple      Distinct answers of a multi-start, the best first.
    ranges : tuple         One per column of the links; empty until computed.
    notes : tuple          What the prior costs in φ, what the bound leaves out.
    """

    problem: RetrievalProblem
    x: Array
    status: RetrievalStatus
    objective: float
    lower_bound: float
    violations: tuple[Violation, ...]
    solver: str
    solutions: tuple[Candidate, ...] = ()
    ranges: tuple[Range, ...] = ()
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        from dynident.feasibility.tables import link_report  # the tables know LinkParameters, not the other way round

        return str(link_report(self))

    @property
    def feasible(self) -> bool:
        return not self.violations

    @property
    def gap(self) -> float:
        """objective - lower_bound: at most this much could be gained."""
        return self.objective - self.lower_bound

    @property
    def gap_in_words(self) -> str:
        """The gap as a share of what noise alone would leave, where that is known, else of the objective."""
        return gap_in_words(self.status, self.objective, self.lower_bound, self.problem.objective.noise)

    @property
    def parameters(self) -> Array:
        """(n, 10) linear parameters in the named frames."""
        return self.problem.base.columns.links(self.x)

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
        base = self.problem.base
        return None if base.friction is None else base.columns.friction(self.x)

    def com_and_inertia(self, link: int) -> LinkInertia:
        """Mass, centre of mass (3,) and barycentric inertia (3, 3) of a link; of a massless link, about its origin."""
        return link_inertia(self.parameters[link])
