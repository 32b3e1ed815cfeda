"""Medians of repeats, wall and CPU time, with the contestants taking turns so that a slow moment hits them all."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Timing:
    """Median time of one call [s]."""

    wall: float
    cpu: float

    def __truediv__(self, other: Timing) -> float:
        return self.wall / other.wall


def race(contestants: Mapping[str, Callable[[], object]], *, repeats: int) -> dict[str, Timing]:
    """Call each once to warm up, then all of them in turn `repeats` times."""
    for run in contestants.values():
        run()
    samples: dict[str, list[tuple[float, float]]] = {name: [] for name in contestants}
    gc.disable()
    for _ in range(repeats):
        for name, run in contestants.items():
            wall, cpu = time.perf_counter(), time.process_time()
            run()
            samples[name].append((time.perf_counter() - wall, time.process_time() - cpu))
    gc.enable()
    return {
        name: Timing(statistics.median(wall for wall, _ in taken), statistics.median(cpu for _, cpu in taken))
        for name, taken in samples.items()
    }
