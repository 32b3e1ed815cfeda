"""How large an MJCF is with all that it includes and copies, found before MuJoCo, which makes all of it while it reads, gets the file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from xml.etree.ElementTree import Element

from dynident.core.files import read_text
from dynident.core.xml import parse_xml
from dynident.errors import FileError

#: Elements of a model, and those that are copies; MuJoCo takes 10 s for 20,000 and 40,000, and its time grows with the square.
_MOST_ELEMENTS, _MOST_COPIES = 20_000, 5_000
#: Numbers that a model asks room for, such as the heights of a field; files that it names.
_MOST_NUMBERS, _MOST_FILES = 20_000_000, 1000
_COPIES = frozenset({"replicate", "composite", "flexcomp"})
#: Attributes by element whose product says for how many numbers there must be room, whatever else stands in the file.
_ROOM = {"hfield": ("nrow", "ncol"), "numeric": ("size",), "user": ("dim",), "general": ("actdim",)}


def check_sizes(path: str | Path, root: Element, folder: str | Path | None = None) -> None:
    """FileError where a model would be more than memory holds.

    path : its file; root : its root element; folder : in which the files are that it names, unless it is that of its own.

    Included files and attached models are read, and counted as often as they are used. One that is not there is left to MuJoCo, which
    says so.
    """
    included, models = _read_named(Path(path).parent if folder is None else Path(folder), root)
    elements = copied = numbers = each = 0.0
    pending = [(root, 1.0)]
    while pending:  # every step counts an element, so that files that include each other end too
        element, copies = pending.pop()
        copies *= _count(element)
        elements, copied, numbers = elements + copies, copied + copies * (copies > 1.0), numbers + copies * _room(element)
        if element.tag == "size":
            each = max([each, *(_number(element, name) for name in element.attrib if name.startswith(("nuser", "nkey")))])
        if elements > _MOST_ELEMENTS or copied > _MOST_COPIES:
            most = f"more than {_MOST_ELEMENTS} elements, or than {_MOST_COPIES} that are copies"
            raise FileError(path, f"would be {most}; check its counts and includes")
        if numbers > _MOST_NUMBERS or each * elements > _MOST_NUMBERS:
            asked = f"asks for room for more than {_MOST_NUMBERS:.0e} numbers; check its sizes"
            raise FileError(path, asked, place=f"<{element.tag}>")
        pending += [(child, copies) for child in element]
        if element.tag == "include":
            pending += [(child, copies) for inner in included.get(element.get("file", ""), []) for child in inner]
        elif element.tag == "attach":
            pending += [(inner, copies) for inner in models.get(element.get("model", ""), [])]


def _count(element: Element) -> float:
    """How often the content of an element is copied."""
    count = 1.0
    for word in element.get("count", "1").split() if element.tag in _COPIES else ():
        with suppress(ValueError):
            count *= max(float(word), 1.0)
    return count


def _room(element: Element) -> float:
    """For how many numbers an element asks for room."""
    room = 1.0
    for name in _ROOM.get(element.tag, ()):
        room *= _number(element, name)
    return room


def _number(element: Element, name: str) -> float:
    try:
        return abs(float(element.get(name, "0")))
    except ValueError:
        return 0.0


def _read_named(folder: Path, root: Element) -> tuple[dict[str, list[Element]], dict[str, list[Element]]]:
    """Root elements of the files that a model includes, by the name that it gives them, and of the models that it may attach, by theirs."""
    included: dict[str, list[Element]] = {}
    models: dict[str, list[Element]] = {}
    roots: dict[Path, Element] = {}
    pending = [(folder, root)]
    while pending:
        beside, inside = pending.pop()
        for element in inside.iter():
            if element.tag not in ("include", "model"):
                continue
            for place in _find(element.get("file", ""), {folder, beside}):
                if place not in roots:
                    roots[place] = parse_xml(place, read_text(place))
                    pending.append((place.parent, roots[place]))
                if len(roots) > _MOST_FILES:
                    raise FileError(place, f"is one of more than {_MOST_FILES} files that a model names; check what they include")
                of_kind = included if element.tag == "include" else models
                named = element.get("file", "") if element.tag == "include" else element.get("name") or roots[place].get("model", "")
                same = of_kind.setdefault(named, [])
                if not any(roots[place] is known for known in same):
                    same.append(roots[place])
    return included, models


def _find(name: str, folders: set[Path]) -> Iterator[Path]:
    """The file of that name in the folders, where it is there."""
    yield from (file for folder in folders if name and os.path.lexists(file := folder / name) and not file.is_dir())
