"""Can a rigid body have these ten parameters? The verdict on one link, whatever robot it belongs to.

A link is physically consistent when its pseudo-inertia is positive definite: positive mass, positive principal
inertias, and the triangle inequality λ_max <= λ_1 + λ_2 between them (Wensing, Kim, Slotine, RA-L 2018).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from dynident.core.arrays import Array
from dynident.robots.parameters import consistency_margin, inertia_matrix, link_inertia

#: Below this share of the trace of I_c the triangle inequality holds, but barely: the link is marginal.
MARGINAL_SHARE = 1e-3
#: A violation below this share of the trace of J is the rounding of a limit case (a thin rod, a point mass), not an error.
ROUNDING_SHARE = 1e-9
#: MuJoCo's mjEPS [kg·m²].
_MUJOCO_ROUNDING = 1e-14


class LinkVerdict(Enum):
    """What a link is; the value is the sentence that the user sees."""

    CONSISTENT = "consistent"
    MARGINAL = "marginal"
    TRIANGLE = "violates the triangle inequality"
    NOT_POSITIVE = "inertia is not positive definite"
    ZERO_MASS = "zero mass"
    NEGATIVE_MASS = "negative mass"
    COMPOUND = "no mass, inside a compound joint"
    NO_INERTIA = "no inertia given"

    @property
    def inconsistent(self) -> bool:
        """No rigid body has such parameters."""
        return self in (LinkVerdict.TRIANGLE, LinkVerdict.NOT_POSITIVE, LinkVerdict.ZERO_MASS, LinkVerdict.NEGATIVE_MASS)


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """A verdict and the numbers behind it.

    Attributes
    ----------
    verdict : LinkVerdict
        What the body is.
    detail : str
        The verdict in numbers; empty where there is nothing to add.
    mass : float or None
        [kg]; None without an inertia.
    com : tuple or None
        Centre of mass in the frame of the numbers [m]; None without a mass.
    principal_inertias : tuple or None
        Eigenvalues of I_c, ascending [kg·m²]; of J where the mass is zero.
    margin : float or None
        ½ tr(I_c) - λ_max(I_c) of a body with a mass [kg·m²], see `consistency_margin`; negative is inconsistent.
    """

    verdict: LinkVerdict
    detail: str = ""
    mass: float | None = None
    com: tuple[float, float, float] | None = None
    principal_inertias: tuple[float, float, float] | None = None
    margin: float | None = None

    @property
    def message(self) -> str:
        """The verdict as a sentence."""
        return f"{self.verdict.value} ({self.detail})" if self.detail else self.verdict.value


def judge(parameters: Array) -> Judgement:
    """The verdict on a link's parameters (10,)."""
    mass, (x, y, z), inertia = link_inertia(parameters)
    com = (float(x), float(y), float(z)) if mass != 0.0 else None
    rounding = ROUNDING_SHARE * float(np.trace(np.abs(inertia_matrix(parameters))))
    low, middle, high = (float(value) for value in np.linalg.eigvalsh(inertia))
    verdict, detail = _verdict(mass, (low, middle, high), rounding)
    margin = float(consistency_margin(parameters))
    return Judgement(verdict=verdict, detail=detail, mass=mass, com=com, principal_inertias=(low, middle, high), margin=margin)


def mujoco_refuses(parameters: Array) -> bool:
    """Whether MuJoCo 3 and 4 take no link with such parameters (10,), be it fixed: their inertia is neither zero nor positive and possible.

    They ask for principal inertias, and for slack in the triangle inequality, beyond 1e-14 kg·m² (mjEPS).
    """
    low, middle, high = (float(value) for value in np.linalg.eigvalsh(link_inertia(parameters).inertia))
    rounding = 4.0 * np.finfo(float).eps * float(np.abs(inertia_matrix(parameters)).max())
    return max(-low, high) > rounding and (low < _MUJOCO_ROUNDING or low + middle < high - max(rounding, _MUJOCO_ROUNDING))


def _verdict(mass: float, principal: tuple[float, float, float], rounding: float) -> tuple[LinkVerdict, str]:
    low, _, high = principal
    trace = sum(principal)
    slack = 0.5 * trace - high  # of the triangle inequality; the pseudo-inertia's smallest eigenvalue
    if mass < 0.0:
        return LinkVerdict.NEGATIVE_MASS, f"{mass:.4g} kg"
    if mass == 0.0:
        return LinkVerdict.ZERO_MASS, "its inertia is not zero" if trace != 0.0 else ""
    if low < -rounding:
        return LinkVerdict.NOT_POSITIVE, f"smallest principal inertia {low:.2e} kg·m²"
    if slack < -rounding:
        return LinkVerdict.TRIANGLE, f"the largest principal inertia exceeds half the trace by {-slack:.2e} kg·m²"
    if trace <= rounding:
        return LinkVerdict.MARGINAL, "a point mass, without rotational inertia"
    if slack <= MARGINAL_SHARE * trace:
        share = slack / trace
        return LinkVerdict.MARGINAL, f"margin is {100 * max(share, 0.0):.2g} % of the inertia's trace, below {100 * MARGINAL_SHARE:g} %"
    return LinkVerdict.CONSISTENT, ""
