"""The page: sections rendered by the template, with everything that it needs inside."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from dynident.core.files import write_atomically
from dynident.reports.blocks import Block
from dynident.reports.figures import Figure
from dynident.reports.html import asset, environment, pack, plotly_scripts, style


@dataclass(frozen=True)
class FilledSection:
    """A section with its blocks, or with the reason why there are none and the command that helps."""

    key: str
    title: str
    blocks: tuple[Block, ...] = ()
    reason: str = ""
    command: str = ""

    @property
    def groups(self) -> list[tuple[int, list[Block]]]:
        """The blocks in order; figures that are set side by side are together, with how many in a row."""
        beside = groupby(self.blocks, lambda block: block.beside if isinstance(block, Figure) else 1)
        return [(count, list(blocks)) for count, blocks in beside]


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


def render(robot: str, what: str, source: str, sections: Iterable[FilledSection], *, title: str = "", generator: str = "dynident") -> Page:
    """Filled sections as a page.

    what : the page is, above its heading. title : in the browser's tab, where it is not robot and what.
    generator : what made it, which the page tells programs.
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
            generator=generator,
            what=what,
            robot=robot,
            source=source,
            sections=filled,
            style=style(),
            script=asset("page.js"),
            figures=pack("figures", json.dumps(figures, allow_nan=False, separators=(",", ":"))),
            plotly=plotly_scripts(),
        ),
    )
