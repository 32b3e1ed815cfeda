"""Limits of size, checked before memory is allocated: of what files unpack to, and of arrays that options ask for."""

from __future__ import annotations

from pathlib import Path

from dynident.errors import FileError, ValueRangeError

#: A file may unpack to so many times its own size, or to this, whichever is more [bytes].
_TIMES_THE_FILE, _UNPACKED = 50, 200 << 20
#: Numbers that one array may hold that somebody asks for: 1.6 GB.
MOST_NUMBERS = 200_000_000


def check_unpacked(path: Path, size: float, *, remedy: str) -> None:
    """FileError where a file of few bytes would be very many. size : of what is in it [bytes]; remedy : where that is meant."""
    stored = path.stat().st_size
    if size > max(_UNPACKED, _TIMES_THE_FILE * stored):
        allowed = f"at most {_TIMES_THE_FILE} times its size, or {_UNPACKED >> 20} MB, was expected"
        raise FileError(path, f"would unpack to {size / 1e9:.3g} GB from {stored / 1e6:.3g} MB; {allowed}: it is damaged, or {remedy}")


def check_count(name: str, count: float, *, each: int = 1, what: str = "samples", remedy: str = "") -> None:
    """ValueRangeError where options ask for more than memory holds.

    name : of the options; count : of what they make; each : numbers in one of these.
    """
    if not count * each <= MOST_NUMBERS:
        raise ValueRangeError(name, f"would make {count:.3g} {what}; at most {MOST_NUMBERS // each:.3g} were expected", remedy=remedy)
