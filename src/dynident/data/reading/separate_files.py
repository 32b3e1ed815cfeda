"""A log whose quantities were recorded in a file each, on one clock or on clocks of their own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynident.core.files import file_digest
from dynident.data.controller_samples import ControllerSamples
from dynident.data.dataset import Dataset
from dynident.data.formats.registry import read_table
from dynident.data.reading.assemble import assemble
from dynident.data.reading.columns import Content, choose, effort_role_of
from dynident.data.reading.quantities import DESCRIPTIONS, meaning
from dynident.data.reading.reading import Reading
from dynident.data.reading.stacks import stack
from dynident.data.signals.clocks import merge_clocks
from dynident.errors import FileError


def load_quantities(path: Path, files: Mapping[str, str], recipe: Reading) -> Dataset | ControllerSamples:
    """One log; all columns of a file are its quantity unless the map chooses. path : of the YAML that names the files.

    Files that have a clock of their own, other than that of the positions, are put onto that one, where all of them were recorded.
    """
    if "q" not in files:
        raise FileError(path, "q is missing; name the file with the positions", place="files")
    arrays: dict[str, Any] = {}
    clocks: dict[str, NDArray[Any]] = {}
    digests: dict[str, str] = {}
    role = ""
    for name, file_name in files.items():
        if not recipe.patterns.get(name, "all"):
            continue
        file = path.parent / file_name
        table = read_table(file, recipe.reader_options)
        digests |= digests_of(file)
        clock = [column for column in table if (item := meaning(column)) and item.role == "time"]
        others = [column for column in table if column not in clock and column not in DESCRIPTIONS]
        chosen = choose(file, table, name, recipe.patterns.get(name) or (clock if name == "time" and clock else others))
        arrays[name] = stack(file, table, name, chosen)
        if clock and "time" not in files and recipe.sampling_rate is None:
            clocks[name] = stack(file, table, "time", clock)
        if name == "effort":
            role = effort_role_of(chosen)
    if "q" in clocks:
        arrays = _on_one_clock(path, arrays, clocks)
    return assemble(path, Content(arrays=arrays, joint_names=(), effort_role=role, starts=(0,)), recipe, digests)


def digests_of(path: Path) -> dict[str, str]:
    """{name: SHA-256} of a file, or of all files in a folder."""
    if not path.is_dir():
        return {path.name: file_digest(path)}
    return {str(file.relative_to(path.parent)): file_digest(file) for file in sorted(path.rglob("*")) if file.is_file()}


def _on_one_clock(path: Path, arrays: Mapping[str, NDArray[Any]], clocks: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The arrays on the clock of q, with that clock as `time`; those without a clock have q's."""
    if all(np.array_equal(clock, clocks["q"]) for clock in clocks.values()):
        return {**arrays, "time": clocks["q"]}
    for name, clock in clocks.items():
        if len(clock) < 2 or not np.all(clock[1:] > clock[:-1]):
            raise FileError(path, f"the clock of {name} does not increase from sample to sample; sort its file, and drop repeated samples")
    merged = merge_clocks(clocks["q"], [(clock, arrays[name]) for name, clock in clocks.items()])
    if np.count_nonzero(merged.kept) < 2:
        raise FileError(path, f"the files of {' and '.join(clocks)} have no time in common; check their clocks and units")
    joined: dict[str, NDArray[Any]] = {name: values[merged.kept] for name, values in arrays.items() if name not in clocks}
    joined |= {"time": clocks["q"][merged.kept], **dict(zip(clocks, merged.values, strict=True))}
    heard = np.all(merged.heard, axis=0)
    return joined if heard.all() else {"mask": np.repeat(heard[:, None], arrays["q"].shape[1], axis=1), **joined}
