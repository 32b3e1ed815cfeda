"""Signs of the recorded Panda, of which only |torque| is shown."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dynident import load_robot, recover_signs
from dynident.data import EffortKind, load_dataset, resample
from dynident.regression import identify
from dynident.signs import SignVerdict


def test_the_panda_s_signs_come_back_and_its_links_can_exist(shared_data):
    robot = load_robot("panda")
    columns = {"time": "t", "q": "q", "dq": "dq", "effort": "tau"}
    signed = load_dataset(shared_data / "panda_gaz2019" / "trajectory_1.npz", columns=columns, effort_kind="torque")
    found = recover_signs(robot, replace(signed, effort=np.abs(signed.effort), effort_kind=EffortKind.MAGNITUDE))
    torque = resample(signed, signed.rate).effort
    clear = np.abs(torque) > found.threshold
    right = found.signs * torque > 0.0
    assert clear.mean() > 0.85
    assert right[clear].mean() >= 0.998
    assert min(right[clear[:, j], j].mean() for j in range(7)) >= 0.99
    assert np.linalg.norm(found.estimate.values - identify(robot, signed).values) < 0.05
    assert found.verdict is SignVerdict.CERTAIN
    assert found.links is not None
    assert found.links.feasible
