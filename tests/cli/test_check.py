"""`dynident check` as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dynident.robots import library_names, load_robot
from dynident.robots.check import check_robot

INERTIAL = '<inertial><mass value="{mass}"/><inertia ixx="{x}" ixy="0" ixz="0" iyy="{y}" iyz="0" izz="{z}"/></inertial>'
GOOD = INERTIAL.format(mass=2, x=0.01, y=0.011, z=0.012)
BAD = INERTIAL.format(mass=2, x=0.01, y=0.01, z=0.03)


def urdf(folder: Path, *inertials: str, kind: str = "continuous") -> Path:
    parts = ['<link name="base"/>']
    parent = "base"
    for i, inertial in enumerate(inertials, start=1):
        parts.append(f'<link name="link{i}">{inertial}</link>')
        parts.append(
            f'<joint name="joint{i}" type="{kind}"><parent link="{parent}"/><child link="link{i}"/>'
            f'<origin xyz="0 0 0.3"/><axis xyz="0 1 0"/></joint>'
        )
        parent = f"link{i}"
    file = folder / "arm.urdf"
    file.write_text(f'<robot name="arm">{"".join(parts)}</robot>')
    return file


@pytest.mark.parametrize("name", library_names())
def test_library_robots_exit_with_1_only_when_inconsistent(dynident, name):
    finished = dynident("check", name)
    result = check_robot(load_robot(name))
    assert finished.returncode == (1 if result.inconsistent else 0)
    assert finished.stderr == ""
    assert all(link.name in finished.stdout and link.verdict.value.split()[0] in finished.stdout for link in result.links)
    assert f"{result.total_mass:.3f} kg" in finished.stdout


def test_json_carries_the_numbers_of_the_library(dynident):
    finished = dynident("check", "panda", "--json")
    assert finished.returncode == 0
    content = json.loads(finished.stdout)
    expected = check_robot(load_robot("panda"))
    assert content["schema"] == "dynident/check/1"
    assert content["consistent"] is True
    assert content["total_mass"] == expected.total_mass
    assert content["notes"] == list(expected.notes)
    for found, link in zip(content["links"], expected.links, strict=True):
        assert found["name"] == link.name
        assert found["verdict"] == link.verdict.name.lower()
        assert found["margin"] == link.margin
        assert tuple(found["com"]) == link.com
        assert tuple(found["principal_inertias"]) == link.principal_inertias


def test_an_inconsistent_link_exits_with_1_as_table_and_as_json(dynident, tmp_path):
    file = urdf(tmp_path, GOOD, BAD)
    table, as_json = dynident("check", file), dynident("check", file, "--json")
    assert (table.returncode, as_json.returncode) == (1, 1)
    assert "violates the triangle inequality" in table.stdout
    content = json.loads(as_json.stdout)
    assert content["consistent"] is False
    assert [link["inconsistent"] for link in content["links"]] == [False, True]


def test_a_robot_without_inertias_is_said_to_have_none(dynident, tmp_path):
    finished = dynident("check", urdf(tmp_path, "", ""))
    assert finished.returncode == 0
    assert "The description has no inertias" in finished.stdout
    content = json.loads(dynident("check", tmp_path / "arm.urdf", "--json").stdout)
    assert content["total_mass"] is None
    assert content["consistent"] is None
    assert {link["verdict"] for link in content["links"]} == {"no_inertia"}


def test_a_locked_joint_lumps_its_link_into_the_one_before(dynident, tmp_path):
    finished = dynident("check", urdf(tmp_path, GOOD, GOOD, GOOD), "--lock", "joint2=0.5", "--json")
    content = json.loads(finished.stdout)
    assert [link["name"] for link in content["links"]] == ["link1", "link3"]
    assert content["links"][0]["lumped_links"] == ["link1", "link2"]
    assert content["links"][0]["mass"] == pytest.approx(4.0)
    assert "Lumped into link1: link2" in dynident("check", tmp_path / "arm.urdf", "--lock", "joint2=0.5").stdout


def test_a_chain_can_be_chosen(dynident, tmp_path):
    file = urdf(tmp_path, BAD, GOOD, GOOD, GOOD)
    finished = dynident("check", file, "--base", "link2", "--tip", "link4", "--json")
    assert finished.returncode == 0
    content = json.loads(finished.stdout)
    assert [link["name"] for link in content["links"]] == ["link3", "link4"]
    assert content["base_links"] == ["link2"]


def test_an_inconsistent_link_of_the_base_is_named(dynident, tmp_path):
    file = urdf(tmp_path, BAD, GOOD, GOOD)
    table, as_json = (dynident("check", file, "--base", "link1", *options) for options in ((), ("--json",)))
    assert (table.returncode, as_json.returncode) == (1, 1)
    assert "Not physically consistent: link1 (part of the base)." in table.stdout
    assert any(line.strip().startswith("base: link1") and "violates" in line for line in table.stdout.splitlines())
    content = json.loads(as_json.stdout)
    assert content["consistent"] is False
    (lumped,) = content["lumped"]
    assert (lumped["name"], lumped["body"], lumped["verdict"], lumped["inconsistent"]) == ("link1", None, "triangle", True)


def test_an_inconsistent_link_is_named_although_its_body_is_consistent(dynident, tmp_path):
    light = INERTIAL.format(mass=0.1, x=1e-4, y=1e-4, z=3e-4)
    file = urdf(tmp_path, GOOD, GOOD, light)
    table, as_json = (dynident("check", file, "--lock", "joint3=0", *options) for options in ((), ("--json",)))
    assert (table.returncode, as_json.returncode) == (1, 1)
    rows = [" ".join(line.split()) for line in table.stdout.splitlines() if line.startswith((" link1", " link2", " └"))]
    assert [row.split()[0] for row in rows] == ["link1", "link2", "└"]
    assert rows[1].endswith(" consistent")
    assert rows[2].startswith("└ link3 ")  # below the body that it is part of
    assert rows[2].endswith("violates the triangle inequality")
    assert "link3 (part of link2): violates the triangle inequality (the largest" in table.stdout
    assert "Not physically consistent: link3 (part of link2)." in table.stdout
    content = json.loads(as_json.stdout)
    assert [link["inconsistent"] for link in content["links"]] == [False, False]
    assert {source["name"]: source["inconsistent"] for source in content["lumped"]} == {"link2": False, "link3": True}
    assert content["lumped"][1]["mass"] == pytest.approx(0.1)


def test_consistent_parts_are_not_in_the_table(dynident, tmp_path):
    finished = dynident("check", urdf(tmp_path, GOOD, GOOD, GOOD), "--lock", "joint2=0.5")
    assert finished.returncode == 0
    assert "part of" not in finished.stdout


def test_an_mjcf_file_that_mujoco_refuses_is_judged(dynident, tmp_path):
    pytest.importorskip("mujoco")
    inertial = '<inertial mass="2" pos="0 0 0.1" diaginertia="{}"/>'
    file = tmp_path / "arm.xml"
    file.write_text(
        f'<mujoco><worldbody><body name="upper"><joint name="shoulder"/>{inertial.format("0.01 0.011 0.012")}'
        f'<body name="fore" pos="0 0 0.3"><joint name="elbow"/>{inertial.format("0.01 0.01 0.03")}</body></body></worldbody></mujoco>'
    )
    finished = dynident("check", file)
    assert (finished.returncode, finished.stderr) == (1, "")
    assert "Not physically consistent: fore." in finished.stdout


def test_output_into_a_pipe_has_no_colour_codes(dynident):
    assert "\x1b" not in dynident("check", "kuka_lwr4").stdout
