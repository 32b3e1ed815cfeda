"""From joint logs to a robot model you can trust: identification of the dynamic model of robot arms."""

from dynident.dynamics import (
    RegressorBlock,
    coriolis_matrix,
    coriolis_vector,
    forward_dynamics,
    gravity,
    inertia_gravity_regressor,
    inverse_dynamics,
    iterate_regressor_blocks,
    kinetic_energy,
    mass_matrix,
    potential_energy,
    torque_regressor,
)
from dynident.errors import DynidentError
from dynident.robots import Joint, JointType, Link, Robot, check_robot, library_names, link_poses, load_robot

__all__ = [
    "DynidentError",
    "Joint",
    "JointType",
    "Link",
    "RegressorBlock",
    "Robot",
    "check_robot",
    "coriolis_matrix",
    "coriolis_vector",
    "forward_dynamics",
    "gravity",
    "inertia_gravity_regressor",
    "inverse_dynamics",
    "iterate_regressor_blocks",
    "kinetic_energy",
    "library_names",
    "link_poses",
    "load_robot",
    "mass_matrix",
    "potential_energy",
    "torque_regressor",
]
