"""File names that are not UTF-8, as other systems and old archives leave them, or too long: every verb takes or refuses them.

Python has such names with halves of surrogate pairs, which no text in UTF-8 can hold.
"""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from dynident import load_robot
from dynident.data import write_dataset
from tests.bags import joint_states, write_bag
from tests.commands import run_here
from tests.faults.cases import CASES, ROBOT, copy_inputs
from tests.logs import synthetic_log

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse names that are not UTF-8")

#: What stands for the byte 0xFF in Python.
ODD = "\udcff"
_FILE = re.compile(r"[\w/-]+\.(npz|csv|yaml|urdf|xml|html|json|py)")
#: Words after which the name of a folder stands.
_FOLDER = ("-o", "--c", "retrieve", "validate", "friction", "payload", "monitor", "compare", "export", "report", "bundle", "sample", "run")


def odd_words(words: str) -> list[str]:
    """The words with names of files and folders that are not UTF-8."""
    found = words.split()
    pairs = list(zip(["", *found], found, strict=False))
    return [word + ODD if _FILE.fullmatch(word) is None and _names_folder(before, word) else odd_file(word) for before, word in pairs]


def _names_folder(before: str, word: str) -> bool:
    return before in _FOLDER and not word.startswith("-") and word != ROBOT


def odd_file(word: str) -> str:
    return re.sub(r"([^/]*)\.(\w+)$", rf"\1{ODD}.\2", word) if _FILE.fullmatch(word) else word


@pytest.mark.parametrize("case", [case for case in CASES if not case.long], ids=lambda case: case.name)
def test_every_verb_takes_them(case, inputs, tmp_path):
    folder = tmp_path / f"place{ODD}"
    copy_inputs(case, inputs, folder)
    for name in (*case.inputs, *case.old):
        if "/" not in name:
            (folder / name).rename(folder / (name + ODD if (folder / name).is_dir() else odd_file(name)))
    if case.prepare is not None:
        pytest.skip("does nothing but write, and its files have names of their own")
    for words in (*case.before, case.words):
        found = run_here(folder, *odd_words(words))
        assert "Traceback" not in found.stderr, found.stderr
        assert found.returncode == case.code, found.stderr
    assert [file for file in folder.rglob("*") if ODD in str(file.relative_to(folder))]


def test_a_run_remembers_the_name(inputs, tmp_path):
    (tmp_path / f"log{ODD}.npz").write_bytes((inputs / "log.npz").read_bytes())
    assert run_here(tmp_path, "identify", ROBOT, f"log{ODD}.npz", "-o", "run").returncode == 0
    content = (tmp_path / "run" / "estimate.json").read_text(encoding="utf-8")
    assert json.loads(content)["source"] == f"log{ODD}.npz"
    assert run_here(tmp_path, "report", "run").returncode == 0
    assert ODD not in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("suffix", [".npz", ".csv", ".txt", ".parquet", ".h5", ".mat", ".mcap", ".bag"])
def test_every_reader_of_logs_takes_them(suffix, tmp_path):
    log, path = synthetic_log(ROBOT, samples=300), tmp_path / f"log{suffix}"
    if suffix in (".mcap", ".bag", ".db3"):
        write_bag(path, joint_states("/joint_states", log.time, ("joint1",), position=log.q, velocity=log.dq, effort=log.effort))
    elif suffix == ".h5":
        import h5py

        with h5py.File(path, "w") as file:
            file["t"], file["q"], file["dq"], file["tau"] = log.time, log.q, log.dq, log.effort
    elif suffix == ".mat":
        from scipy.io import savemat

        savemat(path, {"t": log.time, "q": log.q, "dq": log.dq, "tau": log.effort})
    elif suffix == ".txt":
        np.savetxt(path, np.column_stack([log.time, log.q, log.dq, log.effort]), header="t q dq tau", comments="")
    else:
        write_dataset(log, path)
    odd = path.rename(tmp_path / f"log{ODD}{suffix}")
    found = run_here(tmp_path, "identify", ROBOT, odd.name, "-o", "run")
    assert found.returncode == 0, found.stderr


@pytest.mark.parametrize("suffix", [".urdf", ".yaml"])
def test_every_description_takes_them(suffix, tmp_path):
    folder = tmp_path / f"place{ODD}"
    folder.mkdir()
    assert run_here(folder, "convert", ROBOT, "-o", f"arm{suffix}").returncode == 0
    (folder / f"arm{suffix}").rename(folder / f"arm{ODD}{suffix}")
    assert run_here(folder, "check", f"arm{ODD}{suffix}").returncode == 0
    assert load_robot(folder / f"arm{ODD}{suffix}").n == 1


def test_one_log_of_a_fleet_that_cannot_be_read_ends_that_log_alone(inputs, tmp_path):
    names = ["good.npz", f"odd{ODD}.npz", "n" * 300 + ".npz", "pipe.npz"]
    for name in names[:2]:
        (tmp_path / name).write_bytes((inputs / "log.npz").read_bytes())
    os.mkfifo(tmp_path / "pipe.npz")
    found = run_here(tmp_path, "fleet", ROBOT, *names, "-o", "fleet", "--workers", "1", "--json")
    assert found.returncode == 1, found.stderr
    rows = {row["robot"]: row for row in json.loads(found.stdout)["robots"]}
    assert not rows["good"]["failures"]
    assert not rows[f"odd{ODD}"]["failures"]
    assert "too long" in str(rows["n" * 300]["failures"])
    assert "is a device or a pipe" in str(rows["pipe"]["failures"])
    assert Path(tmp_path / "fleet" / "good" / "parameters.json").is_file()


@pytest.mark.parametrize(
    "words",
    [
        "check {}.urdf",
        f"identify {ROBOT} {{}}.npz -o out",
        f"identify {ROBOT} log.npz -o {{}}",
        f"convert {ROBOT} -o {{}}.urdf",
        "report {}",
        f"excite {ROBOT} -o way.csv --limits {{}}.yaml",
        "bundle {}",
    ],
)
def test_a_name_that_is_too_long_is_bad_input(words, inputs, tmp_path):
    (tmp_path / "log.npz").write_bytes((inputs / "log.npz").read_bytes())
    found = run_here(tmp_path, *words.format("n" * 300).split())
    assert found.returncode == 2, found.stderr
    assert "too long" in found.stderr
    assert found.stderr.count("\n") == 1


@pytest.mark.parametrize("words", [f"check arm{ODD}.xml", f"identify {ROBOT} log{ODD}.db3 -o run"])
def test_what_a_library_in_c_opens_is_refused_with_a_sentence(words, tmp_path):
    run_here(tmp_path, "convert", ROBOT, "-o", "arm.xml")
    (tmp_path / "arm.xml").rename(tmp_path / f"arm{ODD}.xml")
    log = synthetic_log(ROBOT, samples=30)
    write_bag(tmp_path / "log.db3", joint_states("/joint_states", log.time, ("joint1",), position=log.q)).rename(tmp_path / f"log{ODD}.db3")
    found = run_here(tmp_path, *words.split())
    assert found.returncode == 2
    assert "has a name that is not UTF-8" in found.stderr
    assert found.stderr.count("\n") == 1
