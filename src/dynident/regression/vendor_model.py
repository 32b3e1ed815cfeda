"""The vendor's model, tested: whether the M and g that a controller returns are those of the arm that a log was recorded with.

Both give estimates of the same coefficients from data that have nothing to do with each other, c ± S_c and l ± S_l. If the model is that of
the arm, l - c is zero give or take S_c + S_l, for each coefficient and for all of them together: (l - c)ᵀ (S_c + S_l)⁻¹ (l - c) is χ²
with as many degrees of freedom as there are coefficients that both determine.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

#: Chance that a true model has any coefficient called contradicted, and that it is called contradicted as a whole.
FALSE_ALARM = 0.01
#: A coefficient of which the difference is known no better than this share of it [%] could be wrong unseen; the papers' limit.
UNTESTABLE = 30.0


class CoefficientVerdict(StrEnum):
    """What a log says about a coefficient of the controller's model."""

    AGREES = "agrees"
    CONTRADICTED = "contradicted"
    UNTESTABLE = "not testable with this log"


@dataclass(frozen=True, kw_only=True)
class TestedCoefficient:
    """A coefficient of the controller's model."""

    __test__ = False  # not a test of pytest's

    name: str
    expression: str
    unit: str
    controller: Annotated[float, "from M and g alone"]
    controller_std: float
    log: Annotated[float | None, "from the log alone; null where the log does not determine the coefficient"]
    log_std: float | None
    difference: Annotated[float | None, "of the log from the controller, in standard deviations of both"]
    verdict: CoefficientVerdict


@dataclass(frozen=True, kw_only=True)
class VendorModelTest:
    """The vendor's model, tested by a log.

    chi_squared, freedom : over all coefficients that both determine.
    probability : that a true model differs by as much.
    limit : standard deviations by which a coefficient of a true model may differ; more is a contradiction.
    """

    coefficients: tuple[TestedCoefficient, ...]
    limit: float
    chi_squared: float
    freedom: int
    probability: float

    def of(self, verdict: CoefficientVerdict) -> tuple[TestedCoefficient, ...]:
        """The coefficients of which this is the verdict."""
        return tuple(item for item in self.coefficients if item.verdict is verdict)

    @property
    def contradicted(self) -> bool:
        """Whether the log contradicts a coefficient, or the model as a whole."""
        return self.probability < FALSE_ALARM or bool(self.of(CoefficientVerdict.CONTRADICTED))

    @property
    def sentence(self) -> str:
        tested = len(self.coefficients) - len(self.of(CoefficientVerdict.UNTESTABLE))
        beside = f"χ² = {self.chi_squared:.4g} for {self.freedom} coefficients that both determine, probability {self.probability:.2g}"
        if not self.freedom:
            return "The log determines no coefficient of the controller's model, so it can't test it."
        if not self.contradicted:
            agree = f"in all {tested} coefficients that it can test, of {len(self.coefficients)}" if tested else "as far as it can tell"
            return f"The log agrees with the controller's model {agree} ({beside})."
        wrong, which = [item.name for item in self.of(CoefficientVerdict.CONTRADICTED)], " as a whole"
        if wrong:
            which = f" in {len(wrong)} of the {tested} coefficients that it can test"
            which += f" ({', '.join(wrong)}: by more than {self.limit:.1f} standard deviations)"
        return f"The log contradicts the controller's model{which}; {beside}."

    @property
    def notes(self) -> tuple[str, ...]:
        """How the estimate from both is to be read where they contradict each other."""
        if not self.contradicted:
            return ()
        return (
            "the log and the controller's M and g contradict each other, and the estimate from both follows whichever is more certain of a "
            "coefficient, mostly M and g: it describes neither. Either the controller's model is not that of this arm (another tool, "
            "payload or gravity vector), or the log has what the model lacks (friction, wrong units or signs). Identify from the log "
            "alone for what the arm does, from M and g alone for what the controller computes with",
        )
