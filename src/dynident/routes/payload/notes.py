"""What a reader of an identified payload should know: what the motion couldn't tell, what doesn't fit, what was declared and is not so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from dynident.core.texts import listing
from dynident.robots.kinematics import length_unit
from dynident.routes.payload.quantities import NAMES
from dynident.routes.payload.result import PayloadEstimate, PayloadStatus

#: Gravity that stays within this angle of one direction tells the centre of mass only across it [rad].
SMALL_TILT = np.deg2rad(20.0)
#: So many times the variance that noise explains is left over where the two logs differ in more than a payload.
STRAINED = 4.0
#: A centre of mass farther from the flange of an ordinary arm is noted [m].
FAR = 0.5
#: Differences from what was declared beyond so many standard deviations, and on an ordinary arm so many metres, are no chance, no trifle.
DIFFERENT, TRIFLE = 3.0, 0.005


def payload_notes(payload: PayloadEstimate) -> PayloadEstimate:
    """The payload with its notes, those that it has first."""
    return replace(payload, notes=(*payload.notes, *_find(payload)))


def _find(payload: PayloadEstimate) -> Iterator[str]:
    evidence, determined = payload.evidence, payload.told
    if payload.status is PayloadStatus.NONE and evidence.mass is not None:
        mass, std = evidence.mass
        yield f"with 95 % certainty the payload weighs less than {payload.most:.2g} kg; by the data alone it is {mass:.2g} ± {std:.1g} kg"
    elif not determined.all():
        open_ones = [name for name, known in zip(NAMES, determined, strict=True) if not known]
        yield f"the data leave open {listing(open_ones, 10)}: what is printed there is what a usual body of this mass has"
    if not determined[:4].all() and 0.0 < evidence.tilt < SMALL_TILT:
        yield (
            f"the wrist never tilted by more than {np.rad2deg(evidence.tilt):.0f}°, so that gravity hardly tells the payload; tilt the "
            "flange by 90° in two directions"
        )
    elif not determined[4:].all() and payload.status is not PayloadStatus.NONE:
        yield "the motion is too slow, or the payload too small, for its inertia; turn the wrist faster and back and forth if it matters"
    if evidence.strain > STRAINED:
        yield (
            f"the logs differ by {np.sqrt(evidence.strain):.2g} times what payload and noise explain, and standard deviations were made as "
            "much larger: something else has changed (mounting, calibration of the torques), or the payload is not rigid"
        )
    if (
        payload.status is not PayloadStatus.NONE
        and determined[1:4].all()
        and float(np.linalg.norm(payload.com)) > FAR * length_unit(payload.robot)
    ):
        yield f"the centre of mass lies {np.linalg.norm(payload.com):.2g} m from the flange, which is far for a tool"
    yield from _find_declared(payload)


def _find_declared(payload: PayloadEstimate) -> Iterator[str]:
    """A centre of mass as far from the flange as declared, but elsewhere, is one in another frame."""
    declared = payload.declared
    if declared is None or declared.mass == 0.0 or not payload.told[1:4].all():
        return
    com, stated = payload.com, np.asarray(declared.com)
    apart, longer = float(np.linalg.norm(com - stated)), abs(float(np.linalg.norm(com) - np.linalg.norm(stated)))
    spread = float(np.linalg.norm(payload.std[1:4]))
    trifle = TRIFLE * length_unit(payload.robot)
    if apart > max(DIFFERENT * spread, 2.0 * trifle) and longer <= max(DIFFERENT * spread, trifle):
        yield (
            "the declared centre of mass is as far from the flange as the identified one, but in another direction: one of the two is in "
            "another frame; check the orientation of the tool frame"
        )
