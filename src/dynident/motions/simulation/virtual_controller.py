"""A robot's controller as the reverse-engineering route meets it: asked at configurations, it returns M, g and c.

The model inside is exact; what is not is where the robot stands. The position that is recorded with M and g differs from the
one they were computed at by the joints' noise. On the Panda 3e-4 rad gives a relative prediction error of 0.035 %; 0.031 %
was published for the real one (Gaz et al., RA-L 2019).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array, check_array
from dynident.core.sizes import check_count
from dynident.data import ControllerSamples
from dynident.dynamics import coriolis_vector, gravity, mass_matrix
from dynident.errors import ValueRangeError
from dynident.motions.simulation.payload import Payload, loaded_parameters
from dynident.robots.robot import Robot


@dataclass(frozen=True, eq=False)
class VirtualController:
    """The model inside a controller, and how well it is read.

    Attributes
    ----------
    robot : Robot
        The robot.
    parameters : (n, 10) array_like
        In the robot's named frames, consistent or not; None are the nominal ones.
    position_noise : float
        Standard deviation of recorded minus true position [rad | m].
    digits : int
        Decimals that the interface returns of q, M, g and c; None keeps all.
    seed : int
        Of the noise.
    """

    robot: Robot
    parameters: ArrayLike | None = None
    position_noise: float = 3e-4
    digits: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        loaded_parameters(self.robot, self.parameters)  # a wrong shape is refused here, not at the first question
        if not (np.isfinite(self.position_noise) and self.position_noise >= 0.0):
            raise ValueRangeError("position_noise", f"is {self.position_noise}; a standard deviation in rad or m was expected")

    @staticmethod
    def loaded(
        robot: Robot, parameters: ArrayLike | None, payload: Payload | None, *, noisy: bool = True, seed: int = 0
    ) -> VirtualController:
        """That of a robot that carries a payload. noisy : False for positions that are recorded as they are."""
        inside = loaded_parameters(robot, parameters, payload)
        return VirtualController(robot, inside, position_noise=VirtualController.position_noise if noisy else 0.0, seed=seed)

    def sample_randomly(self, count: int) -> ControllerSamples:
        """M and g at so many random configurations."""
        return self.sample(random_configurations(self.robot, count, seed=self.seed))

    def sample(self, configurations: ArrayLike, velocities: ArrayLike | None = None) -> ControllerSamples:
        """M and g at `configurations` (N, n); with `velocities` (N, n), c too. The recorded q carries the noise."""
        q = check_array("configurations", configurations, (None, self.robot.n), f"(samples, {self.robot.n}) = (samples, joints)")
        robot, p = self.robot, loaded_parameters(self.robot, self.parameters)
        recorded = q + self.position_noise * np.random.default_rng(self.seed).normal(size=q.shape)
        dq = None if velocities is None else np.asarray(velocities, dtype=float)
        return ControllerSamples(
            q=self._round(recorded),
            M=self._round(mass_matrix(robot, p, q)),
            g=self._round(gravity(robot, p, q)),
            dq=dq,
            c=None if dq is None else self._round(coriolis_vector(robot, p, q, dq)),
            joint_names=robot.joint_names,
            source=f"virtual controller of {robot.name}",
        )

    def _round(self, values: Array) -> Array:
        return values if self.digits is None else np.round(values, self.digits)


def random_configurations(robot: Robot, samples: int, *, seed: int = 0) -> Array:
    """Configurations uniform within the position limits; ±π rad or ±1 m where there are none.

    Parameters
    ----------
    robot
        The robot.
    samples
        Number of configurations N.
    seed
        Of the random numbers; the same seed gives the same result.

    Returns
    -------
    array
        (N, n) positions [rad | m].
    """
    if samples < 1:
        raise ValueRangeError("samples", f"is {samples}; at least one configuration is needed")
    check_count("samples", samples, each=robot.n * (robot.n + 2), what="configurations")
    reach = np.array([1.0 if joint.type.value == "prismatic" else np.pi for joint in robot.joints])
    low, high = robot.position_limits.T
    low = np.where(np.isfinite(low), low, np.where(np.isfinite(high), high - 2 * reach, -reach))
    high = np.where(np.isfinite(high), high, low + 2 * reach)
    return np.random.default_rng(seed).uniform(low, high, (samples, robot.n))
