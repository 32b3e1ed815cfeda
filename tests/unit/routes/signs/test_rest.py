"""Moves with pauses between them, as a person records them: friction at rest is whatever holds the joint."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from benchmarks.sign_cases import without_links
from dynident import load_robot
from dynident.data import Dataset, EffortKind
from dynident.dynamics import inverse_dynamics
from dynident.routes.signs import SignVerdict, recover_signs
from dynident.routes.signs.prepare import prepare_magnitudes
from tests.facts import about

RATE, PAUSE = 100.0, 0.8


def moves(seed: int = 0) -> tuple[Dataset, np.ndarray]:
    """Twelve quintic moves of a 2R arm with pauses, in which friction holds the joints anyhow: the signed log, and (N, n) who moves."""
    robot, rng = load_robot("planar_2r"), np.random.default_rng(seed)
    here, parts = np.zeros(2), list[tuple[np.ndarray, ...]]()
    for _ in range(12):
        there, seconds = rng.uniform(-2.0, 2.0, 2), rng.uniform(1.5, 2.5)
        s = np.minimum(np.arange(round(RATE * (seconds + PAUSE))) / RATE / seconds, 1.0)[:, None]
        step, moving = there - here, s < 1.0
        holding = np.where(moving, 0.0, rng.uniform(-0.9, 0.9, 2))
        q = here + step * (10.0 * s**3 - 15.0 * s**4 + 6.0 * s**5)
        dq = step * (30.0 * s**2 - 60.0 * s**3 + 30.0 * s**4) / seconds
        ddq = step * (60.0 * s - 180.0 * s**2 + 120.0 * s**3) / seconds**2
        parts.append((q, dq, ddq, holding, np.broadcast_to(moving, q.shape)))
        here = there
    q, dq, ddq, holding, moving = (np.concatenate(part) for part in zip(*parts, strict=True))
    torque = inverse_dynamics(robot, robot.parameters, q, dq, ddq) + 2.0 * dq + np.array([8.0, 2.0]) * (np.sign(dq) * moving + holding)
    log = Dataset(
        time=np.arange(len(q)) / RATE,
        q=q + 1e-4 * rng.normal(size=q.shape),
        effort=torque + 0.005 * np.ptp(torque, axis=0) * rng.normal(size=q.shape),
        effort_kind=EffortKind.TORQUE,
        joint_names=robot.joint_names,
    )
    return log, moving


def unsigned(log: Dataset) -> Dataset:
    assert log.effort is not None
    return replace(log, effort=np.abs(log.effort), effort_kind=EffortKind.MAGNITUDE)


def test_pauses_do_no_harm_to_the_signs_of_the_motion():
    log, _ = moves()
    found = recover_signs(without_links(load_robot("planar_2r")), unsigned(log))
    assert found.verdict is SignVerdict.CERTAIN
    assert found.log.mask is not None
    clear = (found.log.effort > found.threshold) & found.log.mask
    assert (found.signs == np.sign(log.effort))[clear].mean() > 0.998
    np.testing.assert_allclose(found.estimate.friction_parameters[:, 1], [8.0, 2.0], rtol=0.05)
    assert about(found.notes, "rest")


def test_samples_at_rest_are_masked_and_belong_to_no_segment():
    log, moving = moves(1)
    prepared = prepare_magnitudes(load_robot("planar_2r"), unsigned(log))
    mask = prepared.log.mask
    assert mask is not None
    assert (~mask)[~moving].mean() > 0.7  # the others are beside a motion, which smoothing carries into the pause
    assert mask[moving].mean() > 0.85  # a quintic move is slower than a tremble for a twentieth of its time at either end
    assert all(mask[item.samples, item.joint].all() for item in prepared.segments)


def test_a_joint_that_turns_back_is_not_at_rest():
    time = np.arange(2000) / RATE
    q = np.column_stack([np.sin(2.0 * time), np.cos(1.3 * time)])
    log = Dataset(time=time, q=q, effort=1.0 + q**2, effort_kind=EffortKind.MAGNITUDE)
    assert prepare_magnitudes(load_robot("planar_2r"), log).log.mask is None


def test_without_friction_a_joint_at_rest_tells_its_gravity():
    log, _ = moves(2)
    prepared = prepare_magnitudes(load_robot("planar_2r"), unsigned(log), friction=None)
    assert not about(prepared.notes, "rest")
    # the first sample of a move has no friction in this log, which is an isolated value
    assert prepared.log.mask is not None
    assert np.count_nonzero(~prepared.log.mask) <= 12
