"""Batched dynamics of any tree robot: regressors, inverse dynamics, joint wrenches, mass matrix, gravity, Coriolis, energy.

What all functions take, N samples at once or one; what they return has the same leading shape:

parameters : (n, 10) or (10 n,)    Linear parameters of the links in the robot's named frames; `robot.parameters` are the nominal ones.
q : (N, n) or (n,)                 Joint positions [rad | m].
dq : (N, n) or (n,)                Joint velocities [rad/s | m/s].
ddq : (N, n) or (n,)               Joint accelerations [rad/s² | m/s²].
effort : (N, n) or (n,)            Joint torques or forces [N·m | N].
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
    "torque_regressor",
]
