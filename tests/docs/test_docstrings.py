"""Public docstrings have NumPy-style sections that griffe, editors and mkdocstrings can read, and name parameters that there are."""

from __future__ import annotations

import doctest
import importlib
import inspect
import logging
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import get_type_hints

import griffe
import numpy as np
import pytest

import dynident
from dynident import contact_monitor, export, load_robot, retrieve, save_run, write_dataset
from dynident.data import EffortKind
from dynident.dynamics import inverse_dynamics
from dynident.exports import ExportModel
from dynident.motions.simulation import loaded_parameters
from dynident.motions.simulation.payload import Payload
from dynident.regression.identify import IdentifyOptions
from tests.docs.test_site import PAGES, REPOSITORY
from tests.logs import synthetic_log, synthetic_samples

#: Every package, and what they offer together.
OFFERED = ["dynident", *PAGES]


@cache
def tree() -> griffe.Module:
    loaded = griffe.load("dynident", search_paths=[REPOSITORY / "src"], docstring_parser="numpy", resolve_aliases=True)
    assert isinstance(loaded, griffe.Module)
    return loaded


def names(module: ModuleType) -> list[str]:
    return getattr(module, "__all__", [name for name in vars(module) if name.endswith("Error")])


def public(package: str) -> Iterator[griffe.Object]:
    """What a package offers, and the public methods and attributes of its classes."""
    module = importlib.import_module(package)
    for name in names(module):
        value = getattr(module, name)
        home = getattr(value, "__module__", "")
        path = f"{home}.{name}" if home.startswith("dynident.") and not name.isupper() else f"{package}.{name}"
        found: griffe.Object | griffe.Alias = tree()[path.removeprefix("dynident.")]
        target = found.final_target if isinstance(found, griffe.Alias) else found
        yield target
        if isinstance(target, griffe.Class):
            yield from (item for item in target.members.values() if isinstance(item, griffe.Object) and not item.name.startswith("_"))


def sections(item: griffe.Object, kind: griffe.DocstringSectionKind) -> list:
    found = [] if item.docstring is None else item.docstring.parse("numpy", warnings=False)
    return [entry for section in found if section.kind is kind for entry in section.value]


@pytest.mark.parametrize("package", PAGES)
def test_griffe_reads_them_without_a_warning(package, caplog):
    """It warns of a parameter that is not in the signature, and of sections that it can't read."""
    items = list(public(package))
    with caplog.at_level(logging.WARNING, logger="griffe"):
        for item in items:
            if item.docstring is not None:
                item.docstring.parse("numpy", warn_unknown_params=True, warn_missing_types=False)
    assert [record.message for record in caplog.records if record.levelno >= logging.WARNING] == []


@pytest.mark.parametrize("package", PAGES)
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


@pytest.mark.parametrize("package", PAGES)
def test_every_parameter_and_what_is_returned_are_described(package):
    for item in public(package):
        if isinstance(item, griffe.Function) and item.parent is not None and item.parent.is_module:
            entries = sections(item, griffe.DocstringSectionKind.parameters)
            described = {name.lstrip("*") for entry in entries for name in entry.name.split(", ")}
            assert described == {parameter.name for parameter in item.parameters}, item.path
            told = sections(item, griffe.DocstringSectionKind.returns) or sections(item, griffe.DocstringSectionKind.yields)
            assert told or str(item.returns) == "None", item.path


@pytest.mark.parametrize("package", PAGES)
def test_nothing_is_lost_as_a_tag_of_html(package):
    tagged = re.compile(r"<[a-z]")
    for item in public(package):
        if item.docstring is not None:
            assert not tagged.search(re.sub(r"`[^`]*`", "", item.docstring.value)), item.path


@pytest.mark.parametrize("package", OFFERED)
def test_help_describes_every_argument_and_every_field(package):
    """As users see it: keywords that come from the class of a function's options among them."""
    module = importlib.import_module(package)
    for name in names(module):
        value = getattr(module, name)
        described = set(re.findall(r"(?m)^\*{0,2}(\w+)(?:, |$| : )|(?<=, )(\w+)(?=$| : |, )", inspect.getdoc(value) or ""))
        described = {one or other for one, other in described}
        if inspect.isfunction(value):
            assert set(inspect.signature(value).parameters) <= described, name
        elif is_dataclass(value):
            assert {item.name for item in fields(value) if not item.name.startswith("_")} <= described, name


def test_every_function_that_users_call_first_has_an_example():
    functions = [name for name in dynident.__all__ if inspect.isfunction(getattr(dynident, name))]
    assert [name for name in functions if ">>> " not in (getattr(dynident, name).__doc__ or "")] == []
    options = get_type_hints(IdentifyOptions)
    assert [name for name in options if f"- {name}: " not in (dynident.identify.__doc__ or "")] == []


@pytest.fixture(scope="module")
def work(tmp_path_factory) -> Path:
    """What the examples read: an arm, its logs, one of them with 0.5 kg on the tool, a controller's samples, and a run."""
    folder = tmp_path_factory.mktemp("work")
    robot = load_robot("planar_2r")
    export(ExportModel(robot=robot, parameters=robot.parameters), "urdf", path=folder / "arm.urdf")
    log, other = synthetic_log(robot, noise=0.05), synthetic_log(robot, noise=0.05, seed=5)
    loaded = loaded_parameters(robot, None, Payload(mass=0.5, com=(0.05, 0.0, 0.0)))
    motion = (other.q, other.dq, other.ddq)
    added = inverse_dynamics(robot, loaded, *motion) - inverse_dynamics(robot, robot.parameters, *motion)
    logs = {"log": log, "other": other, "loaded": replace(other, effort=other.effort + added)}
    logs["magnitudes"] = replace(log, effort=np.abs(log.effort), effort_kind=EffortKind.MAGNITUDE)
    for name, data in logs.items():
        write_dataset(data, folder / f"{name}.csv")
    write_dataset(synthetic_samples("planar_2r"), folder / "controller.npz")
    estimate = dynident.identify(load_robot(folder / "arm.urdf"), log)
    save_run(folder / "run", estimate, parameters=retrieve(estimate), monitor=contact_monitor(estimate, other))
    return folder


@pytest.mark.parametrize("package", OFFERED)
def test_examples_run(package, work, monkeypatch):
    monkeypatch.chdir(work)
    module = importlib.import_module(package)
    runner, finder = doctest.DocTestRunner(verbose=False), doctest.DocTestFinder(recurse=False)
    for name in names(module):
        value = getattr(module, name)
        if ">>>" in (value.__doc__ or "") and (package == "dynident" or name not in dynident.__all__):
            for example in finder.find(value, name):
                runner.run(example)
    assert runner.summarize(verbose=False).failed == 0
