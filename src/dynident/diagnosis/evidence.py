"""How well a robot explains an excerpt of a log: the marginal likelihood of a reading of it.

The effort of joint j is s (Y_j π₀ + Y_j L z) + φ_j f_j. The links are the nominal ones π₀ times a scale s, changed by L z, where z is
standard normal and L says what a factor of two is for each link; s is log-normal about one. φ_j holds the joint's viscous and Coulomb
friction, an offset and the inertia of its rotor, of which only the offset may be negative. The noise level l_j of each joint, a share of
its effort, is unknown too, and so is by how much later than the positions efforts were stamped. Then -2 log p = N Σ log l_j² + |z|² + |f|²
+ (log s / σ)² + log det H by Laplace's method, but for constants, with N independent rows of each joint and H the precision of all
unknowns: links that have to be known far better than the prior expects are improbable (MacKay, Neural Computation 4, 1992). As shares of
the joint's own effort count, a change of all units changes s alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dynident.core.arrays import Array, BoolArray, IntArray
from dynident.diagnosis.excerpt import Efforts, Excerpt
from dynident.dynamics import inverse_dynamics, torque_regressor
from dynident.links.constraints.terms import FeasibleSet
from dynident.links.prior import NominalPrior, prior_to_robot, uniform_prior
from dynident.robots.parameters import from_pseudo_inertia
from dynident.robots.parameters.link_metric import weight_of
from dynident.robots.robot import STANDARD_GRAVITY, Robot

#: Columns of a joint beside its links: viscous and Coulomb friction, offset, rotor; and their standard deviations as shares of the effort.
DRIVE = 4
_DRIVE_STD = np.array([1.0, 1.0, 1.0 / 3.0, 1.0])
_OFFSET = 2
#: Each link is known to about this factor, beside the scale of all: about one to the second factor where they are nominal, to the third
#: where they are uniform bodies. Eight recorded arms prefer 0.5 to 1 (one 2 to 4), so that two cost 3.5
#: nats and four 14.
_KNOWN_TO, _NOMINAL_SCALE, _UNIFORM_SCALE = 2.0, 1.3, 2.5
#: Or, where that is more probable, to this one: descriptions are either those of the maker or somebody's guess.
_KNOWN_WELL = 1.25
#: Scales are powers of the root of two up to this one.
_LARGEST_POWER = 28
#: Rounds of a fit, and the change of noise levels at which it ends.
_ROUNDS, _SETTLED = 8, 0.1
#: Standard deviation of what z adds to a change of all efforts in the ratio of the nominal ones.
_ALIKE = 0.1
#: Directions of the links' parameters below this share of the largest change no effort.
_SEEN = 1e-7
_RIDGES = (1e-12, 1e-8, 1e-4, 1.0)
#: A payload is at most about this share of the arm, at this distance from the tool [m]. Where it was said to be near the last link's frame,
#: the same 2.8 kg on a Bravo 7 gained half as much.
_PAYLOAD, _LEVER = 0.3, 0.1
#: Efforts are about so much later or earlier than the positions beside them [s]: those of buses and filters are 1 to 20 ms late.
DELAY_STD = 0.01
#: Or no later than this: not at all.
ON_TIME = 1e-7


@dataclass(frozen=True, kw_only=True, eq=False)
class LinkPrior:
    """What links are like.

    Attributes
    ----------
    links : (10 n,) array
        Parameters of the links at scale one.
    root : (10 n, b) array
        How they change with z, in the directions that change some effort.
    scale_std : float
        Standard deviation of log s.
    nominal : bool
        Whether the links are those of the description.
    payload : (4,) array
        Standard deviations of a payload's mass [kg] and first moments about the tool [kg·m].
    carried : (10, 4) array
        What it adds to the parameters of the last link: it is a point, to first order in its distance from the tool.
    """

    links: Array
    root: Array
    scale_std: float
    nominal: bool
    payload: Array
    carried: Array


@dataclass(frozen=True, kw_only=True, eq=False)
class Moments:
    """Second moments of every joint's columns: all that an explanation needs of them.

    Attributes
    ----------
    matrices : (n, m, m) array
        Columns: b of the links, k tangents, 4 of the drive, the nominal effort, then n recorded efforts and their n slopes.
    tangents : int
        k, further columns whose factors are to be found along with the links.
    rows : float
        Independent rows of each joint.
    floor : (n,) array
        What no model can explain of each recorded effort, as a share of its RMS.
    """

    matrices: Array
    tangents: int
    rows: float
    floor: Array


@dataclass(frozen=True, kw_only=True, eq=False)
class Explanation:
    """The most probable links and drives, and what they leave.

    Attributes
    ----------
    cost : float
        -2 log p but for a constant.
    misfit : (n,) array
        What is unexplained of each joint's effort, as a share of its RMS; 0 of a joint without effort.
    excess : (n,) array
        The same above the floor that no model can explain.
    sizes : (n,) array
        RMS effort of each joint.
    implausibility : float
        The part of the cost that is not misfit: distance from the prior, and how narrow links have to be.
    scale : float
        s.
    links : (10 n,) array
        Parameters of the links, scale and payload included.
    drive : (n, 4) array
        Viscous [N·m·s/rad | N·s/m], Coulomb, offset [N·m | N] and rotor inertia [kg·m² | kg] of each joint.
    tangents : (k,) array
        Factors of the further columns.
    late, late_std : float
        How much later than the positions the efforts were stamped [s], to first order, and its standard deviation.
    levels : (n,) array
        Squared noise levels, from which a search at a neighbour begins.
    """

    cost: float
    misfit: Array
    excess: Array
    sizes: Array
    implausibility: float
    scale: float
    links: Array
    drive: Array
    tangents: Array
    late: float
    late_std: float
    levels: Array


def link_prior(robot: Robot, *, nominal: bool = True) -> LinkPrior:
    """Toward the robot's nominal links where it has some that are consistent, else toward uniform ones."""
    known = prior_to_robot(robot) if nominal else None
    prior = known or uniform_prior(robot, FeasibleSet(()))
    rows, _ = NominalPrior(nominal=prior.nominal, weight=weight_of(_KNOWN_TO)).rows(10 * robot.n)
    root: Array = np.asarray(np.linalg.inv(np.linalg.cholesky(rows.T @ rows)).T, dtype=float)
    rng = np.random.default_rng(0)
    q, dq, ddq = rng.uniform(-np.pi, np.pi, (3, 10 * robot.n, robot.n))
    size = float(np.linalg.norm(STANDARD_GRAVITY))
    mounted = [robot.with_gravity(size * axis) for axis in np.eye(3)]
    Y = np.concatenate([torque_regressor(turned, q, dq, ddq).reshape(-1, 10 * robot.n) for turned in mounted]) @ root
    _, values, V = np.linalg.svd(Y.T @ Y)
    links = prior.nominal.ravel()
    seen = V[values > _SEEN**2 * values[0]]
    tool = np.append(robot.tool[:3, 3], 1.0)
    moves = [np.outer(tool, axis) + np.outer(axis, tool) for axis in np.eye(3, 4)]
    return LinkPrior(
        links=links,
        root=root @ seen.T,
        scale_std=float(np.log(_NOMINAL_SCALE if known else _UNIFORM_SCALE)),
        nominal=known is not None,
        payload=_PAYLOAD * float(links[::10].sum()) * np.array([1.0, _LEVER, _LEVER, _LEVER]),
        carried=np.stack([from_pseudo_inertia(P) for P in (np.outer(tool, tool), *moves)], axis=1),
    )


def moments(robot: Robot, excerpt: Excerpt, prior: LinkPrior, tangents: Array | None = None, *, payload: bool = False) -> Moments:
    """Of the rows of an excerpt, for a robot as it is mounted.

    Parameters
    ----------
    robot, excerpt, prior
        The robot, rows of n joints, and its links' prior.
    tangents : (N, n, k) array
        How efforts change with k numbers that are to be found along with the links, per unit of scale.
    payload
        Whether the mass and first moments of a payload are four further tangents.
    """
    n = robot.n
    Y = torque_regressor(robot, excerpt.q, excerpt.dq, excerpt.ddq)
    further = [] if tangents is None else [tangents]
    further += [Y[:, :, -10:] @ prior.carried] if payload else []
    blocks = [Y @ prior.root, *further]
    efforts, slopes = (np.broadcast_to(values[:, None], (len(values), n, n)) for values in (excerpt.effort, excerpt.slope))
    drive = np.stack([excerpt.dq, excerpt.sign, np.ones_like(excerpt.dq), excerpt.ddq], axis=2)
    A = np.concatenate([*blocks, drive, (Y @ prior.links)[:, :, None], efforts, slopes], axis=2).swapaxes(0, 1)
    used = excerpt.use.astype(float).T
    A = A * np.sqrt(used / np.maximum(used.sum(axis=1, keepdims=True), 1.0))[:, :, None]
    return Moments(
        matrices=A.swapaxes(1, 2) @ A, tangents=sum(block.shape[2] for block in further), rows=excerpt.independent, floor=excerpt.floor
    )


def explain(
    found: Moments,
    prior: LinkPrior,
    efforts: Efforts,
    tangent_std: Array | None = None,
    start: Explanation | None = None,
    *,
    delay_std: float = DELAY_STD,
) -> Explanation:
    """The most probable explanation, over the scales of the links.

    Parameters
    ----------
    found, prior, efforts
        Moments of the rows, what links are like, and how the recorded efforts are read.
    tangent_std : (k,) array
        Standard deviations of the factors of the further columns; those of a payload follow by themselves.
    start
        The explanation of a similar reading, whose noise levels the first round takes.
    delay_std
        How late efforts may be [s].
    """
    system = _System(found, prior, efforts, np.zeros(0) if tangent_std is None else tangent_std, delay_std)
    levels = system.alike(start)
    first = system.likely_scale(levels)
    power = int(np.clip(2 * round(np.log2(first)), -_LARGEST_POWER, _LARGEST_POWER))
    power, best = _downhill(system, power, levels, 1.0, step=2)
    if not prior.nominal or float(best.excess.max()) > _BADLY:
        return best
    _, well = _downhill(system, power, best.levels, _WELL, step=1)
    return well if well.cost < best.cost else best


#: Standard deviation of z for links that are known well; and what is left of a joint's effort where it makes no difference.
_WELL, _BADLY = float(np.sqrt(weight_of(_KNOWN_TO) / weight_of(_KNOWN_WELL))), 0.3


def _downhill(system: _System, power: int, levels: Array, width: float, *, step: int) -> tuple[int, Explanation]:
    """The lowest cost over the scales from a power of the root of two on."""
    tried: dict[int, Explanation] = {}

    def at(power: int) -> Explanation:
        if power not in tried:
            nearest = min(tried, key=lambda other: abs(other - power), default=None)
            tried[power] = system.solve(2.0 ** (power / 2.0), levels if nearest is None else tried[nearest].levels, width)
        return tried[power]

    direction = 0
    while True:
        around = [power, *(power + step * sign for sign in (-1, 1) if sign != -direction and abs(power + step * sign) <= _LARGEST_POWER)]
        better = min(around, key=lambda near: at(near).cost)
        if better == power:
            return power, at(power)
        direction, power = (1 if better > power else -1), better


def slope_of_efforts(found: Moments, prior: LinkPrior, efforts: Efforts, start: Explanation) -> float:
    """All efforts over those of the nominal links, beside the drives: their scale where the description is right."""
    system = _System(found, prior, efforts, np.zeros(0))
    return system.likely_scale(system.alike(start))


def predict(robot: Robot, rows: Excerpt, explanation: Explanation) -> Array:
    """(N, n) the efforts of the rows by an explanation [N·m | N]."""
    viscous, coulomb, offset, rotor = explanation.drive.T
    links = inverse_dynamics(robot, explanation.links.reshape(-1, 10), rows.q, rows.dq, rows.ddq)
    return links + viscous * rows.dq + coulomb * rows.sign + offset + rotor * rows.ddq


class _System:
    """The columns of all joints for one reading of the efforts."""

    def __init__(
        self, second_moments: Moments, prior: LinkPrior, efforts: Efforts, tangent_std: Array, delay_std: float = DELAY_STD
    ) -> None:
        n, k, b = len(second_moments.matrices), second_moments.tangents, prior.root.shape[1]
        m = b + k + 1  # the last is the delay, whose column is the slope of the effort as it is read
        self.prior, self.rows, self.m, self.b, self.n, self.delay_std = prior, second_moments.rows, m, b, n, delay_std
        self.carries = len(tangent_std) < k  # the last tangents are a payload's
        std = np.append(tangent_std, prior.payload) if self.carries else tangent_std
        self.variances = np.concatenate([np.ones(b), std**2, [delay_std**2]])
        source, first = np.array(efforts.source), m + DRIVE
        signs = np.ones((n, first + 2))
        signs[:, m - 1], signs[:, -1] = -efforts.gain, efforts.gain
        columns: IntArray = np.empty((n, first + 2), dtype=np.intp)
        columns[:] = np.arange(-1, first + 1)  # those of the moments, which have none of the delay
        columns[:, : m - 1], columns[:, m - 1], columns[:, -1] = np.arange(m - 1), first + n + source, first + source
        M = second_moments.matrices[np.arange(n)[:, None, None], columns[:, :, None], columns[:, None, :]]
        M = M * signs[:, :, None] * signs[:, None, :]
        column = M[:, :, -1]
        self.sizes = np.sqrt(np.maximum(column[:, -1], 0.0))
        self.alive = self.sizes > 0.0
        self.floor = second_moments.floor[source]
        scale = np.where(self.alive, self.sizes, 1.0)
        drive = slice(m, m + DRIVE)
        # everything as shares of the joint's effort, drive columns of RMS one
        rms = np.sqrt(np.maximum(np.diagonal(M, axis1=1, axis2=2)[:, drive], 1e-24))
        self.rms = rms
        self.AA = M[:, :m, :m] / scale[:, None, None] ** 2
        self.AD = M[:, :m, drive] / (scale[:, None] * rms)[:, None, :]
        self.DD = M[:, drive, drive] / (rms[:, :, None] * rms[:, None, :])
        self.Ac, self.Dc = M[:, :m, m + DRIVE] / scale[:, None] ** 2, M[:, drive, m + DRIVE] / (rms * scale[:, None])
        self.cc = M[:, m + DRIVE, m + DRIVE] / scale**2
        self.Ay, self.Dy = column[:, :m] / scale[:, None] ** 2, column[:, drive] / (rms * scale[:, None])
        self.cy, self.yy = column[:, m + DRIVE] / scale**2, self.alive.astype(float)
        self.beside = np.linalg.solve(self.DD + 1e-3 * np.eye(DRIVE), self.Dc[:, :, None])[:, :, 0]  # the drives' share of nominal efforts

    def alike(self, start: Explanation | None) -> Array:
        return np.full(self.n, 0.1**2) if start is None else np.minimum(start.levels, 0.25)

    def likely_scale(self, levels: Array) -> float:
        """The slope of all efforts over the nominal ones, beside the drives."""
        weight = self.alive / levels
        top = weight @ (self.cy - np.sum(self.beside * self.Dy, axis=1))
        bottom = weight @ (self.cc - np.sum(self.beside * self.Dc, axis=1))
        slope = float(top / bottom) if bottom > 0.0 else 1.0
        return slope if slope > 0.0 else 1.0

    def solve(self, s: float, levels: Array, width: float) -> Explanation:
        self.variances[: self.b] = width**2
        self.variances[-1] = (self.delay_std / s) ** 2
        self._log_variance = float(np.sum(np.log(self.variances))) + (2.0 * float(np.log(_ALIKE / width)) if self.prior.nominal else 0.0)
        held = np.zeros((self.n, DRIVE), dtype=bool)  # friction that drives the motion, and a rotor of negative inertia
        x, f, log_det, late_std = np.zeros(self.m), np.zeros((self.n, DRIVE)), 0.0, 0.0
        for round_ in range(_ROUNDS):
            x, f, log_det, late_std = self._most_probable(s, levels, held)
            negative = f < -1e-9
            negative[:, _OFFSET] = False
            left = np.maximum(self._left(s, x, f), 0.0) + self.floor**2
            settled = bool(np.all(np.abs(left - levels) <= _SETTLED * levels)) and not negative.any()
            levels = left
            if round_ < _ROUNDS // 2:
                held |= negative
            if settled:
                break
        far = float(x @ self._prior(levels) @ x + np.sum((f / _DRIVE_STD) ** 2)) + (np.log(s) / self.prior.scale_std) ** 2
        implausibility = far + log_det
        cost = self.rows * float(np.log(levels) @ self.alive) + implausibility
        z, tangents = x[: self.b], s * x[self.b : -1]
        links = s * (self.prior.links + self.prior.root @ z)
        if self.carries:
            links[-10:] += self.prior.carried @ tangents[-4:]
        misfit = np.where(self.alive, np.sqrt(levels), 0.0)
        return Explanation(
            cost=float(cost),
            misfit=misfit,
            excess=np.where(self.alive, np.sqrt(np.maximum(levels - self.floor**2, 0.0)), 0.0),
            sizes=self.sizes,
            implausibility=float(implausibility),
            scale=s,
            links=links,
            drive=f * self.sizes[:, None] / self.rms,
            tangents=tangents,
            late=s * float(x[-1]),
            late_std=s * late_std,
            levels=levels,
        )

    def _prior(self, levels: Array) -> Array:
        """(m, m) precision of z with tangents: that all efforts change as the nominal ones is told by s, and hardly by z."""
        if not self.prior.nominal:
            return np.diag(1.0 / self.variances)
        common = (self.alive / levels) @ (self.Ac - np.einsum("jmd,jd->jm", self.AD, self.beside))
        common[self.b :] = 0.0
        common /= max(float(np.linalg.norm(common)), 1e-300)
        return np.diag(1.0 / self.variances) + (1.0 / _ALIKE**2 - 1.0 / self.variances[0]) * np.outer(common, common)

    def _most_probable(self, s: float, levels: Array, held: BoolArray) -> tuple[Array, Array, float, float]:
        """z with tangents, drives as shares of the effort, log det of the precision over that of the prior, and the deviation of the
        last tangent."""
        w = self.rows * self.alive / levels
        F = w[:, None, None] * self.DD + np.eye(DRIVE) / _DRIVE_STD**2
        G = (s * w)[:, None, None] * self.AD
        r = w[:, None] * (self.Dy - s * self.Dc)
        # what is held costs what it would cost if it were free: a half-normal prior cut off at zero tells as little
        drives = float(np.sum(np.linalg.slogdet(F)[1]) + len(F) * np.sum(np.log(_DRIVE_STD**2)))
        free = ~held
        F = np.where(free[:, :, None] & free[:, None, :], F, np.eye(DRIVE))
        G, r = G * free[:, None, :], r * free
        inverse = np.linalg.solve(F, np.concatenate([G.swapaxes(1, 2), r[:, :, None]], axis=2))
        H = self._prior(levels) + np.tensordot(s * s * w, self.AA, axes=1) - np.tensordot(G, inverse[:, :, :-1], axes=([0, 2], [0, 1]))
        b = (s * w) @ (self.Ay - s * self.Ac) - np.tensordot(G, inverse[:, :, -1], axes=([0, 2], [0, 1]))
        size = 1.0 / np.sqrt(np.diag(H).clip(1e-300))
        L = _factor(H * np.outer(size, size))
        x = size * np.linalg.solve(L.T, np.linalg.solve(L, size * b))
        f = inverse[:, :, -1] - inverse[:, :, :-1] @ x
        log_det = 2.0 * float(np.sum(np.log(np.diag(L))) - np.sum(np.log(size))) + self._log_variance + drives
        return x, f * free, log_det, float(size[-1] / L[-1, -1])

    def _left(self, s: float, x: Array, f: Array) -> Array:
        """(n,) mean square of what is left of each joint, as a share of its effort's."""
        links = self.yy - 2.0 * s * self.cy + s * s * (self.cc + self.AA @ x @ x) - 2.0 * s * (self.Ay - s * self.Ac) @ x
        coupled = self.DD @ f[:, :, None] + 2.0 * s * (x @ self.AD)[:, :, None] - 2.0 * (self.Dy - s * self.Dc)[:, :, None]
        return links + (f[:, None, :] @ coupled)[:, 0, 0]


def _factor(even: Array) -> Array:
    """Cholesky's factor of a matrix of unit diagonal, made more definite where rounding has spoiled it: of a reading that is far from true,
    columns differ by many orders."""
    for ridge in _RIDGES:
        try:
            return np.asarray(np.linalg.cholesky(even + ridge * np.eye(len(even))), dtype=float)
        except np.linalg.LinAlgError:
            continue
    return np.eye(len(even))


def take_tangents(found: Moments, links: int, chosen: Sequence[int]) -> Moments:
    """The moments with some of the further columns, which come after those of the links."""
    others = range(links + found.tangents, found.matrices.shape[1])
    places = [*range(links), *(links + k for k in chosen), *others]
    return replace(found, matrices=found.matrices[:, places][:, :, places], tangents=len(chosen))
