"""Pictures of a retrieval: what the objective fixes, and the range of each parameter with what keeps it there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dynident.core.arrays import Array
from dynident.core.linear_algebra import singular_values
from dynident.feasibility.problem import RetrievalProblem
from dynident.feasibility.result import Bounds, LinkParameters, Range
from dynident.feasibility.run_costs import RunCosts
from dynident.feasibility.samples import PosteriorSamples
from dynident.parameters import ParameterEntry, parameter_entries
from dynident.reports.figures import Figure, axis, bars, figure, line, numbers, plain, points
from dynident.robots.robot import Robot

_DETERMINED = {"data": "@data", "constraint": "@constraint", "prior": "@prior"}
#: An open end of a range is drawn so many times the largest value of its kind away.
_OPEN = 1.6


def link_figures(result: LinkParameters) -> tuple[Figure, ...]:
    """Masses, first moments, and the inertias of each link."""
    pictures = RangePictures(robot=result.base.robot, x=result.x, ranges=result.ranges, bounds=result.bounds)
    return pictures.masses(), pictures.moments(), *pictures.inertias()


def problem_figure(problem: RetrievalProblem) -> Figure:
    """Singular values of the objective: directions that have none are left to the conditions and the prior."""
    values = singular_values(problem.objective.A)
    found = np.where(values > 1e-12 * values.max(initial=0.0), values, np.nan)
    shown = np.concatenate([found, np.full(problem.variables - len(found), np.nan)])
    sizes = bars(list(range(1, len(shown) + 1)), numbers(shown), "", "@predicted")
    return figure("What the objective fixes", [sizes], "direction of the parameters", axis("singular value", type="log"))


@dataclass(frozen=True, kw_only=True, eq=False)
class RangePictures:
    """x : (10 n, ...) the links' columns; ranges : one per column, or none; bounds : that were given, by column."""

    robot: Robot
    x: Array
    ranges: Sequence[Range]
    bounds: Mapping[int, Bounds] = field(default_factory=dict[int, Bounds])

    def masses(self) -> Figure:
        return self._figure("Masses", "kg", self._places("m"))

    def moments(self) -> Figure:
        return self._figure("First moments, mass times centre of mass", "kg·m", self._places("mc"))

    def inertias(self) -> tuple[Figure, ...]:
        """One per link, each with its own axis: links differ too much in size to share one."""
        return tuple(self._figure(link.name, "kg·m²", self._places("J", i), small=True) for i, link in enumerate(self.robot.links))

    def _places(self, quantity: str, link: int | None = None) -> list[int]:
        """Columns of one quantity (m, mc or J), of one link or of all."""
        entries = enumerate(parameter_entries(self.robot.n))
        return [place for place, entry in entries if entry.quantity == quantity and link in (None, entry.link)]

    def _figure(self, title: str, unit: str, columns: list[int], *, small: bool = False) -> Figure:
        """One line per parameter: range as a bar, identified and nominal value as marks, bounds as strokes."""
        robot = self.robot
        entries = parameter_entries(robot.n)
        labels = [f"{plain(robot.links[entries[k].link].name)}  {_symbol(entries[k])}" for k in columns]
        values = self.x[columns]
        nominal = None if robot.parameters is None else robot.parameters.ravel()[columns]
        far = _OPEN * max(1e-9, *(float(np.abs(part).max()) for part in (values, nominal) if part is not None))
        data = [*self._bars(columns, labels, far), *self._strokes(columns, labels)]
        if nominal is not None:
            mark = {"symbol": "diamond-open", "size": 9, "line": {"width": 1.8}}
            data.append(points(numbers(nominal), labels, "nominal", "@nominal", marker=mark))
        data.append(points(numbers(values), labels, "identified", "@measured", marker={"symbol": "circle", "size": 7}))
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
        return Figure(label=f"Ranges: {title}", data=data, layout=layout, height=(90 if small else 130) + 20 * len(columns), small=small)

    def _bars(self, columns: list[int], labels: list[str], far: float) -> Iterator[dict[str, Any]]:
        for kind, colour in _DETERMINED.items() if self.ranges else ():
            chosen = [(label, self.ranges[k]) for k, label in zip(columns, labels, strict=True) if self.ranges[k].determined_by == kind]
            if not chosen:
                continue
            # a range that is narrower than the marks is drawn just wide enough to be seen beside them
            middle = np.array([0.5 * (max(item.low, -2.0 * far) + min(item.high, 2.0 * far)) for _, item in chosen])
            width = np.array([max(min(item.high, 2.0 * far) - max(item.low, -2.0 * far), 0.03 * far) for _, item in chosen])
            yield {
                "type": "bar",
                "orientation": "h",
                "base": numbers(middle - 0.5 * width),
                "x": numbers(width),
                "y": [label for label, _ in chosen],
                "name": f"determined by the {kind}" if kind == "prior" else f"determined by {kind}" + ("s" if kind == "constraint" else ""),
                "marker": {"color": colour},
                "width": 0.5,
                "hovertext": [f"{_end(item.low)} to {_end(item.high)} ({kind})" for _, item in chosen],
                "hoverinfo": "text+y",
            }

    def _strokes(self, columns: list[int], labels: list[str]) -> Iterator[dict[str, Any]]:
        for end, name in enumerate(("bound", "bound (upper)")):
            ends = [(self.bounds.get(k, (None, None))[end], label) for k, label in zip(columns, labels, strict=True)]
            found = [(value, label) for value, label in ends if value is not None]
            if found:
                mark = {"symbol": "line-ns-open", "size": 14, "line": {"width": 2}}
                x, y = numbers([value for value, _ in found]), [label for _, label in found]
                yield points(x, y, name, "@measured", marker=mark, showlegend=end == 0)


def _symbol(entry: ParameterEntry) -> str:
    """J2xx with its subscript in the pseudo-HTML of a figure."""
    return f"<i>{entry.quantity}</i><sub>{entry.link + 1}{entry.element}</sub>"


def _end(value: float) -> str:
    return f"{value:.4g}" if np.isfinite(value) else "open"


def sample_figure(samples: PosteriorSamples) -> Figure:
    """The masses of the links: every sample, the most probable and the nominal one."""
    robot = samples.base.robot
    names = [plain(name) for name in robot.link_names]
    masses = samples.links[:, :, 0]
    every = [name for _ in range(len(samples)) for name in names]
    data = [
        points(numbers(masses), every, "samples", "@cloud", marker={"size": 5, "opacity": 0.25}),
        points(numbers(samples.best_masses), names, "most probable", "@measured", marker={"symbol": "circle", "size": 8}),
    ]
    if robot.parameters is not None:
        style = {"symbol": "diamond-open", "size": 10, "line": {"width": 1.8}}
        data.append(points(numbers(robot.parameters[:, 0]), names, "nominal", "@nominal", marker=style))
    x, y = axis("mass [kg]", rangemode="tozero"), axis("", autorange="reversed", automargin=True)
    return figure("Masses of the samples", data, x, y, height=120 + 34 * robot.n)


def run_cost_figure(costs: RunCosts) -> Figure:
    """The share of all runs that reach a cost, with the bound and what else there is to compare with."""
    feasible, runs = costs.found, len(costs.costs)
    share = 100.0 * np.arange(1, len(feasible) + 1) / runs
    ends = numbers([0.0, 100.0])
    curve = {"type": "scatter", "mode": "lines+markers", "x": numbers(feasible), "y": numbers(share), "name": f"runs of {costs.solver}"}
    data: list[dict[str, Any]] = [{**curve, "line": {"color": "@predicted", "shape": "hv"}, "marker": {"size": 5}}]
    marks = {"lower bound": costs.lower_bound, **costs.beside}
    for (name, cost), colour in zip(marks.items(), ("@links", "@rigid", "@nominal", "@bone"), strict=False):
        data.append(line(numbers([cost, cost]), ends, name, colour, line={"dash": "dash"}))
    kind = "log" if min(*marks.values(), costs.best) > 0.0 else "linear"
    return figure(f"Costs of {runs} runs", data, axis("cost", type=kind), axis("runs that reach it [%]", range=[0, 102]))
