"""Friction that rises smoothly from one level to the other, as Panda's does: eq. (25) of Gaz et al., RA-L 2019."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dynident.dynamics.friction.model import VELOCITY, FrictionModel, JointUnit, Motion, Parameter, ShapeConstant, Symmetry, check_shapes

STEEPNESS, SHIFT = 10.0, 0.0
_SPAN = Parameter(
    name="fsig",
    symbol="φ1",
    typical=0.01,
    reason="friction that depends on the velocity like this",
    motion="move these joints slowly and fast, back and forth",
)
_STEEPNESS = ShapeConstant(name="steepness", symbol="φ2", unit=JointUnit("s/rad", "s/m"), default=STEEPNESS, lower=0.1, upper=1000.0)


@dataclass(frozen=True)
class Sigmoid(FrictionModel):
    """torque = fsig / (1 + exp(-steepness (dq + shift))) - fsig / (1 + exp(-steepness shift))

    φ1, φ2 and φ3 of the paper are fsig, steepness and shift. fsig is the distance between the two levels. That steepness is positive
    leaves out the twin (-φ1, -φ2), which is the same.

    Attributes
    ----------
    steepness
        φ2 [s/rad | s/m].
    shift
        φ3, with which the levels of both directions differ [rad/s | m/s].
    """

    steepness: float = STEEPNESS
    shift: float = SHIFT

    name = "sigmoid"
    parameters = (_SPAN,)
    shapes = (_STEEPNESS, ShapeConstant(name="shift", symbol="φ3", unit=VELOCITY, default=SHIFT, lower=-0.5, upper=0.5))
    dissipative = True

    def __post_init__(self) -> None:
        check_shapes(self, positive=("steepness",))

    @property
    def symmetry(self) -> Symmetry:  # pyright: ignore[reportIncompatibleVariableOverride]
        return Symmetry.NONE if np.any(self.shift) else Symmetry.ODD

    def terms(self, motion: Motion) -> tuple[Any, ...]:
        # 1 / (1 + exp(-x)) is (1 + tanh(x / 2)) / 2, which overflows nowhere
        half = 0.5 * self.steepness
        return (0.5 * np.tanh(half * (motion.dq + self.shift)) - 0.5 * np.tanh(half * self.shift),)
