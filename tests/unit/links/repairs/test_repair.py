"""The nearest consistent links: same dynamics where possible, nothing touched that is in order."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dynident import Robot, check_robot, library_names, load_robot
from dynident.dynamics import inverse_dynamics
from dynident.errors import DynidentError, FileError, InputError
from dynident.links.repairs.document import RepairDocument
from dynident.links.repairs.repair import repair
from dynident.links.repairs.writing import repaired_text, with_inertials
from dynident.robots.parameters import consistency_margin
from tests.facts import carries, raises
from tests.oracles.machines import states

ARM = """<?xml version="1.0"?>
<robot name="arm">
  <!-- the base weighs nothing: <inertial> in a comment -->
  <link name="base"/>
  <link name="upper_arm">
    <inertial>
      <origin xyz="0 0 0.15"/><mass value="4"/> <!-- measured -->
      <inertia ixx="0.04" ixy="0" ixz="0" iyy="0.04" iyz="0" izz="0.01"/>
    </inertial>
  </link>
  <link name="forearm">
    <inertial>
      <mass value='3'/>
      <inertia ixx="0.05" ixy="0" ixz="0" iyy="{iyy}" iyz="0" izz="0.01"/>
    </inertial>
    <visual><origin xyz="9 9 9"/><geometry><sphere radius="1"/></geometry></visual>
  </link>
  <link name="camera">
    <inertial><origin rpy="0.3 1 0"/><mass value="0.2"/><inertia ixx="1e-4" ixy="0" ixz="0" iyy="1e-4" iyz="0" izz="2.5e-4"/></inertial>
  </link>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper_arm"/><axis xyz="0 1 0"/></joint>
  <joint name="elbow" type="continuous">
    <parent link="upper_arm"/><child link="forearm"/><origin xyz="0 0 0.3"/><axis xyz="0 1 0"/>
  </joint>
  <joint name="mount" type="fixed"><parent link="forearm"/><child link="camera"/><origin xyz="0 0 0.25" rpy="0 0 1"/></joint>
</robot>
"""


def arm(folder: Path, iyy: float = 0.02) -> Path:
    file = folder / "arm.urdf"
    file.write_text(ARM.format(iyy=iyy))
    return file


def same_torques(a: Robot, b: Robot) -> None:
    q, dq, ddq = states(a, 50)
    there, here = (inverse_dynamics(robot, robot.parameters, q, dq, ddq) for robot in (a, b))
    np.testing.assert_allclose(here, there, atol=1e-9 * np.abs(there).max())


@pytest.mark.parametrize("metric", ["entropic", "euclidean"])
def test_the_published_kuka_keeps_its_dynamics(metric):
    robot = load_robot("kuka_lwr4")
    found = repair(robot, metric=metric)
    assert found.moved == ()
    before, after = found.coefficients
    np.testing.assert_allclose(after, before, atol=1e-9)
    mended = robot.with_parameters(found.parameters())
    assert check_robot(mended).passed
    assert all(link.verdict.name == "CONSISTENT" for link in check_robot(mended).links)
    same_torques(robot, mended)


@pytest.mark.parametrize("name", sorted(set(library_names()) - {"kuka_lwr4"}))
def test_a_consistent_robot_is_left_alone(name):
    robot = load_robot(name)
    found = repair(robot)
    assert found.changed == ()
    np.testing.assert_array_equal(found.parameters(), robot.parameters)
    if check_robot(robot).passed:
        np.testing.assert_array_equal(
            load_robot_text(repaired_text(found, Path("r.yaml")).decode()).parameters, robot_again(robot).parameters
        )


def load_robot_text(text: str) -> Robot:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "r.yaml"
        file.write_text(text)
        return load_robot(file)


def robot_again(robot: Robot) -> Robot:
    return load_robot_text(robot.to_dh_yaml())


def test_repairing_twice_is_repairing_once(tmp_path):
    first = tmp_path / "first.urdf"
    first.write_bytes(repaired_text(repair(load_robot(arm(tmp_path))), first))
    again = repair(load_robot(first))
    assert again.changed == ()
    assert repaired_text(again, tmp_path / "second.urdf") == first.read_bytes()


def test_only_what_is_wrong_moves_where_that_is_enough(tmp_path):
    found = repair(load_robot(arm(tmp_path)))
    assert [link.name for link in found.changed] == ["forearm", "camera"]
    assert found.moved == ()


def test_the_urdf_keeps_all_but_the_numbers_of_the_changed_links(tmp_path):
    robot = load_robot(arm(tmp_path))
    out = tmp_path / "out.urdf"
    out.write_bytes(repaired_text(repair(robot), out))
    old, new = ARM.format(iyy=0.02).splitlines(), out.read_text().splitlines()
    (origin,) = [line for line in new if line.startswith('      <origin xyz="') and line not in old]  # the forearm had none
    new.remove(origin)
    assert len(new) == len(old)
    changed = [i for i, (a, b) in enumerate(zip(old, new, strict=True)) if a != b]
    assert all(any(tag in old[i] for tag in ("<inertial>", "<mass", "<inertia ")) for i in changed)
    assert all(i >= 11 for i in changed)  # the upper arm is as it was, its comment too
    mended = load_robot(out)
    assert check_robot(mended).passed
    same_torques(robot, mended)


def test_numbers_written_into_a_urdf_are_read_back(tmp_path):
    file = arm(tmp_path)
    pieces = {piece.name: piece for link in load_robot(file).links for piece in link.pieces}
    new = {name: 1.1 * piece.parameters for name, piece in pieces.items()}
    out = tmp_path / "out.urdf"
    out.write_bytes(with_inertials(file, file.read_bytes(), new))
    for link in load_robot(out).links:
        for piece in link.pieces:
            np.testing.assert_allclose(piece.parameters, new[piece.name], atol=1e-15)
    out.write_bytes(with_inertials(file, file.read_bytes(), {"base": new["camera"]}))  # it had no <inertial>
    np.testing.assert_allclose(load_robot(out).base_pieces[0].parameters, new["camera"], atol=1e-15)
    with raises(FileError, "link", "elsewhere"):
        with_inertials(file, file.read_bytes(), {"elsewhere": new["camera"]})


def test_a_margin_is_kept_by_every_link(tmp_path):
    robot = load_robot(arm(tmp_path))
    found = repair(robot, margin=2e-4)
    assert found.moved == ()
    assert all(consistency_margin(link.after) >= 2e-4 for link in found.links)
    assert repair(load_robot("planar_2r"), margin=0.0).changed == ()


def test_dynamics_that_no_links_have_move_as_little_as_possible(tmp_path):
    """A negative inertia about the elbow is seen by the torque: it has to change, and the rest hardly does."""
    found = repair(load_robot(arm(tmp_path, iyy=-0.5)))
    before, after = found.coefficients
    worst = found.moved[0]
    assert found.base.expressions[worst] == "J2yy"
    assert before[worst] < 0.0 < after[worst]
    others = [i for i in range(found.base.rank) if i != worst]
    np.testing.assert_allclose(after[others], before[others], atol=2e-3)
    assert all(consistency_margin(link.after) > 0.0 for link in found.links)
    document = RepairDocument.of(found)
    assert document.dynamics_unchanged is False
    assert document.moved[0].coefficient == "J2yy"


def test_links_without_mass_get_one(tmp_path):
    file = arm(tmp_path)
    file.write_text(file.read_text().replace('<mass value="0.2"/>', '<mass value="0"/>').replace('<origin rpy="0.3 1 0"/>', ""))
    found = repair(load_robot(file))
    camera = next(link for link in found.links if link.name == "camera")
    assert camera.before[0] == 0.0
    assert camera.after[0] > 0.0
    assert camera.margins[1] > 0.0


def test_the_links_of_the_base_are_repaired_too(tmp_path):
    file = arm(tmp_path)
    bad = '<link name="base"><inertial><mass value="9"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.9"/></inertial></link>'
    file.write_text(file.read_text().replace('<link name="base"/>', bad))
    found = repair(load_robot(file))
    assert found.changed[0].name == "base"
    assert found.changed[0].body == -1
    assert found.moved == ()


def test_a_nearer_point_on_the_line_to_the_old_links_breaks_a_condition():
    """The nearest is on the boundary: halfway back to the published numbers some link is inconsistent."""
    found = repair(load_robot("kuka_lwr4"))
    halfway = [0.5 * (link.before + link.after) for link in found.links]
    assert min(float(consistency_margin(p)) for p in halfway) < 0.0


def test_what_can_not_be_repaired_is_said(tmp_path):
    file = arm(tmp_path)
    text = file.read_text()
    file.write_text(text[: text.index("    <inertial>\n      <mass value='3'/>")] + text[text.index("    <visual>") :])
    robot = load_robot(file, lock={"elbow": 0.0})
    assert repair(robot).links
    file.write_text(file.read_text().replace('<inertial><origin rpy="0.3 1 0"/>', "<!--").replace("</inertial></link>", "--></link>"))
    with pytest.raises(DynidentError):
        repair(load_robot(file))
    with raises(InputError, ".txt", ".urdf", ".json"):
        repaired_text(repair(load_robot("panda")), Path("out.txt"))
    with raises(InputError, "URDF", "panda", ".yaml", ".json"):
        repaired_text(repair(load_robot("panda")), Path("out.urdf"))


BODY = '<inertial><origin xyz="0 0 0.1"/><mass value="{m}"/><inertia ixx="{x}" ixy="0" ixz="0" iyy="{y}" iyz="0" izz="{z}"/></inertial>'
GOOD, BAD = {"m": 2.0, "x": 0.02, "y": 0.02, "z": 0.01}, {"m": 2.0, "x": 0.005, "y": 0.005, "z": 0.012}


def chain(folder: Path, *links: dict[str, float] | None) -> Path:
    """A spatial chain of these links; None has no inertial."""
    bodies = ["<link name='l0'/>"]
    for i, numbers in enumerate(links, start=1):
        axis = ("0 0 1", "0 1 0", "1 0 0")[i % 3]
        bodies.append(f"<link name='l{i}'>{'' if numbers is None else BODY.format(**numbers)}</link>")
        bodies.append(
            f"<joint name='j{i}' type='continuous'><parent link='l{i - 1}'/><child link='l{i}'/>"
            f"<origin xyz='0.05 0 0.2'/><axis xyz='{axis}'/></joint>"
        )
    file = folder / "chain.urdf"
    file.write_text(f"<robot name='chain'>{''.join(bodies)}</robot>")
    return file


def test_a_long_chain_with_one_bad_link_changes_it_and_its_neighbour(tmp_path):
    robot = load_robot(chain(tmp_path, GOOD, GOOD, GOOD, BAD, GOOD, GOOD, GOOD))
    found = repair(robot)
    names = [link.name for link in found.changed]
    assert "l4" in names
    assert len(names) <= 2
    assert found.moved == ()
    same_torques(robot, robot.with_parameters(found.parameters()))


def test_a_link_at_the_edge_is_not_asked_for_margin(tmp_path):
    """A point mass beside the bad link may stay one: only what is wrong gets room."""
    rod = {"m": 2.0, "x": 0.01, "y": 0.01, "z": 0.0}
    robot = load_robot(chain(tmp_path, GOOD, rod, BAD, rod, GOOD))
    found = repair(robot)
    assert len(found.changed) <= 2
    assert found.moved == ()
    assert check_robot(robot.with_parameters(found.parameters())).passed


def test_a_change_that_no_links_can_do_without_is_proven(tmp_path):
    found = repair(load_robot(arm(tmp_path, iyy=-0.5)))
    assert found.impossible
    assert carries(str(found), "proven")
    assert [link.name for link in found.changed] == ["forearm", "camera"]


def test_a_moving_link_of_no_mass_gets_one(tmp_path):
    robot = load_robot(chain(tmp_path, GOOD, {"m": 0.0, "x": 0.0, "y": 0.0, "z": 0.0}, GOOD).with_suffix(".urdf"))
    assert not check_robot(robot).passed
    found = repair(robot)
    mended = robot.with_parameters(found.parameters())
    assert check_robot(mended).passed
    assert found.moved == ()
    same_torques(robot, mended)


def test_links_without_inertials_elsewhere_do_not_stop_it(tmp_path):
    robot = load_robot(chain(tmp_path, None, GOOD, BAD, GOOD))
    found = repair(robot)
    assert {link.name for link in found.links} == {"l2", "l3", "l4"}
    assert "l3" in {link.name for link in found.changed}
    assert found.refused == ("l1",)
    assert carries(str(found), "MuJoCo", "l1")


def test_the_mass_stays_about_the_same_or_a_change_is_said(tmp_path):
    found = repair(load_robot(chain(tmp_path, GOOD, BAD, BAD, GOOD)))
    before, after = found.masses
    assert abs(after / before - 1.0) <= 0.1 + 1e-9
    light = repair(load_robot(chain(tmp_path, {"m": -1.0, "x": 0.1, "y": 0.1, "z": 0.1})))
    assert light.links[0].share_left == 1.0  # nothing was left of a negative mass
    assert carries(str(light), "mass", "from -1")


def test_numbers_that_need_not_change_are_not_touched(tmp_path):
    """The centre of mass on the axes of a symmetric link stays exactly there."""
    found = repair(load_robot(chain(tmp_path, GOOD, GOOD, BAD)))
    for link in found.changed:
        assert np.all((link.after == link.before) | (np.abs(link.after - link.before) > 1e-12))


def test_line_ends_of_a_file_stay(tmp_path):
    file = arm(tmp_path)
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    out = repaired_text(repair(load_robot(file)), tmp_path / "out.urdf")
    assert out.count(b"\r\n") == out.count(b"\n")


MJCF = """<mujoco><worldbody><body name="a"><joint name="j1" axis="0 1 0"/>
  <inertial pos="0 0 0.1" mass="2" fullinertia="0.02 0.02 0.01 0 0 0"/><geom type="mesh" mesh="absent"/>
  <body name="b" pos="0 0 0.3"><joint name="j2" axis="1 0 0"/><inertial pos="0 0 0.1" mass="1" diaginertia="0.001 0.001 0.05"/></body>
</body></worldbody><asset><mesh name="absent" file="absent.stl"/></asset></mujoco>"""


def test_an_mjcf_is_written_as_one(tmp_path):
    pytest.importorskip("mujoco")
    file, out = tmp_path / "arm.xml", tmp_path / "out.xml"
    file.write_text(MJCF)
    robot = load_robot(file)
    assert not check_robot(robot).passed
    out.write_bytes(repaired_text(repair(robot), out))
    mended = load_robot(out)
    assert check_robot(mended).passed
    assert 'mesh="absent"' in out.read_text()
    with raises(FileError, "URDF", "MJCF", "arm.xml"):
        repaired_text(repair(robot), tmp_path / "out.urdf")
    file.write_text(MJCF.replace("<worldbody>", '<compiler settotalmass="3"/><worldbody>'))
    with raises(FileError, "MuJoCo", "<compiler settotalmass="):
        repaired_text(repair(robot), out)


FINGER = {"m": 0.08, "x": 1e-5, "y": 1e-5, "z": 4e-5}


@pytest.mark.parametrize("stroke", [0.04, 99.0, 999999.0])
def test_a_finger_is_repaired_alike_whatever_its_limits(tmp_path: Path, stroke: float) -> None:
    """Its inertia was made 27 kg·m² after limits of ±999999 m."""
    file = chain(tmp_path, GOOD, GOOD, FINGER)
    slides = f"name='j3' type='prismatic'><limit lower='{-stroke}' upper='{stroke}' effort='20' velocity='1'/>"
    file.write_text(file.read_text().replace("name='j3' type='continuous'>", slides))
    robot = load_robot(file)
    found = repair(robot)
    finger = found.links[-1]
    assert finger.after[0] == pytest.approx(0.08, rel=0.01)
    assert np.abs(finger.after - finger.before).max() < 3e-5
    assert found.moved == ()
    same_torques(robot, robot.with_parameters(found.parameters()))


def random_chain(folder: Path, seed: int) -> Robot:
    """Six links that a body can be, of which one to three then got another inertia about z."""
    rng = np.random.default_rng(seed)
    links = []
    for _ in range(6):
        mass, sides = rng.uniform(0.2, 8.0), rng.uniform(0.05, 0.4, 3) ** 2
        links.append(dict(zip("mxyz", (mass, *(mass / 12.0 * (sides.sum() - sides))), strict=True)))
    wrong = rng.choice(6, size=rng.integers(1, 4), replace=False)
    for i in wrong:
        links[i]["z"] *= rng.uniform(3.0, 10.0)
    return load_robot(chain(folder, *links))


@pytest.mark.parametrize("seed", range(12))
def test_no_link_loses_more_than_a_tenth_without_being_named(tmp_path: Path, seed: int) -> None:
    """Links that were in order became 1 g, because nothing but a quadratic distance held them."""
    found = repair(random_chain(tmp_path, seed))
    assert all(link.changed and link.margins[1] > 0.0 for link in found.links if link.margins[0] < 0.0)
    assert found.shrunk == ()
    for link in found.links:
        assert 0.0999 * link.before[0] <= link.after[0] <= 10.01 * link.before[0]
        assert np.linalg.norm(link.after[1:4] / link.after[0]) < 0.5  # the links are 0.2 m long
    assert RepairDocument.of(found).impossible == found.impossible
    assert not (found.impossible and not found.moved)


def test_a_link_that_can_not_stay_is_named(tmp_path: Path) -> None:
    found = repair(load_robot(chain(tmp_path, GOOD, GOOD)))
    light = replace(found, links=(replace(found.links[0], after=0.05 * found.links[0].before), found.links[1]))
    assert found.shrunk == ()
    assert [link.name for link in light.shrunk] == ["l1"]
    assert light.links[0].share_left == pytest.approx(0.05)
    assert carries(str(light), "l1", 5)


@pytest.mark.parametrize(
    ("inertia", "refused"),
    [
        (GOOD, ()),
        ({"m": 2.0, "x": 0.01, "y": 0.01, "z": 0.0}, ("l2",)),  # a rod
        ({"m": 2.0, "x": 0.0, "y": 0.0, "z": 0.0}, ("l2",)),  # a point
        ({"m": 2.0, "x": 0.01, "y": 0.01, "z": 0.02}, ()),  # a plate, with A + B = C
        ({"m": 2.0, "x": 0.01, "y": 0.01, "z": 0.02 + 2e-11}, ("l2",)),  # rounding of a plate, which is too much for MuJoCo
        (None, ("l2",)),
        ({"m": 0.0, "x": 0.0, "y": 0.0, "z": 0.0}, ()),
    ],
)
def test_links_that_mujoco_refuses_are_named(tmp_path: Path, inertia: dict[str, float] | None, refused: tuple[str, ...]) -> None:
    mujoco = pytest.importorskip("mujoco")
    found = repair(load_robot(chain(tmp_path, GOOD, inertia, GOOD)))
    text = repaired_text(found, tmp_path / "out.urdf").decode()
    assert RepairDocument.of(found).refused == found.refused == refused
    if refused:
        with pytest.raises(ValueError, match="inertia"):
            mujoco.MjModel.from_xml_string(text)
    else:
        mujoco.MjModel.from_xml_string(text)
