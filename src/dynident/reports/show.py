"""What is shown of a result, by its type: a line, tables, sentences, rows of plain values, figures.

A type is declared once, in the module of its room's name in this package (`dynident.reports.regression` for `dynident.regression`,
`dynident.reports.signs` for `dynident.routes.signs`), which is imported when somebody first prints, plots or lists such a result:

    show(RunCosts, headline=_headline, tables=lambda costs: [cost_table(costs)], figures=lambda costs: [cost_figure(costs)])
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache, singledispatch
from importlib import import_module
from importlib.util import find_spec
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeVar

from dynident.reports.figures import Figure, draw
from dynident.reports.tables import Report, Table, plain_rows

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure

    from dynident.links.result import LinkParameters

__all__ = ["draw", "figures", "headline", "load_room", "plot_robot", "records", "show", "tables"]

T = TypeVar("T")


def _nothing(result: Any) -> Iterable[Any]:
    return ()


def _notes_of(result: Any) -> Iterable[str]:
    return (*getattr(result, "doubts", ()), *getattr(result, "notes", ()))


@singledispatch
def _parts(result: object) -> SimpleNamespace:
    raise TypeError(f"nothing is registered in dynident.reports that shows a {type(result).__name__}")


def show(
    kind: type[T],
    *,
    headline: Callable[[T], str],
    tables: Callable[[T], Iterable[Table | None]],
    header: Callable[[T], Iterable[str]] = _nothing,
    facts: Callable[[T], Iterable[str]] = _nothing,
    notes: Callable[[T], Iterable[str]] = _notes_of,
    records: Callable[[T], Iterable[Any]] | None = None,
    figures: Callable[[T], Iterable[Figure]] = _nothing,
) -> None:
    """Declare how results of a type are shown.

    headline : the result in one line.
    header, tables, facts, notes : what `print` shows, in this order; a table that is None is left out, and so is a repeated note.
    records : rows of one kind, dataclasses or mappings, which programs get as plain values; else those of the first table.
    figures : what `plot` shows, as plain data.
    """
    parts = SimpleNamespace(headline=headline, header=header, tables=tables, facts=facts, notes=notes, records=records, figures=figures)

    def parts_of(result: T) -> SimpleNamespace:
        return parts

    _parts.register(kind, parts_of)


@lru_cache(maxsize=256)
def load_room(kind: type) -> None:
    """Import the modules that show results of this type."""
    for base in kind.__mro__:
        package, *rooms = base.__module__.split(".")[:-1] or [""]
        for room in rooms:
            name = f"dynident.reports.{room}"
            if package == "dynident" and find_spec(name) is not None:
                import_module(name)


def headline(result: object) -> str:
    return _parts(result).headline(result)


def tables(result: object) -> Report:
    parts = _parts(result)
    return Report(
        header=tuple(parts.header(result)),
        tables=tuple(table for table in parts.tables(result) if table is not None),
        facts=tuple(parts.facts(result)),
        notes=tuple(dict.fromkeys(parts.notes(result))),
    )


def records(result: object) -> list[dict[str, Any]]:
    rows = _parts(result).records
    return plain_rows(tables(result).tables[0].rows if rows is None else rows(result))


def figures(result: object) -> tuple[Figure, ...]:
    return tuple(_parts(result).figures(result))


def plot_robot(result: LinkParameters) -> PlotlyFigure:
    """The robot in 3D with its identified inertias beside the nominal ones."""
    from dynident.reports.robot_figures import robot_figure

    return draw([robot_figure(result.base.robot, result.parameters)], title=headline(result))
