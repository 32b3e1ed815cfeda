"""An extension of griffe: the value of an enumeration's member is its description in the reference, where it has no docstring."""

from __future__ import annotations

from typing import Any

import griffe


class EnumMembers(griffe.Extension):
    """Most values are the sentence that a user sees."""

    def on_class(self, *, cls: griffe.Class, **_: Any) -> None:
        if any(str(base).endswith("Enum") for base in cls.bases):
            for member in cls.attributes.values():
                if member.docstring is None and member.name.isupper():
                    member.docstring = griffe.Docstring(str(member.value).strip("'\""), parent=member)
