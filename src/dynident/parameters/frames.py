"""Change of the frame in which parameters are expressed, and the order in which Pinocchio keeps them.

A pose T acts on the pseudo-inertia as P -> T P Tᵀ, which is linear in P: so a change of frame is a 10x10 matrix,
and composing poses multiplies these matrices (a group action).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array
from dynident.errors import ShapeError
from dynident.parameters.inertia import from_pseudo_inertia, pseudo_inertia
from dynident.parameters.layout import PARAMETERS_PER_LINK

# Pinocchio stores m, mx, my, mz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz: entry k of ours is entry _PINOCCHIO[k] of theirs.
_PINOCCHIO = np.array([0, 1, 2, 3, 4, 5, 7, 6, 8, 9])


def change_of_frame(pose_old_in_new: ArrayLike) -> Array:
    """The matrix A (..., 10, 10) with ``parameters_new = A @ parameters_old``.

    pose_old_in_new : (..., 4, 4)  Homogeneous pose of the old parameter frame in the new one.
    """
    T = np.asarray(pose_old_in_new, dtype=float)
    if T.shape[-2:] != (4, 4):
        raise ShapeError("pose_old_in_new", T.shape, "(..., 4, 4)")
    basis = pseudo_inertia(np.eye(PARAMETERS_PER_LINK))
    T = T[..., None, :, :]
    columns = from_pseudo_inertia(T @ basis @ T.swapaxes(-1, -2))
    return columns.swapaxes(-1, -2)


def to_pinocchio(parameters: ArrayLike) -> Array:
    """Reorder the last axis (..., 10) from dynident's order to Pinocchio's. Works on regressor columns too."""
    return np.asarray(parameters, dtype=float)[..., np.argsort(_PINOCCHIO)]


def from_pinocchio(parameters: ArrayLike) -> Array:
    """Reorder the last axis (..., 10) from Pinocchio's order to dynident's. Works on regressor columns too."""
    return np.asarray(parameters, dtype=float)[..., _PINOCCHIO]
