"""Link parameters with the ranges that they can take, what determines them, and the nominal ones beside them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from dynident.parameters import consistency_margin, parameter_entries, to_com
from dynident.report.blocks import Block, Cell, Figure, Grid, Heading, Listing, Section, Text
from dynident.report.figures import axis, numbers, plain
from dynident.runs.parameters import StoredParameters
from dynident.runs.parameters_document import PARAMETER_NAMES
from dynident.runs.run import Run, Stage

_MASS, _MOMENTS, _INERTIA = (0,), (1, 2, 3), (4, 5, 6, 7, 8, 9)
_DETERMINED = {"data": "@data", "constraint": "@constraint", "prior": "@prior"}
#: An open end of a range is drawn so many times the largest value of its kind away.
_OPEN = 1.6


def _blocks(run: Run) -> Iterator[Block]:
    parameters = run.parameters
    assert parameters is not None  # noqa: S101 (the section's stage)
    state = "They satisfy all constraints" if parameters.feasible else "They violate constraints"
    yield Text(
        f"{state}. Total mass {parameters.total_mass:.3f} kg, solver {parameters.solver}. A bar is the range that a parameter can take "
        "while the others adapt and the fit stays as good as the noise allows; its colour says what keeps it there. A bar that runs out "
        "of its figure is open or far wider."
    )
    yield _table(run, parameters)
    if parameters.ranges:
        yield Heading("Ranges")
        every = range(parameters.base.robot.n)
        yield _ranges(run, parameters, "Masses", "kg", _columns(every, _MASS))
        yield _ranges(run, parameters, "First moments, mass times centre of mass", "kg·m", _columns(every, _MOMENTS))
        yield Text("Inertias about the origin of each link's frame. Links differ too much in size to share an axis.")
        for i, link in enumerate(parameters.base.robot.links):  # each with its own axis
            yield _ranges(run, parameters, link.name, "kg·m²", _columns([i], _INERTIA), small=True)
    else:
        yield Text("The ranges of the parameters were not computed.")
    if parameters.notes:
        yield Listing("Notes", tuple(f"{note[:1].upper()}{note[1:]}." for note in parameters.notes))


SECTION = Section(key="links", title="Link parameters", stage=Stage.PARAMETERS, blocks=_blocks)


def _table(run: Run, parameters: StoredParameters) -> Grid:
    robot = parameters.base.robot
    nominal = robot.parameters
    margins = consistency_margin(parameters.parameters)
    rows: list[tuple[tuple[Cell, ...], bool]] = []
    for i, link in enumerate(robot.links):
        row = parameters.parameters[i]
        mass, com, inertia = _com(row)
        cells = [Cell(text=link.name), Cell(text=link.frame), Cell(text=f"{mass:.3f}", sort=mass)]
        if nominal is not None:
            cells.append(Cell(text=f"{nominal[i, 0]:.3f}", sort=float(nominal[i, 0])))
        cells.append(Cell(text=_triple(com, ".3f")))
        if nominal is not None:
            cells.append(Cell(text=_triple(_com(nominal[i])[1], ".3f")))
        cells.append(Cell(text=_triple(np.linalg.eigvalsh(inertia), ".2e"), math=True))
        cells.append(Cell(text=f"{margins[i]:.1e}", sort=float(margins[i]), math=True))
        rows.append((tuple(cells), False))
    beside = ("nominal [kg]", "nominal [m]") if nominal is not None else ()
    headings = ("link", "frame", "mass [kg]", *beside[:1], "centre of mass [m]", *beside[1:], "principal inertias [kg·m²]", "margin")
    return Grid(title="Links", headings=headings, rows=tuple(rows), left=frozenset({0, 1}))


def _com(row: Any) -> tuple[float, Any, Any]:
    if row[0] == 0.0:
        return 0.0, np.zeros(3), np.zeros((3, 3))
    mass, com, inertia = to_com(row)
    return float(mass), com, inertia


def _triple(values: ArrayLike, form: str) -> str:
    return "  ".join(format(float(value), form).replace("-0.000", "0.000") for value in np.asarray(values, dtype=float))


def _columns(links: Iterable[int], slots: tuple[int, ...]) -> list[int]:
    return [10 * i + slot for i in links for slot in slots]


def _ranges(run: Run, parameters: StoredParameters, title: str, unit: str, own: list[int], *, small: bool = False) -> Figure:
    """One line per parameter: range as a bar, identified and nominal value as marks, bounds as strokes."""
    robot = parameters.base.robot
    entries = parameter_entries(robot.n)
    labels = [f"{plain(robot.links[entries[k].link].name)}  {_name(entries[k].name)}" for k in own]
    values = parameters.x[own]
    nominal = None if robot.parameters is None else robot.parameters.ravel()[own]
    far = _OPEN * max(1e-9, *(float(np.abs(part).max()) for part in (values, nominal) if part is not None))
    data = [*_bars(parameters, own, labels, far), *_bounds(run, own, labels)]
    if nominal is not None:
        mark = {"symbol": "diamond-open", "size": 9, "color": "@nominal", "line": {"width": 1.8}}
        data.append({"type": "scatter", "mode": "markers", "x": numbers(nominal), "y": labels, "name": "nominal", "marker": mark})
    mark = {"symbol": "circle", "size": 7, "color": "@measured"}
    data.append({"type": "scatter", "mode": "markers", "x": numbers(values), "y": labels, "name": "identified", "marker": mark})
    order = {"categoryorder": "array", "categoryarray": labels}
    layout = {
        "title": {"text": f"{plain(title)} [{unit}]"},
        "xaxis": axis(f"[{unit}]", range=[-0.03 * far if unit == "kg" else -far, far]),
        "yaxis": {**order, "autorange": "reversed", "type": "category", "automargin": True, "showgrid": False},
        "legend": {"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0},
        "barmode": "overlay",
        "margin": {"t": 34 if small else 70},
        "showlegend": not small,
    }
    return Figure(label=f"Ranges: {title}", data=data, layout=layout, height=(90 if small else 130) + 20 * len(own), small=small)


def _bars(parameters: StoredParameters, own: list[int], labels: list[str], far: float) -> Iterator[dict[str, Any]]:
    for kind, colour in _DETERMINED.items():
        chosen = [(label, parameters.ranges[k]) for k, label in zip(own, labels, strict=True) if parameters.ranges[k].determined_by == kind]
        if not chosen:
            continue
        # a range that is narrower than the marks is drawn just wide enough to be seen beside them
        middle = np.array([0.5 * (max(item.low, -2.0 * far) + min(item.high, 2.0 * far)) for _, item in chosen])
        width = np.array([max(min(item.high, 2.0 * far) - max(item.low, -2.0 * far), 0.03 * far) for _, item in chosen])
        text = [f"{_end(item.low)} to {_end(item.high)} ({kind})" for _, item in chosen]
        yield {
            "type": "bar",
            "orientation": "h",
            "base": numbers(middle - 0.5 * width),
            "x": numbers(width),
            "y": [label for label, _ in chosen],
            "name": f"determined by the {kind}" if kind == "prior" else f"determined by {kind}" + ("s" if kind == "constraint" else ""),
            "marker": {"color": colour},
            "width": 0.5,
            "hovertext": text,
            "hoverinfo": "text+y",
        }


def _bounds(run: Run, own: list[int], labels: list[str]) -> Iterator[dict[str, Any]]:
    """Bounds that the retrieval was given, where the run folder has kept them."""
    links = cast("list[Mapping[str, Any]]", run.documents[Stage.PARAMETERS].get("links", []))
    for end, symbol in ((0, "line-ns-open"), (1, "line-ns-open")):
        found: list[tuple[float, str]] = []
        for k, label in zip(own, labels, strict=True):
            bounds = cast("Mapping[str, list[float | None]]", links[k // 10].get("bounds") or {})
            value = bounds.get(PARAMETER_NAMES[k % 10], [None, None])[end]
            if value is not None:
                found.append((value, label))
        if found:
            yield {
                "type": "scatter",
                "mode": "markers",
                "x": numbers([value for value, _ in found]),
                "y": [label for _, label in found],
                "name": "bound" if end == 0 else "bound (upper)",
                "showlegend": end == 0,
                "marker": {"symbol": symbol, "size": 14, "color": "@measured", "line": {"width": 2}},
            }


def _name(name: str) -> str:
    """J2xx with its subscript in the pseudo-HTML of a figure."""
    head = name.rstrip("xyz").rstrip("0123456789")
    return f"<i>{head}</i><sub>{name[len(head) :]}</sub>"


def _end(value: float) -> str:
    return f"{value:.4g}" if np.isfinite(value) else "open"
