"""What is known of friction before any data: how large its parameters can be, that it dissipates, and which way an offset is not it."""

from __future__ import annotations

import numpy as np

from dynident.core.arrays import Array
from dynident.dynamics.friction.dissipation import one_way_joints
from dynident.dynamics.friction.model import OFFSET_SHARE, Symmetry
from dynident.links.constraints.convex import Dissipative
from dynident.links.constraints.terms import FeasibleSet
from dynident.regression.estimate import Estimate


def friction_std(estimate: Estimate) -> Array:
    """(p - 10 n,) what friction parameters can be at most, about: as much as moves the joint by itself on average.

    The RMS effort of the joint over the RMS of the parameter's column: for Coulomb friction the RMS effort, for viscous friction that
    over the RMS velocity; for an offset a third of the RMS effort. Columns of the user's own have no prior.
    """
    columns = estimate.base.columns
    std = np.full(len(columns) - len(columns.of_links), np.inf)
    model, first = estimate.base.friction, len(columns.of_links)
    if model is None or estimate.problem is None:
        return std
    for joint, sizes in enumerate(_friction_columns(estimate)):
        effort = float(np.linalg.norm(estimate.problem.factors[joint][:, -1]))
        for place, (symmetry, column) in sizes.items():
            if effort > 0.0 and np.any(column):
                share = OFFSET_SHARE if symmetry is Symmetry.EVEN else 1.0
                std[place - first] = share * effort / float(np.linalg.norm(column))
    return std


def dissipation(estimate: Estimate) -> FeasibleSet:
    """Friction that opposes the motion at every speed that the log reached, and rotors that have no negative inertia; nothing where there
    is no friction."""
    return FeasibleSet(() if estimate.base.friction is None else (Dissipative(estimate.base.friction, estimate.known_speeds),))


def one_way_notes(estimate: Estimate) -> list[str]:
    """What a reader should know of joints that turned one way only."""
    if estimate.base.friction is None or estimate.reached is None:
        return []
    names = [estimate.base.robot.joint_names[joint] for joint in one_way_joints(estimate.reached)]
    if not names:
        return []
    only = "each friction parameter is held at 0 or more there, and an offset is told from friction by what is usual, not by the data"
    return [f"{', '.join(names)} turned one way only in these data: {only}; record a motion that goes both ways"]


def _friction_columns(estimate: Estimate) -> list[dict[int, tuple[Symmetry, Array]]]:
    """Per joint its friction parameters, by their place among all columns: symmetry, and the column in its own rows, compressed."""
    base, problem = estimate.base, estimate.require_problem()
    if base.equations != "torque":
        return []
    first = len(base.columns.of_links)
    joints: list[dict[int, tuple[Symmetry, Array]]] = []
    for joint, (group, factor) in enumerate(zip(problem.groups, problem.factors, strict=True)):
        places = {int(column): place for place, column in enumerate(base.independent[group.columns])}
        columns = {place: base.columns.of_friction[place - first] for place in base.columns.of_joint(joint).values()}
        joints.append({place: (column.symmetry, factor[:, places[place]]) for place, column in columns.items() if place in places})
    return joints
