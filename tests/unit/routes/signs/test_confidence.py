"""Verdicts from their evidence, one finding at a time, and the evidence from assignments."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.signal import butter, sosfiltfilt

from benchmarks.sign_cases import make_case
from dynident.routes.signs import Magnitudes, SignConfidence, SignHypotheses, SignRecovery, SignVerdict, prepare_magnitudes, recover_signs
from dynident.routes.signs.assignments import rank_assignments
from dynident.routes.signs.confidence import left_over, measure_confidence, settle_verdict
from dynident.routes.signs.sign_cost import search_levels, sign_cost
from tests.facts import carries


@cache
def magnitudes() -> Magnitudes:
    case = make_case("3r", 12, trajectories=1)
    return prepare_magnitudes(case.described, case.log, friction=case.friction)


def sure(**changes) -> SignConfidence:
    """Evidence with nothing to find fault with, and then changes."""
    noise = magnitudes().noise
    found = SignConfidence(
        gap=500.0,
        flip_margins=np.full(3, 500.0),
        unsure_share=0.02,
        unsure_energy=1e-4,
        levels=1.05 * noise,
        noise=noise,
        strain=1.0,
        density=3.0,
        inflation=1.2,
        certificate=-1e-3,
    )
    return replace(found, **changes)


@pytest.mark.parametrize(
    ("changes", "verdict", "words"),
    [
        ({}, SignVerdict.CERTAIN, "e^-500 times as likely"),
        ({"gap": np.inf}, SignVerdict.CERTAIN, "no other assignment"),
        ({"levels": "2"}, SignVerdict.LIKELY, "leaves 2 times the noise of joint 'joint1'"),
        ({"levels": "5"}, SignVerdict.UNEXPLAINED, "leaves 5 times the noise of joint 'joint1'"),
        (
            {"flip_margins": np.array([500.0, 2.0, 3.0])},
            SignVerdict.AMBIGUOUS,
            "other signs of joints joint2 and joint3 fit nearly as well",
        ),
        ({"flip_margins": np.array([500.0, 35.0, 99.0])}, SignVerdict.CERTAIN, "e^-500"),
        ({"flip_margins": np.array([35.0, 500.0, 99.0]), "levels": "2"}, SignVerdict.AMBIGUOUS, "other signs of joint joint1 fit nearly"),
        ({"flip_margins": np.array([500.0, 35.0, 99.0]), "levels": "2"}, SignVerdict.LIKELY, "leaves 2 times the noise of joint 'joint1'"),
        ({"density": 0.7}, SignVerdict.LIKELY, "segments for 24 coefficients"),
        ({"density": 0.7, "gap": 50.0}, SignVerdict.AMBIGUOUS, "segments for 24 coefficients"),
        ({"density": 0.7, "strain": 90.0}, SignVerdict.AMBIGUOUS, "segments for 24 coefficients"),
        ({"unsure_energy": 0.02}, SignVerdict.LIKELY, "2 % of the torque is in segments of unsure sign"),
        ({"unsure_energy": 0.2}, SignVerdict.AMBIGUOUS, "20 % of the torque is in segments of unsure sign"),
        ({"strain": 90.0}, SignVerdict.LIKELY, "links that can exist fit e^-90 times as well"),
        ({"strain": 90.0, "levels": "5", "density": 0.2}, SignVerdict.UNEXPLAINED, "times the noise"),
    ],
)
def test_the_gravest_finding_is_the_verdict(changes, verdict, words):
    if "levels" in changes:
        changes = changes | {"levels": magnitudes().noise * np.array([float(changes["levels"]), 1.0, 1.0])}
    found = settle_verdict(magnitudes(), sure(**changes))
    assert found.verdict is verdict
    assert words in found.reason
    assert (found.advice == "") is (verdict is SignVerdict.CERTAIN)


def test_a_model_that_explains_less_than_half_of_a_joint_explains_nothing_however_noisy():
    rms = np.sqrt(np.mean(magnitudes().b ** 2, axis=0))
    found = settle_verdict(magnitudes(), sure(noise=rms * np.array([0.1, 1.0, 1.0]), levels=rms * np.array([0.2, 0.6, 0.3])))
    assert found.verdict is SignVerdict.UNEXPLAINED
    assert carries(found.reason, "60 %", "torque", "joint2")  # though the first leaves more of its noise


def test_of_a_smoothed_log_the_noise_is_not_known():
    """Its differences tell next to none, beside which every model leaves a lot; one wrist that is hardly explained is named."""
    rms = np.sqrt(np.mean(magnitudes().b ** 2, axis=0))
    m = magnitudes()
    m = replace(m, log=replace(m.log, effort=sosfiltfilt(butter(4, 0.05, output="sos"), m.b, axis=0)))
    smooth = sure(noise=1e-5 * rms, levels=0.13 * rms)
    assert settle_verdict(m, smooth).verdict is SignVerdict.CERTAIN
    wrist = settle_verdict(m, replace(smooth, levels=rms * np.array([0.05, 0.13, 0.48])))
    assert wrist.verdict is SignVerdict.AMBIGUOUS
    assert carries(wrist.reason, "48 %", "joint3")
    lost = settle_verdict(m, replace(smooth, levels=0.7 * rms))
    assert lost.verdict is SignVerdict.UNEXPLAINED


def test_where_no_links_explain_even_the_best_nothing_is_certain():
    found = recovered()
    case = make_case("3r", 12, trajectories=1)
    m = prepare_magnitudes(case.described, case.log, friction=case.friction)
    cost = sign_cost(m, search_levels(m))
    ranked = rank_assignments(m, cost, SignHypotheses(segments=m.segments, signs=found.segment_signs[None], costs=np.zeros(1)))
    lost = [replace(item, feasible=replace(item.feasible, cost=np.inf)) for item in ranked]
    confidence, _ = measure_confidence(m, cost, lost)
    assert confidence.gap == 0.0
    assert settle_verdict(m, confidence).verdict is SignVerdict.AMBIGUOUS


@cache
def recovered() -> SignRecovery:
    case = make_case("3r", 12, trajectories=1)
    return recover_signs(case.described, case.log, friction=case.friction)


def test_evidence_of_a_plain_log():
    found = recovered()
    confidence = found.confidence
    assert found.verdict is SignVerdict.CERTAIN
    assert confidence.gap == confidence.flip_margins.min() > 100.0
    np.testing.assert_allclose(confidence.excess, 1.0, atol=0.15)
    assert confidence.density == len(found.segments) / found.estimate.base.rank
    assert confidence.inflation < 3.0
    assert np.all((found.posterior > 0.5) & (found.posterior <= 1.0))


@pytest.mark.parametrize(
    ("name", "seed", "more"),
    [
        ("3r", 1, {"modelled": False}),
        ("ur5", 0, {"modelled": False}),
        ("3r", 10, {"seconds": 2.0}),
        ("panda", 1, {"seconds": 2.0}),
        ("ur5", 8, {"seconds": 2.0}),
        ("panda", 0, {"fastest": 0.03}),
    ],
)
def test_wrong_signs_are_not_certain(name, seed, more):
    case = make_case(name, seed, trajectories=1, **more)
    assert recover_signs(case.described, case.log, friction=case.friction).verdict is not SignVerdict.CERTAIN


def test_what_is_left_over_counts_failures_that_are_rare():
    noise = np.random.default_rng(0).normal(0.0, 0.3, 20_000)
    assert left_over(noise) == pytest.approx(0.3, rel=0.02)
    wrong = np.array(noise)
    wrong[:1000] += 10.0  # a twentieth of the log with signs that are wrong
    assert left_over(wrong) == pytest.approx(0.5 * np.sqrt(np.mean(wrong**2)))
    assert left_over(wrong) > 3.0 * 0.3
