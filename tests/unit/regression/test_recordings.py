"""Several recordings count by their own noise: identities of the weights, what they gain, and where they must not be."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynident import load_robot, regression
from dynident.data import Dataset, load_dataset, write_dataset
from dynident.regression import Huber, build_problem
from dynident.regression.problem import Problem
from dynident.regression.recordings import recording_levels, weigh_recordings
from dynident.validation import cross_validate
from tests.facts import carries
from tests.logs import synthetic_log

ROBOT = load_robot("planar_2r")


def logs(*noises: float, seed: int = 0, samples: int = 1500) -> list[Dataset]:
    return [synthetic_log(noise=noise, seed=10 * seed + k, samples=samples) for k, noise in enumerate(noises)]


def problem_of(*noises: float, seed: int = 0) -> Problem:
    return build_problem(ROBOT, Dataset.concatenate(logs(*noises, seed=seed)))


def test_each_segment_knows_its_recording():
    first, second = logs(0.1, 0.2)
    cut = replace(first, starts=(0, 500), provenance=first.provenance)
    both = Dataset.concatenate([cut, second])
    assert both.recordings == (0, 0, 1)
    assert both.part(0.5, 1.0).recordings == (0,)
    assert both.part(0.1, 1.0).recordings == (0, 0, 1)
    assert Dataset.concatenate([second, cut, second]).recordings == (0, 1, 1, 0), "a recording that comes again is the same"


def test_levels_are_those_of_the_noise_but_for_what_few_rows_tell():
    problem = problem_of(0.1, 1.0)
    levels = recording_levels(problem)
    independent = np.array([part.rows for part in problem.parts[0]]) / 2.0
    np.testing.assert_allclose(levels[1] / levels[0], 10.0 ** (independent / (independent + 20.0)), rtol=0.15)


def test_factors_are_those_of_the_weighted_rows():
    problem = problem_of(0.1, 1.0)
    weighted = weigh_recordings(problem)
    assert weighted.parts == ()
    np.testing.assert_array_equal(weighted.counts, problem.counts)
    grams = [np.zeros_like(factor) for factor in weighted.factors]
    for group, table, _ in weighted.rows[0].tables():
        grams[group] += table @ table.T
    for factor, gram in zip(weighted.factors, grams, strict=True):
        np.testing.assert_allclose(factor.T @ factor, gram, atol=1e-9 * np.abs(gram).max())


@pytest.mark.parametrize("quiet", [0, 1])
def test_a_noisy_recording_no_longer_spoils_a_quiet_one(quiet):
    noises = (0.1, 2.0) if quiet == 0 else (2.0, 0.1)
    weighted, pooled, deviations = [], [], []
    for seed in range(8):
        problem = problem_of(*noises, seed=seed)
        exact = regression.estimate(problem_of(0.0, 0.0, seed=seed)).values
        mine, plain = regression.estimate(problem), regression.estimate(replace(problem, parts=()))
        weighted.append(np.abs(mine.values - exact))
        pooled.append(np.abs(plain.values - exact))
        deviations.append((mine.values - exact) / mine.std)
    assert np.median(weighted) < 0.3 * np.median(pooled)
    assert 0.85 < np.mean(np.abs(deviations) < 2.0) <= 1.0, "and the standard deviations are those of the weighted fit"


def test_one_recording_and_uniform_noise_are_left_alone():
    alone = build_problem(ROBOT, logs(0.3)[0])
    assert alone.parts == ()
    assert weigh_recordings(alone) is alone
    both = problem_of(0.1, 1.0)
    uniform = regression.estimate(both, noise="uniform")
    np.testing.assert_array_equal(uniform.values, regression.estimate(replace(both, parts=()), noise="uniform").values)
    assert not any("recordings" in note for note in uniform.notes)


def test_merged_problems_are_weighted_as_one_log_of_both_is():
    first, second = (build_problem(ROBOT, log) for log in logs(0.1, 1.0))
    merged, whole = first.merge(second), problem_of(0.1, 1.0)
    np.testing.assert_allclose(regression.estimate(merged).values, regression.estimate(whole).values, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(recording_levels(merged), recording_levels(whole), rtol=1e-6)


def test_a_note_names_the_noisy_file_and_what_follows_works(tmp_path):
    for name, log in zip("ab", logs(0.1, 1.0), strict=True):
        write_dataset(log, tmp_path / f"{name}.npz")
    data = load_dataset([tmp_path / "a.npz", tmp_path / "b.npz"])
    estimate = regression.estimate(build_problem(ROBOT, data))
    (note,) = [note for note in estimate.notes if "recordings" in note]
    assert carries(note, "noise", "b.npz")
    assert carries(note, "times", "a.npz")
    assert cross_validate(estimate).mean_percent < 10.0
    robust = regression.estimate(build_problem(ROBOT, data), loss=Huber())
    np.testing.assert_allclose(robust.values, estimate.values, atol=0.1 * np.abs(estimate.values).max())
    equal = regression.estimate(problem_of(0.3, 0.3))
    assert not any("recordings" in note for note in equal.notes)


def test_a_short_recording_is_not_believed_to_be_noiseless():
    long, short = synthetic_log(noise=0.5, seed=1, samples=3000), synthetic_log(noise=0.5, seed=2, samples=190)
    levels = recording_levels(build_problem(ROBOT, Dataset.concatenate([long, short]), cutoff=5.0))
    assert np.all(levels[1] > 0.4 * levels[0])
