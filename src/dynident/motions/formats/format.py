"""What a format of trajectory files is, and what the first lines of every file say."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from dynident.core.arrays import IntArray
from dynident.core.names import printable
from dynident.core.options import NoOptions, Options
from dynident.core.texts import join_words
from dynident.data.dataset import Dataset
from dynident.data.formats.comments import read_comments
from dynident.data.reading.reading import Reading
from dynident.errors import InputError, ValueRangeError
from dynident.motions.limits.margins import LimitReport
from dynident.robots.robot import Robot

#: Begins the first line of a file that was not checked for everything, and the sentence that says why.
NOT_CHECKED = "NOT CHECKED"
_FORMAT = re.compile(r"format (\w+);")
_SAMPLES = re.compile(r"format \w+; [^,;]+ Hz, (\d{1,12}) samples,")
_MARKS = "periods, as samples x number (0: on the way there and back): "
#: Clocks whose steps differ by less than this share are regular.
_REGULAR = 1e-6


@dataclass(frozen=True, kw_only=True)
class TrajectoryFormat:
    """One format, with everything that the registry, the command line and the tests ask of it.

    name : str       How it is chosen, and what a file's second line calls it.
    about : str      Who executes such files, for help.
    suffixes : tuple of str   Of its files; a suffix that several have means the first of them in the registry.
    encode : the samples, the first lines and the format's own options to the content of a file.
    read : a file and how to read it (as for `load_dataset`) to samples. Broken files raise FileError.
    comments : a file to its first lines, without the signs that make them comments.
    rate : float     Samples per second unless others are asked for [Hz].
    joints : int     How many joints a sample has; 0 where any number will do.
    periods : tuple of int   Allowed times between samples [ms]; empty where any will do.
    marks : bool     Its samples carry their marks of periods; else the first lines tell them.
    options : dataclass of the options that it has of its own.
    """

    name: str
    about: str
    suffixes: tuple[str, ...]
    encode: Callable[[Dataset, Sequence[str], Any], str | bytes]
    read: Callable[[Path, Reading], Dataset]
    comments: Callable[[Path], tuple[str, ...]] = read_comments
    rate: float = 100.0
    joints: int = 0
    periods: Sequence[int] = ()
    marks: bool = False
    options: type[Options] = NoOptions

    def require(self, joints: int, rate: float) -> None:
        """InputError unless motions of so many joints at so many samples per second can be written."""
        if self.joints and joints != self.joints:
            raise InputError(f"format {self.name!r} is for robots with {self.joints} joints, and this one has {joints}; choose another")
        if not self.periods:
            return
        period = 1e3 / rate
        if not any(abs(period - allowed) <= _REGULAR * allowed for allowed in self.periods):
            words = [f"{allowed} ms" for allowed in self.periods]
            known = " or ".join(words) if len(words) <= 3 else f"{words[0]}, {words[1]}, ... {words[-1]}"
            raise ValueRangeError(
                "rate",
                f"is {rate:g} Hz, a sample every {period:.4g} ms; format {self.name!r} has one every {known}, usually {self.rate:g} Hz",
            )


@dataclass(frozen=True, kw_only=True)
class FileHeader:
    """What a person should know before a robot gets the file.

    Attributes
    ----------
    robot : str
        Its name; empty where nobody said it.
    checked : tuple of str
        The limits that hold along the motion.
    unchecked : str
        A sentence on what was not checked; empty where everything was.
    units : tuple of str
        Unit of each joint's position ("rad", "m").
    """

    robot: str = ""
    checked: tuple[str, ...] = ()
    unchecked: str = "nobody has compared this motion with any limits"
    units: tuple[str, ...] = ()

    @staticmethod
    def of_report(robot: Robot, report: LimitReport, unchecked: str = "") -> FileHeader:
        """Of a motion whose limits were checked."""
        checked = tuple(dict.fromkeys(margin.name for margin in report.margins))
        units = tuple(joint.units.position for joint in robot.joints)
        return FileHeader(robot=robot.name, checked=checked, unchecked=unchecked, units=units)

    def lines(self, format: TrajectoryFormat, samples: Dataset) -> tuple[str, ...]:
        """The first lines of a file."""
        what = f"dynident trajectory{f' for {self.robot}' if self.robot else ''}"
        what += f", checked for {join_words(self.checked)}" if self.checked else ""
        warning = f"{NOT_CHECKED}: {self.unchecked.rstrip('.')}. " if self.unchecked else ""
        units = f", in {join_words(tuple(dict.fromkeys(self.units)))}" if self.units else ""
        clock = f"{samples.rate:.6g} Hz, {samples.samples} samples, {samples.duration:.6g} s"
        marks = () if format.marks or samples.period is None else (_marks_text(samples.period),)
        lines = (f"{warning}{what}", f"format {format.name}; {clock}; joints {', '.join(samples.joint_names)}{units}", *marks)
        return tuple(printable(line) for line in lines)  # a name with a line break in it would end the comment


@dataclass(frozen=True, kw_only=True)
class TrajectoryFile:
    """What a trajectory file holds.

    Attributes
    ----------
    samples : Dataset
        The motion.
    format : str
        Name of the file's format.
    comments : tuple of str
        Its first lines.
    """

    samples: Dataset
    format: str
    comments: tuple[str, ...] = ()

    @property
    def unchecked(self) -> str:
        """What the file says was not checked; empty where it says nothing of the kind."""
        return next((line for line in self.comments if line.startswith(NOT_CHECKED)), "")


def named_format(comments: Sequence[str]) -> str:
    """The format that the lines of one of dynident's own files name; empty for others."""
    return next((match[1] for line in comments if (match := _FORMAT.match(line))), "")


def told_samples(comments: Sequence[str]) -> int | None:
    """How many samples the lines of one of dynident's own files tell of; None where they don't."""
    return next((int(match[1]) for line in comments if (match := _SAMPLES.match(line))), None)


def _marks_text(marks: IntArray) -> str:
    """Each mark with how many samples have it, in order."""
    starts = np.flatnonzero(np.diff(marks, prepend=-1))
    counts = np.diff(starts, append=len(marks))
    return _MARKS + ", ".join(f"{count} x {mark}" for mark, count in zip(marks[starts], counts, strict=True))


def restore_marks(samples: Dataset, comments: Sequence[str]) -> Dataset:
    """The samples with the marks of periods that the lines tell, where they have none of their own and the lines are of so many samples."""
    text = next((line.removeprefix(_MARKS) for line in comments if line.startswith(_MARKS)), "")
    runs = [(int(match[1]), int(match[2])) for match in re.finditer(r"(\d+) x (\d+)", text)]
    if samples.period is not None or not runs or sum(count for count, _ in runs) != samples.samples:
        return samples
    return replace(samples, period=np.concatenate([np.full(count, mark) for count, mark in runs]))


def require_regular(samples: Dataset, format: TrajectoryFormat) -> None:
    """InputError unless a sample comes at every tick of a clock that the format allows."""
    format.require(samples.n, samples.rate)
    steps = samples.steps
    if format.periods and (len(samples.starts) > 1 or np.ptp(steps) > 1e3 * _REGULAR * steps.mean()):
        raise InputError(f"format {format.name!r} needs samples that are equally far apart, in one segment; sample the motion anew")
