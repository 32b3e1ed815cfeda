"""What pages take from declarations when the site is built: the macros of Zensical that pages with `render_macros: true` call.

So no page that is made of code or of measured numbers is in the repository.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from documentation.reference import command_line, documents, schemas
from dynident.diagnosis.checks.registry import CHECKS
from dynident.reproduce.document import reproduction_markdown

REPOSITORY = Path(__file__).resolve().parents[1]
DOCS = REPOSITORY / "docs"


def define_env(env: Any) -> None:
    """Called by Zensical for each page that has macros."""
    env.variables["checks"] = CHECKS.values()
    for macro in (
        causes, symptoms, faults_table, reproduction, command_line.command_overview, command_line.command_sections,
        documents.document_sections, schemas.schema_list,
    ):  # fmt: skip
        env.macro(macro)


def causes(*checks: str) -> str:
    """Rows of a symptom's table: causes that the doctor looks for, in the words of its checks."""
    return "\n".join(f"| {check.cause} | the doctor's *{check.name}* | {check.fix} |" for check in (CHECKS[name] for name in checks))


def symptoms() -> str:
    """Rows of the table of symptoms: each section of the page with its first sentence."""
    page = (DOCS / "decide" / "symptoms.md").read_text(encoding="utf-8")
    sections = re.findall(r"^## (.*)\n\n(.*)\n\n\| cause \|", page, re.M)
    return "\n".join(f"| [{seen}](#{_anchor(seen)}) | {answer} |" for seen, answer in sections)


def faults_table() -> str:
    """The measured table of what single faults do to the numbers."""
    results = (REPOSITORY / "benchmarks" / "RESULTS.md").read_text(encoding="utf-8")
    return results.split("### What a fault does to the numbers")[1].split("\n\n")[1]


def reproduction() -> str:
    """All published numbers beside ours, from the file that `dynident reproduce all` left."""
    return reproduction_markdown(json.loads((DOCS / "reproduction.json").read_text(encoding="utf-8")))


def _anchor(heading: str) -> str:
    """As the site makes it of a heading."""
    kept = "".join(character for character in heading.lower() if character.isalnum() or character in " -_")
    return kept.strip().replace(" ", "-")
