"""What every reader and writer of the registries must do: the same log in any format is the same dataset, and broken ones are refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pyarrow as pa
import pytest
import scipy.io
from pyarrow import csv, parquet

from dynident.data import ControllerSamples, Dataset, load_dataset, write_dataset
from dynident.data.formats.registry import READERS
from dynident.data.formats.writing import WRITERS
from dynident.errors import FileError

N = 50
RNG = np.random.default_rng(7)
LOG: dict[str, np.ndarray] = {
    "t": np.cumsum(RNG.uniform(0.001, 0.02, size=N)),
    "q": RNG.normal(size=(N, 3)),
    "dq": RNG.normal(size=(N, 3)),
    "ddq": RNG.normal(size=(N, 3)),
    "tau": RNG.normal(size=(N, 3)),
}
A = RNG.normal(size=(N, 3, 3))
SAMPLES: dict[str, np.ndarray] = {"q": LOG["q"], "M": A @ A.transpose(0, 2, 1), "g": LOG["tau"]}


def columns(content: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    flat = {}
    for name, array in content.items():
        if array.ndim == 1:
            flat[name] = array
        for index in np.ndindex(array.shape[1:]) if array.ndim > 1 else ():
            flat[name + "_".join(f"{i + 1}" for i in index)] = array[(slice(None), *index)]
    return flat


def write_text(delimiter: str) -> Callable[[Path, dict[str, np.ndarray]], None]:
    def write(file: Path, content: dict[str, np.ndarray]) -> None:
        flat = columns(content)
        longest = max(map(len, flat.values()))
        rows = [[repr(float(column[i])) if i < len(column) else "" for column in flat.values()] for i in range(longest)]
        file.write_text("\n".join(delimiter.join(row) for row in [list(flat), *rows]))

    return write


def write_parquet(file: Path, content: dict[str, np.ndarray]) -> None:
    flat = columns(content)
    longest = max(map(len, flat.values()))
    parquet.write_table(pa.table({name: [*column.tolist(), *[None] * (longest - len(column))] for name, column in flat.items()}), file)


def write_hdf5(file: Path, content: dict[str, np.ndarray]) -> None:
    with h5py.File(file, "w") as stream:
        for name, array in content.items():
            stream[f"log/{name}"] = array


#: How another program would write each format; a reader without an entry here fails the suite.
FOREIGN: dict[str, Callable[[Path, dict[str, np.ndarray]], None]] = {
    ".csv": write_text(","),
    ".tsv": write_text("\t"),
    ".txt": write_text("  "),
    ".npz": lambda file, content: np.savez(file, **content),
    ".parquet": write_parquet,
    ".h5": write_hdf5,
    ".hdf5": write_hdf5,
    ".mat": lambda file, content: scipy.io.savemat(file, {"log": content}),
}


@pytest.fixture(params=sorted(READERS))
def save(request, tmp_path) -> Callable[..., Path]:
    """Writes a log with some of its arrays changed, in each format that has a reader."""

    def write(content: dict[str, np.ndarray] = LOG, **changes: Any) -> Path:
        file = tmp_path / f"log{request.param}"
        FOREIGN[request.param](file, {name: array for name, array in {**content, **changes}.items() if array is not None})
        return file

    return write


def test_the_same_log_is_the_same_dataset(save):
    data = load_dataset(save())
    assert isinstance(data, Dataset)
    for name, key in (("time", "t"), ("q", "q"), ("dq", "dq"), ("ddq", "ddq"), ("effort", "tau")):
        np.testing.assert_array_equal(getattr(data, name), LOG[key], err_msg=name)


def test_the_same_samples_are_the_same(save):
    data = load_dataset(save(SAMPLES))
    assert isinstance(data, ControllerSamples)
    for name in ("q", "M", "g"):
        np.testing.assert_array_equal(getattr(data, name), SAMPLES[name], err_msg=name)


def changed(name: str, index: int, value: float) -> np.ndarray:
    array = np.array(LOG[name])
    array[index] = value
    return array


def test_repeated_stamps(save):
    with pytest.raises(FileError, match=r"log\..*: time has the stamp .* s twice, at samples 6 and 7; drop repeated samples"):
        load_dataset(save(t=changed("t", 7, LOG["t"][6])))


def test_stamps_that_go_back(save):
    with pytest.raises(FileError, match=r"time goes back from .* at sample 7; sort the samples"):
        load_dataset(save(t=changed("t", 7, LOG["t"][3])))


def test_undefined_numbers(save):
    with pytest.raises(FileError, match="q is nan at sample 9, joint 'joint1'"):
        load_dataset(save(q=changed("q", 9, np.nan)))


def test_lengths_that_disagree(save):
    # a table can't have a short column, only an empty cell in it
    with pytest.raises(FileError, match=r"50 elsewhere|is nan at sample 49|line 51: has"):
        load_dataset(save(dq=LOG["dq"][:-1]))


def test_missing_columns_are_listed(save):
    content = {"t": LOG["t"], "angles": LOG["q"]}
    with pytest.raises(FileError, match=r"no column is known as q; found: .*angles.*; name them with columns={'q': '...'}"):
        load_dataset(save(content))


def test_a_missing_clock(save):
    with pytest.raises(FileError, match="has no time column"):
        load_dataset(save(t=None))


def test_wrong_number_of_joints_says_both(save):
    with pytest.raises(FileError, match=r"\(50, 2\); expected \(50, 3\)|q has 3 \(1, 2, 3\), effort has 2"):
        load_dataset(save(tau=LOG["tau"][:, :2]))


@pytest.mark.parametrize("suffix", sorted(READERS))
@pytest.mark.parametrize("content", [b"", b"\x00\x01\x02 nothing", b"PK\x03\x04broken archive", b"PAR1....PAR1"])
def test_what_is_not_such_a_file(suffix, content, tmp_path):
    file = tmp_path / f"log{suffix}"
    file.write_bytes(content)
    with pytest.raises(FileError, match=f"log{suffix}"):
        load_dataset(file)


@pytest.mark.parametrize("suffix", sorted(READERS))
def test_half_a_file(suffix, tmp_path):
    file = tmp_path / f"log{suffix}"
    FOREIGN[suffix](file, {name: np.tile(array, (40, 1)) if array.ndim > 1 else np.arange(2000.0) for name, array in LOG.items()})
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2])
    if suffix in (".csv", ".tsv", ".txt"):  # a text may end anywhere; half a line is found if a cell is lost with it
        file.write_bytes(content[: content.rindex(b"\n") + 3])
    with pytest.raises(FileError, match=f"log{suffix}"):
        load_dataset(file)


def test_pickled_objects_are_refused(tmp_path):
    np.savez(tmp_path / "log.npz", **LOG, extra=np.array([{"a": 1}], dtype=object))
    with pytest.raises(FileError, match="key 'extra' holds pickled Python objects, which are not loaded because they can run code"):
        load_dataset(tmp_path / "log.npz")
    np.array([{"a": 1}], dtype=object).dump(tmp_path / "pickle.npz")
    with pytest.raises(FileError, match=r"is not an .npz archive"):
        load_dataset(tmp_path / "pickle.npz")


def test_matlab_7_3_is_transposed_hdf5(tmp_path):
    with h5py.File(tmp_path / "log.mat", "w", userblock_size=512) as stream:
        for name, array in LOG.items():
            stream[name] = np.atleast_2d(array.T)
            stream[name].attrs["MATLAB_class"] = np.bytes_("double")
        stream["#refs#/a"] = np.zeros(3)
    data = load_dataset(tmp_path / "log.mat")
    np.testing.assert_array_equal(data.q, LOG["q"])
    np.testing.assert_array_equal(data.time, LOG["t"])


def test_lists_in_parquet_and_records_in_hdf5(tmp_path):
    table = pa.table({"time": LOG["t"], "position": LOG["q"].tolist(), "effort": LOG["tau"].tolist()})
    parquet.write_table(table, tmp_path / "log.parquet")
    np.testing.assert_array_equal(load_dataset(tmp_path / "log.parquet").effort, LOG["tau"])
    records = np.zeros(N, dtype=[("t", float), ("q1", float), ("q2", float)])
    records["t"], records["q1"], records["q2"] = LOG["t"], LOG["q"][:, 0], LOG["q"][:, 1]
    with h5py.File(tmp_path / "log.h5", "w") as stream:
        stream["log"] = records
    np.testing.assert_array_equal(load_dataset(tmp_path / "log.h5").q, LOG["q"][:, :2])


def rich(kind: str, **changes: Any) -> Dataset:
    content: dict[str, Any] = {
        "time": np.concatenate([LOG["t"][:20], LOG["t"][:30]]),
        "q": LOG["q"] * 1e-300,
        "dq": LOG["dq"] / 3,
        "effort": np.abs(LOG["tau"]),
        "effort_kind": kind,
        "joint_names": ('a, "b"', "joint2", "größe"),
        "mask": LOG["q"] > 0,
        "starts": (0, 20, 49),
    }
    return Dataset(**content | changes)


@pytest.mark.parametrize("suffix", sorted(WRITERS))
@pytest.mark.parametrize("kind", ["torque", "current", "magnitude"])
def test_what_is_written_is_read_back_exactly(suffix, kind, tmp_path):
    for data in (rich(kind), rich(kind, mask=None, joint_names=(), ddq=LOG["ddq"], starts=(0, 20)), rich(kind, dq=None, effort=None)):
        write_dataset(data, tmp_path / f"log{suffix}")
        back = load_dataset(tmp_path / f"log{suffix}")
        assert isinstance(back, Dataset)
        for name in ("time", "q", "dq", "ddq", "effort", "mask"):
            expected = getattr(data, name)
            if expected is None:
                assert getattr(back, name) is None
            else:
                np.testing.assert_array_equal(getattr(back, name), expected, err_msg=name)
        assert (back.joint_names, back.effort_kind, back.starts) == (data.joint_names, data.effort_kind, data.starts)


@pytest.mark.parametrize("suffix", sorted(WRITERS))
def test_controller_samples_are_read_back_exactly(suffix, tmp_path):
    data = ControllerSamples(**SAMPLES, dq=LOG["dq"], c=LOG["ddq"], joint_names=("x", "y", "z"))
    write_dataset(data, tmp_path / f"log{suffix}")
    back = load_dataset(tmp_path / f"log{suffix}")
    assert isinstance(back, ControllerSamples)
    for name in ("q", "M", "g", "dq", "c"):
        np.testing.assert_array_equal(getattr(back, name), getattr(data, name), err_msg=name)
    assert back.joint_names == data.joint_names


def test_a_suffix_without_a_writer(tmp_path):
    with pytest.raises(FileError, match=r"unknown suffix '.xlsx'; known: .npz, .csv, .parquet"):
        write_dataset(rich("torque"), tmp_path / "log.xlsx")
    with pytest.raises(FileError, match="can't be written"):
        write_dataset(rich("torque"), tmp_path / "absent" / "log.npz")


def test_other_programs_read_what_is_written(tmp_path):
    write_dataset(rich("torque", joint_names=()), tmp_path / "log.csv")
    table = csv.read_csv(tmp_path / "log.csv")
    assert table.column_names[:4] == ["time", "q1", "q2", "q3"]
    assert table.column_names[-4:] == ["mask1", "mask2", "mask3", "segment"]
