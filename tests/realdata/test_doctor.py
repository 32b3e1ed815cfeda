"""What the doctor quotes of a recorded log is what `identify` leaves of it, read in the same way."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynident import doctor, identify, load_dataset, load_robot


def test_the_error_that_is_quoted_is_that_of_identify(shared_data):
    folder = shared_data / "kuka_lwr4"
    robot, log = load_robot(folder / "kuka_lwr4.urdf"), load_dataset(folder / "measurements_2.npz").take(slice(500, None), starts=(0,))
    spoiled = replace(log, effort=log.effort * np.array([1.0, -1.0, 1.0, 1.0, 1.0, 1.0, 1.0]))
    diagnosis = doctor(robot, spoiled)
    (finding,) = diagnosis.sure
    quoted = {item.what: item.value for item in finding.evidence}
    assert finding.joints == (robot.joint_names[1],)
    assert quoted["unexplained with the correction"] == pytest.approx(identify(*diagnosis.corrected()).residuals.relative_percent)
    assert quoted["unexplained"] == pytest.approx(identify(robot, spoiled, ignore_doctor=True).residuals.relative_percent)
    assert quoted["unexplained with the correction"] < 10.0 < quoted["unexplained"]
