"""Newton-Euler dynamics compiled by Numba: workspaces and output arrays around the kernels. Same functions as lagrangian_dynamics.py.

Inputs are frozen: Numba compiles a kernel anew for read-only arrays, and the two versions may round differently; with one
kind there is one.
"""

# pyright: basic

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import prod

import numpy as np

from dynident.core.arrays import Array, BoolArray, IntArray, freeze
from dynident.dynamics import kernels
from dynident.robots.kinematics import joint_constants
from dynident.robots.robot import Robot

_WEIGHTLESS = np.zeros(3)


def inverse_dynamics(robot: Robot, parameters: Array, q: Array, dq: Array, ddq: Array, *, gravity: Array) -> Array:
    out = np.empty_like(q)
    kernels.inverse_dynamics(_chain(robot, gravity), _memory(robot), freeze(parameters), freeze(q), freeze(dq), freeze(ddq), out)
    return out


def link_wrenches(robot: Robot, parameters: Array, q: Array, dq: Array, ddq: Array) -> Array:
    out = np.empty((len(q), robot.n, 6))
    chain = _chain(robot, robot.gravity)
    kernels.link_wrenches(chain, _memory(robot), freeze(parameters), freeze(q), freeze(dq), freeze(ddq), out)
    return out


def momentum(robot: Robot, parameters: Array, q: Array, dq: Array) -> tuple[Array, Array]:
    value, drift, still = np.empty_like(q), np.empty_like(q), freeze(np.zeros_like(q))
    kernels.momentum(_chain(robot, robot.gravity), _memory(robot), freeze(parameters), freeze(q), freeze(dq), still, value, drift)
    return value, drift


def mass_matrix(robot: Robot, parameters: Array, q: Array) -> Array:
    out = np.empty((len(q), robot.n, robot.n))
    kernels.mass_matrix(_chain(robot, _WEIGHTLESS), _memory(robot), freeze(parameters), freeze(q), freeze(np.zeros_like(q)), out)
    return out


def coriolis_matrix(robot: Robot, parameters: Array, q: Array, dq: Array) -> Array:
    out = np.empty((len(q), robot.n, robot.n))
    kernels.coriolis_matrix(
        _chain(robot, _WEIGHTLESS), _memory(robot), freeze(parameters), freeze(q), freeze(dq), freeze(np.zeros_like(q)), out
    )
    return out


def inertia_gravity_regressor(robot: Robot, q: Array) -> Array:
    n = robot.n
    out = np.zeros((len(q), n * (n + 1) // 2 + n, 10 * n))
    kernels.inertia_gravity_regressor(_chain(robot, robot.gravity), _memory(robot), freeze(q), freeze(np.zeros_like(q)), out)
    return out


def torque_regressor(robot: Robot, q: Array, dq: Array, ddq: Array) -> Array:
    out = np.empty((len(q), robot.n, 10 * robot.n))
    for start, block in iterate_regressor_blocks(robot, q, dq, ddq):
        out[start : start + block.shape[2]] = block.transpose(2, 0, 1)
    return out


def iterate_regressor_blocks(robot: Robot, q: Array, dq: Array, ddq: Array) -> Iterator[tuple[int, Array]]:
    chain = _chain(robot, robot.gravity)
    # entries of a link in the row of a joint that doesn't move it stay zero: the kernel never touches them
    (block,) = _allocate_aligned((robot.n, 10 * robot.n, kernels.BLOCK))
    q, dq, ddq = freeze(q), freeze(dq), freeze(ddq)
    for start in range(0, len(q), kernels.BLOCK):
        kernels.regressor_block(chain, q, dq, ddq, start, block)
        yield start, block if len(q) - start >= kernels.BLOCK else block[:, :, : len(q) - start]


def regressor_gradient(robot: Robot, q: Array, dq: Array, ddq: Array, weights: Array) -> Array:
    out = np.empty((3, *q.shape))
    (pull,) = _allocate_aligned((robot.n, 9 * kernels.TILE))
    chain, memory = _chain(robot, robot.gravity), _memory(robot)
    kernels.regressor_gradient(chain, memory, pull, freeze(weights), freeze(q), freeze(dq), freeze(ddq), out)
    return out


class LineWriter:
    """Writes chosen entries of a torque regressor as lines, of frozen arrays; it has memory of its own, so every thread needs its own."""

    def __init__(self, robot: Robot, places: IntArray, known: Array, sums: IntArray) -> None:
        (entries,) = _allocate_aligned((10 * kernels.BLOCK,))
        self._state = (_chain(robot, robot.gravity), entries, freeze(places), freeze(known), freeze(sums))

    def write(self, q: Array, dq: Array, ddq: Array, start: int, out: Array) -> None:
        kernels.regressor_lines(*self._state, q, dq, ddq, start, out)


def _chain(robot: Robot, gravity: Array) -> kernels.Chain:
    """Every call has its own, so calls may run in threads."""
    n, tile, constants = robot.n, kernels.TILE, joint_constants(robot)
    base, *motion = _allocate_aligned((36, tile), (n, 5 * tile), (n, 36 * tile), (n, n, 6 * tile))
    base[18:21] = -gravity[:, None]
    return kernels.Chain(robot.parents, constants, _find_plain(robot), base.ravel(), *motion)


def _memory(robot: Robot) -> kernels.Memory:
    n, tile = robot.n, kernels.TILE
    return kernels.Memory(*_allocate_aligned((n, n, 6 * tile), (n, 6 * tile), (4, 10 * tile), (n, n, tile)))


@lru_cache(maxsize=64)
def _find_plain(robot: Robot) -> BoolArray:
    """(n,) which joints turn about the z axis of their link's frame: only the first two columns of R change with q."""
    constants = joint_constants(robot)
    about_z = np.all(constants[:, 39:45] == (0.0, 0.0, 1.0, 0.0, 0.0, 0.0), axis=1)
    R, p = constants[:, :36].reshape(-1, 3, 12)[:, :, :9].reshape(-1, 3, 3, 3), constants[:, :36].reshape(-1, 3, 12)[:, 1:, 9:]
    turns = np.all(R[:, 1, :, 0] == -R[:, 2, :, 1], axis=1) & np.all(R[:, 1, :, 1] == R[:, 2, :, 0], axis=1)
    rest = np.concatenate([R[:, 0, :, :2].reshape(len(R), -1), R[:, 1:, :, 2].reshape(len(R), -1), p.reshape(len(R), -1)], axis=1)
    return freeze(about_z & turns & ~np.any(rest, axis=1) & ~np.any(constants[:, 36:39], axis=1))


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
