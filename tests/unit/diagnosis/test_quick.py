"""The quick look before an identification: silent about good logs, long ones too, and sure about what spoils a result."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynident import load_robot
from dynident.diagnosis.quick import find_spoiling, thin
from tests.logs import synthetic_log, synthetic_samples

ROBOT = load_robot("spatial_3r")
LOG = synthetic_log("spatial_3r", noise=0.1)


def test_nothing_is_said_about_good_logs_and_about_other_data():
    assert find_spoiling(ROBOT, LOG) is None
    assert find_spoiling(ROBOT, synthetic_samples()) is None
    assert find_spoiling(ROBOT, replace(LOG, effort=np.abs(LOG.effort), effort_kind="magnitude")) is None


@pytest.mark.parametrize(
    ("log", "name"),
    [
        (replace(LOG, effort=-LOG.effort), "effort sign"),
        (replace(LOG, effort=1000.0 * LOG.effort), "effort unit"),
        (replace(LOG, time=20.0 * LOG.time), "time base"),
        (replace(LOG, effort=LOG.effort / [8.0, 14.0, 20.0]), "effort gains"),
    ],
)
def test_what_spoils_a_result_is_found(log, name):
    found = find_spoiling(ROBOT, log)
    assert found is not None
    assert [finding.name for finding in found.spoiling] == [name]


def test_a_long_log_is_looked_at_in_windows_of_its_own_samples():
    log = synthetic_log("planar_2r", samples=60_000, rate=1000.0)
    few = thin(log)
    assert few.samples <= 4_100
    assert len(few.starts) == 8
    rows = np.searchsorted(log.time, few.time)
    np.testing.assert_array_equal(few.q, log.q[rows])
    assert few.rate == pytest.approx(200.0)


def test_the_rate_that_is_told_is_that_of_all_samples():
    log = synthetic_log("spatial_3r", samples=8_000, rate=800.0, noise=0.1)
    found = find_spoiling(ROBOT, replace(log, time=2.0 * log.time))
    assert found is not None
    assert found.in_file.recipe == {"sampling_rate": 800.0}
