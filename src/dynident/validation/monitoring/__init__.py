"""Watching a robot with its identified model: which joints feel a force from outside, when, and on which link."""

from typing import TYPE_CHECKING

from dynident.core.lazy import make_lazy

if TYPE_CHECKING:
    from dynident.validation.monitoring.calibrate import contact_monitor
    from dynident.validation.monitoring.contact_monitor import Calibration, ContactMonitor, MonitorState
    from dynident.validation.monitoring.contacts import Contact, Contacts, find_contacts
    from dynident.validation.monitoring.residual_noise import ResidualNoise
    from dynident.validation.monitoring.watched_model import WatchedModel

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
