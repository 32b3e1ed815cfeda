"""From a log of |torque| to its signs, an estimate and feasible links: what is not said is settled here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import replace

import numpy as np

from dynident.core.arrays import Array
from dynident.data import Dataset
from dynident.dynamics.friction import linear
from dynident.dynamics.friction.model import FrictionModel
from dynident.links import InfeasibleError, LinkParameters, NotFoundError
from dynident.links.solve import MisfitError
from dynident.regression.estimate import Estimate
from dynident.regression.friction.choose import fit_chosen_friction
from dynident.regression.identify import Auto, Default, default_cutoff, fit_problem
from dynident.regression.problem import Problem, problem_on_base
from dynident.regression.rotors import find_rotors
from dynident.regression.summary import Noise
from dynident.robots.robot import Robot
from dynident.routes.signs.assignments import Assignment, rank_assignments, same
from dynident.routes.signs.confidence import measure_confidence, predict_segments, settle_verdict
from dynident.routes.signs.magnitudes import Magnitudes
from dynident.routes.signs.methods.method import SearchSettings, SignHypotheses, SignMethod
from dynident.routes.signs.methods.registry import method_by_name, search_signs
from dynident.routes.signs.prepare import UNCLEAR, prepare_magnitudes, shorten
from dynident.routes.signs.result import SignRecovery, signed_log
from dynident.routes.signs.sign_cost import search_levels, sign_cost


def recover_signs(
    robot: Robot,
    data: Dataset,
    *,
    method: str = "em",
    friction: FrictionModel | Default | Auto | None = "default",
    cutoff: float | Auto = "auto",
    options: Mapping[str, object] | object | None = None,
    seed: int = 0,
    executor: Executor | None = None,
    progress: Callable[[str], None] | None = None,
) -> SignRecovery:
    """Signs of the torque, and with them an estimate and feasible links, from a log that holds |torque| only (kind magnitude).

    Parameters
    ----------
    robot
        The robot.
    data
        A log whose efforts are magnitudes, of torques or currents.
    method
        Name of the search; see `dynident.routes.signs.METHODS`.
    friction
        Model of the joints' friction, None for none; by default that of the method, which for most is linear friction, with rotor inertia
        where the gears are known or the log shows it. "auto" chooses a model per joint on the log with the signs that this gives, and
        searches the signs again with it.
    cutoff
        Of the filter that smooths the motion, and that both sides of the fit go through then [Hz]; "auto" is 5 Hz, or a quarter of the
        log's rate where that is less.
    options
        Of the method's own, by name or as its options class.
    seed
        Of the random starts of the search.
    executor
        Does the random starts of the search; the answer is the same on any.
    progress
        Told one sentence per step.

    Returns
    -------
    SignRecovery
        The signs with their probability and the verdict, and what follows from them: an estimate, and links where some are feasible.

    Raises
    ------
    InputError
        Where the log has its signs already, or nothing tells them.

    Examples
    --------
    >>> from dynident import load_dataset, load_robot, recover_signs
    >>> found = recover_signs(load_robot("arm.urdf"), load_dataset("magnitudes.csv"))
    >>> found.signs.shape
    (1500, 2)
    """
    entry, preset = method_by_name(method), SearchSettings(seed=seed, progress=progress, executor=executor)

    def recover(model: FrictionModel | Default | None) -> SignRecovery:
        whole = prepare_magnitudes(robot, data, friction=model, cutoff=cutoff, seed=seed)
        part = shorten(whole) if entry.refined else whole
        hypotheses = search_signs(part, method=method, settings=preset, own=options)
        return conclude(part, hypotheses, method=method, whole=whole, seed=seed, progress=progress)

    if friction not in ("default", "auto"):
        return recover(friction)
    usual = entry.friction if friction == "default" else "default"
    first = recover(usual)
    if usual == "default" and data.gears is None:  # whether there are rotors, the log tells
        shown = find_rotors(_problem(first), linear())
        first = replace(first, notes=(*first.notes, shown)) if shown else recover(linear())
    if friction == "default":
        return first
    chosen = fit_chosen_friction(_problem(first), seed=seed, progress=progress)
    again = recover(chosen.base.friction)
    return replace(again, estimate=replace(again.estimate, choice=chosen.choice))


def _problem(recovery: SignRecovery) -> Problem:
    return recovery.estimate.require_problem()


def conclude(
    magnitudes: Magnitudes,
    found: SignHypotheses,
    *,
    method: str = "em",
    whole: Magnitudes | None = None,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> SignRecovery:
    """From the hypotheses of a method to its result: physics, sample by sample, confidence, estimate and links.

    Parameters
    ----------
    magnitudes
        What `prepare_magnitudes` returned.
    found
        The hypotheses of the method.
    method
        The method that found them.
    whole
        The log of which `magnitudes` are windows, whose samples all get their signs.
    seed
        Of the random numbers; the same seed gives the same result.
    progress
        Called now and then with a sentence about what is being done.

    Returns
    -------
    SignRecovery
        With the verdict.
    """
    from dynident.routes.signs.continuity import continuous_signs  # here, because importing Numba takes long

    way = method_by_name(method)
    refined = way.refined
    segmented = replace(magnitudes, segments=found.segments) if found.segments is not magnitudes.segments else magnitudes
    cost = sign_cost(segmented, search_levels(segmented))
    ranked = rank_assignments(segmented, cost, found, refined=refined, progress=progress)
    best = ranked[0]
    confidence, posterior = measure_confidence(segmented, sign_cost(segmented, best.refined.levels), ranked)
    proof = found.signs[0] if found.proven else None
    if proof is not None and (same(cost, best.signs, proof) or same(cost, best.signs, -proof)):
        confidence = replace(confidence, searched=True)
    verdict, reason, advice = settle_verdict(segmented, confidence)
    signs, notes = best.signs, segmented.notes
    if whole is not None and whole is not magnitudes:
        signs, posterior = predict_segments(whole, best.refined, confidence.inflation)
        segmented = whole
    soft = continuous_signs(segmented, best.refined) if refined else _hard_signs(segmented, best)
    estimate = _estimate(segmented, signed_log(segmented.log if refined else _without_rest(segmented), soft), way.noise, seed)
    if not verdict.settled:
        estimate = replace(estimate, doubts=(*estimate.doubts, f"{verdict.value} ({reason})"))
    links, failures = _links(estimate, way, seed, progress)
    return SignRecovery(
        log=segmented.log,
        soft_signs=soft,
        segments=segmented.segments,
        segment_signs=signs,
        posterior=posterior,
        threshold=np.maximum(segmented.threshold, UNCLEAR * confidence.levels),
        estimate=estimate,
        links=links,
        confidence=confidence,
        verdict=verdict,
        reason=reason,
        advice=advice,
        method=method,
        notes=(*notes, *failures),
    )


def _hard_signs(magnitudes: Magnitudes, best: Assignment) -> Array:
    """(N, n) the sign of the segment, zero outside of all."""
    signs = np.zeros(magnitudes.b.shape)
    for segment, sign in zip(magnitudes.segments, best.signs, strict=True):
        signs[segment.samples, segment.joint] = sign
    return signs


def _without_rest(magnitudes: Magnitudes) -> Dataset:
    """The log with the samples masked that belong to no segment."""
    inside = np.zeros(magnitudes.b.shape, dtype=bool)
    for segment in magnitudes.segments:
        inside[segment.samples, segment.joint] = True
    return magnitudes.log.restrict(inside)


def _estimate(magnitudes: Magnitudes, signed: Dataset, noise: Noise | None, seed: int) -> Estimate:
    cutoff, notes = default_cutoff(signed) if magnitudes.cutoff is None else (magnitudes.cutoff, ())
    problem = problem_on_base(magnitudes.base, signed, cutoff=cutoff)
    return fit_problem(replace(problem, notes=(*notes, *problem.notes)), noise=noise, seed=seed)


def _links(
    estimate: Estimate, way: SignMethod, seed: int, progress: Callable[[str], None] | None
) -> tuple[LinkParameters | None, tuple[str, ...]]:
    """Feasible links, or why there are none."""
    if progress is not None:
        progress("retrieving feasible links")
    try:
        return way.retrieve(estimate, seed), ()
    except (InfeasibleError, NotFoundError, MisfitError) as error:
        return None, (f"no feasible links: {error.message}",)
