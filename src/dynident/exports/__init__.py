"""The identified model for other programs: URDF, MJCF, C, Python, YAML and CSV, each proven in another engine."""

from dynident.exports.export_model import Comparison, DisagreementError, Exported, ExportModel, InfeasibleModelError
from dynident.exports.from_results import model_from_estimate, model_from_parameters, model_from_run
from dynident.exports.proof import random_states
from dynident.exports.registry import EXPORTERS, export

__all__ = [
    "EXPORTERS",
    "Comparison",
    "DisagreementError",
    "ExportModel",
    "Exported",
    "InfeasibleModelError",
    "export",
    "model_from_estimate",
    "model_from_parameters",
    "model_from_run",
    "random_states",
]
