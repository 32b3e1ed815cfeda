"""Expressions for generated code: a graph in which what is equal is one node, and constants fold away while it grows.

Every rule is exact up to rounding and makes the code shorter: x + 0, x · 1, x · 0, signs that move outward until an addition
takes them in, operands of a sum or product in one order so that a·b and b·a are the same node.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

Number: TypeAlias = "Node | float"


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A value of the generated code.

    operation : str     "constant", "input", "+", "-", "*", "negative", or the name of a function of one argument.
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

    def __add__(self, other: Number) -> Node:
        return self.graph.add(self, self.graph.node(other))

    def __sub__(self, other: Number) -> Node:
        return self.graph.subtract(self, self.graph.node(other))

    def __mul__(self, other: Number) -> Node:
        return self.graph.multiply(self, self.graph.node(other))

    def __neg__(self) -> Node:
        return self.graph.negative(self)

    def __radd__(self, other: float) -> Node:
        return self.graph.add(self.graph.node(other), self)

    def __rsub__(self, other: float) -> Node:
        return self.graph.subtract(self.graph.node(other), self)

    def __rmul__(self, other: float) -> Node:
        return self.graph.multiply(self.graph.node(other), self)


class Graph:
    """Makes nodes, each once."""

    def __init__(self) -> None:
        self._nodes: dict[tuple[object, ...], Node] = {}

    def input(self, name: str) -> Node:
        return self._make("input", name=name)

    def node(self, number: Number) -> Node:
        """The node itself, or that of a constant."""
        return number if isinstance(number, Node) else self._make("constant", value=float(number) + 0.0)  # -0.0 + 0.0 is 0.0

    def call(self, function: str, argument: Node) -> Node:
        """sin, cos, tanh or sign of a node."""
        return self._make(function, argument)

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

    def negative(self, a: Node) -> Node:
        if _constant(a):
            return self.node(-a.value)
        return a.operands[0] if a.operation == "negative" else self._negative(a)

    def _negative(self, a: Node) -> Node:
        return self._make("negative", a)

    def _make(self, operation: str, *operands: Node, value: float = 0.0, name: str = "") -> Node:
        key = (operation, value, name, *(operand.number for operand in operands))
        found = self._nodes.get(key)
        if found is None:
            found = Node(self, operation, operands, value, name, len(self._nodes))
            self._nodes[key] = found
        return found


def _constant(node: Node) -> bool:
    return node.operation == "constant"


def _is(node: Node, value: float) -> bool:
    return node.operation == "constant" and node.value == value


def _number(node: Node) -> int:
    return node.number
