"""What can be chosen of a recovery of signs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from dynident.core.kinds import Hertz
from dynident.core.options import option
from dynident.regression.options import FrictionOption


@dataclass(frozen=True, kw_only=True)
class SignChoice(FrictionOption):
    """The model that is fitted, and how signs are searched for."""

    cutoff: Hertz | Literal["auto"] = option(
        "auto", "Cutoff of the filter of motion and torque.", flag="--filter", shown="5, less for slow logs"
    )
    method: str = option("em", "{}.", metavar="NAME", group="Search", registry="dynident.routes.signs.methods.registry:describe_methods")
    method_option: Mapping[str, str] = option(
        {}, "An option of the method's own. {}.", group="Search", registry="dynident.routes.signs.methods.registry:describe_options"
    )
