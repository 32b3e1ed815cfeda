"""From a robot and data to an estimate: what is not said is settled here, for Python and the command line alike.

The route follows from the data: a log of motion and torque, or the M(q) and g(q) that a controller returns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias, TypedDict, Unpack

from numpy.typing import ArrayLike

from dynident.core.arrays import Array
from dynident.data import ControllerSamples, Dataset
from dynident.data.signals.faulty_samples import describe_faults, leave_out_faults
from dynident.data.signals.holds import gravity_samples
from dynident.dynamics.friction import couple, linear, linear_with_rotor
from dynident.dynamics.friction.model import FrictionModel
from dynident.errors import InputError, ValueRangeError
from dynident.regression.both_routes import combine
from dynident.regression.equations.base import Equations, base_parameters
from dynident.regression.equations.columns import problem_columns
from dynident.regression.estimate import Estimate
from dynident.regression.estimation import EstimateOptions, estimate
from dynident.regression.friction.choose import fit_chosen_friction
from dynident.regression.friction.fit_friction import fit_friction, has_shapes
from dynident.regression.friction.richer import richer_friction
from dynident.regression.prepare import check_torque, even_clock, match_joints, parallel_filter, usual_cutoff
from dynident.regression.problem import Problem, controller_equations, problem_on_base
from dynident.regression.rotors import settle_rotors
from dynident.regression.solution import Prior
from dynident.regression.summary import Noise
from dynident.regression.uncertainty.losses import Loss
from dynident.robots.robot import Robot

#: What the data decide.
Auto: TypeAlias = Literal["auto"]
#: What is usual for such data.
Default: TypeAlias = Literal["default"]
#: Share of a log that the default filter must leave.
LEAST_LEFT = 0.5


class ProblemOptions(TypedDict, total=False):
    """The options of `build_problem` beside friction, all of which can be left out."""

    cutoff: float | Auto | None
    rate: float | None
    equations: Equations | None
    known: Mapping[str, float] | None
    extra: Mapping[str, ArrayLike] | None
    load: ArrayLike | None
    seed: int


class IdentifyOptions(ProblemOptions, EstimateOptions, total=False):
    """The options of `identify`, all of which can be left out."""

    friction: FrictionModel | Default | Auto | None
    fit_shapes: bool
    progress: Callable[[str], None] | None


def identify(
    robot: Robot,
    data: Dataset | ControllerSamples | Sequence[Dataset | ControllerSamples],
    *,
    friction: FrictionModel | Default | Auto | None = "default",
    fit_shapes: bool = True,
    loss: Loss | None = None,
    noise: Noise | None = None,
    drop_above_percent: float | None = None,
    prior: Prior | None = None,
    progress: Callable[[str], None] | None = None,
    **building: Unpack[ProblemOptions],
) -> Estimate:
    """Dynamic coefficients, with friction from a log (eqs. 5 to 9, 24 and 25 of the Panda paper), without from M and g (eqs. 17 to 22).

    Parameters
    ----------
    robot
        The robot, whose own link parameters are not used.
    data
        A log, a controller's samples, or both in a list. Of both each counts by its own noise, and `Estimate.vendor_model` tells whether
        the controller's model is that of the arm; `equations` are then those of the samples, all else is of the log.
    friction
        As in `build_problem`; "auto" chooses a model per joint by what it predicts of held-out parts of the log.
    fit_shapes
        Whether the shapes of the friction model are fitted too, or stay as they are.
    loss, noise, drop_above_percent, prior
        As in `estimate`.
    progress
        Called now and then with a sentence about what is being done.
    **building
        As in `build_problem`: cutoff, rate, equations, known, extra, load, seed.

    Returns
    -------
    Estimate
        Values, covariance, residuals and notes.

    Notes
    -----
    The others are those of `build_problem` (cutoff, rate, equations, known, extra, load, seed) and of `fit`, one after the other.
    """
    problem, controller = build_problems(robot, data, friction=friction, **building)
    fitting = EstimateOptions(noise=noise, loss=loss, prior=prior, drop_above_percent=drop_above_percent)
    seed = building.get("seed", 0)
    return fit_problem(problem, controller, auto=friction == "auto", fit_shapes=fit_shapes, seed=seed, progress=progress, **fitting)


def fit_problem(
    problem: Problem,
    controller: Problem | None = None,
    *,
    auto: bool = False,
    fit_shapes: bool = True,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
    **fitting: Unpack[EstimateOptions],
) -> Estimate:
    """The estimate of a problem; where its friction has shapes, with these fitted too.

    controller : of a controller's samples beside the log. Each is first estimated alone, and all that they determine is compared; prior and
        dropping are for the estimate from both.
    auto : with the friction that suits each joint; else a note says where such friction would halve the error.
    """
    if controller is not None:
        alone = EstimateOptions(noise=fitting.get("noise"), loss=fitting.get("loss"))
        log = fit_problem(problem, auto=auto, fit_shapes=fit_shapes, seed=seed, progress=progress, **alone)
        return combine(log, estimate(controller, progress=progress, **alone), progress=progress, **fitting)
    model = problem.base.friction
    if auto:
        return fit_chosen_friction(problem, seed=seed, progress=progress, **fitting)
    if model is not None and problem.rows and ("load" in model.needs or (fit_shapes and has_shapes(model))):
        fitted = fit_friction(problem, model, fit_shapes=fit_shapes, seed=seed, progress=progress, **fitting)
    else:
        fitted = estimate(problem, progress=progress, **fitting)
    return replace(fitted, notes=(*fitted.notes, *richer_friction(fitted)))


def build_problems(
    robot: Robot,
    data: Dataset | ControllerSamples | Sequence[Dataset | ControllerSamples],
    *,
    friction: FrictionModel | Default | Auto | None = "default",
    progress: Callable[[float], None] | None = None,
    **building: Unpack[ProblemOptions],
) -> tuple[Problem, Problem | None]:
    """The problem of a log or of a controller's samples; or both, of which `equations` is for the samples and all else for the log."""
    items = [data] if isinstance(data, (Dataset, ControllerSamples)) else list(data)
    logs = [item for item in items if isinstance(item, Dataset)]
    samples = [item for item in items if isinstance(item, ControllerSamples)]
    if not items or len(logs) + len(samples) < len(items):
        raise InputError("data are expected to be a log (Dataset), a controller's samples (ControllerSamples), or a list of these")
    if not logs or not samples:
        whole = Dataset.concatenate(logs) if logs else ControllerSamples.concatenate(samples)
        return build_problem(robot, whole, friction=friction, progress=progress, **building), None
    equations, known = building.pop("equations", None), building.get("known") or {}
    of_links = {name: value for name, value in known.items() if name in problem_columns(robot, None).names}
    controller = build_problem(
        robot, ControllerSamples.concatenate(samples), equations=equations, known=of_links, seed=building.get("seed", 0)
    )
    return build_problem(robot, Dataset.concatenate(logs), friction=friction, progress=progress, **building), controller


def build_problem(
    robot: Robot,
    data: Dataset | ControllerSamples,
    *,
    friction: FrictionModel | Default | Auto | None = "default",
    cutoff: float | Auto | None = "auto",
    rate: float | None = None,
    equations: Equations | None = None,
    known: Mapping[str, float] | None = None,
    extra: Mapping[str, ArrayLike] | None = None,
    load: ArrayLike | None = None,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> Problem:
    """Stream the data through the kernels into one factor per group of rows; memory doesn't grow with the data.

    Parameters
    ----------
    robot
        The robot, whose own link parameters are not used.
    data
        A log, or a controller's samples.
    friction
        Model of the joints' friction, None for none; by default linear friction for a log, with rotor inertia where its gears are known or
        the data show it, and none for controller samples. Where motors turn several joints, their friction and rotors act on all of these.
        "auto" is what the choice of a model begins with.
    cutoff
        Parallel filter, -6 dB frequency [Hz]; regressor columns and effort go through the same zero-phase filter. None for no filter;
        "auto" filters a log at 5 Hz, or a quarter of its rate where that is less.
    rate
        Output rate of the filter [Hz]; by default four times the cutoff.
    equations
        For controller samples, "controller" (all that is there), "inertia" or "gravity", as in the KUKA paper; of a log "gravity" takes the
        holds, where all joints stand still.
    known
        Parameters declared known, by name; they are not estimated.
    extra
        Further columns by name, each (N, n): the effort of every joint per unit of the parameter.
    load : (N, n) array_like
        Torque that the joints transmit, for friction that depends on it [N·m | N]; without it fits take the torque of the links.
    seed
        Of the random samples that tell the base parameters.
    progress
        Called now and then with the share that is done, 0 to 1.

    Returns
    -------
    Problem
        For `estimate`; what the data say, compressed.
    """
    notes: tuple[str, ...] = ()
    if isinstance(data, Dataset) and equations == "gravity":
        check_torque(data)
        data, faulty = leave_out_faults(data, filtered=False)
        fault_notes = tuple(describe_faults(faulty, data.samples))
        data = gravity_samples(even_clock(data))
        notes = (
            *fault_notes,
            f"gravity was told from {data.samples} holds; friction that held a joint there is part of what is not explained",
        )
    matched = match_joints(robot, data)
    is_log = isinstance(data, Dataset)
    if isinstance(data, ControllerSamples):
        equations = controller_equations(data, equations)
    elif equations not in (None, "torque"):
        raise ValueRangeError("equations", f"{equations!r} are those of controller samples (M and g), and the data are a log; leave it out")
    gears = matched.gears if isinstance(matched, Dataset) else None
    open_rotors = friction in ("default", "auto") and is_log and gears is None  # whether there are any, the data tell
    friction = first_friction(friction, gears) if is_log or friction not in ("default", "auto") else None
    if cutoff == "auto":
        cutoff, notes = default_cutoff(data) if is_log else (None, notes)
    base = base_parameters(robot, friction=friction, equations=equations or "torque", known=known, extra=tuple(extra or ()), seed=seed)
    problem = problem_on_base(base, data, cutoff=cutoff, rate=rate, extra=extra, load=load, progress=progress)
    problem = replace(problem, notes=(*notes, *problem.notes))
    return settle_rotors(problem, linear(), seed=seed) if open_rotors else problem


def first_friction(friction: FrictionModel | Default | Auto | None, gears: Array | None) -> FrictionModel | None:
    """The model that a log is fitted with first: by default, and where one is to be chosen, linear friction with rotors, whose presence
    the data then tell.

    gears : (n, n) R of the drives, motor = R · joint, or None where it is not known.
    """
    if friction in ("default", "auto"):
        friction = linear_with_rotor()
    return friction if friction is None or gears is None else couple(friction, gears)


def settle_filter(
    estimate: Estimate, log: Dataset, cutoff: float | Auto | None, rate: float | None
) -> tuple[float | None, float | None, tuple[str, ...]]:
    """Cutoff and rate [Hz] of the filter of another log than that of an estimate, and a note where neither was asked for nor is as there.

    cutoff, rate : what was asked for. "auto" is the filter of the estimate, lower where the log is slower, and what is usual for a log
        where the estimate had no filter: one from a controller's M and g, or one from a log whose velocities and accelerations were
        recorded when those of this one were not.
    """
    if cutoff != "auto":
        return cutoff, rate, ()
    done = estimate.summary.processing
    if done.cutoff_hz is not None:
        slow = log.rate / 4.0 < done.cutoff_hz
        return (log.rate / 4.0, rate, ()) if slow else (done.cutoff_hz, rate or done.rate_hz, ())
    if estimate.base.equations == "torque" and log.dq is not None and log.ddq is not None:
        return None, rate, ()
    cutoff, notes = default_cutoff(log)
    return cutoff, rate, notes


def default_cutoff(log: Dataset) -> tuple[float | None, tuple[str, ...]]:
    """The filter [Hz] of a log for which nothing is said, and a note where that follows from what the log lacks.

    Only a complete log that is too short for the filter's edges goes without.
    """
    missing = [name for name, values in (("velocities", log.dq), ("accelerations", log.ddq)) if values is None]
    cutoff = usual_cutoff(log.rate)
    if missing:
        what = " and no ".join(missing)
        return cutoff, (f"the log has no {what}, so both sides were filtered at {cutoff:g} Hz; another cutoff, or none, can be asked for",)
    filter = parallel_filter(log.rate, cutoff)
    left = filter.factor * sum(filter.valid(segment.stop - segment.start) for segment in log.segments)
    if left < LEAST_LEFT * log.samples:
        edge = filter.half_width / log.rate
        short = f"a filter at {cutoff:g} Hz would lose {edge:.2g} s at each end of each segment, more than half of this log"
        return None, (f"{short}, so it was used as recorded; a higher cutoff can be asked for",)
    return cutoff, ()
