"""What is wrong with a log before anything is identified from it, and the option or data-file line that mends it."""

from typing import TYPE_CHECKING

from dynident.core.lazy import make_lazy

if TYPE_CHECKING:
    from dynident.diagnosis.correction import Correction
    from dynident.diagnosis.diagnose import doctor
    from dynident.diagnosis.diagnosis import Diagnosis
    from dynident.diagnosis.finding import Check, Confidence, Evidence, Finding

__all__ = ["Check", "Confidence", "Correction", "Diagnosis", "Evidence", "Finding", "doctor"]

make_lazy(__name__)
