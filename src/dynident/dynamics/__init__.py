"""Batched dynamics of any tree robot: regressors, inverse dynamics, mass matrix, gravity, Coriolis, energy."""

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
    kinetic_energy,
    mass_matrix,
    momentum,
    potential_energy,
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
    "kinetic_energy",
    "mass_matrix",
    "momentum",
    "potential_energy",
    "torque_regressor",
]
