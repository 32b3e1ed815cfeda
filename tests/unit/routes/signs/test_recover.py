"""Signs of virtual arms, from |torque| to feasible links, beside the same identification given the signs."""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np
import pytest

from benchmarks.sign_cases import Case, make_case, score, servo_case
from benchmarks.signs import SETTINGS, Outcome, Setting, coefficient_error, count_verdicts, hard_cases, percent_right, run_case
from dynident.data import EffortKind
from dynident.routes.signs import SignRecovery, SignVerdict, recover_signs
from tests.facts import carries

#: Seeds that were not used while the method was made.
FRESH = 2000


@pytest.mark.parametrize("friction", [False, True])
@pytest.mark.parametrize("name", ["1r", "3r"])
def test_small_arms_are_right_at_any_noise_up_to_two_percent(name, friction):
    outcomes = [run_case(make_case(name, FRESH + k, friction=friction, noise=level))[1] for k, level in enumerate((0.0, 0.01, 0.02))]
    assert all(item.score.success for item in outcomes)
    assert all(item.feasible for item in outcomes)
    assert max(item.ratio for item in outcomes) < 2.5


@pytest.mark.parametrize("name", ["panda", "ur5"])
def test_arms_of_six_and_seven_joints_with_friction(name):
    found, outcome = run_case(make_case(name, FRESH, trajectories=1))
    assert outcome.score.success
    assert outcome.feasible
    assert outcome.ratio < 1.5
    assert found.verdict is SignVerdict.CERTAIN


def test_five_percent_of_noise():
    outcome = run_case(make_case("panda", FRESH, trajectories=1, noise=0.05))[1]
    assert outcome.score.percent > 95.0


@cache
def recovered() -> tuple[Case, SignRecovery]:
    case = make_case("3r", FRESH + 5)
    return case, recover_signs(case.described, case.log, friction=case.friction)


def test_the_signed_log_is_ready_for_the_usual_chain():
    case, found = recovered()
    assert found.signed.effort_kind is EffortKind.TORQUE
    assert np.all(np.abs(found.signed.effort) <= case.log.effort)
    clear = case.log.effort > found.threshold
    near = np.abs(found.signed.effort - case.signed.effort) < 1e-3 * case.log.effort.max(axis=0)
    assert near[clear].mean() > 0.99  # the rest is at the ends of recordings, or just above the threshold
    assert found.estimate.problem is not None


def test_signs_of_segments_are_those_of_their_samples():
    _, found = recovered()
    assert set(found.signs.ravel().tolist()) == {-1.0, 1.0}
    for number, (segment, sign) in enumerate(zip(found.segments, found.segment_signs, strict=True)):
        if number not in found.unsure and segment.stop - segment.start > 50:
            assert np.mean(found.signs[segment.samples, segment.joint] == sign) > 0.95


def test_it_prints_its_verdict_and_the_rows_of_its_segments():
    _, found = recovered()
    assert carries(found.sentence, "signs", "certain")
    assert found.sentence in str(found)
    rows = found.records()
    assert len(rows) == len(found.segments)
    assert rows[0].keys() >= {"joint", "start", "stop", "sign", "probability"}


def test_progress_is_told_and_the_seed_repeats_the_answer():
    case = make_case("1r", FRESH + 6, trajectories=1)
    said: list[str] = []
    one = recover_signs(case.described, case.log, friction=case.friction, seed=3, progress=said.append)
    other = recover_signs(case.described, case.log, friction=case.friction, seed=3)
    assert len(said) >= 3
    np.testing.assert_array_equal(one.soft_signs, other.soft_signs)
    np.testing.assert_array_equal(one.estimate.values, other.estimate.values)


def test_signs_outside_of_searched_windows_are_right_too(monkeypatch):
    monkeypatch.setattr("dynident.routes.signs.prepare.LONGEST", 40.0)
    case = make_case("3r", FRESH + 7, trajectories=4)
    found = recover_signs(case.described, case.log, friction=case.friction)
    assert score(case, found.signs).success
    assert any("windows" in note for note in found.notes)
    assert len(found.posterior) == len(found.segment_signs) == len(found.segments)
    for segment, sign, probability in zip(found.segments, found.segment_signs, found.posterior, strict=True):
        if probability > 0.99:
            assert sign * np.median(case.torque[segment.samples, segment.joint]) > 0.0


@pytest.mark.slow
@pytest.mark.parametrize("setting", SETTINGS, ids=[item.name for item in SETTINGS])
def test_the_table_of_the_study(setting: Setting):
    outcomes: list[Outcome] = [run_case(setting.make(FRESH + k))[1] for k in range(setting.seeds)]
    if "5 %" in setting.name and "2 %" not in setting.name:
        assert min(item.score.percent for item in outcomes) >= 95.0
        return
    assert sum(item.score.success for item in outcomes) >= setting.seeds - ("one trajectory" in setting.name)
    small = setting.name[:2] in ("1R", "3R")
    assert np.median([item.ratio for item in outcomes]) <= (1.1 if small else 1.15)
    assert max(item.ratio for item in outcomes) <= 2.5
    assert all(item.feasible for item in outcomes)


@pytest.mark.slow
def test_no_wrong_signs_are_certain():
    total: Counter[tuple[SignVerdict, str]] = Counter()
    for cases in hard_cases(FRESH).values():
        total += count_verdicts(cases)
    assert total.total() >= 200
    assert total[SignVerdict.CERTAIN, "all"] > 0
    assert total[SignVerdict.CERTAIN, "most"] == total[SignVerdict.CERTAIN, "fewer"] == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["1r", "3r"])
def test_the_report_s_experiment_on_a_servo(name):
    pytest.importorskip("mujoco")
    for seed in range(FRESH, FRESH + 2):
        case = servo_case(name, seed)
        found = recover_signs(case.described, case.log, friction=None)
        assert percent_right(found, case.torque) == 100.0
        assert coefficient_error(case, found) < 0.05


def test_a_fast_motion_can_have_a_faster_filter():
    """Half of the torque of a motion at 3 Hz lies where the default filter already takes some of it."""
    case = make_case("1r", FRESH, trajectories=1, seconds=20.0, base=0.6, fastest=12.0, noise=0.01)
    usual = recover_signs(case.described, case.log, friction=case.friction)
    found = recover_signs(case.described, case.log, friction=case.friction, cutoff=15.0)
    assert (usual.estimate.summary.processing.cutoff_hz, found.estimate.summary.processing.cutoff_hz) == (5.0, 15.0)
    assert found.confidence.levels[0] < usual.confidence.levels[0]
    assert score(case, found.signs).success
