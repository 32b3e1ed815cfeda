"""What can be chosen of the pipeline's steps, beside the data: the declared options of their rooms, put together step by step."""

from __future__ import annotations

from dataclasses import dataclass

from dynident.core.options import option
from dynident.feasibility.options import RetrievalChoice, SolverChoice
from dynident.regression.options import FitChoice, PeriodChoice, ProblemChoice


@dataclass(frozen=True, kw_only=True)
class IdentifyChoice(FitChoice, PeriodChoice, ProblemChoice):
    """How dynamic coefficients are identified."""

    ignore_doctor: bool = option(False, "Identify also from a log with a fault that makes the result meaningless.", group="Advanced")


@dataclass(frozen=True, kw_only=True)
class RetrieveChoice(SolverChoice, RetrievalChoice):
    """Which links are retrieved, and how."""

    ranges: bool = option(True, "Compute how far each parameter can move.", group="Advanced")
