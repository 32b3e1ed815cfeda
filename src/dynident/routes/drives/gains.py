"""Torque per ampere of every drive, from logs of currents and something that is known: a payload, masses, or the vendor's numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from dynident.core.arrays import Array
from dynident.data import Dataset, EffortKind
from dynident.dynamics.friction import linear_with_rotor
from dynident.dynamics.friction.model import FrictionModel
from dynident.errors import InputError, ValueRangeError
from dynident.regression.equations.base import BaseParameters, base_parameters
from dynident.regression.equations.factors import triangular
from dynident.regression.identify import Default, default_cutoff
from dynident.regression.problem import Problem, problem_on_base
from dynident.robots.parameters import PARAMETERS_PER_LINK
from dynident.robots.parameters.link_metric import weight_of
from dynident.robots.robot import Robot
from dynident.routes.drives.gain_fit import CurrentLog, GainFit, Knowledge, fit_gains, gain_covariance, total_least_squares
from dynident.routes.drives.knowledge import KnownMasses, KnownPayload, assemble, describe_gains
from dynident.routes.drives.known_values import KnownValue
from dynident.routes.drives.result import DriveGains

#: Factors to which links may be like the description; the data choose among them.
LIKENESS = (1.01, 1.02, 1.05, 1.1, 1.2, 1.35, 1.6, 2.0)

#: Powers of ten by which gains that suit the description are never wrong.
ABSURD, TINY = 3.0, 1e-300
#: Two logs have two models where one leaves more by this many times what chance adds; correlated noise makes it a few times.
DISTINCT = 10.0


def identify_gains(
    robot: Robot,
    unloaded: Dataset,
    *,
    loaded: Dataset | None = None,
    payload: KnownPayload | None = None,
    masses: KnownMasses | None = None,
    vendor: Sequence[KnownValue] | None = None,
    friction: FrictionModel | Default | None = "default",
    cutoff: float | None = None,
) -> DriveGains:
    """Torque per unit of recorded effort, a gain per joint, and how well each is known.

    Parameters
    ----------
    robot
        The robot.
    unloaded
        A log of currents, or of torques that are right up to a factor per joint, without payload.
    loaded, payload
        A log with a payload on the tool, and what is known of that.
    masses
        Of the links that move, all together or single ones; then the description's proportions count too, as far as the data agree with
        them, or those of uniform links where nothing describes them.
    vendor
        The gains that somebody has told, one per joint.
    friction
        By default linear friction and rotor inertia, which a current drives too; None for none.
    cutoff
        Of the parallel filter [Hz]; by default as for `identify`.

    Returns
    -------
    DriveGains
        The gains with their standard deviations, and what fixed them.

    Notes
    -----
    Where none of payload, masses and vendor is given, only the ratios of the gains follow, and the status says so.
    """
    if (loaded is None) != (payload is None):
        raise InputError("a loaded log and the mass of its payload go together; give both, or none")
    if unloaded.gears is not None and np.count_nonzero(unloaded.gears) > robot.n:
        raise InputError(
            "motors of this log turn several joints, so that a joint's effort is that of several drives, and has no gain of its own",
            remedy="give the vendor's gains where the log is read",
        )
    if vendor is not None and len(vendor) != robot.n:
        raise ValueRangeError("vendor", f"has {len(vendor)} gains; {robot.name!r} has {robot.n} joints, and needs one each")
    base = base_parameters(robot, friction=linear_with_rotor() if friction == "default" else friction)
    problems = [_current_problem(base, log, cutoff) for log in (unloaded, loaded) if log is not None]
    start = _start(base, problems, payload, masses, vendor)
    likenesses = (1.0,) if masses is None else LIKENESS
    trials: list[_Trial] = []
    for likeness in likenesses:
        logs, knowledge = assemble(base, problems, payload=payload, masses=masses, likeness=likeness, vendor=vendor, gains=start)
        fit = fit_gains(logs, knowledge, trials[-1].fit.gains if trials else start)
        # Laplace's method (MacKay, Neural Computation 4, 1992); the likeness scales all rows on the links alike
        of_links = PARAMETERS_PER_LINK * robot.n * float(np.log(weight_of(likeness))) if masses is not None else 0.0
        trials.append(_Trial(fit.cost + fit.log_determinant - of_links, likeness, logs, knowledge, fit))
    best = min(trials, key=lambda trial: trial.evidence)
    gains, covariance = best.fit.gains, gain_covariance(best.logs, best.knowledge, best.fit)
    if not best.knowledge.fixes_scale:
        gains, covariance = _relative(gains, covariance)
    if masses is not None and payload is None:
        covariance = covariance + masses.scale_std**2
    return DriveGains(
        robot=robot,
        gains=gains,
        log_covariance=covariance,
        kind=unloaded.effort_kind or EffortKind.CURRENT,
        payload=payload,
        masses=masses,
        vendor=None if vendor is None else tuple(vendor),
        likeness=None if masses is None else best.likeness,
        left_percent=100.0 * best.fit.levels / np.sqrt(_squares(problems) / sum(problem.counts for problem in problems)),
        payload_parameters=None if payload is None else best.fit.unknowns[-PARAMETERS_PER_LINK:],
        logs=tuple(problem.source for problem in problems if problem.source),
    )


class _Trial(NamedTuple):
    """A fit, what it was told, and -2 log p(data | what it was told) but for a constant."""

    evidence: float
    likeness: float
    logs: Sequence[CurrentLog]
    knowledge: Knowledge
    fit: GainFit


def _relative(gains: Array, covariance: Array) -> tuple[Array, Array]:
    """Gains in units of the one to which the others are known best, and the covariance of their logarithms then."""
    variances = np.diag(covariance)
    of_ratios = variances[:, None] + variances - 2.0 * covariance
    reference = int(np.argmin(np.median(of_ratios, axis=1)))
    differences = np.eye(len(gains))
    differences[:, reference] -= 1.0
    return gains / gains[reference], differences @ covariance @ differences.T


def _current_problem(base: BaseParameters, log: Dataset, cutoff: float | None) -> Problem:
    """The log as a problem whose right-hand side is the effort as it was recorded, a torque but for a factor per joint."""
    signed = replace(log, effort_kind=EffortKind.TORQUE) if log.effort_kind is EffortKind.CURRENT else log
    return problem_on_base(base, signed, cutoff=default_cutoff(log)[0] if cutoff is None else cutoff)


def _start(
    base: BaseParameters,
    problems: Sequence[Problem],
    payload: KnownPayload | None,
    masses: KnownMasses | None,
    vendor: Sequence[KnownValue] | None,
) -> Array:
    """(n,) gains to start from: the vendor's, those of total least squares with a payload, else those that suit the description."""
    if vendor is not None:
        return np.array([known.value for known in vendor])
    described = describe_gains(base, problems[0], masses)
    if payload is None:
        return described
    _check_payload(problems, payload)
    fitted = total_least_squares(*assemble(base, problems, payload=payload, masses=None, likeness=1.0, vendor=None, gains=described))
    # the gain of a joint that feels neither payload nor weight can be anything
    return np.where(np.isfinite(fitted) & (np.abs(np.log10(np.abs(fitted / described) + TINY)) < ABSURD), fitted, described)


def _check_payload(problems: Sequence[Problem], payload: KnownPayload) -> None:
    """The efforts of the two logs follow from their motions in two ways, whatever the ways are."""
    unloaded, loaded = problems
    for one, other, count in zip(unloaded.factors, loaded.factors, (unloaded.counts + loaded.counts).tolist(), strict=True):
        apart = one[-1, -1] ** 2 + other[-1, -1] ** 2
        together = triangular([one, other])[-1, -1] ** 2
        if together - apart > DISTINCT * len(one) * apart / max(count - 2 * len(one), 1):
            return
    raise InputError(
        f"the loaded log shows no payload of {payload.mass.value:g} kg: its efforts follow from its motion as those of the other log do",
        remedy="check that the two are not the same, and that the payload was on the tool",
    )


def _squares(problems: Sequence[Problem]) -> Array:
    """(n,) sum of squares of each current."""
    per_log = [[np.sum(factor[:, -1] ** 2) for factor in problem.factors] for problem in problems]
    return np.sum(per_log, axis=0)
