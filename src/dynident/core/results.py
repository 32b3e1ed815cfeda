"""What every result can do: one line in a list, tables as text and in a notebook, rows for pandas, a picture."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from dynident.core.figures import Figure, draw
from dynident.core.tables import Report, report_html
from dynident.errors import import_optional

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure


class Tabular(ABC):
    """Prints itself. A class says what it is in one line, its tables and its rows; dataclasses need `repr=False` beside it."""

    @property
    @abstractmethod
    def headline(self) -> str:
        """What it is, in one line."""

    @abstractmethod
    def tables(self) -> Report:
        """What `print` shows."""

    @abstractmethod
    def records(self) -> list[dict[str, Any]]:
        """Rows of plain values, one dictionary each with the same keys, as pandas, csv and json take them."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.headline})"

    def __str__(self) -> str:
        return str(self.tables())

    def _repr_html_(self) -> str:
        return report_html(self.tables())

    def to_dataframe(self) -> Any:
        """The records as a pandas DataFrame; needs the extra `pandas`."""
        return import_optional("pandas", "a data frame").DataFrame(self.records())


class Result(Tabular):
    """A result with a picture."""

    @abstractmethod
    def figures(self) -> tuple[Figure, ...]:
        """What `plot` shows, as plain data."""

    def plot(self, *, title: str | None = None) -> PlotlyFigure:
        """The picture as a Plotly figure; in a notebook it shows itself, `plot().show()` opens a browser."""
        return draw(self.figures(), title=self.headline if title is None else title)
