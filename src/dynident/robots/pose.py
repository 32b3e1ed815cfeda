"""What a pose and a length of a robot may be."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.arrays import Array, check_array
from dynident.errors import ValueRangeError

#: No robot is larger [m].
LARGEST_LENGTH = 1e6


def check_pose(values: ArrayLike, name: str) -> Array:
    """The values as a (4, 4) pose."""
    T = check_array(name, values, (4, 4))
    R = T[:3, :3]
    small = np.abs(R).max() < 2.0  # as those of rotations are; the products of others may overflow
    if not (small and np.allclose(R @ R.T, np.eye(3), atol=1e-6) and np.linalg.det(R) > 0 and np.allclose(T[3], [0, 0, 0, 1])):
        raise ValueRangeError(name, "is not a pose: it must be a 4x4 homogeneous matrix with a rotation in its upper left")
    check_lengths(name, T[:3, 3])
    return T


def check_lengths(name: str, values: Array) -> Array:
    """The values [m], none of which is farther away than a robot reaches."""
    farthest = float(np.abs(values).max())
    if farthest > LARGEST_LENGTH:
        raise ValueRangeError(name, f"is {farthest:.3g} m away, farther than any robot reaches; check the number and its unit")
    return values
