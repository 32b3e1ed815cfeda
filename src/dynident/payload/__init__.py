"""A tool or payload on the flange: its ten parameters from a loaded log and an identified arm."""

from dynident.payload.difference import LoadDifference, load_difference
from dynident.payload.identify import identify_payload
from dynident.payload.result import Declared, PayloadEstimate, PayloadEvidence, PayloadStatus

__all__ = ["Declared", "LoadDifference", "PayloadEstimate", "PayloadEvidence", "PayloadStatus", "identify_payload", "load_difference"]
