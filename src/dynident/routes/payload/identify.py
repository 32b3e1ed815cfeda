"""From an identified arm and a loaded log to the payload: what is not said is settled here, for Python and the command line alike.

The arm may come from a run, from an unloaded log, `identify(robot, unloaded)`, or from its controller's M and g: an estimate is all that
is needed of it. Friction is fitted again by default: it changes with temperature and with the load, and torque sensors drift. On virtual
Pandas 1.5 kg are then uncertain by 2.7 g, and by 1.9 g where friction is held and has not changed; where it has by a tenth, the mass is
wrong by 13 g, and by a third, no payload explains the log any more.
"""

from __future__ import annotations

import numpy as np

from dynident.core.arrays import Array, BoolArray
from dynident.data import Dataset
from dynident.dynamics.friction import linear
from dynident.errors import InputError, UnknownNameError, require
from dynident.links.posterior import covariance as body_covariance
from dynident.links.problem import RetrievalProblem
from dynident.links.solve import solve_retrieval
from dynident.regression.equations.base import BaseParameters, base_parameters
from dynident.regression.equations.rows import LogRows
from dynident.regression.estimate import Estimate
from dynident.regression.estimation import estimate
from dynident.regression.identify import Auto, settle_filter
from dynident.regression.prepare import match_joints
from dynident.regression.problem import Problem, problem_on_base
from dynident.regression.solution import explains_badly
from dynident.robots.kinematics import length_unit, link_poses
from dynident.robots.robot import Robot
from dynident.routes.payload.body import payload_problem, prior_covariance
from dynident.routes.payload.difference import LoadDifference, load_difference, payload_columns
from dynident.routes.payload.notes import payload_notes
from dynident.routes.payload.quantities import quantities, quantity_std
from dynident.routes.payload.result import Declared, PayloadEstimate, PayloadEvidence

#: The data tell a mass or an inertia whose standard deviation is at most this share of it (an inertia: of the mean of the three), and a
#: centre of mass to this share of the length below; and they must leave at most that share of what the prior alone would leave.
TELLING = 0.5
#: Half the width of a hand-held tool or of a flange, on an ordinary arm [m].
PLACE = 0.05
#: So many standard deviations below zero a mass is negative, not uncertain.
CLEARLY_NEGATIVE = 4.0
#: Samples of the loaded log that a result keeps, about.
MOST_SAMPLES = 1000


def identify_payload(
    arm: Estimate,
    loaded: Dataset,
    *,
    link: str | None = None,
    declared: Declared | None = None,
    refit_friction: bool = True,
    cutoff: float | Auto | None = "auto",
    rate: float | None = None,
) -> PayloadEstimate:
    """Mass, centre of mass and inertia of what an identified arm carries in a log.

    Parameters
    ----------
    arm
        Of a run, or `identify(robot, unloaded_log)`.
    loaded
        A log of the arm with the payload.
    link
        That carries the payload, in whose parameter frame it then is; by default the last one, through the robot's tool frame.
    declared
        What the controller was told, to be compared with.
    refit_friction
        Fit the friction of the loaded log again; False holds it at the arm's.
    cutoff, rate
        Of the filter of the loaded log [Hz]; by default as in the identification of the arm, less for a slower log.

    Returns
    -------
    PayloadEstimate
        Mass, centre of mass and inertia with their standard deviations, and which of them the data tell.

    Raises
    ------
    InputError
        Where no payload explains the log, such as one of another arm.

    Examples
    --------
    >>> from dynident import identify_payload, load_dataset, load_run
    >>> payload = identify_payload(load_run("run").estimate, load_dataset("loaded.csv"))
    >>> round(payload.mass, 1)
    0.5
    """
    robot = arm.base.robot
    index, flange = _carrier(arm.base, link)
    _check_distinct(arm, loaded)
    cutoff, rate, chosen = settle_filter(arm, loaded, cutoff, rate)
    problem = problem_on_base(_loaded_base(arm.base), loaded, cutoff=cutoff, rate=rate)
    alone = estimate(problem)
    difference = load_difference(arm, alone, index, flange, refit_friction=refit_friction)
    _check_explained(arm, alone, difference, refit_friction=refit_friction)
    _check_positive(difference)
    if not len(difference.values):
        raise InputError("this log tells nothing of a payload: no joint that moves feels it", remedy="move the joints that carry it")
    retrieval = payload_problem(difference, length_unit(robot))
    body = solve_retrieval(retrieval)
    covariance = require(body_covariance(retrieval), "the covariance of the payload")  # the prior is knowledge about all ten
    regressor = _sample_rows(problem, payload_columns(alone.base, index, flange))
    rows = problem.rows[0]
    if not isinstance(rows, LogRows):
        raise InputError("a payload is identified from a log of the arm that carries it, not from samples of M and g")
    result = PayloadEstimate(
        robot=robot,
        link=robot.link_names[index],
        flange=flange,
        parameters=body.x,
        covariance=covariance,
        told=_tell(retrieval, body.x, covariance),
        quantile=_quantile(arm, alone),
        evidence=PayloadEvidence(
            source=loaded.source,
            arm=arm.summary.source,
            samples=loaded.samples,
            alone=alone.residuals.relative_percent,
            together=difference.together.relative_percent,
            strain=difference.strain,
            mass=difference.mass,
            blur=_blur(float(np.sqrt(covariance[0, 0])) if difference.mass is None else difference.mass[1], regressor, alone),
            refit_friction=refit_friction or arm.base.friction is None,
            tilt=_tilt(robot, rows.dataset.q, index, flange),
            gap=max(body.gap, 0.0),
        ),
        regressor=regressor,
        declared=declared,
        notes=(*chosen, *problem.notes, *body.notes),
    )
    return payload_notes(result)


def _carrier(base: BaseParameters, link: str | None) -> tuple[int, Array]:
    """The link that carries the payload, and the flange frame in its parameter frame."""
    robot = base.robot
    if base.columns.of_extra:
        raise InputError("the arm's model has columns of its own, which the loaded log doesn't have; identify the arm without them")
    if link is None:
        return robot.n - 1, robot.tool
    if link not in robot.link_names:
        raise UnknownNameError("link", link, robot.link_names)
    return robot.link_names.index(link), np.eye(4)


def _check_distinct(arm: Estimate, loaded: Dataset) -> None:
    """The two logs must not be one."""
    matched = match_joints(arm.base.robot, loaded)
    if arm.provenance is None or not isinstance(matched, Dataset):
        return
    share = loaded.used.overlap(arm.provenance)
    if share > 0.0:
        whose = "all samples" if share > 0.999 else f"{100.0 * share:.2g} % of the samples"
        raise InputError(
            f"{whose} of the loaded log are those that the arm was identified from, so that nothing in them is the payload's",
            remedy="give a log with the payload, and for the arm one without it",
        )


def _loaded_base(arm: BaseParameters) -> BaseParameters:
    """The base parameters of the loaded arm: the arm's own, unless those are of M and g or count on known values of the bare arm."""
    if arm.equations == "torque" and not arm.known:
        return arm
    friction = arm.friction if arm.equations == "torque" else linear()
    return base_parameters(arm.robot, friction=friction)


def _check_explained(arm: Estimate, alone: Estimate, difference: LoadDifference, *, refit_friction: bool) -> None:
    """InputError where no body on the flange makes the arm's torques those of the loaded log."""
    fitted, together = alone.residuals.relative_percent, difference.together.relative_percent
    if not explains_badly(fitted, together):
        return
    each, best = difference.together.relative_percent_per_group, alone.residuals.relative_percent_per_group
    worst = int(np.argmax(difference.together.squares - alone.residuals.squares))
    name = difference.together.names[worst]
    held = "" if refit_friction else "let the friction be fitted again, which may have changed, or "
    raise InputError(
        f"no payload makes this log one of the arm of {arm.summary.source}: arm and payload leave {together:.3g} % of the effort, a fit to "
        f"the log alone {fitted:.3g} % (most of joint {name}: {each[worst]:.3g} and {best[worst]:.3g} %)",
        remedy=f"{held}check that both logs are of the same arm, in the same mounting, with efforts of the same kind and signs, and that "
        "the payload is fixed to the link that is said to carry it",
    )


def _check_positive(difference: LoadDifference) -> None:
    if difference.mass is None:
        return
    mass, std = difference.mass
    if mass < -CLEARLY_NEGATIVE * std:
        raise InputError(
            f"the arm carries {-mass:.3g} ± {std:.1g} kg less in the loaded log than in its own, and no payload has a negative mass",
            remedy="give the logs the other way round if they were swapped, or identify the arm without its tool",
        )


def _tell(problem: RetrievalProblem, parameters: Array, covariance: Array) -> BoolArray:
    """(10,) which of mass, centre of mass and inertia the data tell."""
    values, std = quantities(parameters), quantity_std(parameters, covariance)
    before = quantity_std(parameters, prior_covariance(require(problem.prior, "the prior of the payload")))
    place = PLACE * length_unit(problem.base.robot)
    sizes = np.array([values[0], *[place] * 3, *[float(np.mean(values[[4, 7, 9]]))] * 6])
    return (std <= TELLING * sizes) & (std <= TELLING * before)


def _blur(std: float, regressor: Array, alone: Estimate) -> float:
    """What a standard deviation of the mass would do to the efforts of the log, as a share of them."""
    unexplained = alone.residuals
    per_kilogram = np.mean(regressor[:, :, 0] ** 2, axis=1)
    efforts = unexplained.totals / np.maximum(unexplained.counts, 1)
    return std * float(np.sqrt(per_kilogram.sum() / max(float(efforts.sum()), np.finfo(float).tiny)))


def _quantile(arm: Estimate, alone: Estimate) -> float:
    """Standard deviations in half a 95 % interval: 1.96 of noise, more where few blocks of the logs tell them; as of the coefficients."""
    ratios = [item.half_interval[item.kept] / item.std[item.kept] for item in (arm, alone)]
    return float(np.median(np.concatenate(ratios)))


def _sample_rows(problem: Problem, G: Array) -> Array:
    """(n, N, 10) what each of the ten parameters does to the joints, at some of the log's samples. G : (b, 10) what it does to the base."""
    step = -(-int(problem.counts.max()) // MOST_SAMPLES)
    pieces: list[list[Array]] = [[] for _ in problem.groups]
    for source in problem.rows:
        for group, table, _ in source.tables():
            pieces[group].append(table[:-1, ::step].T @ G[problem.groups[group].columns])
    joints = [np.concatenate(parts) for parts in pieces]
    fewest = min(len(rows) for rows in joints)  # a mask leaves joints different ones
    return np.stack([rows[:fewest] for rows in joints])


def _tilt(robot: Robot, q: Array, link: int, flange: Array) -> float:
    """How far gravity turns from its mean direction as the flange sees it [rad]."""
    strength = float(np.linalg.norm(robot.gravity))
    if strength == 0.0:
        return 0.0
    poses = link_poses(robot, q[:: -(-len(q) // MOST_SAMPLES)])[:, link] @ flange
    down = np.einsum("kij,i->kj", poses[:, :3, :3], robot.gravity / strength)
    mean = down.mean(axis=0)
    size = float(np.linalg.norm(mean))
    return float(np.arccos(np.clip(down @ (mean / size), -1.0, 1.0)).max()) if size > 0.0 else float(np.pi)
