"""What the documents of all stages of a run share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated

from dynident.core.documents import LEFT_OUT, Document, Number
from dynident.data.provenance import Provenance, UsedRecording

if TYPE_CHECKING:
    from dynident.runs.stages import Origin

#: Numbers by joint; null where one is not known.
ByJoint = Mapping[str, Number]


@dataclass(frozen=True, kw_only=True)
class StageDocument(Document):
    """What all documents of a run folder have."""

    versions: Annotated[Mapping[str, str], "of the programs that did the work"]
    files: Annotated[Mapping[str, str], "SHA-256 of the files that belong to this document"] = field(default_factory=dict[str, str])
    made_from: Annotated[Mapping[str, str], "SHA-256 of the files that it was made from"] = field(default_factory=dict[str, str])


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
    def of(origin: Origin, data: Provenance | None = None) -> ProvenanceDocument:
        """What is known of the command, and of the data where they are known."""
        known = ProvenanceDocument(command=origin.command, part=origin.part, links=origin.links, files=origin.files)
        return known if data is None else replace(known, files=data.files, recordings=data.used, steps=data.steps)
