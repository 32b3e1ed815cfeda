"""Small files that would be huge, and options that would fill the memory: refused with a sentence before any of it is made."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import pytest

from dynident import load_robot
from dynident.core.files import read_yaml
from dynident.core.parallel import multi_start
from dynident.core.sizes import check_count
from dynident.data import load_dataset
from dynident.data.formats.registry import read_table
from dynident.errors import FileError, ValueRangeError
from dynident.excitation import design_trajectory
from dynident.friction import linear
from dynident.simulation import random_configurations, simulate
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
    with pytest.raises(FileError, match=r"'q' promises 8e\+09 bytes and holds 128"):
        read_table(archive(tmp_path / "log.npz", {"q.npy": [HEADER.getvalue()]}))


def test_an_archive_of_zeros(tmp_path, monkeypatch):
    monkeypatch.setattr("dynident.core.sizes._UNPACKED", 8 << 20)
    bomb = archive(tmp_path / "log.npz", {"q.npy": [HEADER.getvalue(), *[bytes(1 << 20)] * 16]}, zipfile.ZIP_DEFLATED)
    with pytest.raises(FileError, match=r"would unpack to 0\.0168 GB from 0\.0\d+ MB; at most 50 times its size, or 0 GB, was expected"):
        read_table(bomb)


def test_a_single_array_under_another_name(tmp_path):
    (tmp_path / "log.npz").write_bytes(HEADER.getvalue())
    with pytest.raises(FileError, match="holds one array without a name"):
        read_table(tmp_path / "log.npz")


def test_one_value_a_billion_times(tmp_path, monkeypatch):
    import pyarrow as pa
    from pyarrow import parquet

    monkeypatch.setattr("dynident.core.sizes._UNPACKED", 1 << 20)
    parquet.write_table(pa.table({"t": np.zeros(1_000_000), "q": np.zeros(1_000_000)}), tmp_path / "log.parquet")
    with pytest.raises(FileError, match="would unpack to"):
        read_table(tmp_path / "log.parquet")


LAUGHS = "a0: &a0 [1, 2]\n" + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 12))
MERGES = "a0: &a0 {x: 1}\n" + "".join(f"a{i}: &a{i} {{<<: [{', '.join([f'*a{i - 1}'] * 9)}]}}\n" for i in range(1, 12))


@pytest.mark.parametrize("text", [LAUGHS, MERGES, "a: &a [*a]\n"])
def test_lines_that_refer_to_each_other(text, tmp_path):
    (tmp_path / "arm.yaml").write_text(text)
    with pytest.raises(FileError, match=r"its aliases .* stand for more than 1,000,000 values"):
        load_robot(tmp_path / "arm.yaml")


def test_a_few_aliases_are_welcome(tmp_path):
    (tmp_path / "some.yaml").write_text("usual: &usual {velocity: 2}\njoints: [{<<: *usual, a: 1}, *usual]\n")
    assert read_yaml(tmp_path / "some.yaml")["joints"] == [{"velocity": 2, "a": 1}, {"velocity": 2}]


@pytest.mark.parametrize("line", ["0," * 600_000, "q" * 2_000_000], ids=["cells", "word"])
def test_a_line_without_end(line, tmp_path):
    (tmp_path / "log.csv").write_text(line)
    with pytest.raises(FileError, match="is longer than 1 MB; check that it is a table"):
        load_dataset(tmp_path / "log.csv")


def test_a_table_of_columns(tmp_path):
    (tmp_path / "log.csv").write_text("\n".join([",".join(f"q{i}" for i in range(20_000))] * 2))
    with pytest.raises(FileError, match="has 20000 columns; at most 10000 were expected"):
        load_dataset(tmp_path / "log.csv")


XACRO = '<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="${%s}"/></robot>'


@pytest.mark.parametrize("expression", ["9**9**9", "'a' * 10**10", "range(10**9)"])
def test_a_greedy_expression(tmp_path, expression):
    (tmp_path / "arm.xacro").write_text(XACRO % expression)
    with pytest.raises(FileError, match=r"can't be expanded: .* more than"):
        load_robot(tmp_path / "arm.xacro")


def test_copies_of_copies(tmp_path):
    pytest.importorskip("mujoco", reason='MJCF needs MuJoCo: pip install "dynident[sim]"')
    copies = "".join('<replicate count="100">' for _ in range(6)) + '<body><geom size="0.1"/></body>' + "</replicate>" * 6
    (tmp_path / "arm.xml").write_text(f"<mujoco><worldbody>{copies}</worldbody></mujoco>")
    with pytest.raises(FileError, match=r"would be 3\.01e\+12 elements with all copies"):
        load_robot(tmp_path / "arm.xml")


def test_what_is_asked_for_is_counted_first():
    check_count("rate", 1e6, each=10)
    with pytest.raises(ValueRangeError, match=r"rate would make 1e\+09 samples; at most 2e\+07 were expected; less"):
        check_count("rate", 1e9, each=10, remedy="less")
    with pytest.raises(ValueRangeError, match="would make nan samples"):
        check_count("rate", float("nan"))


@pytest.mark.parametrize("options", [{"rate": 1e7}, {"rate": 1e308}, {"duration": 1e308}, {"duration": 1e-300}])
def test_samples_of_a_design(options):
    with pytest.raises(ValueRangeError, match=r"samples|1 sample in"):
        design_trajectory(load_robot("planar_2r"), friction=linear(), unchecked=True, **options)


@pytest.mark.parametrize("options", [{"harmonics": 10**8}, {"base_frequency": 1e300}])
def test_waves_of_a_design(options):
    with pytest.raises(ValueRangeError, match="harmonics would make"):
        design_trajectory(load_robot("planar_2r"), friction=linear(), unchecked=True, **options)


def test_samples_of_a_simulation():
    robot, motion = load_robot("planar_2r"), synthetic_log(samples=100)
    with pytest.raises(ValueRangeError, match="rate would make"):
        simulate(robot, motion, rate=1e9, check_limits=False)
    with pytest.raises(ValueRangeError, match="gives 1 sample"):
        simulate(robot, motion, rate=1e-3, check_limits=False)
    with pytest.raises(ValueRangeError, match="samples would make"):
        random_configurations(robot, 10**11)


def test_starts_without_number():
    with pytest.raises(ValueRangeError, match="starts would make"):
        multi_start(lambda start, rng: 0, 10**11, seed=0)
