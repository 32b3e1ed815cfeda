"""Joint friction: one base class, one model per file, and a registry."""

from dynident.friction.armature import Armature
from dynident.friction.combined import Combined, combine, linear
from dynident.friction.coulomb import Coulomb
from dynident.friction.model import FrictionModel, Motion, Parameter, ShapeConstant, Symmetry, Unit, friction_torque
from dynident.friction.offset import Offset
from dynident.friction.per_joint import PerJoint
from dynident.friction.registry import FRICTION_MODELS, friction_from_dict, friction_model, friction_to_dict
from dynident.friction.smooth_coulomb import SmoothCoulomb
from dynident.friction.smoothed import Smoothed, smooth
from dynident.friction.viscous import Viscous

__all__ = [
    "FRICTION_MODELS",
    "Armature",
    "Combined",
    "Coulomb",
    "FrictionModel",
    "Motion",
    "Offset",
    "Parameter",
    "PerJoint",
    "ShapeConstant",
    "SmoothCoulomb",
    "Smoothed",
    "Symmetry",
    "Unit",
    "Viscous",
    "combine",
    "friction_from_dict",
    "friction_model",
    "friction_to_dict",
    "friction_torque",
    "linear",
    "smooth",
]
