"""Kinds of trajectories by name, and a trajectory as plain data. A new kind is its file and one line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, cast

import numpy as np

from dynident.errors import InputError, UnknownNameError
from dynident.motions.trajectories.driven import DrivenTrajectory
from dynident.motions.trajectories.fourier import FourierTrajectory
from dynident.motions.trajectories.piecewise import CubicTrajectory, QuinticTrajectory, SampledTrajectory, WaypointTrajectory
from dynident.motions.trajectories.repeated import Repeated
from dynident.motions.trajectories.sinusoid import SinusoidTrajectory
from dynident.motions.trajectories.trajectory import Trajectory

TRAJECTORIES: dict[str, Callable[..., Trajectory]] = {
    "cubic": CubicTrajectory,
    "driven": DrivenTrajectory,
    "fourier": FourierTrajectory,
    "quintic": QuinticTrajectory,
    "repeated": Repeated,
    "sampled": SampledTrajectory,
    "sinusoid": SinusoidTrajectory,
    "waypoints": WaypointTrajectory,
}
"""The kinds of trajectories, by name."""


def trajectory_to_dict(trajectory: Trajectory) -> dict[str, Any]:
    """{"kind": name, ...fields}, ready for standard JSON; all digits are kept.

    Parameters
    ----------
    trajectory
        The trajectory.

    Returns
    -------
    dict
        {"kind": name, ...fields}, for `trajectory_from_dict`.
    """
    if trajectory.kind not in TRAJECTORIES:
        raise UnknownNameError("kind of trajectory", trajectory.kind, TRAJECTORIES, remedy="a kind must be registered to be saved")
    values = {field.name: _plain(getattr(trajectory, field.name)) for field in fields(cast("Any", trajectory))}
    return {"kind": trajectory.kind, **values}


def trajectory_from_dict(data: Mapping[str, Any]) -> Trajectory:
    """The trajectory that `trajectory_to_dict` wrote.

    Parameters
    ----------
    data
        The dictionary.

    Returns
    -------
    Trajectory
        With all digits that it had.
    """
    kind = str(data.get("kind"))
    if kind not in TRAJECTORIES:
        raise UnknownNameError("kind of trajectory", kind, TRAJECTORIES)
    values = {name: _read(value) for name, value in data.items() if name != "kind"}
    try:
        return TRAJECTORIES[kind](**values)
    except TypeError:
        raise InputError(f"a {kind} trajectory can't be made of {', '.join(values)}; it was saved by another version") from None


def _read(value: object) -> Any:
    """A trajectory that another is made of, or the value itself."""
    return trajectory_from_dict(cast("Mapping[str, Any]", value)) if isinstance(value, Mapping) else value


def _plain(value: object) -> Any:
    if isinstance(value, np.ndarray):
        return cast("Any", value).tolist()
    if isinstance(value, tuple):
        return list(cast("tuple[Any, ...]", value))
    return value if value is None or isinstance(value, int | float | str) else trajectory_to_dict(cast("Trajectory", value))
