"""The picture of one parameter for the page "What is known, and from where", made anew from a run folder of `dynident demo`:

python -m tests.docs.known_picture demo-panda m6 docs/images/known.svg
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dynident import load_robot
from dynident.links import PhysicalConsistency, build_retrieval
from dynident.links.posterior import standard_deviations
from dynident.links.result import LinkParameters
from dynident.links.sampling import draw_posterior
from dynident.runs import read_parameters

_Curve = NDArray[np.float64]
_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BASE = 960, 470, 40, 40, 24, 330


@dataclass(frozen=True, kw_only=True)
class Knowledge:
    """One parameter: draws from the prior and from the posterior, its standard deviation by the curvature, and single values."""

    name: str
    unit: str
    prior: _Curve
    std: float
    posterior: _Curve
    range: tuple[float, float]
    determined_by: str
    best: float
    nominal: float
    true: float | None


def gather(links: LinkParameters, name: str, *, true: _Curve | None = None, count: int = 2000) -> Knowledge:
    problem = links.problem
    assert problem is not None
    assert problem.prior is not None
    column = links.base.columns.index(name)
    nothing = replace(problem.objective, A=np.zeros((1, problem.variables)), b=np.zeros(1))
    friction = problem.prior.friction_std
    known = replace(problem.prior, friction_std=None if friction is None else np.where(np.isfinite(friction), friction, 1.0))
    before = build_retrieval(links.base, nothing, PhysicalConsistency(), prior=known)
    found = links.ranges[column]
    return Knowledge(
        name=name,
        unit=links.base.columns.units[column],
        prior=draw_posterior(before, count).x[:, column],
        std=float(standard_deviations(problem)[1][column]),
        posterior=links.sample(count).x[:, column],
        range=(found.low, found.high),
        determined_by=found.determined_by,
        best=float(links.x[column]),
        nominal=float(problem.prior.nominal.ravel()[column]),
        true=None if true is None else float(true.ravel()[column]),
    )


def draw(known: Knowledge) -> str:
    """An SVG: the prior, the curvature at the mode, the posterior, and below them the range and the single values."""
    mean, std = known.best, known.std
    low = min(-0.06 * np.quantile(known.prior, 0.98), mean - 2.5 * std)
    high = max(np.quantile(known.prior, 0.98), mean + 3.0 * std)
    at = np.linspace(low, high, 300)
    normal = np.exp(-0.5 * ((at - mean) / std) ** 2) / (std * np.sqrt(2.0 * np.pi))
    curves = [
        ("prior", "prior: the nominal link, to about a factor of 1.65", _density(known.prior, at)),
        ("free", "data and prior: the curvature at the most probable value", normal),
        ("post", "posterior: what of it are bodies within the constraints", _density(known.posterior, at)),
    ]
    tallest = max(float(curve.max()) for _, _, curve in curves)

    def x(value: float) -> float:
        return _LEFT + (value - low) / (high - low) * (_WIDTH - _LEFT - _RIGHT)

    parts = [_HEAD.format(name=known.name, width=_WIDTH, height=_HEIGHT)]
    parts.append(f'<rect x="{x(low):.1f}" y="{_TOP}" width="{x(0.0) - x(low):.1f}" height="{_BASE - _TOP}" class="out"/>')
    parts.append(f'<text x="{x(low) + 6:.1f}" y="{_TOP + 16}" class="note">no mass is negative</text>')
    for kind, _, curve in curves:
        points = " ".join(f"{x(a):.1f},{_BASE - d / tallest * (_BASE - _TOP - 10):.1f}" for a, d in zip(at, curve, strict=True))
        parts.append(f'<polyline points="{points}" class="{kind}"/>')
    for number, (kind, label, _) in enumerate(curves):
        y = _TOP + 16 + 22 * number
        parts.append(f'<line x1="{_WIDTH - 470}" y1="{y - 5}" x2="{_WIDTH - 436}" y2="{y - 5}" class="{kind}"/>')
        parts.append(f'<text x="{_WIDTH - 428}" y="{y}">{label}</text>')
    parts += _axis(x, low, high, f"{known.name} [{known.unit}]")
    ends = x(max(known.range[0], low)), x(min(known.range[1], high))
    parts.append(f'<line x1="{ends[0]:.1f}" y1="400" x2="{ends[1]:.1f}" y2="400" class="range"/>')
    parts.append(f'<text x="{ends[1] + 10:.1f}" y="405">range, known from: {known.determined_by}</text>')
    singles = [("nominal", known.nominal, "nom"), ("most probable", known.best, "best")]
    singles += [] if known.true is None else [("true", known.true, "true")]
    for number, (label, value, kind) in enumerate(sorted(singles, key=lambda item: item[1])):
        y = 428 + 16 * number
        parts.append(f'<circle cx="{x(value):.1f}" cy="400" r="6" class="{kind}"/>')
        parts.append(f'<text x="{x(value):.1f}" y="{y}" text-anchor="middle" class="{kind}">{label} {value:.2f}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _density(draws: _Curve, at: _Curve) -> _Curve:
    """By normal kernels, mirrored at zero, where a mass ends."""
    width = 1.06 * draws.std() * len(draws) ** -0.2
    kernels = np.exp(-0.5 * ((at[:, None] - np.concatenate([draws, -draws])) / width) ** 2).sum(axis=1)
    return np.where(at >= 0.0, kernels / (len(draws) * width * np.sqrt(2.0 * np.pi)), 0.0)


def _axis(x: Callable[[float], float], low: float, high: float, label: str) -> list[str]:
    step = next(s for s in (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0) if (high - low) / s <= 12)
    ticks = np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step
    parts = [f'<line x1="{_LEFT}" y1="{_BASE}" x2="{_WIDTH - _RIGHT}" y2="{_BASE}" class="axis"/>']
    for tick in ticks:
        parts.append(f'<line x1="{x(tick):.1f}" y1="{_BASE}" x2="{x(tick):.1f}" y2="{_BASE + 5}" class="axis"/>')
        parts.append(f'<text x="{x(tick):.1f}" y="{_BASE + 20}" text-anchor="middle">{tick + 0.0:g}</text>')
    return [*parts, f'<text x="{_WIDTH - _RIGHT}" y="{_BASE + 38}" text-anchor="end">{label}</text>']


_HEAD = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="What is known of {name}">
<style>
  text {{ font-family: system-ui, sans-serif; font-size: 14px; fill: #1f2933; }}
  .note {{ font-size: 12px; fill: #59626d; }}
  .axis {{ stroke: #59626d; stroke-width: 1; }}
  .out {{ fill: #0072b2; fill-opacity: 0.10; }}
  polyline, line {{ fill: none; stroke-width: 2.5; }}
  .prior {{ stroke: #8b95a1; }}
  .free {{ stroke: #00805c; stroke-dasharray: 7 5; }}
  .post {{ stroke: #c75300; stroke-width: 3.5; }}
  .range {{ stroke: #1b1f24; stroke-width: 5; stroke-opacity: 0.35; }}
  circle.nom {{ fill: #ffffff; stroke: #a8417f; stroke-width: 2.5; }} text.nom {{ fill: #a8417f; }}
  circle.best {{ fill: #1b1f24; }}
  circle.true {{ fill: #0072b2; }} text.true {{ fill: #0072b2; }}
</style>
<rect width="{width}" height="{height}" fill="#ffffff"/>"""


if __name__ == "__main__":
    run, parameter, target = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
    truth = load_robot(run / "true_robot.yaml").parameters
    target.write_text(draw(gather(read_parameters(run), parameter, true=truth)), encoding="utf-8")
