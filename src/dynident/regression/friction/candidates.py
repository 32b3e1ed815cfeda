"""The friction models that are tried for a joint: laws of the velocity first, then what may come on top of the best of them."""

from __future__ import annotations

from dynident.friction.armature import Armature
from dynident.friction.combined import combine, linear
from dynident.friction.model import FrictionModel
from dynident.friction.offset import Offset
from dynident.friction.smooth_coulomb import SmoothCoulomb
from dynident.friction.viscous import Viscous


def friction_laws() -> tuple[FrictionModel, ...]:
    """Friction over velocity, each with a constant torque beside it; the first is the one that the others are compared with."""
    return (
        linear(),
        combine(Viscous(), SmoothCoulomb(), Offset()),
    )


def friction_additions() -> tuple[FrictionModel, ...]:
    """What a joint may have besides."""
    return (Armature(),)
