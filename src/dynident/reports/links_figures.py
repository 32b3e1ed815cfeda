"""Pictures of a retrieval: what the objective fixes, and the range of each parameter with what keeps it there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from markupsafe import Markup

from dynident.core.linear_algebra import singular_values
from dynident.links.problem import RetrievalProblem
from dynident.links.result import LinkParameters
from dynident.links.run_costs import RunCosts
from dynident.links.samples import PosteriorSamples
from dynident.reports.figures import Figure, axis, categories, figure, line, numbers, points, singular_value_figure
from dynident.robots.parameters import parameter_entries

_DETERMINED = {"data": "@data", "constraint": "@constraint", "prior": "@prior"}
#: An open end of a range is drawn so many times the largest value of its kind away.
_OPEN = 1.6
_NOMINAL = {"symbol": "diamond-open", "size": 9, "line": {"width": 1.8}}
#: Of a parameter in a figure: link, quantity, number of the link, element.
_LABEL = Markup("{}  <i>{}</i><sub>{}{}</sub>")


def link_figures(result: LinkParameters) -> tuple[Figure, ...]:
    """Masses, first moments, and the inertias of each link with an axis of its own: links differ too much in size to share one."""
    masses = _range_figure(result, "Masses", "kg", "m")
    moments = _range_figure(result, "First moments, mass times centre of mass", "kg·m", "mc")
    inertias = (_range_figure(result, link.name, "kg·m²", "J", i) for i, link in enumerate(result.base.robot.links))
    return masses, moments, *inertias


def _range_figure(result: LinkParameters, title: str, unit: str, quantity: str, link: int | None = None) -> Figure:
    """One line per parameter: range as a bar, identified and nominal value as marks, bounds as strokes."""
    robot, small = result.base.robot, link is not None
    places = {k: entry for k, entry in enumerate(parameter_entries(robot.n)) if entry.quantity == quantity and link in (None, entry.link)}
    columns, entries = list(places), places.values()
    labels = [_LABEL.format(robot.links[entry.link].name, entry.quantity, entry.link + 1, entry.element) for entry in entries]
    values = result.x[columns]
    nominal = None if robot.parameters is None else robot.parameters.ravel()[columns]
    far = _OPEN * max(1e-9, *(float(np.abs(part).max()) for part in (values, nominal) if part is not None))
    data = [*_range_bars(result, columns, labels, far), *_bound_strokes(result, columns, labels)]
    if nominal is not None:
        data.append(points(nominal, labels, "nominal", "@nominal", marker=_NOMINAL))
    data.append(points(values, labels, "identified", "@measured", marker={"symbol": "circle", "size": 7}))
    return figure(
        f"Ranges: {title}",
        data,
        axis(f"[{unit}]", range=[-0.03 * far if unit == "kg" else -far, far]),
        categories(labels, autorange="reversed", automargin=True, showgrid=False),
        title=f"{title} [{unit}]",
        height=(90 if small else 130) + 20 * len(columns),
        beside=2 if small else 1,
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0},
        barmode="overlay",
        margin={"t": 34 if small else 70},
        showlegend=not small,
    )


def _range_bars(result: LinkParameters, columns: list[int], labels: list[Markup], far: float) -> Iterator[dict[str, Any]]:
    for kind, colour in _DETERMINED.items() if result.ranges else ():
        chosen = [(label, result.ranges[k]) for k, label in zip(columns, labels, strict=True) if result.ranges[k].determined_by == kind]
        if not chosen:
            continue
        # a range that is narrower than the marks is drawn just wide enough to be seen beside them
        low, high = (np.clip([getattr(item, end) for _, item in chosen], -2.0 * far, 2.0 * far) for end in ("low", "high"))
        width = np.maximum(high - low, 0.03 * far)
        yield {
            "type": "bar",
            "orientation": "h",
            "base": numbers(0.5 * (low + high - width)),
            "x": numbers(width),
            "y": [label for label, _ in chosen],
            "name": f"determined by the {kind}" if kind == "prior" else f"determined by {kind}" + ("s" if kind == "constraint" else ""),
            "marker": {"color": colour},
            "width": 0.5,
            "hovertext": [f"{_end(item.low)} to {_end(item.high)} ({kind})" for _, item in chosen],
            "hoverinfo": "text+y",
        }


def _bound_strokes(result: LinkParameters, columns: list[int], labels: list[Markup]) -> Iterator[dict[str, Any]]:
    mark = {"symbol": "line-ns-open", "size": 14, "line": {"width": 2}}
    for end, name in enumerate(("bound", "bound (upper)")):
        ends = [(result.bounds.get(k, (None, None))[end], label) for k, label in zip(columns, labels, strict=True)]
        given = [(value, label) for value, label in ends if value is not None]
        if given:
            values, places = zip(*given, strict=True)
            yield points(values, places, name, "@measured", marker=mark, showlegend=end == 0)


def _end(value: float) -> str:
    return f"{value:.4g}" if np.isfinite(value) else "open"


def problem_figure(problem: RetrievalProblem) -> Figure:
    """Singular values of the objective: directions that have none are left to the conditions and the prior."""
    values = singular_values(problem.objective.A)
    shown = np.full(problem.variables, np.nan)
    shown[: len(values)] = np.where(values > 1e-12 * values.max(initial=0.0), values, np.nan)
    return singular_value_figure("What the objective fixes", shown, "direction of the parameters")


def sample_figure(samples: PosteriorSamples) -> Figure:
    """The masses of the links: every sample, the most probable and the nominal one."""
    robot = samples.base.robot
    names = robot.link_names
    data = [
        points(samples.links[:, :, 0], names * len(samples), "samples", "@cloud", marker={"size": 5, "opacity": 0.25}),
        points(samples.best_masses, names, "most probable", "@measured", marker={"symbol": "circle", "size": 8}),
    ]
    if robot.parameters is not None:
        data.append(points(robot.parameters[:, 0], names, "nominal", "@nominal", marker=_NOMINAL))
    x, y = axis("mass [kg]", rangemode="tozero"), axis("", autorange="reversed", automargin=True)
    return figure("Masses of the samples", data, x, y, height=120 + 34 * robot.n)


def run_cost_figure(costs: RunCosts) -> Figure:
    """The share of all runs that reach a cost, with the bound and what else there is to compare with."""
    feasible, runs = costs.found, len(costs.costs)
    share = 100.0 * np.arange(1, len(feasible) + 1) / runs
    style = {"line": {"shape": "hv"}, "marker": {"size": 5}, "mode": "lines+markers"}
    data = [line(feasible, share, f"runs of {costs.solver}", "@predicted", **style)]
    marks = {"lower bound": costs.lower_bound, **costs.beside}
    for (name, cost), colour in zip(marks.items(), ("@links", "@rigid", "@nominal", "@bone"), strict=False):
        data.append(line([cost, cost], [0.0, 100.0], name, colour, line={"dash": "dash"}))
    kind = "log" if min(*marks.values(), costs.best) > 0.0 else "linear"
    return figure(f"Costs of {runs} runs", data, axis("cost", type=kind), axis("runs that reach it [%]", range=[0, 102]))
