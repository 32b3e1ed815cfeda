"""Options that variants declare: what a command line's texts become, and what is refused."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import pytest

from dynident.core.kinds import Hertz, Part, Seed
from dynident.core.options import (
    NoOptions,
    OptionError,
    Options,
    changes,
    declared_options,
    describe_options,
    option,
    override,
    read_options,
    read_options_file,
    settle_options,
    takes,
)
from dynident.errors import FileError, InputError, UnknownNameError
from tests.facts import carries, raises


@dataclass(frozen=True, kw_only=True)
class Brewing(Options):
    minutes: int = option(4, "How long it draws [min].")
    heat: float = option(95.0, "Of the water [°C].")
    kind: Literal["green", "black"] = option("black", "What is brewed.")
    milk: bool = option(False, "Whether milk is added.")
    name: str | None = option(None, "Who it is for.")


def test_texts_become_values_of_the_declared_type():
    texts = {"minutes": "3", "heat": "80", "kind": "green", "milk": "yes", "name": "Ada"}
    assert settle_options(Brewing, texts, "tea") == Brewing(minutes=3, heat=80.0, kind="green", milk=True, name="Ada")
    assert settle_options(Brewing, None, "tea") == settle_options(Brewing, {}, "tea") == Brewing()
    assert settle_options(Brewing, Brewing(heat=70), "tea") == Brewing(heat=70)


@pytest.mark.parametrize(
    ("given", "name", "expected"),
    [
        ({"minutes": "3.5"}, "option minutes of tea", "a whole number"),
        ({"minutes": True}, "option minutes of tea", "a whole number"),
        ({"heat": "nan"}, "option heat of tea", "a finite number"),
        ({"heat": "hot"}, "option heat of tea", "a finite number"),
        ({"kind": "red"}, "option kind of tea", "green or black"),
        ({"milk": "perhaps"}, "option milk of tea", "true or false"),
        ({"name": 7}, "option name of tea", "a text or none"),
    ],
)
def test_what_can_not_be_is_refused(given, name, expected):
    with pytest.raises(OptionError) as caught:
        settle_options(Brewing, given, "tea")
    assert (caught.value.name, caught.value.expected) == (name, expected)


def test_unknown_names_and_other_classes_are_refused():
    with pytest.raises(UnknownNameError) as caught:
        settle_options(Brewing, {"minuts": 3}, "tea")
    assert (caught.value.kind, caught.value.known) == ("option of tea", ("minutes", "heat", "kind", "milk", "name"))
    with raises(InputError, "tea", "Brewing", "NoOptions"):
        settle_options(Brewing, NoOptions(), "tea")


def test_values_are_checked_where_the_object_is_made():
    with pytest.raises(OptionError) as caught:
        Brewing(kind="red")
    assert (caught.value.name, caught.value.value, caught.value.expected) == ("kind", "red", "green or black")


def test_what_is_declared_can_be_listed():
    assert [item.name for item in declared_options(Brewing)] == ["minutes", "heat", "kind", "milk", "name"]
    first, second, *_, last = describe_options(Brewing).split("; ")
    assert [text.partition(",")[0] for text in (first, second, last)] == ["minutes", "heat", "name"]
    assert carries(first, "[min]", "(4)")
    assert carries(second, "[°C]", "(95.0)")
    assert describe_options(NoOptions) == ""


def test_what_is_no_options_class_is_refused_where_it_is_declared():
    @dataclass(frozen=True)
    class Unknown:
        value: complex = option(0j, "No kind of value is known for it.")

    for options, complaint in ((Unknown, "no kind of value is known"), (int, "must be a dataclass")):
        with pytest.raises(TypeError, match=complaint):
            declared_options(options)


@dataclass(frozen=True, kw_only=True)
class Filtering(Options):
    title = "Filter"

    cutoff: Hertz | Literal["auto"] | None = option("auto", "Of the filter.", flag="--filter")
    part: Part = option((0.0, 1.0), "Of the data.")
    units: Mapping[str, str] = option({}, "Of the columns.", key="unit")
    once: bool = option(False, "For this call alone.", remembered=False)
    progress: object = None


@dataclass(frozen=True, kw_only=True)
class Fitting(Filtering):
    title = "Fit"

    seed: Seed = option(0, "Of the starts.", group="Advanced")
    secret: int = option(0, "For Python and files.", flag=None)


def test_flags_keys_and_groups_follow_from_the_declaration():
    found = {item.name: item for item in declared_options(Fitting)}
    assert list(found) == ["cutoff", "part", "units", "once", "seed", "secret"]
    assert [item.flag for item in found.values()] == ["--filter", "--part", "--units", "--once", "--seed", ""]
    assert [item.group for item in found.values()] == ["Filter", "Filter", "Filter", "Filter", "Advanced", "Fit"]
    assert (found["units"].key, found["cutoff"].metavar, found["cutoff"].default) == ("unit", "HZ", "auto")


def test_a_function_takes_the_keywords_of_its_options():
    @takes(Fitting)
    def fit(data: str, options: Fitting) -> tuple[str, Fitting]:
        """Fit it."""
        return data, options

    assert fit("log", cutoff=5, seed=3) == fit(data="log", cutoff=5, seed=3) == fit("log", Fitting(cutoff=5.0, seed=3))
    assert fit("log")[1] == Fitting()
    assert list(inspect.signature(fit).parameters) == ["data", "cutoff", "part", "units", "once", "progress", "seed", "secret"]
    with pytest.raises(OptionError):
        fit("log", seed=-1)
    with raises(TypeError, "'sead'"):
        fit("log", sead=1)


def test_a_run_remembers_what_was_changed_and_reads_it_back():
    options = Fitting(cutoff=None, units={"q": "deg"}, once=True, part=(0.2, 1.0), progress=print)
    assert changes(options) == {"cutoff": None, "units": {"q": "deg"}, "part": [0.2, 1.0]}
    assert read_options(Fitting, changes(options, by_key=True)) == Fitting(cutoff=None, units={"q": "deg"}, part=(0.2, 1.0))


def test_later_options_go_before_earlier_ones():
    first, second = Fitting(cutoff=5.0, seed=3, units={"q": "deg", "dq": "deg/s"}), Fitting(seed=4, units={"q": "rad"})
    assert override(first, second) == Fitting(cutoff=5.0, seed=4, units={"q": "rad", "dq": "deg/s"})
    assert override(first, Fitting()) == first


def test_a_yaml_file_gives_options(tmp_path):
    file = tmp_path / "fit.yaml"
    file.write_text("cutoff: 1e1\nunit: {q: deg}\npart: [null, 0.5]\nseed:\n")
    assert read_options_file(Fitting, file) == Fitting(cutoff=10.0, units={"q": "deg"}, part=(0.0, 0.5))
    file.write_text("unit: {q: [1]}\n")
    with pytest.raises(FileError) as caught:
        read_options_file(Fitting, file)
    assert (caught.value.file, caught.value.place) == (str(file), "unit.q")
    file.write_text("units: {q: deg}\n")
    with raises(FileError, "'units'", "cutoff", "part", "unit", "once", "seed", "secret", file=str(file)):
        read_options_file(Fitting, file)
