"""How much of each part of some work is done, told by the processes that do it."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

import numpy as np

from dynident.core.arrays import Array


@dataclass(frozen=True)
class SharedShares:
    """Shares from 0 to 1 in a file, which processes of one machine write, and one of them reads. It can be pickled.

    Progress never ends the work: where the file can't be written, or on another machine, all shares stay zero.
    """

    file: Path
    parts: int

    @classmethod
    @contextmanager
    def of(cls, parts: int) -> Generator[SharedShares]:
        """For so many parts, as long as the context lasts."""
        with ExitStack() as stack:
            file = Path(os.devnull)
            with suppress(OSError):
                folder = mkdtemp(prefix="dynident-")
                stack.callback(rmtree, folder, ignore_errors=True)
                file = Path(folder) / "shares"
                file.write_bytes(np.zeros(parts).tobytes())
            yield cls(file, parts)

    def __call__(self, part: int, share: float) -> None:
        """Tell the share of a part."""
        with suppress(OSError):
            descriptor = os.open(self.file, os.O_WRONLY)
            try:
                os.pwrite(descriptor, np.float64(share).tobytes(), 8 * part)
            finally:
                os.close(descriptor)

    def read(self) -> Array:
        """(parts,) what was written last."""
        shares = np.zeros(self.parts)
        with suppress(OSError):
            content = self.file.read_bytes()
            if len(content) == shares.nbytes:
                shares[:] = np.frombuffer(content)
        return shares
