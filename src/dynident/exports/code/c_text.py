"""Pieces of C text that all generated files share: comments, helpers, arguments that a function doesn't use."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dynident.core.names import printable

SIGN = """static double sign(double x)
{
  return (double)((x > 0.0) - (x < 0.0));
}
"""


def comment_lines(lines: Sequence[str]) -> list[str]:
    """Lines for a comment. Names come from files: they must not end it, continue it on the next line or turn its direction."""
    return [printable(line).replace("*/", "* /").replace("/*", "/ *").replace("??/", "?? /").rstrip("\\") for line in lines]


def function_body(lines: Sequence[str], inputs: Sequence[str]) -> list[str]:
    """The lines of a function, indented, with those of its inputs marked that it has no use for."""
    unused = [f"(void){name};" for name in inputs if not _mentions(lines, name)]
    return [f"  {line}" for line in (*unused, *lines)]


def _mentions(lines: Sequence[str], name: str) -> bool:
    pattern = re.compile(rf"(?<!\w){name}\[")
    # a result may have the letter of no input; it stands left of the assignment
    return any(pattern.search(line.split("=", 1)[1]) for line in lines)
