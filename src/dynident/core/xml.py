"""XML read safely (no document type, no entities), written, and edited as text in place: what is not edited stays byte by byte."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from dynident.core.names import printable
from dynident.errors import FileError, require

#: How deep elements may stand in each other; robots of so many links are none.
_DEEPEST = 1000
# A start tag; the parser has already found it well-formed, so quotes match.
_TAG = re.compile(rb"<[^\s/>]+(?:\s+[^\s=>/]+\s*=\s*(?:\"[^\"]*\"|'[^']*'))*\s*/?>")
_ATTRIBUTE = re.compile(rb"\s([^\s=>/]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")


def parse_xml(path: str | Path, text: str) -> ElementTree.Element:
    """The root element of the text of `path`. Prefixes stay in the names, declared or not; that of the root goes.

    A document type is refused: entities are how XML reads other files and explodes. So are elements that are nested very deeply.
    """
    if not text.strip():
        raise FileError(path, "is empty; an XML file (URDF or MJCF) was expected")
    blank = len(text) - len(text.lstrip()) if text.lstrip().startswith("<?xml") else 0  # strictly it must be the first thing in a file
    above = text.count("\n", 0, blank)
    parser, builder = expat.ParserCreate("utf-8"), ElementTree.TreeBuilder()
    depth, prefix = 0, ""

    def refuse(sentence: str) -> None:
        raise FileError(path, sentence, place=f"line {parser.CurrentLineNumber + above}")

    def declare(*_: object) -> None:
        refuse("has a DOCTYPE or ENTITY declaration, which is refused; remove it and write the values out")

    def begin(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth, prefix
        depth += 1
        if depth > _DEEPEST:
            refuse(f"has elements that are nested more than {_DEEPEST} deep; check that it is the right file")
        if depth == 1:
            prefix = tag[: tag.find(":") + 1]
        builder.start(tag.removeprefix(prefix), {name: value for name, value in attributes.items() if not name.startswith("xmlns")})

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(tag.removeprefix(prefix))

    parser.StartDoctypeDeclHandler = declare
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = begin, end, builder.data
    try:
        parser.Parse(text[blank:], True)
    except expat.ExpatError as error:
        problem = f"is not XML ({expat.ErrorString(error.code)}); check that it is the right file"
        raise FileError(path, problem, place=f"line {error.lineno + above}") from None
    return builder.close()


def element_name(path: str | Path, element: ElementTree.Element) -> str:
    """The name of an element that must have one."""
    name = element.get("name")
    if not name:
        raise FileError(path, f"a <{element.tag}> has no name; give it one")
    return name


@dataclass(eq=False)
class XmlElement:
    """An element and where it stands: [start, opened) is its start tag, [start, end) all of it."""

    tag: str
    attributes: Mapping[str, str]
    start: int
    opened: int
    end: int = 0
    children: list[XmlElement] = field(default_factory=list["XmlElement"])

    def all(self, tag: str) -> Iterator[XmlElement]:
        """The elements of that tag below this one, in order."""
        for child in self.children:
            if child.tag == tag:
                yield child
            yield from child.all(tag)

    def child(self, tag: str, name: str | None = None) -> XmlElement | None:
        """The first direct child of that tag, and of that name where one is given."""
        return next((child for child in self.children if child.tag == tag and name in (None, child.attributes.get("name"))), None)


class XmlText:
    """The text and the edits that it is to get; edits don't overlap."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.root = _parse(content)
        self._edits: list[tuple[int, int, bytes]] = []
        self._newline = b"\r\n" if b"\r\n" in content else b"\n"

    def result(self) -> bytes:
        """The edited text."""
        pieces: list[bytes] = []
        at = 0
        for start, end, new in sorted(self._edits, key=lambda edit: edit[:2]):
            pieces += [self.content[at:start], new]
            at = end
        return b"".join([*pieces, self.content[at:]])

    def set_numbers(self, element: XmlElement, values: Mapping[str, Sequence[float]], *, rounding: float = 0.0) -> None:
        """Give attributes these numbers; one whose numbers are these already is not touched, one that is missing is added.

        rounding : difference up to which two numbers are the same one, computed differently.
        """
        places = self._attribute_places(element)
        missing: list[bytes] = []
        for name, numbers in values.items():
            new = number_text(numbers).encode()
            if name not in places:
                missing.append(b" " + name.encode() + b'="' + new + b'"')
            elif not _same(element.attributes[name], numbers, rounding):
                self._edits.append((*places[name], new))
        if missing:
            last = element.opened - (2 if self.content[: element.opened].endswith(b"/>") else 1)
            while self.content[last - 1 : last].isspace():
                last -= 1
            self._edits.append((last, last, b"".join(missing)))

    def set_text(self, element: XmlElement, name: str, value: str) -> None:
        """Give an attribute that is there another value."""
        self._edits.append((*self._attribute_places(element)[name], escape(value, {'"': "&quot;", "'": "&apos;"}).encode()))

    def replace(self, element: XmlElement, text: str) -> None:
        self._edits.append((element.start, element.end, text.encode()))

    def add_first(self, parent: XmlElement, lines: list[str]) -> None:
        """New lines as the first child of an element, indented as its other children are."""
        outer = self._indent(parent)
        inner = next((self._indent(child) for child in parent.children if self._alone(child)), outer + b"  ")
        new = b"".join(self._newline + inner + line.encode() for line in lines)
        if parent.opened == parent.end:  # <link name="a"/>
            slash = self.content.rindex(b"/", parent.start, parent.end)
            closing = b">" + new + self._newline + outer + b"</" + parent.tag.encode() + b">"
            self._edits.append((slash, parent.end, closing))
        else:
            closing = b"" if self.content[parent.opened : parent.opened + 1] != b"<" else self._newline + outer
            self._edits.append((parent.opened, parent.opened, new + closing))

    def remove(self, element: XmlElement) -> None:
        """Take an element out, with its line where it has one to itself."""
        start = element.start
        if self._alone(element):
            start -= len(self._indent(element))
            start -= 2 if self.content[:start].endswith(b"\r\n") else 1
        self.drop(start, element.end)

    def drop(self, start: int, end: int) -> None:
        self._edits.append((start, end, b""))

    def _attribute_places(self, element: XmlElement) -> dict[str, tuple[int, int]]:
        """Start and end of the value of each attribute, without quotes."""
        matches = _ATTRIBUTE.finditer(self.content, element.start, element.opened)
        return {match[1].decode(): match.span(2) if match[2] is not None else match.span(3) for match in matches}

    def _indent(self, element: XmlElement) -> bytes:
        """The blanks at the beginning of the element's line."""
        line = self.content.rfind(b"\n", 0, element.start) + 1
        text = self.content[line : element.start]
        return text[: len(text) - len(text.lstrip())]

    def _alone(self, element: XmlElement) -> bool:
        """Does nothing stand before the element in its line?"""
        line = self.content.rfind(b"\n", 0, element.start) + 1
        return line > 0 and not self.content[line : element.start].strip()


# ------------------------------------------------------------------------------------------------------------------ new elements


class NewElement(NamedTuple):
    """An element that is written anew.

    attributes : texts, numbers or sequences of numbers.
    children : further elements, or lines as they are.
    """

    tag: str
    attributes: Mapping[str, str | float | Iterable[float]]
    children: Sequence[NewElement | str] = ()

    def lines(self) -> list[str]:
        """A line per tag, children indented."""
        if not self.children:
            return [f"<{self._start}/>"]
        inner = [line for child in self.children for line in ([child] if isinstance(child, str) else child.lines())]
        return [f"<{self._start}>", *(f"  {line}" for line in inner), f"</{self.tag}>"]

    def __str__(self) -> str:
        """All in one line."""
        return f"<{self._start}>{''.join(map(str, self.children))}</{self.tag}>" if self.children else f"<{self._start}/>"

    @property
    def _start(self) -> str:
        return " ".join([self.tag, *(f"{name}={quoteattr(_attribute_text(value))}" for name, value in self.attributes.items())])


def element(tag: str, *children: NewElement | str, **attributes: str | float | Iterable[float]) -> NewElement:
    """An element that is written anew."""
    return NewElement(tag, attributes, children)


def _attribute_text(value: str | float | Iterable[float]) -> str:
    if isinstance(value, str):
        return value
    return number_text(value if isinstance(value, Iterable) else [value])


def comment_text(sentences: list[str]) -> str:
    """An XML comment; two hyphens, which would end it, become one."""
    text = re.sub("-{2,}", "-", printable(" ".join(sentences))).rstrip("-")
    return f"<!-- {text} -->"


def number_text(numbers: Iterable[float]) -> str:
    """Numbers with all their digits."""
    return " ".join(repr(float(number) + 0.0) for number in numbers)


def _same(text: str, numbers: Sequence[float], rounding: float) -> bool:
    try:
        written = [float(word) for word in text.split()]
    except ValueError:
        return False
    return len(written) == len(numbers) and all(abs(a - b) <= rounding for a, b in zip(written, numbers, strict=True))


def _parse(content: bytes) -> XmlElement:
    """The tree with positions; the caller has checked that the content is XML."""
    blank = len(content) - len(content.lstrip()) if content.lstrip().startswith(b"<?xml") else 0
    parser = expat.ParserCreate()
    roots: list[XmlElement] = []
    stack: list[XmlElement] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        at = parser.CurrentByteIndex + blank
        match = require(_TAG.match(content, at), "a tag where the parser found one")
        element = XmlElement(tag, attributes, at, match.end())
        (stack[-1].children if stack else roots).append(element)
        stack.append(element)

    def end(tag: str) -> None:
        element = stack.pop()
        at = parser.CurrentByteIndex + blank
        empty = content[element.opened - 2 : element.opened] == b"/>"
        element.end = element.opened if empty else content.index(b">", at) + 1

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.Parse(content[blank:], True)
    return roots[0]
