"""From joint logs to a robot model you can trust: identification of the dynamic model of robot arms."""

from dynident.data import ControllerSamples, Dataset, load_dataset
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
from dynident.friction import friction_model
from dynident.regression import (
    Estimate,
    Huber,
    Problem,
    Tukey,
    base_parameters,
    build_problem,
    fit,
    identify,
    identify_from_controller,
)
from dynident.robots import Joint, JointType, Link, Robot, check_robot, library_names, link_poses, load_robot

__all__ = [
    "ControllerSamples",
    "Dataset",
    "DynidentError",
    "Estimate",
    "Huber",
    "Joint",
    "JointType",
    "Link",
    "Problem",
    "RegressorBlock",
    "Robot",
    "Tukey",
    "base_parameters",
    "build_problem",
    "check_robot",
    "coriolis_matrix",
    "coriolis_vector",
    "fit",
    "forward_dynamics",
    "friction_model",
    "gravity",
    "identify",
    "identify_from_controller",
    "inertia_gravity_regressor",
    "inverse_dynamics",
    "iterate_regressor_blocks",
    "kinetic_energy",
    "library_names",
    "link_poses",
    "load_dataset",
    "load_robot",
    "mass_matrix",
    "potential_energy",
    "torque_regressor",
]
