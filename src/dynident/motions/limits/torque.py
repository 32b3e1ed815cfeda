"""The torque that a joint may need along a motion, as a bound: the model is not known before the experiment that finds it.

`NominalTorque`: every link of the description may weigh between 1/f and f times what it says, all its ten parameters alike and each link
by itself. With τ_jl the share of link l in the torque of joint j, the rigid torque lies between Σ_l min(f τ_jl, τ_jl / f) and
Σ_l max(f τ_jl, τ_jl / f), and both are reached. f = 2 is what the prior on nominal links says of them.

Friction counts where it adds to the torque, never where it takes from it. It is that of the description, or else shares of the effort
limit: of the 26 joints in published tables (Panda, TX40, UR10, WAM) three quarters have at most 5 % of Coulomb friction and 16 % of
viscous friction at the largest velocity. Coulomb friction counts in both directions: a joint that hardly moves may have to break away in
either, and a bound that jumps where a joint reverses would be missed between samples.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array, check_array, set_frozen
from dynident.dynamics import iterate_regressor_blocks
from dynident.errors import Remedy, ValueRangeError, require
from dynident.motions.trajectories.trajectory import SampledMotion
from dynident.robots.robot import Robot

#: What links of a description are known to, as a factor.
FACTOR = 2.0
#: Coulomb friction, and viscous friction at the largest velocity, as shares of the effort limit.
COULOMB, VISCOUS = 0.05, 0.16
#: Friction of a description that takes less or more of the effort limit at the joint's largest velocity is not believed: many have numbers
#: there that make a simulator stable and are no robot's. Of the 26 joints it is 0.3 to 36 %.
LEAST, MOST = 0.002, 0.4

#: Derivatives of a scalar by the lower and the upper torques (N, n), to those by the rigid regressor (n, 10 n, N) and by the motion.
PullBack: TypeAlias = Callable[[Array, Array], tuple[Array, SampledMotion]]


class TorqueRange(NamedTuple):
    """What a motion may need: least and largest torques (N, n) [N·m | N], and the way back from their derivatives."""

    lower: Array
    upper: Array
    pull_back: PullBack

    @property
    def largest(self) -> Array:
        """(N, n) largest magnitude."""
        return np.maximum(self.upper, -self.lower)


class TorqueBound(Protocol):
    """The torque that a robot may need along a motion."""

    @property
    def statement(self) -> str:
        """What the bound assumes, for the table of limits."""
        ...

    @property
    def remedy(self) -> str:
        """What to do where it leaves no motion."""
        ...

    def applies(self, robot: Robot) -> bool:
        """Whether it knows anything of the robot's torques."""
        ...

    def torques(self, robot: Robot, motion: SampledMotion) -> TorqueRange:
        """Between which torques those of the motion lie."""
        ...


@dataclass(frozen=True, kw_only=True, eq=False)
class NominalTorque:
    """The description's links, each within a factor, and friction.

    factor : float           f; 1 says that the description is exact.
    coulomb, viscous : (n,)  Most friction: [N·m | N] and [N·m·s/rad | N·s/m].
    source : str             Where the friction is from.
    """

    factor: float
    coulomb: Array
    viscous: Array
    source: str = ""

    def __post_init__(self) -> None:
        if not (np.isfinite(self.factor) and self.factor >= 1.0):
            raise ValueRangeError("torque_factor", f"is {self.factor:g}; a finite factor of at least 1 was expected")
        for name in ("coulomb", "viscous"):
            set_frozen(self, name, check_array(name, getattr(self, name), (np.size(self.coulomb),), "(n,) = one per joint"))

    @property
    def statement(self) -> str:
        links = "links as described" if self.factor == 1.0 else f"worst case, links within a factor of {self.factor:g}"
        return ", ".join([links, self.source] if self.source else [links, "no friction"])

    @property
    def remedy(self) -> str:
        if self.factor <= 1.0:
            return "loosen it"
        smaller = round(1.0 + 0.3 * (self.factor - 1.0), 2)
        known_better = "where the links are known better, say to what factor with {torque_factor}, or design after a run with {after}"
        return Remedy(known_better, torque_factor=smaller, after="RUN")

    def applies(self, robot: Robot) -> bool:
        return robot.parameters is not None

    def torques(self, robot: Robot, motion: SampledMotion) -> TorqueRange:
        tau, pi = link_torques(robot, motion), require(robot.parameters, "the inertia of the links")
        large, small = np.where(tau > 0.0, self.factor, 1.0 / self.factor), np.where(tau > 0.0, 1.0 / self.factor, self.factor)
        ahead, behind = (self.coulomb + self.viscous * np.maximum(dq, 0.0) for dq in (motion.dq, -motion.dq))

        def pull_back(by_lower: Array, by_upper: Array) -> tuple[Array, SampledMotion]:
            by_tau = (large * by_upper[:, :, None] + small * by_lower[:, :, None]).transpose(1, 2, 0)
            rigid = (by_tau[:, :, None, :] * pi[:, :, None]).reshape(robot.n, 10 * robot.n, -1)
            none = np.zeros_like(motion.q)
            return rigid, SampledMotion(none, self.viscous * np.where(motion.dq > 0.0, by_upper, by_lower), none)

        return TorqueRange((small * tau).sum(axis=2) - behind, (large * tau).sum(axis=2) + ahead, pull_back)


def link_torques(robot: Robot, motion: SampledMotion) -> Array:
    """(N, n, n) the share of each link (last axis) in the torque of each joint, by the description's parameters [N·m | N]."""
    if robot.parameters is None:
        raise ValueRangeError("parameters", f"of {robot.name} are not known, so its torques are not")
    n, pi = robot.n, robot.parameters
    tau = np.empty((len(motion.q), n, n))
    for start, block in iterate_regressor_blocks(robot, *motion):
        shares = block.reshape(n, n, 10, -1)
        tau[start : start + shares.shape[3]] = np.einsum("jlks,lk->sjl", shares, pi)
    return tau


def nominal_torque(
    robot: Robot, *, factor: float = FACTOR, effort: ArrayLike | None = None, velocity: ArrayLike | None = None
) -> NominalTorque:
    """The bound of a robot's description. effort, velocity : (n,) limits that friction is a share of where the description has none."""
    largest = _known(robot.effort_limits, effort)
    fastest = _known(robot.velocity_limits, velocity)
    described = described_friction(robot)
    fast = np.isfinite(fastest) & (fastest > 0.0)
    scale, speed = np.where(np.isfinite(largest), largest, 0.0), np.where(fast, fastest, 1.0)
    typical = np.column_stack([scale * np.where(fast, COULOMB, COULOMB + VISCOUS), np.where(fast, scale * VISCOUS / speed, 0.0)])
    known = np.isfinite(described[:, 0])
    coulomb, viscous = np.where(known[:, None], described, typical).T
    shares = f"{COULOMB:.0%} + {VISCOUS:.0%} of the limit as friction"
    source = "friction of the description" if known.all() else shares if not known.any() else f"friction of the description, else {shares}"
    return NominalTorque(factor=factor, coulomb=coulomb, viscous=viscous, source=source)


def exact_torque(robot: Robot) -> NominalTorque:
    """The description's torque as it is: no factor, no friction."""
    none = np.zeros(robot.n)
    return NominalTorque(factor=1.0, coulomb=none, viscous=none)


def _known(described: Array, given: ArrayLike | None) -> Array:
    return described if given is None else np.where(np.isfinite(described), described, np.asarray(given, dtype=float))


def described_friction(robot: Robot) -> Array:
    """(n, 2) Coulomb friction [N·m | N] and viscous friction [N·m·s/rad | N·s/m] by joint; nan where nothing is stated or believed."""
    believed = np.full((robot.n, 2), np.nan)
    for j, joint in enumerate(robot.joints):
        coulomb, viscous = joint.friction or (0.0, 0.0)
        fastest = viscous * joint.velocity if viscous > 0.0 else 0.0
        if min(coulomb, viscous) >= 0.0 and 0.0 < LEAST * joint.effort <= coulomb + fastest <= MOST * joint.effort < np.inf:
            believed[j] = coulomb, viscous
    return believed
