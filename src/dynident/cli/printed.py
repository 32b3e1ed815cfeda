"""What verbs print with `--json`: the declared document of each, or several where it depends on the options."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dynident.core.documents import Document

#: "module:class" of the documents by verb; they are imported for schemas, the reference and tests alone.
PRINTED: Mapping[str, tuple[str, ...]] = {
    "bundle": ("dynident.bundles.manifest:BundleDocument",),
    "check": ("dynident.robots.check_document:CheckDocument",),
    "compare": ("dynident.comparison.documents:ComparisonDocument",),
    "doctor": ("dynident.doctor.document:DiagnosisDocument",),
    "excite": (
        "dynident.excitation.documents:DesignDocument",
        "dynident.excitation.documents:StaticDocument",
        "dynident.excitation.documents:MotionCheckDocument",
        "dynident.excitation.documents:ExperimentDocument",
    ),
    "export": ("dynident.exports.document:ExportedDocument",),
    "fit": ("dynident.pipeline.model:FitDocument",),
    "fleet": ("dynident.fleet.summary:FleetDocument",),
    "friction": ("dynident.runs.documents.friction:FrictionDocument",),
    "gains": ("dynident.drives.document:GainsDocument",),
    "identify": ("dynident.runs.documents.estimate:EstimateDocument",),
    "monitor": ("dynident.monitoring.documents:ContactsDocument",),
    "payload": ("dynident.runs.documents.payload:PayloadDocument",),
    "presets": ("dynident.data.reading.presets:PresetDocument",),
    "repair": ("dynident.feasibility.repairs.document:RepairDocument",),
    "reproduce": ("dynident.reproduce.document:ReproductionDocument",),
    "retrieve": ("dynident.runs.documents.parameters:ParametersDocument",),
    "sample": ("dynident.exports.sampled:SampleIndex",),
    "signs": ("dynident.runs.documents.signs:SignsDocument",),
    "validate": ("dynident.runs.documents.validation:ValidationDocument", "dynident.runs.documents.validation:SampleValidationDocument"),
}


def printed_documents(verb: str) -> tuple[type[Document], ...]:
    """The documents that a verb may print; empty for one without --json."""
    places = (place.split(":") for place in PRINTED.get(verb, ()))
    return tuple(getattr(import_module(module), name) for module, name in places)
