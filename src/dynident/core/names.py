"""Names from other people's files: which can be kept, how they are shown in a line of text, and what files are called after them."""

from __future__ import annotations

import re
import unicodedata

from dynident.errors import ValueRangeError

#: Longest part of a name that goes into the name of a file or function; file systems allow 255 bytes.
_LONGEST = 60
#: Names that are devices on Windows, whatever their suffix.
_DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)", re.IGNORECASE)
#: What neither XML nor text in UTF-8 can hold: controls other than tab and line breaks, halves of surrogate pairs, noncharacters.
_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def check_name(kind: str, name: str) -> None:
    """ValueRangeError for a name with a character that no file can hold."""
    if (match := _UNWRITABLE.search(name)) is not None:
        raise ValueRangeError(f"{kind} name {name!r}", f"has the character U+{ord(match[0]):04X}, which can't be written; rename it")


def printable(text: str) -> str:
    """The text in one line, in which control characters of terminals and of the direction of writing are replaced by their code points."""
    return visible(" ".join(text.split()))


def visible(text: str) -> str:
    """The same with blanks and line breaks as they are."""
    return "".join(_shown(character) for character in text)


def file_stem(name: str) -> str:
    """A name for a file after a robot: letters, digits, dots and dashes, not hidden, of no folder and no device."""
    word = re.sub(r"[^\w.-]+", "_", name).strip("._-")[:_LONGEST].rstrip("._-") or "robot"
    return f"{word}_" if _DEVICES.fullmatch(word.partition(".")[0]) else word


def identifier(name: str) -> str:
    """A name for functions of generated code, in ASCII and in small letters."""
    word = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_").lower()[:_LONGEST].rstrip("_")
    return word if word and not word[0].isdigit() else f"robot_{word}".rstrip("_")


def _shown(character: str) -> str:
    if character.isprintable() or character in "\n\t" or unicodedata.category(character) not in ("Cc", "Cf", "Cs"):
        return character
    return f"<U+{ord(character):04X}>"
