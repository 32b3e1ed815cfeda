"""Ctrl-C is one sentence and exit code 130, also while modules are loaded; that every verb ends so is in tests/faults."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from dynident.cli.app import main


def interrupted(*arguments, **options):
    os.kill(os.getpid(), signal.SIGINT)
    for _ in range(10_000_000):
        pass


def test_a_verb_that_is_interrupted(monkeypatch, capsys):
    monkeypatch.setattr("dynident.robots.load_robot", interrupted)
    with pytest.raises(SystemExit) as end:
        main(["check", "panda"])
    assert end.value.code == 130
    assert capsys.readouterr().err == "dynident: interrupted; what was finished is kept\n"


def test_while_modules_are_loaded():
    late = (
        "import sys, signal, os; sys.meta_path.insert(0, type('Slow', (), {'find_spec': staticmethod(lambda name, *_: "
        "os.kill(os.getpid(), signal.SIGINT) if name == 'dynident.cli.app' else None)})); "
        "from dynident.cli import main; main()"
    )
    found = subprocess.run([sys.executable, "-c", late], check=False, capture_output=True, text=True)
    assert (found.returncode, found.stderr) == (130, "dynident: interrupted\n")
