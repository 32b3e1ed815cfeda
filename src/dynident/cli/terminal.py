"""What verbs print: what they found as tables or JSON, and a progress bar for what takes long."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dynident.core.names import visible

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text as RichText

    from dynident.reports.tables import Cell, Report, Table

#: Columns whose cells may take several lines, because groupings can be long; and the least width that they need.
_FOLDED = frozenset({"coefficient"})
_FOLDED_WIDTH = 24
#: Styles of the marks of cells.
_MARKS = {"bad": "bold red", "good": "green", "fair": "yellow"}


def console(width: int = 140) -> Console:
    """The terminal; a file or a pipe has no width, and rich would wrap at 80."""
    from rich.console import Console

    terminal = Console(highlight=False)
    if not terminal.is_terminal:
        terminal.width = width
    return terminal


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a verb found, and how the command ends.

    report : for the terminal, or what prints it; document : with --json in its place. warning : before the report.
    require : called when all is printed, raises what is wrong nonetheless.
    written : the files, or a sentence that ends with a full stop, as the last line; empty for none.
    code : exit code.
    """

    report: Report | Callable[[], object]
    document: object
    warning: str = ""
    require: Callable[[], None] | None = None
    written: str = ""
    code: int = 0


def show(outcome: Outcome | int | None, *, as_json: bool) -> int | None:
    """Print what a verb found; its exit code."""
    if not isinstance(outcome, Outcome):
        return outcome
    if as_json:
        print_json(outcome.document)
    else:
        if outcome.warning:
            console().print(outcome.warning, style="bold red", markup=False)
        if callable(outcome.report):
            outcome.report()
        else:
            print_report(outcome.report)
    if outcome.require is not None:
        outcome.require()
    if outcome.written and not as_json:
        console().print(outcome.written if outcome.written.endswith(".") else f"Written to {outcome.written}", markup=False)
    return outcome.code


def print_json(document: object) -> None:
    from dynident.core.files import json_text

    print(json_text(document), end="")


def print_notes(out: Console, notes: Iterable[str], indent: str = "") -> None:
    """Numbered, as at the end of a report."""
    for number, note in enumerate(notes, start=1):
        out.print(f"{indent}Note {number}: {visible(note.removesuffix('.'))}.", markup=False)


def print_report(report: Report) -> None:
    """A report with its dimmed lines and numbered notes."""
    from rich.markup import escape

    out = console()
    for number, line in enumerate(report.header):
        out.print(f"[bold]{escape(visible(line))}[/]" if number == 0 else escape(visible(line)))
    for number, table in enumerate(report.tables):
        if number or report.header:
            out.print()
        print_table(table, out)
    if report.tables or report.facts or report.notes:
        out.print()
    for line in report.facts:
        out.print(escape(visible(line)), style="yellow" if line.startswith("Warning:") else None)
    for note in report.numbered_notes:
        number, _, text = note.partition(": ")
        out.print(f"[yellow]{number}:[/] {escape(visible(text))}")


def print_table(table: Table, out: Console) -> None:
    """In a terminal that is too narrow cells are folded, and a file gets lines as long as they are: no digit is ever left out."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as RichTable
    from rich.text import Text

    columns = zip(table.headings, *(line.texts for line in table.lines), strict=True)
    needed = sum(2 + max(Text(visible(cell)).cell_len for cell in column) for column in columns if column[0] not in _FOLDED) + _FOLDED_WIDTH
    narrow = out.is_terminal and needed > out.width
    shown = RichTable(title=Text(visible(table.title), style="bold"), title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for i, heading in enumerate(table.headings):
        whole = heading not in _FOLDED and not narrow
        shown.add_column(Text(visible(heading)), justify="left" if i in table.left else "right", no_wrap=whole, overflow="fold")
    for line in table.lines:
        shown.add_row(*map(_cell_text, line.cells), style="dim" if line.dimmed else None)
    (out if out.is_terminal else console(max(out.width, needed))).print(shown)


def _cell_text(cell: Cell) -> RichText:
    """A cell with the colour of its mark."""
    from rich.text import Text

    return Text(visible(cell.text), style=_MARKS.get(cell.badge, ""))


@contextmanager
def progress_bar(what: str = "", *, lines: bool = False) -> Generator[Callable[..., None]]:
    """A bar on stderr that vanishes when it is done. What is yielded is called with the share that is done, the name of the step, or both.

    lines : where stderr is not a terminal, a line per step; otherwise nothing is shown there.
    """
    from rich.console import Console
    from rich.progress import Progress

    out, last = Console(stderr=True), ""
    with Progress(console=out, transient=True, disable=not out.is_terminal) as progress:
        task = progress.add_task(what, total=None)

        def update(step: str | float, share: float | None = None) -> None:
            nonlocal last
            name, done = (step, share) if isinstance(step, str) else (None, step)
            if lines and not out.is_terminal and name is not None and name != last:
                out.print(f"[{100 * (done or 0.0):3.0f} %] {name}", markup=False, highlight=False, soft_wrap=True)
            last = name or last
            progress.update(task, description=name, total=None if done is None else 1.0, completed=done)

        yield update
