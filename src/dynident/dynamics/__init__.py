"""Batched dynamics of any tree robot: regressors, inverse dynamics, joint wrenches, mass matrix, gravity, Coriolis, energy.

All functions take N samples at once, or one; what they return has the same leading shape. Parameters are those of the links in the
robot's named frames.
"""

from dynident.dynamics.batched_dynamics import (
    Momentum,
    RegressorBlock,
    RegressorLines,
    coriolis_matrix,
    coriolis_vector,
    forward_dynamics,
    gravity,
    inertia_gravity_regressor,
    inverse_dynamics,
    iterate_regressor_blocks,
    joint_wrenches,
    kinetic_energy,
    mass_matrix,
    momentum,
    potential_energy,
    regressor_gradient,
    torque_regressor,
)

__all__ = [
    "Momentum",
    "RegressorBlock",
    "RegressorLines",
    "coriolis_matrix",
    "coriolis_vector",
    "forward_dynamics",
    "gravity",
    "inertia_gravity_regressor",
    "inverse_dynamics",
    "iterate_regressor_blocks",
    "joint_wrenches",
    "kinetic_energy",
    "mass_matrix",
    "momentum",
    "potential_energy",
    "regressor_gradient",
    "torque_regressor",
]
