"""What can be chosen of a contact monitor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from dynident.core.kinds import number, several
from dynident.core.options import Options, option

if TYPE_CHECKING:
    from numpy.typing import ArrayLike
else:
    ArrayLike = object


@dataclass(frozen=True, kw_only=True)
class ObserverChoice(Options):
    """The observer and its thresholds; what is None is as usual."""

    gain: Annotated[ArrayLike, several(number(metavar="K"), at_least=1)] | None = option(
        None, "Gain of the observer, 1/s: a contact shows after 1/K. One, or one per joint.", metavar="K", shown="25"
    )
    false_alarms: float | None = option(
        None, "False alarms that are expected per hour, over all joints.", metavar="PER_HOUR", shown="0.1, one in ten hours"
    )
    confirmation: Annotated[float, number("s", low=0.0)] | None = option(
        None, "How long a residual must stay above its threshold.", shown="0.005"
    )
