"""The tutorial of gravity compensation: a virtual arm that is let go of, and a recorded KUKA LWR 4+."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from documentation.pictures.shots import figure, make_narrow, narrow
from documentation.pictures.tutorial import recorded, run, run_tutorial
from dynident import load_robot
from dynident.dynamics import gravity
from dynident.motions.simulation import float_freely
from dynident.reports.figures import COLOURS
from dynident.runs import read_parameters
from tests.browser import chromium

#: Seconds after the arm was let go of.
FLOAT = 10.0
POSES = 1000


def make(work: Path, browser) -> dict[str, bytes]:
    make_narrow(browser)
    names = run_tutorial("gravity-compensation", work)
    made = {"gravity-doctor.png": _doctor(work, browser), "gravity-torque.png": _torque(work, browser)}
    made["gravity-float.png"] = figure(browser, work, _float(names))
    data = recorded("kuka_lwr4", "gravity-kuka*.png")
    if data is not None:
        made |= _kuka(shutil.copytree(data, work / "recorded"), browser)
    return made


def _doctor(work: Path, browser) -> bytes:
    run(work, "dynident doctor spatial_3r log.csv --effort-signs 1,-1,1 --report page.html  # exits with 1")
    chromium.open_page(browser, work / "page.html")
    return narrow(browser, "#finding-1", "#finding-1")


def _torque(work: Path, browser) -> bytes:
    chromium.open_page(browser, work / "run" / "report.html")
    for label in ("the same without friction", "predicted by the coefficients", "predicted by the nominal links"):
        click = "[...document.querySelectorAll('#torques .key button')].find((b) => b.textContent.trim() === arguments[0]).click()"
        browser.execute_script(click, label)
    browser.execute_script("document.querySelector('#torques figure').remove()")  # joint 1 carries no weight
    return narrow(browser, "#torques .key", "#torques figure")


def _float(names: dict[str, Any]) -> go.Figure:
    """Angles of joints 2 and 3 after the arm was let go of, by compensation."""
    drawn = make_subplots(cols=2, subplot_titles=("joint 2", "joint 3"))
    for name, colour in (("vendor", COLOURS["nominal"]), ("identified", COLOURS["links"])):
        log = float_freely(
            names["robot"],
            [0.3, -0.8, 0.4],
            names["compensations"][name],
            seconds=FLOAT,
            rate=100.0,
            parameters=names["true"],
            friction="linear",
            friction_parameters=names["friction"],
        )
        for column, joint in ((1, 1), (2, 2)):
            angle = np.degrees(log.q[:, joint] - log.q[0, joint])
            line = {"color": colour, "width": 3}
            curve = go.Scatter(x=log.time, y=angle, name=f"gravity of the {name} links", line=line, showlegend=column == 1)
            drawn.add_trace(curve, row=1, col=column)
    drawn.update_layout(height=330, font={"size": 15}, legend={"orientation": "h", "y": 1.35, "x": 0})
    drawn.update_xaxes(title="time since it was let go of [s]")
    drawn.update_yaxes(title="moved by [°]", col=1)
    return drawn


def _kuka(folder: Path, browser) -> dict[str, bytes]:
    for command in (
        "identify kuka_lwr4.urdf measurements_1.npz -o kuka",
        "retrieve kuka",
        "validate kuka measurements_2.npz",
        "report kuka",
    ):
        run(folder, f"dynident {command}")
    chromium.open_page(browser, folder / "kuka" / "report.html")
    verdict = narrow(browser, "#verdict", "#verdict .cards")
    return {"gravity-kuka.png": verdict, "gravity-kuka-poses.png": figure(browser, folder, _poses(folder))}


def _poses(folder: Path) -> go.Figure:
    """How far the gravity of the URDF is from the identified one, joint by joint, and what friction holds."""
    nominal, links = load_robot(folder / "kuka_lwr4.urdf"), read_parameters(folder / "kuka")
    q = np.random.default_rng(0).uniform(*nominal.position_limits.T, (POSES, nominal.n))
    difference = gravity(nominal, nominal.parameters, q) - gravity(nominal, links.parameters, q)
    holds = links.friction_parameters[:, 1]
    stays = 100 * np.mean(np.all(np.abs(difference) < holds, axis=1))
    print(f"KUKA: RMS {np.sqrt(np.mean(difference**2, axis=0)).round(2)}, friction {holds.round(2)}, stays at {stays:.0f} %")
    drawn = go.Figure()
    for j in range(nominal.n):
        colour = {"color": COLOURS["nominal"]}
        box = go.Box(y=difference[:, j], name=f"{j + 1}", marker=colour, line=colour, boxpoints=False, showlegend=False)
        drawn.add_trace(box)
        drawn.add_shape(
            type="rect", x0=j - 0.45, x1=j + 0.45, y0=-holds[j], y1=holds[j], fillcolor=COLOURS["links"], opacity=0.35, line_width=0
        )
    drawn.update_layout(height=380, font={"size": 15})
    drawn.update_xaxes(title="joint (green: what friction holds)")
    drawn.update_yaxes(title="gravity, URDF - identified [N·m]")
    return drawn
