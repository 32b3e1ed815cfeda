"""The tutorial of the simulation engineer: the mended arm, its falling models, and the models that a recorded Panda leaves open."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import plotly.graph_objects as go

from documentation.pictures.shots import between, figure, make_narrow
from documentation.pictures.tutorial import SHARED, recorded, run, run_tutorial
from dynident.exports import ExportModel, export
from dynident.reports.figures import COLOURS
from dynident.runs import load_run
from tests.browser import chromium

#: Friction of every joint in the page's log [N·m·s/rad], [N·m].
VISCOUS, COULOMB = 0.3, 0.4


def make(work: Path, browser) -> dict[str, bytes]:
    made = {}
    names = run_tutorial("simulation", work)
    run(work, "dynident view arm.xml -o view.html --no-open")
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": 1100, "height": 480, "deviceScaleFactor": 1, "mobile": False})
    browser.get((work / "view.html").as_uri())
    chromium.wait(lambda: browser.execute_script("return document.documentElement.dataset.ready") == "yes", "the robot is drawn")
    made["simulation-view.png"] = between(browser, "canvas", "canvas", width=660, scale=1.0)
    make_narrow(browser)
    made["simulation-fall.png"] = figure(browser, work, _fall(names, work))
    log = recorded("panda_gaz2019", "simulation-panda.png")
    if log is not None:
        made["simulation-panda.png"] = figure(browser, work, _panda(work, log))
    return made


def _fall(names: dict[str, Any], work: Path) -> go.Figure:
    """Angle of the elbow over time: what was sampled, what was scaled, and the arm that the log was made of."""
    export(ExportModel(robot=names["robot"], parameters=names["true"]), "mjcf", path=work / "true.xml")
    true = mujoco.MjModel.from_xml_path(str(work / "true.xml"))
    true.dof_damping[:], true.dof_frictionloss[:] = VISCOUS, COULOMB
    drawn = go.Figure()
    groups = (
        ("links scaled by up to 20 %", COLOURS["nominal"], 1, names["by_chance"]),
        ("sampled", COLOURS["links"], 1, names["sampled"]),
        ("the arm itself", "black", 3, names["fall"](true)[None]),
    )
    for name, colour, width, falls in groups:
        for k, path in enumerate(falls):
            time = np.arange(len(path)) * true.opt.timestep
            line = {"color": colour, "width": width, "simplify": False}
            drawn.add_trace(go.Scatter(x=time, y=np.degrees(path[:, 2]), name=name, line=line, mode="lines", showlegend=k == 0))
    drawn.update_layout(height=360, font={"size": 15}, legend={"orientation": "h", "y": 1.15, "x": 0})
    drawn.update_xaxes(title="time since the motors were switched off [s]")
    drawn.update_yaxes(title="elbow [°]")
    return drawn


def _panda(work: Path, log: Path) -> go.Figure:
    shutil.copy(SHARED / "panda_models" / "menagerie_panda_nohand.xml", work / "panda_nohand.xml")
    shutil.copy(log / "trajectory_1.npz", work)
    for command in (
        "identify panda_nohand.xml trajectory_1.npz -o panda --train 0:0.7",
        "retrieve panda",
        "sample panda -n 200",
    ):
        run(work, f"dynident {command}")
    samples = load_run(work / "panda").samples
    assert samples is not None
    return samples.plot(title="")
