"""Joint friction: one base class, small laws in one file, larger ones in one each, and a registry."""

from dynident.dynamics.friction.combined import Combined, combine, linear, linear_with_rotor, stated_friction
from dynident.dynamics.friction.counterbalance import Counterbalance
from dynident.dynamics.friction.coupled import Coupled, couple
from dynident.dynamics.friction.laws import (
    Armature,
    AsymmetricCoulomb,
    AsymmetricViscous,
    Coulomb,
    CubicViscous,
    LoadCoulomb,
    MotorRipple,
    Offset,
    QuadraticViscous,
    Ripple,
    SmoothCoulomb,
    Spring,
    Stribeck,
    TemperatureCoulomb,
    TemperatureViscous,
    Viscous,
)
from dynident.dynamics.friction.model import FrictionModel, JointUnit, Motion, Parameter, ShapeConstant, Symmetry, friction_torque
from dynident.dynamics.friction.per_joint import PerJoint
from dynident.dynamics.friction.registry import FRICTION_MODELS, friction_model, friction_to_dict
from dynident.dynamics.friction.sigmoid import Sigmoid
from dynident.dynamics.friction.smoothed import Smoothed, smooth

__all__ = [
    "FRICTION_MODELS",
    "Armature",
    "AsymmetricCoulomb",
    "AsymmetricViscous",
    "Combined",
    "Coulomb",
    "Counterbalance",
    "Coupled",
    "CubicViscous",
    "FrictionModel",
    "JointUnit",
    "LoadCoulomb",
    "Motion",
    "MotorRipple",
    "Offset",
    "Parameter",
    "PerJoint",
    "QuadraticViscous",
    "Ripple",
    "ShapeConstant",
    "Sigmoid",
    "SmoothCoulomb",
    "Smoothed",
    "Spring",
    "Stribeck",
    "Symmetry",
    "TemperatureCoulomb",
    "TemperatureViscous",
    "Viscous",
    "combine",
    "couple",
    "friction_model",
    "friction_to_dict",
    "friction_torque",
    "linear",
    "linear_with_rotor",
    "smooth",
    "stated_friction",
]
