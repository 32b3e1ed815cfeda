"""`dynident repair` as a user runs it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from dynident import load_robot
from dynident.regression import base_parameters
from dynident.robots.parameters import consistency_margin
from tests.unit.links.repairs.test_repair import ARM, arm


def test_the_published_kuka(dynident, tmp_path):
    assert dynident("check", "kuka_lwr4").returncode == 1
    finished = dynident("repair", "kuka_lwr4", "-o", "out.yaml")
    assert (finished.returncode, finished.stderr) == (0, "")
    assert "7 of 7 links changed" in finished.stdout
    assert "all torques of the robot, are as they were" in finished.stdout
    assert dynident("check", "out.yaml").returncode == 0
    old, new = load_robot("kuka_lwr4"), load_robot(tmp_path / "out.yaml")
    base = base_parameters(old)
    np.testing.assert_allclose(base.coefficients(new.parameters), base.coefficients(old.parameters), atol=1e-9)
    assert new.notes[0].startswith("The inertias are not those of the description any more")


def test_a_consistent_robot(dynident, tmp_path):
    finished = dynident("repair", "panda", "-o", "out.yaml")
    assert finished.returncode == 0
    assert "every link is consistent already; nothing was changed" in finished.stdout
    np.testing.assert_allclose(load_robot(tmp_path / "out.yaml").parameters, load_robot("panda").parameters, atol=1e-15)


def test_a_urdf(dynident, tmp_path):
    arm(tmp_path)
    finished = dynident("repair", "arm.urdf", "-o", "out.urdf", "--margin", "1e-4")
    assert finished.returncode == 0, finished.stderr
    assert "forearm" in finished.stdout
    mended = load_robot(tmp_path / "out.urdf")
    assert all(consistency_margin(piece.parameters) >= 1e-4 for link in mended.links for piece in link.pieces)
    assert "<!-- measured -->" in (tmp_path / "out.urdf").read_text()
    assert (tmp_path / "arm.urdf").read_text() == ARM.format(iyy=0.02)


def test_dynamics_that_can_not_stay(dynident, tmp_path):
    arm(tmp_path, iyy=-0.5)
    finished = dynident("repair", "arm.urdf", "-o", "out.urdf", "--distance", "euclidean")
    assert finished.returncode == 0, finished.stderr
    assert "Base parameters that had to change" in finished.stdout
    assert "J2yy" in finished.stdout


def test_json(dynident, tmp_path):
    arm(tmp_path)
    printed = json.loads(dynident("repair", "arm.urdf", "-o", "out.json", "--json").stdout)
    assert printed == json.loads((tmp_path / "out.json").read_text())
    assert printed["schema"] == "dynident/repair/1"
    assert printed["changed"] == ["forearm", "camera"]
    assert printed["dynamics_unchanged"] is True
    assert all(link["margin"] > 0 for link in printed["links"])


def test_mjcf_becomes_a_dh_file_or_stays_one(dynident, tmp_path):
    pytest.importorskip("mujoco")
    inertial = '<inertial mass="2" pos="0 0 0.1" diaginertia="{}"/>'
    (tmp_path / "arm.xml").write_text(
        f'<mujoco><worldbody><body name="upper"><joint name="shoulder" axis="0 1 0"/>{inertial.format("0.01 0.011 0.012")}'
        f'<body name="fore" pos="0 0 0.3"><joint name="elbow" axis="0 1 0"/>{inertial.format("0.01 0.01 0.03")}</body></body>'
        "</worldbody></mujoco>"
    )
    assert dynident("repair", "arm.xml", "-o", "out.yaml").returncode == 0
    assert dynident("check", "out.yaml").returncode == 0
    assert dynident("repair", "arm.xml", "-o", "out.xml").returncode == 0
    assert dynident("check", "out.xml").returncode == 0


def test_what_a_dh_file_cannot_hold_is_said(dynident, tmp_path):
    box = '<collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>'
    arm(tmp_path)
    text = (tmp_path / "arm.urdf").read_text().replace("</joint>", '<dynamics friction="1.5" damping="2"/></joint>', 1)
    (tmp_path / "arm.urdf").write_text(text.replace("</link>", box, 1))
    notes = dynident("repair", "arm.urdf", "-o", "out.yaml").stdout.partition("Note 1")[2]
    assert "shapes" in notes
    assert load_robot(tmp_path / "out.yaml").joints[0].friction == (1.5, 2.0)
    assert "Note 1" not in dynident("repair", "arm.urdf", "-o", "out.urdf").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["panda", "-o", "out.txt"], "unknown suffix '.txt'; known: .urdf, .xml, .yaml, .yml, .json"),
        (["panda", "-o", "out.urdf"], "was read from one, not from library robot panda"),
        (["panda", "-o", "out.yaml", "--distance", "far"], "--distance is 'far'; expected entropic or euclidean"),
        (["panda", "-o", "out.yaml", "--margin", "-1"], "--margin is '-1'"),
        (["nothing.urdf", "-o", "out.yaml"], "no such file"),
        (["panda", "-o", "no/such/folder/out.yaml"], "can't be written"),
    ],
)
def test_mistakes_are_one_sentence(dynident, arguments, message):
    finished = dynident("repair", *arguments)
    assert finished.returncode == 2
    assert message in finished.stderr
    assert len(finished.stderr.splitlines()) == 1
