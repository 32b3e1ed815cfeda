"""What a drive makes of a current: its gain, from a known payload, known masses or the vendor's number."""

from typing import TYPE_CHECKING

from dynident.core.lazy import make_lazy

if TYPE_CHECKING:
    from dynident.drives.gains import identify_gains
    from dynident.drives.knowledge import KnownMasses, KnownPayload
    from dynident.drives.known_values import Known
    from dynident.drives.result import DriveGains, GainStatus, Trust

__all__ = ["DriveGains", "GainStatus", "Known", "KnownMasses", "KnownPayload", "Trust", "identify_gains"]

make_lazy(__name__)
