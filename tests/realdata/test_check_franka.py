"""The vendor's description of the Panda: its link 4 can't exist, and the lint must say so."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from dynident.robots import load_robot
from dynident.robots.check import LinkVerdict, check_robot
from tests.facts import carries

LINKS = range(1, 8)


@pytest.fixture
def franka_urdf(shared_data: Path, tmp_path: Path) -> Path:
    """A URDF with the numbers of the vendor's inertials and kinematics files."""
    models = shared_data / "panda_models"
    inertials = yaml.safe_load((models / "franka_description_fer_inertials.yaml").read_text())
    kinematics = yaml.safe_load((models / "franka_description_fer_kinematics.yaml").read_text())
    parts = ['<robot name="fer">', '<link name="link0"/>']
    for i in LINKS:
        body, placement = inertials[f"link{i}"], kinematics[f"joint{i}"]["kinematic"]
        origin, tensor = body["origin"], body["inertia"]
        inertia = " ".join(f'i{element}="{value}"' for element, value in tensor.items())
        parts.append(
            f'<link name="link{i}"><inertial><origin xyz="{origin["xyz"]}" rpy="{origin["rpy"]}"/>'
            f'<mass value="{body["mass"]}"/><inertia {inertia}/></inertial></link>'
        )
        xyz = " ".join(str(placement[key]) for key in ("x", "y", "z"))
        rpy = " ".join(str(placement[key]) for key in ("roll", "pitch", "yaw"))
        parts.append(
            f'<joint name="joint{i}" type="revolute"><parent link="link{i - 1}"/><child link="link{i}"/>'
            f'<origin xyz="{xyz}" rpy="{rpy}"/><axis xyz="0 0 1"/><limit lower="-2.8" upper="2.8" effort="87" velocity="2"/></joint>'
        )
    file = tmp_path / "fer.urdf"
    file.write_text("\n".join([*parts, "</robot>"]))
    return file


def test_link_4_of_the_vendor_description_violates_the_triangle_inequality(franka_urdf):
    result = check_robot(load_robot(franka_urdf))
    assert [(link.name, link.verdict) for link in result.inconsistent] == [("link4", LinkVerdict.TRIANGLE)]
    assert result.inconsistent[0].margin == pytest.approx(-5.5e-4, rel=0.01)
    assert all(link.warnings == () for link in result.links)
    assert result.total_mass == pytest.approx(13.79, abs=0.01)


def test_the_command_flags_it_and_exits_with_1(franka_urdf, dynident):
    finished = dynident("check", franka_urdf)
    assert finished.returncode == 1
    assert finished.stderr == ""
    assert "5.51e-04" in finished.stdout
    assert carries(finished.stdout, "consistent: link4")
