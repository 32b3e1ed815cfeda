"""What is shown of a result, by its type: a line, tables, rows of plain values, figures.

A room's results are shown by the module of its name in this package, `dynident.reports.regression` for `dynident.regression`, which
registers its functions here when it is imported; that is when somebody first prints, plots or lists such a result.
"""

from __future__ import annotations

from functools import lru_cache, singledispatch
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from dynident.reports.figures import Figure, draw
from dynident.reports.tables import Report

__all__ = ["draw", "figures", "headline", "load_room", "plot_robot", "records", "tables"]

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure


@singledispatch
def headline(result: object) -> str:
    """The result in one line."""
    raise _unknown(result)


@singledispatch
def tables(result: object) -> Report:
    """What `print` shows."""
    raise _unknown(result)


@singledispatch
def records(result: object) -> list[dict[str, Any]]:
    """Rows of plain values, one dictionary each with the same keys; unless a type has others, those of its first table."""
    return tables(result).tables[0].records()


@singledispatch
def figures(result: object) -> tuple[Figure, ...]:
    """What `plot` shows, as plain data."""
    raise _unknown(result)


@singledispatch
def plot_robot(result: object) -> PlotlyFigure:
    """The robot in 3D with its identified inertias beside the nominal ones."""
    raise _unknown(result)


@lru_cache(maxsize=256)
def load_room(kind: type) -> None:
    """Import the modules that show results of this type."""
    for base in kind.__mro__:
        package, _, path = base.__module__.partition(".")
        name = f"dynident.reports.{path.partition('.')[0]}"
        if package == "dynident" and find_spec(name) is not None:
            import_module(name)


def _unknown(result: object) -> TypeError:
    return TypeError(f"nothing is registered in dynident.reports that shows a {type(result).__name__}")
