"""Archives that are damaged are named, whatever NumPy raises at them."""

from __future__ import annotations

import io

import numpy as np
import pytest

from dynident.core import archives
from dynident.core.archives import read_npz
from dynident.errors import FileError
from tests.facts import raises


def test_a_header_whose_parenthesis_is_lost(tmp_path):
    """NumPy tokenizes a header that is no Python expression; a large array is not read to the checksum at its end before that."""
    stream = io.BytesIO()
    np.savez(stream, a=np.arange(10000.0))
    file = tmp_path / "a.npz"
    file.write_bytes(stream.getvalue().replace(b"'shape': (10000,), }", b"'shape': (10000,(, }"))
    with raises(FileError, "a", file=str(file)):
        read_npz(file)


def test_an_error_of_our_own_is_no_damage(tmp_path, monkeypatch):
    """It keeps its traceback."""

    def fail(*_: object) -> None:
        raise TypeError("a bug")

    np.savez(tmp_path / "a.npz", a=np.zeros(3))
    monkeypatch.setattr(archives, "_check_header", fail)
    with pytest.raises(TypeError, match="a bug"):
        read_npz(tmp_path / "a.npz")
