"""An estimate prints the table that one would put in a paper."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynident import regression
from dynident.core.texts import value_text
from dynident.data.signals.faulty_samples import FaultCount
from dynident.dynamics.friction import Armature, Viscous, combine, linear
from dynident.regression import build_problem, identify
from dynident.regression.coefficients import coefficients, friction
from dynident.robots import load_robot
from tests.logs import synthetic_log, synthetic_samples


def estimate_of(noise=0.1, drop_above_percent=None, **options):
    problem = build_problem(load_robot("planar_2r"), synthetic_log(noise=noise), **{"friction": linear(), "cutoff": None, **options})
    return regression.estimate(problem, drop_above_percent=drop_above_percent)


def test_text_and_records_say_the_same():
    estimate = estimate_of()
    text = str(estimate)
    for number, item in enumerate(coefficients(estimate), start=1):
        line, *_ = [line for line in text.splitlines() if line.split()[:1] == [str(number)]]
        assert item.expression in line
        assert item.unit in line
    for item in friction(estimate):
        assert item.joint in text
    assert f"{estimate.residuals.relative_percent:.3g}" in text
    assert f"condition number {estimate.condition_number:.2f}" in text
    assert text == str(estimate.tables())


def test_digits_follow_the_standard_deviation():
    item = coefficients(estimate := estimate_of())[0]
    assert item.value is not None
    assert item.std is not None
    decimals = int(1 - np.floor(np.log10(item.std)))
    assert f"{item.value:.{decimals}f} ± {item.std:.{decimals}f}" in str(estimate)


def test_both_sources_of_uncertainty_are_shown_and_the_larger_is_printed():
    estimate = estimate_of(cutoff=5.0)
    table = estimate.tables().tables[0]
    by_noise, between = (table.headings.index(name) for name in ("by noise", "between blocks"))
    for row, item in zip(table.lines, coefficients(estimate), strict=True):
        assert None not in (item.std, item.noise_std, item.block_std)
        assert item.std == pytest.approx(max(item.noise_std, item.block_std), rel=1e-12)
        assert (row.texts[by_noise], row.texts[between]) == (f"{item.noise_std:.2g}", f"{item.block_std:.2g}")
        assert value_text(item.value, item.std) in row.texts
    assert "between blocks" not in str(estimate_of())


def test_blocks_that_differ_by_more_than_noise_are_noted():
    log = synthetic_log(noise=0.02)
    effort = log.effort.copy()
    effort[:, 1] += np.where(np.arange(len(effort)) < 600, 0.5, -0.3)
    wrong = regression.estimate(build_problem(load_robot("planar_2r"), replace(log, effort=effort), friction=linear(), cutoff=5.0))
    (note,) = [note for note in wrong.notes if "blocks of the data differ" in note]
    assert "8 blocks" in note
    assert "something that the model lacks" in note
    assert not any("blocks of the data" in note for note in estimate_of(cutoff=5.0).notes)


def test_dropped_ones_are_dimmed_and_say_why():
    estimate = estimate_of(noise=30.0, drop_above_percent=30.0)
    assert estimate.dropped
    rows = estimate.tables().tables[0].lines
    assert [not row.dimmed for row in rows] == estimate.kept.tolist()
    assert all(row.texts[-1] == "above 30 %" for row in rows if row.dimmed)
    assert any("too uncertain and dropped" in note for note in estimate.notes)
    assert any("unexplained" in note for note in estimate.notes)
    assert "Note 1:" in str(estimate)


def test_a_friction_parameter_inside_another_coefficient_has_no_value_of_its_own():
    estimate = estimate_of(friction=combine(Viscous(), Armature()))
    assert any("Ia" in expression and expression != "Ia1" for expression in estimate.base.expressions)
    parameters = friction(estimate)[0].parameters
    assert parameters["Ia"] is None
    assert parameters["fv"] == estimate.friction_parameters[0, 0]
    assert "grouped" in str(estimate)


def test_known_parameters_are_shown():
    estimate = estimate_of(known={"fo1": 0.1})
    assert friction(estimate)[0].parameters["fo"] == 0.1
    assert "Declared known: fo1 = 0.1" in str(estimate)


def test_elements_of_m_and_g_are_taken_together():
    estimate = regression.estimate(build_problem(load_robot("spatial_3r"), synthetic_samples(noise=1e-3)))
    names = [row.texts[0] for row in estimate.tables().tables[-1].lines]
    assert [name.split()[0] for name in names] == ["M", "g", "all"]
    found = estimate.residuals
    squares = sum(s for s, name in zip(found.squares, found.names, strict=True) if name.startswith("M"))
    totals = sum(t for t, name in zip(found.totals, found.names, strict=True) if name.startswith("M"))
    assert float(estimate.tables().tables[-1].lines[0].texts[1]) == pytest.approx(100 * np.sqrt(squares / totals), rel=0.01)


def test_notes_name_friction_that_drives_and_noise_that_differs():
    log = synthetic_log()
    rng = np.random.default_rng(0)
    effort = log.effort - 2.0 * log.dq + rng.normal(size=log.q.shape) * [1.0, 0.05]
    changed = type(log)(time=log.time, q=log.q, dq=log.dq, ddq=log.ddq, effort=effort, effort_kind=log.effort_kind)
    told = regression.estimate(build_problem(load_robot("planar_2r"), changed, friction=linear(), cutoff=None), noise="uniform").notes
    notes = " ".join(told)
    assert "fv1 (-1." in notes
    assert len([note for note in told if "friction that drives the motion" in note]) == 1, "one note, however many joints"
    assert "noise per_group" in notes


def test_efforts_that_no_joint_has_are_named_by_the_robots_joints():
    robot, log = load_robot("planar_2r"), synthetic_log(noise=0.1)
    effort = log.effort.copy()
    effort[700, 0] = 5000.0
    effort[:, 1] = 0.0
    spoilt = replace(log, effort=effort, joint_names=("a", "b"))
    estimate = regression.estimate(build_problem(robot, spoilt, friction=linear(), cutoff=None))
    notes = " ".join(estimate.notes)
    assert estimate.summary.processing.faulty == (FaultCount("effort", "isolated", robot.joint_names[0], 1, True),)
    assert f"isolated values that neither the samples beside them nor the motion support: {robot.joint_names[0]} 1;" in notes
    assert f"the effort of {robot.joint_names[1]} has one value throughout" in notes
    assert estimate.residuals.relative_percent_per_group[1] == pytest.approx(100.0)
    clean = build_problem(robot, log, friction=linear(), cutoff=None)
    assert "throughout" not in " ".join(clean.notes)
    assert clean.processing.faulty == ()
    used = np.ones(effort.shape, dtype=bool)
    used[700] = False
    assert build_problem(robot, replace(spoilt, mask=used), friction=linear(), cutoff=None).processing.faulty == ()


def test_isolated_accelerations_are_left_out_and_a_start_from_standstill_is_none():
    robot, log = load_robot("planar_2r"), synthetic_log(noise=0.1)
    ddq = log.ddq.copy()
    ddq[700, 0] = 1000.0
    problem = build_problem(robot, replace(log, ddq=ddq), friction=linear(), cutoff=None)
    assert problem.processing.faulty == (FaultCount("ddq", "isolated", robot.joint_names[0], 1, True),)
    assert problem.counts.tolist() == [log.samples - 1] * 2, "without that sample of all joints"
    still = np.where(np.arange(log.samples)[:, None] < 1480, 1e-4, 1.0)
    resting = replace(log, dq=still * log.dq, ddq=still * log.ddq)
    assert build_problem(robot, resting, friction=linear(), cutoff=None).processing.faulty == ()


def test_a_clock_that_leaps_is_told_from_one_that_is_uneven():
    robot, log = load_robot("planar_2r"), synthetic_log(noise=0.1)
    kept = np.r_[0:600, 800:1500]
    leaping = type(log)(time=log.time[kept], q=log.q[kept], effort=log.effort[kept], effort_kind="torque")
    told = " ".join(build_problem(robot, leaping, cutoff=5.0).notes)
    assert "split where its clock leaps (by up to 2 s)" in told
    assert "uneven" not in told
    jitter = np.random.default_rng(0).uniform(0.0, 0.003, log.samples)
    told = " ".join(build_problem(robot, replace(log, time=log.time + jitter), cutoff=5.0).notes)
    assert "the clock is uneven (periods of" in told
    assert "leaps" not in told


@pytest.mark.parametrize(("M", "g", "kind"), [(1.0, 1e3, "M"), (1.0, 57.3, "M"), (1e3, 1.0, "g"), (1.0, 1.0, "")])
def test_a_controller_whose_M_and_g_are_in_different_units(M, g, kind):
    samples = synthetic_samples("planar_2r", noise=0.01)
    notes = identify(load_robot("planar_2r"), replace(samples, M=M * samples.M, g=g * samples.g)).notes
    told = [note for note in notes if "unexplained" in note]
    assert len(told) == bool(kind)
    assert all(kind in note for note in told)
