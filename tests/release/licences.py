"""Which licence each installed package has, and whether someone who uses dynident would be bound by it.

Run by the interpreter of an environment, it prints what is installed there as JSON; the standard library is all that it needs.
Judged is what a package says of itself. A copyleft licence of a library that dynident imports could bind what a user builds with
dynident, so that none is accepted; neither is one that nobody has looked at.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import asdict, dataclass
from importlib import metadata

#: SPDX names of licences that bind nothing but the package itself: a notice, and of Qhull that changes of it are named.
PERMISSIVE = frozenset(
    {"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0", "HPND", "ISC", "MIT", "MIT-0"}
    | {"PSF-2.0", "Python-2.0", "Qhull", "Unlicense", "Zlib"}
)
#: Exceptions that take nothing away.
EXCEPTIONS = frozenset({"LLVM-exception"})
#: What packages write that don't write SPDX.
ALIASES = {
    "3-clause bsd license": "BSD-3-Clause",
    "any-osi": "MIT",  # any that the OSI has approved, as one likes
    "apache 2.0": "Apache-2.0",
    "apache license 2.0": "Apache-2.0",
    "apache software license": "Apache-2.0",
    "bsd": "BSD-3-Clause",
    "bsd license": "BSD-3-Clause",
    "isc license": "ISC",
    "isc license (iscl)": "ISC",
    "mit license": "MIT",
    "python software foundation license": "PSF-2.0",
}
#: Packages whose metadata name no licence, as read in what they ship (COPYING.txt of cmeel-qhull 8.0.2.1, METADATA of xacro 2.1.1).
KNOWN = {"cmeel-qhull": "Qhull", "xacro": "BSD-3-Clause"}
#: What every environment has, and dynident doesn't use.
TOOLS = frozenset({"pip", "setuptools", "wheel"})


@dataclass(frozen=True, kw_only=True)
class Package:
    """An installed package. licence : as it says itself, in SPDX where it can be told; empty where it says nothing."""

    name: str
    version: str
    licence: str

    @property
    def accepted(self) -> bool:
        return is_permissive(self.licence)


def installed_packages() -> list[Package]:
    """What this interpreter finds, by name; without the tools that install."""
    found = {normal_name(item.metadata["Name"]): item for item in metadata.distributions()}
    packages = [Package(name=name, version=item.version, licence=licence_of(name, item)) for name, item in found.items()]
    return sorted((package for package in packages if package.name not in TOOLS), key=lambda package: package.name)


def licence_of(name: str, item: metadata.Distribution) -> str:
    """The SPDX expression; else the field, unless that is a whole text; else the classifiers; else what is known."""
    told = item.metadata
    classifiers = [line.rpartition("::")[2].strip() for line in told.get_all("Classifier") or () if line.startswith("License ::")]
    field = told.get("License") or ""
    for text in (told.get("License-Expression") or "", field if "\n" not in field.strip() and len(field) < 60 else "", *classifiers[:1]):
        if text.strip():
            return ALIASES.get(text.strip().lower(), text.strip())
    return KNOWN.get(name, "")


def is_permissive(expression: str) -> bool:
    """Of an SPDX expression: every part of an AND, and one side of an OR."""
    if not expression:
        return False
    if expression.startswith("(") and expression.endswith(")") and "(" not in expression[1:]:
        expression = expression[1:-1]
    if "(" in expression:
        return False  # nested: to be looked at
    return any(all(_accepts(part) for part in re.split(r"\s+AND\s+", choice)) for choice in re.split(r"\s+OR\s+", expression))


def normal_name(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _accepts(part: str) -> bool:
    licence, _, exception = part.strip().partition(" WITH ")
    return licence in PERMISSIVE and (not exception or exception in EXCEPTIONS)


if __name__ == "__main__":
    json.dump([asdict(package) for package in installed_packages()], sys.stdout)
