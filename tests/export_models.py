"""Models for the tests of export: the oracles' robots with every kind of friction, and a small URDF and MJCF with comments."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dynident import Robot, load_robot
from dynident.dynamics.friction import Armature, Coulomb, Offset, Viscous, combine
from dynident.exports import ExportModel

FRICTION = combine(Viscous(), Coulomb(), Offset(), Armature())

URDF = """<?xml version="1.0" encoding="utf-8"?>
<!-- an arm; a > b & "quotes" stay -->
<robot  name='arm'>
\t<material name="grey"><color rgba="0.5 0.5 0.5 1"/></material>
  <link name="base"/>
  <link name="upper">
    <inertial>  <!-- from CAD -->
      <origin rpy="0.1 0 0.2"   xyz="0 0 0.1" />
      <mass  value='2.0'/>
      <inertia ixx="0.02" ixy="0"
               ixz="0" iyy="0.03" iyz="0" izz="0.04"/>
    </inertial>
    <visual><geometry><mesh filename="package://arm/upper.dae"/></geometry></visual>
  </link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/>
    <origin xyz="0 0 0.3" rpy="0 0 0"/>
    <axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="50" velocity="3"/>
    <dynamics damping="0.1" friction="0.0" spring="7"/>
  </joint>
  <link name="lower"><inertial><mass value="1.5"/><inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.01"/></inertial></link>
  <joint name="elbow" type="continuous">
    <parent link="upper"/><child link="lower"/>
    <origin xyz="0.4 0 0" rpy="0 1.5707963267948966 0"/>
    <axis xyz="0 0 1"/>
  </joint>
  <link name="gripper">
    <inertial>
      <origin xyz="0 0 0.02" rpy="0 0 0"/>
      <mass value="0.4"/>
      <inertia ixx="0.001" ixy="0" ixz="0" iyy="0.001" iyz="0" izz="0.0008"/>
    </inertial>
  </link>
  <joint name="mount" type="fixed">
    <parent link="lower"/><child link="gripper"/><origin xyz="0 0.1 0.2" rpy="0 0 0.5"/>
  </joint>
  <transmission name="t1"><type>simple</type></transmission>
</robot>
"""

MJCF = """<mujoco model="arm">
  <!-- an arm -->
  <compiler angle="radian"/>
  <default><joint armature="0.05" damping="0.2"/></default>
  <worldbody>
    <body name="upper" pos="0 0 0.3">
      <inertial pos="0 0 0.1" mass="2" fullinertia="0.02 0.03 0.04 0 0 0"/>
      <joint name="shoulder" axis="0 1 0" range="-2 2"/>
      <geom type="box" size="0.1 0.1 0.1"/>
      <body name="lower" pos="0.4 0 0">
        <joint name="elbow" axis="0 0 1"/>
        <geom type="capsule" size="0.03 0.1" mass="1.5"/>
        <body name="gripper" pos="0 0.1 0.2">
          <inertial pos="0 0 0.02" quat="1 0 0 0" mass="0.4" diaginertia="0.001 0.001 0.0008"/>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>
"""


def model_of(robot: Robot, *, friction: bool = True, seed: int = 3) -> ExportModel:
    """The robot with its own parameters, and positive friction of every kind."""
    if not friction:
        return ExportModel(robot=robot, parameters=robot.parameters, provenance="a test")
    values = np.random.default_rng(seed).uniform(0.1, 1.0, (robot.n, 4))
    return ExportModel(robot=robot, parameters=robot.parameters, friction=FRICTION, friction_parameters=values, provenance="a test")


def written(folder: Path, text: str = URDF, name: str = "arm.urdf") -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


def arm(folder: Path, text: str = URDF, name: str = "arm.urdf") -> Robot:
    return load_robot(written(folder, text, name))
