"""What can be said to the identification of gains: a payload, masses of links, the vendor's numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar

from dynident.core.kinds import Hertz, Kind, each, kind_of, pairs, several, worded
from dynident.core.options import Options, option
from dynident.errors import OptionsError, ValueRangeError
from dynident.regression.options import FrictionOption
from dynident.routes.drives.known_values import KnownValue

#: What a vendor's gain is known to, as a share, and where a payload's centre is [m], where nothing else is said.
VENDOR_SHARE, COM_STD = 0.2, 0.005


def _known(parse: Callable[[str], KnownValue] = KnownValue.of, example: str = "2.8, 2.8±0.05 or 28.9±5%", metavar: str = "KG") -> Kind:
    def read(text: str) -> KnownValue | None:
        try:
            return parse(text)
        except ValueRangeError:
            return None

    return worded(read, f"a number, such as {example}", metavar, types=KnownValue)


_CENTRE = each([_known(lambda text: KnownValue.of(text, std=COM_STD))] * 3, metavar="X,Y,Z", example="0,0,0.05±0.01")
_VENDOR = replace(several(_known(lambda text: KnownValue.of(text, share=VENDOR_SHARE)), metavar="G,..."), repeated=False)
_MASSES = pairs(kind_of(str), _known(), metavar="NAME=KG", example="m3=3.9±2%")


@dataclass(frozen=True, kw_only=True)
class KnownChoice(Options):
    """What fixes the scale of the gains."""

    loaded: Sequence[Path] = option((), "Log with a known payload on the tool.")
    payload_mass: Annotated[KnownValue, _known()] | None = option(
        None, "Mass of that payload, such as 2.8 or 2.8±0.05; ± (or +-) is one standard deviation, else 0.2 %."
    )
    total_mass: Annotated[KnownValue, _known()] | None = option(
        None, "Mass of all links that move (without the base), such as 28.7±5%.", flag="--moving-mass"
    )
    payload_com: Annotated[tuple[KnownValue, KnownValue, KnownValue], _CENTRE] | None = option(
        None, "Centre of mass of that payload in the tool frame (m), each ± 5 mm where nothing is said: 0±0.01.", group="Advanced"
    )
    mass: Annotated[Mapping[str, KnownValue], _MASSES] = option({}, "Mass of one link, such as m3=3.9±2%.", group="Advanced")
    vendor: Annotated[Sequence[KnownValue], _VENDOR] | None = option(
        None, "Gains that the vendor tells, one per joint, each ± 20 % where nothing is said.", group="Advanced"
    )

    def of_fit(self) -> dict[str, Any]:
        """The arguments payload, masses and vendor of `identify_gains`."""
        from dynident.routes.drives.knowledge import KnownMasses, KnownPayload

        if self.payload_com is not None and self.payload_mass is None:
            raise OptionsError("{payload_com} needs {payload_mass}")
        masses = KnownMasses(total=self.total_mass, single=self.mass) if self.total_mass is not None or self.mass else None
        payload = None if self.payload_mass is None else KnownPayload(mass=self.payload_mass, com=self.payload_com)
        return {"payload": payload, "masses": masses, "vendor": self.vendor}


@dataclass(frozen=True, kw_only=True)
class GainFitChoice(FrictionOption):
    """How the gains are fitted."""

    title: ClassVar[str] = "Advanced"

    friction: str | None = option("default", "Friction model, or none.", metavar="NAME", shown="linear+armature")
    cutoff: Hertz | None = option(None, "Cutoff of the parallel filter.", flag="--filter", shown="5, less for slow logs")
