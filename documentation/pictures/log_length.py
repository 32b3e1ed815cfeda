"""The error on other data against the seconds that were fitted, of recorded logs and of virtual arms."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import plotly.graph_objects as go

from benchmarks.decide import SEEDS, lengths, recorded_logs, virtual_lengths
from documentation.pictures.shots import figure


def make(work: Path, browser) -> dict[str, bytes]:
    if not recorded_logs():
        print("log-length.png needs the recorded logs in ../shared/data, which are not there")
        return {}
    curves = {f"{name}, recorded": lengths(name) for name in ("Panda", "KUKA LWR 4+")}
    for what, errors in (("virtual Pandas", ()), ("the same, with ripple and Stribeck friction", ("ripple", "stribeck"))):
        errors_by_length = virtual_lengths(errors, repeated=False)
        curves[f"{what}: median of {len(SEEDS)}"] = {seconds: float(np.median(values)) for seconds, values in errors_by_length.items()}
    drawn = go.Figure(
        [go.Scatter(x=list(curve), y=list(curve.values()), name=name, mode="lines+markers") for name, curve in curves.items()]
    )
    drawn.update_xaxes(type="log", title="seconds that were fitted", tickvals=[2, 5, 10, 20, 50, 100])
    drawn.update_yaxes(type="log", title="unexplained torque on other data [%]", tickvals=[0.5, 1, 2, 5, 10, 20, 50, 100, 200])
    drawn.update_layout(height=560, font={"size": 15}, legend={"x": 0.0, "y": -0.17, "yanchor": "top"})
    return {"log-length.png": figure(browser, work, drawn)}
