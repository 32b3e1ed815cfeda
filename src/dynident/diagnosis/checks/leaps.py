"""Positions that leap between two samples: samples that were lost without a trace in the stamps, or the zero of a joint that changed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from dynident.core.arrays import IntArray
from dynident.data import Dataset
from dynident.diagnosis.case import Case
from dynident.diagnosis.finding import Check, CheckStage, Confidence, Evidence, Finding
from dynident.diagnosis.intervals import Stretch, cover, leave_out, recording_of_rows
from dynident.diagnosis.pieces import Leap, find_leaps
from dynident.diagnosis.signals import mark_rows

#: What is left out around it [s], and in periods of the clock where that is more.
_AROUND, _PERIODS = 0.1, 1.5


def _look(case: Case) -> Iterator[Finding]:
    data = case.data
    leaps = find_leaps(data)
    around = max(_AROUND, _PERIODS / data.rate)
    recording = recording_of_rows(data)
    lost = [_moment(data, leap, recording) for leap in leaps if not leap.joints]
    if lost:
        joint = max(range(data.n), key=lambda j: float(np.abs(np.diff(data.q[:, j])).max()))
        sentence = f"positions leap at {_list(lost)}, as if samples were lost there and their stamps counted on"
        yield _finding(case, sentence, lost, [_widen(moment, around) for moment in lost], joint)
    for joint in sorted({joint for leap in leaps for joint in leap.joints}):
        moments = [_moment(data, leap, recording) for leap in leaps if joint in leap.joints]
        without: list[Stretch] = []
        for number in {moment.recording for moment in moments}:
            time = data.time[recording == number]
            edges = [float(time[0]) - 1.0, *(moment.start for moment in moments if moment.recording == number), float(time[-1]) + 1.0]
            pieces = [Stretch(start, stop, number) for start, stop in pairwise(edges)]
            longest = max(pieces, key=lambda piece: piece.stop - piece.start)
            without += [_widen(piece, around) for piece in pieces if piece != longest]
        sentence = (
            f"the position of {case.names[joint]} leaps at {_list(moments)} while the others go on: its zero is another from there; "
            "the longest part is used"
        )
        yield _finding(case, sentence, moments, without, joint, joints=(case.names[joint],))


def _moment(data: Dataset, leap: Leap, recording: IntArray) -> Stretch:
    moment = 0.5 * float(data.time[leap.sample] + data.time[leap.sample + 1])
    return Stretch(moment, moment, int(recording[leap.sample]))


def _widen(stretch: Stretch, around: float) -> Stretch:
    return Stretch(stretch.start - around, stretch.stop + around, stretch.recording)


def _list(moments: list[Stretch]) -> str:
    return ", ".join(f"{moment.start:.2f} s" for moment in moments)


def _finding(
    case: Case, sentence: str, moments: list[Stretch], without: list[Stretch], joint: int, joints: tuple[str, ...] = ()
) -> Finding:
    data = case.data
    inside = cover(without, data.time, recording_of_rows(data))
    return Finding(
        name=CHECK.name,
        sentence=sentence,
        confidence=Confidence.HIGH,
        evidence=tuple(Evidence("leap at", moment.start, "s") for moment in moments),
        joints=joints,
        correction=leave_out(data, without),
        signals=mark_rows(case, "position", joint, inside, "left out"),
    )


CHECK = Check(
    name="leaps",
    symptom="positions that leap between two samples while velocities go on",
    cause="samples that were lost, and stamps that were counted from those that were not; an encoder that slipped",
    fix="`without`, an interval around each leap, or all but the longest part where one joint leaps alone",
    stage=CheckStage.SIGNALS,
    look=_look,
)
