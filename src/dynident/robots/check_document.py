"""The lint's verdict on a robot as a document."""

from __future__ import annotations

from typing import Any

from dynident.robots.check import LinkCheck, RobotCheck
from dynident.robots.verdict import Judgement


def check_document(result: RobotCheck) -> dict[str, Any]:
    """Ready for standard JSON; `consistent` is null where an inertia is missing and no other link is inconsistent."""
    return {
        "schema": "dynident/check/1",
        "robot": result.robot,
        "source": result.source,
        "consistent": False if not result.passed else None if result.without_inertia else True,
        "total_mass": result.total_mass,
        "links": [
            {"name": link.name, "frame": link.frame, **_judged(link), "warnings": list(link.warnings), "lumped_links": list(link.sources)}
            for link in result.links
        ],
        "lumped": [{"name": source.name, "body": source.body, **_judged(source.judgement)} for source in result.sources],
        "base_links": list(result.base_sources),
        "warnings": list(result.warnings),
        "notes": list(result.notes),
    }


def _judged(judged: LinkCheck | Judgement) -> dict[str, Any]:
    return {
        "verdict": judged.verdict.name.lower(),
        "message": judgement_sentence(judged),
        "inconsistent": judged.verdict.inconsistent,
        "mass": judged.mass,
        "com": judged.com,
        "principal_inertias": judged.principal_inertias,
        "margin": judged.margin,
    }


def judgement_sentence(judged: LinkCheck | Judgement) -> str:
    return f"{judged.verdict.value} ({judged.detail})" if judged.detail else judged.verdict.value
