"""Expressions of xacro files: values equal Python's, and everything outside of the allowed syntax is refused without being run."""

from __future__ import annotations

import ast
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynident.robots.formats.xacro_expressions import callable_functions, evaluate


class Space(dict):
    """Stands for xacro's name spaces."""


SYMBOLS: dict[str, Any] = {
    "a": 3,
    "b": -0.5,
    "word": "arm",
    "items": [1, 2, 5],
    "max": max,
    "len": len,
    "str": str,
    "math": Space(pi=math.pi, sin=math.sin),
}
FUNCTIONS = callable_functions(SYMBOLS)


def value_of(expression: str) -> Any:
    return evaluate(expression, SYMBOLS.__getitem__, FUNCTIONS, (Space,))


@pytest.mark.parametrize(
    "expression",
    [
        "a + 2 * b - 7 // 2 % 3 / 4 ** 2",
        "-a if b < 0 <= a and not word == 'leg' else +a",
        "items[0] in items or word",
        "items[1:] + [len(word), max(a, 2)]",
        "{'k': (1, 2)}['k'][1]",
        "word * 3",
        "1 < 2 < 3 != 4",
    ],
)
def test_the_value_is_python_s(expression):
    expected = eval(expression, {"__builtins__": {}}, dict(SYMBOLS))  # noqa: S307 (an expression of this test)
    assert value_of(expression) == expected


def test_attributes_of_a_name_space_are_its_keys():
    assert value_of("math.sin(math.pi / 2)") == 1.0
    with pytest.raises(KeyError):
        value_of("math.keys")


@pytest.mark.parametrize(
    "expression",
    [
        "(g.gi_frame for g in items)",
        "lambda: 1",
        "[x for x in items]",
        "{x for x in items}",
        "{x: x for x in items}",
        "(y := 3)",
        "f'{a}'",
        "'%s' % a",
        "'{}'.format(a)",
        "word.upper()",
        "max.__self__",
        "items.append(1)",
        "str.mro()",
        "max(*items)",
        "max(**{})",
        "(lambda: 1)()",
        "math['sin'].__call__(1)",
        "a if __import__ else b",
        "b'bytes'",
        "1j",
        "...",
        "a << 2",
        "a @ a",
        "~a",
        "await a",
        "9**9**9",
        "'a' * 10**9",
        "[0] * 10**8",
        "max(10**9 * 'a')",
        "+".join(["1"] * 5000),
    ],
)
def test_what_is_not_part_of_a_description_is_refused(expression):
    with pytest.raises((ValueError, NameError, SyntaxError, RecursionError)):
        value_of(expression)


_ALLOWED = (ast.Constant, ast.Name, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.List, ast.Tuple, ast.Dict)
_ALLOWED += (ast.Subscript, ast.Slice, ast.Attribute, ast.Call)
_NAMES = st.sampled_from(["a", "word", "items", "open", "os", "__builtins__", "max", "math"])
_LEAVES = st.one_of(
    st.integers(-3, 9).map(ast.Constant),
    st.sampled_from(["x", "{}"]).map(ast.Constant),
    _NAMES.map(lambda name: ast.Name(name, ast.Load())),
)


def _branches(parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    generators = parts.map(lambda item: [ast.comprehension(ast.Name("x", ast.Store()), item, [], 0)])
    no_arguments = ast.arguments([], [], None, [], [], None, [])
    return st.one_of(
        st.builds(ast.BinOp, parts, st.sampled_from([ast.Add(), ast.Pow(), ast.LShift(), ast.Mod(), ast.Mult()]), parts),
        st.builds(ast.IfExp, parts, parts, parts),
        st.builds(lambda item: ast.Lambda(no_arguments, item), parts),
        st.builds(ast.ListComp, parts, generators),
        st.builds(ast.GeneratorExp, parts, generators),
        st.builds(lambda item: ast.NamedExpr(ast.Name("x", ast.Store()), item), parts),
        st.builds(lambda item: ast.JoinedStr([ast.FormattedValue(item, -1)]), parts),
        st.builds(
            lambda item, name: ast.Attribute(item, name, ast.Load()),
            parts,
            st.sampled_from(["gi_frame", "f_back", "format", "__class__", "pi"]),
        ),
        st.builds(lambda item, index: ast.Subscript(item, index, ast.Load()), parts, parts),
        st.builds(lambda function, item: ast.Call(function, [item], []), parts, parts),
        st.builds(lambda function, item: ast.Call(function, [ast.Starred(item, ast.Load())], []), parts, parts),
    )


@settings(max_examples=400)
@given(st.recursive(_LEAVES, _branches, max_leaves=8))
def test_syntax_outside_of_the_list_is_never_run(tree):
    """Whatever of Python's grammar is written, a value comes out only where every node is on the list."""
    source = ast.unparse(ast.fix_missing_locations(ast.Expression(tree)))
    nodes = [node for node in ast.walk(ast.parse(source, mode="eval")) if isinstance(node, ast.expr)]
    try:
        value_of(source)
    except (ValueError, NameError, TypeError, KeyError, IndexError, ZeroDivisionError, OverflowError):
        return
    assert all(isinstance(node, _ALLOWED) for node in nodes)
