"""The constants of a friction model that its torque is not linear in, as one vector: those of its parts, one after the other.

Fixed ones, which are known from elsewhere, are no part of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import copy
from dataclasses import replace
from typing import Any, cast

import numpy as np

from dynident.core.arrays import Array
from dynident.dynamics.friction.combined import combine
from dynident.dynamics.friction.model import FrictionModel, ShapeConstant
from dynident.dynamics.friction.per_joint import PerJoint
from dynident.errors import UnknownNameError

#: Step of a derivative by a shape, as a share of its value.
_STEP = 1e-5


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


def shape_slopes(model: FrictionModel, parameters: Array, columns: Callable[[FrictionModel], Array]) -> Array:
    """(m, rows) change of a single joint's friction per unit of each shape.

    parameters : (k,) of the model; columns : model -> (k, rows) where the friction is evaluated.
    """
    values, slopes = shape_values(model), list[Array]()
    for i, shape in enumerate(shape_constants(model)):
        step = max(_STEP * abs(values[i]), 1e-4 * _STEP * (shape.upper - shape.lower))
        ends = [float(np.clip(values[i] + side, shape.lower, shape.upper)) for side in (step, -step)]
        above, below = (columns(with_shapes(model, [*values[:i], end, *values[i + 1 :]])) for end in ends)
        slopes.append(parameters @ (above - below) / (ends[0] - ends[1]))
    return np.array(slopes) if slopes else np.zeros((0, columns(model).shape[1]))


def set_shapes(model: FrictionModel, **shapes: float) -> FrictionModel:
    """The model with other shape constants, fixed ones too, by name; those that are not named stay as they are."""
    if not shapes:
        return model
    known = [shape.name for part in model.parts for shape in part.shapes]
    unknown = [name for name in shapes if name not in known]
    if unknown:
        raise UnknownNameError(f"shape constant of friction model {model.name!r}", unknown[0], known)
    by_part = [{shape.name: shapes[shape.name] for shape in part.shapes if shape.name in shapes} for part in model.parts]
    parts = [cast("FrictionModel", replace(cast("Any", part), **changed)) for part, changed in zip(model.parts, by_part, strict=True)]
    return parts[0] if len(parts) == 1 else combine(*parts)


def shape_joints(model: FrictionModel, joints: int, shapes: Mapping[str, Array]) -> FrictionModel:
    """One model for all joints with shape constants of their own. shapes : (n,) each, by name."""
    return PerJoint(tuple(set_shapes(model, **{name: float(values[j]) for name, values in shapes.items()}) for j in range(joints)))
