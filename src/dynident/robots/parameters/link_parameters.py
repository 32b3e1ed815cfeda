"""The ten linear parameters of a link, and the three faces of a rigid body's inertia: these, (m, c, I_c), and the 4x4 pseudo-inertia.

A link's parameter vector is ``m, mcx, mcy, mcz, Jxx, Jxy, Jxz, Jyy, Jyz, Jzz``: mass, first moment and
inertia J about the *origin* of the link's parameter frame. Off-diagonals are the elements of the tensor
(URDF's convention, Jxy = -∫xy dm).

The pseudo-inertia P = [[Σ, mc], [mcᵀ, m]] with Σ = ½ tr(J) 1 - J collects the moments of the mass distribution
up to second order. P ≻ 0 is full physical consistency: positive mass, positive inertia and the triangle
inequality in one condition (Wensing, Kim, Slotine, RA-L 2018). All functions take any leading batch shape.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias, cast, get_args

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array, all_finite
from dynident.errors import ShapeError, ValueRangeError

PARAMETERS_PER_LINK = 10
"""Number of linear parameters of a link: m, mc (3), J (6)."""

INERTIA_ELEMENTS: tuple[tuple[int, int], ...] = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
"""Where each element of the symmetric 3x3 inertia stands in the vector: (row, column) of xx, xy, xz, yy, yz, zz."""
InertiaName: TypeAlias = Literal["xx", "xy", "xz", "yy", "yz", "zz"]
"""Name of an element of the inertia."""
INERTIA_NAMES: tuple[str, ...] = get_args(InertiaName)
"""Names of these elements."""
_ROWS = np.array([row for row, _ in INERTIA_ELEMENTS])
_COLUMNS = np.array([column for _, column in INERTIA_ELEMENTS])
# Pinocchio stores m, mx, my, mz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz: entry k of ours is entry _PINOCCHIO[k] of theirs.
_PINOCCHIO = np.array([0, 1, 2, 3, 4, 5, 7, 6, 8, 9])
ROUNDING = 1e-14
"""What arithmetic between a body's moments and its mass, centre of mass and inertia can change, as a share of the largest."""


class ParameterEntry(NamedTuple):
    """One entry of the parameter vector."""

    name: str  #: with the link's number, as in the papers: m2, mc2x, J2xx
    unit: str
    link: int  #: zero-based
    slot: int  #: 0 to 9 within the link
    quantity: str  #: m, mc or J
    element: str  #: x or xx; empty for a mass


def parameter_entries(links: int) -> tuple[ParameterEntry, ...]:
    """Name and unit of every entry of the stacked vector of `links` links (length 10 * links).

    Parameters
    ----------
    links : int
        Number of links.

    Returns
    -------
    tuple of ParameterEntry
        10 * links entries.
    """
    slots = [("m", "", "kg"), *(("mc", axis, "kg·m") for axis in "xyz"), *(("J", element, "kg·m²") for element in INERTIA_NAMES)]
    return tuple(
        ParameterEntry(f"{quantity}{link + 1}{element}", unit, link, slot, quantity, element)
        for link in range(links)
        for slot, (quantity, element, unit) in enumerate(slots)
    )


def parameter_names(links: int) -> tuple[str, ...]:
    """Names of the stacked parameter vector: m1, mc1x, ..., J1zz, m2, ...

    Parameters
    ----------
    links : int
        Number of links.

    Returns
    -------
    tuple of str
        10 * links names.
    """
    return tuple(entry.name for entry in parameter_entries(links))


def link_rows(parameters: ArrayLike, links: Sequence[str]) -> Array:
    """Parameters of links that were given as rows (n, 10), or stacked (10 n,), as rows.

    Parameters
    ----------
    parameters : (n, 10) or (10 n,) array_like
        One row per link, or all stacked.
    links : sequence of str
        Names of the n links, for the message of an error.

    Returns
    -------
    (n, 10) array
        Finite numbers.

    Raises
    ------
    ShapeError
        Where the shape is another.
    ValueRangeError
        Where a number is not finite.
    """
    values, n = np.asarray(parameters, dtype=float, order="C"), len(links)
    if values.shape not in ((n, PARAMETERS_PER_LINK), (n * PARAMETERS_PER_LINK,)):
        raise ShapeError("parameters", values.shape, f"({n}, 10) = (links, parameters) or ({10 * n},)")
    rows = values.reshape(n, PARAMETERS_PER_LINK)
    if not all_finite(rows):
        bad = int(np.argmin(np.isfinite(rows).all(axis=1)))
        raise ValueRangeError(f"parameters of link {links[bad]!r}", "contains NaN or infinity; every link needs ten finite numbers")
    return rows


class LinkInertia(NamedTuple):
    """One link as people think of it.

    Attributes
    ----------
    mass : float
        [kg].
    com : (3,) array
        Centre of mass in the parameter frame [m].
    inertia : (3, 3) array
        About the centre of mass, axes of the parameter frame [kg·m²].
    """

    mass: float
    com: Array
    inertia: Array

    @property
    def elements(self) -> dict[InertiaName, float]:
        """The six elements of the inertia by their names, xx to zz."""
        elements = {name: float(self.inertia[place]) for name, place in zip(INERTIA_NAMES, INERTIA_ELEMENTS, strict=True)}
        return cast("dict[InertiaName, float]", elements)

    @property
    def rounding(self) -> float:
        """Difference between two inertias that are the same one, computed differently [kg·m²]."""
        return ROUNDING * (float(np.abs(self.inertia).max()) + abs(self.mass) * float(self.com @ self.com))


def from_com(mass: ArrayLike, com: ArrayLike, inertia: ArrayLike) -> Array:
    """Linear parameters from mass, centre of mass and barycentric inertia.

    Parameters
    ----------
    mass : (...) array_like
        Mass [kg].
    com : (..., 3) array_like
        Centre of mass in the parameter frame [m].
    inertia : (..., 3, 3) array_like
        I_c about the centre of mass, axes of the parameter frame [kg·m²].

    Returns
    -------
    (..., 10) array
        Linear parameters.
    """
    m, c, I_c = (np.asarray(value, dtype=float) for value in (mass, com, inertia))
    J = I_c + m[..., None, None] * _parallel_axis(c)
    return np.concatenate([m[..., None], m[..., None] * c, _pack(J)], axis=-1)


def to_com(parameters: ArrayLike) -> tuple[Array, Array, Array]:
    """Mass (...), centre of mass (..., 3) and barycentric inertia (..., 3, 3) of linear parameters (..., 10).

    Parameters
    ----------
    parameters : (..., 10) array_like
        Linear parameters m, mc (3), J (6) of each link.

    Returns
    -------
    mass, com, inertia : tuple of (...), (..., 3) and (..., 3, 3) arrays
        Mass [kg], centre of mass [m], inertia about the centre of mass [kg·m²].

    Raises
    ------
    ValueRangeError
        Where a mass is zero, so that the centre of mass is not defined.
    """
    p = _check(parameters)
    m = p[..., 0]
    if np.any(m == 0.0):
        raise ValueRangeError("mass", "is zero, so its centre of mass is not defined; give the link a mass")
    c = p[..., 1:4] / m[..., None]
    return m, c, inertia_tensor(p[..., 4:]) - m[..., None, None] * _parallel_axis(c)


def link_inertia(parameters: ArrayLike, name: str = "") -> LinkInertia:
    """Mass, centre of mass and inertia of one link's parameters (10,), which may be massless: then both are about the origin.

    Parameters
    ----------
    parameters : (10,) array_like
        Linear parameters of the link.
    name : str
        Name of the link where nothing may be lost: a first moment without a mass is then an error.

    Returns
    -------
    LinkInertia
        About the centre of mass; of a massless link about the origin.

    Raises
    ------
    ValueRangeError
        Where a link with a name has a first moment but no mass.
    """
    p = _check(parameters)
    if p[0] != 0.0:
        mass, com, inertia = to_com(p)
        return LinkInertia(float(mass), com, inertia)
    if name and np.any(p[1:4] != 0.0):
        raise ValueRangeError(f"mass of link {name!r}", "is zero but its first moment is not, so it has no centre of mass to write")
    return LinkInertia(0.0, np.zeros(3), inertia_tensor(p[4:]))


def inertia_tensor(elements: ArrayLike) -> Array:
    """The symmetric matrix (..., 3, 3) of the elements (..., 6) of an inertia, in the order of INERTIA_NAMES.

    Parameters
    ----------
    elements : (..., 6) array_like
        xx, xy, xz, yy, yz, zz [kg·m²].

    Returns
    -------
    (..., 3, 3) array
        The symmetric tensor [kg·m²].
    """
    six = np.asarray(elements, dtype=float)
    matrix = np.empty((*six.shape[:-1], 3, 3))
    matrix[..., _ROWS, _COLUMNS] = six
    matrix[..., _COLUMNS, _ROWS] = six
    return matrix


def inertia_matrix(parameters: ArrayLike) -> Array:
    """J about the frame's origin, (..., 3, 3), of linear parameters (..., 10).

    Parameters
    ----------
    parameters : (..., 10) array_like
        Linear parameters m, mc (3), J (6) of each link.

    Returns
    -------
    (..., 3, 3) array
        J [kg·m²].
    """
    return inertia_tensor(_check(parameters)[..., 4:])


def pseudo_inertia(parameters: ArrayLike) -> Array:
    """The pseudo-inertia (..., 4, 4) of linear parameters (..., 10).

    Parameters
    ----------
    parameters : (..., 10) array_like
        Linear parameters m, mc (3), J (6) of each link.

    Returns
    -------
    (..., 4, 4) array
        Positive definite where the parameters are physically consistent.
    """
    p = _check(parameters)
    J = inertia_tensor(p[..., 4:])
    P = np.empty((*p.shape[:-1], 4, 4))
    P[..., :3, :3] = 0.5 * np.trace(J, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) - J
    P[..., :3, 3] = P[..., 3, :3] = p[..., 1:4]
    P[..., 3, 3] = p[..., 0]
    return P


def from_pseudo_inertia(pseudo: ArrayLike) -> Array:
    """Linear parameters (..., 10) of a symmetric pseudo-inertia (..., 4, 4).

    Parameters
    ----------
    pseudo : (..., 4, 4) array_like
        Symmetric pseudo-inertia of each link.

    Returns
    -------
    (..., 10) array
        Linear parameters.
    """
    P = np.asarray(pseudo, dtype=float)
    if P.shape[-2:] != (4, 4):
        raise ShapeError("pseudo_inertia", P.shape, "(..., 4, 4)")
    sigma = P[..., :3, :3]
    J = np.trace(sigma, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) - sigma
    return np.concatenate([P[..., 3, 3, None], P[..., :3, 3], _pack(J)], axis=-1)


def consistency_margin(parameters: ArrayLike) -> Array:
    """How far (...) the pseudo-inertia of parameters (..., 10) about the centre of mass is from its edge; positive means consistent.

    About the centre of mass the matrix is block-diagonal: the mass, and second moments whose smallest eigenvalue is
    ½ tr(I_c) - λ_max(I_c), the slack of the triangle inequality [kg·m²]. That is the margin of a link with a positive mass, whatever
    its size; of a negative mass the smaller of the two. It doesn't depend on the choice of frame, unlike the eigenvalue about the
    origin (its sign is the same: a change of frame is a congruence). Massless links: the smallest eigenvalue about the origin.

    Parameters
    ----------
    parameters : (..., 10) array_like
        Linear parameters m, mc (3), J (6) of each link.

    Returns
    -------
    (...) array
        Margin of each link [kg·m²]; positive where the parameters are physically consistent.
    """
    p = _check(parameters)
    P = pseudo_inertia(p)
    massive = p[..., 0] != 0.0
    m = np.where(massive, p[..., 0], 1.0)
    c = np.where(massive[..., None], p[..., 1:4] / m[..., None], 0.0)
    shift = np.broadcast_to(np.eye(4), P.shape).copy()
    shift[..., :3, 3] = -c
    about_com = shift @ P @ shift.swapaxes(-1, -2)
    second: Array = np.linalg.eigvalsh(about_com[..., :3, :3]).astype(float)[..., 0]
    whole: Array = np.linalg.eigvalsh(about_com).astype(float)[..., 0]
    return np.where(p[..., 0] > 0.0, second, whole)


def change_of_frame(pose_old_in_new: ArrayLike) -> Array:
    """The matrix A (..., 10, 10) with ``parameters_new = A @ parameters_old``.

    A pose T acts on the pseudo-inertia as P -> T P Tᵀ, which is linear in P; composing poses multiplies the matrices.

    Parameters
    ----------
    pose_old_in_new : (..., 4, 4) array_like
        Homogeneous pose of the old parameter frame in the new one.

    Returns
    -------
    (..., 10, 10) array
        The matrix A.
    """
    T = np.asarray(pose_old_in_new, dtype=float)
    if T.shape[-2:] != (4, 4):
        raise ShapeError("pose_old_in_new", T.shape, "(..., 4, 4)")
    basis = pseudo_inertia(np.eye(PARAMETERS_PER_LINK))
    T = T[..., None, :, :]
    columns = from_pseudo_inertia(T @ basis @ T.swapaxes(-1, -2))
    return columns.swapaxes(-1, -2)


def to_pinocchio(parameters: ArrayLike) -> Array:
    """Reorder the last axis (..., 10) from dynident's order to Pinocchio's. Works on regressor columns too.

    Parameters
    ----------
    parameters : (..., 10) array_like
        In dynident's order m, mc (3), Jxx, Jxy, Jxz, Jyy, Jyz, Jzz.

    Returns
    -------
    (..., 10) array
        In Pinocchio's order.
    """
    return np.asarray(parameters, dtype=float)[..., np.argsort(_PINOCCHIO)]


def from_pinocchio(parameters: ArrayLike) -> Array:
    """Reorder the last axis (..., 10) from Pinocchio's order to dynident's. Works on regressor columns too.

    Parameters
    ----------
    parameters : (..., 10) array_like
        In Pinocchio's order m, mc (3), Jxx, Jxy, Jyy, Jxz, Jyz, Jzz.

    Returns
    -------
    (..., 10) array
        In dynident's order.
    """
    return np.asarray(parameters, dtype=float)[..., _PINOCCHIO]


def _parallel_axis(c: Array) -> Array:
    """(c·c) 1 - c cᵀ: what a unit mass at c adds to the inertia about the origin."""
    return np.sum(c * c, axis=-1)[..., None, None] * np.eye(3) - c[..., :, None] * c[..., None, :]


def _pack(matrix: Array) -> Array:
    return matrix[..., _ROWS, _COLUMNS]


def _check(parameters: ArrayLike) -> Array:
    p = np.asarray(parameters, dtype=float)
    if p.ndim == 0 or p.shape[-1] != PARAMETERS_PER_LINK:
        raise ShapeError("parameters", p.shape, f"(..., {PARAMETERS_PER_LINK})")
    return p
