"""Packages that dynident can do without: imported where they are used, with the sentence that says how to get them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from dynident.errors import MissingExtraError

#: The extra of dynident that installs a package.
EXTRAS = {"mujoco": "sim", "pandas": "pandas"}


def import_optional(package: str, purpose: str) -> Any:
    """The package, untyped; MissingExtraError when it is not installed.

    purpose : what needs it, as the beginning of a sentence ("reading MJCF").
    """
    try:
        return import_module(package)
    except ImportError:
        raise MissingExtraError(EXTRAS[package], package, purpose) from None
