"""The constants of a friction model that its torque is not linear in, as one vector: those of its parts, one after the other.

Fixed ones, which are known from elsewhere, are no part of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy

import numpy as np

from dynident.core.arrays import Array
from dynident.friction.combined import combine
from dynident.friction.model import FrictionModel, ShapeConstant


def shape_constants(model: FrictionModel) -> tuple[ShapeConstant, ...]:
    """(m,) what the shapes of a single joint's model are called, and where to look for them."""
    return tuple(shape for part in model.parts for shape in _fitted(part))


def shape_values(model: FrictionModel) -> Array:
    """(m,) the shapes that it has."""
    return np.array([float(getattr(part, shape.name)) for part in model.parts for shape in _fitted(part)])


def with_shapes(model: FrictionModel, values: Iterable[float]) -> FrictionModel:
    """The model with other shapes (m,), in the order of `shape_constants`; they must be within their bounds."""
    rest = iter(values)
    parts: list[FrictionModel] = []
    for part in model.parts:
        changed = copy(part)  # past the checks of the fields: bounds are known to hold, and this is done hundreds of times
        vars(changed).update({shape.name: float(next(rest)) for shape in _fitted(part)})
        parts.append(changed)
    return parts[0] if len(parts) == 1 else combine(*parts)


def _fitted(part: FrictionModel) -> tuple[ShapeConstant, ...]:
    return tuple(shape for shape in part.shapes if not shape.fixed)
