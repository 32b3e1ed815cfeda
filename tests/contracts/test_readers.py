"""What every reader and writer of the registries must do: the same log in any format is the same dataset, and broken ones are refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pyarrow as pa
import pytest
import scipy.io
from pyarrow import csv, parquet

from dynident import load_robot
from dynident.core import large_arrays
from dynident.core.options import Options, declared_options, option
from dynident.data import ControllerSamples, Dataset, load_controller_samples, load_dataset, load_recording, write_dataset
from dynident.data.formats import reader as reader_module
from dynident.data.formats.reader import Reader
from dynident.data.formats.registry import READERS, reader_of
from dynident.data.formats.writing import WRITERS
from dynident.errors import FileError, MissingExtraError, UnknownNameError
from dynident.runs import read_estimate
from tests.bags import State, joint_states
from tests.bags import write_bag as write_bag_file
from tests.facts import raises
from tests.logs import synthetic_log

SUFFIXES = sorted(suffix for reader in READERS.values() for suffix in reader.suffixes)
#: Bags hold messages on a clock of their own, and no arrays of any other name.
BAGS = (".bag", ".db3", ".mcap")
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


def write_messages(file: Path, content: dict[str, np.ndarray]) -> None:
    arrays = {"position": content["q"], "velocity": content["dq"], "effort": content["tau"]}
    write_bag_file(file, joint_states("/joint_states", content["t"], ["joint1", "joint2", "joint3"], **arrays))


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
    **dict.fromkeys(BAGS, write_messages),
}


@pytest.fixture(params=[suffix for suffix in SUFFIXES if suffix not in BAGS])
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


@pytest.mark.parametrize("suffix", BAGS)
def test_the_same_log_in_a_bag_is_the_same_but_for_its_clock(suffix, tmp_path):
    FOREIGN[suffix](tmp_path / f"log{suffix}", LOG)
    data = load_dataset(tmp_path / f"log{suffix}")
    np.testing.assert_allclose(data.time, LOG["t"] - LOG["t"][0], atol=2e-9)
    for name, key in (("q", "q"), ("dq", "dq"), ("effort", "tau")):
        np.testing.assert_array_equal(getattr(data, name), LOG[key], err_msg=name)


def in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file is large, and every array lives on disk."""
    monkeypatch.setattr(reader_module, "LARGE", 0)
    monkeypatch.setattr(large_arrays, "LARGEST_IN_MEMORY", 0)


def test_a_large_file_is_the_same_dataset_and_says_how_far_it_is(save, monkeypatch):
    file = save()
    reader = reader_of(file)
    if reader is None or reader.read_large is None:
        pytest.skip("this format is read as a whole")
    whole = load_dataset(file)
    in_pieces(monkeypatch)
    shares: list[float] = []
    pieces = load_recording(file, progress=shares.append)
    for name in ("time", "q", "dq", "ddq", "effort"):
        np.testing.assert_array_equal(getattr(pieces, name), getattr(whole, name), err_msg=name)
    assert pieces.provenance == whole.provenance
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_large_files_are_refused_as_small_ones_are(save, monkeypatch):
    in_pieces(monkeypatch)
    with raises(FileError, "q", "nan", "sample", 9, "'joint1'"):
        load_dataset(save(q=changed("q", 9, np.nan)))
    with raises(FileError, "q"):
        load_dataset(save({"t": LOG["t"], "angles": LOG["q"]}))


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_integers_texts_and_stamps_of_large_files(suffix, tmp_path, monkeypatch):
    stamps = 1_700_000_000_123_456_789 + 2_000_001 * np.arange(5000)
    counts = np.arange(5000) // 10
    table = pa.table({"time": stamps, "q1": np.where(counts > 300, counts + 0.5, counts), "q2": counts, "state": ["running"] * 5000})
    file = tmp_path / f"log{suffix}"
    csv.write_csv(table, file) if suffix == ".csv" else parquet.write_table(table, file)
    whole = load_dataset(file, units={"time": "ns"})
    in_pieces(monkeypatch)
    pieces = load_dataset(file, units={"time": "ns"})
    np.testing.assert_array_equal(pieces.time, whole.time)
    np.testing.assert_array_equal(pieces.q, whole.q)


def test_a_broken_line_of_a_large_text_is_named(tmp_path, monkeypatch):
    in_pieces(monkeypatch)
    lines = ["t,q1,tau1", *(f"{0.01 * i:.2f},{i / 7},{i}" for i in range(5000))]
    for blank in (False, True):
        for wrong, facts in (("1.0,2.0", ("line 4001", 2, 3)), ("1.0,two,3.0", ("two",))):
            text = "\n".join([*lines[:4000], wrong, *lines[4000:]])
            (tmp_path / "log.csv").write_text(text.replace(",", "  ") if blank else text)
            with raises(FileError, "log.csv", *facts):
                load_dataset(tmp_path / "log.csv")


def test_a_text_with_blanks_is_the_same_in_pieces_with_its_comments_and_a_byte_order_mark(tmp_path, monkeypatch):
    values = np.arange(1500.0).reshape(500, 3) / 7.0
    rows = "".join(f"  {t!r}\t{q!r}   {tau!r} # sample\r\n# a comment\r\n" for t, q, tau in values.tolist())
    (tmp_path / "log.txt").write_bytes(f"\ufefft q1 tau1\r\n{rows}".encode())
    whole = load_dataset(tmp_path / "log.txt")
    np.testing.assert_array_equal(np.column_stack([whole.time, whole.q, whole.effort]), values)
    in_pieces(monkeypatch)
    np.testing.assert_array_equal(load_dataset(tmp_path / "log.txt").effort, whole.effort)


def test_the_same_samples_are_the_same(save):
    data = load_controller_samples(save(SAMPLES))
    assert isinstance(data, ControllerSamples)
    for name in ("q", "M", "g"):
        np.testing.assert_array_equal(getattr(data, name), SAMPLES[name], err_msg=name)


def changed(name: str, index: int, value: float) -> np.ndarray:
    array = np.array(LOG[name])
    array[index] = value
    return array


def test_repeated_stamps(save):
    with raises(FileError, "time", "twice", 6, 7):
        load_dataset(save(t=changed("t", 7, LOG["t"][6])))


def test_stamps_that_go_back(save):
    with raises(FileError, "time", "back", "sample", 7):
        load_dataset(save(t=changed("t", 7, LOG["t"][3])))


def test_undefined_numbers(save):
    with raises(FileError, "q", "nan", "sample", 9, "'joint1'"):
        load_dataset(save(q=changed("q", 9, np.nan)))


def test_lengths_that_disagree(save):
    # a table can't have a short column, only an empty cell in it
    with pytest.raises(FileError, match=r"50 elsewhere|is nan at sample 49|line 51: has"):
        load_dataset(save(dq=LOG["dq"][:-1]))


def test_missing_columns_are_listed(save):
    content = {"t": LOG["t"], "angles": LOG["q"]}
    with raises(FileError, "q", remedy={"columns": {"q": "..."}}):
        load_dataset(save(content))


def test_a_missing_clock(save):
    with raises(FileError, "time", "column"):
        load_dataset(save(t=None))


def test_wrong_number_of_joints_says_both(save):
    with pytest.raises(FileError, match=r"\(50, 2\); expected \(50, 3\)|q has 3 \(1, 2, 3\), effort has 2"):
        load_dataset(save(tau=LOG["tau"][:, :2]))


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("content", [b"", b"\x00\x01\x02 nothing", b"PK\x03\x04broken archive", b"PAR1....PAR1"])
def test_what_is_not_such_a_file(suffix, content, tmp_path):
    file = tmp_path / f"log{suffix}"
    file.write_bytes(content)
    with pytest.raises(FileError, match=f"log{suffix}"):
        load_dataset(file)


@pytest.mark.parametrize("suffix", SUFFIXES)
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
    with raises(FileError, "'extra'", "pickled"):
        load_dataset(tmp_path / "log.npz")
    np.array([{"a": 1}], dtype=object).dump(tmp_path / "pickle.npz")
    with raises(FileError, ".npz", file=str(tmp_path / "pickle.npz")):
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
    back = load_controller_samples(tmp_path / f"log{suffix}")
    assert isinstance(back, ControllerSamples)
    for name in ("q", "M", "g", "dq", "c"):
        np.testing.assert_array_equal(getattr(back, name), getattr(data, name), err_msg=name)
    assert back.joint_names == data.joint_names


def test_a_suffix_without_a_writer(tmp_path):
    with raises(FileError, "'.xlsx'", ".npz, .csv, .parquet"):
        write_dataset(rich("torque"), tmp_path / "log.xlsx")
    with raises(FileError, "written", file=str(tmp_path / "absent" / "log.npz")):
        write_dataset(rich("torque"), tmp_path / "absent" / "log.npz")


def test_other_programs_read_what_is_written(tmp_path):
    write_dataset(rich("torque", joint_names=()), tmp_path / "log.csv")
    table = csv.read_csv(tmp_path / "log.csv")
    assert table.column_names[:4] == ["time", "q1", "q2", "q3"]
    assert table.column_names[-4:] == ["mask1", "mask2", "mask3", "segment"]


def test_no_two_readers_want_the_same_files():
    assert len(set(SUFFIXES)) == len(SUFFIXES)
    assert all(item.help.endswith(".") for reader in READERS.values() for item in declared_options(reader.options))


def test_one_group_of_an_hdf5_file(tmp_path):
    file = tmp_path / "log.h5"
    with h5py.File(file, "w") as stream:
        for trial, factor in (("trial1", 1.0), ("trial2", 2.0)):
            for name, array in LOG.items():
                stream[f"{trial}/{name}"] = factor * array
    one, two = (load_dataset(file, reader_options={"group": group}) for group in ("trial1", "trial2"))
    np.testing.assert_array_equal(two.q, 2.0 * LOG["q"])
    assert two.provenance.overlap(one.provenance) == 0.0, "two recordings in one file are not the same data"
    with raises(UnknownNameError, name="trial3", known=("trial1", "trial2")):
        load_dataset(file, reader_options={"group": "trial3"})


@dataclass(frozen=True, kw_only=True)
class BagOptions(Options):
    topic: str = option("/joint_states", "Topic that holds the joints' states.")


def read_bag(path: Path, options: BagOptions) -> dict[str, np.ndarray]:
    topics = json.loads((path / "metadata.json").read_text())
    if options.topic not in topics:
        raise UnknownNameError(f"topic in {path.name}", options.topic, topics)
    return dict(np.load(path / topics[options.topic]))


def write_bag(folder: Path, **topics: Dataset) -> Path:
    folder.mkdir()
    files = {f"/{name}": f"{name}.npy.zip" for name in topics}
    (folder / "metadata.json").write_text(json.dumps(files))
    for name, data in topics.items():
        with (folder / files[f"/{name}"]).open("wb") as stream:
            np.savez(stream, t=data.time, q=data.q, dq=data.dq, tau=data.effort)
    return folder


@pytest.fixture
def bags(monkeypatch: pytest.MonkeyPatch) -> None:
    """A format that nobody but this test knows, registered as a new line in the registry would: a recording is a folder."""
    monkeypatch.setitem(READERS, "bag", Reader(name="bag", read=read_bag, marker="metadata.json", options=BagOptions))


@pytest.fixture
def two_arms(tmp_path: Path) -> Path:
    left, right = (synthetic_log("planar_2r", noise=0.01, seed=seed) for seed in (1, 2))
    return write_bag(tmp_path / "bag", joint_states=left, right_arm=right)


@pytest.mark.usefixtures("bags")
def test_a_new_format_that_is_a_folder_with_options(two_arms, tmp_path):
    left = load_dataset(two_arms)
    right = load_dataset(two_arms, reader_options={"topic": "/right_arm"})
    assert left.samples == right.samples
    assert not np.array_equal(left.effort, right.effort)
    assert set(left.provenance.files) == {"bag/joint_states.npy.zip", "bag/metadata.json", "bag/right_arm.npy.zip"}
    assert right.provenance.overlap(left.provenance) == 0.0
    assert load_dataset(tmp_path).samples == left.samples, "a folder of recordings"
    (tmp_path / "bag.yaml").write_text("reader_options: {topic: /right_arm}")
    np.testing.assert_array_equal(load_dataset(two_arms).effort, right.effort)
    with raises(UnknownNameError, name="/legs", known=("/joint_states", "/right_arm")):
        load_dataset(two_arms, reader_options={"topic": "/legs"})
    with raises(UnknownNameError, name="topics", known=("topic",)):
        load_dataset(two_arms, reader_options={"topics": "/legs"})
    with raises(FileError, "metadata.json"):
        load_dataset(_empty(tmp_path))
    with raises(FileError, "'.doc'", "metadata.json"):
        load_dataset(_empty(tmp_path, "log.doc"))


def _empty(folder: Path, file: str = "") -> Path:
    (folder / "empty").mkdir(exist_ok=True)
    if file:
        (folder / "empty" / file).touch()
    return folder / "empty" / file


@pytest.mark.usefixtures("bags")
def test_the_command_line_knows_a_new_format(command, two_arms, tmp_path):
    assert "dynident presets --formats" in command("identify", "--help")[1]
    _, text = command("presets", "--formats")
    assert "folders with metadata.json" in text
    assert "topic, topic that holds the joints' states (/joint_states)" in text
    words = ("identify", "planar_2r", two_arms, "-o", tmp_path / "run")
    assert command(*words, "--reader-option", "topic=/right_arm")[0] == 0
    estimate = json.loads((tmp_path / "run" / "estimate.json").read_text())
    assert estimate["preprocessing"]["read"]["reader_options"] == {"topic": "/right_arm"}
    code, text = command("validate", tmp_path / "run", two_arms)
    assert (code, "100.0% of the samples are those of the identification" in text) == (0, True), "read as the run's were"
    assert command(*words, "--reader-option", "topic") == (2, "dynident: --reader-option is 'topic'; expected NAME=VALUE")


def test_a_format_whose_library_is_not_installed_names_the_extra(monkeypatch, tmp_path):
    def read(path: Path, options: object) -> dict[str, np.ndarray]:
        return import_module("a_library_for_tapes").read(path)

    monkeypatch.setitem(READERS, "tape", Reader(name="tape", read=read, suffixes=(".tape",), extra="tapes"))
    (tmp_path / "log.tape").touch()
    with raises(MissingExtraError, "a_library_for_tapes", '"dynident[tapes]"'):
        load_dataset(tmp_path / "log.tape")


def test_identify_reads_a_bag_as_it_reads_a_file(command, tmp_path):
    log = synthetic_log(noise=0.05)
    write_dataset(log, tmp_path / "log.npz")
    names = load_robot("planar_2r").joint_names
    states = [
        *joint_states(
            "/joint_states", log.time, names[::-1], position=log.q[:, ::-1], velocity=log.dq[:, ::-1], effort=log.effort[:, ::-1]
        ),
        *joint_states("/joint_states", log.time[::9], ["finger"], position=np.zeros((len(log.time[::9]), 1))),
        State("/hello", "String", 0.0),
    ]
    bag = write_bag_file(tmp_path / "bag", states)
    values = []
    for data, words in ((bag, ["--topic", "/joint_states"]), (tmp_path / "log.npz", ["--map", "ddq=none"])):
        assert command("identify", "planar_2r", data, "-o", tmp_path / "run", *words)[0] == 0
        values.append(read_estimate(tmp_path / "run").values)
    np.testing.assert_allclose(values[0], values[1], rtol=1e-6)
    code, text = command("identify", "planar_2r", bag, "-o", tmp_path / "run", "--topic", "/hello")
    assert (code, "no joint states in /hello; found: /hello (std_msgs/msg/String, 1 messages), /joint_states" in text) == (2, True)
