"""Public docstrings have NumPy-style sections that griffe, editors and mkdocstrings can read, and name parameters that there are."""

from __future__ import annotations

import doctest
import importlib
import logging
import re
from collections.abc import Iterator
from functools import cache
from types import ModuleType

import griffe
import pytest

from tests.docs.test_site import PACKAGES, REPOSITORY

#: Packages in which every public function says all that it takes and returns.
COMPLETE = ("data", "dynamics", "friction", "parameters", "robots")


@cache
def tree() -> griffe.Module:
    loaded = griffe.load("dynident", search_paths=[REPOSITORY / "src"], docstring_parser="numpy", resolve_aliases=True)
    assert isinstance(loaded, griffe.Module)
    return loaded


def names(module: ModuleType) -> list[str]:
    return getattr(module, "__all__", [name for name in vars(module) if name.endswith("Error")])


def public(package: str) -> Iterator[griffe.Object]:
    """What a package offers, and the public methods and attributes of its classes."""
    module = importlib.import_module(f"dynident.{package}")
    for name in names(module):
        value = getattr(module, name)
        home = getattr(value, "__module__", "")
        path = f"{home}.{name}" if home.startswith("dynident.") and not name.isupper() else f"dynident.{package}.{name}"
        found: griffe.Object | griffe.Alias = tree()[path.removeprefix("dynident.")]
        target = found.final_target if isinstance(found, griffe.Alias) else found
        yield target
        if isinstance(target, griffe.Class):
            yield from (item for item in target.members.values() if isinstance(item, griffe.Object) and not item.name.startswith("_"))


def sections(item: griffe.Object, kind: griffe.DocstringSectionKind) -> list:
    found = [] if item.docstring is None else item.docstring.parse("numpy", warnings=False)
    return [entry for section in found if section.kind is kind for entry in section.value]


@pytest.mark.parametrize("package", PACKAGES)
def test_griffe_reads_them_without_a_warning(package, caplog):
    """It warns of a parameter that is not in the signature, and of sections that it can't read."""
    items = list(public(package))
    with caplog.at_level(logging.WARNING, logger="griffe"):
        for item in items:
            if item.docstring is not None:
                item.docstring.parse("numpy", warn_unknown_params=True, warn_missing_types=False)
    assert [record.message for record in caplog.records if record.levelno >= logging.WARNING] == []


@pytest.mark.parametrize("package", PACKAGES)
def test_attributes_are_those_of_the_class(package):
    for item in public(package):
        if isinstance(item, griffe.Class):
            entries = sections(item, griffe.DocstringSectionKind.attributes)
            described = {name for entry in entries for name in entry.name.split(", ")}
            there = (
                set(item.all_members)
                | {parameter.name for parameter in item.parameters}
                | {name for base in item.resolved_bases for name in base.all_members}
            )
            assert described <= there, item.path


@pytest.mark.parametrize("package", COMPLETE)
def test_every_parameter_and_what_is_returned_are_described(package):
    for item in public(package):
        if isinstance(item, griffe.Function) and item.parent is not None and item.parent.is_module:
            described = {entry.name.lstrip("*") for entry in sections(item, griffe.DocstringSectionKind.parameters)}
            assert described == {parameter.name for parameter in item.parameters}, item.path
            told = sections(item, griffe.DocstringSectionKind.returns) or sections(item, griffe.DocstringSectionKind.yields)
            assert told or str(item.returns) == "None", item.path


@pytest.mark.parametrize("package", PACKAGES)
def test_nothing_is_lost_as_a_tag_of_html(package):
    tagged = re.compile(r"<[a-z]")
    for item in public(package):
        if item.docstring is not None:
            assert not tagged.search(re.sub(r"`[^`]*`", "", item.docstring.value)), item.path


@pytest.mark.parametrize("package", PACKAGES)
def test_examples_run(package):
    module = importlib.import_module(f"dynident.{package}")
    runner, finder = doctest.DocTestRunner(verbose=False), doctest.DocTestFinder(recurse=False)
    for name in names(module):
        if ">>>" in (getattr(module, name).__doc__ or ""):
            for example in finder.find(getattr(module, name), name):
                runner.run(example)
    assert runner.summarize(verbose=False).failed == 0
