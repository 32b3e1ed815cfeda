"""Paths in copies of a robot file that are elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from dynident.exports.sampled import relocate

URDF = b"""<robot name="r"><link name="a"><visual><geometry><mesh filename='meshes/a.stl' scale="1 1 1"/></geometry></visual>
<collision><geometry><mesh filename="package://r/a.stl"/></geometry></collision></link></robot>"""
PLAIN = b'<mujoco><asset><mesh file="a.stl"/><texture type="2d" file="/abs/t.png"/></asset></mujoco>'
FOLDERS = b'<mujoco><compiler meshdir="m" texturedir="../t"/><asset><mesh file="a.stl"/><texture file="t.png"/></asset></mujoco>'
#: MuJoCo looks for skins where the meshes are, and a cube has a file for each side.
SKIN = b'<mujoco><compiler meshdir="m"/><asset><texture fileup="u.png"/></asset><deformable><skin file="s.skn"/></deformable></mujoco>'


@pytest.mark.parametrize(
    ("content", "changes"),
    [
        pytest.param(URDF, {b"'meshes/a.stl'": b"'../../robots/meshes/a.stl'"}, id="urdf"),
        pytest.param(PLAIN, {b'"a.stl"': b'"../../robots/a.stl"'}, id="mjcf without folders"),
        pytest.param(FOLDERS, {b'"m"': b'"../../robots/m"', b'"../t"': b'"../../robots/../t"'}, id="mjcf with folders"),
        pytest.param(SKIN, {b'"m"': b'"../../robots/m"', b'"u.png"': b'"../../robots/u.png"'}, id="skin and cube"),
    ],
)
def test_relative_paths_lead_to_the_same_files(content, changes):
    expected = content
    for old, new in changes.items():
        expected = expected.replace(old, new)
    assert relocate(content, Path("robots/r.xml"), Path("out/models")) == expected
    assert relocate(content, Path("robots/r.xml"), Path("robots")) == content
