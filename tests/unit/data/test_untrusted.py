"""Binary files with flipped bits are read, or refused with a sentence, and never end the process; pipes and bombs are refused at once."""

from __future__ import annotations

import os

import numpy as np
import pytest

from dynident.core.files import read_text
from dynident.data.formats.registry import read_table
from dynident.errors import FileError
from tests.facts import raises

FLIPS = 12


def written(tmp_path, suffix):
    q = np.linspace(0.0, 1.0, 40).reshape(20, 2)
    path = tmp_path / f"log{suffix}"
    if suffix == ".mat":
        from scipy.io import savemat

        savemat(path, {"t": np.arange(20.0), "q": q, "log": {"tau": q}}, do_compression=True)
    else:
        import h5py

        with h5py.File(path, "w") as file:
            file["t"], file["q"] = np.arange(20.0), q
    return path


@pytest.mark.parametrize("suffix", [".mat", ".h5"])
def test_flipped_bits(tmp_path, suffix):
    path, rng = written(tmp_path, suffix), np.random.default_rng(0)
    whole = bytearray(path.read_bytes())
    told = 0
    for _ in range(FLIPS):
        damaged = bytearray(whole)
        damaged[int(rng.integers(len(whole)))] ^= 1 << int(rng.integers(8))
        path.write_bytes(damaged)
        try:
            read_table(path)
        except FileError as error:
            told += "\n" not in error.message
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(FileError):
        read_table(path)
    assert told <= FLIPS


@pytest.mark.parametrize("suffix", [".h5", ".mat"])
def test_data_of_other_files_are_not_fetched(tmp_path, suffix):
    import h5py

    (tmp_path / "secret.bin").write_bytes(np.arange(8.0).tobytes())
    with h5py.File(tmp_path / f"log{suffix}", "w") as file:
        file.create_dataset("q", (8,), "f8", external=[(str(tmp_path / "secret.bin"), 0, 64)])
    with raises(FileError, "other", "files", place="q"):
        read_table(tmp_path / f"log{suffix}")
    with h5py.File(tmp_path / f"other{suffix}", "w") as file:
        layout = h5py.VirtualLayout((8,), "f8")
        layout[:] = h5py.VirtualSource(str(tmp_path / f"log{suffix}"), "q", (8,))
        file.create_virtual_dataset("q", layout)
    with raises(FileError, "other", "files", place="q"):
        read_table(tmp_path / f"other{suffix}")


@pytest.mark.parametrize("read", [read_table, read_text])
def test_a_pipe_is_refused_and_not_waited_for(tmp_path, read):
    os.mkfifo(tmp_path / "log.csv")
    with raises(FileError, "device", "pipe"):
        read(tmp_path / "log.csv")


def test_a_text_without_end(tmp_path):
    with (tmp_path / "arm.urdf").open("wb") as file:
        file.truncate(300 << 20)
    with raises(FileError, 300, "MB"):
        read_text(tmp_path / "arm.urdf")
