"""Optional packages: the module itself, or how to install it."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import pytest

from dynident.errors import EXTRAS, MissingExtraError, import_optional
from tests.facts import raises


def test_a_package_that_is_there_is_imported() -> None:
    assert import_optional("json", "reading JSON") is sys.modules["json"]


def test_one_that_is_not_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with raises(MissingExtraError, "juggling", "dynident[sim]", extra="sim", package="mujoco"):
        import_optional("mujoco", "juggling")


def test_the_extras_exist_and_bring_their_packages() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for package, extra in EXTRAS.items():
        assert any(requirement.startswith(package) for requirement in project["optional-dependencies"][extra])
