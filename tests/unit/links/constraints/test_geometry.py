"""Boxes around a URDF's shapes, in the frames of the parameters."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dynident import load_robot
from dynident.errors import InputError
from dynident.links import Bounds
from dynident.links.constraints.geometry import geometry_bounds
from tests.facts import raises

INERTIAL = '<inertial><mass value="1"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial>'
BOX = '<geometry><box size="0.2 0.4 0.6"/></geometry>'
MESH = '<geometry><mesh filename="link.stl"/></geometry>'


def arm(folder: Path, first: str, second: str = "", fixed: str = INERTIAL) -> Path:
    file = folder / "arm.urdf"
    file.write_text(
        f'<robot name="arm"><link name="base"/><link name="upper">{INERTIAL}{first}</link><link name="fore">{INERTIAL}{second}</link>'
        f'<link name="tool">{fixed}</link>'
        '<joint name="a" type="continuous"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/></joint>'
        '<joint name="b" type="continuous"><parent link="upper"/><child link="fore"/><origin xyz="0 0 0.5"/><axis xyz="0 1 0"/></joint>'
        '<joint name="c" type="fixed"><parent link="fore"/><child link="tool"/><origin xyz="0 0 1"/></joint></robot>'
    )
    return file


def boxes(file: Path) -> dict[int, np.ndarray]:
    return geometry_bounds(load_robot(file)).boxes


@pytest.mark.parametrize(
    ("geometry", "low", "high"),
    [
        (f"<collision>{BOX}</collision>", [-0.1, -0.2, -0.3], [0.1, 0.2, 0.3]),
        (f'<collision><origin xyz="0 0 1"/>{BOX}</collision>', [-0.1, -0.2, 0.7], [0.1, 0.2, 1.3]),
        (f'<collision><origin rpy="0 0 1.5707963267948966"/>{BOX}</collision>', [-0.2, -0.1, -0.3], [0.2, 0.1, 0.3]),
        ('<collision><geometry><sphere radius="0.1"/></geometry></collision>', [-0.1] * 3, [0.1] * 3),
        ('<visual><geometry><cylinder radius="0.1" length="0.6"/></geometry></visual>', [-0.1, -0.1, -0.3], [0.1, 0.1, 0.3]),
        (
            '<visual><origin rpy="1.5707963267948966 0 0"/><geometry><cylinder radius="0.1" length="0.6"/></geometry></visual>',
            [-0.1, -0.3, -0.1],
            [0.1, 0.3, 0.1],
        ),
        (f"<collision>{MESH}</collision><visual>{BOX}</visual>", [-0.1, -0.2, -0.3], [0.1, 0.2, 0.3]),
        (
            f'<collision>{BOX}</collision><collision><origin xyz="1 0 0"/><geometry><sphere radius="0.1"/></geometry></collision>',
            [-0.1, -0.2, -0.3],
            [1.1, 0.2, 0.3],
        ),
    ],
)
def test_boxes_of_shapes(tmp_path, geometry, low, high):
    found = boxes(arm(tmp_path, geometry))
    np.testing.assert_allclose(found[0], [low, high], atol=1e-12)


def test_a_turned_cylinder_is_inside_its_box_and_touches_it(tmp_path):
    origin = '<origin xyz="0.1 0.2 0.3" rpy="0.4 -0.7 1.1"/>'
    file = arm(tmp_path, f'<collision>{origin}<geometry><cylinder radius="0.1" length="0.5"/></geometry></collision>')
    from dynident.robots.kinematics import pose_from_xyz_rpy

    pose = pose_from_xyz_rpy([0.1, 0.2, 0.3], [0.4, -0.7, 1.1])
    angle = np.linspace(0, 2 * np.pi, 4001)
    rims = [np.stack([0.1 * np.cos(angle), 0.1 * np.sin(angle), np.full_like(angle, z), np.ones_like(angle)]) for z in (-0.25, 0.25)]
    points = (pose @ np.hstack(rims))[:3].T
    low, high = boxes(file)[0]
    np.testing.assert_allclose(low, points.min(axis=0), atol=1e-6)
    np.testing.assert_allclose(high, points.max(axis=0), atol=1e-6)


def test_bounds_are_on_the_centre_of_mass(tmp_path):
    found = geometry_bounds(load_robot(arm(tmp_path, f"<collision>{BOX}</collision>")))
    assert found.constraints.constraints == (Bounds("c1x", -0.1, 0.1), Bounds("c1y", -0.2, 0.2), Bounds("c1z", -0.3, 0.3))
    assert found.notes == ("no bounds from geometry for fore: meshes, or no shapes at all",)


def test_a_body_needs_the_shapes_of_all_that_has_mass(tmp_path):
    shape = f"<collision>{BOX}</collision>"
    assert 1 not in boxes(arm(tmp_path, shape, shape, fixed=INERTIAL))  # the tool has mass and no shape
    assert 1 not in boxes(arm(tmp_path, shape, shape, fixed=f"<visual>{MESH}</visual>"))
    np.testing.assert_allclose(boxes(arm(tmp_path, shape, shape, fixed=""))[1], [[-0.1, -0.2, -0.3], [0.1, 0.2, 0.3]])
    both = boxes(arm(tmp_path, shape, shape, fixed=INERTIAL + shape))[1]
    np.testing.assert_allclose(both, [[-0.1, -0.2, -0.3], [0.1, 0.2, 1.3]])


def test_other_descriptions_have_no_shapes(tmp_path):
    with raises(InputError, "URDF", "panda"):
        geometry_bounds(load_robot("panda"))
    with raises(InputError, "<box>", "size='1 2'", 3, "link 'upper'"):
        boxes(arm(tmp_path, '<collision><geometry><box size="1 2"/></geometry></collision>'))
