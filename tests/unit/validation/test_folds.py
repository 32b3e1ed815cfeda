"""Cross-validation: parts that are disjoint and make the whole, that a repeated motion can't leak into, and errors as fitted by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynident import identify, load_robot, regression
from dynident.data import Dataset
from dynident.dynamics.friction import linear
from dynident.errors import InputError, ValueRangeError
from dynident.regression import Huber, build_problem
from dynident.regression.equations.partition import find_period, partition_rows
from dynident.regression.problem import problem_on_base
from dynident.runs import read_estimate, write_result
from dynident.validation import cross_validate, predict, validate
from dynident.validation.folds import cross_validate_fit
from tests.facts import raises
from tests.logs import synthetic_log, synthetic_samples


def noisy(seed: int = 2, samples: int = 3000) -> Dataset:
    return synthetic_log(noise=0.3, samples=samples, seed=seed)


def tables_of(*lengths: int, groups: int = 2) -> tuple[tuple[np.ndarray, ...], ...]:
    """Random rows; no two are alike."""
    rng = np.random.default_rng(0)
    return tuple(tuple(rng.normal(size=(4, length)) for length in lengths) for _ in range(groups))


@pytest.mark.parametrize(("lengths", "word"), [((200, 250, 300, 350, 400), "segment"), ((900,), "samples"), ((500, 400), "samples")])
@pytest.mark.parametrize("folds", [2, 4, 5])
def test_parts_are_disjoint_and_make_the_whole(lengths, word, folds):
    tables = tables_of(*lengths)
    parts = partition_rows(tables, folds)
    assert len(parts.names) == folds
    assert all(name.startswith("segment" if len(lengths) >= folds else word) for name in parts.names)
    for group in range(2):
        whole = np.concatenate(tables[group], axis=1)
        pieces = np.concatenate([parts.held_out(tables, part)[group] for part in range(folds)], axis=1)
        np.testing.assert_array_equal(np.sort(pieces[0]), np.sort(whole[0]))


def test_the_others_keep_their_distance():
    tables = tables_of(1000)
    parts = partition_rows(tables, 5)
    runs = parts.others(tables, 2, guard=7)[0]
    assert [run.shape[1] for run in runs] == [393, 393]
    np.testing.assert_array_equal(runs[0], tables[0][0][:, :393])
    np.testing.assert_array_equal(runs[1], tables[0][0][:, 607:])


def test_bad_numbers_of_parts_are_refused():
    for folds in (1, 101, 40):
        with raises(ValueRangeError, name="folds"):
            partition_rows(tables_of(60), folds)


@pytest.mark.parametrize(("period", "rows"), [(250, 1000), (250, 400), (267, 392)])
def test_a_motion_that_repeats_is_told_by_its_period(period, rows):
    """Also where it repeats only in part, or began with a standstill."""
    rng = np.random.default_rng(1)
    t = np.arange(rows)[None]
    harmonics = 2.0 * np.pi * np.arange(1, 6)[:, None, None] * t / period
    Y = np.sum(rng.normal(size=(5, 8, 1)) * np.sin(harmonics + rng.uniform(0, 6, (5, 8, 1))), axis=0) + 0.05 * rng.normal(size=(8, rows))
    assert find_period(Y) == pytest.approx(period, abs=1)
    Y[:, : rows // 20] = Y[:, [0]]
    assert find_period(Y) == pytest.approx(period, abs=1)
    parts = partition_rows(((np.vstack([Y, Y[:1]]),),), 5)
    assert parts.names[0].startswith("phase")
    label = parts.labels[0][0]
    np.testing.assert_array_equal(label[: rows - find_period(Y)], label[find_period(Y) :])


def test_a_motion_that_does_not_repeat_has_no_period():
    slow = np.cumsum(np.cumsum(np.random.default_rng(3).normal(size=(8, 600)), axis=1), axis=1)
    assert find_period(slow) is None
    assert find_period(np.zeros((3, 100))) is None
    assert find_period(np.ones((3, 10))) is None


def test_a_repeated_motion_does_not_predict_itself():
    """A ripple that depends on the position is absorbed by the fit to the same positions, and not by one that has not seen them."""
    robot, rng = load_robot("planar_2r"), np.random.default_rng(4)
    log = synthetic_log(samples=1539, seed=3)  # two periods of 7.69 s
    log = replace(log, effort=log.effort + 0.6 * np.sin(9.0 * log.q) + 0.05 * rng.normal(size=log.q.shape))
    estimate = identify(robot, log)
    honest = cross_validate(estimate)
    assert honest.parts[0].startswith("phase")
    twice = regression.estimate(problem_on_base(estimate.base, Dataset.concatenate([log.part(0, 0.5), log.part(0.5, 1)]), cutoff=5.0))
    leaking = cross_validate(twice, folds=2)  # each period predicts the other
    assert leaking.parts[0].startswith("segment")
    assert honest.mean_percent > 1.15 * leaking.mean_percent


def test_it_is_fitting_without_a_part_and_judging_on_it():
    whole = build_problem(
        load_robot("planar_2r"), Dataset.concatenate([noisy(seed=s, samples=1200) for s in range(3)]), cutoff=6.0, rate=25.0
    )
    estimate = regression.estimate(replace(whole, parts=()))  # the recordings with one noise, as they have
    found = cross_validate(estimate, folds=3)
    assert found.parts == ("segment 1", "segment 2", "segment 3")
    pieces = [problem_on_base(estimate.base, noisy(seed=s, samples=1200), cutoff=6.0, rate=25.0) for s in range(3)]
    from dynident.regression import residuals

    by_hand = residuals(pieces[1], regression.estimate(replace(pieces[0].merge(pieces[2]), parts=())).values)
    assert found.relative_percent[1] == pytest.approx(by_hand.relative_percent, rel=1e-9)
    np.testing.assert_allclose(found.rms_per_joint[1], by_hand.rms_per_group, rtol=1e-9)
    assert found.mean_percent == pytest.approx(found.relative_percent.mean())
    assert found.percent_text == f"{found.mean_percent:.2g} ± {found.std_percent:.2g} % at 6 Hz"


def test_of_another_log_and_of_the_log_itself_it_is_the_same():
    log = noisy()
    estimate = identify(load_robot("planar_2r"), log, cutoff=6.0, rate=25.0)
    own, other = cross_validate(estimate), cross_validate(estimate, log)
    np.testing.assert_allclose(own.relative_percent, other.relative_percent, rtol=1e-9)


def test_its_noise_is_that_of_the_data_where_the_model_is_right():
    estimate = identify(load_robot("planar_2r"), noisy(samples=6000), cutoff=6.0, rate=25.0)
    np.testing.assert_allclose(cross_validate(estimate).noise, estimate.summary.noise_levels, rtol=0.1)


def test_robust_losses_and_dropping_are_those_of_the_estimate(monkeypatch):
    monkeypatch.setattr("dynident.regression.problem.leave_out_faults", lambda data, *_, **__: (data, ()))  # the burst is one
    log = noisy()
    effort = log.effort.copy()
    effort[1000:1010] += 300.0
    problem = build_problem(load_robot("planar_2r"), replace(log, effort=effort), friction=linear(), cutoff=None)
    squared, huber = cross_validate(regression.estimate(problem)), cross_validate(regression.estimate(problem, loss=Huber()))
    clean = [part for part in range(5) if part != 1]
    assert np.all(huber.relative_percent[clean] < squared.relative_percent[clean])
    dropped = cross_validate(regression.estimate(problem, drop_above_percent=5.0))
    assert not np.allclose(dropped.relative_percent, squared.relative_percent)


def test_of_a_fit_it_is_made_once_and_a_run_remembers_it(tmp_path, monkeypatch):
    estimate = identify(load_robot("planar_2r"), noisy())
    first, _ = cross_validate_fit(estimate, wide=True)
    assert first.wide_percent is not None
    write_result(tmp_path, estimate, folds=first)
    stored = read_estimate(tmp_path)
    monkeypatch.setattr("dynident.validation.folds.cross_validate", lambda *_, **__: pytest.fail("it is made again"))
    predict(estimate, noisy(seed=4))
    predict(stored, noisy(seed=4))
    validate(estimate, noisy(seed=4))
    np.testing.assert_array_equal(cross_validate_fit(stored)[0].relative_percent, first.relative_percent)


def test_a_prediction_does_not_filter_the_log_once_more(monkeypatch):
    estimate = identify(load_robot("planar_2r"), noisy())
    monkeypatch.setattr("dynident.validation.folds.wide_rows", lambda *_: pytest.fail("nobody asked for that"))
    assert np.all(predict(estimate, noisy(seed=4)).half_width > 0.0)


def test_what_cannot_be_cut_says_why():
    estimate = identify(load_robot("planar_2r"), noisy(), cutoff=6.0, rate=25.0)
    with raises(InputError, "identify", "again"):
        cross_validate(replace(estimate, problem=None))
    with raises(ValueRangeError, name="folds"):
        cross_validate(estimate, folds=400)
    with raises(InputError, "validate_samples"):
        cross_validate(identify(load_robot("spatial_3r"), synthetic_samples()))
