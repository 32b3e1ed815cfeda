"""manifest.json of a bundle as a document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from dynident.bundles.compare import StageComparison
from dynident.core.documents import LEFT_OUT, Document


@dataclass(frozen=True, kw_only=True)
class BundledSamples:
    """How much of the log is in a bundle."""

    choice: Literal["none", "excerpt", "all"]
    recorded: int | None
    kept: int


@dataclass(frozen=True, kw_only=True)
class BundledStep:
    """A command that made the run, as it was repeated."""

    command: str
    code: Annotated[int, "with which it ended"]


@dataclass(frozen=True, kw_only=True)
class BundledFile:
    """A file of a bundle."""

    bytes: int
    what: str


@dataclass(frozen=True, kw_only=True)
class BundleDocument(Document):
    """manifest.json of a bundle, which `dynident bundle --json` prints too."""

    FILE = "bundle.json"
    SCHEMA = "dynident/bundle/1"

    versions: Mapping[str, str]
    platform: str
    joints: Annotated[int, "of the robot"]
    samples: BundledSamples
    data: Annotated[tuple[str, ...], "SHA-256 of the files that the run was made from"]
    steps: tuple[BundledStep, ...]
    comparisons: tuple[StageComparison, ...]
    missing: Annotated[tuple[str, ...], "what is not in it, and why"]
    taken_out: tuple[str, ...]
    left_in: tuple[str, ...]
    files: Mapping[str, BundledFile]
    written: str = field(default="", metadata=LEFT_OUT)
    bytes: int = field(default=0, metadata=LEFT_OUT)
