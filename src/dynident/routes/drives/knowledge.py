"""What is known beforehand as rows: a payload's mass and centre, masses of links, their likeness to the description, the vendor's gains.

The unknowns of the model are its coefficients (b), or where links are known the standard parameters (p) and the scale of the
description's links (1); then the payload's ten parameters in the tool frame, where there was one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from dynident.core.arrays import Array
from dynident.errors import UnknownNameError, ValueRangeError
from dynident.links.constraints.terms import FeasibleSet
from dynident.links.prior import mend_nominal, uniform_prior
from dynident.regression.equations.base import BaseParameters
from dynident.regression.equations.factors import triangular
from dynident.regression.problem import Problem
from dynident.robots.parameters import PARAMETERS_PER_LINK, change_of_frame
from dynident.robots.parameters.link_metric import link_metric, weight_of
from dynident.routes.drives.gain_fit import CurrentLog, Knowledge
from dynident.routes.drives.known_values import KnownValue

#: Powers of e to which gains are known of which nothing is known: a factor of ten.
VAGUE = 2.3
#: Share to which a total mass holds by which everything is measured.
HELD = 1e-3
#: Links explain a current where they do so by this many standard deviations, and nobody would doubt the sign.
EXPLAINS = 10.0


@dataclass(frozen=True, kw_only=True)
class KnownPayload:
    """What hung on the tool in the loaded run.

    Attributes
    ----------
    mass : KnownValue
        [kg].
    com : (3,) of KnownValue
        Centre of mass in the tool frame [m]; None where it is not known, and then it is found from the data.
    """

    mass: KnownValue
    com: tuple[KnownValue, KnownValue, KnownValue] | None = None

    def __post_init__(self) -> None:
        _check_mass("payload mass", self.mass)


@dataclass(frozen=True, kw_only=True)
class KnownMasses:
    """Masses of the links [kg].

    Attributes
    ----------
    total : KnownValue or None
        Of all links that move together; None where it is not known.
    single
        Of single links by parameter name, such as m3.
    """

    total: KnownValue | None = None
    single: Mapping[str, KnownValue] = field(default_factory=dict[str, KnownValue])

    def __post_init__(self) -> None:
        if self.total is None and not self.single:
            raise ValueRangeError("masses", "are not given; give the total, or that of a link")
        for name, known in self.told.items():
            _check_mass(name, known)

    @property
    def told(self) -> dict[str, KnownValue]:
        """What is known, by what it is called."""
        return {**({} if self.total is None else {"the total mass": self.total}), **self.single}

    @property
    def scale_std(self) -> float:
        """To which share these masses fix the scale of all."""
        if self.total is not None:
            return self.total.std / self.total.value
        return float(np.sqrt(sum(known.std**2 for known in self.single.values())) / sum(known.value for known in self.single.values()))


def _check_mass(name: str, known: KnownValue) -> None:
    if not known.value > 0.0:
        raise ValueRangeError(name, f"is {known.value:g} kg; a positive mass was expected")


def assemble(
    base: BaseParameters,
    problems: Sequence[Problem],
    *,
    payload: KnownPayload | None,
    masses: KnownMasses | None,
    likeness: float,
    vendor: Sequence[KnownValue] | None,
    gains: Array,
) -> tuple[list[CurrentLog], Knowledge]:
    """The logs (unloaded, then loaded) over the unknowns of the model, and what is known of these.

    likeness : factor to which the links are like the description, beyond a common scale; where masses are known.
    gains : (n,) where to start from; those of the vendor count for as much as they are known.
    """
    arm, rows, values = _arm_rows(base, masses, likeness)
    m = arm.shape[1] + PARAMETERS_PER_LINK * (payload is not None)
    mixings = [np.zeros((base.rank, m)) for _ in problems]
    for mixing in mixings:
        mixing[:, : arm.shape[1]] = arm
    before = [np.concatenate([rows, np.zeros((len(rows), m - rows.shape[1]))], axis=1)]
    if payload is not None:
        last = base.columns.of_link(base.robot.n - 1)
        mixings[1][:, arm.shape[1] :] = base.grouping[:, last] @ change_of_frame(base.robot.tool)
        payload_rows, about = _payload_rows(payload)
        before.append(np.concatenate([np.zeros((len(payload_rows), arm.shape[1])), payload_rows], axis=1))
        values = np.append(values, about)
    knowledge = Knowledge(
        rows=np.concatenate(before),
        values=values,
        gains=gains,
        log_std=np.full(base.robot.n, VAGUE) if vendor is None else np.array([item.std / abs(item.value) for item in vendor]),
        fixes_scale=bool(np.any(values != 0.0)) or vendor is not None,
    )
    return [CurrentLog(problem, mixing) for problem, mixing in zip(problems, mixings, strict=True)], knowledge


def describe_gains(base: BaseParameters, problem: Problem, masses: KnownMasses | None) -> Array:
    """(n,) gains with which the links of the description explain each current best, beside friction and rotor inertia.

    Where they explain next to nothing of a current, its gain is positive and as large as that of the others in the median.
    """
    standard = np.zeros(len(base.columns))
    standard[base.columns.link_slice] = describe_links(base, masses).ravel()
    chi, free = base.coefficients(standard), np.any(base.grouping[:, base.columns.friction_slice] != 0.0, axis=1)
    gains, sure = np.ones(base.robot.n), np.zeros(base.robot.n, dtype=bool)
    for j, (group, factor) in enumerate(zip(problem.groups, problem.factors, strict=True)):
        used = free[group.columns]
        # the current by the prediction: the prediction by the current would be shrunk by noise
        R = triangular([np.column_stack([factor[:, :-1][:, used], factor[:, :-1][:, ~used] @ chi[group.columns][~used], factor[:, -1]])])
        explained, left = R[-2, -1], R[-1, -1]
        sure[j] = explained**2 > EXPLAINS**2 * left**2 / max(int(problem.counts[j]), 1)
        gains[j] = R[-2, -2] / explained if sure[j] else np.nan
    usual = float(np.median(np.abs(gains[sure]))) if sure.any() else 1.0
    return np.where(sure, gains, usual)


def _arm_rows(base: BaseParameters, masses: KnownMasses | None, likeness: float) -> tuple[Array, Array, Array]:
    """χ = arm @ unknowns (b, m) of the arm's own unknowns, and rows (r, m) and values (r,) of what is known of these."""
    if masses is None:
        return np.eye(base.rank), np.zeros((0, base.rank)), np.zeros(0)
    described = describe_links(base, masses)
    blocks = [np.sqrt(weight_of(likeness)) * link_metric(link, "entropic") for link in described]
    rows = np.zeros((sum(map(len, blocks)), len(base.columns)))
    values, line = np.zeros(len(rows)), 0
    for i, block in enumerate(blocks):
        here = slice(line, line + len(block))
        rows[here, base.columns.of_link(i)], values[here] = block, block @ described[i]
        line += len(block)
    further, known = _mass_rows(base, masses)
    return base.grouping, np.concatenate([rows, further]), np.append(values, known)


def describe_links(base: BaseParameters, masses: KnownMasses | None) -> Array:
    """(n, 10) the links of the description, scaled to the masses that are known.

    Uniform bodies stand for those that can't exist or that the description says nothing of.
    """
    uniform = uniform_prior(base.robot, FeasibleSet(()))
    links = uniform.nominal if base.robot.parameters is None else mend_nominal(base.robot, uniform)[0].nominal
    if masses is None:
        return links
    if masses.total is not None:
        return links * (masses.total.value / float(links[:, 0].sum()))
    allowed = tuple(f"m{i + 1}" for i in range(base.robot.n))
    for name in masses.single:
        if name not in allowed:
            raise UnknownNameError("mass of a link", name, allowed)
    described = sum(links[allowed.index(name), 0] for name in masses.single)
    return links * (sum(known.value for known in masses.single.values()) / described)


def _mass_rows(base: BaseParameters, masses: KnownMasses) -> tuple[Array, list[float]]:
    """Rows on the masses. The total is what all is measured by, so it holds; `scale_std` says how well that is known."""
    rows, values = list[Array](), list[float]()
    places: dict[str, tuple[int | slice, KnownValue]] = {name: (base.columns.index(name), known) for name, known in masses.single.items()}
    if masses.total is not None:
        every_mass = slice(0, len(base.columns.of_links), PARAMETERS_PER_LINK)
        places["total"] = (every_mass, KnownValue(masses.total.value, HELD * masses.total.value))
    for place, known in places.values():
        row = np.zeros(len(base.columns))
        row[place] = 1.0 / known.std
        rows.append(row)
        values.append(known.value / known.std)
    return np.array(rows), values


def _payload_rows(payload: KnownPayload) -> tuple[Array, list[float]]:
    """Rows (r, 10) on the payload's parameters m, mcx, mcy, mcz, Jxx, ..., and their values."""
    mass = payload.mass
    rows, values = [np.eye(PARAMETERS_PER_LINK)[0] / mass.std], [mass.value / mass.std]
    for k, centre in enumerate(payload.com or ()):
        row = np.zeros(PARAMETERS_PER_LINK)
        row[0], row[1 + k] = -centre.value, 1.0
        rows.append(row / (mass.value * centre.std))
        values.append(0.0)
    return np.array(rows), values
