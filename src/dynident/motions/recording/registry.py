"""Kinds of robots that can be recorded, by name. A new vendor is its file and one line here."""

from __future__ import annotations

from collections.abc import Mapping

from dynident.core.options import describe_all, settle_options
from dynident.errors import InputError, UnknownNameError
from dynident.motions.recording.connection import RobotConnection, Vendor
from dynident.motions.recording.connections import franka, ur, virtual
from dynident.robots.robot import Robot

VENDORS: dict[str, Vendor] = {item.name: item for item in (franka.VENDOR, ur.VENDOR, virtual.VENDOR)}
"""The robots' interfaces that can be recorded from, by name."""


def known_vendors() -> str:
    """What can be recorded, for help: "franka HOST, ur HOST, virtual:ROBOT"."""
    return ", ".join(f"{item.name}{':' if item.is_description else ' '}{item.address}" for item in VENDORS.values())


def vendor_options() -> str:
    """The options of the vendors that have some, for help."""
    return describe_all(VENDORS)


def find_vendor(name: str) -> Vendor:
    """The vendor of that name.

    Parameters
    ----------
    name
        Name of the vendor.

    Returns
    -------
    Vendor
        With what it can do.

    Raises
    ------
    UnknownNameError
        Where there is none of that name.
    """
    if name not in VENDORS:
        raise UnknownNameError("kind of robot to record", name, VENDORS)
    return VENDORS[name]


def connect(vendor: Vendor, address: str, robot: Robot, options: Mapping[str, object] | None = None) -> RobotConnection:
    """A connection to the robot at an address.

    Parameters
    ----------
    vendor
        What `find_vendor` returned.
    address
        Host name or address.
    robot
        The robot that stands there.
    options
        Of the vendor's own, by name.

    Returns
    -------
    RobotConnection
        Open, until its `close` is called.

    Raises
    ------
    ConnectionLostError
        Where the robot cannot be reached.
    InputError
        Where another robot stands there.
    """
    connection = vendor.connect(address, robot, settle_options(vendor.options, options, f"a {vendor.name} robot"))
    if connection.n != robot.n:
        connection.close()
        raise InputError(
            f"the robot at {address} has {connection.n} joints, but {robot.name!r} has {robot.n}; give the description of what stands there"
        )
    return connection
