"""Vectors and matrices of expressions, as lists."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import TypeAlias

from dynident.exports.code.graph import Node

Vector: TypeAlias = list[Node]
Matrix: TypeAlias = list[list[Node]]


def plus(*vectors: Vector) -> Vector:
    return [reduce(add, elements) for elements in zip(*vectors, strict=True)]


def scale(factor: Node, vector: Vector) -> Vector:
    return [factor * element for element in vector]


def dot(a: Vector, b: Vector) -> Node:
    return reduce(add, (x * y for x, y in zip(a, b, strict=True)))


def cross(a: Vector, b: Vector) -> Vector:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def skew(a: Vector) -> Matrix:
    """[a]×, with [a]× b = a × b."""
    zero = a[0].graph.node(0.0)
    return [[zero, -a[2], a[1]], [a[2], zero, -a[0]], [-a[1], a[0], zero]]


def matvec(A: Matrix, x: Vector) -> Vector:
    return [dot(row, x) for row in A]


def transposed_matvec(A: Matrix, x: Vector) -> Vector:
    return [dot([row[k] for row in A], x) for k in range(len(A[0]))]


def rotate_inertia(R: Matrix, J: Matrix) -> Matrix:
    """R J Rᵀ, its symmetric elements shared."""
    half = [transposed_matvec(J, row) for row in R]
    upper = {(i, j): dot(half[i], R[j]) for i in range(3) for j in range(i, 3)}
    return [[upper[min(i, j), max(i, j)] for j in range(3)] for i in range(3)]


def steiner(J: Matrix, mass: Node, moment: Vector, p: Vector) -> Matrix:
    """Inertia about a point from which the old origin is seen at p: J + 2 (p·h) 1 - p hᵀ - h pᵀ + m (p·p 1 - p pᵀ)."""
    # with k = h + m p / 2 the two kinds of terms are one: 2 (p·k) 1 - p kᵀ - k pᵀ
    k = plus(moment, scale(0.5 * mass, p))
    twice = 2.0 * dot(p, k)
    moved = [list(row) for row in J]
    for i in range(3):
        for j in range(i, 3):
            change = twice - 2.0 * (p[i] * k[i]) if i == j else -(p[i] * k[j] + k[i] * p[j])
            moved[i][j] = moved[j][i] = J[i][j] + change
    return moved
