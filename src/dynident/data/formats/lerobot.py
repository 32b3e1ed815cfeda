# pyright: basic
"""LeRobot datasets: a folder with meta/info.json and Parquet files, every episode a segment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynident.core.files import read_json
from dynident.core.options import NoOptions
from dynident.data.formats.parquet import read_parquet
from dynident.data.formats.reader import Reader
from dynident.errors import FileError

#: Features that hold the joints' states, and our names for them.
_FEATURES = {"observation.state": "position", "observation.velocity": "velocity", "observation.effort": "effort"}
#: What drivers append to the name of a motor.
_POSITION = ".pos"


def read_lerobot(path: Path, options: NoOptions | None = None) -> dict[str, NDArray[Any]]:
    """position, velocity and effort of all episodes, time [s] since the start of each, segment, joint_names."""
    info = read_json(path / "meta" / "info.json")
    files = sorted(path.glob("data/**/*.parquet"))
    if not files:
        raise FileError(path, "has no Parquet file below its folder data; download the data of the dataset too")
    tables = [read_parquet(file) for file in files]
    for file, table in zip(files, tables, strict=True):
        for name in ("observation.state", "episode_index", "frame_index"):
            if name not in table:
                raise FileError(file, f"has no column {name!r}, which every LeRobot dataset has")
    shared = [name for name in tables[0] if all(name in table for table in tables)]
    joined = {name: np.concatenate([table[name] for table in tables]) for name in shared if tables[0][name].ndim in (1, 2)}
    fps = info.get("fps")
    if not isinstance(fps, (int, float)) or isinstance(fps, bool) or not fps > 0:
        raise FileError(path / "meta" / "info.json", f"fps is {fps!r}; a positive number was expected")
    content = {ours: joined[name] for name, ours in _FEATURES.items() if name in joined}
    # the stamps of the files are rounded to 32 bits
    content |= {"time": joined["frame_index"] / float(fps), "segment": joined["episode_index"]}
    names = _joint_names(info, content["position"].shape[1])
    return content | ({"joint_names": np.array(names)} if names else {})


READER = Reader(name="lerobot", read=read_lerobot, marker="meta/info.json", apart=True)


def _joint_names(info: dict[str, Any], count: int) -> list[str]:
    """Names of the motors, where the dataset gives one for each."""
    names: Any = info.get("features", {}).get("observation.state", {}).get("names")
    while isinstance(names, dict) and len(names) == 1:
        names = next(iter(names.values()))
    if not isinstance(names, list) or len(names) != count:
        return []
    return [str(name).removesuffix(_POSITION) for name in names]
