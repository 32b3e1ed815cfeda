"""The friction models that are tried for a joint: laws of the velocity first, then what may come on top of the best of them.

Those that the literature on arms uses: eqs. (24) and (25) of Gaz et al., RA-L 2019; Coulomb friction without its jump; Stribeck's effect
(Armstrong-Hélouvry et al., Automatica 30, 1994); other friction in one direction than in the other; viscous friction that bends
(harmonic drives: Taghirad, Bélanger, 1998). On top: cables and hoses that pull a joint back, friction that grows with the load, rotors,
and what the temperature changes.
"""

from __future__ import annotations

from dynident.dynamics.friction.combined import combine, linear
from dynident.dynamics.friction.laws import (
    Armature,
    AsymmetricCoulomb,
    AsymmetricViscous,
    Coulomb,
    CubicViscous,
    LoadCoulomb,
    Offset,
    SmoothCoulomb,
    Spring,
    Stribeck,
    TemperatureCoulomb,
    TemperatureViscous,
    Viscous,
)
from dynident.dynamics.friction.model import FrictionModel
from dynident.dynamics.friction.sigmoid import Sigmoid


def friction_laws() -> tuple[FrictionModel, ...]:
    """Friction over velocity, each with a constant torque; the first is the one that the others are compared with."""
    return (
        linear(),
        combine(Viscous(), SmoothCoulomb(), Offset()),
        combine(Sigmoid(), Offset()),
        combine(Viscous(), Sigmoid(), Offset()),
        combine(Viscous(), Coulomb(), Stribeck(), Offset()),
        combine(AsymmetricViscous(), AsymmetricCoulomb()),
        combine(Viscous(), CubicViscous(), Coulomb(), Offset()),
    )


def friction_additions() -> tuple[FrictionModel, ...]:
    """What a joint may have besides."""
    return (Spring(), LoadCoulomb(), Armature(), TemperatureCoulomb(), TemperatureViscous())
