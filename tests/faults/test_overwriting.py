"""Nothing that a run was made from, and nothing that nobody has named, is replaced; what dynident wrote itself is, without a question."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.commands import run_here
from tests.faults.cases import ROBOT

MINE = "this is mine"
EXCITE = f"excite {ROBOT} -o way.csv --limits limits.yaml --starts 1 --duration 4 --harmonics 2 --workers 1"


@pytest.fixture
def folder(inputs: Path, tmp_path: Path) -> Path:
    shutil.copytree(inputs, tmp_path / "work")
    return tmp_path / "work"


def refuse(folder: Path, words: str, kept: str) -> str:
    """The sentence with which a command refuses, which leaves a file as it was."""
    before = (folder / kept).read_bytes()
    finished = run_here(folder, *words.split())
    assert finished.returncode == 2, finished.stdout
    assert (folder / kept).read_bytes() == before
    (sentence,) = finished.stderr.splitlines()
    assert Path(kept).name in sentence
    return sentence


@pytest.mark.parametrize(
    "words",
    [
        "export run --csv log.npz --coefficients",
        "export run --csv copy.csv --coefficients",
        "report run -o log.npz",
        "report run -o new.npz",
        "bundle run -o log.zip",
        "compare run run -o copy.csv",
        f"simulate {ROBOT} --parameters run --controller 5 -o log.npz",
        f"excite {ROBOT} --after run -o copy.csv",
        "payload run new.npz --urdf log.npz",
        "monitor run new.npz -o log.html",
        "view run --no-open -o log.html",
    ],
)
def test_the_log_of_a_run_is_kept_wherever_it_lies(words: str, folder: Path):
    """The validation's log, too; a log is known by its content."""
    for copy in ("copy.csv", "log.zip", "log.html"):
        shutil.copy(folder / "log.npz", folder / copy)
    kept = next(word for word in reversed(words.split()) if "." in word)
    assert "was made from" in refuse(folder, words, kept)


def test_the_description_and_the_yaml_beside_a_log_are_kept(folder: Path):
    (folder / "log.npz.yaml").write_text("sampling_rate: 100\n")
    shutil.copy(folder / "log.npz", folder / "other.npz")
    assert run_here(folder, "identify", "arm.yaml", "other.npz", "-o", "another").returncode == 0
    (folder / "other.npz.yaml").write_text("sampling_rate: 100\n")
    refuse(folder, "export another --yaml arm.yaml --coefficients", "arm.yaml")
    refuse(folder, "export another --yaml other.npz.yaml --coefficients", "other.npz.yaml")


def test_another_file_that_is_named_is_replaced(folder: Path):
    (folder / "table.csv").write_text(MINE)
    assert run_here(folder, "export", "run", "--csv", "table.csv", "--coefficients").returncode == 0
    assert (folder / "table.csv").read_text() != MINE


def test_the_page_beside_a_trajectory(folder: Path):
    (folder / "way.html").write_text(MINE)
    assert "--no-plot" in refuse(folder, EXCITE, "way.html")
    assert not (folder / "way.csv").exists()
    assert run_here(folder, *EXCITE.split(), "--no-plot").returncode == 0
    assert (folder / "way.html").read_text() == MINE
    (folder / "way.html").unlink()
    for _ in range(2):  # one of its own is replaced
        assert run_here(folder, *EXCITE.split()).returncode == 0
    assert run_here(folder, "report", "run", "-o", "way.html").returncode == 0
    refuse(folder, EXCITE, "way.html")


def test_numbered_trajectories(folder: Path):
    words = f"{EXCITE.replace('--duration 4', '--duration 2')} --precision 0.08%"
    (folder / "way-2.csv").write_text(MINE)
    refuse(folder, words, "way-2.csv")
    shutil.copy(folder / "motion.csv", folder / "way-2.csv")  # a log, but no trajectory of excite
    refuse(folder, words, "way-2.csv")


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (f"identify {ROBOT} log.npz -o .", "robot.json"),
        (f"identify {ROBOT} log.npz -o .", "estimate.safetensors"),
        (f"identify {ROBOT} log.npz -o new", "new/estimate.json"),
        (f"signs {ROBOT} unsigned.npz -o new", "new/signs.safetensors"),
        ("friction run new.npz -o new", "new/friction.json"),
        (f"payload {ROBOT} new.npz --unloaded log.npz -o new", "new/payload.safetensors"),
        ("sample run -n 2", "run/samples.safetensors"),
        ("sample run -n 2 -o new", "new/samples.csv"),
        ("monitor run new.npz --free log.npz", "run/monitor.json"),
        ("export run --c new", f"new/{ROBOT}_model.c"),
    ],
)
def test_a_file_of_that_name_which_no_run_wrote(words: str, name: str, folder: Path):
    (folder / "new").mkdir()
    (folder / name).write_text(MINE)
    assert "is there already" in refuse(folder, words, name)


def test_a_log_that_has_the_name_of_a_result(folder: Path):
    """Samples of a controller are samples.npz in the documentation, those of a posterior samples.safetensors."""
    assert run_here(folder, "simulate", ROBOT, "--controller", "20", "-o", "samples.npz").returncode == 0
    assert run_here(folder, "identify", ROBOT, "samples.npz", "-o", ".").returncode == 0
    assert run_here(folder, "retrieve", ".", "--no-ranges").returncode == 0
    before = (folder / "samples.npz").read_bytes()
    assert run_here(folder, "sample", ".", "-n", "2", "-o", "models").returncode == 0
    assert (folder / "samples.npz").read_bytes() == before


@pytest.mark.parametrize("damaged", ["estimate.json", "estimate.safetensors", "robot.json"])
def test_a_damaged_run_is_made_again(damaged: str, folder: Path):
    (folder / "run" / damaged).write_text("no such thing")
    assert run_here(folder, "identify", ROBOT, "log.npz", "-o", "run").returncode == 0
    assert run_here(folder, "report", "run").returncode == 0


@pytest.mark.parametrize(
    "words",
    ["retrieve run --no-ranges", "validate run new.npz", "sample run -n 2", "export run --c code", "payload run new.npz --urdf load.urdf"],
)
def test_a_command_can_be_repeated(words: str, folder: Path):
    for _ in range(2):
        finished = run_here(folder, *words.split())
        assert (finished.returncode, finished.stderr) == (0, "")
