"""A payload in exported robots: a body of its own where the format has such, part of its link elsewhere, and the same torques in all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.virtual_arms import UR5
from dynident.errors import InputError, UnknownNameError
from dynident.exports import EXPORTERS, ExportModel, attach_payload, export, payload_fragment
from dynident.exports.proof import random_states
from dynident.robots import load_robot
from dynident.robots.kinematics import axis_rotation, translation
from dynident.robots.parameters import change_of_frame, from_com
from dynident.routes.payload import PayloadEstimate, PayloadEvidence

BODY = from_com(1.5, [0.02, -0.03, 0.07], np.diag([0.004, 0.005, 0.003]))


def payload_on(robot, **changes) -> PayloadEstimate:
    evidence = PayloadEvidence(
        source="loaded.npz", arm="bare.npz", samples=10, alone=1.0, together=1.0, strain=1.0, mass=(1.5, 0.01), blur=0.001,
        refit_friction=True, tilt=1.0, gap=0.0,
    )  # fmt: skip
    found = PayloadEstimate(
        robot=robot,
        link=robot.link_names[-1],
        flange=robot.tool,
        parameters=BODY,
        covariance=1e-8 * np.eye(10),
        told=np.ones(10, dtype=bool),
        quantile=2.0,
        evidence=evidence,
        regressor=np.zeros((robot.n, 5, 10)),
    )
    return replace(found, **changes)


def model_with_payload(robot, **changes) -> ExportModel:
    return attach_payload(ExportModel(robot=robot, parameters=robot.parameters, provenance="made up"), payload_on(robot, **changes))


def loaded_rows(robot, **changes):
    payload = payload_on(robot, **changes)
    rows = robot.parameters.copy()
    rows[robot.link_names.index(payload.link)] += change_of_frame(payload.flange) @ BODY
    return rows


@pytest.mark.parametrize("target", EXPORTERS)
def test_every_target_has_the_torques_of_the_loaded_arm(target):
    robot = load_robot("panda")
    exported = export(model_with_payload(robot), target, states=random_states(robot, 50))
    assert exported.comparison is None or exported.comparison.relative < 1e-9
    lumped = any("part of link7" in note for note in exported.notes)
    assert lumped == (target not in ("urdf", "mjcf"))
    assert target == "csv" or b"payload" in exported.main, "a table of numbers has no place for words"


@pytest.mark.parametrize(("target", "suffix"), [("urdf", ".urdf"), ("mjcf", ".xml")])
@pytest.mark.parametrize("name", ["panda", "spatial_3r"])
def test_a_complete_file_comes_back_with_the_payload_as_a_piece_of_its_link(name, target, suffix, tmp_path):
    robot = load_robot(name)
    export(model_with_payload(robot), target, path=tmp_path / f"robot{suffix}")
    found = load_robot(tmp_path / f"robot{suffix}")
    assert "payload" in found.links[-1].sources
    piece = next(piece for piece in found.links[-1].pieces if piece.name == "payload")
    np.testing.assert_allclose(piece.parameters, BODY, atol=1e-12)
    assert found.parameters[:, 0].sum() == pytest.approx(robot.parameters[:, 0].sum() + 1.5)


def test_a_urdf_is_patched_and_keeps_all_else(tmp_path):
    robot = load_robot(UR5)
    exported = export(model_with_payload(robot), "urdf", original=UR5, path=tmp_path / "loaded.urdf")
    found = load_robot(tmp_path / "loaded.urdf")
    np.testing.assert_allclose(found.parameters, loaded_rows(robot), atol=1e-9)
    text, before = exported.files["ur5_robot.urdf"].decode(), UR5.read_text()
    assert '<link name="payload">' in text
    assert '<child link="payload"/>' in text
    assert text.count("<joint") == before.count("<joint") + 1


def test_it_is_fixed_to_the_flange_where_the_file_has_one(tmp_path):
    robot = load_robot(UR5)
    carrier = robot.links[-1]
    flange = next(piece for piece in carrier.pieces[1:] if piece.name == "tool0")
    text = export(model_with_payload(robot, flange=flange.placement), "urdf", original=UR5).files["ur5_robot.urdf"].decode()
    assert '<parent link="tool0"/>' in text.split('name="payload_joint"')[1].split("</joint>")[0]


def test_an_mjcf_is_patched(tmp_path):
    robot = load_robot("spatial_3r")
    export(ExportModel(robot=robot, parameters=robot.parameters), "mjcf", path=tmp_path / "bare.xml")
    bare = load_robot(tmp_path / "bare.xml")
    export(model_with_payload(bare), "mjcf", original=tmp_path / "bare.xml", path=tmp_path / "loaded.xml")
    np.testing.assert_allclose(load_robot(tmp_path / "loaded.xml").parameters, loaded_rows(bare), atol=1e-12)


@pytest.mark.parametrize("target", ["urdf", "mjcf"])
def test_a_payload_in_the_middle_of_the_arm(target, tmp_path):
    robot = load_robot("panda")
    changes = {"link": "link4", "flange": translation([0.1, 0.0, 0.2]) @ axis_rotation(np.array([0.0, 1.0, 0.0]), 0.5)}
    exported = export(model_with_payload(robot, **changes), target)
    assert exported.comparison.relative < 1e-9


def test_two_payloads_have_two_names():
    robot = load_robot("spatial_3r")
    named = replace(robot, links=(*robot.links[:-1], replace(robot.links[-1], name="payload", pieces=())))
    assert model_with_payload(named).payload.name == "payload_link"


@pytest.mark.parametrize(("target", "suffix"), [("urdf", ".urdf"), ("mjcf", ".xml")])
def test_a_fragment_loads_by_itself(target, suffix, tmp_path):
    import mujoco
    import pinocchio

    robot = load_robot("panda")
    text = payload_fragment(payload_on(robot), target)
    if target == "urdf":
        model = pinocchio.buildModelFromXML(text)
        inertia = model.inertias[0]
        mass, lever = inertia.mass, inertia.lever
    else:
        model = mujoco.MjModel.from_xml_string(text)
        mass = model.body("payload").mass[0]
        lever = model.body("payload").pos + model.body("payload").ipos
    assert mass == pytest.approx(1.5)
    np.testing.assert_allclose(lever, [0.02, -0.03, 0.07 + 0.107], atol=1e-12)
    assert "payload of 1.50000 ± 0.00010 kg" in text
    with pytest.raises(UnknownNameError) as caught:
        payload_fragment(payload_on(robot), "sdf")
    assert (caught.value.name, caught.value.known) == ("sdf", ("urdf", "mjcf"))


def test_a_payload_that_nobody_can_tell_is_noted():
    robot = load_robot("panda")
    evidence = replace(payload_on(robot).evidence, mass=(0.001, 0.01))
    (note,) = model_with_payload(robot, evidence=evidence).notes
    assert payload_on(robot, evidence=evidence).status.value in note


def test_payload_and_model_of_different_robots():
    with pytest.raises(InputError, match=r"'panda'.*'kuka_lwr4'"):
        attach_payload(ExportModel(robot=load_robot("kuka_lwr4"), parameters=np.zeros((7, 10))), payload_on(load_robot("panda")))
