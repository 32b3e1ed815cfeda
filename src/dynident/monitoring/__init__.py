"""Watching a robot with its identified model: which joints feel a force from outside, when, and on which link."""

from typing import TYPE_CHECKING

from dynident.core.lazy import make_lazy

if TYPE_CHECKING:
    from dynident.monitoring.calibrate import contact_monitor
    from dynident.monitoring.contact_monitor import Calibration, ContactMonitor, MonitorState
    from dynident.monitoring.contacts import Contact, Contacts, find_contacts
    from dynident.monitoring.residual_noise import ResidualNoise
    from dynident.monitoring.watched_model import WatchedModel

__all__ = [
    "Calibration",
    "Contact",
    "ContactMonitor",
    "Contacts",
    "MonitorState",
    "ResidualNoise",
    "WatchedModel",
    "contact_monitor",
    "find_contacts",
]

make_lazy(__name__)
