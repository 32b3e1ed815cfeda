"""Expressions as lines of code: what is used more than once gets a name, everything else stands where it is used.

Names are numbered per function in the order in which the graph grew, link by link: measured, that is faster than depth first
from the results.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from dynident.exports.code.graph import Node

#: An expression that grows longer than this gets a name although it is used once.
_WIDTH = 100
_SUM, _PRODUCT, _ATOM = 1, 2, 3


def assignments(outputs: Sequence[Node], target: str) -> list[str]:
    """Lines of C that compute `target[k]` for every output."""
    return _Function(outputs).lines(target)


class _Function:
    """One function while its lines are being written."""

    def __init__(self, outputs: Sequence[Node]) -> None:
        self.outputs = outputs
        self.order, self.uses = _reachable(outputs)
        self.texts: dict[int, tuple[str, int]] = {}
        self.written: list[str] = []
        self.temporaries = 0

    def lines(self, target: str) -> list[str]:
        for node in self.order:
            self.texts[node.number] = self._text(node)
        for k, node in enumerate(self.outputs):
            self.written.append(f"{target}[{k}] = {self.texts[node.number][0]};")
        return self.written

    def _text(self, node: Node) -> tuple[str, int]:
        """The text that stands for a node and how tightly it binds; a name where it has been given one."""
        text, strength = self._expression(node)
        if strength == _ATOM or (self.uses[node.number] == 1 and len(text) <= _WIDTH):
            return text, strength
        if node.operation == "negative":  # a minus sign costs nothing where it is used
            return text, strength
        return self._name(text), _ATOM

    def _expression(self, node: Node) -> tuple[str, int]:
        if node.operation == "constant":
            return repr(node.value), _ATOM if node.value >= 0.0 else _SUM
        if node.operation == "input":
            return node.name, _ATOM
        if node.operation == "negative":
            return f"-{self._operand(node.operands[0], _PRODUCT)}", _SUM
        if node.operation in ("+", "-"):
            a, b = node.operands
            return f"{self._operand(a, _SUM)} {node.operation} {self._operand(b, _PRODUCT)}", _SUM
        if node.operation == "*":
            a, b = node.operands
            return f"{self._operand(a, _PRODUCT)} * {self._operand(b, _ATOM)}", _PRODUCT
        arguments = ", ".join(self.texts[operand.number][0] for operand in node.operands)
        return self._name(f"{node.operation}({arguments})"), _ATOM

    def _operand(self, node: Node, strength: int) -> str:
        text, own = self.texts[node.number]
        return text if own >= strength else f"({text})"

    def _name(self, text: str) -> str:
        name = f"t{self.temporaries}"
        self.temporaries += 1
        self.written.append(f"const double {name} = {text};")
        return name


def _reachable(outputs: Sequence[Node]) -> tuple[list[Node], Counter[int]]:
    """Nodes that the outputs need, operands first, and how often each is used."""
    uses: Counter[int] = Counter(node.number for node in outputs)
    seen = {node.number: node for node in outputs}
    waiting = list(seen.values())
    while waiting:
        operands = waiting.pop().operands
        uses.update(operand.number for operand in operands)
        new = {operand.number: operand for operand in operands if operand.number not in seen}
        seen |= new
        waiting += new.values()
    order = sorted(seen.values(), key=lambda node: node.number)
    for node in reversed(order):
        if node.operation == "negative":  # it has no name of its own, so what it negates is written wherever it is used
            uses[node.operands[0].number] += uses[node.number] - 1
    return order, uses
