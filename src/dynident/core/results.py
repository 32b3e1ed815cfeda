"""What every result can do: one line in a list, tables as text and in a notebook, rows for pandas, a picture."""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Callable
from dataclasses import is_dataclass
from functools import cached_property, wraps
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from dynident.core.arrays import freeze_arrays, freeze_fields
from dynident.errors import import_optional

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure

    from dynident.reports.figures import Figure
    from dynident.reports.tables import Report


class _ReadOnlyArrays(ABCMeta):
    """Of classes whose objects, once made, hold no array that can be changed in place: in no field, and in no cached property."""

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], /, **options: Any) -> None:
        super().__init__(name, bases, namespace, **options)
        for attribute in namespace.values():
            if isinstance(attribute, cached_property):
                attribute.func = _freeze_returned(cast("Callable[[Any], Any]", attribute.func))

    def __call__(cls, *arguments: Any, **named: Any) -> Any:
        made = super().__call__(*arguments, **named)
        if is_dataclass(made):
            freeze_fields(made)
        return made


def _freeze_returned(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    @wraps(function)
    def frozen(instance: Any) -> Any:
        return freeze_arrays(function(instance))

    return frozen


class Tabular(metaclass=_ReadOnlyArrays):
    """Prints itself. What is shown of a class is registered in `dynident.reports`, which is imported here by name when somebody asks, so
    that results do not depend on how they are shown. Dataclasses need `repr=False` beside it."""

    @property
    def headline(self) -> str:
        """What it is, in one line."""
        return showing(self).headline(self)

    def tables(self) -> Report:
        """What `print` shows."""
        return showing(self).tables(self)

    def records(self) -> list[dict[str, Any]]:
        """Rows of plain values, one dictionary each with the same keys, as pandas, csv and json take them."""
        return showing(self).records(self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.headline})"

    def __str__(self) -> str:
        return str(self.tables())

    def _repr_html_(self) -> str:
        return self.tables().html()

    def to_dataframe(self) -> Any:
        """The records as a pandas DataFrame; needs the extra `pandas`."""
        return import_optional("pandas", "a data frame").DataFrame(self.records())


class Result(Tabular):
    """A result with a picture."""

    def figures(self) -> tuple[Figure, ...]:
        """What `plot` shows, as plain data."""
        return showing(self).figures(self)

    def plot(self, *, title: str | None = None) -> PlotlyFigure:
        """The picture as a Plotly figure; in a notebook it shows itself, `plot().show()` opens a browser."""
        return showing(self).draw(self.figures(), title=self.headline if title is None else title)


def showing(result: object) -> Any:
    """The functions that show results, with those of this result's room among them."""
    show = import_module("dynident.reports.show")
    show.load_room(type(result))
    return show
