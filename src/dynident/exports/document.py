"""Exported models as documents."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from dynident.core.documents import Document, fill
from dynident.exports.target import Exported


@dataclass(frozen=True, kw_only=True)
class ProofDocument:
    """Torques of an exported model beside dynident's."""

    engine: Annotated[str, "that computed them"]
    states: Annotated[int, "that were compared"]
    largest: Annotated[float, "difference [N·m | N]"]
    relative: Annotated[float, "share of the largest torque"]


@dataclass(frozen=True, kw_only=True)
class ExportedDocument(Document):
    """A model for another program; `dynident export --json` prints a list."""

    FILE = "exported.json"
    SEVERAL = True

    target: str
    path: Annotated[str, "file or folder"]
    files: Annotated[tuple[str, ...], "names of its files"]
    comparison: Annotated[ProofDocument | None, "null where no other engine can load it"]
    notes: tuple[str, ...]

    @staticmethod
    def of(exported: Exported, path: Path) -> ExportedDocument:
        proof = exported.comparison
        return fill(
            ExportedDocument,
            exported,
            path=str(path),
            files=tuple(exported.files),
            comparison=None if proof is None else fill(ProofDocument, proof),
        )
