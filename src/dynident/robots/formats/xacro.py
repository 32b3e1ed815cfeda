# pyright: basic
"""xacro as URDF text, through the `xacro` package (extra `ros`), without a ROS installation and without running what a file says.

xacro evaluates expressions as Python and forbids special names at the top of an expression only; here they are forbidden everywhere in it.
Expressions and macros can still ask for any amount of memory and time, so a file is expanded in a process of its own.
"""

from __future__ import annotations

import ast
import contextlib
import io
import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Any
from xml.dom import minidom

from dynident.core.files import read_text
from dynident.core.isolation import read_apart
from dynident.core.xml import parse_xml
from dynident.errors import DynidentError, FileError, Remedy, UnknownNameError, import_optional
from dynident.robots.packages import ros_folders

#: Folders above the file, and below each of them, in which packages are looked for.
_ABOVE, _BELOW = 4, 2
#: Folders looked into before a package counts as not found.
_MOST = 5000
#: An argument where it is declared, and where it is used.
_ARGUMENT = re.compile(r"""<xacro:arg\s[^>]*?name\s*=\s*["']([^"']+)["']|\$\(arg\s+([^\s)]+)\s*\)""")
_LOCK = Lock()  # the package keeps its state in module variables


def expand_xacro(path: str | Path, *, packages: Mapping[str, str | Path] | None = None, arguments: Mapping[str, str] | None = None) -> str:
    """The URDF that a xacro file describes.

    packages : folder of a ROS package by name; others are found by the package.xml files around the file, and on ROS's own paths.
    arguments : of the file's <xacro:arg>, by name.
    """
    import_optional("xacro", "reading xacro")
    return read_apart(_expand, Path(path), packages or {}, arguments or {})


def _expand(path: Path, packages: Mapping[str, str | Path], arguments: Mapping[str, str]) -> str:
    xacro: Any = import_module("xacro")
    find, known = _Packages(path, packages).find, set[str]()
    try:
        with _LOCK, _guarded(xacro, find, known), contextlib.redirect_stderr(io.StringIO()):
            document = xacro.process_file(str(path), mappings=dict(arguments), verbosity=0)
    except Exception as error:  # noqa: BLE001 (the package, and expressions of the file, may raise anything)
        _raise_cause(error)
        said = " ".join(str(error).split()) or type(error).__name__
        remedy = Remedy("arguments are given with {xacro_args}", xacro_args={"name": "value"})
        raise FileError(path, f"can't be expanded: {said}", remedy=remedy) from None
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


@contextlib.contextmanager
def _guarded(xacro: Any, find: Any, known: set[str]) -> Iterator[None]:
    """The package with our reader of files, our way to packages, and expressions that are looked at before they are evaluated.

    known : gets the names of all arguments that the files declare or use.
    """
    arguments: Any = import_module("xacro.substitution_args")
    evaluate, substitute, parse, locate = xacro.safe_eval, arguments._eval, xacro.parse, arguments._eval_find

    def checked(expression: str, *rest: Any) -> Any:
        _check_expression(expression)
        return evaluate(expression, *rest)

    def checked_substitution(expression: str, context: Any) -> str:
        _check_expression(expression)
        return substitute(expression, context)

    def parse_file(content: Any, filename: Any = None) -> Any:
        file = Path(xacro.root_dir, filename)
        text = read_text(file)
        parse_xml(file, text)  # refuses entities
        known.update(name for pair in _ARGUMENT.findall(text) for name in pair if name)
        return minidom.parseString(text.strip())  # noqa: S318

    try:
        xacro.safe_eval, arguments._eval, xacro.parse, arguments._eval_find = checked, checked_substitution, parse_file, find
        arguments._eval_dict["find"] = find
        yield
    finally:
        xacro.safe_eval, arguments._eval, xacro.parse, arguments._eval_find = evaluate, substitute, parse, locate
        arguments._eval_dict["find"] = locate


def _check_expression(expression: str) -> None:
    """ValueError where an expression reaches for what Python keeps for itself; a syntax error is xacro's to tell."""
    try:
        tree = ast.parse(expression.strip(), mode="eval")
    except SyntaxError:
        return
    for node in ast.walk(tree):
        names = [getattr(node, name, None) for name in ("id", "attr", "arg", "name")]
        if any(isinstance(name, str) and "__" in name for name in names):
            raise ValueError(f"the expression {expression.strip()!r} uses a name with two underscores, which is refused")


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
            if _package_name(manifest) == name:
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


def _package_name(manifest: Path) -> str:
    """Of a package.xml; the folder's where that can't be read."""
    try:
        found = parse_xml(manifest, read_text(manifest)).findtext("name")
    except FileError:
        return manifest.parent.name
    return (found or manifest.parent.name).strip()
