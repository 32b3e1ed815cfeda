"""What can be chosen of a retrieval: which links are allowed, what is fitted, and how the problem is searched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from dynident.core.kinds import Count, Seed, each, number, worded
from dynident.core.options import Options, option
from dynident.regression.options import DROPPED, DropRule

#: How the name of a file ends that holds what robots of one model share.
SHARED = ".safetensors"
#: e to the standard deviation of a mass over its mean: 8 degrees of freedom. With 6, 8 and 12 of them 32 virtual arms with wrong links
#: (seed 20 of `benchmarks trust`) are predicted alike to 0.2 %, and 93, 93 and 90 % of the parameters are within their 95 %.
PRIOR_FACTOR = 1.65
_PRIORS = ("auto", "nominal", "euclidean", "uniform", "none")


_PRIOR = worded(
    lambda text: text if text in _PRIORS or text.endswith(SHARED) else None,
    f"{', '.join(_PRIORS)}, or a {SHARED} file that a fleet shares",
    "KIND",
    types=str,
    words=_PRIORS,
)
_MASSES = replace(each([number("kg"), number("kg")], metavar="LOW HIGH"), tokens=2)


@dataclass(frozen=True, kw_only=True)
class RetrievalChoice(Options):
    """Which links are allowed, and what is fitted."""

    total_mass: Annotated[tuple[float, float], _MASSES] | None = option(None, "Range of the sum of the links' masses, in kg.")
    constraints: Sequence[Path] = option((), "File with constraints (.yaml, .csv, or .py with --run-python).")
    bounds: Sequence[Path] = option((), "File with bounds on parameters (.csv or .yaml).")
    prior: Annotated[str, _PRIOR] = option(
        "auto", "What is known of the links beforehand: nominal, euclidean, uniform or none; or links.safetensors of a fleet."
    )
    prior_factor: float = option(PRIOR_FACTOR, "The mass of each link of the prior is known to about this factor.", metavar="F")
    run_python: bool = option(
        False, "Run the .py files that are named: programs, which can do all that you can. Read them first.", group="Limits"
    )
    geometry_bounds: bool = option(
        False, "Centres of mass inside the boxes around their URDF's boxes, cylinders and spheres.", group="Limits"
    )
    consistency: bool = option(
        True,
        "Ask for physical consistency (positive mass, triangle inequality, ...) and for friction that opposes the motion.",
        group="Limits",
    )
    two_step: bool = option(
        False, "Fit the coefficients of the estimate, as the papers do; a prior then only breaks ties.", group="Advanced"
    )
    one_step: bool = option(False, "Fit the data alone; a prior then only breaks ties.", group="Advanced")
    drop: Annotated[DropRule, DROPPED] | None = option(
        None, "Of --two-step: coefficients not to fit, 30% by relative std. deviation or 8,24.", group="Advanced"
    )
    weights: Literal["covariance", "none"] | None = option(
        None, "Of --two-step: covariance, the estimate's uncertainty; none, as in the papers.", metavar="KIND", group="Advanced"
    )
    hold_gravity: Path | None = option(
        None, "Keep the gravity of another run, whose gravity was identified by itself.", metavar="RUN", group="Advanced"
    )
    hold: Literal["coefficients", "parameters"] | None = option(
        None,
        "Of --hold-gravity: coefficients, or parameters, each as in that run.",
        metavar="KIND",
        group="Advanced",
        shown="coefficients",
    )


@dataclass(frozen=True, kw_only=True)
class SolverChoice(Options):
    """How a retrieval is searched."""

    title: ClassVar[str] = "Search"

    method: str | None = option(
        None,
        "A published method as it was printed and nothing else: {}.",
        metavar="NAME",
        registry="dynident.links.methods:describe_methods",
    )
    solver: str | None = option(None, "{}.", metavar="NAME", shown="sdp", registry="dynident.links.solvers.registry:describe_solvers")
    solver_option: Mapping[str, str] = option(
        {}, "An option of the solver's own. {}.", registry="dynident.links.solvers.registry:describe_options"
    )
    starts: Count | None = option(
        None,
        "Independent starts of {}.",
        shown="1, or as many as the method has",
        registry="dynident.links.solvers.registry:describe_multi_start",
    )
    workers: Count = option(1, "Processes that share the starts.")
    scheduler: str | None = option(
        None, "Work on the workers of this Dask scheduler, such as tcp://host:8786 (extra cluster).", metavar="ADDRESS"
    )
    budget: Annotated[float, number("s", low=0.0, metavar="SECONDS")] | None = option(None, "Begin no further start after this time.")
    seed: Seed = option(0, "Seed of the random starts.")
