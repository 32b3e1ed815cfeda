"""Ctrl-C is one sentence and exit code 130, whatever runs; a demo goes on with no further step."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from dynident.cli.app import main
from dynident.cli.verbs.demo import _Steps


def interrupted(*arguments, **options):
    os.kill(os.getpid(), signal.SIGINT)
    for _ in range(10_000_000):
        pass


def test_a_verb_that_is_interrupted(monkeypatch, capsys):
    monkeypatch.setattr("dynident.cli.verbs.check.read_robot", interrupted)
    with pytest.raises(SystemExit) as end:
        main(["check", "panda"])
    assert end.value.code == 130
    assert capsys.readouterr().err == "dynident: interrupted; what was finished is kept\n"


def test_a_step_of_the_demo_that_makes_the_best_of_it_is_the_last(monkeypatch, tmp_path):
    def best_so_far(*arguments, **options):
        try:
            interrupted()
        except KeyboardInterrupt:
            return 0

    monkeypatch.setattr("dynident.cli.app.run", lambda words: best_so_far())
    with pytest.raises(KeyboardInterrupt):
        _Steps(tmp_path).do("check", "planar_2r")


def test_while_modules_are_loaded():
    late = (
        "import sys, signal, os; sys.meta_path.insert(0, type('Slow', (), {'find_spec': staticmethod(lambda name, *_: "
        "os.kill(os.getpid(), signal.SIGINT) if name == 'dynident.cli.app' else None)})); "
        "from dynident.cli import main; main()"
    )
    found = subprocess.run([sys.executable, "-c", late], check=False, capture_output=True, text=True)
    assert (found.returncode, found.stderr) == (130, "dynident: interrupted\n")
