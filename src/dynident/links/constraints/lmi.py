"""A convex constraint as data: F(x) = F_0 + Σ_i x_i F_i ⪰ 0, a linear matrix inequality.

The conic solver's cone, the margin that penalty solvers and the certificate use, and its gradient are three readings
of this one tensor, so that solvers can't disagree about what feasible means. A linear inequality is the 1x1 case, a
second-order cone ‖u‖ <= t the arrow matrix [[t 1, u], [uᵀ, t]].
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, NamedTuple

import numpy as np

from dynident.core.arrays import Array, IntArray
from dynident.core.records import Shape


class Side(NamedTuple):
    """One side of the box LB..UB of the papers: sign · p >= sign · limit for one of p = (m, c, I_c) of a link.

    slot : 0 the mass, 1 to 3 the centre of mass, 4 to 9 the barycentric inertia xx, xy, xz, yy, yz, zz.
    sign : 1 for a lower bound, -1 for an upper one.
    """

    link: int
    slot: int
    sign: float
    limit: float


@dataclass(frozen=True, kw_only=True, eq=False)
class Block:
    """One matrix inequality.

    name : str               What it constrains ("physical consistency of link4", "m3 >= 0").
    constant : (k, k)        F_0, symmetric.
    matrices : (m, k, k)     The F_i that are not zero, symmetric.
    indices : (m,)           The variables that they belong to.
    unit : str               Of the margin.
    side : Side              What it says of one mass, centre of mass or barycentric inertia, if that is all it says.
    """

    name: str
    constant: Annotated[Array, Shape("k# k#")]
    matrices: Annotated[Array, Shape("m# k# k#")]
    indices: Annotated[IntArray, Shape("m#", below="p")]
    unit: str = ""
    side: Side | None = None

    @property
    def size(self) -> int:
        return len(self.constant)

    def value(self, x: Array) -> Array:
        """(k, k) F(x)."""
        return self.constant + np.einsum("i,ikl->kl", x[self.indices], self.matrices)

    def margin(self, x: Array) -> float:
        """Smallest eigenvalue of F(x); negative is violated."""
        return float(np.linalg.eigvalsh(self.value(x))[0])

    def sizes(self, units: Array) -> Array:
        """(k,) d, where F is counted as F_kl / (d_k d_l): its entries are then as large as variables counted in `units` (p,)."""
        scales = units[self.indices]
        if np.all(scales == scales[0]):
            return np.full(self.size, np.sqrt(scales[0]))
        return np.sqrt(np.max(np.abs(np.einsum("ikk->ik", self.matrices)) * scales[:, None], axis=0))

    def counted(self, units: Array) -> Block:
        """The same inequality on x / units, turned by a congruence so that its entries are of order one whatever the robot's size."""
        sizes = self.sizes(units)
        squares = np.sqrt(np.outer(sizes**2, sizes**2))
        matrices = self.matrices * units[self.indices][:, None, None] / squares
        return replace(self, constant=self.constant / squares, matrices=matrices)


@dataclass(frozen=True, kw_only=True, eq=False)
class Equality:
    """coefficients · x[indices] = value, by name."""

    name: str
    indices: Annotated[IntArray, Shape("e#", below="p")]
    coefficients: Annotated[Array, Shape("e#")]
    value: float
    unit: str = ""

    def error(self, x: Array) -> float:
        return float(self.coefficients @ x[self.indices] - self.value)

    def counted(self, units: Array) -> Equality:
        """The same equality on x / units, divided by how large its terms are."""
        scales = units[self.indices]
        size = float(scales[0] if np.all(scales == scales[0]) else np.max(np.abs(self.coefficients) * scales))
        return replace(self, coefficients=self.coefficients * scales / size, value=self.value / size)


def counted(blocks: Iterable[Block], equalities: Iterable[Equality], units: Array) -> tuple[tuple[Block, ...], tuple[Equality, ...]]:
    """Conditions on x / units (p,)."""
    return tuple(block.counted(units) for block in blocks), tuple(equality.counted(units) for equality in equalities)


def linear(name: str, terms: Mapping[int, float], constant: float, unit: str = "") -> Block:
    """Σ terms[i] x_i + constant >= 0."""
    indices = np.array(list(terms), dtype=np.int64)
    return Block(
        name=name,
        constant=np.array([[float(constant)]]),
        matrices=np.array(list(terms.values()), dtype=float).reshape(-1, 1, 1),
        indices=indices,
        unit=unit,
    )


def second_order(name: str, rows: Sequence[Mapping[int, float]], bound: Mapping[int, float]) -> Block:
    """‖rows · x‖ <= bound · x, as an arrow matrix."""
    size = len(rows) + 1
    used = sorted({*bound, *(i for row in rows for i in row)})
    matrices = np.zeros((len(used), size, size))
    for position, i in enumerate(used):
        matrices[position] = bound.get(i, 0.0) * np.eye(size)
        for line, row in enumerate(rows):
            matrices[position, line, -1] = matrices[position, -1, line] = row.get(i, 0.0)
    return Block(name=name, constant=np.zeros((size, size)), matrices=matrices, indices=np.array(used, dtype=np.int64), unit="kg")


@dataclass(frozen=True, kw_only=True, eq=False)
class Batch:
    """All blocks of one size, stacked, for fast evaluation. tensor : (blocks, k, k, p); constant : (blocks, k, k)."""

    blocks: tuple[Block, ...]
    variables: int

    @cached_property
    def constant(self) -> Array:
        return np.array([block.constant for block in self.blocks])

    @cached_property
    def tensor(self) -> Array:
        size = self.blocks[0].size
        tensor = np.zeros((len(self.blocks), size, size, self.variables))
        for number, block in enumerate(self.blocks):
            tensor[number, :, :, block.indices] = block.matrices
        return tensor

    def values(self, x: Array) -> Array:
        """(blocks, k, k) all F(x)."""
        return self.constant + self.tensor @ x

    def margins(self, x: Array) -> Array:
        """(blocks,) smallest eigenvalues."""
        return np.asarray(np.linalg.eigvalsh(self.values(x))[:, 0], dtype=float)

    def margins_and_gradients(self, x: Array) -> tuple[Array, Array]:
        """(blocks,) margins and (blocks, p) their gradients vᵀ F_i v, with v the eigenvector of the smallest eigenvalue."""
        margins, vectors = np.linalg.eigh(self.values(x))
        v = vectors[:, :, 0]
        return np.asarray(margins[:, 0], dtype=float), np.einsum("bk,bklp,bl->bp", v, self.tensor, v)


class Margins:
    """x -> (blocks,) the margins of many blocks, in their order."""

    def __init__(self, blocks: Sequence[Block], variables: int) -> None:
        self._count, self._batches = len(blocks), batches(blocks, variables)
        numbers = {id(block): number for number, block in enumerate(blocks)}
        self._places = [[numbers[id(block)] for block in batch.blocks] for batch in self._batches]

    def __call__(self, x: Array) -> Array:
        margins = np.empty(self._count)
        for batch, places in zip(self._batches, self._places, strict=True):
            margins[places] = batch.margins(x)
        return margins


def batches(blocks: Sequence[Block], variables: int) -> tuple[Batch, ...]:
    """The blocks grouped by size, small ones first."""
    sizes = sorted({block.size for block in blocks})
    return tuple(Batch(blocks=tuple(b for b in blocks if b.size == size), variables=variables) for size in sizes)
