"""What a run that was already done tells of the coefficients, for the design of the next.

Its data's information is Σ Yᵀ Y / σ² over all rows, σ the `Estimate.row_noise` of its group: with the correlation of the
residuals, and for coefficients that were dropped from the model what the data told of them all the same. With the prior's information P
about the description's coefficients π₀, the posterior has the information I + P and the mean (I + P)⁻¹ (Yᵀ τ / σ² + P π₀).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dynident.core.arrays import Array
from dynident.dynamics.friction.smoothed import smooth
from dynident.errors import InputError, Remedy
from dynident.motions.design.assumptions import CUTOFF, INDEPENDENT_PER_HZ, Assumptions, nominal_coefficients
from dynident.motions.design.precision import invert
from dynident.motions.limits.posterior_torque import PosteriorTorque
from dynident.regression.equations.base import BaseParameters
from dynident.regression.estimate import Estimate


@dataclass(frozen=True, kw_only=True, eq=False)
class EarlierRun:
    """What one run's data tell.

    Attributes
    ----------
    base : BaseParameters
        Of its coefficients.
    information : (b, b) array
        Inverse of their covariance; singular where the data say nothing.
    moment : (b,) array
        Information times values.
    noise : (n,) array
        Of each joint's torque at `cutoff`, that a design counts with [N·m | N].
    cutoff : float
        Of the filter of the run [Hz].
    source : str
        The run, for the reader.
    """

    base: BaseParameters
    information: Array
    moment: Array
    noise: Array
    cutoff: float
    source: str

    def continue_from(
        self, assumptions: Assumptions, base: BaseParameters, *, torque_noise: object = None, cutoff: float | None = None
    ) -> Assumptions:
        """The assumptions for an experiment after the run. torque_noise, cutoff : what was given in place of the run's own.

        Raises
        ------
        InputError
            Unless `base`, what the experiment is about, are the run's coefficients.
        """
        require_same_coefficients(self, base)
        noise, source = (self.noise, f"of {self.source}") if torque_noise is None else (assumptions.noise, assumptions.noise_source)
        return replace(
            assumptions,
            noise=noise,
            noise_source=source,
            rate=INDEPENDENT_PER_HZ * (cutoff or self.cutoff),
            before=assumptions.before + self.information,
            values=self.posterior(assumptions)[0],
        )

    def posterior(self, assumptions: Assumptions) -> tuple[Array, Array]:
        """(b,) values and (b, b) covariance, with the prior that is assumed."""
        covariance = invert(self.information + assumptions.prior)
        prior_values = np.nan_to_num(nominal_coefficients(self.base))
        return covariance @ (self.moment + assumptions.prior @ prior_values), covariance

    def torque_bound(self, assumptions: Assumptions, smoothing: float) -> PosteriorTorque:
        """The torques of its model with their uncertainty. smoothing : velocity over which friction passes rest [rad/s | m/s]."""
        values, covariance = self.posterior(assumptions)
        model = self.base.friction
        smoothed = None if model is None else smooth(model, smoothing)
        return PosteriorTorque(base=self.base, values=values, covariance=covariance, friction=smoothed, source=self.source)


def earlier_run(estimate: Estimate, *, source: str = "") -> EarlierRun:
    """What the data of an estimate tell.

    Parameters
    ----------
    estimate
        What `identify` returned.
    source
        How a reader is told of the run.

    Returns
    -------
    EarlierRun
        Its information, its coefficients and its noise.

    Raises
    ------
    InputError
        For one whose data are not there, or that is not of a log.
    """
    levels, problem, base = estimate.row_noise, estimate.require_problem(), estimate.base
    if base.equations != "torque":
        raise InputError("this run is of what a controller returned at configurations; a motion can be designed after a run of a log")
    rows = problem.stack(1.0 / levels)
    Y, z = rows[:, : base.rank], rows[:, base.rank]
    processing = problem.processing
    cutoff = processing.cutoff_hz or CUTOFF
    # rows come at rate_hz; a design counts 1.8 independent ones per Hz of the cutoff, which are to tell as much
    rate = processing.rate_hz or INDEPENDENT_PER_HZ * cutoff
    noise = levels * np.sqrt(INDEPENDENT_PER_HZ * cutoff / rate)
    return EarlierRun(base=base, information=Y.T @ Y, moment=Y.T @ z, noise=noise, cutoff=cutoff, source=source or problem.source)


def require_same_coefficients(run: EarlierRun, base: BaseParameters) -> None:
    """InputError unless a design is about the coefficients of the run."""
    if run.base.robot.joint_names != base.robot.joint_names:
        raise InputError(f"the run is of {run.base.robot.name}, whose joints are not those of {base.robot.name}")
    if run.base.names != base.names or not np.allclose(run.base.grouping, base.grouping, rtol=1e-6, atol=1e-9):
        friction = "none" if run.base.friction is None else run.base.friction.name
        raise InputError(
            f"the coefficients of the run are not those of {base.robot.name} with this friction model",
            remedy=Remedy("design for the robot of the run, with {friction}", friction=friction),
        )
