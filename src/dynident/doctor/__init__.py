"""What is wrong with a log before anything is identified from it, and the option or data-file line that mends it."""

from typing import TYPE_CHECKING

from dynident.core.lazy import make_lazy

if TYPE_CHECKING:
    from dynident.doctor.correction import Correction
    from dynident.doctor.diagnose import diagnose
    from dynident.doctor.diagnosis import Diagnosis
    from dynident.doctor.finding import Check, Confidence, Evidence, Finding

__all__ = ["Check", "Confidence", "Correction", "Diagnosis", "Evidence", "Finding", "diagnose"]

make_lazy(__name__)
