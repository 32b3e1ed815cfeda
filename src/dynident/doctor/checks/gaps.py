"""Stretches that were not recorded: stamps that leap."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynident.data import Dataset
from dynident.doctor.case import Case
from dynident.doctor.finding import Check, CheckStage, Confidence, Evidence, Finding
from dynident.doctor.pieces import find_gaps
from dynident.doctor.signals import compare_signals

_LISTED = 20
#: A step of the clock by this many usual ones is more than jitter: four samples are missing. More places than are listed are jitter.
SHORT_GAP = 5.0
#: A quarter of a period of what the usual filter at 5 Hz lets through [s]; shorter ones change nothing.
SEEN = 0.05


def _look(case: Case) -> Iterator[Finding]:
    data = case.data
    found = [(float(data.time[place - 1]), float(data.time[place])) for place in find_gaps(data)]
    if not found:
        yield from _short_gaps(data)
        return
    lost = sum(stop - start for start, stop in found)
    middle = np.array([0.5 * (start + stop) for start, stop in found])
    position = data.q[:, 0]
    signals = compare_signals(
        f"position of {case.names[0]}",
        case.robot.joints[0].units.position,
        data.time,
        position,
        np.where(np.abs(data.time[:, None] - middle).min(axis=1) < 0.5 * lost / len(found) + 2.0 / data.rate, position, np.nan),
        what=("position", "beside a gap"),
    )
    count = f"{len(found)} gap{'' if len(found) == 1 else 's'}"
    yield Finding(
        name=CHECK.name,
        sentence=f"the log has {count} of {lost / len(found):.3g} s on average; it is split there, and nothing is made up between",
        confidence=Confidence.MEDIUM,
        evidence=(*(Evidence("gap at", value, "s") for value in middle[:_LISTED].tolist()), Evidence("lost in all", lost, "s")),
        advice="nothing has to be done about it; record on a quieter computer where it happens often",
        signals=(signals,),
    )


def _short_gaps(data: Dataset) -> Iterator[Finding]:
    """Samples that are missing one after the other, too few for the log to be split there."""
    steps = np.diff(data.time)
    places = np.flatnonzero(steps > max(SHORT_GAP / data.rate, SEEN))
    places = places[~np.isin(places + 1, data.starts)]
    if not 0 < len(places) <= _LISTED:
        return
    longest = float(steps[places].max())
    yield Finding(
        name=CHECK.name,
        sentence=f"samples are missing in {len(places)} places, for up to {longest:.3g} s; filters interpolate there",
        confidence=Confidence.LOW,
        evidence=tuple(Evidence("missing from", float(data.time[place]), "s") for place in places),
        advice="nothing has to be done about it; record on a quieter computer where it happens often",
    )


CHECK = Check(
    name="gaps",
    symptom="stamps that leap",
    cause="a logger that paused, or samples that were lost on the way",
    fix="nothing: the log is split there by itself; `without` leaves out more",
    stage=CheckStage.SIGNALS,
    look=_look,
)
