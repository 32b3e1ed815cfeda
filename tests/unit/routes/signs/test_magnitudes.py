"""A prepared log: its rows, its noise, and what can't be prepared."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.signal import butter, sosfiltfilt

from benchmarks.sign_cases import Case, make_case, score
from dynident import load_robot
from dynident.data import Dataset, EffortKind
from dynident.dynamics import inverse_dynamics, torque_regressor
from dynident.dynamics.friction import Motion, friction_torque
from dynident.errors import InputError
from dynident.routes.signs import Magnitudes, prepare_magnitudes, recover_signs
from dynident.routes.signs.magnitudes import EDGE
from dynident.routes.signs.prepare import effort_noise, is_smoothed, resolution, shorten
from tests.facts import carries, raises
from tests.logs import synthetic_log


@cache
def case() -> Case:
    return make_case("3r", 2, trajectories=2, seconds=8.0)


@cache
def magnitudes() -> Magnitudes:
    return prepare_magnitudes(case().described, case().log, friction=case().friction)


def unsigned(**changes) -> Dataset:
    log = replace(synthetic_log("planar_2r", samples=600), **changes)
    assert log.effort is not None
    return replace(log, effort=np.abs(log.effort), effort_kind=EffortKind.MAGNITUDE)


def test_rows_are_those_of_the_regressor_in_the_base_columns():
    m = magnitudes()
    at = m.working[37]
    Y = torque_regressor(m.robot, m.motion.q[at], m.motion.dq[at], m.motion.ddq[at])
    for j, group in enumerate(m.groups):
        standard = m.base.independent[group.columns]
        links = standard < Y.shape[1]
        np.testing.assert_allclose(m.rows[j][37][links], Y[j, standard[links]], atol=1e-9)


def test_rows_times_coefficients_are_the_predicted_torque():
    m, pi = magnitudes(), case().coefficients
    mu = m.predict(pi)[m.working]
    for j, (group, Y) in enumerate(zip(m.groups, m.rows, strict=True)):
        np.testing.assert_allclose(Y @ pi[group.columns], mu[:, j], atol=1e-9)
    x = m.base.representative(pi)
    rigid = inverse_dynamics(m.robot, m.base.columns.links(x), m.motion.q, m.motion.dq, m.motion.ddq)
    expected = rigid + friction_torque(m.base.friction, m.base.columns.friction(x), Motion(m.motion.q, m.motion.dq, m.motion.ddq))
    np.testing.assert_allclose(m.predict(pi), expected, atol=1e-9)


def test_the_smoothed_motion_predicts_the_torque_to_a_percent():
    m = magnitudes()
    rest = (m.predict(case().coefficients) - case().torque)[m.working]
    assert np.all(np.median(np.abs(rest), axis=0) < 0.01 * np.sqrt(np.mean(case().torque ** 2, axis=0)))


def test_working_samples_leave_out_the_ends_of_every_recording():
    m = magnitudes()
    edge, half = round(EDGE * m.log.rate), m.log.samples // 2
    assert m.working.min() == edge
    assert not np.any((m.working >= half - edge) & (m.working < half + edge))
    assert len(m.working) == m.log.samples - 4 * edge


def test_moments_and_energies_are_sums_over_segments():
    m = magnitudes()
    k = int(np.argmax(m.energies))
    segment = m.segments[k]
    rows = np.flatnonzero((m.working >= segment.start) & (m.working < segment.stop))
    b = m.b[m.working[rows], segment.joint]
    assert m.energies[k] == pytest.approx(float(b @ b))
    np.testing.assert_allclose(m.moments[m.groups[segment.joint].columns, k], b @ m.rows[segment.joint][rows], rtol=1e-9)


@pytest.mark.parametrize("rate", [100.0, 1000.0])
@pytest.mark.parametrize("level", [0.01, 0.1])
def test_noise_is_told_from_motion_and_from_leaps(rate, level):
    rng, time = np.random.default_rng(3), np.arange(round(20 * rate)) / rate
    torque = 3.0 * np.sin(2.0 * np.pi * 0.4 * time) + np.sign(np.cos(time)) + level * rng.normal(size=len(time))
    log = Dataset(time=time, q=time[:, None], effort=np.abs(torque)[:, None], effort_kind=EffortKind.MAGNITUDE)
    assert effort_noise(log)[0] == pytest.approx(level, rel=0.15)


@pytest.mark.parametrize("rate", [100.0, 1000.0])
def test_noise_that_was_smoothed_is_not_known(rate):
    rng, time = np.random.default_rng(3), np.arange(round(20 * rate)) / rate
    torque = 3.0 * np.sin(2.0 * np.pi * 0.4 * time)[:, None] + 0.1 * rng.normal(size=(len(time), 2))
    torque[:, 1] = sosfiltfilt(butter(4, 5.0, fs=rate, output="sos"), torque[:, 1])
    log = Dataset(time=time, q=np.column_stack([time, time]), effort=np.abs(torque), effort_kind=EffortKind.MAGNITUDE)
    assert is_smoothed(log).tolist() == [False, True]


def test_swinging_between_samples_of_a_fast_log_counts_as_noise():
    time = np.arange(20_000) / 1000.0
    swing = 0.1 * np.sqrt(2.0) * np.sin(2.0 * np.pi * 31.0 * time)
    log = Dataset(time=time, q=time[:, None], effort=(5.0 + swing)[:, None], effort_kind=EffortKind.MAGNITUDE)
    assert 0.05 < effort_noise(log)[0] < 0.3


def test_masked_samples_say_nothing():
    log = unsigned()
    mask = np.ones(log.q.shape, dtype=bool)
    mask[200:400, 1] = False
    m = prepare_magnitudes(load_robot("planar_2r"), replace(log, mask=mask))
    wild = np.array(log.effort)
    wild[200:400, 1] *= 50.0
    other = prepare_magnitudes(load_robot("planar_2r"), replace(log, mask=mask, effort=wild))
    np.testing.assert_allclose(m.factors[1], other.factors[1])
    rows = np.flatnonzero((m.working >= 200) & (m.working < 400))
    assert not any(np.intersect1d(at, rows).size for _, at in m.segment_rows[1])


def test_the_clock_is_made_uniform_and_said_so():
    log = unsigned()
    time = log.time + 0.003 * np.random.default_rng(0).uniform(-1.0, 1.0, log.samples)
    m = prepare_magnitudes(load_robot("planar_2r"), replace(log, time=time))
    assert np.ptp(np.diff(m.log.time)) < 1e-9
    assert any("uneven" in note for note in m.notes)


@pytest.mark.parametrize(
    ("make", "facts"),
    [
        (lambda: synthetic_log("planar_2r", samples=600), ("torques", "none", "identify")),
        (lambda: replace(unsigned(), effort=None, effort_kind=None), ("no", "effort", "columns={'effort': 'tau*'}")),
        (lambda: replace(unsigned(), q=unsigned().q * [1.0, 0.0]), ("joint2", "never", "lock")),
        (lambda: replace(unsigned(), effort=np.full((600, 2), 3.0)), ("joint1", "3 N·m", "column")),
        (
            lambda: replace(unsigned(), effort=np.abs(np.random.default_rng(0).normal(size=(600, 2)))),
            ("no", "joint", "noise"),
        ),
        (lambda: unsigned().take(slice(0, 4), starts=(0,)), (4, 2, 8, 13)),
    ],
)
def test_what_no_search_can_make_good_is_said(make, facts):
    with raises(InputError, *facts):
        prepare_magnitudes(load_robot("planar_2r"), make())


@pytest.mark.parametrize(("said", "taken"), [("torque", EffortKind.MAGNITUDE), ("current", EffortKind.CURRENT_MAGNITUDE)])
def test_efforts_that_are_never_negative_are_magnitudes(said, taken):
    m = prepare_magnitudes(load_robot("planar_2r"), replace(unsigned(), effort_kind=EffortKind(said)))
    assert m.log.effort_kind is taken
    assert carries(m.notes[0], "effort", "negative", "magnitude")


def test_a_magnitude_that_changes_its_sign_is_none():
    log = synthetic_log("planar_2r", samples=600)
    with raises(InputError, "magnitude", "negative", name="effort"):
        replace(log, effort_kind=EffortKind.MAGNITUDE)


def test_a_log_that_is_not_long_stays_as_it_is():
    assert shorten(magnitudes()) is magnitudes()


def test_of_a_long_log_windows_are_searched(monkeypatch):
    monkeypatch.setattr("dynident.routes.signs.prepare.LONGEST", 8.0)
    monkeypatch.setattr("dynident.routes.signs.prepare.WINDOW", 2.0)
    short = shorten(magnitudes())
    assert short.log.samples == short.motion.samples == 800
    assert [piece.stop - piece.start for piece in short.log.segments] == [200, 200, 200, 200]
    np.testing.assert_array_equal(short.b[:200], magnitudes().b[:200])
    np.testing.assert_array_equal(short.b[-200:], magnitudes().b[-200:])
    assert max(item.stop for item in short.segments) <= 800
    assert carries(short.notes[-1], "4 windows", "2 s")


def test_rounding_counts_as_noise():
    log = case().log
    step = 0.1 * log.effort.max(axis=0)
    rounded = replace(log, effort=step * np.round(log.effort / step))
    np.testing.assert_allclose(resolution(rounded.effort), step)
    assert np.all(effort_noise(rounded) >= step / np.sqrt(12.0))
    np.testing.assert_array_equal(resolution(log.effort), 0.0)
    found = recover_signs(case().described, rounded, friction=case().friction)
    assert found.verdict.settled
    assert score(case(), found.signs).percent > 99.0


def test_a_joint_whose_samples_are_all_masked_is_named():
    mask = np.ones(case().log.q.shape, dtype=bool)
    mask[:, 1] = False
    with raises(InputError, "joint2", "masked"):
        prepare_magnitudes(case().described, replace(case().log, mask=mask))
