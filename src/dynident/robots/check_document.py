"""The lint's verdict on a robot as a document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from dynident.core.documents import Document, Number, Unit, fill
from dynident.robots.check import RobotCheck
from dynident.robots.verdict import Judgement


@dataclass(frozen=True, kw_only=True)
class _Judged:
    """What is judged of a body."""

    verdict: str
    message: Annotated[str, "the verdict as a sentence"]
    inconsistent: bool
    mass: Annotated[Number, "null where there is no inertia", Unit("kg")]
    com: Annotated[tuple[float, ...] | None, Unit("m")]
    principal_inertias: Annotated[tuple[float, ...] | None, Unit("kg·m²")]
    margin: Annotated[Number, "of physical consistency", Unit("kg·m²")]


@dataclass(frozen=True, kw_only=True)
class CheckedLink(_Judged):
    """A link of a robot, judged."""

    name: str
    frame: Annotated[str, "of the numbers"]
    warnings: tuple[str, ...]
    lumped_links: Annotated[tuple[str, ...], "source links in the body"]


@dataclass(frozen=True, kw_only=True)
class CheckedSource(_Judged):
    """A source link that was judged by itself."""

    name: str
    body: Annotated[str | None, "that it is part of; null for the base"]


@dataclass(frozen=True, kw_only=True)
class CheckDocument(Document):
    """What `dynident check --json` prints."""

    FILE = "check.json"
    SCHEMA = "dynident/check/1"

    robot: str
    source: str
    consistent: Annotated[bool | None, "null when an inertia is missing and no link is inconsistent"]
    total_mass: Annotated[Number, Unit("kg")]
    links: tuple[CheckedLink, ...]
    lumped: tuple[CheckedSource, ...]
    base_links: Annotated[tuple[str, ...], "source links that are part of the base"]
    warnings: tuple[str, ...]
    notes: tuple[str, ...]

    @staticmethod
    def of(result: RobotCheck) -> CheckDocument:
        links = (fill(CheckedLink, link, lumped_links=link.sources, **_words(link)) for link in result.links)
        sources = (fill(CheckedSource, source, **_words(source)) for source in result.sources)
        return fill(
            CheckDocument,
            result,
            consistent=False if not result.passed else None if result.without_inertia else True,
            links=tuple(links),
            lumped=tuple(sources),
            base_links=result.base_sources,
        )


def _words(judged: Judgement) -> dict[str, str | bool]:
    return {"verdict": judged.verdict.name.lower(), "inconsistent": judged.verdict.inconsistent}
