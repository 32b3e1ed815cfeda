"""What a drive makes of a current: its gain, from a known payload, known masses or the vendor's number."""

from typing import TYPE_CHECKING

from dynident.core.lazy import make_lazy

if TYPE_CHECKING:
    from dynident.routes.drives.gains import identify_gains
    from dynident.routes.drives.knowledge import KnownMasses, KnownPayload
    from dynident.routes.drives.known_values import KnownValue
    from dynident.routes.drives.result import DriveGains, GainStatus, Trust

__all__ = ["DriveGains", "GainStatus", "KnownMasses", "KnownPayload", "KnownValue", "Trust", "identify_gains"]

make_lazy(__name__)
