"""MJCF against MuJoCo's own kinematics and inertia, with and without meshes."""

from __future__ import annotations

import builtins
import sys
from pathlib import Path

import numpy as np
import pytest

from dynident.errors import FileError, MissingExtraError, UnsupportedRobotError
from dynident.robots import JointType, Robot, load_robot
from dynident.robots.check import LinkVerdict, check_robot
from dynident.robots.kinematics import link_poses
from dynident.robots.parameters import change_of_frame, from_com
from tests.facts import about, carries, raises

mujoco = pytest.importorskip("mujoco", reason='MJCF needs MuJoCo: pip install "dynident[sim]"')

INERTIAL = '<inertial mass="2" pos="0.1 0.2 0.3" quat="1 0.2 0.3 0.4" diaginertia="0.4 0.5 0.6"/>'

#: anchors, reference positions, several joints on one body, rigid bodies, a branch, a base that is not upright
MIXED = f"""<mujoco model="mixed">
  <compiler angle="radian" autolimits="true"/>
  <option gravity="1 2 3"/>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="stand" pos="0 0 1" euler="0.1 0.2 0.3">
      {INERTIAL}
      <body name="one" pos="1 2 3" euler="0.4 0.2 0.3">
        <joint name="turn" axis="1 2 0" pos="0.1 0.2 0.3" ref="0.4"/>
        <geom size="0.1 0.2 0.3" type="box" pos="0.3 0.3 0.1"/>
        <body name="plate" pos="0.1 0.3 0.1" euler="1 2 1"><geom size="0.1"/>
          <body name="two" pos="0 0 1">
            <joint name="slide" type="slide" axis="0 1 1" pos="1 0 1" ref="0.2" range="-1 2" actuatorfrcrange="-7 5"/>
            {INERTIAL}
          </body>
        </body>
        <body name="three" pos="0 2 1" euler="1 1 1">
          <joint name="first" axis="0 1 0" pos="1 0 1" ref="-0.3"/>
          <joint name="second" type="slide" axis="0 0 1" ref="0.1"/>
          <joint name="third" axis="1 1 1" pos="0 0 0.2" range="-1 1"/>
          {INERTIAL}
        </body>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor joint="turn" gear="10" forcerange="-3 2"/>
    <motor joint="third" forcerange="-3 2"/>
    <motor joint="first"/>
  </actuator>
</mujoco>
"""


def write(folder: Path, text: str) -> Path:
    file = folder / "robot.xml"
    file.write_text(text, encoding="utf-8")
    return file


def body(inside: str, *, before: str = "", after: str = "") -> str:
    return f'<mujoco>{before}<worldbody><body name="a">{inside}</body></worldbody>{after}</mujoco>'


def moving_total(robot: Robot, q: np.ndarray) -> np.ndarray:
    """(10,) parameters of all moving links together, in the base frame."""
    return sum(
        (change_of_frame(pose) @ link.parameters for pose, link in zip(link_poses(robot, q), robot.links, strict=True)), np.zeros(10)
    )


def mujoco_total(model, data, bodies: list[str]) -> np.ndarray:
    total = np.zeros(10)
    for name in bodies:
        b = model.body(name).id
        R = data.ximat[b].reshape(3, 3)
        total += from_com(model.body_mass[b], data.xipos[b], R @ np.diag(model.body_inertia[b]) @ R.T)
    return total


def test_kinematics_and_inertia_are_mujocos(tmp_path: Path) -> None:
    file = write(tmp_path, MIXED)
    robot = load_robot(file)
    model = mujoco.MjModel.from_xml_path(str(file))
    data = mujoco.MjData(model)
    assert robot.joint_names == tuple(model.joint(j).name for j in range(model.njnt))
    rng = np.random.default_rng(0)
    for _ in range(3):
        q = rng.uniform(-1, 1, robot.n)
        data.qpos[:] = q
        mujoco.mj_forward(model, data)
        poses = link_poses(robot, q)
        for i, (joint, link) in enumerate(zip(robot.joints, robot.links, strict=True)):
            j = model.joint(joint.name).id
            axis = poses[i][:3, :3] @ joint.axis
            if "/" not in link.name:  # MuJoCo has the axis before the joints that follow on the same body
                np.testing.assert_allclose(axis, data.xaxis[j], atol=1e-12)
                np.testing.assert_allclose(poses[i][:3, :3], data.body(link.name).xmat.reshape(3, 3), atol=1e-12)
                anchor = data.body(link.name).xpos + poses[i][:3, :3] @ model.jnt_pos[j]
                np.testing.assert_allclose(poses[i][:3, 3], anchor, atol=1e-12)
        np.testing.assert_allclose(moving_total(robot, q), mujoco_total(model, data, ["one", "plate", "two", "three"]), atol=1e-9)


def test_limits_names_and_gravity(tmp_path: Path) -> None:
    robot = load_robot(write(tmp_path, MIXED))
    assert robot.name == "mixed"
    assert robot.gravity.tolist() == [1, 2, 3]
    assert robot.link_names == ("one", "two", "three/first", "three/second", "three")
    assert robot.base_sources == ("world", "stand")
    assert robot.links[0].sources == ("one", "plate")
    assert robot.frame_names[0] == "body frame one at the anchor of turn"
    kinds = [JointType.CONTINUOUS, JointType.PRISMATIC, JointType.CONTINUOUS, JointType.PRISMATIC, JointType.REVOLUTE]
    assert [joint.type for joint in robot.joints] == kinds
    assert robot.position_limits.tolist() == [[-np.inf, np.inf], [-1, 2], [-np.inf, np.inf], [-np.inf, np.inf], [-1, 1]]
    assert robot.effort_limits.tolist() == [30, 7, np.inf, np.inf, 3]
    assert np.isinf(robot.velocity_limits).all()
    assert about(robot.notes, "three/first", "three/second")


def test_locked_and_chained_like_urdf(tmp_path: Path) -> None:
    file = write(tmp_path, MIXED)
    model = mujoco.MjModel.from_xml_path(str(file))
    data = mujoco.MjData(model)
    robot = load_robot(file, base="stand", tip="two", lock={"first": 0.3, "second": 0.2, "third": -0.5})
    assert robot.joint_names == ("turn", "slide")
    q = np.array([0.7, -0.4])
    data.qpos[:] = [q[0], q[1], 0.3, 0.2, -0.5]
    mujoco.mj_forward(model, data)
    stand = np.eye(4)
    stand[:3, :3], stand[:3, 3] = data.body("stand").xmat.reshape(3, 3), data.body("stand").xpos
    moved = change_of_frame(stand) @ moving_total(robot, q)
    np.testing.assert_allclose(moved, mujoco_total(model, data, ["one", "plate", "two", "three"]), atol=1e-9)
    np.testing.assert_allclose((stand @ link_poses(robot, q)[1] @ robot.tool)[:3, 3], data.body("two").xpos, atol=1e-12)
    np.testing.assert_allclose(stand[:3, :3] @ robot.gravity, [1, 2, 3], atol=1e-12)


MESHED = """<mujoco>
  <asset>
    <mesh name="shape" file="missing.stl"/>
    <texture name="paint" type="2d" file="missing.png"/>
    <material name="coat" texture="paint"/>
  </asset>
  <worldbody>
    <geom type="mesh" mesh="shape"/>
    <body name="a"><geom type="mesh" mesh="shape" material="coat"/><joint name="j"/>{inertial}</body>
  </worldbody>
</mujoco>"""


def test_missing_meshes_and_textures_do_not_matter_where_inertials_are_written(tmp_path: Path) -> None:
    robot = load_robot(write(tmp_path, MESHED.format(inertial=INERTIAL)))
    assert robot.links[0].parameters is not None
    assert robot.links[0].parameters[0] == pytest.approx(2.0)


def test_a_missing_mesh_that_an_inertia_needs_is_named(tmp_path: Path) -> None:
    file = write(tmp_path, MESHED.format(inertial=""))
    with raises(FileError, "missing.stl", "a", "<inertial>"):
        load_robot(file)


@pytest.mark.parametrize(("inside", "word"), [("<freejoint/>", "free"), ('<joint type="ball"/>', "ball")])
def test_joints_that_move_in_several_directions_are_refused(tmp_path: Path, inside: str, word: str) -> None:
    file = write(tmp_path, body(inside + INERTIAL))
    with raises(UnsupportedRobotError, "a", word, remedy={"base": "a", "lock": {"joint0": 0.0}}) as caught:
        load_robot(file)
    assert str(file) in str(caught.value)


COUPLED = body(
    f'<joint name="j1"/>{INERTIAL}<body name="b"><joint name="j2"/>{INERTIAL}</body><body name="c"><joint name="j3"/>{INERTIAL}</body>',
    after='<equality><joint joint1="j2" joint2="j3"{active}/></equality>',
)


def test_a_coupled_gripper_is_locked_by_itself(tmp_path: Path) -> None:
    robot = load_robot(write(tmp_path, COUPLED.format(active="")))
    assert robot.joint_names == ("j1",)
    assert carries(robot.notes[0], "gripper", "j2 at 0", "j3 at 0")
    assert load_robot(write(tmp_path, COUPLED.format(active=' active="false"'))).n == 3


def test_coupled_joints_of_a_chain_are_accepted_only_locked(tmp_path: Path) -> None:
    file = write(tmp_path, COUPLED.format(active=""))
    with raises(UnsupportedRobotError, "j3", "j2", remedy={"lock": {"j3": 0.0}}):
        load_robot(file, lock={"j2": 0.0})
    with raises(UnsupportedRobotError, "j2", "j3", remedy={"lock": {"j2": 0.0}}):
        load_robot(file, tip="b", lock={"j3": 0.0})
    assert load_robot(file, lock={"j[23]": 0.0}).joint_names == ("j1",)


TIES = {
    "connect": '<connect name="loop" body1="b" body2="c" anchor="0 0 0"/>',
    "weld": '<weld name="loop" body1="b" body2="c"/>',
    "tendon": '<tendon name="loop" tendon1="t"/>',
}


@pytest.mark.parametrize("kind", TIES)
def test_a_loop_in_a_gripper_is_locked_and_one_that_the_chain_needs_is_refused(tmp_path: Path, kind: str) -> None:
    tendon = '</equality><tendon><fixed name="t"><joint joint="j2" coef="1"/><joint joint="j3" coef="-1"/></fixed></tendon>'
    text = COUPLED.format(active="").replace('<joint joint1="j2" joint2="j3"/></equality>', TIES[kind] + tendon)
    file = write(tmp_path, text)
    assert load_robot(file).joint_names == ("j1",)
    with raises(UnsupportedRobotError, "loop", kind, remedy={"lock": {"j2": 0.0}}):
        load_robot(file, tip="b", lock={"j3": 0.0})


def test_an_object_that_floats_beside_the_arm_is_left_out(tmp_path: Path) -> None:
    text = body(f'<joint name="j1"/>{INERTIAL}').replace("</worldbody>", f'<body name="cube"><freejoint/>{INERTIAL}</body></worldbody>')
    robot = load_robot(write(tmp_path, text))
    assert robot.joint_names == ("j1",)
    assert robot.notes == ("what floats freely beside the arm is left out: cube",)


def test_notes_name_what_is_left_out(tmp_path: Path) -> None:
    text = body(f'<joint name="j" armature="0.1" stiffness="2"/>{INERTIAL}').replace('name="a"', 'name="a" gravcomp="1"')
    armature, spring, compensation = load_robot(write(tmp_path, text)).notes
    assert "armature" in armature
    assert "springs" in spring
    assert "gravcomp" in compensation


def test_gravity_can_be_switched_off(tmp_path: Path) -> None:
    text = body(f"<joint/>{INERTIAL}", before='<option><flag gravity="disable"/></option>')
    robot = load_robot(write(tmp_path, text))
    assert robot.gravity.tolist() == [0, 0, 0]
    assert robot.joint_names == ("joint0",)


def test_includes_are_followed(tmp_path: Path) -> None:
    (tmp_path / "arm.xml").write_text(f'<mujoco><worldbody><body name="a"><joint name="j"/>{INERTIAL}</body></worldbody></mujoco>')
    assert load_robot(write(tmp_path, '<mujoco><include file="arm.xml"/></mujoco>')).joint_names == ("j",)


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        (body('<joint type="hinge2"/>'), ("MJCF", "hinge2")),
        (body("<joint/>"), ("MuJoCo", "mjMINVAL")),
        ('<!DOCTYPE mujoco [<!ENTITY a "b">]><mujoco/>', ("DOCTYPE", "ENTITY")),
        ('<mujoco><include file="absent.xml"/></mujoco>', ("MJCF",)),
        (body(f'<joint axis="0 0 0"/>{INERTIAL}'), ("MuJoCo", "compile")),
        (body(f'<joint pos="0 nan 0"/>{INERTIAL}'), ("pos='0 nan 0'", "<joint>")),
        (body(f"<joint/>{INERTIAL}").replace('name="a"', 'name="a" pos="inf 0 0"'), ("name='a'", "pos='inf 0 0'")),
    ],
)
def test_bad_files_are_one_sentence(tmp_path: Path, text: str, facts: tuple[str | float, ...]) -> None:
    file = write(tmp_path, text)
    with pytest.raises(FileError) as caught:
        load_robot(file)
    assert carries(str(caught.value), *facts)
    assert caught.value.file == str(file)
    assert "\n" not in str(caught.value)


def test_nothing_that_moves(tmp_path: Path) -> None:
    with raises(UnsupportedRobotError, "moves"):
        load_robot(write(tmp_path, body(INERTIAL)))


def test_without_mujoco_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(tmp_path, MIXED)
    real_import = builtins.__import__

    def absent(name: str, *rest, **named):
        if name == "mujoco":
            raise ImportError(name)
        return real_import(name, *rest, **named)

    monkeypatch.delitem(sys.modules, "mujoco")
    monkeypatch.setattr(builtins, "__import__", absent)
    with raises(MissingExtraError, "MJCF", "dynident[sim]", extra="sim", package="mujoco"):
        load_robot(file)


def inertial(mass: float, kind: str, values: str, more: str = 'pos="0.1 0.2 0.3"') -> str:
    return f'<inertial mass="{mass}" {more} {kind}inertia="{values}"/>'


GOOD = inertial(2, "diag", "0.4 0.5 0.6")


@pytest.mark.parametrize(
    ("written", "verdict"),
    [
        (inertial(2, "diag", "1 1 5"), LinkVerdict.TRIANGLE),
        (inertial(2, "full", "1 1 5 0.1 0 0"), LinkVerdict.TRIANGLE),
        (inertial(2, "diag", "1 1 -1"), LinkVerdict.NOT_POSITIVE),
        (inertial(2, "full", "1 1 -1 0.1 0.2 0.3"), LinkVerdict.NOT_POSITIVE),
        (inertial(0, "diag", "0 0 0"), LinkVerdict.ZERO_MASS),
        (inertial(0, "diag", "1 1 1"), LinkVerdict.ZERO_MASS),
        (inertial(-2, "diag", "1 1 1"), LinkVerdict.NEGATIVE_MASS),
        (inertial(2, "diag", "0 0 0"), LinkVerdict.MARGINAL),
    ],
)
def test_an_inertial_that_mujoco_refuses_is_judged(tmp_path: Path, written: str, verdict: LinkVerdict) -> None:
    file = write(tmp_path, body(f'<joint/>{written}<body name="b"><joint pos="0 0 1"/>{GOOD}</body>'))
    with raises(ValueError, "inertia"):
        mujoco.MjModel.from_xml_path(str(file))
    bad, good = check_robot(load_robot(file)).links
    assert (bad.verdict, good.verdict) == (verdict, LinkVerdict.CONSISTENT)


def test_what_mujoco_refuses_keeps_the_numbers_of_the_file(tmp_path: Path) -> None:
    """Each way to turn an inertial; its axes are those of a consistent one that is turned likewise."""
    turned = [
        'quat="1 0.2 0.3 0.4"',
        'euler="10 20 30"',
        'axisangle="1 2 3 40"',
        'xyaxes="1 0.1 0 0 1 0.2"',
        'zaxis="1 2 3"',
    ]
    for turn in turned:
        more = f'pos="0.1 0.2 0.3" {turn}'
        good, bad = (
            load_robot(write(tmp_path, body(f'<joint pos="0.5 0 0"/>{inertial(2, "diag", values, more)}'))).links[0].pieces[0]
            for values in ("0.4 0.5 0.6", "0.4 0.5 1.6")
        )
        model = mujoco.MjModel.from_xml_path(str(write(tmp_path, body(f"<joint/>{inertial(2, 'diag', '0.4 0.5 0.6', more)}"))))
        R = np.empty(9)
        mujoco.mju_quat2Mat(R, model.body_iquat[1])
        axes = R.reshape(3, 3)
        np.testing.assert_allclose(good.parameters, from_com(2, [0.1, 0.2, 0.3], axes @ np.diag([0.4, 0.5, 0.6]) @ axes.T), atol=1e-12)
        np.testing.assert_allclose(bad.parameters, from_com(2, [0.1, 0.2, 0.3], axes @ np.diag([0.4, 0.5, 1.6]) @ axes.T), atol=1e-12)


def test_a_full_inertia_is_kept_element_by_element(tmp_path: Path) -> None:
    written = inertial(2, "full", "1 2 9 0.1 0.2 0.3", 'pos="0 0 0"')
    (piece,) = load_robot(write(tmp_path, body("<joint/>" + written))).links[0].pieces
    np.testing.assert_allclose(piece.parameters, [2, 0, 0, 0, 1, 0.1, 0.2, 2, 0.3, 9], atol=1e-15)


#: every kind of inertial and geom, on bodies that move, are welded to one that does, and stand still
SETTINGS = f"""<mujoco>
  <compiler {{settings}}/>
  <worldbody>
    <geom size="1"/>
    <body name="stand">{inertial(3, "diag", "0.4 0.5 0.6")}<geom size="0.2"/>
      <body name="a" pos="1 0 0"><joint/>{inertial(2, "full", "0.4 0.5 0.6 0.1 0.05 0.02")}
        <body name="weld" pos="0 1 0" euler="10 20 30">{inertial(0.05, "diag", "1e-4 2e-4 2.5e-4", 'pos="0 0 0" euler="40 50 60"')}
          <geom group="1" size="0.1 0.2 0.3" type="box"/></body>
        <body name="b" pos="0 0 1"><joint/><geom size="0.1" pos="0.1 0 0"/><geom size="0.2" group="3" pos="0 0.3 0"/>
          <body name="c" pos="0 0 1"><joint/>{inertial(1, "diag", "0.1 0.2 0.25")}<geom size="0.2"/></body>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>"""


def compiled_parameters(file: Path) -> dict[str, np.ndarray]:
    """(10,) of every body with a mass, as MuJoCo itself reads the file."""
    model = mujoco.MjModel.from_xml_path(str(file))
    found: dict[str, np.ndarray] = {}
    for b in range(1, model.nbody):
        R = np.empty(9)
        mujoco.mju_quat2Mat(R, model.body_iquat[b])
        axes = R.reshape(3, 3)
        found[model.body(b).name] = from_com(model.body_mass[b], model.body_ipos[b], axes @ np.diag(model.body_inertia[b]) @ axes.T)
    return found


def own_parameters(robot: Robot) -> dict[str, np.ndarray | None]:
    return {piece.name: piece.parameters for pieces in (robot.base_pieces, *(link.pieces for link in robot.links)) for piece in pieces}


@pytest.mark.parametrize(
    ("settings", "notes"),
    [
        ("", []),
        ('inertiafromgeom="auto"', []),
        ('inertiafromgeom="true"', []),
        ('inertiafromgeom="true" inertiagrouprange="0 0"', []),
        ('inertiafromgeom="true" inertiagrouprange="0 3"', []),
        ('inertiagrouprange="0 1"', []),
        ('boundmass="0.5"', ["the corrected ones of: weld"]),
        ('boundinertia="2e-4"', ["the corrected ones of: weld"]),
        ('boundinertia="0.45"', ["the corrected ones of: stand, a, weld, c"]),
        ('boundmass="10" boundinertia="10"', ["the corrected ones of: stand, a, weld, c"]),
        ('balanceinertia="true"', []),
        ('settotalmass="7"', ["scale all masses and inertias to a total of 7 kg"]),
        ('settotalmass="7" inertiafromgeom="true"', ["total of 7 kg"]),
        ('settotalmass="7" boundmass="0.5" boundinertia="0.3"', ["the corrected ones of", "total of 7 kg"]),
    ],
)
def test_compiler_settings_mean_what_they_mean_to_mujoco(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: str, notes: list[str]
) -> None:
    file = write(tmp_path, SETTINGS.format(settings=settings))
    monkeypatch.chdir(tmp_path)
    robot = load_robot(file)
    assert [path.name for path in tmp_path.iterdir()] == ["robot.xml"]  # no log file of MuJoCo's
    expected, found = compiled_parameters(file), own_parameters(robot)
    if 'inertiafromgeom="true"' in settings and "settotalmass" not in settings:
        assert found.pop("stand") is None  # the geoms of what stands still are not read
        expected.pop("stand")
    assert found.pop("world") is None
    assert set(found) == set(expected)
    for name, parameters in expected.items():
        np.testing.assert_allclose(found[name], parameters, rtol=1e-9, atol=1e-12, err_msg=name)
    assert len(robot.notes) == len(notes)
    for note, words in zip(robot.notes, notes, strict=True):
        assert words in note


@pytest.mark.parametrize("values", ["1 1 5", "-1 1 5", "1 1 -0.5"])
@pytest.mark.parametrize("settings", ['balanceinertia="true"', 'boundinertia="0.2"', 'balanceinertia="true" boundinertia="0.2"'])
def test_corrections_that_the_file_asks_for_are_mujocos(tmp_path: Path, settings: str, values: str) -> None:
    text = body(f'<joint/>{GOOD}<body name="weld">{inertial(2, "diag", values)}</body>', before=f"<compiler {settings}/>")
    file = write(tmp_path, text)
    robot = load_robot(file)
    found = own_parameters(robot)["weld"]
    if "balance" not in settings and "5" in values.split():  # then MuJoCo refuses it
        with raises(ValueError, "A", "B", "C"):
            compiled_parameters(file)
        assert not check_robot(robot).passed
    elif settings == 'balanceinertia="true"' and values == "1 1 -0.5":
        # MuJoCo sets it to zero without being asked to, and so hides it
        np.testing.assert_allclose(found, from_com(2, [0.1, 0.2, 0.3], np.diag([1, 1, -0.5])), atol=1e-12)
        assert [source.verdict for source in check_robot(robot).inconsistent_sources] == [LinkVerdict.NOT_POSITIVE]
    else:
        np.testing.assert_allclose(found, compiled_parameters(file)["weld"], atol=1e-12)
        assert check_robot(robot).passed
        assert carries(robot.notes[0], "weld")


@pytest.mark.parametrize(("mass", "values"), [(-1, "1 1 1"), (1, "1 1 -1")])
def test_what_mujoco_sets_to_zero_in_silence_is_judged_as_written(tmp_path: Path, mass: float, values: str) -> None:
    file = write(tmp_path, body(f'<joint/>{GOOD}<body name="weld">{inertial(mass, "diag", values)}</body>'))
    assert 0.0 in (compiled_parameters(file)["weld"][0], mujoco.MjModel.from_xml_path(str(file)).body_inertia[2].min())
    assert [source.name for source in check_robot(load_robot(file)).inconsistent_sources] == ["weld"]


def test_a_scale_to_a_total_mass_leaves_a_refused_inertial_refused(tmp_path: Path) -> None:
    file = write(
        tmp_path,
        body(
            f'<joint/>{inertial(2, "diag", "1 1 5")}<body name="b">{inertial(2, "diag", "1 1 1")}</body>',
            before='<compiler settotalmass="8"/>',
        ),
    )
    robot = load_robot(file)
    assert robot.links[0].parameters[0] == pytest.approx(8.0)
    (bad,) = check_robot(robot).inconsistent_sources
    assert (bad.name, bad.verdict, bad.principal_inertias) == ("a", LinkVerdict.TRIANGLE, pytest.approx((2, 2, 10)))


def test_bodies_that_mujoco_would_fuse_are_lumped_with_a_record(tmp_path: Path) -> None:
    text = body(f'<joint/>{GOOD}<body name="weld" pos="0 0 1">{GOOD}</body>', before='<compiler fusestatic="{}"/>')
    fused, whole = (load_robot(write(tmp_path, text.format(value))).links[0] for value in ("true", "false"))
    assert fused.sources == whole.sources == ("a", "weld")
    np.testing.assert_array_equal(fused.parameters, whole.parameters)


def test_pieces_are_in_body_frames_and_add_up(tmp_path: Path) -> None:
    file = write(tmp_path, MIXED)
    robot = load_robot(file, lock={"second": 0.3})
    expected = compiled_parameters(file)
    for link in robot.links:
        for piece in link.pieces:
            np.testing.assert_allclose(piece.parameters, expected.get(piece.name, np.zeros(10)), atol=1e-12, err_msg=piece.name)
        total = sum(change_of_frame(piece.placement) @ piece.parameters for piece in link.pieces)
        np.testing.assert_allclose(total, link.parameters, atol=1e-12)
    assert [link.sources for link in robot.links] == [("one", "plate"), ("two",), ("three/first", "three/second"), ("three",)]
    np.testing.assert_allclose(robot.links[0].pieces[0].placement[:3, 3], [-0.1, -0.2, -0.3])
    np.testing.assert_allclose(own_parameters(robot)["stand"], expected["stand"], atol=1e-12)


@pytest.mark.parametrize("settings", ['balanceinertia="true"', 'boundmass="50" boundinertia="50"'])
def test_inertials_of_an_attached_model_are_as_written(tmp_path: Path, settings: str) -> None:
    attached = body(f"<joint/>{inertial(2, 'diag', '1 1 5')}", before=f"<compiler {settings}/>").replace(
        "<mujoco>", '<mujoco model="hand">'
    )
    (tmp_path / "hand.xml").write_text(attached)
    text = body(
        f'<joint/>{GOOD}<attach model="hand" body="a" prefix="hand_"/>', before='<asset><model name="hand" file="hand.xml"/></asset>'
    )
    robot = load_robot(write(tmp_path, text))
    assert [link.verdict for link in check_robot(robot).links] == [LinkVerdict.CONSISTENT, LinkVerdict.TRIANGLE]
    np.testing.assert_allclose(own_parameters(robot)["hand_a"], from_com(2, [0.1, 0.2, 0.3], np.diag([1, 1, 5])), atol=1e-12)
    assert carries(robot.notes[0], "attached")


def test_a_geom_that_a_tendon_wraps_around_is_kept(tmp_path: Path) -> None:
    inside = f'<joint name="j1"/>{INERTIAL}<geom name="drum" type="cylinder" size="0.1 0.1"/><site name="s1" pos="0.3 0 0"/>'
    text = body(
        inside + f'<body name="b" pos="1 0 0"><joint name="j2"/>{INERTIAL}<site name="s2"/></body>',
        after='<tendon><spatial><site site="s1"/><geom geom="drum"/><site site="s2"/></spatial></tendon>',
    )
    assert load_robot(write(tmp_path, text)).joint_names == ("j1", "j2")


STL = b"solid cube" + b" " * 70 + (12).to_bytes(4, "little")


def cube(path: Path) -> None:
    """A binary STL of a cube of 2 m."""
    corners = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    faces = [
        (0, 1, 3),
        (0, 3, 2),
        (4, 6, 7),
        (4, 7, 5),
        (0, 4, 5),
        (0, 5, 1),
        (2, 3, 7),
        (2, 7, 6),
        (0, 2, 6),
        (0, 6, 4),
        (1, 5, 7),
        (1, 7, 3),
    ]
    content = STL + b"".join(np.concatenate([np.zeros(3), *corners[list(face)]]).astype("<f4").tobytes() + b"\0\0" for face in faces)
    path.write_bytes(content)


def test_an_export_is_proven_where_the_meshes_of_the_original_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The base's hand has its inertia from a mesh beside the file: without the folder the exported text could not be compiled."""
    from dynident.exports import ExportModel, export

    folder = tmp_path / "models"
    folder.mkdir()
    cube(folder / "cube.stl")
    text = body(
        f'<joint name="j1"/>{INERTIAL}<body name="hand"><geom type="mesh" mesh="cube"/></body>',
        before='<asset><mesh name="cube" file="cube.stl"/></asset>',
    )
    file = write(folder, text)
    monkeypatch.chdir(tmp_path)
    robot = load_robot(file)
    exported = export(ExportModel(robot=robot, parameters=robot.parameters), "mjcf", original=file)
    assert exported.comparison is not None
    assert exported.comparison.relative < 1e-9
