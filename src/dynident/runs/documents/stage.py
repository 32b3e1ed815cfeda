"""What the documents of all stages of a run share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Annotated, Any, Self

from dynident.core.documents import LEFT_OUT, Document, Number, fill
from dynident.data.provenance import Provenance, UsedRecording
from dynident.runs.stages import StageContent, StageOrigin

#: Numbers by joint; null where one is not known.
ByJoint = Mapping[str, Number]


@dataclass(frozen=True, kw_only=True)
class StageDocument(Document):
    """What all documents of a run folder have."""

    versions: Annotated[Mapping[str, str], "of the programs that did the work"]
    files: Annotated[Mapping[str, str], "SHA-256 of the files that belong to this document"] = field(default_factory=dict[str, str])
    made_from: Annotated[Mapping[str, str], "SHA-256 of the files that it was made from"] = field(default_factory=dict[str, str])

    @classmethod
    def of(cls, content: StageContent) -> Self:
        """The document of a result. A class has its own where a field is something else than the result has under its name."""
        return cls.fill(content)

    @classmethod
    def fill(cls, content: StageContent, *sources: object, **values: Any) -> Self:
        """What the result, other objects and the origin have under the names of the fields. values : of those that are something else."""
        values = {"files": {}, "made_from": {}, **values}  # of the document, known when it is written; those of the origin are others
        if any(item.name == "provenance" for item in fields(cls)):
            values["provenance"] = ProvenanceDocument.of(content.origin, getattr(content.result, "provenance", None))
        return fill(cls, content.result, *sources, content.origin, **values)


@dataclass(frozen=True, kw_only=True)
class ProvenanceDocument:
    """Where a result comes from."""

    command: Annotated[str, "that made it"] = field(default="", metadata=LEFT_OUT)
    part: Annotated[tuple[float, float] | None, "of the data, as fractions"] = field(default=None, metadata=LEFT_OUT)
    links: Annotated[str, "the run folder that the links are from"] = field(default="", metadata=LEFT_OUT)
    files: Annotated[Mapping[str, str] | None, "SHA-256 of each data file by name"] = field(default=None, metadata=LEFT_OUT)
    recordings: Annotated[tuple[UsedRecording, ...] | None, "that were used"] = field(default=None, metadata=LEFT_OUT)
    steps: Annotated[tuple[str, ...] | None, "of the processing"] = field(default=None, metadata=LEFT_OUT)

    @staticmethod
    def of(origin: StageOrigin, data: Provenance | None = None) -> ProvenanceDocument:
        """What is known of the command, and of the data where they are known."""
        return fill(ProvenanceDocument, origin) if data is None else fill(ProvenanceDocument, data, origin, recordings=data.used)
