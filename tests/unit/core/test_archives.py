"""Archives that are damaged are named, whatever NumPy raises at them."""

from __future__ import annotations

import io

import numpy as np
import pytest

from dynident.core.archives import read_npz
from dynident.errors import FileError


def test_a_header_whose_parenthesis_is_lost(tmp_path):
    """NumPy tokenizes a header that is no Python expression; a large array is not read to the checksum at its end before that."""
    stream = io.BytesIO()
    np.savez(stream, a=np.arange(10000.0))
    file = tmp_path / "a.npz"
    file.write_bytes(stream.getvalue().replace(b"'shape': (10000,), }", b"'shape': (10000,(, }"))
    with pytest.raises(FileError, match="key 'a' is damaged"):
        read_npz(file)
