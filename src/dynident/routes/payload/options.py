"""What can be chosen of the identification of a payload."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dynident.core.options import Options, option
from dynident.errors import OptionsError

if TYPE_CHECKING:
    from dynident.routes.payload.result import Declared


@dataclass(frozen=True, kw_only=True)
class PayloadChoice(Options):
    """What it is compared with, and how it is fitted."""

    declared_mass: float | None = option(None, "What the teach pendant was told (kg), to compare with.", metavar="KG")
    declared_com: tuple[float, float, float] | None = option(
        None, "Centre of mass that the teach pendant was told, in the flange frame (m)."
    )
    link: str | None = option(None, "The link that carries it.", group="Advanced", shown="the last, through the tool frame")
    keep_friction: bool = option(False, "Hold the friction at that of the arm instead of fitting it again.", group="Advanced")

    @property
    def declared(self) -> Declared | None:
        """What was declared; None where nothing was."""
        from dynident.routes.payload.result import Declared

        if self.declared_mass is None:
            if self.declared_com is not None:
                raise OptionsError("{declared_com} needs {declared_mass} too: the two are compared together")
            return None
        return Declared(mass=self.declared_mass, com=self.declared_com or (0.0, 0.0, 0.0))
