"""What changes with the temperature, where one is logged: as much per kelvin above or below 25 °C.

They stand beside the friction at 25 °C: linear+temperature_viscous. Oil thins as it warms, so the viscous one is mostly negative
(Bittencourt et al., IROS 2010; Simoni et al., Robotica 2018).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dynident.friction.model import REFERENCE_TEMPERATURE, FrictionModel, Motion, Parameter, Symmetry, Unit

_REASON = "friction that depends on the temperature"
_MOTION = "move these joints for long enough to become warm, from a cold start, back and forth at several speeds"


@dataclass(frozen=True)
class TemperatureViscous(FrictionModel):
    """torque = fvt · (temperature - 25 °C) · dq"""

    name = "temperature_viscous"
    parameters = (Parameter(name="fvt", unit=Unit("N·m·s/(rad·K)", "N·s/(m·K)"), reason=_REASON, motion=_MOTION),)
    symmetry = Symmetry.ODD
    needs = frozenset({"temperature"})

    def terms(self, motion: Motion) -> tuple[Any, ...]:
        return ((motion.temperature - REFERENCE_TEMPERATURE) * motion.dq,)


@dataclass(frozen=True)
class TemperatureCoulomb(FrictionModel):
    """torque = fct · (temperature - 25 °C) · sign(dq), and zero at rest"""

    name = "temperature_coulomb"
    parameters = (Parameter(name="fct", unit=Unit("N·m/K", "N/K"), reason=_REASON, motion=_MOTION),)
    symmetry = Symmetry.ODD
    needs = frozenset({"temperature"})

    def terms(self, motion: Motion) -> tuple[Any, ...]:
        return ((motion.temperature - REFERENCE_TEMPERATURE) * np.sign(motion.dq),)
