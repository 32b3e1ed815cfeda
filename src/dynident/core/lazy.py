"""Packages that import what they export when it is first used, so that a part of one can be imported without the rest."""

from __future__ import annotations

import ast
import sys
from importlib import import_module
from types import ModuleType
from typing import Any


class _LazyPackage(ModuleType):
    """A package whose exports and modules are imported when they are asked for. A module does not hide an export of the same name."""

    _homes: dict[str, str]

    def __getattr__(self, name: str) -> Any:
        if name in self._homes:
            value = getattr(import_module(self._homes[name]), name)
            super().__setattr__(name, value)
            return value
        module = f"{self.__name__}.{name}"
        try:
            if not name.startswith("_"):
                return import_module(module)
        except ModuleNotFoundError as error:
            if error.name != module:
                raise
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}; it offers: {', '.join(self._homes)}")

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in self._homes and isinstance(value, ModuleType)):  # which importing a module of the package does
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        from pkgutil import iter_modules  # rarely needed

        return sorted({*super().__dir__(), *self._homes, *(module.name for module in iter_modules(self.__path__))})


def make_lazy(package: str) -> None:
    """Make a package import its exports late. They are what it imports under `if TYPE_CHECKING:`, which type checkers read too."""
    module: Any = sys.modules[package]
    homes: dict[str, str] = {}
    for node in ast.walk(ast.parse(module.__loader__.get_source(package))):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            imports = [item for item in node.body if isinstance(item, ast.ImportFrom) and item.module]
            homes |= {name.name: str(item.module) for item in imports for name in item.names}
    module.__dict__["_homes"] = homes
    module.__class__ = _LazyPackage
