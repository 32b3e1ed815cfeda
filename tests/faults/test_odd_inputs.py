"""Files and calls that no program of good will makes: each is one sentence with what to do, and the right exit code."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from mcap.writer import Writer
from pyarrow import parquet

from dynident import load_run, save_run
from tests.commands import INSTALLED, run_here
from tests.faults.cases import ROBOT
from tests.logs import synthetic_log

LOG = synthetic_log(ROBOT, samples=300, noise=0.01)
COLUMNS = {"t": LOG.time, "q": LOG.q[:, 0], "tau": LOG.effort[:, 0]}
ROWS = "\n".join(",".join(repr(float(x)) for x in row) for row in zip(*COLUMNS.values(), strict=True))


def assert_sentence(found: subprocess.CompletedProcess[str], *parts: str) -> None:
    assert found.returncode == 2, found.stderr
    assert found.stderr.count("\n") == 1, found.stderr
    assert found.stderr.startswith("dynident: ")
    for part in parts:
        assert part in found.stderr


def identify(folder: Path, name: str) -> subprocess.CompletedProcess[str]:
    return run_here(folder, "identify", ROBOT, name, "-o", "out")


@pytest.mark.parametrize(("name", "word"), [("3d_msgs/msg/X", "'3d_msgs'"), ("a/msg/1X", "'1X'")])
def test_a_type_of_a_bag_whose_name_is_none(name, word, tmp_path):
    with (tmp_path / "log.mcap").open("wb") as stream:
        writer = Writer(stream)
        writer.start("ros2", library="")
        schema = writer.register_schema(name, "ros2msg", b"float64 x\n")
        writer.add_message(writer.register_channel("/a", "cdr", schema), 1, b"\0\1\0\0" + bytes(8), 1)
        writer.finish()
    assert_sentence(identify(tmp_path, "log.mcap"), f"has {word} for a name")


@pytest.mark.parametrize(
    "values",
    [
        pa.array([[("a", 1.0)]] * 300, type=pa.map_(pa.string(), pa.float64())),
        pa.array([b"\xff\xfe"] * 300),
        pa.array([b"\xff\xfe"] * 300, type=pa.binary(2)),
        pa.array([{"a": b"\xff"}] * 300),
    ],
    ids=["map", "binary", "fixed binary", "struct"],
)
def test_a_column_that_is_neither_numbers_nor_text(values, tmp_path):
    """It may be there, as pictures are in some logs; where numbers are needed it is refused."""
    parquet.write_table(pa.table({**COLUMNS, "picture": values}), tmp_path / "log.parquet")
    assert identify(tmp_path, "log.parquet").returncode == 0
    parquet.write_table(pa.table({**COLUMNS, "tau": values}), tmp_path / "log.parquet")
    assert_sentence(identify(tmp_path, "log.parquet"), "column 'tau' holds", "real numbers were expected")


DESCRIPTIONS = {
    "deep": "[" * 100_000,
    "ragged": '{"joint_names": [["a"], ["b", "c"]]}',
    "no mapping": "[1, 2]",
    "long number": f'{{"starts": [1{"0" * 5000}]}}',
    "no JSON": '{"joint_names": ',
}


@pytest.mark.parametrize("text", DESCRIPTIONS.values(), ids=DESCRIPTIONS)
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_description_that_is_damaged(suffix, text, tmp_path):
    if suffix == ".csv":
        (tmp_path / "log.csv").write_text(f"# dynident: {text}\n{','.join(COLUMNS)}\n{ROWS}\n")
    else:
        parquet.write_table(pa.table(COLUMNS).replace_schema_metadata({b"dynident": text}), tmp_path / "log.parquet")
    assert_sentence(identify(tmp_path, f"log{suffix}"), "the description that dynident keeps there is damaged; remove it")


@pytest.mark.parametrize("name", ["q", "tau"])
def test_an_archive_of_truth_values(name, tmp_path):
    np.savez(tmp_path / "log.npz", **{**COLUMNS, name: COLUMNS[name] > 0.0})
    assert_sentence(identify(tmp_path, "log.npz"), f"column {name!r} holds truth values")


def test_a_cell_that_is_too_long(inputs, tmp_path):
    shutil.copytree(inputs / "run", tmp_path / "run")
    (tmp_path / "bounds.csv").write_text(f"Coeff name,Lower bound,Upper bound\nm1,{'1' * 200_000},3\n")
    (tmp_path / "arm.csv").write_text(f"theta,d,a,alpha,convention\n0,{'1' * 200_000},3,0,standard\n")
    assert_sentence(run_here(tmp_path, "retrieve", "run", "--constraints", "bounds.csv"), "bounds.csv, line 2: can't be read as a table")
    assert_sentence(run_here(tmp_path, "check", "arm.csv"), "arm.csv, line 2: can't be read as a table")


@pytest.mark.parametrize("name", ["a\\0b", "a\\0b.yaml", "../../x", "n" * 300, "n" * 300 + ".yaml"])
def test_a_preset_of_a_name_that_no_file_has(name, tmp_path):
    np.savez(tmp_path / "log.npz", **COLUMNS)
    (tmp_path / "log.npz.yaml").write_text(f'preset: "{name}"\n')
    assert_sentence(identify(tmp_path, "log.npz"))


ARM = """<robot name="arm"><link name="base"/><link name="a"><inertial><origin xyz="0 0 0.1"/><mass value="{mass}"/>
<inertia ixx="{mass}" ixy="0" ixz="0" iyy="{mass}" iyz="0" izz="{mass}"/></inertial>
<collision><geometry>{shape}</geometry></collision></link><joint name="j" type="revolute"><parent link="base"/><child link="a"/>
<axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="80" velocity="3"/></joint></robot>"""
CORNER = "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet"


@pytest.mark.parametrize(
    "shape", ['<mesh filename="m.stl" scale="1e300 1 1"/>', '<mesh filename="m.stl" scale="-1e300 1 1"/>', '<sphere radius="1e300"/>']
)
@pytest.mark.parametrize("words", ["view arm.urdf -o view.html --no-open", "excite arm.urdf -o way.csv --starts 1 --duration 4"])
def test_a_shape_larger_than_all_robots(words, shape, tmp_path):
    (tmp_path / "m.stl").write_text(f"solid a\n{CORNER}\nendsolid a\n")
    (tmp_path / "arm.urdf").write_text(ARM.format(mass=1, shape=shape))
    assert_sentence(run_here(tmp_path, *words.split()), "arm.urdf, link 'a'", "at most 1e+06 was expected")


def test_a_robot_without_mass_in_simulation(tmp_path):
    (tmp_path / "arm.urdf").write_text(ARM.format(mass=0, shape='<sphere radius="0.1"/>'))
    (tmp_path / "motion.csv").write_text("t,q1\n" + "\n".join(f"{0.01 * i},{0.001 * i}" for i in range(60)))
    found = run_here(tmp_path, "simulate", "arm.urdf", "motion.csv", "-o", "log.npz")
    assert_sentence(found, "MuJoCo can't simulate this robot", "'a'", "give every link that moves by itself a mass")


def test_a_standard_input_that_is_empty(tmp_path):
    assert_sentence(run_here(tmp_path, "check", "-"), "standard input: is empty, or closed; pipe")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("check panda >&-", 0),
        ("check panda 2>&-", 0),
        ("check panda --json >&- 2>&-", 0),
        ("check - <&-", 2),
        ("--help >&-", 0),
        ("check no.urdf >&-", 2),
    ],
)
def test_streams_that_are_closed(words, code, tmp_path):
    found = subprocess.run(["bash", "-c", f"{INSTALLED} {words}"], capture_output=True, text=True, check=False, cwd=tmp_path, timeout=300)
    assert found.returncode == code, found.stderr
    assert "Traceback" not in found.stderr
    assert found.stderr.count("\n") == (1 if code else 0)


def test_nothing_is_printed_into_a_file_that_is_opened_while_the_stream_is_closed(inputs, tmp_path):
    shutil.copy(inputs / "log.npz", tmp_path)
    subprocess.run(["bash", "-c", f"{INSTALLED} identify {ROBOT} log.npz -o run >&- 2>&-"], check=True, cwd=tmp_path, timeout=300)
    assert run_here(tmp_path, "report", "run").returncode == 0


COMMANDS = {
    "the process file system": "dynident identify arm /proc/self /proc/kmsg /proc /sys/kernel -o run",
    "a long word": f"dynident identify arm log.npz --map {'q=' + 'n' * 5000} {'m' * 300} -o run",
    "a character of value 0": "dynident identify arm 'a\0b' -o run",
    "a device": "dynident identify arm /dev/zero /dev/random -o run",
}


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_a_bundle_of_a_run_that_says_that_it_was_made_so(command, inputs, tmp_path):
    """Only files of the names that the run remembers are looked at."""
    save_run(tmp_path / "run", load_run(inputs / "run").estimate, provenance={"step": "identify", "data": ("logs",)})
    found = run_here(tmp_path, "bundle", "run")
    assert found.returncode == 0, found.stderr
    assert (tmp_path / "bundle.zip").is_file()


def test_a_bundle_finds_the_log_where_the_run_says(inputs, tmp_path):
    (tmp_path / "logs").mkdir()
    shutil.copy(inputs / "log.npz", tmp_path / "logs" / "log.npz")
    save_run(tmp_path / "run", load_run(inputs / "run").estimate, provenance={"step": "identify", "data": ("logs",)})
    found = run_here(tmp_path, "bundle", "run", "--json")
    assert json.loads(found.stdout)["samples"]["kept"] == 900
