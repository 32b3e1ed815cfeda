"""A monitor in a run folder comes back with the model that is there."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dynident import regression
from dynident.dynamics.friction import linear
from dynident.links import retrieval_problem, retrieve
from dynident.regression import build_problem
from dynident.runs import load_run, read_parameters, read_result, write_result
from dynident.runs.folder import NOT_DONE, MissingStageError
from dynident.validation.monitoring import ContactMonitor, contact_monitor, find_contacts
from tests.browser.arm import arm, log
from tests.facts import raises


def test_links_are_part_of_it(tmp_path):
    data = log(arm(), seconds=32.0)
    problem = build_problem(arm(), data.part(0, 0.5), friction=linear(), cutoff=8.0, rate=32.0)
    estimate = regression.estimate(problem)
    links = retrieve(retrieval_problem(estimate))
    write_result(tmp_path, estimate)
    with raises(MissingStageError, reason=NOT_DONE):
        read_result(tmp_path, ContactMonitor)
    write_result(tmp_path, links)
    monitor = contact_monitor(estimate, data.part(0.5, 1), links=read_parameters(tmp_path), gain=np.linspace(20.0, 30.0, 6))
    write_result(tmp_path, monitor)
    back = read_result(tmp_path, ContactMonitor)
    assert str(back) == str(monitor)
    for name in ("gain", "level", "blur", "confirmation", "notes"):
        np.testing.assert_array_equal(getattr(back, name), getattr(monitor, name))
    np.testing.assert_array_equal(back.calibration.rms, monitor.calibration.rms)
    part = data.part(0.8, 1)
    np.testing.assert_array_equal(find_contacts(back, part).residual, find_contacts(monitor, part).residual)
    write_result(tmp_path, replace(links, x=1.01 * links.x))
    assert load_run(tmp_path).monitor is None
    with raises(MissingStageError, "parameters.safetensors", file=str(tmp_path / "monitor.safetensors")):
        read_result(tmp_path, ContactMonitor)
