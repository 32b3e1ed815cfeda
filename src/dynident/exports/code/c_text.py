"""C text: comments, headers and sources of generated files, and expressions as lines of code.

Of an expression what is used more than once gets a name, everything else stands where it is used. Names are numbered per function in the
order in which the graph grew, link by link: measured, that is faster than depth first from the results.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from dynident.core.names import printable
from dynident.exports.code.graph import Node

#: An expression that grows longer than this gets a name although it is used once.
_WIDTH = 100
_SUM, _PRODUCT, _ATOM = 1, 2, 3
#: Helpers of generated functions, by their names.
_HELPERS = {
    "sign": """static double sign(double x)
{
  return (double)((x > 0.0) - (x < 0.0));
}
"""
}


def c_header(stem: str, about: Sequence[str], declarations: str) -> str:
    """The header STEM.h. about : lines of its first comment."""
    guard, comment = f"{stem.upper()}_H", "\n".join(f" * {_comment(line)}".rstrip() for line in about)
    begin = f'/*\n{comment}\n */\n#ifndef {guard}\n#define {guard}\n\n#ifdef __cplusplus\nextern "C" {{\n#endif\n'
    return f"{begin}\n{declarations}\n#ifdef __cplusplus\n}}\n#endif\n\n#endif\n"


def c_source(stem: str, headline: str, *functions: str) -> str:
    """The source STEM.c, with the helpers that its functions call."""
    helpers = [text for name, text in _HELPERS.items() if any(f"{name}(" in function for function in functions)]
    comment = _comment(f"{headline}; see {stem}.h.")
    return "\n".join([f"/* {comment} */", f'#include "{stem}.h"', "", "#include <math.h>", "", *helpers, *functions])


def _comment(line: str) -> str:
    """A line for a comment. Names come from files: they must not end it, continue it on the next line or turn its direction."""
    return printable(line).replace("*/", "* /").replace("/*", "/ *").replace("??/", "?? /").rstrip("\\")


def c_function(signature: str, inputs: Sequence[str], outputs: Sequence[Node], result: str) -> str:
    """A function that writes the values of nodes to `result[k]`. An input that it doesn't use is marked as such."""
    lines = _Function(outputs).lines(result)
    # a result may have the letter of no input; it stands left of the assignment
    formulas = [line.split("=", 1)[1] for line in lines]
    used = {name: any(re.search(rf"(?<!\w){name}\[", formula) for formula in formulas) for name in inputs}
    unused = [f"(void){name};" for name in inputs if not used[name]]
    return "\n".join([signature, "{", *(f"  {line}" for line in (*unused, *lines)), "}", ""])


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
        text, binding = self.texts[node.number]
        return text if binding >= strength else f"({text})"

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
