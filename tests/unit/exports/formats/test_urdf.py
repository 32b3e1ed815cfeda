"""URDF: the user's text outside the numbers, bodies taken apart, joints that don't match."""

from __future__ import annotations

import difflib
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dynident import load_robot
from dynident.dynamics.friction import Viscous, friction_model, linear
from dynident.dynamics.friction.per_joint import PerJoint
from dynident.errors import FileError, UnknownNameError, ValueRangeError
from dynident.exports import EXPORTERS, ExportModel, InfeasibleModelError, export
from dynident.exports.formats.urdf import ATTRIBUTES
from dynident.exports.friction import express_friction
from dynident.exports.proof import DisagreementError
from dynident.exports.registry import find_original
from dynident.robots.parameters import from_com
from tests.export_models import URDF, arm, model_of, written
from tests.facts import about

NUMBER = re.compile(r"[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?")


def patched(model: ExportModel, path: Path, **options: object) -> str:
    return export(model, "urdf", original=path, **options).main.decode()


def test_only_numbers_change_and_one_comment_is_added(tmp_path):
    robot = arm(tmp_path)
    model = replace(model_of(robot, friction=False), parameters=1.1 * robot.parameters)
    new = patched(model, tmp_path / "arm.urdf")
    added = [line[2:] for line in difflib.ndiff(URDF.splitlines(), new.splitlines()) if line.startswith("+ ")]
    comments = [line for line in added if "dynident" in line]
    assert len(comments) == 1
    without = new.replace(f"\n{comments[0]}", "").replace('<origin xyz="0.0 0.0 0.0" rpy="0 0 0"/>', "")
    # `lower` had no origin; everything else is the same text with other numbers
    without = re.sub(r"<inertial>\s*<origin[^>]*/>\s*<mass value=\"1[^>]*>", '<inertial><mass value="1"/>', without)
    before = re.sub(r'<inertial><mass value="1.5"/>', '<inertial><mass value="1"/>', URDF)
    assert NUMBER.sub("#", without).replace("# # #", "#") == NUMBER.sub("#", before).replace("# # #", "#")


def test_a_number_that_is_right_already_keeps_its_text(tmp_path):
    robot = arm(tmp_path)
    new = patched(model_of(robot, friction=False), tmp_path / "arm.urdf")
    for same in ("<mass  value='2.0'/>", '<mass value="0.4"/>', '<dynamics damping="0.1" friction="0.0" spring="7"/>'):
        assert same in new
    untouched = new[new.index('<link name="gripper">') :]
    assert untouched == URDF[URDF.index('<link name="gripper">') :]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["plain", "byte order mark"])
def test_line_ends_and_byte_order_mark_stay(tmp_path, newline, mark):
    robot = arm(tmp_path)
    path = written(tmp_path, mark + URDF.replace("\n", newline), "other.urdf")
    content = export(model_of(robot), "urdf", original=path).main
    assert content.startswith(mark.encode() + b"<?xml")
    assert content.count(b"\r\n") == (content.count(b"\n") if newline == "\r\n" else 0)


def test_friction_goes_into_dynamics_and_what_has_no_place_into_the_comment(tmp_path):
    robot = arm(tmp_path)
    model = model_of(robot)
    exported = export(model, "urdf", original=tmp_path / "arm.urdf")
    new = exported.main.decode()
    fv, fc = model.friction_parameters[0, :2].tolist()
    assert f'<dynamics damping="{fv!r}" friction="{fc!r}" spring="7"/>' in new
    fv, fc = model.friction_parameters[1, :2].tolist()
    assert f'<dynamics damping="{fv!r}" friction="{fc!r}"/>' in new
    for word in ("offset", "armature"):
        assert any(word in note for note in exported.notes)
        assert word in new


def test_of_a_term_that_some_joints_have_only_those_are_named(tmp_path):
    robot = arm(tmp_path)
    friction = PerJoint((friction_model("viscous"), friction_model("viscous+spring")))
    model = ExportModel(robot=robot, parameters=robot.parameters, friction=friction, friction_parameters=np.array([[0.1, 0.0], [0.2, 0.3]]))
    notes = export(model, "urdf", original=tmp_path / "arm.urdf").notes
    assert any(f"(ksp: {robot.joint_names[1]} 0.3)" in note for note in notes)


def test_a_term_that_the_model_lacks_is_zero_where_the_file_has_it(tmp_path):
    robot = arm(tmp_path, URDF.replace('friction="0.0"', 'friction="0.9"'))
    model = ExportModel(robot=robot, parameters=robot.parameters, friction=Viscous(), friction_parameters=np.array([[0.1], [0.2]]))
    new = patched(model, tmp_path / "arm.urdf")
    assert '<dynamics damping="0.1" friction="0.0" spring="7"/>' in new


def test_friction_that_drives_the_joint_is_written_as_zero_with_what_that_costs(tmp_path):
    robot = arm(tmp_path)
    theta, reached = np.array([[-0.1], [0.2]]), np.array([[1.0, 2.0], [1.0, 1.0]])
    model = ExportModel(robot=robot, parameters=robot.parameters, friction=Viscous(), friction_parameters=theta, reached=reached)
    exported = export(model, "urdf", original=tmp_path / "arm.urdf")
    rms = 0.1 * np.sqrt(np.mean((2.0 * np.arange(1, 51) / 50) ** 2))
    assert any(f"shoulder {rms:.2g} N·m (up to 2 rad/s)" in note for note in exported.notes)
    content = exported.main.decode()
    assert '<dynamics damping="0.0" friction="0.0"' in content
    assert '<dynamics damping="0.2" friction="0.0"/>' in content
    assert f"shoulder {rms:.2g} N·m" in content


def test_the_nearest_law_without_negative_numbers_is_written(tmp_path):
    robot = arm(tmp_path)
    speeds = 2.0 * np.arange(1, 51) / 50
    theta, reached = np.array([[-0.2, 0.5, 0.0], [0.3, -0.1, 0.0]]), np.full((2, 2), 2.0)
    model = ExportModel(robot=robot, parameters=robot.parameters, friction=linear(), friction_parameters=theta, reached=reached)
    held = express_friction(model, ATTRIBUTES)
    np.testing.assert_allclose(held.values["damping"], [0.0, 0.3 - 0.1 * speeds.sum() / (speeds @ speeds)], rtol=1e-9)
    np.testing.assert_allclose(held.values["friction"], [0.5 - 0.2 * speeds.mean(), 0.0], rtol=1e-9)


def test_a_law_that_the_format_does_not_know_is_fitted_too(tmp_path):
    robot = arm(tmp_path)
    model = ExportModel(
        robot=robot,
        parameters=robot.parameters,
        friction=friction_model("sigmoid(steepness=1000)"),
        friction_parameters=np.array([[0.8], [0.0]]),
        reached=np.ones((2, 2)),
    )
    held = express_friction(model, ATTRIBUTES)
    np.testing.assert_allclose(held.values["friction"], [0.4, 0.0], rtol=1e-6)  # half the distance of its levels
    assert any("shoulder" in note and "fitted" in note for note in held.notes)


def test_children_keep_their_inertia_and_the_first_link_gets_the_rest(tmp_path):
    robot = arm(tmp_path)
    extra = from_com(0.3, [0.0, 0.0, 0.1], 1e-3 * np.eye(3))
    parameters = robot.parameters.copy()
    parameters[1] += extra
    exported = export(replace(model_of(robot), parameters=parameters), "urdf", original=tmp_path / "arm.urdf")
    assert any("gripper" in note for note in exported.notes)
    again = load_robot(written(tmp_path, exported.main.decode(), "new.urdf"))
    lower, gripper = again.links[1].pieces
    np.testing.assert_array_equal(gripper.parameters, robot.links[1].pieces[1].parameters)
    np.testing.assert_allclose(lower.parameters, robot.links[1].pieces[0].parameters + extra, atol=1e-15)


def test_where_the_rest_is_no_body_the_first_link_gets_everything(tmp_path):
    robot = arm(tmp_path)
    parameters = robot.parameters.copy()
    parameters[1] = from_com(0.3, [0.0, 0.0, 0.1], 1e-3 * np.eye(3))  # lighter than its gripper
    exported = export(replace(model_of(robot), parameters=parameters), "urdf", original=tmp_path / "arm.urdf")
    assert any("gripper" in note for note in exported.notes)
    again = load_robot(written(tmp_path, exported.main.decode(), "new.urdf"))
    assert again.links[1].pieces[1].parameters is None
    np.testing.assert_allclose(again.parameters, parameters, atol=1e-15)


def test_exporting_again_replaces_the_comment(tmp_path):
    robot = arm(tmp_path)
    once = patched(model_of(robot), tmp_path / "arm.urdf")
    path = written(tmp_path, once, "once.urdf")
    twice = patched(model_of(robot), path)
    assert twice == once
    assert twice.count("dynident") == 1


def test_locked_joints_are_where_they_were_locked(tmp_path):
    path = written(tmp_path)
    robot = load_robot(path, lock={"elbow": 0.7})
    exported = export(replace(model_of(robot), parameters=1.2 * robot.parameters), "urdf", original=path)
    assert exported.comparison.relative < 1e-12
    again = load_robot(written(tmp_path, exported.main.decode(), "new.urdf"), lock={"elbow": 0.7})
    np.testing.assert_allclose(again.parameters, 1.2 * robot.parameters, atol=1e-14)


@pytest.mark.parametrize(
    ("change", "place", "word"),
    [
        (('name="elbow"', 'name="knee"'), "", "elbow"),
        (('xyz="0.4 0 0"', 'xyz="0.5 0 0"'), "joint 'elbow'", "elsewhere"),
        (('<axis xyz="0 1 0"/>', '<axis xyz="0 -1 0"/>'), "joint 'shoulder'", "axis"),
        (('type="continuous"', 'type="prismatic"'), "joint 'elbow'", "prismatic"),
        (('"gripper"', '"hand"'), "joint 'elbow'", "gripper"),
        (("</robot>", ""), f"line {URDF.count(chr(10)) + 1}", "XML"),
    ],
)
def test_a_file_that_is_not_the_runs_is_refused(tmp_path, change, place, word):
    robot = arm(tmp_path)
    other = written(tmp_path, URDF.replace(*change), "other.urdf")
    with pytest.raises(FileError, match=word) as caught:
        export(model_of(robot), "urdf", original=other)
    assert (caught.value.file, caught.value.place) == (str(other), place)
    assert other.read_text() == URDF.replace(*change)


def test_infeasible_parameters_are_refused_and_forced_ones_say_so(tmp_path):
    robot = arm(tmp_path)
    parameters = robot.parameters.copy()
    parameters[0] = from_com(2.0, [0.0, 0.0, 0.1], np.diag([0.02, 0.03, 0.4]))
    model = replace(model_of(robot), parameters=parameters)
    with pytest.raises(InfeasibleModelError) as caught:
        export(model, "urdf", original=tmp_path / "arm.urdf")
    (violation,) = caught.value.violations
    assert "upper" in violation
    assert "NOT FEASIBLE: link 'upper'" in patched(model, tmp_path / "arm.urdf", force=True)


def test_a_first_moment_without_mass_can_not_be_written(tmp_path):
    robot = arm(tmp_path)
    parameters = robot.parameters.copy()
    parameters[0, 0] = 0.0
    with pytest.raises(ValueRangeError, match="upper"):
        export(replace(model_of(robot), parameters=parameters), "urdf", original=tmp_path / "arm.urdf", force=True)


def test_an_unknown_target_names_the_known(tmp_path):
    with pytest.raises(UnknownNameError) as caught:
        export(model_of(arm(tmp_path)), "sdf")
    assert caught.value.known == ("urdf", "mjcf", "c", "python", "yaml", "csv")


def test_what_the_parser_of_pinocchio_prints_is_the_reason(tmp_path, capfd):
    material = '<material name="grey"><color rgba="0.5 0.5 0.5 1"/></material>'
    robot = arm(tmp_path, URDF.replace(material, 2 * material))
    with pytest.raises(DisagreementError, match="Pinocchio") as caught:
        export(model_of(robot), "urdf", original=tmp_path / "arm.urdf")
    assert caught.value.reason == "material 'grey' is not unique"
    assert capfd.readouterr() == ("", "")


def test_an_original_that_is_not_found_from_another_folder_is_named(tmp_path, monkeypatch):
    arm(tmp_path)
    monkeypatch.chdir(tmp_path)
    robot = load_robot("arm.urdf")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    exported = export(model_of(robot), "urdf", original=find_original(EXPORTERS["urdf"], robot))
    assert about(exported.notes, "arm.urdf", "original")
    patched = export(model_of(robot), "urdf", original=tmp_path / "arm.urdf")
    assert not about(patched.notes, "arm.urdf")
