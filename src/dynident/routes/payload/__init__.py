"""A tool or payload on the flange: its ten parameters from a loaded log and an identified arm."""

from typing import TYPE_CHECKING

from dynident.core.lazy import make_lazy

if TYPE_CHECKING:
    from dynident.routes.payload.difference import LoadDifference, load_difference
    from dynident.routes.payload.identify import identify_payload
    from dynident.routes.payload.result import Declared, PayloadEstimate, PayloadEvidence, PayloadStatus

__all__ = ["Declared", "LoadDifference", "PayloadEstimate", "PayloadEvidence", "PayloadStatus", "identify_payload", "load_difference"]

make_lazy(__name__)
