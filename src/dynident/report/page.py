"""The page: sections rendered by the template, with everything that it needs inside."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any, cast

from jinja2 import Environment, PackageLoader, StrictUndefined
from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup

from dynident.report.blocks import Block, Figure, Section
from dynident.report.registry import SECTIONS
from dynident.report.typeset import typeset
from dynident.runs import Run


@dataclass(frozen=True)
class Rendered:
    """A section with its blocks, or with the reason why there are none and the command that helps."""

    section: Section
    blocks: tuple[Block, ...] = ()
    reason: str = ""
    command: str = ""


def report_html(run: Run) -> str:
    """One page that works without a network. All text from files is escaped."""
    template = _environment().get_template("page.html")
    return template.render(
        title=f"{run.estimate.base.robot.name}: identification report",
        robot=run.estimate.base.robot.name,
        source=run.estimate.summary.source,
        sections=[rendered(section, run) for section in SECTIONS.values()],
        style=_asset("page.css"),
        script=_asset("page.js"),
        plotly=_plotly(),
    )


def rendered(section: Section, run: Run) -> Rendered:
    if section.stage in run.missing:
        return Rendered(section, reason=run.missing[section.stage], command=section.stage.command(run.folder))
    return Rendered(section, blocks=tuple(section.blocks(run)))


def groups(blocks: tuple[Block, ...]) -> Iterator[tuple[bool, list[Block]]]:
    """Blocks in order; small figures that follow each other together, to be set side by side."""
    row: list[Block] = []
    for block in blocks:
        if isinstance(block, Figure) and block.small:
            row.append(block)
            continue
        if row:
            yield True, row
            row = []
        yield False, [block]
    if row:
        yield True, row


def _figure_json(figure: Figure) -> Markup:
    """For a script element: no text in it can end the element, and NaN is refused rather than written."""
    content = {"data": figure.data, "layout": {"height": figure.height, **figure.layout}}
    return htmlsafe_json_dumps(content, dumps=json.dumps, allow_nan=False, separators=(",", ":"))


@lru_cache(maxsize=1)
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("dynident.report"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    filters = cast("dict[str, Any]", environment.filters)
    filters.update(typeset=typeset, figure_json=_figure_json, groups=groups)
    return environment


def _asset(name: str) -> str:
    return resources.files("dynident.report").joinpath("templates", name).read_text(encoding="utf-8")


def _plotly() -> str:
    import plotly.offline

    return plotly.offline.get_plotlyjs()
