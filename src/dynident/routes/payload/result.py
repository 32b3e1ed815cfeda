"""A payload as it was identified: ten parameters of a rigid body at the flange, how certain they are, and what they do to the joints."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Annotated

import numpy as np

from dynident.core.arrays import Array, BoolArray
from dynident.core.documents import NULLABLE
from dynident.core.records import Shape
from dynident.core.results import Result
from dynident.errors import ValueRangeError
from dynident.robots.parameters import change_of_frame, from_com, link_inertia
from dynident.robots.robot import Robot
from dynident.routes.payload.quantities import quantities, quantity_intervals, quantity_std

#: A mass that is uncertain by this share of the efforts is not told: that no payload shows then says nothing.
BLURRED = 0.05


class PayloadStatus(Enum):
    """What the data tell of a payload; the value is the sentence that the user sees."""

    TOLD = "the data tell the mass, the centre of mass and the inertia"
    INERTIA_OPEN = "the data tell the mass and the centre of mass; of the inertia they leave something open"
    CENTRE_OPEN = "the data tell the mass; where its centre is they leave open, at least in part"
    MASS_OPEN = "the data don't tell the mass, because of the motion or of the arm's own uncertainty"
    NONE = "the data can't tell this payload from none at all"


@dataclass(frozen=True, kw_only=True)
class Declared:
    """What the robot's controller (the teach pendant) was told of its payload.

    Attributes
    ----------
    mass : float
        [kg]
    com
        Centre of mass in the flange frame [m].
    """

    mass: float
    com: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        if not (np.isfinite(self.mass) and self.mass >= 0.0):
            raise ValueRangeError("declared mass", f"is {self.mass:g} kg; a finite mass that is not negative was expected")
        if np.shape(self.com) != (3,) or not np.all(np.isfinite(self.com)):
            raise ValueRangeError("declared centre of mass", f"is {self.com}; three finite numbers in m were expected, such as 0,0,0.05")


@dataclass(frozen=True, kw_only=True)
class PayloadEvidence:
    """What stands behind a payload.

    Attributes
    ----------
    source, arm : str
        The loaded log, and what the arm was identified from.
    samples : int
        Of the loaded log.
    alone, together : float
        What a fit of the loaded log by itself leaves of its effort, and what arm and payload leave [%].
    strain : float
        What arm and payload leave over of the two fits' difference, over what noise makes one expect.
    mass : (2,) or None
        What the data alone say of the mass, which can be negative, and its standard deviation [kg].
    blur : float
        What that standard deviation does to the efforts of the log, as a share of them.
    refit_friction : bool
        Whether the friction was fitted again.
    tilt : float
        How far gravity turned from its mean direction in the flange frame [rad]; 0 without gravity.
    gap : float
        By how much the objective could be better at most, in units of the noise; the certificate of the answer.
    """

    source: str
    arm: str
    samples: int
    alone: float
    together: float
    strain: float
    mass: tuple[float, float] | None
    blur: Annotated[float, NULLABLE]
    refit_friction: bool
    tilt: float
    gap: Annotated[float, NULLABLE]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PayloadEstimate(Result):
    """A rigid body on the flange of a robot.

    Attributes
    ----------
    robot : Robot
        The arm.
    link : str
        The link that carries it.
    flange : (4, 4) array
        Pose of the frame that all its numbers are in, in the link's parameter frame: the robot's tool frame.
    parameters : (10,) array
        m, mc, J about the origin of the flange frame.
    covariance : (10, 10) array
        Of the parameters: noise, its correlation in time, and the arm's uncertainty.
    told : (10,) bool array
        Which of mass, centre of mass and inertia about it the data tell; a usual body stands in for the others.
    quantile : float
        Standard deviations in half a 95 % interval.
    evidence : PayloadEvidence
        What the logs say: errors, covariance, what was compared.
    regressor : (n, N, 10) array
        Effort of each joint per unit of the parameters along the loaded log, filtered as it was, N of its samples.
    declared : or None
        What the controller was told.
    notes : tuple of str
        What a reader of the numbers should know.
    """

    robot: Robot
    link: str
    flange: Annotated[Array, Shape("4 4")]
    parameters: Annotated[Array, Shape("10")]
    covariance: Annotated[Array, Shape("10 10")]
    told: Annotated[BoolArray, Shape("10")]
    quantile: float
    evidence: PayloadEvidence
    regressor: Annotated[Array, Shape("n s 10")]
    declared: Declared | None = None
    notes: tuple[str, ...] = ()

    @property
    def mass(self) -> float:
        """[kg]"""
        return float(self.parameters[0])

    @property
    def most(self) -> float:
        """What the mass is below with 95 % certainty, by the data alone where they tell it [kg]."""
        mass = self.evidence.mass
        return float(self.intervals[0, 1]) if mass is None else max(mass[0], 0.0) + self.quantile * mass[1]

    @property
    def com(self) -> Array:
        """(3,) centre of mass in the flange frame [m]."""
        return link_inertia(self.parameters).com

    @property
    def inertia(self) -> Array:
        """(3, 3) about the centre of mass, axes of the flange frame [kg·m²]."""
        return link_inertia(self.parameters).inertia

    @property
    def values(self) -> Array:
        """(10,) mass, centre of mass, and xx, xy, xz, yy, yz, zz of the inertia about it."""
        return quantities(self.parameters)

    @cached_property
    def std(self) -> Array:
        """(10,) standard deviations of the values."""
        return quantity_std(self.parameters, self.covariance)

    @cached_property
    def intervals(self) -> Array:
        """(10, 2) 95 % intervals of the values; infinite ends where the data leave them open."""
        return quantity_intervals(self.parameters, self.covariance, self.quantile)

    @property
    def status(self) -> PayloadStatus:
        mass, std = self.evidence.mass or (self.mass, float(self.std[0]))
        if self.evidence.blur > BLURRED:
            return PayloadStatus.MASS_OPEN
        if mass <= self.quantile * std:
            return PayloadStatus.NONE
        if not self.told[0]:
            return PayloadStatus.MASS_OPEN
        if not self.told[1:4].all():
            return PayloadStatus.CENTRE_OPEN
        return PayloadStatus.TOLD if self.told.all() else PayloadStatus.INERTIA_OPEN

    @property
    def link_parameters(self) -> Array:
        """(10,) what the payload adds to the parameters of the link that carries it, in the link's frame."""
        return change_of_frame(self.flange) @ self.parameters

    @cached_property
    def effort(self) -> Array:
        """(n, N) the payload's share of the joints' efforts along the loaded log [N·m | N]."""
        return self.regressor @ self.parameters

    @cached_property
    def declared_effort_error(self) -> Array | None:
        """(n, N) by how much a controller errs that believes what was declared, with the inertia about the centre of mass as identified."""
        if self.declared is None:
            return None
        return self.regressor @ (from_com(self.declared.mass, self.declared.com, self.inertia) - self.parameters)
