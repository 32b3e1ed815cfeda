"""Verbs that are made from functions: what words become, and that nothing but the declaration decides it."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest

from dynident.cli.command_line import Argument, Offered, Selected, make_verb, parse_options, run_verb
from dynident.cli.exits import Exit, UsageError, sentence
from dynident.cli.terminal import Outcome
from dynident.cli.words import completion_script
from dynident.core.kinds import Count, Hertz, kind_of
from dynident.core.options import DeclaredOption, OptionError, Options, option, typed_words
from dynident.data.reading.reading import Reading
from dynident.errors import InputError, OptionsError, ValueRangeError
from dynident.links.options import DropRule, RetrievalChoice
from dynident.pipeline.options import IdentifyChoice, RetrieveChoice
from dynident.reports.tables import Report


@dataclass(frozen=True, kw_only=True)
class Filtering(Options):
    cutoff: Hertz | Literal["auto"] | None = option("auto", "Of the filter.", flag="--filter")
    known: Mapping[str, float] = option({}, "Known parameters.")
    floor: bool = option(True, "Stay above the floor.")
    secret: int = option(0, "For Python.", flag=None)


def offered() -> list[DeclaredOption]:
    return [DeclaredOption(name="urdf", kind=kind_of(Path), flag="--urdf", help="Write a URDF.")]


received: dict[str, Any] = {}


def verb(
    robot: Annotated[str, Argument(metavar="ROBOT", help="The robot.")],
    data: Annotated[Sequence[Path], Argument(metavar="[DATA...]", help="The data.")] = (),
    /,
    *,
    output: Annotated[Path, Argument(help="The folder.", short="-o")],
    filtering: Filtering,
    starts: Annotated[Count | None, Argument(help="Starts.")] = None,
    offset: Annotated[float, Argument(help="Offset.")] = 0.5,
    show: Annotated[bool | None, Argument(help="Open it.", flag="--open")] = None,
    targets: Annotated[Mapping[str, Any], Offered(offered)],
) -> int:
    """Do it.

    With care.
    """
    received.update(locals())
    return 7


@pytest.fixture
def run() -> Callable[..., int | None]:
    received.clear()
    return lambda *words: run_verb(make_verb("do", verb, "Example:\n\ndynident do x"), words)


def test_words_become_values(run):
    words = ["arm.urdf", "a.csv", "b.csv", "-o", "run", "--filter", "none", "--known", "m7=1", "--known=m6=2", "--no-floor"]
    assert run(*words, "--offset", "-1", "--starts=3", "--urdf", "x.urdf", "--open", "--debug") == 7
    assert received == {
        "robot": "arm.urdf",
        "data": (Path("a.csv"), Path("b.csv")),
        "output": Path("run"),
        "filtering": Filtering(cutoff=None, known={"m7": 1.0, "m6": 2.0}, floor=False),
        "starts": 3,
        "offset": -1.0,
        "show": True,
        "targets": {"urdf": Path("x.urdf")},
    }


def test_what_is_not_given_is_the_default(run):
    run("arm.urdf", "-o", "run")
    assert (received["data"], received["filtering"], received["starts"], received["offset"]) == ((), Filtering(), None, 0.5)
    assert (received["show"], received["targets"]) == (None, {"urdf": None})
    run("arm.urdf", "-o", "run", "--no-open")
    assert received["show"] is False


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["-o", "run"], "Missing argument ROBOT"),
        (["x"], "Missing option --output or -o"),
        (["x", "-o"], "--output needs a value"),
        (["x", "-o", "r", "--starts", "1", "--starts", "2"], "--starts is given twice; give it once"),
        (["x", "-o", "r", "--start", "1"], "No such option: --start; did you mean --starts"),
        (["x", "-o", "r", "--secret", "1"], "No such option: --secret"),
        (["x", "-o", "--starts", "2"], "--output needs a value, and got --starts"),
    ],
)
def test_words_that_are_not_understood(run, words, sentence):
    with pytest.raises(UsageError) as caught:
        run(*words)
    assert caught.value.message == sentence
    assert caught.value.remedy == "see 'dynident do --help'"


@pytest.mark.parametrize(
    ("words", "name", "expected"),
    [
        (["--starts", "0"], "--starts", "a whole number of at least 1 or none"),
        (["--starts", "1.5"], "--starts", "a whole number of at least 1 or none"),
        (["--filter", "fast"], "--filter", "a number [Hz] from 1e-06 to 1e+08, auto or none"),
        (["--known", "m7"], "--known", "NAME=VALUE"),
        (["--known", "m7=x"], "--known m7", "a finite number"),
    ],
)
def test_values_that_are_refused(run, words, name, expected):
    with pytest.raises(OptionError) as caught:
        run("x", "-o", "r", *words)
    assert (caught.value.name, caught.value.expected) == (name, expected)


def test_some_options_of_a_class():
    def simple(*, filtering: Annotated[Filtering, Selected(("known",))]) -> None:
        received["filtering"] = filtering

    made = make_verb("simple", simple, "")
    assert [word.option.flag for word in made.words] == ["--known"]
    run_verb(made, ["--known", "a=1"])
    assert received["filtering"] == Filtering(known={"a": 1.0})


def test_a_verb_can_end_with_an_exit_code():
    def end() -> None:
        raise Exit(3)

    assert run_verb(make_verb("end", end, ""), []) == 3


def test_an_outcome_is_printed_as_a_report_or_as_json(capsys):
    def find(*, code: Annotated[int, Argument(help="Of the exit.")] = 0) -> Outcome:
        report = Report(header=("found it",), notes=("look twice",))
        return Outcome(report=report, document={"found": True}, warning="careful", written="a.txt", code=code)

    made = make_verb("find", find, "")
    assert [word.option.flag for word in made.words] == ["--code", "--json"]
    assert run_verb(made, ["--code", "1"]) == 1
    assert capsys.readouterr().out.split("\n") == ["careful", "found it", "", "Note 1: look twice.", "Written to a.txt", ""]
    assert run_verb(made, ["--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"found": True}


def test_what_is_wrong_with_an_outcome_is_said_after_it_is_printed(capsys):
    def refuse() -> None:
        raise InputError("it is broken")

    def find() -> Outcome:
        return Outcome(report=Report(header=("found it",)), document={}, written="It holds.", require=refuse)

    with pytest.raises(InputError, match="it is broken"):
        run_verb(make_verb("find", find, ""), [])
    assert capsys.readouterr().out == "found it\n"


def test_options_that_do_not_go_together_are_named_by_their_flags():
    error = OptionsError("{} and {cutoff} don't go together", ["known", "starts"])
    assert error.message == "known, starts and cutoff don't go together"
    flags = make_verb("do", verb, "").flags
    assert sentence(error, flags) == "--known, --starts and --filter don't go together"
    assert sentence(OptionsError("{solver} needs {ROBOT}")) == "--solver needs ROBOT"
    assert sentence(ValueRangeError("cutoff", "is 0"), flags, ["--filter=0"]) == "--filter is 0"
    assert sentence(ValueRangeError("cutoff", "is 0"), flags) == "cutoff is 0"


def test_the_help_begins_with_what_must_be_typed(run, capsys):
    run("-h")
    assert capsys.readouterr().out.startswith("Usage: dynident do ROBOT [DATA...] -o FILE [OPTIONS]\n")


def test_help_and_completion(run, capsys):
    assert run("--help") is None
    text = capsys.readouterr().out
    assert "--no-floor" in text
    assert "dynident do x" in text
    assert "--filter" in completion_script([make_verb("do", verb, "")], "bash")


def test_two_words_for_one_value():
    def retrieve(*, choice: RetrievalChoice) -> None:
        received["choice"] = choice

    run_verb(make_verb("retrieve", retrieve, ""), ["--total-mass", "16", "20", "--drop", "30%"])
    assert received["choice"].total_mass == (16.0, 20.0)
    assert received["choice"].drop.percent == 30.0


@pytest.mark.parametrize(
    "options",
    [
        Reading(
            columns={"q": "a_*", "dq": None},
            effort_kind="current",
            offsets=[-1.0, 1 / 3],
            without=[(-math.inf, 2.0), (12.5, 13.1)],
            gears=[[32.0, 0.0], [8.0, 45.0]],
            low_pass={"q": [1.0, 2.0]},
        ),
        IdentifyChoice(friction=None, cutoff=None, known={"m1": 0.5}, periods=(2, 4), average_periods=True, drop=DropRule(percent=30.0)),
        RetrieveChoice(total_mass=(16.0, 20.5), bounds=(Path("a b.csv"),), drop=DropRule(percent=30.0), consistency=False, ranges=False),
    ],
)
def test_options_are_typed_as_words_that_mean_the_same(options):
    assert parse_options(type(options), shlex.join(typed_words(options)), "do") == options
