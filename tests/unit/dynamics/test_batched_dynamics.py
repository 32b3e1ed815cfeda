"""Shapes, errors, backends and streaming of the dynamics functions."""

from __future__ import annotations

import doctest
import subprocess
import sys
import threading
from dataclasses import replace

import numpy as np
import pytest

import dynident
from dynident.core.arrays import freeze
from dynident.dynamics import lagrangian_dynamics as lagrangian
from dynident.dynamics import numba_dynamics as compiled
from dynident.errors import DynidentError, ShapeError, UnknownNameError, ValueRangeError
from dynident.robots.kinematics import link_poses
from tests.facts import raises
from tests.oracles.machines import random_tree, states


@pytest.fixture
def panda() -> dynident.Robot:
    return dynident.load_robot("panda")


def calls(robot: dynident.Robot, q: np.ndarray, dq: np.ndarray, ddq: np.ndarray) -> dict[str, np.ndarray]:
    p = robot.parameters
    return {
        "inverse_dynamics": dynident.dynamics.inverse_dynamics(robot, p, q, dq, ddq),
        "joint_wrenches": dynident.dynamics.joint_wrenches(robot, p, q, dq, ddq),
        "gravity": dynident.dynamics.gravity(robot, p, q),
        "coriolis_vector": dynident.dynamics.coriolis_vector(robot, p, q, dq),
        "mass_matrix": dynident.dynamics.mass_matrix(robot, p, q),
        "coriolis_matrix": dynident.dynamics.coriolis_matrix(robot, p, q, dq),
        "momentum": dynident.dynamics.momentum(robot, p, q, dq).value,
        "drift": dynident.dynamics.momentum(robot, p, q, dq).drift,
        "forward_dynamics": dynident.dynamics.forward_dynamics(robot, p, q, dq, ddq),
        "kinetic_energy": dynident.dynamics.kinetic_energy(robot, p, q, dq),
        "potential_energy": dynident.dynamics.potential_energy(robot, p, q),
        "torque_regressor": dynident.dynamics.torque_regressor(robot, q, dq, ddq),
        "inertia_gravity_regressor": dynident.dynamics.inertia_gravity_regressor(robot, q),
    }


def test_one_sample_is_a_row_of_the_batch(panda: dynident.Robot) -> None:
    q, dq, ddq = states(panda, 3)
    batch, single = calls(panda, q, dq, ddq), calls(panda, q[1], dq[1], ddq[1])
    for name, values in batch.items():
        np.testing.assert_allclose(single[name], values[1], rtol=1e-13, atol=1e-13, err_msg=name)
        assert single[name].shape == values.shape[1:], name


def test_no_samples_give_empty_results(panda: dynident.Robot) -> None:
    empty = np.zeros((0, 7))
    for name, values in calls(panda, empty, empty, empty).items():
        assert values.shape[0] == 0, name
    assert list(dynident.dynamics.iterate_regressor_blocks(panda, empty, empty, empty)) == []


@pytest.mark.parametrize("samples", [1, 39, 40, 41, 199, 200, 201, 437])
def test_blocks_make_up_the_whole_regressor(panda: dynident.Robot, samples: int) -> None:
    q, dq, ddq = states(panda, samples)
    whole = dynident.dynamics.torque_regressor(panda, q, dq, ddq)
    seen = 0
    for block in dynident.dynamics.iterate_regressor_blocks(panda, q, dq, ddq):
        count = block.matrix.shape[2]
        assert block.start == seen
        np.testing.assert_array_equal(block.matrix.transpose(2, 0, 1), whole[seen : seen + count])
        seen += count
    assert seen == samples


@pytest.mark.parametrize("samples", [1, 40, 53])
@pytest.mark.parametrize("prismatic", [(), (0, 2, 6)])
def test_the_gradient_of_a_weighted_regressor_is_that_of_differences(samples: int, prismatic: tuple[int, ...]) -> None:
    robot = random_tree(np.random.default_rng(3), parents=(-1, 0, 0, -1, 1, 2, 3, 4), prismatic=prismatic)
    motion = states(robot, samples)
    weights = np.random.default_rng(4).normal(size=(robot.n, 10 * robot.n, samples))
    pairs = zip(compiled.regressor_gradient(robot, *motion, weights), lagrangian.regressor_gradient(robot, *motion, weights), strict=True)
    for (ours, theirs), accuracy in zip(pairs, (1e-7, 1e-12, 1e-12), strict=True):  # in q, differences are off by the square of their step
        np.testing.assert_allclose(ours, theirs, rtol=0.0, atol=accuracy * np.abs(theirs).max())


def test_weights_of_another_shape_are_refused(panda: dynident.Robot) -> None:
    with raises(ShapeError, name="weights", shape=(7, 70, 2)):
        dynident.dynamics.regressor_gradient(panda, *states(panda, 3), np.zeros((7, 70, 2)))


def test_backends_agree_on_a_tree_that_is_not_depth_first() -> None:
    robot = random_tree(np.random.default_rng(3), parents=(-1, 0, 0, -1, 1, 2, 3, 4), prismatic=(2, 6))
    q, dq, ddq = states(robot, 50)
    p, g = robot.parameters, robot.gravity
    pairs = [
        (
            compiled.inverse_dynamics(robot, p, q, dq, ddq, gravity=g),
            lagrangian.inverse_dynamics(robot, p, q, dq, ddq, gravity=g),
        ),
        (compiled.link_wrenches(robot, p, q, dq, ddq), lagrangian.link_wrenches(robot, p, q, dq, ddq)),
        (compiled.mass_matrix(robot, p, q), lagrangian.mass_matrix(robot, p, q)),
        (compiled.coriolis_matrix(robot, p, q, dq), lagrangian.coriolis_matrix(robot, p, q, dq)),
        *zip(compiled.momentum(robot, p, q, dq), lagrangian.momentum(robot, p, q, dq), strict=True),
        (compiled.torque_regressor(robot, q, dq, ddq), lagrangian.torque_regressor(robot, q, dq, ddq)),
        (compiled.inertia_gravity_regressor(robot, q), lagrangian.inertia_gravity_regressor(robot, q)),
    ]
    for fast, readable in pairs:
        assert np.max(np.abs(fast - readable)) <= 1e-13 * np.max(np.abs(readable))


def test_angles_of_many_turns_keep_their_precision(panda: dynident.Robot) -> None:
    """The kernels' own sine and cosine, near quadrant boundaries and far from zero."""
    q = np.concatenate([np.arange(-40, 40) * np.pi / 4, np.linspace(-9.9e5, 9.9e5, 81)])[:, None] * np.ones(7)
    still = np.zeros_like(q)
    fast = compiled.inverse_dynamics(panda, panda.parameters, q, still, still, gravity=panda.gravity)
    libm = lagrangian.inverse_dynamics(panda, panda.parameters, q, still, still, gravity=panda.gravity)
    assert np.max(np.abs(fast - libm)) <= 1e-13 * np.max(np.abs(libm))


def test_results_are_the_same_in_threads(panda: dynident.Robot) -> None:
    q, dq, ddq = states(panda, 1000)
    expected = dynident.dynamics.inverse_dynamics(panda, panda.parameters, q, dq, ddq)
    results: list[np.ndarray] = []
    threads = [
        threading.Thread(target=lambda: results.append(dynident.dynamics.inverse_dynamics(panda, panda.parameters, q, dq, ddq)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4
    assert all(np.array_equal(result, expected) for result in results)


def test_wrong_shapes_are_named(panda: dynident.Robot) -> None:
    q = np.zeros((5, 7))
    with raises(ShapeError, "(5, 7)", name="dq", shape=(4, 7)) as caught:
        dynident.dynamics.inverse_dynamics(panda, panda.parameters, q, q[:4], q)
    assert caught.value.shape == (4, 7)
    with raises(ShapeError, "(samples, 7)", name="q", shape=(5, 6)):
        dynident.dynamics.gravity(panda, panda.parameters, q[:, :6])
    with raises(ShapeError, name="parameters", shape=(7, 9)):
        dynident.dynamics.gravity(panda, panda.parameters[:, :9], q)
    assert issubclass(ShapeError, DynidentError)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_not_finite_is_refused(panda: dynident.Robot, value: float) -> None:
    q = np.zeros((5, 7))
    dq = q.copy()
    dq[2, 3] = value
    with raises(ValueRangeError, "NaN", name="dq"):
        dynident.dynamics.coriolis_vector(panda, panda.parameters, q, dq)
    with raises(ValueRangeError, "NaN", name="parameters of link 'link1'"):
        dynident.dynamics.gravity(panda, np.full((7, 10), value), q)


def test_encoder_counts_are_not_angles(panda: dynident.Robot) -> None:
    q = np.zeros((5, 7))
    q[3, 2] = 2.4e6
    with raises(ValueRangeError, "2.4e+06", name="q"):
        dynident.dynamics.gravity(panda, panda.parameters, q)


def test_massless_robot_has_no_forward_dynamics(panda: dynident.Robot) -> None:
    with raises(ValueRangeError, "singular", name="parameters"):
        dynident.dynamics.forward_dynamics(panda, np.zeros((7, 10)), np.zeros(7), np.zeros(7), np.zeros(7))


def test_unknown_kernels_are_named(panda: dynident.Robot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DYNIDENT_KERNELS", "fast")
    with raises(UnknownNameError, "DYNIDENT_KERNELS", name="fast"):
        dynident.dynamics.gravity(panda, panda.parameters, np.zeros(7))


def test_importing_compiles_nothing_and_loads_no_heavy_package() -> None:
    code = "import sys, dynident; print([m for m in ('numba', 'pinocchio', 'mujoco', 'scipy', 'cyclopts', 'rich') if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_read_only_input_gives_the_same_bits(panda: dynident.Robot) -> None:
    """Logs are read-only and a user's arrays are not; both must meet the same compiled kernel."""
    q, dq, ddq = states(panda, 101)
    fixed = [array.copy() for array in (q, dq, ddq)]
    for array in fixed:
        array.setflags(write=False)
    free, frozen = calls(panda, q, dq, ddq), calls(panda, *fixed)
    for name, values in free.items():
        np.testing.assert_array_equal(frozen[name], values, err_msg=name)
    own = np.array(panda.parameters)
    assert own.flags.writeable
    np.testing.assert_array_equal(
        dynident.dynamics.inverse_dynamics(panda, own, q, dq, ddq), dynident.dynamics.inverse_dynamics(panda, panda.parameters, q, dq, ddq)
    )


@pytest.mark.parametrize("samples", [1, 39, 80, 81, 170])
def test_lines_are_the_chosen_entries_of_the_regressor(samples: int) -> None:
    robot = random_tree(np.random.default_rng(3), parents=(-1, 0, 0, -1, 1), prismatic=(2,))
    q, dq, ddq = map(freeze, states(robot, samples))
    Y = dynident.dynamics.torque_regressor(robot, q, dq, ddq)
    rng = np.random.default_rng(0)
    moved = np.abs(Y).max(axis=0) > 0.0
    known = rng.normal(size=50) * (rng.random(50) > 0.5)
    for backend in (compiled, lagrangian):
        places = np.where(moved & (rng.random(moved.shape) > 0.3), 0, -1)
        places[places == 0] = rng.permutation(np.count_nonzero(places == 0)) + robot.n
        out = np.full((places.max() + 1, 80), np.nan)
        for start in range(0, samples, 80):
            backend.LineWriter(robot, places, known, np.arange(robot.n)).write(q, dq, ddq, start, out)
            part = Y[start : start + 80]
            np.testing.assert_allclose(out[: robot.n, : len(part)], (part @ known).T, rtol=1e-10, atol=1e-10)
            for j, k in np.argwhere(places >= 0):
                np.testing.assert_allclose(out[places[j, k], : len(part)], part[:, j, k], rtol=1e-10, atol=1e-10)


def test_joints_about_z_have_kernels_of_their_own(panda: dynident.Robot) -> None:
    """All of the Panda's are plain; with the parameter frames turned they are not, and the torques stay what they are."""
    assert compiled._find_plain(panda).all()
    turned = np.array([[0.0, 0.0, 1.0, 0.1], [1.0, 0.0, 0.0, -0.2], [0.0, 1.0, 0.0, 0.3], [0.0, 0.0, 0.0, 1.0]])
    links = tuple(replace(link, placement=link.placement @ turned) for link in panda.links)
    other = replace(panda, links=links)
    assert not compiled._find_plain(other).any()
    q, dq, ddq = states(panda, 50)
    for robot in (panda, other):
        mine, theirs = (backend.torque_regressor(robot, q, dq, ddq) for backend in (compiled, lagrangian))
        np.testing.assert_allclose(mine, theirs, rtol=1e-10, atol=1e-10)


def test_a_joint_at_rest_carries_what_hangs_on_it(panda: dynident.Robot) -> None:
    """The force is the weight of all links after the joint, upwards in the base frame, whatever the position."""
    q, still = states(panda, 20)[0], np.zeros((20, 7))
    found = dynident.dynamics.joint_wrenches(panda, panda.parameters, q, still, still)
    frames = link_poses(panda, q)  # modified DH: the joint's frame is the link's
    upwards = np.einsum("Njab,Njb->Nja", frames[..., :3, :3], found[..., :3])
    masses = np.cumsum(panda.parameters[::-1, 0])[::-1]
    np.testing.assert_allclose(upwards, np.broadcast_to(-masses[:, None] * panda.gravity, upwards.shape), atol=1e-11)


def test_the_example_of_joint_wrenches() -> None:
    found = doctest.DocTestFinder().find(dynident.dynamics.joint_wrenches)
    assert [doctest.DocTestRunner().run(example) for example in found] == [doctest.TestResults(failed=0, attempted=4)]
