"""The tutorial of logs without signs: the report of a virtual arm, and a recorded Stäubli TX40 whose signs are taken away."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import plotly.graph_objects as go

from documentation.pictures.shots import figure, make_narrow, narrow
from documentation.pictures.tutorial import recorded, run_tutorial
from dynident import identify, load_robot, recover_signs
from dynident.data import Dataset, EffortKind
from dynident.dynamics.friction import couple, friction_model
from dynident.reports.figures import COLOURS
from dynident.routes.signs import SignRecovery
from tests.browser import chromium

#: Of the TX40: motor angles per joint angle. Motor 6 turns joint 5 too.
GEARS = np.diag([32.0, 32.0, 45.0, -48.0, 45.0, 32.0])
GEARS[5, 4] = 32.0
RATE, CUTOFF = 5000.0, 20.0
#: The joint that is drawn.
JOINT = 2


def make(work: Path, browser) -> dict[str, bytes]:
    make_narrow(browser)
    run_tutorial("unsigned", work)
    chromium.open_page(browser, work / "run" / "report.html")
    made = {"unsigned-signs.png": narrow(browser, "#signs", "#signs .row figure")}
    data = recorded("staubli_tx40", "unsigned-tx40.png")
    if data is not None:
        made["unsigned-tx40.png"] = figure(browser, work, _tx40(data))
    return made


def _tx40(folder: Path) -> go.Figure:
    """|torque| as recorded, with recovered signs, and what was measured. The figures of the page's table are printed."""
    motors = [np.loadtxt(folder / name, delimiter=",", skiprows=1) for name in ("pos_read_data.csv", "curr_data.csv")]
    q = motors[0] @ np.linalg.inv(GEARS).T + np.array([0, -np.pi / 2, np.pi / 2, 0, 0, 0])
    torque = motors[1] @ GEARS
    time = np.arange(len(q)) / RATE
    robot, friction = load_robot(folder / "tx40_mdh_modified.urdf"), couple(friction_model("linear+armature"), GEARS)
    signed = Dataset(time=time, q=q, effort=torque, effort_kind=EffortKind.TORQUE)
    magnitude = Dataset(time=time, q=q, effort=np.abs(torque), effort_kind=EffortKind.MAGNITUDE)
    recovery = recover_signs(robot, magnitude, friction=friction, cutoff=CUTOFF)
    estimate = identify(robot, signed, friction=friction, cutoff=CUTOFF)
    measured = np.column_stack([np.interp(recovery.log.time, time, column) for column in torque.T])
    clear = np.abs(measured) > recovery.threshold
    right = [np.mean((recovery.signs == np.sign(measured))[clear[:, j], j]) for j in range(robot.n)]
    print(recovery.sentence)
    print("signs that are right", (100 * np.array(right)).round(2))
    for name, result in (("|torque|", recovery.estimate), ("torque", estimate)):
        print(f"friction from {name}: viscous and Coulomb", result.friction_parameters[:, :2].T.round(2).tolist())
    return _draw(recovery, measured)


def _draw(recovery: SignRecovery, measured: np.ndarray) -> go.Figure:
    assert recovery.log.effort is not None
    step = max(1, len(measured) // 1500)
    time, magnitude = recovery.log.time[::step], recovery.log.effort[::step, JOINT]
    curves = (
        ("|torque|, as logged", magnitude, COLOURS["prior"], 2),
        ("measured", measured[::step, JOINT], COLOURS["measured"], 4),
        ("signs put back", recovery.soft_signs[::step, JOINT] * magnitude, COLOURS["rigid"], 1.5),
    )
    drawn = go.Figure([go.Scatter(x=time, y=y, name=name, line={"color": colour, "width": width}) for name, y, colour, width in curves])
    drawn.update_layout(height=340, font={"size": 15}, legend={"orientation": "h", "y": 1.15, "x": 0})
    drawn.update_xaxes(title="time [s]")
    drawn.update_yaxes(title=f"torque of joint {JOINT + 1} [N·m]")
    return drawn
