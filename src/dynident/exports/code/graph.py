"""Expressions for generated code: a graph in which what is equal is one node, and constants fold away while it grows.

Every rule is exact up to rounding and makes the code shorter: x + 0, x · 1, x · 0, signs that move outward until an addition
takes them in, operands of a sum or product in one order so that a·b and b·a are the same node.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import TypeAlias

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import NDArray

Number: TypeAlias = "Node | float"

#: NumPy's functions as C knows them; sign is a helper of the generated code.
_FUNCTIONS = {
    "absolute": "fabs", "arctan": "atan", "cos": "cos", "exp": "exp", "log1p": "log1p", "maximum": "fmax", "minimum": "fmin",
    "power": "pow", "sign": "sign", "sin": "sin", "sqrt": "sqrt", "tanh": "tanh",
}  # fmt: skip
#: Those that are operators in C, and methods of a graph.
_ARITHMETIC = ("add", "subtract", "multiply", "divide", "negative")


@dataclass(frozen=True, slots=True, eq=False)
class Node(NDArrayOperatorsMixin):
    """A value of the generated code.

    operation : str     "constant", "input", "+", "-", "*", "negative", or the name of a function.
    operands : tuple    Nodes; empty for a constant and an input.
    value : float       Of a constant.
    name : str          Of an input.
    number : int        Nodes are numbered as they are made, operands before what they are used in.
    """

    graph: Graph
    operation: str
    operands: tuple[Node, ...] = ()
    value: float = 0.0
    name: str = ""
    number: int = 0

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Number) -> Node:
        """Arithmetic, which NumPy's mixin sends here too, and NumPy's functions of single elements, np.tanh(node), make nodes."""
        if any(isinstance(value, np.ndarray) for value in inputs):  # element by element, with what NumPy knows of shapes
            return ufunc(*(np.asarray(value, dtype=object) for value in inputs))
        graph, name = self.graph, ufunc.__name__
        nodes = [graph.node(value) for value in inputs]
        if name in _ARITHMETIC:
            return getattr(graph, name)(*nodes)
        if name not in _FUNCTIONS:
            raise TypeError(f"np.{name} has no counterpart in C; known: {', '.join(_FUNCTIONS)}")
        return graph.call(_FUNCTIONS[name], *nodes)


class Graph:
    """Makes nodes, each once."""

    def __init__(self) -> None:
        self._nodes: dict[tuple[object, ...], Node] = {}

    def input(self, name: str) -> Node:
        return self._make("input", name=name)

    def node(self, number: Number) -> Node:
        """The node itself, or that of a constant."""
        return number if isinstance(number, Node) else self._make("constant", value=float(number) + 0.0)  # -0.0 + 0.0 is 0.0

    def call(self, function: str, *arguments: Node) -> Node:
        """sin, tanh, fmax, ... of nodes."""
        return self._make(function, *arguments)

    def add(self, a: Node, b: Node) -> Node:
        if _constant(a) and _constant(b):
            return self.node(a.value + b.value)
        if _is(a, 0.0):
            return b
        if _is(b, 0.0):
            return a
        if b.operation == "negative":
            return self.subtract(a, b.operands[0])
        if a.operation == "negative":
            return self.subtract(b, a.operands[0])
        return self._make("+", *sorted((a, b), key=_number))

    def subtract(self, a: Node, b: Node) -> Node:
        if _constant(a) and _constant(b):
            return self.node(a.value - b.value)
        if a is b:
            return self.node(0.0)
        if _is(b, 0.0):
            return a
        if _is(a, 0.0):
            return self.negative(b)
        if b.operation == "negative":
            return self.add(a, b.operands[0])
        if a.operation == "negative":
            return self.negative(self.add(a.operands[0], b))
        # a - b and b - a are one node and its negative
        return self._make("-", a, b) if a.number >= b.number else self._negative(self._make("-", b, a))

    def multiply(self, a: Node, b: Node) -> Node:
        if _constant(a) and _constant(b):
            return self.node(a.value * b.value)
        if _constant(b):
            a, b = b, a
        if _is(a, 0.0):
            return a
        if _is(a, 1.0):
            return b
        if _is(a, -1.0):
            return self.negative(b)
        if _constant(a) and a.value < 0.0:
            return self.negative(self.multiply(self.node(-a.value), b))
        if a.operation == "negative":
            return self.negative(self.multiply(a.operands[0], b))
        if b.operation == "negative":
            return self.negative(self.multiply(a, b.operands[0]))
        return self._make("*", *sorted((a, b), key=_number))

    def divide(self, a: Node, b: Node) -> Node:
        return self.multiply(a, self.node(1.0 / b.value) if _constant(b) else self.call("pow", b, self.node(-1.0)))

    def negative(self, a: Node) -> Node:
        if _constant(a):
            return self.node(-a.value)
        return a.operands[0] if a.operation == "negative" else self._negative(a)

    def _negative(self, a: Node) -> Node:
        return self._make("negative", a)

    def _make(self, operation: str, *operands: Node, value: float = 0.0, name: str = "") -> Node:
        key = (operation, value, name, *(operand.number for operand in operands))
        if key not in self._nodes:
            self._nodes[key] = Node(self, operation, operands, value, name, len(self._nodes))
        return self._nodes[key]


def _constant(node: Node) -> bool:
    return node.operation == "constant"


def _is(node: Node, value: float) -> bool:
    return node.operation == "constant" and node.value == value


def _number(node: Node) -> int:
    return node.number


#: Nodes: (3,) and (3, 3) arrays, whose arithmetic is NumPy's.
Vector: TypeAlias = NDArray[np.object_]
Matrix: TypeAlias = NDArray[np.object_]


def total(*vectors: Vector) -> Vector:
    """Their sum, element by element, so that the code of each element stands together."""
    return np.array([reduce(add, elements) for elements in zip(*vectors, strict=True)], dtype=object)


def skew(a: Vector) -> Matrix:
    """[a]×, with [a]× b = a × b."""
    zero = a[0].graph.node(0.0)
    return np.array([[zero, -a[2], a[1]], [a[2], zero, -a[0]], [-a[1], a[0], zero]], dtype=object)


def rotate_inertia(R: Matrix, J: Matrix) -> Matrix:
    """R J Rᵀ, its symmetric elements shared."""
    half = [J.T @ row for row in R]
    upper = {(i, j): half[i] @ R[j] for i in range(3) for j in range(i, 3)}
    return np.array([[upper[min(i, j), max(i, j)] for j in range(3)] for i in range(3)], dtype=object)


def steiner(J: Matrix, mass: Node, moment: Vector, p: Vector) -> Matrix:
    """Inertia about a point from which the old origin is seen at p: J + 2 (p·h) 1 - p hᵀ - h pᵀ + m (p·p 1 - p pᵀ)."""
    # with k = h + m p / 2 the two kinds of terms are one: 2 (p·k) 1 - p kᵀ - k pᵀ
    k = moment + 0.5 * mass * p
    twice = 2.0 * (p @ k)
    moved = J.copy()
    for i in range(3):
        for j in range(i, 3):
            change = twice - 2.0 * (p[i] * k[i]) if i == j else -(p[i] * k[j] + k[i] * p[j])
            moved[i, j] = moved[j, i] = J[i, j] + change
    return moved
