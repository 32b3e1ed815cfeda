"""The page: sections rendered by the template, with everything that it needs inside."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from jinja2 import Environment, PackageLoader, StrictUndefined
from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup, escape

from dynident.core.files import write_atomically
from dynident.errors import InputError
from dynident.feasibility.result import LinkParameters
from dynident.feasibility.samples import PosteriorSamples
from dynident.payload.result import PayloadEstimate
from dynident.regression.estimate import Estimate
from dynident.reports.blocks import Block, Figure, Section
from dynident.reports.packed import asset, pack, plotly_scripts
from dynident.reports.registry import SECTIONS
from dynident.runs import Run, run_in_memory
from dynident.signs.result import SignRecovery
from dynident.validation.result import Validation

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


def report(
    source: Estimate | Run,
    *,
    signs: SignRecovery | None = None,
    parameters: LinkParameters | None = None,
    validation: Validation | None = None,
    samples: PosteriorSamples | None = None,
    payload: PayloadEstimate | None = None,
    beside: Run | None = None,
) -> Page:
    """Everything about an estimate and what was made of it; sections whose step was not done say so.

    Parameters
    ----------
    source
        An estimate, with the recovered signs, the link parameters, the validation, the samples and the payload that belong to it; or a run,
        which has its own.
    signs
        What `recover_signs` returned; of an estimate alone, like the next four.
    parameters
        What `retrieve` returned.
    validation
        What `validate` returned.
    samples
        What `LinkParameters.sample` returned.
    payload
        What `identify_payload` returned.
    beside
        Another run of the same robot, to be compared with.

    Returns
    -------
    Page
        A page that works without a network; it shows itself in a notebook, and can be saved.

    Examples
    --------
    >>> from dynident import load_run, report
    >>> file = report(load_run("run")).save("report.html")
    """
    if isinstance(source, Estimate):
        run = run_in_memory(source, signs=signs, parameters=parameters, validation=validation, samples=samples, payload=payload)
    elif any(given is not None for given in (signs, parameters, validation, samples, payload)):
        raise InputError(
            "a run has its own signs, parameters, validation, samples and payload; leave them out, or give its estimate with them"
        )
    else:
        run = source
    if beside is not None:
        run = replace(run, beside=beside)
    return Page(_title(run), report_html(run))


def report_html(run: Run) -> str:
    """One page that works without a network. All text from files is escaped.

    Parameters
    ----------
    run
        What `load_run` returned.

    Returns
    -------
    str
        HTML.
    """
    sections = [fill_section(section, run) for section in SECTIONS.values() if section.applies(run)]
    return render(_title(run), "identification report", run.estimate.base.robot.name, run.estimate.summary.source, sections).html


def render(title: str, kicker: str, robot: str, source: str, sections: Sequence[FilledSection]) -> Page:
    """Filled sections as a page. kicker : what kind of page it is."""
    figures = [_content(block) for item in sections for block in item.blocks if isinstance(block, Figure)]
    html = (
        environment()
        .get_template("page.html")
        .render(
            title=title,
            kicker=kicker,
            robot=robot,
            source=source,
            sections=sections,
            style=asset("page.css"),
            script=asset("page.js"),
            figures=pack("figures", _json(figures)),
            plotly=plotly_scripts(),
        )
    )
    return Page(title, html)


def figure_page(figure: PlotlyFigure, title: str, generator: str) -> str:
    """A figure by itself as a page that works without a network. generator : what made it, which the page tells programs."""
    content = json.loads(cast("str", figure.to_json()))  # pyright: ignore[reportUnknownMemberType]
    return (
        environment()
        .get_template("figure.html")
        .render(
            title=title,
            generator=generator,
            figure=htmlsafe_json_dumps(content, dumps=json.dumps, allow_nan=False),
            plotly=plotly_scripts(),
        )
    )


def _title(run: Run) -> str:
    return f"{run.estimate.base.robot.name}: identification report"


def fill_section(section: Section, run: Run) -> FilledSection:
    if section.stage in run.missing:
        reason, command = run.missing[section.stage], section.stage.command(run.folder)
        return FilledSection(section.key, section.title, reason=reason, command=command)
    return FilledSection(section.key, section.title, tuple(section.blocks(run)))


def group_blocks(blocks: tuple[Block, ...]) -> Iterator[tuple[bool, list[Block]]]:
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


def _content(figure: Figure) -> dict[str, Any]:
    return {"data": figure.data, "layout": {"height": figure.height, **figure.layout}}


def _json(content: object) -> str:
    """NaN, which browsers don't read, is refused."""
    return json.dumps(content, allow_nan=False, separators=(",", ":"))


@lru_cache(maxsize=1)
def environment() -> Environment:
    """The templates, every text from files escaped."""
    found = Environment(
        loader=PackageLoader("dynident.reports"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    filters = cast("dict[str, Any]", found.filters)
    filters.update(typeset=typeset, groups=group_blocks)
    return found


_SYMBOL = re.compile(
    r"(?P<mantissa>\d(?:\.\d+)?)e(?P<sign>[+-])0*(?P<exponent>\d+)\b"
    r"|\b(?P<name>[A-Za-z]+)(?P<index>\d+)(?P<axes>[xyz]{0,2})\b"
    r"|(?<= )-(?= )|(?<![\w.])-(?=[\w.(])"
)
_MINUS = "\u2212"


def typeset(text: str) -> Markup:
    """HTML of an expression such as "J2xx - J2yy + 0.632 mc3z"."""
    parts: list[Markup] = []
    position = 0
    for match in _SYMBOL.finditer(text):
        parts += [escape(text[position : match.start()]), _symbol(match)]
        position = match.end()
    return Markup("").join([*parts, escape(text[position:])])


def _symbol(match: re.Match[str]) -> Markup:
    if match["name"] is not None:
        return Markup("<var>{}</var><sub>{}{}</sub>").format(match["name"], match["index"], match["axes"])
    if match["mantissa"] is not None:
        sign = _MINUS if match["sign"] == "-" else ""
        return Markup("{}·10<sup>{}{}</sup>").format(match["mantissa"], sign, match["exponent"])
    return Markup(_MINUS)  # noqa: S704 (a constant)
