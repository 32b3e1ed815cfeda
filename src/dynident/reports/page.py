"""The page: sections rendered by the template, with everything that it needs inside."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from jinja2.utils import htmlsafe_json_dumps

from dynident.core.files import write_atomically
from dynident.reports.blocks import Block
from dynident.reports.figures import Figure
from dynident.reports.html import asset, environment, pack, plotly_scripts

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure


@dataclass(frozen=True)
class FilledSection:
    """A section with its blocks, or with the reason why there are none and the command that helps."""

    key: str
    title: str
    blocks: tuple[Block, ...] = ()
    reason: str = ""
    command: str = ""

    @property
    def groups(self) -> list[tuple[bool, list[Block]]]:
        """The blocks in order; small figures that follow each other together (True), to be set side by side."""
        return [(small, list(blocks)) for small, blocks in groupby(self.blocks, lambda block: isinstance(block, Figure) and block.small)]


def fill(key: str, title: str, blocks: Iterable[Block | None]) -> FilledSection:
    """A section with blocks; None is left out."""
    return FilledSection(key, title, tuple(block for block in blocks if block is not None))


@dataclass(frozen=True, eq=False, repr=False)
class Page:
    """A page that is complete in itself.

    Attributes
    ----------
    title : str
        Of the page.
    html : str
        Its text.
    """

    title: str
    html: str

    def __repr__(self) -> str:
        return f"Page({self.title}, {len(self.html) / 1e6:.1f} MB)"

    def save(self, path: str | Path) -> Path:
        """Write the page, all of it or nothing; the path is returned."""
        write_atomically(path, self.html)
        return Path(path)


def render(robot: str, what: str, source: str, sections: Iterable[FilledSection], *, kicker: str = "", title: str = "") -> Page:
    """Filled sections as a page.

    what : the page is. kicker : the same above its heading, and title : robot and what in the browser's tab, where they are others.
    """
    filled, title = list(sections), title or f"{robot}: {what}"
    figures = [
        {"data": block.data, "layout": {"height": block.height, **block.layout}}
        for section in filled
        for block in section.blocks
        if isinstance(block, Figure)
    ]
    return Page(
        title,
        environment()
        .get_template("page.html")
        .render(
            title=title,
            kicker=kicker or what,
            robot=robot,
            source=source,
            sections=filled,
            style=asset("page.css"),
            script=asset("page.js"),
            figures=pack("figures", json.dumps(figures, allow_nan=False, separators=(",", ":"))),
            plotly=plotly_scripts(),
        ),
    )


def figure_page(figure: PlotlyFigure, title: str, generator: str) -> str:
    """A figure by itself as a page that works without a network. generator : what made it, which the page tells programs."""
    content = json.loads(cast("str", figure.to_json()))  # pyright: ignore[reportUnknownMemberType]
    text = json_in_html(content)
    return environment().get_template("figure.html").render(title=title, generator=generator, figure=text, plotly=plotly_scripts())


def json_in_html(content: Any) -> str:
    """JSON that an element of a page can hold; NaN, which browsers don't read, is refused."""
    return htmlsafe_json_dumps(content, dumps=json.dumps, allow_nan=False, separators=(",", ":"))
