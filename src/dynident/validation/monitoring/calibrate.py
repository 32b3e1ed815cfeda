"""Thresholds with a stated rate of false alarms, from the residuals of free motion and from what is not known of the parameters.

The largest |r| of a Gaussian process in a while T is below u with the probability exp(-ν T exp(-u² / 2σ²)) (Rice, Bell System Technical
Journal 24, 1945): its square has Gumbel's distribution. So the squares of the maxima of short stretches tell both of its numbers, whatever
the spectrum, and the level that is exceeded as rarely as is asked for. Residuals that are not Gaussian make them larger. Few stretches
tell the scale only so well, so its standard error is added to it. A residual is looked at beside the standard deviation of its noise at
that posture (`residual_noise`), without which the few postures with much noise would rule, and the distance of all of them as it is.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array, check_positive
from dynident.data import Dataset
from dynident.data.signals.agreement import smooth_motion
from dynident.dynamics import mass_matrix
from dynident.errors import InputError
from dynident.links.result import LinkParameters
from dynident.regression.estimate import Estimate
from dynident.regression.prepare import even_clock, usual_cutoff
from dynident.validation.models import as_torque_model
from dynident.validation.monitoring.contact_monitor import Calibration, ContactMonitor
from dynident.validation.monitoring.observe import observe, watched_log
from dynident.validation.monitoring.residual_noise import ResidualNoise, fit_noise
from dynident.validation.monitoring.watched_model import WatchedModel
from dynident.validation.prediction import prediction_std

#: Defaults: gain [1/s], time of confirmation [s], false alarms per hour.
GAIN, CONFIRMATION, FALSE_ALARMS = 25.0, 0.005, 0.1
#: Stretches whose maxima are looked at [s], many times as long as the observer remembers; and how many are needed.
STRETCH, LEAST_STRETCHES = 1.0, 8
#: The observer has forgotten how it started after so many time constants.
_FORGOTTEN = 5.0
#: Share of the stretches that have no contact in them, where there may be some.
_QUIET = 0.7
#: Standard deviations of the measured velocity, and of the parameters' effect, that are allowed for.
_BLURS, _SPREADS = 3.0, 3.0
#: A joint moves where its allowance is below this share of the one at rest; rows that are needed for the noise, and that are enough.
_MOVING, _LEAST_ROWS, _MOST_ROWS = 0.1, 500, 4000
#: Postures in the joints' ranges at which the parameters' effect is looked at.
_POSTURES = 400
_EULER = 0.5772156649015329
#: Median and lower quartile of |x| of a normal x with standard deviation 1.
_NORMAL_MEDIAN, _NORMAL_QUARTER = 0.6744897501960817, 0.31863936396437515
#: Levels of free motion are 6 to 15 standard deviations; beyond so many the stretches are hardly of free motion.
_TOO_HIGH = 25.0


def contact_monitor(
    model: Estimate,
    free: Dataset,
    *,
    links: LinkParameters | None = None,
    gain: ArrayLike = GAIN,
    confirmation: float = CONFIRMATION,
    false_alarms: float = FALSE_ALARMS,
    contacts_possible: bool = False,
) -> ContactMonitor:
    """A monitor whose thresholds come from a log of free motion, such as that of the validation.

    Parameters
    ----------
    model
        The estimate, whose coefficients are watched with where no links are given.
    free
        A log of the robot without contacts.
    links
        What `retrieve` or `read_parameters` returned; by default the coefficients are watched with.
    gain
        K of the observer [1/s], one or one per joint: a contact shows after 1/K, and noise grows with K.
    confirmation
        How long a residual must stay above its threshold [s].
    false_alarms
        Expected per hour, over all joints.
    contacts_possible
        The log may have contacts in it, in less than a third of its seconds.

    Returns
    -------
    ContactMonitor
        The monitor, with the gain, the thresholds and the noise behind them.

    Raises
    ------
    InputError
        Where the log is too short, or has no torques.

    Examples
    --------
    >>> from dynident import contact_monitor, load_dataset, load_run
    >>> monitor = contact_monitor(load_run("run").estimate, load_dataset("other.csv"), false_alarms=1.0)
    >>> monitor.model.name
    'coefficients'
    """
    watched = WatchedModel.of(as_torque_model(model, links), links)
    return calibrate(
        watched,
        free,
        gain=gain,
        confirmation=confirmation,
        false_alarms=false_alarms,
        contacts_possible=contacts_possible,
        of=(model, links),
    )


def calibrate(
    watched: WatchedModel,
    free: Dataset,
    *,
    gain: ArrayLike = GAIN,
    confirmation: float = CONFIRMATION,
    false_alarms: float = FALSE_ALARMS,
    contacts_possible: bool = False,
    of: tuple[Estimate, LinkParameters | None] | None = None,
) -> ContactMonitor:
    """The same for any model. of : the results that it is made of, whose covariance tells what is not known of the parameters."""
    check_positive("false_alarms", false_alarms, "1/h")
    log, notes = watched_log(watched.robot, free)
    even = even_clock(log)
    smooth = smooth_motion(even, usual_cutoff(even.rate))
    blur = _BLURS * _velocity_noise(even, smooth)
    bare = ContactMonitor(
        model=watched, gain=np.asarray(gain, dtype=float), level=np.full(log.n, np.inf), blur=blur, confirmation=confirmation
    )
    noise = _noise(bare, log, robust=contacts_possible)
    seen = observe(replace(bare, noise=noise), log)
    beyond = np.maximum(np.abs(seen.residual) - seen.allowance, 0.0) / seen.std
    maxima, rms = _stretches(log, np.column_stack([beyond, seen.distance]), seen.residual, float(bare.gain.min()))
    spread = np.zeros(log.n) if of is None else _spread(*of, smooth)
    judged = log.n + 1  # every joint by itself, and all together
    rare = _rare_level(maxima, 3600.0 / (false_alarms * STRETCH) * judged, robust=contacts_possible)
    level, distance_level = rare[:-1], float(rare[-1])
    # at its level, the spread of the parameters counts with so many standard deviations
    elsewhere = _SPREADS * spread / np.maximum(level, 1.0)
    noise = replace(noise, effort=np.hypot(noise.effort, elsewhere))
    if contacts_possible:
        notes = (*notes, "the thresholds come from these data themselves, of which contacts were taken to be the smaller part")
        if np.any(level > _TOO_HIGH * _quiet_level(seen.residual / seen.std)):
            notes = (
                *notes,
                "these data are either touched in most of their seconds or rest most of the time, so that the thresholds may be "
                "too high to tell a contact; find them in a log without contacts",
            )
    calibration = Calibration(
        source=log.source,
        seconds=len(maxima) * STRETCH,
        false_alarms=false_alarms,
        rms=rms,
        spread=spread,
        contacts_possible=contacts_possible,
    )
    return replace(bare, level=level, noise=noise, distance_level=distance_level, calibration=calibration, notes=notes)


def _velocity_noise(log: Dataset, smooth: Dataset) -> Array:
    """(n,) standard deviation of a recorded velocity about the smooth one, by the median, so that a few jerks don't count."""
    return np.median(np.abs(log.require("dq") - smooth.require("dq")), axis=0) / _NORMAL_MEDIAN


def _noise(bare: ContactMonitor, log: Dataset, *, robust: bool) -> ResidualNoise:
    """Of the residuals of joints that move; of all of them where there is hardly a moment in which all joints do."""
    seen, model = observe(bare, log), bare.model
    moving = np.flatnonzero(np.all(seen.allowance <= _MOVING * bare.rest_allowance, axis=1))
    rows = moving if len(moving) >= _LEAST_ROWS else np.arange(log.samples)
    rows = rows[:: 1 + len(rows) // _MOST_ROWS]
    inertia = mass_matrix(model.robot, model.parameters, log.q[rows]) + model.rotors
    return fit_noise(seen.residual[rows], inertia, robust=robust)


def _stretches(log: Dataset, values: Array, residual: Array, gain: float) -> tuple[Array, Array]:
    """(stretches, m) the largest of the values (N, m), and (n,) the RMS of the residual."""
    maxima: list[Array] = []
    squares, count = np.zeros(log.n), 0
    for segment in log.segments:
        time = log.time[segment] - log.time[segment.start]
        settled = segment.start + int(np.searchsorted(time, _FORGOTTEN / gain))
        if settled >= segment.stop:
            continue
        squares, count = squares + np.sum(residual[settled : segment.stop] ** 2, axis=0), count + segment.stop - settled
        since = log.time[settled : segment.stop] - log.time[settled]
        edges = np.searchsorted(since, STRETCH * np.arange(1, int(since[-1] / STRETCH) + 1))
        maxima += [part.max(axis=0) for part in np.split(values[settled : segment.stop], edges)[:-1] if len(part)]
    if len(maxima) < LEAST_STRETCHES:
        needed = LEAST_STRETCHES * STRETCH + _FORGOTTEN / gain
        raise InputError(f"the log of free motion is too short to find thresholds; at least {needed:.2g} s without a pause are needed")
    return np.array(maxima), np.sqrt(squares / count)


def _quiet_level(residual: Array) -> Array:
    """(n,) standard deviation of the residual by its quietest samples, as if it were normal; contacts in half of them change it little."""
    return np.quantile(np.abs(residual), 0.25, axis=0) / _NORMAL_QUARTER


def _rare_level(maxima: Array, stretches: float, *, robust: bool) -> Array:
    """(n,) what one stretch in so many exceeds. maxima : (stretches, n); robust : a few may be far too large."""
    squares, count = np.sort(maxima**2, axis=0), len(maxima)
    if robust:
        low, high = np.quantile(squares, (1.0 - _QUIET, _QUIET), axis=0)
        scale = (high - low) / (np.log(-np.log(1.0 - _QUIET)) - np.log(-np.log(_QUIET)))
        mode = high + scale * np.log(-np.log(_QUIET))
    else:  # probability-weighted moments (Landwehr, Matalas, Wallis, Water Resources Research 15, 1979)
        weighted = (np.arange(count) / (count - 1.0)) @ squares / count
        scale = (2.0 * weighted - squares.mean(axis=0)) / np.log(2.0)
        mode = squares.mean(axis=0) - _EULER * scale
    # standard errors of the scale: 0.9 / √count by moments, 1.7 / √count by two quantiles
    scale *= 1.0 + (1.7 if robust else 0.9) / np.sqrt(count)
    return np.sqrt(np.maximum(mode - scale * np.log(-np.log1p(-1.0 / stretches)), 0.0))


def _spread(model: Estimate, links: LinkParameters | None, motion: Dataset) -> Array:
    """(n,) standard deviation of the efforts at postures all over the joints' ranges, beyond what it is along the motion itself."""
    rng, robot = np.random.default_rng(0), model.base.robot
    rows = rng.integers(0, motion.samples, _POSTURES)
    dq, ddq, warmth = (None if values is None else values[rows] for values in (motion.dq, motion.ddq, motion.temperature))
    time = np.arange(_POSTURES, dtype=float)
    along = Dataset(time=time, q=motion.q[rows], dq=dq, ddq=ddq, temperature=warmth, joint_names=motion.joint_names)
    elsewhere = replace(along, q=rng.uniform(*robot.drawn_range.T, size=along.q.shape))
    usual, other = (np.sqrt(np.mean(prediction_std(model, part, links=links) ** 2, axis=0)) for part in (along, elsewhere))
    return np.sqrt(np.maximum(other**2 - usual**2, 0.0))
