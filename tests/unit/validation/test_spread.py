"""Torques of several parameter sets: the compressed rows say the same as the torques themselves."""

from __future__ import annotations

import numpy as np
import pytest

from dynident import load_robot, regression
from dynident.dynamics import inverse_dynamics
from dynident.dynamics.friction import linear
from dynident.dynamics.friction.model import Motion, friction_torque
from dynident.links import retrieval_problem, solve_retrieval
from dynident.regression import build_problem
from dynident.reports.validation import torque_table
from dynident.validation import validate
from dynident.validation.spread import torque_spread
from tests.logs import synthetic_log


def test_the_spread_is_that_of_the_torques():
    robot = load_robot("planar_2r")
    log = synthetic_log(robot, noise=0.05)
    estimate = regression.estimate(build_problem(robot, log, friction=linear(), cutoff=None))
    links = solve_retrieval(retrieval_problem(estimate))
    motion = synthetic_log(robot, noise=0.05, seed=3)
    judged = validate(estimate, motion, links=links, cutoff=None)
    samples = links.sample(30)
    found = torque_spread(judged, samples.x)
    torques = np.array(
        [
            inverse_dynamics(robot, own, motion.q, motion.dq, motion.ddq)
            + friction_torque(estimate.base.friction, friction, Motion(motion.q, motion.dq, motion.ddq))
            for own, friction in zip(samples.links, samples.friction_parameters, strict=True)
        ]
    )
    apart = torques - torques.mean(axis=0)
    np.testing.assert_allclose(found.rms, np.sqrt((apart**2).mean(axis=(0, 1))), rtol=1e-6)
    np.testing.assert_allclose(found.largest, np.sqrt((apart**2).mean(axis=1)).max(axis=0), rtol=1e-6)
    np.testing.assert_allclose(found.effort, np.sqrt((motion.effort**2).mean(axis=0)), rtol=1e-9)
    np.testing.assert_allclose(found.error, judged.links.rms)
    apart, wrong = (100.0 * np.linalg.norm(own) / np.linalg.norm(found.effort) for own in (found.rms, found.error))
    assert f"{apart:.2g} %" in found.sentence
    assert f"{wrong:.2g} %" in found.sentence
    assert torque_table(found).lines[0].texts[4] == f"{found.percent[0]:.3g}"
    assert found.by_joint() == pytest.approx(dict(zip(robot.joint_names, 100.0 * found.rms / found.effort, strict=True)))


def test_parameter_sets_of_another_model_have_no_spread():
    robot = load_robot("planar_2r")
    judged = validate(
        regression.estimate(build_problem(robot, synthetic_log(robot), friction=linear(), cutoff=None)), synthetic_log(robot, seed=2)
    )
    assert torque_spread(judged, np.zeros((3, 20))) is None
