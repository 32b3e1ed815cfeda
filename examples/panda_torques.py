"""What a Panda's motors do along a sinusoidal motion: gravity, the rest of the rigid-body torque, and friction, joint by joint.

Run it with: .venv/bin/python examples/panda_torques.py
"""

from __future__ import annotations

import numpy as np

from dynident import load_robot
from dynident.dynamics import gravity, inverse_dynamics
from dynident.dynamics.friction import Motion, friction_torque, linear

robot = load_robot("panda")
assert robot.parameters is not None  # the library's Panda has nominal parameters

# Each joint swings once in 5 s around the middle of its range, over half of it [rad].
t = np.linspace(0.0, 5.0, 1000)[:, None]
low, high = robot.position_limits.T
omega = 2 * np.pi / 5.0
swing = (high - low) / 4
q = (low + high) / 2 + swing * np.sin(omega * t)
dq = swing * omega * np.cos(omega * t)
ddq = -swing * omega**2 * np.sin(omega * t)

static = gravity(robot, robot.parameters, q)
rigid = inverse_dynamics(robot, robot.parameters, q, dq, ddq)
# Illustrative friction: fv [N·m·s/rad], fc [N·m], fo [N·m] of each joint.
theta = np.column_stack([np.full(robot.n, 0.1), np.full(robot.n, 0.3), np.zeros(robot.n)])
friction = friction_torque(linear(), theta, Motion(q, dq, ddq))

print("joint           gravity    motion  friction     limit   (largest values, N·m)")
for j, name in enumerate(robot.joint_names):
    columns = [np.abs(part[:, j]).max() for part in (static, rigid - static, friction)]
    print(f"{name:14}", *(f"{value:9.2f}" for value in (*columns, robot.effort_limits[j])))
