"""How sure recovered signs are: numbers, and a verdict in words that follows from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, NamedTuple

import numpy as np

from dynident.core.arrays import Array
from dynident.core.records import Shape
from dynident.core.texts import join_words
from dynident.dynamics.friction import linear, linear_with_rotor
from dynident.routes.signs.assignments import Assignment, differing
from dynident.routes.signs.magnitudes import Magnitudes, working_step
from dynident.routes.signs.prepare import NORMAL, is_smoothed
from dynident.routes.signs.refine import Refined, inflation_of
from dynident.routes.signs.sign_cost import SignCost

#: A gap in log-likelihood below this leaves the choice between two assignments open: e⁻¹⁰ is one in twenty thousand. Where a model
#: leaves k times the noise of a joint, so that what it lacks has a say in the choice of that joint's signs, it is k² times that.
CLOSE = 10.0
#: A segment is unsure when its other sign is more probable than this.
UNSURE = 0.01
#: Share of the torque's energy in unsure segments above which signs are at best likely, and above which they are ambiguous.
SOME_UNSURE, MANY_UNSURE = 0.01, 0.05
#: The model leaves so many times the noise: beyond the first it lacks something, beyond the second it explains too little.
LACKING, UNEXPLAINED = 1.5, 4.0
#: No model is better than this share of the joint's RMS. The noise of a log that was smoothed is not known (differences of the KUKA's tell
#: 1e-5 of its RMS and less, those of the Panda, the TX40 and virtual arms 4e-3 to 0.1, so that no sensor is taken to be better than
#: `BEST_SENSOR`); there a model is compared with what models leave of joints with the recorded signs: 1 to 57 % on the KUKA, Panda, TX40
#: and TIAGo, 13 % in the median.
LEAST_NOISE, BEST_SENSOR, USUAL_SHARE = 0.01, 1e-3, 0.1
#: A model that leaves more than this share of a joint's torque does not explain it, however noisy the sensors are; one that leaves as
#: much of all torques explains nothing.
LARGEST_SHARE = 0.5
#: Coefficients can make up for wrong signs where there are fewer segments than this for each of them; such signs are at best likely,
#: and ambiguous where the next assignment is not farther than this.
SPARSE, SPARSE_GAP = 1.0, 100.0
#: Conditions of physics that cost more log-likelihood than this contradict the data, or the signs.
STRAINED = 40.0
#: A certificate is zero at best, to rounding.
PROOF_ROUNDING = 1e-12


class SignVerdict(Enum):
    """What can be said of the signs; the value is the sentence that the user sees."""

    CERTAIN = "the signs are certain"
    LIKELY = "the signs are likely right"
    AMBIGUOUS = "the signs are ambiguous"
    UNEXPLAINED = "the model does not explain the data, so its signs mean little"

    @property
    def settled(self) -> bool:
        """Whether the model that follows can be used."""
        return self in (SignVerdict.CERTAIN, SignVerdict.LIKELY)


@dataclass(frozen=True, kw_only=True, eq=False)
class SignConfidence:
    """The evidence behind a verdict.

    Attributes
    ----------
    gap : float
        Log-likelihood of the best assignment minus that of the next feasible one, correlated residuals discounted.
    flip_margins : (n,) array
        The same for turning one joint's signs alone.
    unsure_share : float
        Share of the segments whose other sign is more probable than one in a hundred.
    unsure_energy : float
        Share of the torque's energy in them.
    levels : (n,) array
        What the model leaves of each joint's torque [N·m | N]; see `left_over`.
    noise : (n,) array
        Noise of the sensors, from high differences [N·m | N].
    strain : float
        Log-likelihood that links which exist and friction that dissipates cost the best assignment, discounted too.
    density : float
        Segments per coefficient.
    inflation : float
        How many correlated residuals say as much as one independent one.
    certificate : float
        λ_min(Diag(s∘Qs) - Q) / λ_max(Q); not negative is a proof that no other signs of the segments fit better.
    searched : bool
        The search has proven the same by itself.
    """

    gap: float
    flip_margins: Annotated[Array, Shape("n", finite=False)]
    unsure_share: float
    unsure_energy: float
    levels: Annotated[Array, Shape("n", finite=False)]
    noise: Annotated[Array, Shape("n", finite=False)]
    strain: float
    density: float
    inflation: float
    certificate: float
    searched: bool = False

    @property
    def proven(self) -> bool:
        """Whether no other signs of the segments fit better, but for rounding."""
        return self.searched or self.certificate > -PROOF_ROUNDING

    @property
    def excess(self) -> Array:
        """(n,) how many times the noise of the sensors the model leaves."""
        return self.levels / np.maximum(self.noise, np.finfo(float).tiny)


def measure_confidence(magnitudes: Magnitudes, cost: SignCost, ranked: Sequence[Assignment]) -> tuple[SignConfidence, Array]:
    """The confidence in the first of ranked assignments, and the probability (S,) of each of its segment signs."""
    best = ranked[0]
    rest = best.refined.residuals(magnitudes)[magnitudes.working]
    inflation = max(inflation_of(rest[used, j]) for j, used in enumerate(magnitudes.used.T))
    # where no links explain even the best, nothing tells it from the others
    gaps = np.array([best.score - item.score if np.isfinite(best.score) else 0.0 for item in ranked[1:]]) / inflation
    differs = np.array([differing(cost, best.signs, item.signs) for item in ranked[1:]], dtype=bool).reshape(len(gaps), magnitudes.log.n)
    odds = 0.5 * cost.flip_costs(best.signs) / inflation
    posterior = 0.5 * (1.0 + np.tanh(0.5 * odds))
    unsure = posterior < 1.0 - UNSURE
    confidence = SignConfidence(
        gap=float(gaps.min(initial=np.inf)),
        flip_margins=np.where(differs, gaps[:, None], np.inf).min(axis=0, initial=np.inf),
        unsure_share=float(unsure.mean()),
        unsure_energy=float(cost.energies[unsure].sum() / cost.total),
        levels=np.array([left_over(rest[used, j]) for j, used in enumerate(magnitudes.used.T)]),
        noise=magnitudes.noise,
        strain=0.5 * best.feasible.cost / inflation,
        density=len(magnitudes.segments) / magnitudes.base.rank,
        inflation=inflation,
        certificate=cost.certificate(best.signs),
    )
    return confidence, posterior


def left_over(residuals: Array) -> float:
    """The standard deviation of residuals by their median, as noise would have it, or half their RMS where few are far beyond that.

    Few are so where the model fails now and then, as signs that are wrong for a while make it do.
    """
    return max(NORMAL * float(np.median(np.abs(residuals))), 0.5 * float(np.sqrt(np.mean(residuals**2))))


def predict_segments(magnitudes: Magnitudes, refined: Refined, inflation: float) -> tuple[Array, Array]:
    """(S,) signs of segments that were not searched, by a model that was fitted elsewhere, and their probabilities (S,)."""
    evidence = 2.0 * magnitudes.b * magnitudes.predict(refined.coefficients) / refined.levels**2
    step = working_step(magnitudes.log)
    odds = np.array([float(evidence[item.samples, item.joint].sum()) / step for item in magnitudes.segments])
    return np.where(odds < 0.0, -1.0, 1.0), 0.5 * (1.0 + np.tanh(0.5 * np.abs(odds) / inflation))


class SignFinding(NamedTuple):
    """Something that speaks against certainty: the best verdict that it leaves, why, and what would settle it."""

    verdict: SignVerdict
    reason: str
    advice: str


def settle_verdict(magnitudes: Magnitudes, confidence: SignConfidence) -> SignFinding:
    """The verdict of the gravest finding; the advice is empty where nothing is open."""
    findings = list(_findings(magnitudes, confidence))
    for verdict in (SignVerdict.UNEXPLAINED, SignVerdict.AMBIGUOUS, SignVerdict.LIKELY):
        for finding in findings:
            if finding.verdict is verdict:
                return finding
    gap = (
        "no other assignment is possible"
        if np.isinf(confidence.gap)
        else f"the next best assignment is e^-{confidence.gap:.0f} times as likely"
    )
    return SignFinding(SignVerdict.CERTAIN, gap, "")


def _findings(magnitudes: Magnitudes, confidence: SignConfidence) -> Iterator[SignFinding]:
    joints, rms = magnitudes.robot.joint_names, np.sqrt(np.mean(magnitudes.b**2, axis=0))
    known = ~is_smoothed(magnitudes.log) & (confidence.noise >= BEST_SENSOR * rms)
    excess = confidence.levels / np.where(known, np.maximum(confidence.noise, LEAST_NOISE * rms), USUAL_SHARE * rms)
    share = confidence.levels / rms
    explains_nothing = float(np.linalg.norm(confidence.levels)) > LARGEST_SHARE * float(np.linalg.norm(rms))
    model = magnitudes.base.friction
    rotor = {part.name for part in linear_with_rotor().parts} - {part.name for part in linear().parts}
    no_rotors = model is None or rotor.isdisjoint(part.name for part in model.of_joint(0).parts)
    fits = f"friction model that fits (auto chooses one{', linear+armature has the rotors of geared joints' if no_rotors else ''})"
    check = f"give a {fits}, and check the units, the mounting and the order of the joints"
    if excess.max() > LACKING:
        j = int(np.argmax(excess))
        verdict = SignVerdict.LIKELY
        if excess[j] > UNEXPLAINED:
            verdict = SignVerdict.UNEXPLAINED if known[j] else SignVerdict.AMBIGUOUS
        times = f"{excess[j]:.2g} times the noise" if known[j] else f"{100.0 * share[j]:.0f} % of the torque"
        yield SignFinding(verdict, f"the model leaves {times} of joint {joints[j]!r}", check)
    if share.max() > LARGEST_SHARE:
        j = int(np.argmax(share))
        verdict = SignVerdict.UNEXPLAINED if explains_nothing else SignVerdict.AMBIGUOUS
        yield SignFinding(verdict, f"the model leaves {100.0 * share[j]:.0f} % of the torque of joint {joints[j]!r}", check)
    close = confidence.flip_margins < CLOSE * np.maximum(1.0, excess) ** 2
    if close.any():
        names = _listing([name for name, near in zip(joints, close, strict=True) if near])
        advice = f"move {names} faster and through many reversals, together with the joints before"
        yield SignFinding(SignVerdict.AMBIGUOUS, f"other signs of {names} fit nearly as well", advice)
    longer = "record a longer motion, with many changes of direction of all joints"
    if confidence.density < SPARSE:
        grave = confidence.gap < SPARSE_GAP or confidence.strain > STRAINED
        reason = f"there are {len(magnitudes.segments)} segments for {magnitudes.base.rank} coefficients, which can make up for wrong signs"
        yield SignFinding(SignVerdict.AMBIGUOUS if grave else SignVerdict.LIKELY, reason, longer)
    if confidence.unsure_energy > SOME_UNSURE:
        grave = confidence.unsure_energy > MANY_UNSURE
        reason = f"{100.0 * confidence.unsure_energy:.2g} % of the torque is in segments of unsure sign"
        yield SignFinding(SignVerdict.AMBIGUOUS if grave else SignVerdict.LIKELY, reason, longer)
    if confidence.strain > STRAINED:
        advice = f"check the robot description, give a {fits}, or record a faster motion"
        yield SignFinding(
            SignVerdict.LIKELY, f"links that can exist fit e^-{confidence.strain:.0f} times as well as the best coefficients", advice
        )


def _listing(names: Sequence[str]) -> str:
    return f"joint{'s' * (len(names) > 1)} {join_words(names)}"
