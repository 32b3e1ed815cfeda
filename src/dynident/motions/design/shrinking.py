"""The largest share of a motion's amplitude at which it keeps its limits."""

from __future__ import annotations

from collections.abc import Callable

#: Amplitudes that are tried before bisection.
_SHRINK = (1.0, 0.999, 0.997, 0.99, 0.98, 0.96, 0.92, 0.85, 0.7, 0.5, 0.3, 0.1, 0.03, 0.01, 1e-3)
#: Bisections between the largest share that keeps the limits and the next, which doesn't.
_BISECTIONS = 5


def largest_share(keeps: Callable[[float], bool]) -> float:
    """About the largest share from 0 to 1 that `keeps` allows, looked for from 1 downward; 0 where none is."""
    too_much = 1.0
    for share in _SHRINK:
        if keeps(share):
            break
        too_much = share
    else:
        return 0.0
    if share == 1.0:
        return share
    for _ in range(_BISECTIONS):
        middle = 0.5 * (share + too_much)
        share, too_much = (middle, too_much) if keeps(middle) else (share, middle)
    return share
