"""The identified model for other programs: URDF, MJCF, C, Python, YAML and CSV, each proven in another engine."""

from dynident.exports.export_model import (
    AttachedBody,
    ExportModel,
    InfeasibleModelError,
    attach_payload,
    model_from_estimate,
    model_from_parameters,
    model_from_run,
)
from dynident.exports.proof import Comparison, DisagreementError, random_states
from dynident.exports.registry import EXPORTERS, convert, export, payload_fragment
from dynident.exports.target import Exported

__all__ = [
    "EXPORTERS",
    "AttachedBody",
    "Comparison",
    "DisagreementError",
    "ExportModel",
    "Exported",
    "InfeasibleModelError",
    "attach_payload",
    "convert",
    "export",
    "model_from_estimate",
    "model_from_parameters",
    "model_from_run",
    "payload_fragment",
    "random_states",
]
