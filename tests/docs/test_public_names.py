"""The names that `import dynident` offers: few, lazy, there, and the same as in the reference."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import dynident

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "python.md"


@pytest.mark.parametrize("name", dynident.__all__)
def test_every_name_is_what_its_package_has(name):
    found = getattr(dynident, name)
    assert getattr(importlib.import_module(dynident._homes[name]), name) is found
    assert callable(found)
    assert found.__doc__


def test_the_reference_lists_exactly_these_names():
    chain = PAGE.read_text().split("## The chain")[1].split("Every result")[0].split("| name | meaning |")[1]
    own = {name for name in re.findall(r"`(\w+)`", chain) if name not in ("path", "html")}
    assert own == set(dynident.__all__)
    assert len(dynident.__all__) <= 43


def test_packages_are_there_without_an_import_of_their_own_and_unknown_names_say_what_is():
    code = "import dynident; print(dynident.dynamics.gravity.__name__, 'links' in dir(dynident))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["gravity", "True"]
    with pytest.raises(AttributeError, match=r"no attribute 'indentify'; it offers: .*identify"):
        _ = dynident.indentify
