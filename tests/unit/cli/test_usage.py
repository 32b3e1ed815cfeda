"""Command lines that can't be meant: one sentence that names the option, what it got, what was expected, and whose help tells more."""

from __future__ import annotations

import warnings

import pytest

from dynident.cli import main
from dynident.cli.app import check_words
from dynident.errors import InputError


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["demo", "--budget", "abc"], "--budget is 'abc'; expected a number [s] of at least 1"),
        (["demo", "--budget", "0.5"], "--budget is '0.5'; expected a number [s] of at least 1"),
        (["demo", "--seed", "1.5"], "--seed is '1.5'; expected a whole number of at least 0"),
        (["check", "panda", "-o", "x"], "No such option: -o; see 'dynident check --help'"),
        (["demo", "--seed", "1", "--seed", "2"], "--seed is given twice; give it once; see 'dynident demo --help'"),
        (["demo", "--budget", "--seed", "2"], "--budget needs a value, and got --seed; see 'dynident demo --help'"),
        (["check", "panda", "ur10"], "ur10: nothing more was expected here; see 'dynident check --help'"),
        (["check", "panda", "--jsonn"], "No such option: --jsonn; did you mean --json; see 'dynident check --help'"),
        (["identify", "panda"], "Missing argument DATA...; see 'dynident identify --help'"),
        (["identify", "panda", "log.csv"], "Missing option --output or -o; see 'dynident identify --help'"),
        (["identfy"], "No such command 'identfy'; did you mean 'identify'; see 'dynident --help'"),
        (["check", ""], "there is an empty word after check; give a value, or leave it out"),
        (["identify", "panda", "log.csv", "--output="], "--output got nothing; give it a value, or leave it out"),
        (["identify", "panda", "x.csv", "-o", "r", "--filter", "1e308"], "--filter got '1e308'; numbers up to 1e+15 can be computed with"),
        (
            ["identify", "panda", "x.csv", "-o", "r", "--filter", "1e-300"],
            "--filter is '1e-300'; expected a number [Hz] from 1e-06",
        ),
        (["retrieve", "run", "--total-mass", "1", "-1e300"], "--total-mass got '-1e300'; numbers up to 1e+15"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_the_sentence_names_option_value_and_help(command, words, sentence):
    code, said = command(*words)
    assert code == 2
    assert said.startswith(f"dynident: {sentence}")


@pytest.mark.parametrize("words", [["demo", "1r", "-o", "taken"], ["demo", "1r", "-o", "taken/below"]])
def test_a_demo_looks_at_its_folder_first(command, tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").write_text("mine")
    code, said = command(*words)
    assert code == 2
    assert "is a file; name" in said


@pytest.mark.parametrize(
    "words",
    [
        ["identify", "arm.urdf", "log.csv", "--gravity", "0,0,-9.81", "--map", "q=pos_*", "--seed", "123456789012345678901234567890"],
        ["check", "a=b.urdf", "--lock", "j=1e15", "--without", ":5"],
        ["excite", "panda", "--limits", "inf.yaml", "--lock", "j=inf"],  # whether infinity is allowed is for the option to say
    ],
)
def test_words_that_can_be_meant_pass(words):
    check_words(words)


@pytest.mark.parametrize("word", ["1e16", "0,-1e300", "m1=1e99", "stribeck(speed=1e308)", "0:1e30"])
def test_absurd_numbers_are_found_wherever_they_stand(word):
    with pytest.raises(InputError, match="can be computed with"):
        check_words(["verb", "--option", word])


def test_warnings_are_for_those_who_write_code(monkeypatch):
    monkeypatch.setattr("dynident.cli.app.main", lambda: warnings.warn("overflow encountered in multiply", RuntimeWarning, stacklevel=1))
    monkeypatch.setattr("sys.argv", ["dynident", "check", "panda"])
    main()
    warnings.simplefilter("error")
    monkeypatch.setattr("sys.argv", ["dynident", "check", "panda", "--debug"])
    with pytest.raises(RuntimeWarning):
        main()
