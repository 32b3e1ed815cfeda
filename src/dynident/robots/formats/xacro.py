# pyright: basic
"""xacro as URDF text, through the `xacro` package (extra `ros`), without a ROS installation and without running what a file says.

The package evaluates expressions as Python; here `xacro_expressions` evaluates them, which knows arithmetic and xacro's functions only.
Macros can still ask for any amount of memory and time, so a file is expanded in a process of its own.
"""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any
from xml.dom import minidom

import yaml

from dynident.core.files import construct_yaml, read_text
from dynident.core.isolation import read_apart
from dynident.core.xml import parse_xml
from dynident.errors import DynidentError, FileError, Remedy, UnknownNameError, import_optional
from dynident.robots.formats.xacro_expressions import callable_functions, evaluate
from dynident.robots.packages import package_name, ros_folders

#: Folders above the file, and below each of them, in which packages are looked for.
_ABOVE, _BELOW = 4, 2
#: Folders looked into before a package counts as not found.
_MOST = 5000
#: An argument where it is declared, and where it is used.
_ARGUMENT = re.compile(r"""<xacro:arg\s[^>]*?name\s*=\s*["']([^"']+)["']|\$\(arg\s+([^\s)]+)\s*\)""")


def expand_xacro(path: str | Path, *, packages: Mapping[str, str | Path] | None = None, arguments: Mapping[str, str] | None = None) -> str:
    """The URDF that a xacro file describes.

    packages : folder of a ROS package by name; others are found by the package.xml files around the file, and on ROS's own paths.
    arguments : of the file's <xacro:arg>, by name.
    """
    import_optional("xacro", "reading xacro")
    return read_apart(_expand, Path(path), packages or {}, arguments or {})


def _expand(path: Path, packages: Mapping[str, str | Path], arguments: Mapping[str, str]) -> str:
    """Runs in a process of its own, so that the package can be changed for good."""
    xacro: Any = import_module("xacro")
    known = _guard(xacro, _Packages(path, packages).find)
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            document = xacro.process_file(str(path), mappings=dict(arguments), verbosity=0)
    except Exception as error:  # noqa: BLE001 (the package, and expressions of the file, may raise anything)
        _raise_cause(error)
        message = " ".join(str(error).split()) or type(error).__name__
        remedy = Remedy("arguments are given with {xacro_args}", xacro_args={"name": "value"}) if "substitution argument" in message else ""
        raise FileError(path, f"can't be expanded: {message}", remedy=remedy) from None
    for name in arguments:
        if name not in known:
            raise UnknownNameError("argument of this xacro file", name, sorted(known))
    lines = document.toprettyxml(indent="  ").splitlines()
    return "\n".join(line for line in lines if line.strip()) + "\n"


def _raise_cause(error: BaseException | None) -> None:
    """Our own error, or that there is no memory for it, which the package has wrapped in its own."""
    while error is not None:
        if isinstance(error, DynidentError | MemoryError):
            raise error from None
        error = getattr(error, "exc", None)


def _guard(xacro: Any, find: Callable[[str], str]) -> set[str]:
    """Gives the package our evaluator of expressions, our readers of files and our way to packages.

    Returns a set that will hold the names of all arguments that the files declare or use.
    """
    substitution: Any = import_module("xacro.substitution_args")
    known = set[str]()

    def load_yaml(name: str) -> Any:
        file = Path(xacro.abs_filename_spec(name))
        for unit in xacro.ConstructUnits:
            yaml.SafeLoader.add_constructor(unit.value.tag, unit.constructor)
        return xacro.YamlListWrapper.wrap(construct_yaml(read_text(file), yaml.SafeLoader))

    symbols = xacro._global_symbols
    for space in (symbols, symbols["xacro"]):
        dict.__setitem__(space, "load_yaml", load_yaml)
    functions, holders = callable_functions(symbols), (xacro.NameSpace, xacro.YamlDictWrapper)

    def evaluate_expression(expression: str, table: Any, _: Any = None) -> Any:
        return evaluate(expression, table.__getitem__, functions, holders)

    def evaluate_substitution(expression: str, context: Any) -> str:
        """$(eval ...): like an expression, with the arguments as names, and with functions for what $(arg), $(find) and others give."""
        given = context.setdefault("arg", {})
        names = {
            **{name: value for name, value in substitution._eval_dict.items() if "__" not in name},
            **{name: dict.__getitem__(symbols, name) for name in ("list", "dict", "map", "str", "float", "int")},
            "arg": lambda name: substitution.convert_value(substitution._eval_arg(name, args=given), "auto"),
            "dirname": lambda: substitution._eval_dirname(context["filename"]),
            "find": find,
        }
        value = evaluate(
            expression,
            lambda name: names[name] if name in names else substitution.convert_value(given[name], "auto"),
            callable_functions(names),
            holders,
        )
        return str(value)

    def parse_file(content: Any, filename: Any = None) -> Any:
        file = Path(xacro.root_dir, filename)
        text = read_text(file)
        parse_xml(file, text)  # refuses entities
        known.update(name for pair in _ARGUMENT.findall(text) for name in pair if name)
        return minidom.parseString(text.strip())  # noqa: S318

    xacro.safe_eval, xacro.parse = evaluate_expression, parse_file
    substitution._eval, substitution._eval_find = evaluate_substitution, find
    return known


class _Packages:
    """Where ROS packages are: given, around the file, or on ROS's paths."""

    def __init__(self, file: Path, given: Mapping[str, str | Path]) -> None:
        self.file = file
        self.given = {name: Path(folder) for name, folder in given.items()}

    def find(self, name: str) -> str:
        folder = self.given.get(name) or next(self._candidates(name), None)
        if folder is None:
            remedy = Remedy("say where it is: {packages}", packages={name: "FOLDER"})
            raise FileError(self.file, f"needs the ROS package {name!r}, which is not beside it", remedy=remedy)
        if not folder.is_dir():
            raise FileError(folder, f"is no folder; the one of the ROS package {name!r} was expected")
        return str(folder.resolve())

    def _candidates(self, name: str) -> Iterator[Path]:
        for manifest in islice(self._manifests(), _MOST):
            if package_name(manifest) == name:
                yield manifest.parent
        for parent in islice(self.file.resolve().parents, _ABOVE):  # a copy of a package without its package.xml
            yield from (folder for folder in (parent, parent / name) if folder.name == name and folder.is_dir())
        yield from (folder / name for folder in ros_folders() if (folder / name / "package.xml").is_file())

    def _manifests(self) -> Iterator[Path]:
        for parent in islice(self.file.resolve().parents, _ABOVE):
            pattern = "package.xml"
            for _ in range(_BELOW + 1):
                yield from sorted(parent.glob(pattern))
                pattern = f"*/{pattern}"
