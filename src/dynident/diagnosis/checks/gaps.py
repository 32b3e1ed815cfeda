"""Stretches that were not recorded: stamps that leap."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynident.data.signals.sampling import find_gaps
from dynident.diagnosis.case import Case
from dynident.diagnosis.finding import Check, CheckStage, Confidence, Evidence, Finding
from dynident.diagnosis.signals import mark_rows

_LISTED = 20
#: A step of the clock by this many usual ones is more than jitter: four samples are missing. More places than are listed are jitter.
_SHORT = 5.0
#: A quarter of a period of what the usual filter at 5 Hz lets through [s]; shorter ones change nothing.
_SEEN = 0.05


def _look(case: Case) -> Iterator[Finding]:
    data, advice = case.data, "nothing has to be done about it; record on a quieter computer where it happens often"
    steps, split = np.diff(data.time), np.asarray(find_gaps(data), dtype=int) - 1
    if len(split):
        lost, middle = float(steps[split].sum()), data.time[split] + 0.5 * steps[split]
        beside = np.abs(data.time[:, None] - middle).min(axis=1) < 0.5 * lost / len(split) + 2.0 / data.rate
        count = f"{len(split)} gap{'' if len(split) == 1 else 's'}"
        yield Finding(
            name=CHECK.name,
            sentence=f"the log has {count} of {lost / len(split):.3g} s on average; it is split there, and nothing is made up between",
            confidence=Confidence.MEDIUM,
            evidence=(*(Evidence("gap at", value, "s") for value in middle[:_LISTED].tolist()), Evidence("lost in all", lost, "s")),
            advice=advice,
            signals=mark_rows(case, "position", 0, beside, "beside a gap"),
        )
        return
    short = np.flatnonzero(steps > max(_SHORT / data.rate, _SEEN))
    short = short[~np.isin(short + 1, data.starts)]
    if 0 < len(short) <= _LISTED:  # samples that are missing one after the other, too few for the log to be split there
        longest = float(steps[short].max())
        yield Finding(
            name=CHECK.name,
            sentence=f"samples are missing in {len(short)} places, for up to {longest:.3g} s; filters interpolate there",
            confidence=Confidence.LOW,
            evidence=tuple(Evidence("missing from", value, "s") for value in data.time[short].tolist()),
            advice=advice,
        )


CHECK = Check(
    name="gaps",
    symptom="stamps that leap",
    cause="a logger that paused, or samples that were lost on the way",
    fix="nothing: the log is split there by itself; `without` leaves out more",
    stage=CheckStage.SIGNALS,
    look=_look,
)
