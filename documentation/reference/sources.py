"""Definitions as they stand in the source: nothing is imported or run, so that types and defaults are shown as they were written."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from documentation.reference import REPOSITORY

#: What a name can be defined by.
Node = ast.FunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign


@dataclass(frozen=True)
class Definition:
    """Where a name is defined. module : "dynident.robots.robot"."""

    module: str
    name: str
    node: Node

    @property
    def key(self) -> tuple[str, str]:
        return self.module, self.name

    @property
    def docstring(self) -> str:
        """Of a function or class; of a constant the comment #: above it."""
        if isinstance(self.node, ast.FunctionDef | ast.ClassDef):
            return ast.get_docstring(self.node) or ""
        return comment_above(self.module, self.node)


@dataclass(frozen=True, kw_only=True)
class Variable:
    """A parameter or a field.

    meaning : where it is not in the docstring.
    mark : "*" or "**" of those that gather others.
    by_name : it can't be given by its place.
    """

    name: str
    annotation: str
    default: str = ""
    meaning: str = ""
    mark: str = ""
    by_name: bool = False


def written(node: ast.AST) -> str:
    """The text of a node, with the quotes that the code has."""
    return re.sub(r"'([^'\"]*)'", r'"\1"', ast.unparse(node))


def package_names(package: str) -> list[str]:
    """What a package offers, its __all__; of a module without one every class and function that is public."""
    body = _tree(package).body
    for node in body:
        if isinstance(node, ast.Assign) and written(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    return [node.name for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_")]


def summary(package: str) -> str:
    """The docstring of a package."""
    return ast.get_docstring(_tree(package)) or ""


@cache
def find(module: str, name: str) -> Definition | None:
    """Where a name that a module knows is defined; None where that is not in dynident."""
    if not module.startswith("dynident"):
        return None
    for node in _statements(_tree(module).body):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
            return Definition(module, name, node)
        if isinstance(node, ast.Assign | ast.AnnAssign) and name in _targets(node):
            return Definition(module, name, node)
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    return find(node.module, alias.name)
    return None


def parameters(function: ast.FunctionDef, module: str) -> list[Variable]:
    """In the order of the signature, without self and cls. module : in which the names of defaults are looked up."""
    found = function.args
    places = [*found.posonlyargs, *found.args]
    defaults = [None] * (len(places) - len(found.defaults)) + [_value(value, module) for value in found.defaults]
    variables = [_parameter(item, default) for item, default in zip(places, defaults, strict=True) if item.arg not in ("self", "cls")]
    if found.vararg:
        variables.append(_parameter(found.vararg, None, mark="*"))
    by_name = zip(found.kwonlyargs, found.kw_defaults, strict=True)
    variables += [_parameter(item, None if value is None else _value(value, module), by_name=True) for item, value in by_name]
    if found.kwarg:
        variables.append(_parameter(found.kwarg, None, mark="**"))
    return variables


def fields(found: Definition, described: Collection[tuple[str, str]]) -> list[Variable]:
    """Annotated fields of a class, those of its bases in dynident first. described : keys of bases whose fields are told elsewhere."""
    assert isinstance(found.node, ast.ClassDef)
    gathered: dict[str, Variable] = {}
    for base in found.node.bases:
        parent = find(found.module, written(base).partition("[")[0])
        if parent is not None and isinstance(parent.node, ast.ClassDef) and parent.key not in described:
            gathered.update({field.name: field for field in fields(parent, described)})
    for node in found.node.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and not node.target.id.startswith("_"):
            annotation = written(node.annotation)
            if not annotation.startswith(("ClassVar", "InitVar")):
                default, meaning = _field_default(node.value, found.module)
                meaning = meaning or comment_above(found.module, node)
                gathered[node.target.id] = Variable(name=node.target.id, annotation=annotation, default=default, meaning=meaning)
    return list(gathered.values())


def members(node: ast.ClassDef) -> dict[str, str]:
    """Values of an enumeration by name."""
    return {name: written(item.value) for item in node.body if isinstance(item, ast.Assign) for name in _targets(item)}


def methods(node: ast.ClassDef) -> Iterator[ast.FunctionDef]:
    """The public ones with a docstring; a property is one that `is_property`."""
    for item in node.body:
        if isinstance(item, ast.FunctionDef) and not item.name.startswith("_") and ast.get_docstring(item):
            yield item


def is_property(function: ast.FunctionDef) -> bool:
    return any(written(item) in ("property", "cached_property") for item in function.decorator_list)


def alias(module: str, name: str) -> Definition | None:
    """Where a short name for other types is defined; None of what is no such name, and of the names of arrays, which stay."""
    found = find(module, name)
    if found is None or found.module == "dynident.core.arrays":
        return None
    declared = isinstance(found.node, ast.AnnAssign) and written(found.node.annotation) == "TypeAlias"
    literal = isinstance(found.node, ast.Assign) and isinstance(found.node.value, ast.Subscript | ast.BinOp)
    return found if declared or (literal and name[0].isupper() and not name.isupper()) else None


def comment_above(module: str, node: ast.AST) -> str:
    """The lines of #: that stand above a statement."""
    lines = _lines(module)[: node.lineno - 1] if isinstance(node, ast.stmt) else []
    found: list[str] = []
    while lines and (match := re.match(r"\s*#: ?(.*)", lines[-1])):
        found.insert(0, match[1])
        lines.pop()
    return "\n".join(found)


def _file(module: str) -> Path:
    place = REPOSITORY / "src" / Path(*module.split("."))
    return place / "__init__.py" if place.is_dir() else place.with_suffix(".py")


@cache
def _lines(module: str) -> list[str]:
    return _file(module).read_text(encoding="utf-8").splitlines()


@cache
def _tree(module: str) -> ast.Module:
    return ast.parse("\n".join(_lines(module)))


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Of a module, those that are for type checkers alone too."""
    for node in body:
        if isinstance(node, ast.If):
            yield from _statements(node.body)
        else:
            yield node


def _targets(node: ast.Assign | ast.AnnAssign) -> list[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return [name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)]


def _parameter(item: ast.arg, default: str | None, *, mark: str = "", by_name: bool = False) -> Variable:
    annotation = written(item.annotation) if item.annotation else ""
    return Variable(name=item.arg, annotation=annotation, default=default or "", mark=mark, by_name=by_name)


def _value(value: ast.expr, module: str) -> str:
    """As it is written; of a constant that is a plain number or text, what it is."""
    found = find(module, value.id) if isinstance(value, ast.Name) else None
    if found is not None and isinstance(found.node, ast.Assign | ast.AnnAssign):
        pairs = zip(_targets(found.node), getattr(found.node.value, "elts", [found.node.value]), strict=False)
        given = dict(pairs).get(found.name)
        if isinstance(given, ast.Constant):
            return written(given)
    return written(value)


def _field_default(value: ast.expr | None, module: str) -> tuple[str, str]:
    """As it is written, or what a factory makes; and the sentence that an option of `dynident.core.options` has."""
    if not isinstance(value, ast.Call):
        return ("" if value is None else _value(value, module)), ""
    if written(value.func) == "option":
        return _value(value.args[0], module), ast.literal_eval(value.args[1])
    if written(value.func) != "field":
        return written(value), ""
    options = {keyword.arg: keyword.value for keyword in value.keywords}
    if "default_factory" in options:
        factory = options["default_factory"]
        return (written(factory.body) if isinstance(factory, ast.Lambda) else f"{written(factory)}()"), ""
    return (_value(options["default"], module) if "default" in options else ""), ""
