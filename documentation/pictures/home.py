"""The picture of README and home page: a recorded Panda with its inertias in 3D, and the torques that its model predicts.

The links are retrieved from the first 70 % of the log, the torques are those of the rest. It is drawn once on a light and once on a dark
ground, 1000 px wide with letters that are still legible at 400 px.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from documentation.pictures.shots import between
from dynident.runs import load_run
from dynident.validation.models import LINKS
from dynident.validation.series import JointSeries
from tests.browser import chromium
from tests.commands import run_here

LOG = Path(__file__).parents[3] / "shared" / "data" / "panda_gaz2019" / "trajectory_1.npz"
#: What a reader would type.
COMMANDS = (
    f"identify panda {LOG} -o run --train 0:0.7",
    "retrieve run --prior uniform --no-ranges",
    f"validate run {LOG} --part 0.7:1",
    "view run -o view.html --no-open",
)
#: Joints whose torques are drawn: one that carries weight, one whose friction is as large as its load.
JOINTS = (2, 6)
#: In which the robot is seen [rad].
POSTURE = (0.0, -0.4, 0.0, -2.0, 0.0, 1.7, 0.8)
#: Ground, text, measured and predicted, as the pages of dynident have them.
THEMES = {
    "light": ("#ffffff", "#1b1f24", "#1b1f24", "#0072b2"),
    "dark": ("#14171b", "#e7eaee", "#e7eaee", "#56b4e9"),
}
_WIDTH, _HEIGHT, _ROBOT = 1000, 470, 450


def make(work: Path, browser) -> dict[str, bytes]:
    if not LOG.is_file():
        print(f"home: left as it is, because the log of a Panda is not here ({LOG.name} in ../shared/data)")
        return {}
    for command in COMMANDS:
        finished = run_here(work, *command.split())
        assert finished.returncode == 0, finished.stderr
    validation = load_run(work / "run").validation
    assert validation is not None
    series = [validation.series[joint] for joint in JOINTS]
    made: dict[str, bytes] = {}
    for theme, colours in THEMES.items():
        page = work / f"{theme}.html"
        page.write_text(_page(_robot(browser, work / "view.html", theme), series, *colours), encoding="utf-8")
        browser.get(page.resolve().as_uri())
        made[f"home-{theme}.png"] = between(browser, "main", "main", width=_WIDTH, scale=1.0)
    return made


def _robot(browser, scene: Path, theme: str) -> str:
    """The 3D view alone, as the address of an image."""
    browser.get(scene.resolve().as_uri())
    chromium.wait(lambda: browser.execute_script("return document.documentElement.dataset.ready") == "yes", "the robot is drawn")
    return browser.execute_script(
        """
        const [theme, width, height, posture] = arguments, canvas = document.getElementById("scene"), root = document.documentElement;
        const box = [...document.querySelectorAll("#show label")].find((label) => label.textContent === "Nominal inertia").firstChild;
        box.checked = false;
        box.dispatchEvent(new Event("change"));
        [...document.querySelectorAll("#joints input")].forEach((slider, i) => {
          slider.value = posture[i];
          slider.dispatchEvent(new Event("input"));
        });
        document.querySelector("aside").remove();
        document.body.style.gridTemplateColumns = `${width}px`;
        canvas.style.height = `${height}px`;
        canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: -720 }));
        root.dataset.theme = theme;
        window.dispatchEvent(new Event("resize"));
        return canvas.toDataURL();
        """,
        theme,
        _ROBOT,
        _HEIGHT,
        POSTURE,
    )


def _page(robot: str, series: list[JointSeries], ground: str, text: str, measured: str, predicted: str) -> str:
    plots = "".join(_plot(item, 215 * number, text, measured, predicted) for number, item in enumerate(series))
    return f"""<!doctype html><meta charset="utf-8"><style>
      body {{ margin: 0; background: {ground}; }}
      main {{ width: {_WIDTH}px; height: {_HEIGHT}px; display: flex; }}
      text {{ font: 23px system-ui, sans-serif; fill: {text}; }}
    </style><main><svg width="{_WIDTH}" height="{_HEIGHT}">
      <image href="{robot}" width="{_ROBOT}" height="{_HEIGHT}"/>
      <text x="14" y="{_HEIGHT - 14}" style="fill: {predicted}">● identified inertias</text>
      <g transform="translate({_ROBOT + 60}, 0)">
        <text y="32">— measured</text><text x="160" y="32" style="fill: {predicted}">— predicted torque</text>{plots}
      </g>
    </svg></main>"""


def _plot(item: JointSeries, top: int, text: str, measured: str, predicted: str) -> str:
    """One joint's torque over time, with two numbers on each axis."""
    width, height, top = 470, 130, top + 82
    low, high = _round_limits(item.measured)
    end = int(item.time[-1] - item.time[0])

    def line(values: NDArray[np.float64], style: str) -> str:
        x = (item.time - item.time[0]) / (item.time[-1] - item.time[0]) * width
        y = top + (high - values) / (high - low) * height
        return f'<polyline points="{" ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))}" fill="none" {style}/>'

    axis = f'stroke="{text}" stroke-opacity="0.35"'
    second = end / (item.time[-1] - item.time[0]) * width
    return f"""
      <text x="{width / 2}" y="{top - 12}" text-anchor="middle">joint {item.joint[-1]} [N·m]</text>
      <line x1="0" x2="{width}" y1="{top}" y2="{top}" {axis}/><line x1="0" x2="{width}" y1="{top + height}" y2="{top + height}" {axis}/>
      <text x="-8" y="{top + 8}" text-anchor="end">{high:g}</text><text x="-8" y="{top + height + 8}" text-anchor="end">{low:g}</text>
      <text y="{top + height + 28}">0</text><text x="{second}" y="{top + height + 28}" text-anchor="end">{end} s</text>
      {line(item.measured, f'stroke="{measured}" stroke-width="6" stroke-opacity="0.4"')}
      {line(item.predicted[LINKS], f'stroke="{predicted}" stroke-width="3"')}"""


def _round_limits(values: NDArray[np.float64]) -> tuple[float, float]:
    """Round limits that hold the values."""
    step = 0.5 * 10.0 ** np.floor(np.log10(np.ptp(values)))
    return float(np.floor(values.min() / step) * step), float(np.ceil(values.max() / step) * step)
