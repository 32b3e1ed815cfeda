"""Where samples came from: which recordings, told apart by their content, and which ranges of their samples.

A renamed copy, a part, a masked, filtered or resampled version are known as the same data; two different files of one name are not.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from dynident.core.arrays import Array
from dynident.core.documents import LEFT_OUT
from dynident.core.large_arrays import take_rows
from dynident.errors import require

#: The step of a log whose stamps were rounded so coarsely that several samples had the same.
SPREAD = "rounded stamps spread evenly"
#: Rows that the digest of a recording's numbers looks at, evenly spread: measured numbers don't agree in so many by chance.
_ROWS = 1024
#: Beyond so many pieces, holes shorter than the share of the samples below are bridged.
_MOST_PIECES, _SMALL_HOLE = 1000, 0.01


@dataclass(frozen=True, kw_only=True)
class SourceRecording:
    """What was recorded.

    files : {name: SHA-256}   The files that it was read from; empty for arrays made in memory.
    numbers : str             Digest of its positions and efforts, the same in whatever format they are stored.
    samples : int             Number of samples in all.
    selection : str           What of the files was read, where they hold several recordings; empty for all of it.
    path : str                End of the path that it was read from, where the names of `files` don't tell it.
    """

    files: Mapping[str, str] = field(default_factory=dict[str, str])
    numbers: str
    samples: int
    selection: str = field(default="", metadata=LEFT_OUT)
    path: str = field(default="", metadata=LEFT_OUT)

    @property
    def name(self) -> str:
        """What it was read from: a file, or a folder or list of files; empty for arrays made in memory."""
        return self.path or next(iter(self.files), "").split("/")[0]

    def is_same(self, other: SourceRecording) -> bool:
        """Whether the files are copies of each other, or hold the same numbers."""
        same_files = bool(self.files) and self.selection == other.selection and sorted(self.files.values()) == sorted(other.files.values())
        return same_files or (self.numbers, self.samples) == (other.numbers, other.samples)


@dataclass(frozen=True, kw_only=True)
class UsedRecording(SourceRecording):
    """A recording that was used."""

    ranges: Annotated[tuple[tuple[int, int, int], ...], "start, stop and samples of what was used"]


@dataclass(frozen=True, kw_only=True)
class Piece:
    """Consecutive samples of a dataset: so many, evenly spread over the samples [start, stop) of a recording."""

    recording: SourceRecording
    start: int
    stop: int
    samples: int

    def cut(self, first: int, stop: int, samples: int) -> Piece:
        """Its own samples [first, stop), of which a dataset has so many; neighbouring cuts share nothing."""
        scale = (self.stop - self.start) / self.samples
        low, high = self.start + round(first * scale), self.start + round(stop * scale)
        return replace(self, start=low, stop=max(high, low + 1), samples=samples)


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """The pieces that a dataset is made of, in the order of its samples, and what was done to them."""

    pieces: tuple[Piece, ...]
    steps: tuple[str, ...] = ()

    @staticmethod
    def of(
        arrays: Sequence[Array | None], *, files: Mapping[str, str] | None = None, selection: str = "", known: Provenance | None = None
    ) -> Provenance:
        """What is known of the arrays' samples, else a new recording. arrays : positions first; files : {name: SHA-256}."""
        if known is not None and known.pieces:
            samples = len(require(arrays[0], "the positions"))
            return known if known.samples == samples else known.resample(samples)
        present = [values for values in arrays if values is not None]
        count = len(present[0])
        recording = SourceRecording(files=dict(files or {}), numbers=_digest(present), samples=count, selection=selection)
        return Provenance(pieces=(Piece(recording=recording, start=0, stop=count, samples=count),))

    @staticmethod
    def join(items: Iterable[Provenance]) -> Provenance:
        """One after the other."""
        joined = list(items)
        steps = dict.fromkeys(step for item in joined for step in item.steps)
        return Provenance(pieces=tuple(piece for item in joined for piece in item.pieces), steps=tuple(steps))

    @cached_property
    def samples(self) -> int:
        return sum(piece.samples for piece in self.pieces)

    @property
    def recordings(self) -> tuple[SourceRecording, ...]:
        """Each of them once."""
        recordings: list[SourceRecording] = []
        for piece in self.pieces:
            if piece.recording not in recordings:
                recordings.append(piece.recording)
        return tuple(recordings)

    @property
    def files(self) -> dict[str, str]:
        """{name: SHA-256} of every file."""
        return {name: digest for recording in self.recordings for name, digest in recording.files.items()}

    def named(self, name: str) -> Provenance:
        """The same of one recording that goes by this name."""
        known = self.recordings[0]
        recording = known if known.name == name else replace(known, path=name)
        return replace(self, pieces=tuple(replace(piece, recording=recording) for piece in self.pieces))

    def after(self, step: str) -> Provenance:
        """The same samples after something was done to them."""
        return replace(self, steps=(*self.steps, step))

    def take(self, rows: slice | NDArray[np.intp]) -> Provenance:
        """Of the chosen samples."""
        chosen = np.arange(self.samples)[rows]
        if len(chosen) == 0:
            return replace(self, pieces=())
        edges = np.cumsum([0, *(piece.samples for piece in self.pieces)])
        owners = np.searchsorted(edges, chosen, side="right") - 1
        steps = np.diff(chosen)
        turns = (np.diff(owners) != 0) | (steps < 1)
        usual = np.median(steps) if len(steps) else 1.0  # decimated samples are as far apart as that
        breaks = np.flatnonzero(turns | (steps > usual))
        if len(breaks) > _MOST_PIECES:
            breaks = np.flatnonzero(turns | (steps > max(usual, _SMALL_HOLE * self.samples)))
        firsts, lasts = np.append(0, breaks + 1), np.append(breaks, len(chosen) - 1)
        pieces: list[Piece] = []
        for a, b in zip(firsts.tolist(), lasts.tolist(), strict=True):
            piece, offset = self.pieces[owners[a]], int(edges[owners[a]])
            pieces.append(piece.cut(int(chosen[a]) - offset, int(chosen[b]) + 1 - offset, b - a + 1))
        return replace(self, pieces=tuple(pieces))

    def resample(self, samples: int) -> Provenance:
        """The same ranges as another number of samples."""
        ends = np.cumsum([piece.samples for piece in self.pieces]) * (samples / self.samples)
        counts = np.diff(np.round(ends), prepend=0.0)
        return replace(self, pieces=tuple(replace(p, samples=int(c)) for p, c in zip(self.pieces, counts, strict=True) if c > 0))

    def overlap(self, other: Provenance) -> float:
        """The share of these samples, 0 to 1, that are also in the other."""
        shared = sum(piece.samples * _count_covered(piece, other.pieces) / (piece.stop - piece.start) for piece in self.pieces)
        return shared / max(self.samples, 1)

    @property
    def used(self) -> tuple[UsedRecording, ...]:
        """Each recording with the ranges of it that are used."""
        return tuple(
            UsedRecording(**vars(known), ranges=tuple((p.start, p.stop, p.samples) for p in self.pieces if p.recording == known))
            for known in self.recordings
        )


#: Of data of which nothing is known yet.
NEW = Provenance(pieces=())


def _count_covered(piece: Piece, others: Iterable[Piece]) -> int:
    """How many of the recording's samples in a piece are in others of the same recording."""
    reach, covered = piece.start, 0
    for other in sorted((other for other in others if other.recording.is_same(piece.recording)), key=lambda other: other.start):
        low, high = max(other.start, reach), min(other.stop, piece.stop)
        if high > low:
            covered, reach = covered + high - low, high
    return covered


def _digest(arrays: Sequence[Array]) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for values in arrays:
        count = len(values)
        rows = np.arange(count) if count <= _ROWS else np.linspace(0, count - 1, _ROWS).round().astype(np.intp)
        digest.update(str(values.shape).encode())
        with np.errstate(invalid="ignore"):  # a NaN of the signalling kind
            digest.update(np.ascontiguousarray(take_rows(values, rows) + 0.0).tobytes())  # + 0.0: a negative zero is a zero
    return digest.hexdigest()
