"""What every result that a person keeps must do: one line, tables, a notebook's HTML, rows for pandas, a picture."""

from __future__ import annotations

import math
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import fields, is_dataclass, replace
from functools import cache, cached_property
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

import dynident
from dynident import regression
from dynident.core.results import Result, Tabular
from dynident.data import ControllerSamples
from dynident.diagnosis import doctor
from dynident.dynamics.friction import linear
from dynident.errors import DynidentError, MissingExtraError
from dynident.exports import export, model_from_estimate
from dynident.links import retrieval_problem, retrieve
from dynident.links.repairs.repair import repair
from dynident.links.run_costs import RunCosts
from dynident.motions import QuinticTrajectory, check_motion, design_experiment, design_trajectory, trajectory_dataset
from dynident.motions.design.static_design import design_configurations
from dynident.motions.limits.limits import Limits
from dynident.motions.recording import plan_trajectory
from dynident.motions.simulation.truth import Recording, Truth
from dynident.pipeline.bundles.repeat import make_bundle
from dynident.regression import build_problem, refit_friction
from dynident.reports.figures import COLOURS
from dynident.reports.html import style
from dynident.robots import check_robot, load_robot
from dynident.routes.drives import KnownValue, identify_gains
from dynident.routes.payload import Declared, identify_payload
from dynident.routes.signs import recover_signs
from dynident.runs import run_in_memory, save_run
from dynident.runs.comparison import compare_runs, observe
from dynident.validation import validate
from dynident.validation.monitoring import contact_monitor, find_contacts
from tests.browser.arm import arm, log


@cache
def stages() -> dict[str, Any]:
    """The chain on a small arm, once for all tests."""
    robot, data = arm(), log(arm(), seconds=16.0)
    problem = build_problem(robot, data.part(0, 0.7), friction=linear(), cutoff=8.0, rate=32.0)
    estimate = regression.estimate(problem)
    retrieval = retrieval_problem(estimate)
    links = retrieve(retrieval)
    return {
        "Robot": robot,
        "RobotCheck": check_robot(robot),
        "Dataset": data,
        "Problem": problem,
        "BaseParameters": problem.base,
        "Estimate": estimate,
        "RetrievalProblem": retrieval,
        "LinkParameters": links,
        "PosteriorSamples": (samples := links.sample(20)),
        "Validation": (validation := validate(estimate, data.part(0.7, 1), links=links, folds=2)),
        "CrossValidation": validation.folds,
        "Run": run_in_memory(estimate, parameters=links, validation=validation, samples=samples),
    }


def _of_chain(name: str) -> Callable[[], Any]:
    return lambda: stages()[name]


@cache
def _truth() -> Truth:
    robot, data = arm(), log(arm(), seconds=2.0)
    arrays = {name: getattr(data, name) for name in ("time", "q", "dq", "ddq", "effort")}
    friction = np.zeros_like(data.q)
    return Truth(robot=robot, parameters=robot.parameters, joint_friction=None, friction=friction, motor_q=data.q, **arrays)


def _samples() -> ControllerSamples:
    q = np.random.default_rng(0).normal(size=(30, 2))
    return ControllerSamples(q=q, M=np.tile(np.eye(2), (30, 1, 1)), g=np.sin(q), source="samples.npz")


def _design() -> Result:
    robot = load_robot("planar_2r")
    limits = Limits(position=[[-2, 2]] * 2, velocity=[2, 2], acceleration=[9, 9], effort=[np.inf] * 2)
    return design_trajectory(robot, friction=linear(), limits=limits, duration=5.0, starts=1, iterations=2)


def _experiment() -> Result:
    return design_experiment(lambda **_: _design(), precision=0.01, longest=20.0, most=1)


def _comparison() -> Result:
    run = observe(stages()["Run"], "before")
    return compare_runs([run, replace(run, name="after")])


def _check() -> Tabular:
    robot = load_robot("planar_2r")
    move = QuinticTrajectory(joints=robot.joint_names, start=[0.0, 0.0], end=[0.5, 0.5], duration=4.0)
    return check_motion(robot, trajectory_dataset(move, 100.0))


def _static() -> Result:
    return design_configurations(load_robot("panda"), 10, method="random")


def _plan() -> Tabular:
    motion = log(arm(), seconds=4.0)
    limits = Limits(position=[[-7, 7]] * 6, velocity=[9] * 6, acceleration=[99] * 6, effort=[np.inf] * 6)
    return plan_trajectory(arm(), motion, motion.q[0] + 0.5, limits=limits, rate=500.0)


def _recovery() -> Result:
    data = log(arm(), seconds=16.0)
    return recover_signs(arm(), replace(data, effort=np.abs(data.effort), effort_kind="magnitude"), friction=linear())


def _payload() -> Result:
    robot = arm()
    unloaded, loaded = (log(robot, seconds=16.0, seed=seed) for seed in (0, 1))
    return identify_payload(regression.estimate(build_problem(robot, unloaded)), loaded, declared=Declared(mass=0.5))


def _diagnosis() -> Result:
    data = log(arm(), seconds=16.0)
    return doctor(arm(), replace(data, effort=-data.effort))


def _gains() -> Result:
    data = log(arm(), seconds=16.0)
    return identify_gains(arm(), replace(data, effort_kind="current"), vendor=[KnownValue(1.0, 0.05)] * data.n)


def _costs() -> Result:
    costs = np.array([0.4, 0.5, 0.1])
    return RunCosts(solver="penalty", costs=costs, feasible=costs > 0.2, lower_bound=0.3, beside={"published": 0.6})


@cache
def _monitor() -> Tabular:
    data = log(arm(), seconds=32.0)
    return contact_monitor(stages()["Estimate"], data.part(0.5, 1))


def _contacts() -> Result:
    data = log(arm(), seconds=4.0)
    return find_contacts(_monitor(), replace(data, effort=data.effort + 20.0 * (data.time > 2.0)[:, None]))


def _bundle() -> Tabular:
    with TemporaryDirectory() as folder:
        save_run(folder, stages()["Estimate"])
        return make_bundle(Path(folder))


def _refit() -> Result:
    return refit_friction(stages()["Estimate"], log(arm(), seconds=16.0, seed=1))


RESULTS: dict[str, Callable[[], Any]] = {name: _of_chain(name) for name in (
    "Robot", "RobotCheck", "Dataset", "Problem", "BaseParameters", "Estimate", "RetrievalProblem", "LinkParameters", "Validation",
    "CrossValidation", "PosteriorSamples", "Run",
)} | {
    "ControllerSamples": _samples,
    "Design": cache(_design),
    "StaticDesign": cache(_static),
    "Experiment": cache(_experiment),
    "MotionCheck": cache(_check),
    "LimitReport": lambda: _check().report,
    "Repair": cache(lambda: repair(load_robot("kuka_lwr4"))),
    "Truth": _truth,
    "Recording": lambda: Recording(log=_truth().dataset, truth=_truth(), notes=("it went well",)),
    "RecordingPlan": cache(_plan),
    "SignRecovery": cache(_recovery),
    "PayloadEstimate": cache(_payload),
    "Diagnosis": cache(_diagnosis),
    "FrictionRefit": cache(_refit),
    "DriveGains": cache(_gains),
    "RunCosts": _costs,
    "RunComparison": cache(_comparison),
    "ContactMonitor": _monitor,
    "Contacts": cache(_contacts),
    "Bundle": cache(_bundle),
    "Model": cache(lambda: dynident.fit(arm(), log(arm(), seconds=16.0))),
    "Exported": cache(lambda: export(model_from_estimate(stages()["Estimate"]), "csv")),
}  # fmt: skip


@pytest.fixture(params=RESULTS)
def result(request) -> Tabular:
    return RESULTS[request.param]()


def test_every_kind_of_result_is_tried():
    assert {type(make()).__name__ for make in RESULTS.values()} == set(RESULTS)
    assert {kind.__name__ for kind in _kinds(Tabular)} - {"Result"} <= set(RESULTS)


def _kinds(kind: type) -> Iterator[type]:
    for below in kind.__subclasses__():
        yield from (below, *_kinds(below))


def test_repr_is_one_short_line_that_says_what_it_is(result):
    text = repr(result)
    assert text.startswith(f"{type(result).__name__}(")
    assert text.endswith(")")
    assert "\n" not in text
    assert 20 < len(text) < 140


def test_str_is_tables(result):
    report = result.tables()
    assert str(result) == str(report)
    assert report.tables
    for table in report.tables:
        assert table.title in str(result)
        assert all(len(row.texts) == len(table.headings) for row in table.lines)


class _Cells(HTMLParser):
    """The texts of table cells, and the elements that are open."""

    def __init__(self) -> None:
        super().__init__()
        self.cells: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.open.append(tag)
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("td", "th"):
            self.cells[-1] += data


def test_a_notebook_shows_the_same_cells(result):
    parser = _Cells()
    parser.feed(result._repr_html_())
    assert parser.open == []
    tables = result.tables().tables
    assert parser.cells == [cell for table in tables for line in (table.headings, *(row.texts for row in table.lines)) for cell in line]


def test_names_from_files_are_escaped_in_html():
    from dataclasses import replace

    robot = replace(arm(), name="<script>alert(1)</script>")
    assert "<script>" not in robot._repr_html_()
    assert "&lt;script&gt;" in robot._repr_html_()


def test_records_are_flat_rows_with_the_same_keys(result):
    records = result.records()
    assert records
    keys = list(records[0])
    for record in records:
        assert list(record) == keys
        assert all(value is None or type(value) in (str, int, float, bool) for value in record.values()), record


def test_plot_is_a_figure_whose_curves_have_axes_of_their_own(result):
    if not isinstance(result, Result):
        pytest.skip("has no picture")
    import plotly.graph_objects as go

    figure = result.plot()
    assert isinstance(figure, go.Figure)
    assert len(figure.data) == sum(len(part.data) for part in result.figures())
    text = figure.to_json()
    assert '"@' not in text
    assert "Infinity" not in text


def test_several_figures_share_a_sheet_without_overlap():
    figure = stages()["Validation"].plot()
    axes = {(trace.xaxis.replace("x", "xaxis"), trace.yaxis.replace("y", "yaxis")) for trace in figure.data}
    boxes = [(figure.layout[x].domain, figure.layout[y].domain) for x, y in axes]
    assert len(boxes) == 2 * len(stages()["Validation"].series)
    for i, (x, y) in enumerate(boxes):
        assert 0.0 <= x[0] < x[1] <= 1.0
        assert 0.0 <= y[0] < y[1] <= 1.0
        for other_x, other_y in boxes[:i]:
            assert x[0] >= other_x[1] or other_x[0] >= x[1] or y[0] >= other_y[1] or other_y[0] >= y[1]


def test_the_colours_are_those_of_the_page():
    light, dark = (dict(re.findall(r"--(\w+): (.*?);", part)) for part in style().split(":root[data-theme"))
    assert light.items() >= COLOURS.items()
    assert dark.keys() >= COLOURS.keys()


def test_a_data_frame_has_a_row_per_record_or_names_the_extra():
    estimate = stages()["Estimate"]
    if find_spec("pandas") is None:
        with pytest.raises(MissingExtraError, match=r"dynident\[pandas\]"):
            estimate.to_dataframe()
        return
    frame = estimate.to_dataframe()
    assert list(frame["name"]) == list(estimate.base.names)
    assert math.isclose(frame["value"].iloc[0], estimate.records()[0]["value"])


def test_importing_dynident_imports_no_plotting():
    code = "import sys, dynident; print([name for name in ('plotly', 'pandas', 'mujoco', 'clarabel') if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_no_array_of_a_result_can_be_changed(result):
    """Neither in its fields nor in what it computes once and keeps."""
    arrays = dict(_arrays(result, type(result).__name__))
    for name, array in arrays.items():
        assert not array.flags.writeable, name


def _arrays(value: Any, name: str) -> Iterator[tuple[str, np.ndarray]]:
    """Every array of a value by its place, in containers and frozen dataclasses, and those that cached properties keep."""
    if isinstance(value, np.ndarray):
        yield name, value
    elif isinstance(value, (tuple, list)):
        for k, item in enumerate(value):
            yield from _arrays(item, f"{name}[{k}]")
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _arrays(item, f"{name}[{key!r}]")
    elif is_dataclass(value) and not isinstance(value, type) and value.__dataclass_params__.frozen:
        for field in fields(value):
            yield from _arrays(getattr(value, field.name), f"{name}.{field.name}")
        if isinstance(value, Tabular):
            for attribute, kind in vars(type(value)).items():
                if isinstance(kind, cached_property):
                    with suppress(DynidentError):  # a stage of a run that has not been done
                        getattr(value, attribute)
                if isinstance(kind, cached_property) and attribute in vars(value):
                    yield from _arrays(getattr(value, attribute), f"{name}.{attribute}")


def test_a_changed_copy_is_read_only_too():
    estimate = stages()["Estimate"]
    with pytest.raises(ValueError, match="read-only"):
        estimate.values[0] = 5.0
    changed = replace(estimate, values=np.zeros(len(estimate.values)))
    with pytest.raises(ValueError, match="read-only"):
        changed.values[0] = 5.0
