"""Whether a repeated run gives the numbers of the original: the documents of both, number by number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from dynident.runs import Run, Stage

#: Numbers are the same within this share of them, which no table shows, or this amount. The robot is read from another file, in which
#: rotations have other last digits, and from there solvers stop at other points within their tolerances.
SAME, _ZERO = 1e-4, 1e-9
#: About the making of a result, not the result.
_ORIGINS = {"seed", "versions", "provenance", "preprocessing"}


@dataclass(frozen=True, kw_only=True)
class StageComparison:
    """How the numbers of a repeated stage differ from those of the original.

    Attributes
    ----------
    numbers, different
        How many of its document can be compared, and how many of them are others than in the original.
    lacking
        Parts of the document that have not as many numbers in both.
    place
        Of the number that differs most, such as "residual.relative_percent"; `original` and `repeated` are its values.
    """

    stage: str
    numbers: int
    different: int = 0
    lacking: tuple[str, ...] = ()
    place: str = ""
    original: float | None = None
    repeated: float | None = None

    @property
    def sentence(self) -> str:
        text = f"{self.stage}: all {self.numbers} numbers are those of the original"
        if self.different:
            values = f"{self.place} is {self.repeated:.6g}, and was {self.original:.6g}"
            text = f"{self.stage}: {self.different} of {self.numbers} numbers are others than in the original; {values}"
        return f"{text}; not to be compared: {', '.join(self.lacking)}" if self.lacking else text


def compare_runs(original: Run, repeated: Run) -> tuple[StageComparison, ...]:
    """Stage by stage, of the stages that both have."""
    return tuple(
        _compare(stage, original.documents[stage], repeated.documents[stage])
        for stage in Stage
        if stage in original.contents and stage in repeated.contents
    )


def _compare(stage: Stage, original: Mapping[str, Any], repeated: Mapping[str, Any]) -> StageComparison:
    different: list[tuple[float, str, float, float]] = []
    lacking: list[str] = []
    count = 0
    for part in [name for name in original if name not in _ORIGINS]:
        before, after = list(_numbers(original[part], part)), list(_numbers(repeated.get(part), part))
        if len(before) != len(after):
            lacking.append(part)
            continue
        count += len(after)
        for (_, a), (place, b) in zip(before, after, strict=True):  # in the same order, under other names
            if abs(b - a) > SAME * max(abs(a), abs(b)) + _ZERO:
                different.append((abs(b - a) / (abs(a) + abs(b)), place, a, b))
    known: dict[str, Any] = {"stage": stage.key, "numbers": count, "different": len(different), "lacking": tuple(lacking)}
    if not different:
        return StageComparison(**known)
    _, place, a, b = max(different)
    return StageComparison(**known, place=place, original=a, repeated=b)


def _numbers(value: Any, place: str) -> Iterator[tuple[str, float]]:
    if isinstance(value, Mapping):
        for name, item in cast("Mapping[str, Any]", value).items():
            yield from _numbers(item, f"{place}.{name}")
    elif isinstance(value, list):
        for i, item in enumerate(cast("list[Any]", value)):
            yield from _numbers(item, f"{place}[{i}]")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield place, float(value)
