"""Signs of a recorded Panda and a recorded TX40, of which only |torque| is shown."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dynident import load_robot, recover_signs
from dynident.data import Dataset, EffortKind, load_dataset, resample
from dynident.diagnosis import doctor
from dynident.dynamics.friction import couple, friction_model
from dynident.regression import identify
from dynident.routes.signs import SignVerdict
from tests.realdata.test_identification import TX40_GEARS, tx40_log


def panda_log(shared_data: Path) -> Dataset:
    columns = {"time": "t", "q": "q", "dq": "dq", "effort": "tau"}
    return load_dataset(shared_data / "panda_gaz2019" / "trajectory_1.npz", columns=columns, effort_kind="torque")


def test_the_panda_s_signs_come_back_and_its_links_can_exist(shared_data):
    robot, signed = load_robot("panda"), panda_log(shared_data)
    found = recover_signs(robot, replace(signed, effort=np.abs(signed.effort), effort_kind=EffortKind.MAGNITUDE))
    torque = resample(signed, signed.rate).effort
    clear = np.abs(torque) > found.threshold
    right = found.signs * torque > 0.0
    assert clear.mean() > 0.85
    assert right[clear].mean() >= 0.998
    assert min(right[clear[:, j], j].mean() for j in range(7)) >= 0.99
    assert np.linalg.norm(found.estimate.values - identify(robot, signed).values) < 0.05
    assert not [name for name in found.estimate.base.names if name.startswith("Ia")]  # its sensors are behind the gears
    assert found.verdict is SignVerdict.CERTAIN
    assert found.links is not None
    assert found.links.feasible


def test_the_tx40_s_signs_come_back_where_the_model_knows_its_coupled_wrist(shared_data):
    robot = load_robot(shared_data / "staubli_tx40" / "tx40_mdh_modified.urdf")
    signed = tx40_log(shared_data / "staubli_tx40")
    log = Dataset(time=signed.time, q=signed.q, effort=np.abs(signed.effort), effort_kind=EffortKind.MAGNITUDE)
    model = friction_model("linear+armature")
    found = recover_signs(robot, log, friction=couple(model, TX40_GEARS), cutoff=20.0)
    torque = np.column_stack([np.interp(found.log.time, signed.time, column) for column in signed.effort.T])
    clear = np.abs(torque) > found.threshold
    right = found.signs * torque > 0.0
    assert clear.mean() > 0.5
    assert min(right[clear[:, j], j].mean() for j in range(6)) >= 0.999
    assert found.verdict is SignVerdict.LIKELY
    unaware = recover_signs(robot, log, friction=model, cutoff=20.0)
    assert unaware.verdict is SignVerdict.UNEXPLAINED
    assert "joint_5" in unaware.sentence


def test_the_kuka_s_first_joints_are_right_and_the_verdict_says_that_the_wrist_is_not(shared_data):
    signed = load_dataset(shared_data / "kuka_lwr4" / "measurements_1.npz")
    robot = load_robot(shared_data / "kuka_lwr4" / "kuka_lwr4.urdf")
    found = recover_signs(robot, replace(signed, effort=np.abs(signed.effort), effort_kind=EffortKind.MAGNITUDE))
    torque = np.column_stack([np.interp(found.log.time, signed.time, column) for column in signed.effort.T])
    right, clear = found.signs * torque > 0.0, np.abs(torque) > found.threshold
    assert min(right[clear[:, j], j].mean() for j in range(4)) >= 0.99
    assert not [name for name in found.estimate.base.names if name.startswith("Ia")]
    assert right[clear[:, 6], 6].mean() < 0.9
    assert right[clear].mean() > 0.98  # so that they do not mean little
    assert found.verdict is SignVerdict.AMBIGUOUS
    assert robot.joint_names[6] in found.reason
    assert found.estimate.doubts


@pytest.mark.parametrize(("name", "open_"), [("panda", []), ("kuka", ["unknown signs"])])
def test_the_doctor_knows_recorded_torques_whose_signs_were_taken_away(shared_data, name, open_):
    robot = load_robot("panda" if name == "panda" else shared_data / "kuka_lwr4" / "kuka_lwr4.urdf")
    signed = panda_log(shared_data) if name == "panda" else load_dataset(shared_data / "kuka_lwr4" / "measurements_1.npz")
    assert "magnitudes" not in [finding.name for finding in doctor(robot, signed).findings]
    found = doctor(robot, replace(signed, effort=np.abs(signed.effort)))
    assert [finding.name for finding in found.sure] == ["magnitudes"]
    assert found.correction.recipe == {"effort_kind": "magnitude"}
    told = doctor(robot, replace(signed, effort=np.abs(signed.effort), effort_kind=EffortKind.MAGNITUDE))
    assert [finding.name for finding in told.findings] == open_
