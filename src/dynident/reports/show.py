"""What is shown of a result, by its type: a line, tables, sentences, rows of plain values, figures.

A type is declared once, in the module of its room's name in this package (`dynident.reports.regression` for `dynident.regression`), which
is imported when somebody first prints, plots or lists such a result:

    register(View(RunCosts, headline=_headline, tables=lambda costs: [cost_table(costs)], figures=lambda costs: [cost_figure(costs)]))
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache, singledispatch
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from dynident.reports.figures import Figure, draw
from dynident.reports.tables import Report, Table

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure

__all__ = ["View", "draw", "figures", "headline", "load_room", "plot_robot", "records", "register", "tables"]

T = TypeVar("T")


def _nothing(result: Any) -> Iterable[Any]:
    return ()


def _own_notes(result: Any) -> Iterable[str]:
    return getattr(result, "notes", ())


@dataclass(frozen=True)
class View(Generic[T]):
    """How results of one type are shown.

    headline : the result in one line.
    header, tables, facts, notes : what `print` shows, in this order; a table that is None is left out, and so is a repeated note.
    records : rows of plain values, one dictionary each with the same keys; unless there are others, those of the first table.
    figures : what `plot` shows, as plain data.
    robot : the robot in 3D with its identified inertias beside the nominal ones, where the result has them.
    """

    kind: type[T]
    headline: Callable[[T], str]
    tables: Callable[[T], Iterable[Table | None]]
    header: Callable[[T], Iterable[str]] = _nothing
    facts: Callable[[T], Iterable[str]] = _nothing
    notes: Callable[[T], Iterable[str]] = _own_notes
    records: Callable[[T], list[dict[str, Any]]] | None = None
    figures: Callable[[T], Iterable[Figure]] = _nothing
    robot: Callable[[T], Figure] | None = None


@singledispatch
def _view(result: object) -> View[Any]:
    raise TypeError(f"nothing is registered in dynident.reports that shows a {type(result).__name__}")


def register(view: View[T]) -> None:
    """Declare how a type and its subclasses are shown."""
    _view.register(view.kind, lambda result: view)


@lru_cache(maxsize=256)
def load_room(kind: type) -> None:
    """Import the modules that show results of this type."""
    for base in kind.__mro__:
        package, _, path = base.__module__.partition(".")
        name = f"dynident.reports.{path.partition('.')[0]}"
        if package == "dynident" and find_spec(name) is not None:
            import_module(name)


def headline(result: object) -> str:
    return _view(result).headline(result)


def tables(result: object) -> Report:
    view = _view(result)
    return Report(
        header=tuple(view.header(result)),
        tables=tuple(table for table in view.tables(result) if table is not None),
        facts=tuple(view.facts(result)),
        notes=tuple(dict.fromkeys(view.notes(result))),
    )


def records(result: object) -> list[dict[str, Any]]:
    view = _view(result)
    return tables(result).tables[0].records() if view.records is None else view.records(result)


def figures(result: object) -> tuple[Figure, ...]:
    return tuple(_view(result).figures(result))


def plot_robot(result: object) -> PlotlyFigure:
    view = _view(result)
    if view.robot is None:
        raise TypeError(f"a {type(result).__name__} has no robot to draw")
    return draw([view.robot(result)], title=headline(result))
