"""Links predict on arms with model error: some cases of `python -m benchmarks.run trust`, one arm with nominal links and one without."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.trust import KINDS, Case, Outcome, judge
from benchmarks.virtual_arms import ERRORS, draw_arm, model, perturb_links
from dynident.robots.parameters import consistency_margin

MOTIONS = ("usual", "slow", "short", "few joints", "one way", "one way, tested both ways")


@pytest.fixture(scope="module")
def outcomes() -> list[Outcome]:
    kinds = [((), "usual"), *((ERRORS, motion) for motion in MOTIONS)]
    return [judge(Case(robot, errors, motion, seed=0)) for robot in ("panda", "dh_arm") for errors, motion in kinds]


def test_links_predict_as_well_as_the_better_of_both_fits(outcomes: list[Outcome]) -> None:
    assert [item.failure for item in outcomes if item.failure] == []
    ratios = np.array([item.to_best for item in outcomes])
    assert np.sum(ratios <= 1.15) >= 13
    assert np.median(ratios) <= 1.01  # what the prior costs where a log tells all
    assert ratios.max() <= 1.6


def test_links_are_better_than_a_description_that_is_wrong_by_a_factor_of_two(outcomes: list[Outcome]) -> None:
    ratios = [item.to_nominal for item in outcomes if item.case.robot == "panda"]
    assert len(ratios) == 7
    assert max(ratios) < 1.0


def test_the_arm_weighs_what_it_weighs(outcomes: list[Outcome]) -> None:
    assert max(item.mass_factor for item in outcomes) <= 1.5


def test_noise_alone_leaves_as_many_samples_in_the_bands_as_they_say(outcomes: list[Outcome]) -> None:
    assert all(90.0 <= item.coverage <= 99.0 for item in outcomes if item.case.errors == ())


def test_a_case_is_the_same_whenever_it_is_drawn() -> None:
    first, second = (draw_arm("panda", ERRORS, np.random.default_rng([0, 1])) for _ in range(2))
    np.testing.assert_array_equal(first.described.parameters, second.described.parameters)
    assert len(KINDS) == len({Case("panda", errors, motion, 0).kind for errors, motion in KINDS}) == 11


def test_wrong_links_can_exist_and_are_wrong_by_a_factor_of_two_at_most() -> None:
    links = model("ur5").parameters
    wrong = perturb_links(links, np.random.default_rng(0))
    ratio = wrong[:, 0] / links[:, 0]
    assert np.all(consistency_margin(wrong) > 0.0)
    assert np.all((ratio >= 0.5) & (ratio <= 2.0))
    assert np.ptp(ratio) > 0.2
