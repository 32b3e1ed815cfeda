"""Joint friction: one base class, one model per file, and a registry."""

from dynident.friction.armature import Armature
from dynident.friction.asymmetric_coulomb import AsymmetricCoulomb
from dynident.friction.asymmetric_viscous import AsymmetricViscous
from dynident.friction.combined import Combined, combine, linear, linear_with_rotor
from dynident.friction.coulomb import Coulomb
from dynident.friction.counterbalance import Counterbalance
from dynident.friction.coupled import Coupled, couple
from dynident.friction.load_coulomb import LoadCoulomb
from dynident.friction.model import FrictionModel, Motion, Parameter, ShapeConstant, Symmetry, Unit, friction_torque
from dynident.friction.offset import Offset
from dynident.friction.per_joint import PerJoint
from dynident.friction.polynomial_viscous import CubicViscous, QuadraticViscous
from dynident.friction.registry import FRICTION_MODELS, friction_from_dict, friction_model, friction_to_dict
from dynident.friction.ripple import MotorRipple, Ripple
from dynident.friction.sigmoid import Sigmoid, SymmetricSigmoid
from dynident.friction.smooth_coulomb import SmoothCoulomb
from dynident.friction.smoothed import Smoothed, smooth
from dynident.friction.spring import Spring
from dynident.friction.stribeck import Stribeck
from dynident.friction.temperature import TemperatureCoulomb, TemperatureViscous
from dynident.friction.viscous import Viscous

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
    "SymmetricSigmoid",
    "Symmetry",
    "TemperatureCoulomb",
    "TemperatureViscous",
    "Unit",
    "Viscous",
    "combine",
    "couple",
    "friction_from_dict",
    "friction_model",
    "friction_to_dict",
    "friction_torque",
    "linear",
    "linear_with_rotor",
    "smooth",
]
