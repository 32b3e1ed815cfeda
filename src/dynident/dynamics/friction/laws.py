"""The laws of friction that one formula says: each is a class of a few lines, and one line in the registry.

Viscous and Coulomb friction, the latter without its jump too, and what stands beside them: Stribeck's effect, which is more friction near
rest than at speed, where lubrication has not begun (exponents near 1.3 in an industrial gearbox: Bittencourt et al., IROS 2010; 2 is the
usual one); other friction in one direction than in the other, as gears have it whose flanks differ; viscous friction that bends (harmonic
drives: Taghirad, Bélanger, 1998); friction that grows with the load, as of teeth that are pressed together, and that changes as oil
warms (Bittencourt et al.; Simoni et al., Robotica 2018). Then torques that are no friction but that each joint has on its own too: a
constant one, which a torque sensor's zero is as well, cables and springs, ripple, and the inertia of a rotor seen through the gear.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dynident.dynamics.friction.model import (
    INERTIA,
    NUMBER,
    REFERENCE_TEMPERATURE,
    TORQUE_PER_VELOCITY,
    VELOCITY,
    FrictionModel,
    JointUnit,
    Motion,
    Parameter,
    ShapeConstant,
    Symmetry,
    check_shapes,
)

THRESHOLD, SPEED, EXPONENT, RATIO = 0.02, 0.05, 2.0, 100.0
LEVEL = Parameter(
    name="fc",
    typical=0.005,
    attributes={"URDF": "friction", "MJCF": "frictionloss"},
    motion="move these joints back and forth, through many reversals",
)
_ONE_WAY, _UNLINEAR = "the friction of one direction", "friction that is not proportional to the velocity"
_OF_TEMPERATURE, _OF_POSITION = "friction that depends on the temperature", "a torque that depends on the position"
_SPEEDS = "move these joints at several speeds, up to the fastest"
_BOTH_WAYS = f"{LEVEL.motion}, and with other positions in each direction"
_SPEEDS_BOTH_WAYS = "move these joints at several speeds in both directions, the fast ones included"
_SLOWLY = "move these joints so slowly that the filter lets turns of the motor through"
_WARM = "move these joints for long enough to become warm, from a cold start, back and forth at several speeds"


@dataclass(frozen=True)
class Viscous(FrictionModel):
    """torque = fv · dq"""

    name = "viscous"
    parameters = (
        Parameter(
            name="fv",
            unit=TORQUE_PER_VELOCITY,
            typical=0.005,
            attributes={"URDF": "damping", "MJCF": "damping"},
            motion="move these joints at several speeds, the fast ones included",
        ),
    )
    symmetry = Symmetry.ODD
    dissipative = True

    def terms(self, motion: Motion) -> tuple[Any, ...]:
        return (motion.dq,)


@dataclass(frozen=True)
class Coulomb(FrictionModel):
    """torque = fc · sign(dq), and zero at rest"""

    name = "coulomb"
    parameters = (LEVEL,)
    symmetry = Symmetry.ODD
    dissipative = True

    def terms(self, motion: Motion) -> tuple[Any, ...]:
        return (np.sign(motion.dq),)


@dataclass(frozen=True)
class SmoothCoulomb(FrictionModel):
    """torque = fc · tanh(dq / threshold)

    Attributes
    ----------
    threshold
        Velocity at which 76 % of fc is reached [rad/s | m/s]; towards 0 it becomes Coulomb friction.
    """

    threshold: float = THRESHOLD

    name = "smooth_coulomb"
    parameters = (replace(LEVEL, lost="the smooth passage through rest"),)
    shapes = (ShapeConstant(name="threshold", unit=VELOCITY, default=THRESHOLD, lower=1e-4, upper=1.0),)
    symmetry = Symmetry.ODD
    dissipative = True

    def __post_init__(self) -> None:
        check_shapes(self, positive=("threshold",))

    def terms(self, motion: Motion) -> tuple[Any, ...]:
        return (np.tanh(motion.dq / self.threshold),)


@dataclass(frozen=True)
class Stribeck(FrictionModel):
    """torque = fst · exp(-|dq / speed|^exponent) · sign(dq), and zero at rest

    Attributes
    ----------
    speed
        Velocity at which 37 % of it is left [rad/s | m/s].
    exponent : float
        How steeply it falls.
    """

    speed: float = SPEED
    exponent: float = EXPONENT

    name = "stribeck"
    parameters = (
        Parameter(
            name="fst",
            typical=0.003,
            reason="friction that falls with the velocity",
            motion="move these joints very slowly, back and forth, and fast too",
        ),
    )
    shapes = (
        ShapeConstant(name="speed", unit=VELOCITY, default=SPEED, lower=1e-3, upper=1.0),
        ShapeConstant(name="exponent", unit=NUMBER, default=EXPONENT, lower=0.5, upper=4.0, fixed=True),
    )
    symmetry = Symmetry.ODD
    dissipative = True

    def __post_init__(self) -> None:
        check_shapes(self, positive=("speed", "exponent"))

    def terms(self, motion: Motion) -> tuple[Any, ...]:
        return (np.exp(-(np.abs(motion.dq / self.speed) ** self.exponent)) * np.sign(motion.dq),)


@dataclass(frozen=True)
class AsymmetricViscous(FrictionModel):
    """torque = fvp · dq for dq > 0, fvn · dq for dq < 0"""

    name = "asymmetric_viscous"
    parameters = (
        Parameter(name="fvp", unit=TORQUE_PER_VELOCITY, typical=0.005, reason=_ONE_WAY, motion=_SPEEDS_BOTH_WAYS),
        Parameter(name="fvn", unit=TORQUE_PER_VELOCITY, typical=0.005, reason=_ONE_WAY, motion=_SPEEDS_BOTH_WAYS),
    )
    dissipative = True

    def terms(self, motion: Motion) -> tuple[Any, ...]:
        return np.maximum(motion.dq, 0.0), np.minimum(motion.dq, 0.0)


@dataclass(frozen=True)
class AsymmetricCoulomb(FrictionModel):
    """torque = fcp for dq > 0, -fcn for dq < 0, and zero at rest"""

    name = "asymmetric_coulomb"
    parameters = (
        Parameter(name="fcp", typical=0.005, reason=_ONE_WAY, motion=_BOTH_WAYS),
        Parameter(name="fcn", typical=0.005, reason=_ONE_WAY, motion=_BOTH_WAYS),
    )
    dissipative = True

    def terms(self, motion: Motion) -> tuple[Any, ...]:
        return np.maximum(np.sign(motion.dq), 0.0), np.minimum(np.sign(motion.dq), 0.0)


@dataclass(frozen=True)
class QuadraticViscous(FrictionModel):
    """torque = fvq · dq |dq|"""

    name = "quadratic_viscous"
    parameters = (
        Parameter(name="fvq", unit=JointUnit("N·m·s²/rad²", "N·s²/m²"), nonnegative=False, typical=0.001, reason=_UNLINEAR, motion=_SPEEDS),
    )
    symmetry = Symmetry.ODD
    dissipative = True

    def terms(self, motion: Motion) -> tuple[Any, ...]:
        return (motion.dq * np.abs(motion.dq),)


@dataclass(frozen=True)
class CubicViscous(FrictionModel):
    """torque = fvc · dq³"""

    name = "cubic_viscous"
    parameters = (
        Parameter(name="fvc", unit=JointUnit("N·m·s³/rad³", "N·s³/m³"), nonnegative=False, typical=0.001, reason=_UNLINEAR, motion=_SPEEDS),
    )
    symmetry = Symmetry.ODD
    dissipative = True

    def terms(self, motion: Motion) -> tuple[Any, ...]:
        return (motion.dq * motion.dq * motion.dq,)


@dataclass(frozen=True)
class LoadCoulomb(FrictionModel):
    """torque = fcl · |load| · sign(dq), and zero at rest"""

    name = "load_coulomb"
    parameters = (
        Parameter(
            name="fcl",
            unit=JointUnit("N·m/(N·m)", "N/N"),
            reason="friction that depends on the load",
            motion="move these joints back and forth with and without load: at postures that gravity loads, and at others",
        ),
    )
    symmetry = Symmetry.ODD
    dissipative = True
    needs = frozenset({"load"})

    def terms(self, motion: Motion) -> tuple[Any, ...]:
        return (np.abs(motion.load) * np.sign(motion.dq),)


@dataclass(frozen=True)
class TemperatureViscous(FrictionModel):
    """torque = fvt · (temperature - 25 °C) · dq"""

    name = "temperature_viscous"
    parameters = (Parameter(name="fvt", unit=JointUnit("N·m·s/(rad·K)", "N·s/(m·K)"), reason=_OF_TEMPERATURE, motion=_WARM),)
    symmetry = Symmetry.ODD
    needs = frozenset({"temperature"})

    def terms(self, motion: Motion) -> tuple[Any, ...]:
        return ((motion.temperature - REFERENCE_TEMPERATURE) * motion.dq,)


@dataclass(frozen=True)
class TemperatureCoulomb(FrictionModel):
    """torque = fct · (temperature - 25 °C) · sign(dq), and zero at rest"""

    name = "temperature_coulomb"
    parameters = (Parameter(name="fct", unit=JointUnit("N·m/K", "N/K"), reason=_OF_TEMPERATURE, motion=_WARM),)
    symmetry = Symmetry.ODD
    needs = frozenset({"temperature"})

    def terms(self, motion: Motion) -> tuple[Any, ...]:
        return ((motion.temperature - REFERENCE_TEMPERATURE) * np.sign(motion.dq),)


@dataclass(frozen=True)
class Offset(FrictionModel):
    """torque = fo"""

    name = "offset"
    parameters = (
        Parameter(
            name="fo",
            typical=0.001,
            reason="a constant torque",
            motion="move these joints as much in one direction as in the other, slowly",
        ),
    )
    symmetry = Symmetry.EVEN

    def terms(self, motion: Motion) -> tuple[Any, ...]:
        return (1.0,)


@dataclass(frozen=True)
class Spring(FrictionModel):
    """torque = ksp · q; with an offset fo it rests at q = -fo / ksp"""

    name = "spring"
    parameters = (
        Parameter(
            name="ksp",
            unit=JointUnit("N·m/rad", "N/m"),
            reason="a spring whose rest follows from the offset",
            motion="move these joints over their whole range",
        ),
    )
    symmetry = Symmetry.EVEN

    def terms(self, motion: Motion) -> tuple[Any, ...]:
        return (motion.q,)


@dataclass(frozen=True)
class Ripple(FrictionModel):
    """torque = rca · cos(q) + rsa · sin(q) + rcb · cos(2 q) + rsb · sin(2 q)

    The first harmonic of a joint whose axis is not vertical is what gravity does too; data tell the sum of both alone.
    """

    name = "ripple"
    parameters = tuple(
        Parameter(name=name, typical=0.001, reason=_OF_POSITION, motion="move these joints over a whole turn, slowly, in both directions")
        for name in ("rca", "rsa", "rcb", "rsb")
    )
    symmetry = Symmetry.EVEN

    def terms(self, motion: Motion) -> tuple[Any, ...]:
        return np.cos(motion.q), np.sin(motion.q), np.cos(2.0 * motion.q), np.sin(2.0 * motion.q)


@dataclass(frozen=True)
class MotorRipple(FrictionModel):
    """torque = wca · cos(p) + wsa · sin(p) + wcb · cos(2 p) + wsb · sin(2 p), with the motor's position p = ratio · q

    Attributes
    ----------
    ratio
        Turns of the motor per turn of the joint [rad/rad | rad/m].
    """

    ratio: float = RATIO

    name = "motor_ripple"
    parameters = tuple(Parameter(name=name, typical=0.001, reason=_OF_POSITION, motion=_SLOWLY) for name in ("wca", "wsa", "wcb", "wsb"))
    shapes = (ShapeConstant(name="ratio", unit=JointUnit("rad/rad", "rad/m"), default=RATIO, lower=1.0, upper=1e5, fixed=True),)
    symmetry = Symmetry.EVEN

    def __post_init__(self) -> None:
        check_shapes(self, positive=("ratio",))

    def terms(self, motion: Motion) -> tuple[Any, ...]:
        p = self.ratio * motion.q
        return np.cos(p), np.sin(p), np.cos(2.0 * p), np.sin(2.0 * p)


@dataclass(frozen=True)
class Armature(FrictionModel):
    """torque = Ia · ddq"""

    name = "armature"
    parameters = (
        Parameter(
            name="Ia",
            unit=INERTIA,
            nonnegative=True,
            attributes={"MJCF": "armature"},
            reason="a rotor's inertia",
            motion="accelerate these joints hard, with the others at rest",
            negative="an inertia that helps to accelerate",
        ),
    )
    symmetry = Symmetry.ODD

    def terms(self, motion: Motion) -> tuple[Any, ...]:
        return (motion.ddq,)
