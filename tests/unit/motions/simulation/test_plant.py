"""The MuJoCo model against our own dynamics: same accelerations, energy kept, payloads that weigh what they should."""

from __future__ import annotations

import numpy as np
import pytest

from dynident import load_robot
from dynident.dynamics import forward_dynamics, inverse_dynamics, kinetic_energy, mass_matrix, potential_energy
from dynident.errors import InputError, ShapeError, UnknownNameError, ValueRangeError
from dynident.motions.simulation import Elasticity, Payload, build_plant, loaded_parameters
from dynident.robots import Joint, Link, Robot
from dynident.robots.parameters import change_of_frame, from_com
from tests.facts import raises
from tests.oracles.machines import NAMES, machine, states

mujoco = pytest.importorskip("mujoco")


@pytest.mark.parametrize("name", NAMES)
def test_accelerations_are_those_of_our_dynamics(name):
    robot = machine(name)
    plant = build_plant(robot)
    data = mujoco.MjData(plant.model)
    q, dq, ddq = states(robot, samples=20)
    effort = inverse_dynamics(robot, robot.parameters, q, dq, ddq)
    found = np.empty_like(ddq)
    for s in range(len(q)):
        data.qpos[plant.motors], data.qvel[plant.motors], data.qfrc_applied[plant.motors] = q[s], dq[s], effort[s]
        mujoco.mj_forward(plant.model, data)
        found[s] = data.qacc[plant.motors]
    assert np.abs(found - ddq).max() < 1e-8
    assert np.abs(found - forward_dynamics(robot, robot.parameters, q, dq, effort)).max() < 1e-8


def test_energy_is_kept_while_the_panda_falls_for_three_seconds():
    robot = load_robot("panda")
    plant = build_plant(robot)
    plant.model.opt.timestep = 1.0 / 4000.0
    data = mujoco.MjData(plant.model)
    data.qpos[:] = [0.0, 0.5, 0.0, -1.5, 0.0, 1.5, 0.0]
    rows = []
    for k in range(12_000):
        if k % 100 == 0:
            rows.append((data.qpos.copy(), data.qvel.copy()))
        mujoco.mj_step(plant.model, data)
    q, dq = (np.array(column) for column in zip(*rows, strict=True))
    kinetic = kinetic_energy(robot, robot.parameters, q, dq)
    total = kinetic + potential_energy(robot, robot.parameters, q)
    assert kinetic.max() > 30.0  # it does fall
    assert np.abs(total - total[0]).max() < 1e-7 * kinetic.max()


def test_a_payload_adds_its_inertia_and_nothing_else():
    robot = load_robot("panda")
    load = Payload(mass=2.0, com=(0.01, -0.02, 0.05), inertia=(0.01, 0.001, 0.0, 0.012, 0.0, 0.009))
    loaded = loaded_parameters(robot, payload=load)
    q, dq, ddq = states(robot, samples=10)
    only = np.zeros_like(loaded)
    inertia = [[0.01, 0.001, 0.0], [0.001, 0.012, 0.0], [0.0, 0.0, 0.009]]
    only[-1] = change_of_frame(robot.tool) @ from_com(2.0, [0.01, -0.02, 0.05], inertia)
    difference = inverse_dynamics(robot, loaded, q, dq, ddq) - inverse_dynamics(robot, robot.parameters, q, dq, ddq)
    np.testing.assert_allclose(difference, inverse_dynamics(robot, only, q, dq, ddq), atol=1e-11)


def test_a_payload_on_a_link_is_in_its_parameter_frame():
    robot = load_robot("panda")
    loaded = loaded_parameters(robot, payload=Payload(mass=1.0, com=(0.1, 0.0, 0.0), link="link3"))
    np.testing.assert_allclose((loaded - robot.parameters)[2], [1.0, 0.1, 0, 0, 0, 0, 0, 0.01, 0, 0.01], atol=1e-15)
    assert not np.any((loaded - robot.parameters)[[0, 1, 3, 4, 5, 6]])
    with raises(UnknownNameError, "link7", name="gripper"):
        loaded_parameters(robot, payload=Payload(mass=1.0, link="gripper"))


@pytest.mark.parametrize("wrong", [{"mass": -1.0}, {"mass": np.nan}, {"mass": 1.0, "inertia": (1.0, 0, 0, 1.0, 0, 3.0)}])
def test_a_payload_that_is_no_body_is_refused(wrong):
    with raises(ValueRangeError, name="payload"):
        Payload(**wrong)


def test_inconsistent_links_are_named_with_the_remedy():
    with raises(InputError, "link1", "-5.85e-03"):
        build_plant(load_robot("kuka_lwr4"))
    heavy = load_robot("planar_2r").parameters.copy()
    heavy[1, 0] *= -1.0
    with raises(InputError, "link2", "negative", -3):
        build_plant(load_robot("planar_2r"), heavy)


def test_a_robot_without_parameters_is_told_so():
    bare = Robot(name="bare", joints=(Joint(name="a"),), links=(Link(name="arm", frame="f"),))
    with raises(InputError, "bare", "arm"):
        build_plant(bare)
    with pytest.raises(ShapeError):
        build_plant(bare, np.zeros((2, 10)))


def test_massless_inner_links_and_point_masses_compile():
    rows = np.zeros((2, 10))
    rows[1] = from_com(2.0, [0.3, 0.0, 0.0], np.zeros((3, 3)))
    joints = (Joint(name="a"), Joint(name="b", parent=0, axis=np.array([0.0, 1.0, 0.0])))
    robot = Robot(name="wrist", joints=joints, links=tuple(Link(name=f"l{i}", frame=f"f{i}", parameters=rows[i]) for i in range(2)))
    plant = build_plant(robot)
    data = mujoco.MjData(plant.model)
    data.qpos[:] = 0.3
    data.qfrc_applied[:] = [0.5, 1.0]
    mujoco.mj_forward(plant.model, data)
    np.testing.assert_allclose(data.qacc, forward_dynamics(robot, rows, data.qpos.copy(), np.zeros(2), [0.5, 1.0]), rtol=1e-7)


def test_armature_is_added_to_the_diagonal_of_the_mass_matrix():
    robot = load_robot("planar_2r")
    plant = build_plant(robot, armature=[0.5, 0.1])
    data = mujoco.MjData(plant.model)
    mujoco.mj_forward(plant.model, data)
    M = np.zeros((2, 2))
    mujoco.mj_fullM(plant.model, data, M)
    np.testing.assert_allclose(M, mass_matrix(robot, robot.parameters, np.zeros(2)) + np.diag([0.5, 0.1]), atol=1e-12)


def test_elastic_joints_have_two_degrees_of_freedom_and_rigid_ones_one():
    robot = load_robot("planar_2r")
    plant = build_plant(robot, elasticity=Elasticity(stiffness=(1e4, np.inf), motor_inertia=0.3, damping=2.0))
    assert plant.model.nv == 3
    assert plant.springs[0] >= 0
    assert plant.springs[1] == -1
    assert plant.inertia[1] == 0.0
    data = mujoco.MjData(plant.model)
    mujoco.mj_forward(plant.model, data)
    M = np.zeros((3, 3))
    mujoco.mj_fullM(plant.model, data, M)
    T = np.zeros((3, 3))  # (θ1, δ1, q2) -> (q1, q2, θ1)
    T[0, [plant.motors[0], plant.springs[0]]] = T[1, plant.motors[1]] = T[2, plant.motors[0]] = 1.0
    spong = np.zeros((3, 3))
    spong[:2, :2] = mass_matrix(robot, robot.parameters, np.zeros(2))
    spong[2, 2] = 0.3
    np.testing.assert_allclose(M, T.T @ spong @ T, atol=1e-12)
    with raises(ValueRangeError, name="stiffness"):
        build_plant(robot, elasticity=Elasticity(stiffness=-1.0))
