"""Efforts that are torques only up to a factor of each joint: motor currents, or torques before the gears."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynident.core.arrays import Array
from dynident.doctor.case import Case
from dynident.doctor.correction import Correction
from dynident.doctor.finding import Check, CheckStage, Evidence, Suspect
from dynident.doctor.gains import find_gains

#: Gains within this factor of one are those of calibrated torques.
_CALIBRATED = 1.6
#: Uniform links tell the gain that all have in common to this factor only.
_UNKNOWN_SCALE = 8.0
#: A joint of whose effort this share stays unexplained doesn't tell its gain; it then gets the one in the middle.
_UNTOLD = 0.4
#: Larger ones are those of gears.
_GEARS = 30.0


def _suspects(case: Case) -> Iterator[Suspect]:
    gains = find_gains(case.moments, case.prior)
    common = float(np.exp(np.mean(np.log(np.abs(gains)))))
    if case.prior.scales != (1.0,) and 1.0 / _UNKNOWN_SCALE < common < _UNKNOWN_SCALE:
        gains = gains / common  # how heavy this arm is, nobody has said
    sizes = np.abs(gains)
    if np.all((sizes < _CALIBRATED) & (sizes > 1.0 / _CALIBRATED)):
        return
    each = 0.5 * float(np.log(case.moments.rows))
    alike = float(np.median(sizes))  # a joint that carries little says little about its gain, and may say anything
    if not 1.0 / _CALIBRATED < alike < _CALIBRATED:
        yield _suspect(case, np.full(case.robot.n, alike), each + 4.0)
    if case.robot.n > 1 and sizes.max() >= _CALIBRATED * sizes.min():
        told = case.judge(Correction(effort_gains=gains)).misfit < _UNTOLD
        yield _suspect(case, np.where(told, gains, alike), each * case.robot.n + 4.0)


def _suspect(case: Case, gains: Array, parameters: float) -> Suspect:
    what = "torques of the motors, before the gears" if np.median(np.abs(gains)) > _GEARS else "motor currents"
    listing = ", ".join(f"{gain:.3g}" for gain in gains)
    return Suspect(
        sentence=f"the efforts are no joint torques but, as it seems, {what}: torque per unit of them is about {listing}",
        correction=Correction(effort_gains=gains),
        parameters=parameters,
        evidence=tuple(Evidence(f"gain of {name}", gain) for name, gain in zip(case.names, gains.tolist(), strict=True)),
    )


CHECK = Check(
    name="effort gains",
    symptom="joints that contradict each other about the weight of the links they carry, an arm that is far too light",
    cause="motor currents, or torques of the motors, that were taken for joint torques",
    fix="`effort_gains: [14.9, 12.1]`",
    stage=CheckStage.MODEL,
    suspects=_suspects,
    spoils=True,
)
