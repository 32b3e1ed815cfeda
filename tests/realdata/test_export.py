"""Export into the vendors' own descriptions of the Panda and the FR3."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dynident import load_robot
from dynident.exports import export
from tests.export_models import model_of

FILES = {
    "menagerie_panda_nohand.xml": {},
    "menagerie_fr3.xml": {},
    "example_robot_data_panda.urdf": {"panda_finger_joint*": 0.02},
}


@pytest.mark.parametrize("name", FILES)
def test_a_vendors_file_is_patched_and_engines_agree(shared_data, name):
    file = shared_data / "panda_models" / name
    target = "urdf" if file.suffix == ".urdf" else "mjcf"
    if target == "mjcf":
        pytest.importorskip("mujoco", reason="MuJoCo is not installed (extra sim)")
    robot = load_robot(file, lock=FILES[name])
    exported = export(replace(model_of(robot), parameters=1.1 * robot.parameters), target, original=file)
    assert exported.comparison.relative < 1e-12
    old, new = (content.decode().splitlines() for content in (file.read_bytes(), exported.main))
    kept = [line for line in old if "<geom" in line or "<mesh" in line or "<!--" in line or "<default" in line]
    assert kept
    assert set(kept) <= set(new)
