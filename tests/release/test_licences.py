"""Licences are judged from what packages say, and those that dynident needs ask for no more than their notice."""

from __future__ import annotations

from importlib import metadata

import pytest
from packaging.requirements import Requirement

from tests.release.licences import is_permissive, licence_of, normal_name

#: What users can install beside the command itself.
EXTRAS = ("cluster", "franka", "pandas", "ros", "sim", "ur")


@pytest.mark.parametrize(
    "expression",
    ["MIT", "Apache-2.0 OR GPL-2.0-only", "BSD-2-Clause AND Apache-2.0 WITH LLVM-exception", "(MIT OR Apache-2.0)", "Qhull"],
)
def test_a_notice_is_all_that_is_asked(expression):
    assert is_permissive(expression)


@pytest.mark.parametrize(
    "expression",
    [
        "",
        "GPL-3.0-or-later",
        "MIT AND GPL-2.0-only",
        "LGPL-2.1-only",
        "AGPL-3.0-only",
        "MPL-2.0",
        "Proprietary",
        "MIT AND (MIT OR GPL-2.0)",
    ],
)
def test_copyleft_and_what_nobody_knows_are_refused(expression):
    assert not is_permissive(expression)


@pytest.mark.parametrize(
    ("lines", "licence"),
    [
        ("License-Expression: MIT\nLicense: GPL", "MIT"),
        ("License: BSD", "BSD-3-Clause"),
        ("Classifier: License :: OSI Approved :: ISC License (ISCL)", "ISC"),
        ("Classifier: Topic :: Scientific/Engineering", ""),
    ],
)
def test_what_a_package_says_of_itself(tmp_path, lines, licence):
    folder = tmp_path / "thing-1.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.4\nName: thing\nVersion: 1\n{lines}\n")
    (found,) = metadata.distributions(path=[str(tmp_path)])
    assert licence_of("thing", found) == licence


def test_nothing_that_dynident_needs_binds_its_users():
    needed = _needed()
    assert {"numpy", "scipy", "pin", "numba", "cyclopts", "mujoco"} <= needed.keys()
    judged = {name: licence_of(name, item) for name, item in needed.items()}
    assert {name: licence for name, licence in judged.items() if not is_permissive(licence)} == {}


def _needed() -> dict[str, metadata.Distribution]:
    """What dynident and its extras require, and what that requires in turn; extras that are not installed here are left out."""
    found: dict[str, metadata.Distribution] = {}
    waiting = [("dynident", frozenset(EXTRAS))]
    seen: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        name, extras = waiting.pop()
        try:
            item = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        found[normal_name(name)] = item
        for line in item.requires or ():
            required = Requirement(line)
            if required.marker is None or any(required.marker.evaluate({"extra": extra}) for extra in ("", *extras)):
                waiting.append((required.name, frozenset(required.extras)))
    return found
