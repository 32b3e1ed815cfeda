"""Kinds of motions by name. A new kind is its file and one line here."""

from __future__ import annotations

from dynident.errors import UnknownNameError
from dynident.motions.proposals.friction_sweep import FRICTION_SWEEP
from dynident.motions.proposals.proposal import MotionKind
from dynident.motions.proposals.sinusoids import SINUSOIDS
from dynident.motions.proposals.splines import SPLINES

MOTIONS: dict[str, MotionKind] = {kind.name: kind for kind in (SINUSOIDS, SPLINES, FRICTION_SWEEP)}
"""The kinds of motions that are given by numbers rather than designed, by name."""


def motion_kind(name: str) -> MotionKind:
    """The kind with a name."""
    if name not in MOTIONS:
        raise UnknownNameError("motion", name, MOTIONS)
    return MOTIONS[name]


def describe_motions() -> str:
    """All kinds, for help."""
    return "; ".join(f"{kind.name} ({kind.about})" for kind in MOTIONS.values())
