# pyright: basic
"""Expressions of xacro files, evaluated without Python's `eval`: what a description can say, and nothing else.

An expression is arithmetic, comparison, boolean and conditional expressions over numbers, texts, lists and dictionaries, with names,
subscripts, xacro's documented functions, and attributes of its name spaces (`math.pi`, `xacro.load_yaml`) and YAML values. Everything else
of Python's grammar (lambda, comprehensions, assignments, format strings, methods) is refused by name of its syntax node.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sized
from typing import Any, NoReturn

#: Largest whole number [bits], and largest text, list or range [elements]: a description needs neither.
_BITS, _ELEMENTS = 1024, 100_000
#: Nested syntax nodes; a longer expression would exhaust Python's stack.
_DEPTH = 100
_OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
    ast.Not: operator.not_,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda item, items: item in items,
    ast.NotIn: lambda item, items: item not in items,
}
#: Functions that xacro exposes and that no description needs: they look behind values, or grow without bound.
_REFUSED = frozenset({"type", "vars", "factorial", "comb", "perm"})


def evaluate(expression: str, names: Callable[[str], Any], functions: frozenset[int], holders: tuple[type, ...]) -> Any:
    """The value of an expression.

    names : value of a name; KeyError or NameError where it has none. functions : identities (`id`) of the functions that may be called.
    holders : types whose keys are also attributes, such as xacro's name spaces.
    """
    tree = ast.parse(expression.strip(), mode="eval")
    for node in ast.walk(tree):
        if isinstance(node, ast.expr) and not hasattr(_Evaluator, _rule(node)):
            _refuse(f"{type(node).__name__}")
    return _Evaluator(names, functions, holders).value(tree.body, 0)


def callable_functions(symbols: Mapping[str, Any]) -> frozenset[int]:
    """Identities of xacro's documented functions among its global symbols, those of its name spaces included."""
    spaces = [symbols, *(value for value in symbols.values() if isinstance(value, Mapping))]
    return frozenset(
        id(value) for space in spaces for name, value in dict.items(space) if callable(value) and name not in _REFUSED and "__" not in name
    )


class _Evaluator:
    def __init__(self, names: Callable[[str], Any], functions: frozenset[int], holders: tuple[type, ...]) -> None:
        self.names = names
        self.functions = functions
        self.holders = holders

    def value(self, node: ast.expr, depth: int) -> Any:
        if depth > _DEPTH:
            raise ValueError("the expression is nested too deeply")
        return _moderate(getattr(self, _rule(node))(node, depth + 1))

    def _constant(self, node: ast.Constant, depth: int) -> Any:
        if not isinstance(node.value, bool | int | float | str | None):
            _refuse(f"{type(node.value).__name__}")
        return node.value

    def _name(self, node: ast.Name, depth: int) -> Any:
        if "__" in node.id:
            raise ValueError(f"the name {node.id!r} has two underscores, and is refused")
        try:
            return self.names(node.id)
        except KeyError:
            raise NameError(f"name '{node.id}' is not defined") from None

    def _binop(self, node: ast.BinOp, depth: int) -> Any:
        left: Any = self.value(node.left, depth)
        right: Any = self.value(node.right, depth)
        if isinstance(left, str) and isinstance(node.op, ast.Mod):
            _refuse("a format string")
        if isinstance(node.op, ast.Pow) and _is_whole(left) and _is_whole(right) and right * max(int(left).bit_length(), 1) > _BITS:
            raise ValueError(f"a power has more than {_BITS} bits")
        if isinstance(node.op, ast.Mult):
            for items, times in ((left, right), (right, left)):
                if isinstance(items, Sized) and _is_whole(times) and len(items) * int(times) > _ELEMENTS:
                    raise ValueError(f"a text or list has more than {_ELEMENTS} elements")
        return self._operator(node.op)(left, right)

    def _unaryop(self, node: ast.UnaryOp, depth: int) -> Any:
        return self._operator(node.op)(self.value(node.operand, depth))

    def _boolop(self, node: ast.BoolOp, depth: int) -> Any:
        value: Any = None
        for item in node.values:
            value = self.value(item, depth)
            if bool(value) is isinstance(node.op, ast.Or):
                return value
        return value

    def _compare(self, node: ast.Compare, depth: int) -> Any:
        left, value = self.value(node.left, depth), True
        for comparison, item in zip(node.ops, node.comparators, strict=True):
            right = self.value(item, depth)
            value = self._operator(comparison)(left, right)
            if not value:
                return value
            left = right
        return value

    def _ifexp(self, node: ast.IfExp, depth: int) -> Any:
        return self.value(node.body if self.value(node.test, depth) else node.orelse, depth)

    def _list(self, node: ast.List, depth: int) -> Any:
        return [self.value(item, depth) for item in node.elts]

    def _tuple(self, node: ast.Tuple, depth: int) -> Any:
        return tuple(self.value(item, depth) for item in node.elts)

    def _dict(self, node: ast.Dict, depth: int) -> Any:
        if any(key is None for key in node.keys):
            _refuse("**")
        return {
            self.value(key, depth): self.value(item, depth) for key, item in zip(node.keys, node.values, strict=True) if key is not None
        }

    def _subscript(self, node: ast.Subscript, depth: int) -> Any:
        return self.value(node.value, depth)[self.value(node.slice, depth)]

    def _slice(self, node: ast.Slice, depth: int) -> Any:
        return slice(*(None if part is None else self.value(part, depth) for part in (node.lower, node.upper, node.step)))

    def _attribute(self, node: ast.Attribute, depth: int) -> Any:
        holder = self.value(node.value, depth)
        if not isinstance(holder, self.holders):
            _refuse(f"'.{node.attr}' of {type(holder).__name__}")
        return holder[node.attr]

    def _call(self, node: ast.Call, depth: int) -> Any:
        function = self.value(node.func, depth)
        if id(function) not in self.functions:
            raise ValueError(f"{ast.unparse(node.func)} is none of xacro's functions, and is refused")
        arguments = [self.value(item, depth) for item in node.args]
        named = {str(item.arg): self.value(item.value, depth) for item in node.keywords}
        if any(item.arg is None for item in node.keywords):
            _refuse("**")
        if any(callable(item) and id(item) not in self.functions for item in [*arguments, *named.values()]):
            raise ValueError("an argument is none of xacro's functions, and is refused")
        return function(*arguments, **named)

    def _operator(self, node: ast.AST) -> Callable[..., Any]:
        if type(node) not in _OPERATORS:
            _refuse(f"{type(node).__name__}")
        return _OPERATORS[type(node)]


def _refuse(what: str) -> NoReturn:
    raise ValueError(f"{what} is not part of xacro's expressions, and is refused")


def _rule(node: ast.AST) -> str:
    """Name of the method that evaluates such a node."""
    return f"_{type(node).__name__.lower()}"


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _moderate(value: Any) -> Any:
    """The value, where it is of a size that a description can need."""
    if _is_whole(value) and value.bit_length() > _BITS:
        raise ValueError(f"a whole number has more than {_BITS} bits")
    if isinstance(value, str | list | tuple | range) and len(value) > _ELEMENTS:
        raise ValueError(f"a text, list or range has more than {_ELEMENTS} elements")
    return value
