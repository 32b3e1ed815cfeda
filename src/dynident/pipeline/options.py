"""What can be chosen of the pipeline's steps, beside the data: the declared options of their rooms, put together step by step."""

from __future__ import annotations

from dataclasses import dataclass

from dynident.core.options import option
from dynident.feasibility.options import RetrievalChoice, SolverChoice
from dynident.regression.options import FitChoice, PeriodChoice, ProblemChoice


@dataclass(frozen=True, kw_only=True)
class IdentifyChoice(FitChoice, PeriodChoice, ProblemChoice):
    """How dynamic coefficients are identified."""

    average_periods: bool = option(
        False,
        "Fit the mean of the periods, sample by sample: N of them have 1/√N of the noise, in the positions too. "
        "Standard deviations follow from the residuals of the mean.",
        group="Advanced",
    )
    ignore_doctor: bool = option(False, "Identify also from a log with a fault that makes the result meaningless.", group="Advanced")


@dataclass(frozen=True, kw_only=True)
class RetrieveChoice(SolverChoice, RetrievalChoice):
    """Which links are retrieved, and how."""

    ranges: bool = option(True, "Compute how far each parameter can move.", group="Advanced")
