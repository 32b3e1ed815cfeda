"""MJCF: patched in place with defaults, geoms and lumped bodies; composed files are refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("mujoco", reason="MuJoCo is not installed (extra sim)")

from dynident import load_robot
from dynident.dynamics.friction import Viscous
from dynident.errors import FileError
from dynident.exports import DisagreementError, ExportModel, export
from dynident.robots.parameters import from_com
from tests.export_models import MJCF, arm, model_of, written


def patched(model: ExportModel, path: Path) -> str:
    return export(model, "mjcf", original=path).main.decode()


def test_numbers_are_those_of_the_model(tmp_path):
    import mujoco

    robot = arm(tmp_path, MJCF, "arm.xml")
    model = replace(model_of(robot), parameters=1.3 * robot.parameters)
    new = patched(model, tmp_path / "arm.xml")
    again = load_robot(written(tmp_path, new, "new.xml"))
    np.testing.assert_allclose(again.parameters, model.parameters, rtol=1e-12, atol=1e-15)
    compiled = mujoco.MjModel.from_xml_string(new)
    for column, attribute in ((0, "damping"), (1, "frictionloss"), (3, "armature")):
        actual = np.asarray(getattr(compiled, f"dof_{attribute}")).reshape(2, -1)[:, 0]
        np.testing.assert_array_equal(actual, model.friction_parameters[:, column])


def test_the_rest_of_the_text_stays(tmp_path):
    robot = arm(tmp_path, MJCF, "arm.xml")
    new = patched(model_of(robot), tmp_path / "arm.xml")
    for line in (
        "  <!-- an arm -->",
        '  <default><joint armature="0.05" damping="0.2"/></default>',
        '      <geom type="box" size="0.1 0.1 0.1"/>',
    ):
        assert line in new.splitlines()
    # its inertia is right already, and lower's came from a geom
    assert '<inertial pos="0 0 0.1" mass="2" fullinertia="0.02 0.03 0.04 0 0 0"/>' in new
    assert new.count("<inertial") == MJCF.count("<inertial") + 1


def test_armature_and_damping_of_defaults_go_where_the_model_has_none(tmp_path):
    robot = arm(tmp_path, MJCF, "arm.xml")
    exported = export(model_of(robot, friction=False), "mjcf", original=tmp_path / "arm.xml")
    new = exported.main.decode()
    assert '<joint name="elbow" axis="0 0 1" armature="0.0"/>' in new  # without a friction model the file's friction stays
    assert any("armature of shoulder, elbow" in note for note in exported.notes)
    model = ExportModel(robot=robot, parameters=robot.parameters, friction=Viscous(), friction_parameters=np.array([[0.1], [0.3]]))
    assert '<joint name="elbow" axis="0 0 1" damping="0.3" armature="0.0"/>' in patched(model, tmp_path / "arm.xml")


def test_lumped_bodies_split_or_keep_zeros(tmp_path):
    robot = arm(tmp_path, MJCF, "arm.xml")
    parameters = robot.parameters.copy()
    parameters[1] = from_com(0.3, [0.0, 0.0, 0.1], 1e-3 * np.eye(3))
    new = patched(replace(model_of(robot), parameters=parameters), tmp_path / "arm.xml")
    assert '<inertial pos="0.0 0.0 0.0" mass="0.0" diaginertia="0 0 0"/>' in new
    np.testing.assert_allclose(load_robot(written(tmp_path, new, "new.xml")).parameters, parameters, atol=1e-15)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (("<worldbody>", '<worldbody><include file="more.xml"/>'), "<include>"),
        (('angle="radian"', 'angle="radian" settotalmass="3"'), "settotalmass"),
        (('angle="radian"', 'angle="radian" inertiafromgeom="true"'), "inertiafromgeom"),
        (('name="elbow"', 'name="knee"'), "elbow"),
        (('pos="0.4 0 0"', 'pos="0.5 0 0"'), "elsewhere"),
        (('<joint name="elbow" axis="0 0 1"/>', '<joint name="elbow" type="slide" axis="0 0 1"/>'), "prismatic"),
    ],
)
def test_a_file_that_can_not_be_patched_is_refused(tmp_path, change, complaint):
    robot = arm(tmp_path, MJCF, "arm.xml")
    other = written(tmp_path, MJCF.replace(*change), "other.xml")
    with pytest.raises(FileError, match=complaint):
        export(model_of(robot), "mjcf", original=other)


def test_bodies_and_joints_without_a_name_are_refused(tmp_path):
    robot = arm(tmp_path, MJCF.replace(' name="lower"', ""), "arm.xml")
    with pytest.raises(FileError, match="<body>"):
        export(model_of(robot), "mjcf", original=tmp_path / "arm.xml")
    robot = arm(tmp_path, MJCF.replace(' name="elbow"', ""), "arm.xml")
    with pytest.raises(FileError, match="<joint>"):
        export(model_of(robot), "mjcf", original=tmp_path / "arm.xml")


def test_what_mujoco_refuses_is_not_handed_out_even_by_force(tmp_path):
    robot = arm(tmp_path, MJCF, "arm.xml")
    parameters = robot.parameters.copy()
    parameters[0] = from_com(2.0, [0.0, 0.0, 0.1], np.diag([0.02, 0.03, 0.4]))
    with pytest.raises(DisagreementError, match="MuJoCo"):
        export(replace(model_of(robot), parameters=parameters), "mjcf", original=tmp_path / "arm.xml", force=True)


def test_another_kind_of_file_is_refused(tmp_path):
    robot = arm(tmp_path)
    with pytest.raises(FileError, match="<mujoco>"):
        export(model_of(robot), "mjcf", original=tmp_path / "arm.urdf")


def test_a_spring_of_the_file_goes_as_the_model_has_none(tmp_path):
    robot = arm(tmp_path, MJCF.replace('<joint name="elbow"', '<joint name="elbow" stiffness="2"'), "arm.xml")
    exported = export(model_of(robot), "mjcf", original=tmp_path / "arm.xml")
    assert 'stiffness="0.0"' in exported.main.decode()
    assert any("stiffness of elbow is 0 now" in note for note in exported.notes)
