"""Small files that would be huge, and options that would fill the memory: refused with a sentence before any of it is made."""

from __future__ import annotations

import io
import subprocess
import sys
import warnings
import zipfile

import numpy as np
import pytest

from dynident import load_robot
from dynident.core.files import read_yaml
from dynident.core.parallel import multi_start
from dynident.core.sizes import check_count
from dynident.data import load_dataset
from dynident.data.formats.registry import read_table
from dynident.dynamics.friction import linear
from dynident.errors import FileError, ValueRangeError
from dynident.motions import design_trajectory
from dynident.motions.simulation import random_configurations, simulate
from tests.commands import INSTALLED
from tests.facts import carries, raises
from tests.logs import synthetic_log

HEADER = io.BytesIO()
np.lib.format.write_array_header_1_0(HEADER, {"descr": "<f8", "fortran_order": False, "shape": (10**9,)})


def archive(path, entries, kind=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", kind) as file:
        for name, blocks in entries.items():
            with file.open(name, "w", force_zip64=True) as stream:
                for block in blocks:
                    stream.write(block)
    return path


def test_an_array_that_promises_more_than_it_holds(tmp_path):
    with raises(FileError, "'q'", "8e+09", 128):
        read_table(archive(tmp_path / "log.npz", {"q.npy": [HEADER.getvalue()]}))


def test_an_archive_of_zeros(tmp_path, monkeypatch):
    monkeypatch.setattr("dynident.core.sizes._UNPACKED", 8 << 20)
    bomb = archive(tmp_path / "log.npz", {"q.npy": [HEADER.getvalue(), *[bytes(1 << 20)] * 16]}, zipfile.ZIP_DEFLATED)
    with raises(FileError, 0.0168, "GB", 50, 8):
        read_table(bomb)


@pytest.mark.parametrize("names", [("q.npy", "q.npy"), ("q.npy", "q")])
def test_two_arrays_of_one_name(names, tmp_path):
    content = io.BytesIO()
    np.save(content, np.zeros(3))
    with warnings.catch_warnings(), zipfile.ZipFile(tmp_path / "log.npz", "w") as file:
        warnings.simplefilter("ignore")  # zipfile warns of a name that is there already
        for name in names:
            file.writestr(name, content.getvalue())
    with raises(FileError, "two", "'q'"):
        read_table(tmp_path / "log.npz")


def test_a_single_array_under_another_name(tmp_path):
    (tmp_path / "log.npz").write_bytes(HEADER.getvalue())
    with raises(FileError, "array", "name", file=str(tmp_path / "log.npz")):
        read_table(tmp_path / "log.npz")


def test_one_value_a_billion_times(tmp_path, monkeypatch):
    import pyarrow as pa
    from pyarrow import parquet

    monkeypatch.setattr("dynident.core.sizes._UNPACKED", 1 << 20)
    parquet.write_table(pa.table({"t": np.zeros(1_000_000), "q": np.zeros(1_000_000)}), tmp_path / "log.parquet")
    with raises(FileError, "unpack", file=str(tmp_path / "log.parquet")):
        read_table(tmp_path / "log.parquet")


LAUGHS = "a0: &a0 [1, 2]\n" + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 12))
MERGES = "a0: &a0 {x: 1}\n" + "".join(f"a{i}: &a{i} {{<<: [{', '.join([f'*a{i - 1}'] * 9)}]}}\n" for i in range(1, 12))


@pytest.mark.parametrize("text", [LAUGHS, MERGES, "a: &a [*a]\n"])
def test_lines_that_refer_to_each_other(text, tmp_path):
    (tmp_path / "arm.yaml").write_text(text)
    with raises(FileError, "aliases", "1,000,000"):
        load_robot(tmp_path / "arm.yaml")


def test_a_few_aliases_are_welcome(tmp_path):
    (tmp_path / "some.yaml").write_text("usual: &usual {velocity: 2}\njoints: [{<<: *usual, a: 1}, *usual]\n")
    assert read_yaml(tmp_path / "some.yaml")["joints"] == [{"velocity": 2, "a": 1}, {"velocity": 2}]


@pytest.mark.parametrize("line", ["0," * 600_000, "q" * 2_000_000], ids=["cells", "word"])
def test_a_line_without_end(line, tmp_path):
    (tmp_path / "log.csv").write_text(line)
    with raises(FileError, 1, "MB", "table"):
        load_dataset(tmp_path / "log.csv")


def test_a_table_of_columns(tmp_path):
    (tmp_path / "log.csv").write_text("\n".join([",".join(f"q{i}" for i in range(20_000))] * 2))
    with raises(FileError, 20000, 10000):
        load_dataset(tmp_path / "log.csv")


XACRO = '<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="${%s}"/></robot>'


@pytest.mark.parametrize("expression", ["9**9**9", "'a' * 10**10", "range(10**9)"])
def test_a_greedy_expression(tmp_path, expression):
    (tmp_path / "arm.xacro").write_text(XACRO % expression)
    with raises(FileError, "expanded", file=str(tmp_path / "arm.xacro")):
        load_robot(tmp_path / "arm.xacro")


def test_copies_of_copies(tmp_path):
    pytest.importorskip("mujoco", reason='MJCF needs MuJoCo: pip install "dynident[sim]"')
    copies = "".join('<replicate count="100">' for _ in range(6)) + '<body><geom size="0.1"/></body>' + "</replicate>" * 6
    (tmp_path / "arm.xml").write_text(f"<mujoco><worldbody>{copies}</worldbody></mujoco>")
    with raises(FileError, 5000, "copies"):
        load_robot(tmp_path / "arm.xml")


JOINT = '<joint axis="0 0 1"/><geom size="0.1"/>'
REPLICATED = "".join('<replicate count="100">' for _ in range(4)) + f"<body>{JOINT}</body>" + "</replicate>" * 4
NESTED = 50_000


def chain_of_models(levels: int) -> dict[str, str]:
    """Models that attach the next one twice."""
    models = {"last.xml": f'<mujoco model="last"><worldbody><body name="b">{JOINT}</body></worldbody></mujoco>'}
    for level in range(levels):
        following = f"m{level + 1}.xml" if level + 1 < levels else "last.xml"
        twice = "".join(f'<attach model="next" body="b" prefix="{prefix}"/>' for prefix in "xy")
        asset = f'<asset><model name="next" file="{following}"/></asset>'
        models[f"m{level}.xml"] = f'<mujoco>{asset}<worldbody><body name="b">{JOINT}{twice}</body></worldbody></mujoco>'
    return models | {"arm.xml": models["m0.xml"]}


#: Files of a model by name, and what is said of it.
MODELS = {
    "copies in an included file": (
        {
            "arm.xml": '<mujoco><worldbody><include file="deep/more.xml"/></worldbody></mujoco>',
            "deep/more.xml": '<mujocoinclude><include file="copies.xml"/></mujocoinclude>',
            "deep/copies.xml": f"<mujocoinclude>{REPLICATED}</mujocoinclude>",
            "copies.xml": f"<mujocoinclude>{REPLICATED}</mujocoinclude>",
        },
        "copies",
    ),
    "a file that includes itself": ({"arm.xml": '<mujoco><worldbody><include file="arm.xml"/></worldbody></mujoco>'}, "check its counts"),
    "models that attach others twice": (chain_of_models(20), "check its counts"),
    "a field of heights": (
        {
            "arm.xml": '<mujoco><asset><hfield name="h" nrow="30000" ncol="30000" size="1 1 1 1"/></asset>'
            f'<worldbody><geom type="hfield" hfield="h"/><body>{JOINT}</body></worldbody></mujoco>'
        },
        "check its sizes",
    ),
    "numbers for the user": (
        {"arm.xml": f'<mujoco><size nuserdata="500000000" nkey="90000000"/><worldbody><body>{JOINT}</body></worldbody></mujoco>'},
        "check its sizes",
    ),
    "a custom number": (
        {"arm.xml": f'<mujoco><custom><numeric name="n" size="900000000"/></custom><worldbody><body>{JOINT}</body></worldbody></mujoco>'},
        "check its sizes",
    ),
    "nested bodies": (
        {"arm.xml": f"<mujoco><worldbody>{f'<body>{JOINT}' * NESTED}{'</body>' * NESTED}</worldbody></mujoco>"},
        "nested more than 1000 deep",
    ),
    "bodies beside each other": (
        {"arm.xml": f"<mujoco><worldbody>{f'<body>{JOINT}</body>' * NESTED}</worldbody></mujoco>"},
        "check its counts",
    ),
    "an included device": (
        {"arm.xml": '<mujoco><worldbody><include file="/dev/zero"/></worldbody></mujoco>'},
        "is a device",
    ),
}


#: Runs a command and says what it cost: processor time [s] and memory of its largest process [kB]. Linux counts the memory of the process
#: that starts another as the other's too, so that it must be a small one.
_COUNTED = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(done.returncode, used.ru_utime + used.ru_stime, used.ru_maxrss)
"""


def cost(words: list[str]) -> tuple[str, float, float]:
    """What a command says that refuses its input, its processor time [s], and how much memory its largest process has [bytes]."""
    done = subprocess.run([sys.executable, "-c", _COUNTED, INSTALLED, *words], capture_output=True, text=True, check=True, timeout=300)
    code, seconds, memory = map(float, done.stdout.split())
    assert code == 2, done.stderr
    return " ".join(done.stderr.split()), seconds, 1024.0 * memory


@pytest.mark.parametrize("verb", ["check", "view"])
@pytest.mark.parametrize("name", MODELS)
def test_a_model_is_counted_before_it_is_made(name, verb, tmp_path):
    pytest.importorskip("mujoco", reason='MJCF needs MuJoCo: pip install "dynident[sim]"')
    files, problem = MODELS[name]
    for file, text in files.items():
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(text)
    options = ["--no-open", "-o", str(tmp_path / "view.html")] if verb == "view" else []
    said, seconds, memory = cost([verb, str(tmp_path / "arm.xml"), *options])
    assert problem in said
    assert seconds < 10.0
    assert memory < 1e9


def lists(count):
    """Lists of so many zeros in 60 rows, which are a few kilobytes in a file."""
    import pyarrow as pa

    offsets = pa.array(np.arange(0, 61 * count, count, dtype=np.int32))
    return pa.ListArray.from_arrays(offsets, pa.array(np.zeros(60 * count)))


@pytest.mark.parametrize("kind", ["lists", "texts", "plain texts"])
def test_a_table_of_a_few_kilobytes(kind, tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    values = lists(1_500_000) if kind == "lists" else pa.array(["x" * 1_000_000] * 60)
    table = pa.table({"t": np.arange(60.0), "q": values})
    parquet.write_table(table, tmp_path / "log.parquet", compression="zstd", use_dictionary=kind != "plain texts")
    assert (tmp_path / "log.parquet").stat().st_size < 60_000
    said, seconds, memory = cost(["identify", "planar_2r", str(tmp_path / "log.parquet"), "-o", str(tmp_path / "run")])
    assert carries(said, "unpack")
    assert seconds < 10.0
    assert memory < 1e9


def test_lists_and_texts_as_usual(tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    q = np.arange(12.0).reshape(4, 3)
    parquet.write_table(pa.table({"q": list(q), "phase": ["go", "go", None, "stop"], "t": np.arange(4.0)}), tmp_path / "log.parquet")
    table = read_table(tmp_path / "log.parquet")
    np.testing.assert_array_equal(table["q"], q)
    assert table["phase"].tolist() == ["go", "go", "None", "stop"]


def test_what_is_asked_for_is_counted_first():
    check_count("rate", 1e6, each=10)
    with raises(ValueRangeError, "1e+09", "2e+07", name="rate"):
        check_count("rate", 1e9, each=10, remedy="less")
    with raises(ValueRangeError, "nan", name="rate"):
        check_count("rate", float("nan"))


@pytest.mark.parametrize("options", [{"rate": 1e7}, {"rate": 1e308}, {"duration": 1e308}, {"duration": 1e-300}])
def test_samples_of_a_design(options):
    with pytest.raises(ValueRangeError, match=r"samples|1 sample in"):
        design_trajectory(load_robot("planar_2r"), friction=linear(), unchecked=True, **options)


@pytest.mark.parametrize("options", [{"harmonics": 10**8}, {"base_frequency": 1e8}])
def test_waves_of_a_design(options):
    with raises(ValueRangeError, name="harmonics"):
        design_trajectory(load_robot("planar_2r"), friction=linear(), unchecked=True, **options)


def test_samples_of_a_simulation():
    robot, motion = load_robot("planar_2r"), synthetic_log(samples=100)
    with raises(ValueRangeError, name="rate"):
        simulate(robot, motion, rate=1e9, check_limits=False)
    with pytest.raises(ValueRangeError, match="gives 1 sample"):
        simulate(robot, motion, rate=1e-3, check_limits=False)
    with raises(ValueRangeError, name="samples"):
        random_configurations(robot, 10**11)


def test_starts_without_number():
    with raises(ValueRangeError, name="starts"):
        multi_start(lambda start, rng: 0, 10**11, seed=0)
