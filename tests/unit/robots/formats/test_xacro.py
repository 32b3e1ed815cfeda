"""xacro: macros, arguments, packages without ROS, and files that try to run code."""

from pathlib import Path

import numpy as np
import pytest

from dynident.errors import FileError, MissingExtraError, UnknownNameError
from dynident.robots import load_robot
from dynident.robots.formats.xacro import expand_xacro
from tests.facts import raises

HEAD = '<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">'
MACRO = """<xacro:macro name="limb" params="name parent length">
  <link name="${name}"><inertial><mass value="${2 * length}"/>
    <inertia ixx="${length**2}" iyy="${length**2}" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="${name}_joint" type="revolute"><parent link="${parent}"/><child link="${name}"/>
    <origin xyz="0 0 ${length}"/><axis xyz="0 1 0"/><limit lower="${-pi / 2}" upper="${pi / 2}" effort="1" velocity="1"/></joint>
</xacro:macro>"""
ARM = f"""{HEAD}<xacro:arg name="long" default="0.5"/><xacro:include filename="$(find limbs)/urdf/limb.xacro"/>
<link name="floor"/><xacro:limb name="upper" parent="floor" length="$(arg long)"/>
<xacro:limb name="lower" parent="upper" length="0.25"/></robot>"""


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    """A workspace: src/arm_description/urdf/arm.xacro, which needs the package limbs in src/others."""
    file, package = tmp_path / "src" / "arm_description" / "urdf" / "arm.xacro", tmp_path / "src" / "others"
    file.parent.mkdir(parents=True)
    (package / "urdf").mkdir(parents=True)
    file.write_text(ARM)
    (package / "package.xml").write_text("<package><name>limbs</name></package>")
    (package / "urdf" / "limb.xacro").write_text(f"{HEAD}{MACRO}</robot>")
    return file


def test_macros_are_expanded_and_packages_found_beside_the_file(arm: Path) -> None:
    robot = load_robot(arm)
    assert robot.joint_names == ("upper_joint", "lower_joint")
    assert robot.parameters is not None
    assert robot.parameters[:, 0].tolist() == [1.0, 0.5]
    assert robot.joints[0].position == (-np.pi / 2, np.pi / 2)


def test_arguments_are_given(arm: Path) -> None:
    assert load_robot(arm, xacro_args={"long": "0.75"}).parameters[0, 0] == 1.5


def test_a_package_elsewhere_is_named(arm: Path, tmp_path: Path) -> None:
    away = tmp_path / "a" / "b" / "c" / "away"
    away.parent.mkdir(parents=True)
    (tmp_path / "src" / "others").rename(away)
    with raises(FileError, "ROS", "limbs", remedy={"packages": {"limbs": "FOLDER"}}):
        load_robot(arm)
    assert load_robot(arm, packages={"limbs": away}).n == 2
    with raises(FileError, "folder", "ROS", "limbs"):
        load_robot(arm, packages={"limbs": tmp_path / "nowhere"})


@pytest.mark.parametrize(("variable", "below"), [("AMENT_PREFIX_PATH", "share/limbs"), ("ROS_PACKAGE_PATH", "limbs")])
def test_a_package_is_found_on_the_paths_of_ros(arm: Path, tmp_path: Path, monkeypatch, variable: str, below: str) -> None:
    away = tmp_path / "a" / "b" / "c" / "d" / "opt"
    (away / below).parent.mkdir(parents=True)
    (tmp_path / "src" / "others").rename(away / below)
    monkeypatch.setenv(variable, str(away))
    assert load_robot(arm).n == 2


def test_a_urdf_with_macros_is_expanded_too(arm: Path) -> None:
    assert load_robot(arm.rename(arm.with_suffix(".urdf"))).n == 2


@pytest.mark.parametrize(
    "expression",
    [
        "${(lambda: ().__class__.__bases__[0].__subclasses__())()}",
        "${[c for c in ().__class__.__mro__]}",
        "$(eval str.__class__)",
        "${python.type('a', (), dict())().__init__.__globals__}",
    ],
)
def test_an_expression_that_reaches_into_python_is_refused(tmp_path: Path, expression: str) -> None:
    file = tmp_path / "evil.xacro"
    file.write_text(f'{HEAD}<link name="{expression}"/></robot>')
    with raises(FileError, "refused", "xacro's"):
        load_robot(file)


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        (f"{HEAD}<link name='$(arg hand)'/></robot>", ("expanded", "hand", "xacro_args={'name': 'value'}")),
        (f"{HEAD}<link name='${{1 / 0}}'/></robot>", ("expanded", "zero", "1 / 0")),
        (f"{HEAD}<xacro:include filename='absent.xacro'/></robot>", ("absent.xacro",)),
        (f"{HEAD}<xacro:macro name='m' params=''><xacro:m/></xacro:macro><xacro:m/></robot>", ("expanded", "recursion")),
        ("<robot", ("XML", "line 1")),
        ('<!DOCTYPE a [<!ENTITY b "c">]><robot name="&b;"/>', ("DOCTYPE", "ENTITY")),
        (f"{HEAD}{MACRO}</robot>", ("<link>", "macros")),
    ],
)
def test_bad_files_are_one_sentence(tmp_path: Path, text: str, facts: tuple[str, ...]) -> None:
    file = tmp_path / "arm.xacro"
    file.write_text(text)
    with raises(FileError, *facts) as caught:
        load_robot(file)
    assert "\n" not in str(caught.value)


def test_one_file_does_not_see_the_arguments_of_the_one_before(arm: Path) -> None:
    long, usual = expand_xacro(arm, arguments={"long": "2"}), expand_xacro(arm)
    assert long != usual
    assert expand_xacro(arm) == usual


def test_without_the_package_the_extra_is_named(arm: Path, monkeypatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "xacro", None)
    with raises(MissingExtraError, "dynident[ros]", extra="ros", package="xacro"):
        load_robot(arm)


def test_an_argument_that_no_file_has_is_refused(tmp_path: Path) -> None:
    (tmp_path / "part.xacro").write_text(f'{HEAD}<xacro:arg default="1" name="included"/></robot>')
    (tmp_path / "whole.xacro").write_text(f'{HEAD}<xacro:include filename="part.xacro"/><link name="$(arg used)"/></robot>')
    assert '"base"' in expand_xacro(tmp_path / "whole.xacro", arguments={"used": "base", "included": "2"})
    with raises(UnknownNameError, name="uesd"):
        expand_xacro(tmp_path / "whole.xacro", arguments={"used": "base", "uesd": "tool"})
