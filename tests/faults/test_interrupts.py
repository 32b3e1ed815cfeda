"""Ctrl-C ends every verb that takes time soon, with 130, one sentence, and no file half written; whatever libraries make of it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import time
import traceback
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from dynident import load_robot, load_run
from dynident.cli import main as dynident
from dynident.cli.app import main
from dynident.cli.interrupts import end_search_first, watch_ctrl_c
from dynident.cli.overview import VERBS
from dynident.core.records import OpenedFile
from dynident.data import EffortKind, write_dataset
from tests.commands import run_here
from tests.faults.cases import READ_ONLY, load_everything
from tests.faults.operations import _fork
from tests.logs import synthetic_log

ARM = "spatial_3r"
#: Verbs that take long with these words, on files of `long_inputs`.
LONG = {
    "convert": f"convert {ARM} -o arm.urdf",
    "view": f"view {ARM} -o view.html --no-open",
    "excite": f"excite {ARM} -o way.csv --starts 500 --workers 1",
    "excite-workers": f"excite {ARM} -o way.csv --starts 500 --workers 2",
    "simulate": f"simulate {ARM} motion.csv -o recorded.npz --rate 5000",
    "record": f"record virtual:{ARM} --trajectory motion.csv -o recorded.npz --yes --approach",
    "doctor": f"doctor {ARM} degrees.csv --fix --report found.html",
    "gains": f"gains {ARM} log.npz --moving-mass 5 -o gains.yaml",
    "fit": f"fit {ARM} log.npz --test new.npz -o out --friction auto",
    "identify": f"identify {ARM} log.npz -o out --friction auto",
    "signs": f"signs {ARM} unsigned.npz -o out",
    "retrieve": "retrieve run --solver barrier --starts 500",
    "retrieve-workers": "retrieve run --solver barrier --starts 500 --workers 2",
    "validate": "validate run new.npz",
    "friction": "friction run new.npz -o warm",
    "payload": "payload run new.npz --urdf load.urdf",
    "monitor": "monitor run new.npz --free log.npz",
    "compare": "compare run run -o c.html -o c.csv",
    "fleet": f"fleet {ARM} log.npz new.npz -o fleet --workers 1",
    "export": "export run --urdf m.urdf --mjcf m.xml --python m.py --c code",
    "report": "report run",
    "bundle": "bundle run log.npz",
    "sample": "sample run -n 100000 -o models",
    "demo": "demo 3r -o shown",
    "reproduce": "reproduce unsigned -o again",
}
#: Those that take longer than all moments at which Ctrl-C is pressed.
LONGER = {"excite", "excite-workers", "simulate", "retrieve", "retrieve-workers", "record", "sample", "reproduce"}
#: Processor time of the command at which Ctrl-C is pressed [s].
MOMENTS = (0.02, 0.15, 0.6)
#: The same of a command that waits for its workers [s].
WAITING = 3.0
#: No load of the machine makes the command's end take longer [s]; by itself it ends within one second.
PATIENCE = 60.0


@pytest.fixture(scope="module")
def long_inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    load_everything()
    folder = tmp_path_factory.mktemp("interrupts")
    log = synthetic_log(ARM, samples=6000, rate=400.0, noise=0.05)
    write_dataset(log, folder / "log.npz")
    write_dataset(synthetic_log(ARM, samples=6000, rate=400.0, noise=0.05, seed=2), folder / "new.npz")
    write_dataset(replace(log, q=np.rad2deg(log.q), dq=None, ddq=None), folder / "degrees.csv")
    write_dataset(replace(log, effort=np.abs(log.effort), effort_kind=EffortKind.MAGNITUDE), folder / "unsigned.npz")
    for words in (
        f"identify {ARM} log.npz -o run",
        "retrieve run --no-ranges",
        "validate run new.npz",
        f"excite {ARM} -o motion.csv --starts 1 --duration 20",
    ):
        found = run_here(folder, *words.split())
        assert found.returncode == 0, found.stderr
    return folder


def test_every_verb_is_interrupted_here():
    assert {words.split()[0] for words in LONG.values()} == set(VERBS) - READ_ONLY - {"repair"}  # which takes no time


@pytest.mark.parametrize("name", LONG)
def test_a_verb_that_works(name, long_inputs, tmp_path):
    codes = [press_ctrl_c(LONG[name], long_inputs, tmp_path / str(moment), moment) for moment in MOMENTS]
    assert set(codes) == {130} or name not in LONGER


def press_ctrl_c(words: str, inputs: Path, folder: Path, moment: float) -> int:
    """Exit code of the command, which may also have been done before."""
    shutil.copytree(inputs, folder)
    process = begin(words, folder)
    late = time.monotonic() + WAITING
    while (worked := processor_time(process)) is not None and worked < moment and time.monotonic() < late:
        time.sleep(0.005)
    os.killpg(process, signal.SIGINT)
    deadline = time.monotonic() + PATIENCE
    while not (found := os.waitpid(process, os.WNOHANG))[0]:
        assert time.monotonic() < deadline, "it goes on"
        time.sleep(0.005)
    code, said = os.waitstatus_to_exitcode(found[1]), (folder / "said").read_text(encoding="utf-8")
    assert "Traceback" not in said
    assert code == (130 if "dynident: " in said else 1 if words.startswith("doctor") else 0), said
    check_whole(folder)
    return code


def begin(words: str, folder: Path) -> int:
    """The command in a process, and a group, of its own, which has all modules already."""
    process = _fork()
    if process:
        return process
    os.setpgid(0, 0)
    os.chdir(folder)
    for number, name in ((1, "printed"), (2, "said")):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT), number)
    sys.stdin, sys.stdout, sys.stderr = open(os.devnull), open(1, "w", closefd=False), open(2, "w", closefd=False)  # noqa: SIM115
    sys.argv = ["dynident", *words.split()]
    try:
        dynident()
    except SystemExit as end:
        sys.stderr.flush()
        os._exit(int(end.code or 0))
    except BaseException:  # noqa: BLE001 (as Python does)
        traceback.print_exc()
        sys.stderr.flush()
    os._exit(1)


def processor_time(process: int) -> float | None:
    """Of a process and of the children that it has waited for [s]; None of one that has ended."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return None if fields[0] == "Z" else sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def check_whole(folder: Path) -> None:
    """No file is there in part: neither under its own name nor under that of a file that is being written."""
    for file in folder.rglob("*"):
        assert not file.name.startswith("."), file
        if file.suffix == ".json":
            json.loads(file.read_text(encoding="utf-8"))
        elif file.suffix == ".npz":
            with np.load(file) as archive:
                assert [archive[name] for name in archive.files]
        elif file.suffix == ".safetensors":
            OpenedFile(file, remedy="")
        elif file.suffix == ".html":
            assert file.read_text(encoding="utf-8").rstrip().endswith("</html>")
        elif file.suffix in (".urdf", ".xml"):
            ElementTree.parse(file)  # noqa: S314 (it is our own)
    load_run(folder / "run")


def test_one_that_a_library_swallows(monkeypatch, capsys):
    """As callbacks of C libraries do. It is raised again."""

    def swallow(*arguments, **options):
        try:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(PATIENCE)
        except KeyboardInterrupt:
            time.sleep(PATIENCE)

    monkeypatch.setattr("dynident.robots.load_robot", swallow)
    _assert_interrupted(capsys)


def test_one_of_which_a_library_makes_another_error(monkeypatch, capsys):
    """As Numba does."""

    def make_another(*arguments, **options):
        try:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(PATIENCE)
        except KeyboardInterrupt:
            raise SystemError("CPUDispatcher returned a result with an exception set") from None

    monkeypatch.setattr("dynident.robots.load_robot", make_another)
    _assert_interrupted(capsys)


def test_one_that_a_verb_makes_the_best_of(monkeypatch, capsys):
    """As the design of a motion does: its file is written, and what would come after it is not done."""

    def best_so_far(*arguments, **options):
        with suppress(KeyboardInterrupt), end_search_first():
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(PATIENCE)
        return load_robot(ARM)

    monkeypatch.setattr("dynident.robots.load_robot", best_so_far)
    assert "link1" in _assert_interrupted(capsys)


def _assert_interrupted(capsys) -> str:
    with pytest.raises(SystemExit) as end, watch_ctrl_c():
        main(["check", ARM])
    with watch_ctrl_c():  # a command ends its process; here the next one must not find that it was pressed
        pass
    assert end.value.code == 130
    printed, said = capsys.readouterr()
    assert said == "dynident: interrupted; what was finished is kept\n"
    return printed
