"""Newton-Euler dynamics compiled by Numba: workspaces and output arrays around the kernels. Same functions as lagrangian_dynamics.py.

Inputs are frozen: Numba compiles a kernel anew for read-only arrays, and the two versions may round differently; with one
kind there is one.
"""

# pyright: basic

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import numpy as np

from dynident.core.arrays import Array, IntArray, freeze
from dynident.dynamics import kernels
from dynident.robots.kinematics import joint_constants
from dynident.robots.robot import Robot

_WEIGHTLESS = np.zeros(3)


def inverse_dynamics(robot: Robot, parameters: Array, q: Array, dq: Array, ddq: Array, *, gravity: Array) -> Array:
    out = np.empty_like(q)
    kernels.inverse_dynamics(_workspace(robot, gravity), freeze(parameters), freeze(q), freeze(dq), freeze(ddq), out)
    return out


def momentum(robot: Robot, parameters: Array, q: Array, dq: Array) -> tuple[Array, Array]:
    value, drift, still = np.empty_like(q), np.empty_like(q), freeze(np.zeros_like(q))
    kernels.momentum(_workspace(robot, robot.gravity), freeze(parameters), freeze(q), freeze(dq), still, value, drift)
    return value, drift


def mass_matrix(robot: Robot, parameters: Array, q: Array) -> Array:
    out = np.empty((len(q), robot.n, robot.n))
    kernels.mass_matrix(_workspace(robot, _WEIGHTLESS), freeze(parameters), freeze(q), freeze(np.zeros_like(q)), out)
    return out


def coriolis_matrix(robot: Robot, parameters: Array, q: Array, dq: Array) -> Array:
    out = np.empty((len(q), robot.n, robot.n))
    kernels.coriolis_matrix(_workspace(robot, _WEIGHTLESS), freeze(parameters), freeze(q), freeze(dq), freeze(np.zeros_like(q)), out)
    return out


def inertia_gravity_regressor(robot: Robot, q: Array) -> Array:
    n = robot.n
    out = np.zeros((len(q), n * (n + 1) // 2 + n, 10 * n))
    kernels.inertia_gravity_regressor(_workspace(robot, robot.gravity), freeze(q), freeze(np.zeros_like(q)), out)
    return out


def torque_regressor(robot: Robot, q: Array, dq: Array, ddq: Array) -> Array:
    out = np.empty((len(q), robot.n, 10 * robot.n))
    for start, block in iterate_regressor_blocks(robot, q, dq, ddq):
        out[start : start + block.shape[2]] = block.transpose(2, 0, 1)
    return out


def iterate_regressor_blocks(robot: Robot, q: Array, dq: Array, ddq: Array) -> Iterator[tuple[int, Array]]:
    workspace = _workspace(robot, robot.gravity)
    # entries of a link in the row of a joint that doesn't move it stay zero: the kernel never touches them
    (block,) = _allocate_aligned((robot.n, 10 * robot.n, kernels.BLOCK))
    q, dq, ddq = freeze(q), freeze(dq), freeze(ddq)
    for start in range(0, len(q), kernels.BLOCK):
        kernels.regressor_block(workspace, q, dq, ddq, start, block)
        yield start, block[:, :, : len(q) - start]


class LineWriter:
    """Writes chosen entries of a torque regressor as lines; it has memory of its own, so every thread needs its own."""

    def __init__(self, robot: Robot, places: IntArray, known: Array, sums: IntArray) -> None:
        self._workspace = _workspace(robot, robot.gravity)
        (self._entries,) = _allocate_aligned((10 * kernels.BLOCK,))
        self._places, self._known, self._sums = freeze(places), freeze(known), freeze(sums)

    def write(self, q: Array, dq: Array, ddq: Array, start: int, out: Array) -> None:
        motion = freeze(q), freeze(dq), freeze(ddq)
        kernels.regressor_lines(self._workspace, self._entries, *motion, start, self._places, self._known, self._sums, out)


def _workspace(robot: Robot, gravity: Array) -> kernels.Workspace:
    """Every call has its own, so calls may run in threads."""
    n, tile = robot.n, kernels.TILE
    shapes = (30, tile), (n, 5 * tile), (n, 30 * tile), (n, n, 6 * tile), (n, n, 6 * tile), (n, 6 * tile), (4, 10 * tile), (n, n, tile)
    base, *spaces = _allocate_aligned(*shapes)
    base[18:21] = -gravity[:, None]
    return kernels.Workspace(robot.parents, joint_constants(robot), base.ravel(), *spaces)


def _allocate_aligned(*shapes: tuple[int, ...]) -> list[Array]:
    """Arrays of zeros at multiples of 64 bytes: a vector load that crosses a cache line costs two."""
    sizes = [prod(shape) + -prod(shape) % 8 for shape in shapes]
    memory = np.zeros(sum(sizes) + 8)
    offset = -memory.ctypes.data % 64 // 8
    arrays: list[Array] = []
    for shape, size in zip(shapes, sizes, strict=True):
        arrays.append(memory[offset : offset + prod(shape)].reshape(shape))
        offset += size
    return arrays
