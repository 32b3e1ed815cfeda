"""Coulomb friction that grows with the torque which the joint transmits, as teeth that are pressed together have it.

It stands beside the Coulomb friction of an unloaded joint: linear+load_coulomb (Bittencourt et al., IROS 2010, term F_c,τ |τ|).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dynident.friction.model import FrictionModel, Motion, Parameter, Symmetry, Unit


@dataclass(frozen=True)
class LoadCoulomb(FrictionModel):
    """torque = fcl · |load| · sign(dq), and zero at rest"""

    name = "load_coulomb"
    parameters = (
        Parameter(
            name="fcl",
            unit=Unit("N·m/(N·m)", "N/N"),
            reason="friction that depends on the load",
            motion="move these joints back and forth with and without load: at postures that gravity loads, and at others",
        ),
    )
    symmetry = Symmetry.ODD
    dissipative = True
    needs = frozenset({"load"})

    def terms(self, motion: Motion) -> tuple[Any, ...]:
        return (np.abs(motion.load) * np.sign(motion.dq),)
