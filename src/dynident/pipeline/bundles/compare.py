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
    """How many numbers of a repeated stage can be compared, how many are others than in the original, and the same in words."""

    stage: str
    numbers: int
    different: int
    sentence: str


def compare_runs(original: Run, repeated: Run) -> tuple[StageComparison, ...]:
    """Stage by stage, of the stages that both have."""
    both = [stage for stage in Stage if stage in original.contents and stage in repeated.contents]
    return tuple(_compare(stage, original.documents[stage], repeated.documents[stage]) for stage in both)


def _compare(stage: Stage, original: Mapping[str, Any], repeated: Mapping[str, Any]) -> StageComparison:
    count, lacking, different = 0, list[str](), list[tuple[float, str]]()
    for part in [name for name in original if name not in _ORIGINS]:
        before, after = list(_numbers(original[part], part)), list(_numbers(repeated.get(part), part))
        if len(before) != len(after):
            lacking.append(part)
            continue
        count += len(after)
        for (_, a), (place, b) in zip(before, after, strict=True):  # in the same order, under other names
            if abs(b - a) > SAME * max(abs(a), abs(b)) + _ZERO:
                different.append((abs(b - a) / (abs(a) + abs(b)), f"{place} is {b:.6g}, and was {a:.6g}"))
    text = f"{len(different)} of {count} numbers are others than in the original; {max(different)[1]}" if different else ""
    text = f"{stage.key}: {text or f'all {count} numbers are those of the original'}"
    text += f"; not to be compared: {', '.join(lacking)}" if lacking else ""
    return StageComparison(stage=stage.key, numbers=count, different=len(different), sentence=text)


def _numbers(value: Any, place: str) -> Iterator[tuple[str, float]]:
    if isinstance(value, Mapping):
        for name, item in cast("Mapping[str, Any]", value).items():
            yield from _numbers(item, f"{place}.{name}")
    elif isinstance(value, list):
        for i, item in enumerate(cast("list[Any]", value)):
            yield from _numbers(item, f"{place}[{i}]")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield place, float(value)
