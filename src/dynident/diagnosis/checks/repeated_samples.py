"""Rows that repeat the one before: sensors that are read more seldom than rows are written."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynident.core.arrays import BoolArray
from dynident.diagnosis.case import Case
from dynident.diagnosis.finding import Check, CheckStage, Confidence, Evidence, Finding
from dynident.diagnosis.signals import mark_rows

#: From this share of repeated rows on it matters.
_SHARE = 0.3
#: Samples in the picture.
_SHOWN = 200


def _look(case: Case) -> Iterator[Finding]:
    data = case.data
    channels = [values for values in (data.q, data.dq, data.effort) if values is not None]
    same = np.all([np.all(np.diff(values, axis=0) == 0.0, axis=1) for values in channels], axis=0)
    if np.mean(same) >= _SHARE and np.any(np.diff(data.q, axis=0)):
        sentence = (
            f"{100.0 * np.mean(same):.0f} % of the rows repeat the one before: sensors were read at {{slower:.4g}} Hz, not {data.rate:.4g}"
        )
        yield read_slower(case, CHECK.name, sentence, np.append(True, ~same), "position", 0)


def read_slower(case: Case, name: str, sentence: str, read: BoolArray, what: str, joint: int, *, advice: str = "") -> Finding:
    """What is wrong with a log of which only some rows (N,) were read; the others were made of them."""
    times = 1.0 / float(np.mean(read))
    slower = case.data.rate / times
    return Finding(
        name=name,
        sentence=sentence.format(slower=slower),
        confidence=Confidence.MEDIUM,
        evidence=(Evidence("rows per sample", times), Evidence("rate of the samples", slower, "Hz")),
        advice=f"keep the cutoff of the filter below {slower / 4.0:.3g} Hz, a quarter of their rate{advice}",
        signals=mark_rows(case, what, joint, read, "as it was read", shown=slice(_SHOWN)),
    )


CHECK = Check(
    name="repeated samples",
    symptom="rows that are the same as the one before",
    cause="sensors that are read more seldom than rows are written",
    fix="a `cutoff` below a quarter of the rate at which they are read",
    stage=CheckStage.SIGNALS,
    look=_look,
)
