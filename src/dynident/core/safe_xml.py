"""XML read safely: no document type, no entities, and a line number when it is not XML at all."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

from dynident.errors import FileError

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_DECLARATION = re.compile(r"<!(DOCTYPE|ENTITY)")


def parse_xml(path: str | Path, text: str) -> ElementTree.Element:
    """The root element of the text of `path`.

    A document type is refused before the parser sees it: entities are how XML reads other files and explodes.
    """
    if not text.strip():
        raise FileError(path, "is empty; an XML file (URDF or MJCF) was expected")
    declaration = _DECLARATION.search(_COMMENT.sub(_blank, text))
    if declaration is not None:
        line = text.count("\n", 0, declaration.start()) + 1
        raise FileError(
            path, "has a DOCTYPE or ENTITY declaration, which is refused; remove it and write the values out", place=f"line {line}"
        )
    try:
        return ElementTree.fromstring(text)  # noqa: S314 (entities were refused above)
    except ElementTree.ParseError as error:
        line, problem = error.position[0], str(error).split(":")[0]
        raise FileError(path, f"is not XML ({problem}); check that it is the right file", place=f"line {line}") from None


def _blank(comment: re.Match[str]) -> str:
    """As long as the comment and with its line breaks, so that positions stay right."""
    return re.sub(r"[^\n]", " ", comment.group())
