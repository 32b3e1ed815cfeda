"""What every verb of the command line has: a file, a place in the registry, a group in the help, and examples that begin with it."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import import_module
from inspect import getdoc

import pytest

from dynident.cli import verbs
from dynident.cli.app import load_verb, run
from dynident.cli.command_line import help_text
from dynident.cli.exits import UsageError
from dynident.cli.help_page import print_help
from dynident.cli.overview import GROUPS, OPTIONS, VERBS, purpose
from dynident.cli.words import assign_words
from dynident.core.options import DeclaredOption
from tests.conftest import REPOSITORY


def test_every_file_is_registered():
    files = {file.stem for file in (REPOSITORY / "src" / "dynident" / "cli" / "verbs").glob("[a-z]*.py")}
    assert files == set(VERBS)
    assert len(VERBS) == len(set(VERBS))
    assert verbs.__doc__


@pytest.mark.parametrize("name", VERBS)
def test_a_verb_says_what_it_is(name: str):
    module = import_module(f"dynident.cli.verbs.{name}")
    commands = [line for line in module.EXAMPLE.splitlines()[1:] if line]
    assert commands
    assert all(command.startswith(f"dynident {name}") for command in commands)


@pytest.mark.parametrize("name", VERBS)
def test_the_help_of_all_says_of_a_verb_what_its_own_help_begins_with(name: str):
    text = getdoc(getattr(import_module(f"dynident.cli.verbs.{name}"), name))
    assert text is not None
    assert " ".join(text.partition("\n\n")[0].split()) == purpose(name) != ""


def test_the_help_shows_the_groups(dynident):
    panels = re.split(r"╭─ ([A-Z][\w ]+?) ─+╮", dynident("--help").stdout)[1:]
    found = {title: re.findall(r"^│ (\w+) ", text, flags=re.MULTILINE) for title, text in zip(panels[::2], panels[1::2], strict=True)}
    assert found.pop("Options") == []
    assert found == {title: list(verbs) for title, verbs in GROUPS.items()}
    assert list(found) == list(GROUPS)


@pytest.mark.parametrize("words", [["--debug", "--help"], ["--help", "check"]])
def test_the_help_is_the_same_wherever_it_is_asked_for(dynident, words):
    assert dynident(*words).stdout.rstrip() == dynident("--help").stdout.rstrip()


def test_the_options_of_the_help_are_those_that_are_understood(dynident):
    assert all(option in dynident("--help").stdout for option in OPTIONS)
    assert dynident("--debug", "--version").stdout == dynident("--version").stdout
    assert "No such option" in dynident("--quiet", "check").stderr


def test_help_and_version_import_neither_verbs_nor_what_parses_their_options():
    heavy = ("cyclopts", "numpy", "yaml", "dynident.cli.verbs.check")
    ask = "import sys; from dynident.cli.app import run; run(['--help']); run(['--version']); "
    code = f"{ask}print([name for name in {heavy} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.endswith("[]\n")


def test_a_verb_imports_no_other():
    code = (
        "import sys; from dynident.cli.app import run; run(['check', '--help'])\nprint(sum('cli.verbs.' in name for name in sys.modules))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.endswith("\n1\n")


@pytest.mark.parametrize("name", VERBS)
def test_help_is_in_the_words_of_users(dynident, name):
    found = dynident(name, "-h")
    assert found.returncode == 0
    assert found.stdout == dynident(name, "--help").stdout
    assert not re.search(r"<\w+>|list\[|\bstr\b|\{\}", found.stdout)
    groups = re.findall(r"╭─ ([A-Z][\w ]+?) ─+╮", found.stdout)
    assert groups[0] == "Arguments"
    assert groups[-1] == "Advanced"


def test_the_help_of_identify_begins_with_what_people_use_first(dynident):
    text = dynident("identify", "--help").stdout
    panels = re.split(r"╭─ ([A-Z][\w ]+?) ─+╮", text)[1:]
    assert panels[::2] == ["Arguments", "Options", "Reading the log", "The robot", "Advanced"]
    flags = re.findall(r"^│ (--[a-z-]+)", panels[3], flags=re.MULTILINE)
    assert flags == ["--output", "--friction", "--filter", "--rate", "--train", "--json"]


def test_a_help_imports_neither_numpy_nor_what_prints_or_parses_nor_the_rooms_behind_it():
    heavy = ("numpy", "scipy", "numba", "yaml", "json", "logging", "rich", "cyclopts", "attr", "dynident.regression.identify")
    listing = ("excite", "export", "record", "retrieve", "sample", "signs", "simulate")  # these list what registries have
    ask = f"for name in {[name for name in VERBS if name not in listing]}: run([name, '--help'])"
    code = f"import sys; from dynident.cli.app import run\n{ask}\nprint([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("[]\n"), done.stdout.splitlines()[-1]


@pytest.mark.parametrize("name", VERBS)
def test_an_option_that_can_not_be_repeated_is_given_once(name):
    verb = load_verb(name)
    for word in verb.words:
        if word.option.flag and not word.option.kind.repeated and word.option.kind.tokens == 1:
            words = [word.option.flag] if word.option.kind.is_flag else [word.option.flag, "x"]
            with pytest.raises(UsageError, match="is given twice; give it once"):
                assign_words(verb, [*words, *words])


@pytest.mark.parametrize("name", VERBS)
def test_a_list_is_given_by_repeating_its_option(name):
    verb = load_verb(name)
    for word in verb.words:
        if word.option.flag and word.option.kind.repeated:
            placed = ["x"] * sum(other.by_place and other.required for other in verb.words)
            needed = [text for other in verb.words if other.required and not other.by_place for text in (other.option.flag, "x")]
            needed = [] if word.option.flag in needed else needed
            texts = assign_words(verb, [*placed, *needed, word.option.flag, "a", word.option.flag, "b"])
            assert list(texts[word]) == ["a", "b"]


@pytest.mark.parametrize("name", VERBS)
def test_each_argument_and_option_has_a_sentence(name):
    for word in load_verb(name).words:
        assert re.fullmatch(r"\S.*\.", help_text(word.option), flags=re.DOTALL), word.option.name


def test_an_option_means_the_same_in_all_verbs():
    """Flags of one name have one sentence, and options of one name take values of one form; only the output is what the verb makes.

    Where a verb takes more than another, its form begins with that of the other.
    """
    options: dict[str, list[tuple[str, DeclaredOption, str]]] = {}
    for name in VERBS:
        for word in load_verb(name).words:
            if word.option.flag and word.option.flag != "--output":
                options.setdefault(word.option.flag, []).append((name, word.option, word.metavar))
    for flag, uses in options.items():
        first, item, form = min(uses, key=lambda use: len(use[2]))
        for name, other, metavar in uses:
            assert metavar.startswith(form), f"{flag} of {first} takes {form} and of {name} {metavar}"
            assert (other.kind.is_flag, other.kind.tokens, other.short) == (item.kind.is_flag, item.kind.tokens, item.short), (flag, name)
            assert not item.kind.is_flag or help_text(other) == help_text(item), (flag, first, name)


def test_a_former_name_of_an_option_is_read_as_the_one_of_today(monkeypatch):
    renamed = {name: getattr(import_module(f"dynident.cli.verbs.{name}"), "RENAMED", {}) for name in VERBS}
    for name, names in renamed.items():
        flags = {word.option.flag for word in load_verb(name).words}
        assert set(names.values()) <= flags
        assert not set(names) & flags
    taken: list[list[str]] = []
    monkeypatch.setattr("dynident.cli.command_line.run_verb", lambda verb, words: taken.append(words))
    run(["gains", "arm.urdf", "log.csv", "--total-mass=28.7±5%", "--friction", "none"])
    run(["gains", "arm.urdf", "--total-mass", "28.7"])
    assert taken == [["arm.urdf", "log.csv", "--moving-mass=28.7±5%", "--friction", "none"], ["arm.urdf", "--moving-mass", "28.7"]]


@pytest.mark.parametrize("width", [40, 80, 200])
def test_a_help_fits_its_terminal(width, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", str(width))
    for name in ("identify", "fit"):
        print_help(load_verb(name))
        boxes = [line for line in capsys.readouterr().out.splitlines() if line.startswith(("╭", "│", "╰"))]
        assert {len(line) for line in boxes} == {width}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_commands_are_completed(dynident, shell):
    script = dynident("--completion", shell).stdout
    assert all(word in script for word in (*VERBS, "--sampling-rate"))
    assert dynident("--completion", "dos").returncode == 2
