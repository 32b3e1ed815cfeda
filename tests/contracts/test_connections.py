"""What every robot that can be recorded must do, and that the recorder knows none of them by name.

Franka and UR arms are stand-ins: see tests/unit/motions/recording/fake_franka.py and fake_rtde.py.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np
import pytest

from dynident import load_robot
from dynident.core.options import declared_options
from dynident.data import EffortKind
from dynident.errors import InputError, MissingExtraError
from dynident.motions.recording import VENDORS, RobotConnection, RobotFaultError, connect
from dynident.motions.recording.connection import check_answer
from dynident.motions.recording.registry import find_vendor, known_vendors
from dynident.robots import Robot
from tests.conftest import REPOSITORY
from tests.unit.motions.recording import fake_franka, fake_rtde


@dataclass
class Bench:
    connection: RobotConnection
    robot: Robot


@pytest.fixture(params=VENDORS)
def bench(request, monkeypatch, tmp_path):
    vendor = VENDORS[request.param]
    if vendor.name == "virtual":
        pytest.importorskip("mujoco")
    monkeypatch.setitem(sys.modules, "pylibfranka", fake_franka.module())
    fake_rtde.install(monkeypatch)
    robot = load_robot({"franka": "panda", "virtual": "planar_2r", "ur": "kuka_lwr4"}[vendor.name])
    if vendor.name == "ur":
        robot = load_robot("kuka_lwr4", lock={robot.joint_names[6]: 0.0})
    connection = connect(vendor, "somewhere", robot)
    yield Bench(connection, robot)
    connection.close()


def test_it_is_a_connection_that_says_what_it_is(bench):
    connection = bench.connection
    assert isinstance(connection, RobotConnection)
    assert connection.n == bench.robot.n
    assert 50.0 <= connection.rate <= 2000.0
    assert isinstance(connection.effort_kind, EffortKind)
    facts = json.loads(json.dumps(dict(connection.facts), allow_nan=False))
    assert facts["vendor"] in VENDORS
    assert facts["library"]


def test_a_state_is_complete_and_the_clock_runs(bench):
    states = [bench.connection.read() for _ in range(2)]
    for state in states:
        for name in ("q", "dq", "effort", "reference"):
            values = np.asarray(getattr(state, name), dtype=float)
            assert values.shape == (bench.robot.n,)
            assert np.all(np.isfinite(values))
        assert all(np.shape(values) == (bench.robot.n,) for values in state.extra.values())
        np.testing.assert_allclose(state.q, state.reference, atol=0.01)
    assert states[1].time >= states[0].time


def test_it_follows_a_smooth_motion_and_holds_where_it_ends(bench):
    connection = bench.connection
    state = connection.begin()
    start = np.asarray(state.reference, dtype=float)
    goal, began = start + 0.02, state.time
    while state.time - began <= 0.5:
        u = min(1.0, (state.time - began) / 0.4)
        before, state = state, connection.step(start + (goal - start) * u**3 * (10 - 15 * u + 6 * u**2))
        assert state.time > before.time
    connection.end(goal)
    after = connection.read()
    np.testing.assert_allclose(after.reference, goal, atol=1e-9)
    np.testing.assert_allclose(after.q, goal, atol=0.003)


def test_two_motions_follow_each_other(bench):
    for _ in range(2):
        here = np.asarray(bench.connection.begin().reference, dtype=float)
        bench.connection.step(here)
        bench.connection.end(here)


def test_a_halt_is_allowed_at_any_time_and_closing_twice_too(bench):
    bench.connection.halt()
    here = np.asarray(bench.connection.read().reference, dtype=float)
    assert here.shape == (bench.robot.n,)
    bench.connection.close()


def test_its_model_is_one_that_an_arm_can_have(bench):
    answer = bench.connection.ask_model()
    check_answer(answer)
    assert answer.q.shape == answer.dq.shape == (bench.robot.n,)
    assert answer.M is not None
    assert answer.M.shape == (bench.robot.n, bench.robot.n)


def test_another_robot_than_described_is_refused(bench):
    vendor = find_vendor(bench.connection.facts["vendor"])
    if vendor.is_description:
        pytest.skip("it is what is described")
    with pytest.raises(InputError, match=rf"has {bench.robot.n} joints, but 'planar_2r' has 2"):
        connect(vendor, "somewhere", load_robot("planar_2r"))


@pytest.mark.parametrize(("vendor", "module", "extra"), [("franka", "pylibfranka", "franka"), ("ur", "rtde_receive", "ur")])
def test_without_its_library_the_extra_is_named(vendor, module, extra, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=rf'pip install "dynident\[{extra}\]"'):
        connect(VENDORS[vendor], "somewhere", load_robot("panda"))


@pytest.mark.parametrize("vendor", VENDORS.values(), ids=VENDORS)
def test_a_vendor_is_told_to_users(vendor):
    guide = (REPOSITORY / "docs" / "how-to" / "record.md").read_text()
    assert f"| `{vendor.name}" in guide
    assert f"{vendor.name}{':' if vendor.is_description else ' '}{vendor.address}" in known_vendors()
    for own in declared_options(vendor.options):
        assert own.help
        assert f"`{own.name}`" in guide


def test_the_stand_ins_have_no_name_that_the_real_modules_lack():
    """Where pylibfranka and ur_rtde are installed, what the stand-ins offer is really there."""
    made = {"pylibfranka": fake_franka.module(), **fake_rtde.modules()}
    there = [name for name in made if find_spec(name) is not None]
    if not there:
        pytest.skip("neither pylibfranka nor ur_rtde is installed")
    for name in there:
        real = __import__(name)
        for kind_name, kind in vars(made[name]).items():
            if isinstance(kind, type):
                offered = {item for item in vars(kind) if not item.startswith("_")}
                assert offered <= set(dir(getattr(real, kind_name))), kind_name


def test_an_answer_that_no_controller_should_give_is_refused():
    from dynident.motions.recording import ModelAnswer

    q = np.zeros(2)
    for M, g, why in (
        (np.zeros((2, 2)), np.zeros(2), "all zeros"),
        (np.array([[1.0, 0.2], [0.1, 1.0]]), np.ones(2), "not symmetric"),
        (np.array([[1.0, 2.0], [2.0, 1.0]]), np.ones(2), "not positive definite"),
        (np.array([[1.0, np.nan], [np.nan, 1.0]]), np.ones(2), "not finite"),
        (None, np.zeros(2), "all zeros"),
    ):
        with pytest.raises(RobotFaultError, match=why):
            check_answer(ModelAnswer(q=q, dq=q, M=M, g=g))
    check_answer(ModelAnswer(q=q, dq=q, M=np.eye(2), g=np.zeros(2)))  # an arm in the horizontal plane
