"""Identification when only the magnitude of the torque is known: its signs, how sure they are, and the model that follows."""

from typing import TYPE_CHECKING

from dynident.core.lazy import make_lazy

if TYPE_CHECKING:
    from dynident.routes.signs.confidence import SignConfidence, SignVerdict
    from dynident.routes.signs.magnitudes import Magnitudes
    from dynident.routes.signs.methods.method import SearchSettings, SignHypotheses, SignMethod
    from dynident.routes.signs.methods.registry import METHODS, method_by_name, search_signs
    from dynident.routes.signs.prepare import prepare_magnitudes
    from dynident.routes.signs.recover import conclude, recover_signs
    from dynident.routes.signs.result import SignRecovery
    from dynident.routes.signs.segments import Segment

__all__ = [
    "METHODS",
    "Magnitudes",
    "SearchSettings",
    "Segment",
    "SignConfidence",
    "SignHypotheses",
    "SignMethod",
    "SignRecovery",
    "SignVerdict",
    "conclude",
    "method_by_name",
    "prepare_magnitudes",
    "recover_signs",
    "search_signs",
]

make_lazy(__name__)
