"""The YAML beside a data file that corrects how it is read, made of what is there already and of a diagnosis."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import yaml

from dynident.core.files import read_yaml, write_atomically
from dynident.core.options import changes
from dynident.data.reading.reading import Reading
from dynident.doctor.correction import Correction
from dynident.doctor.remedies import in_python
from dynident.errors import FileError, Remedy


def recipe_text(data: Path, correction: Correction, told: Reading | None = None) -> tuple[Path, str]:
    """Which file corrects the reading of a data file, and what must be in it.

    What a YAML beside the data says already stays, and is combined with the correction, which was found on data that were read with it.
    So is what was told when the data were read, which goes before the YAML.
    """
    if data.suffix.lower() in (".yaml", ".yml"):
        beside: Path | None = data
    else:
        candidates = (data.with_name(data.name + ".yaml"), data / "dataset.yaml", data.with_name("dataset.yaml"))
        beside = next((path for path in candidates if path.is_file()), None)
    before: dict[str, Any] = {} if beside is None else read_yaml(beside)
    target = beside if beside is not None and beside.name != "dataset.yaml" else data.with_name(data.name + ".yaml")
    merged = _combine(target, before if told is None else _told(before, told), correction)
    heading = "# How this log is to be read, as dynident doctor found it.\n"
    return target, heading + yaml.safe_dump(merged, sort_keys=False, default_flow_style=None, allow_unicode=True)


def write_recipe(data: Path, correction: Correction, told: Reading, *, force: bool = False) -> Path | None:
    """Write that file, and return it; None where there is nothing to say that is not in one.

    force : combine them where the file is there already, which otherwise is a FileError.
    """
    right = not correction.recipe
    if right and not told.to_dict():
        return None
    target, text = recipe_text(data, correction, told)
    if target.exists() and not force:
        if right:
            return None
        remedy = Remedy(f"add to it what was found ({in_python(correction)}), or combine them with {{force}}", force=True)
        raise FileError(target, "is there already", remedy=remedy)
    write_atomically(target, text)
    return target


def _told(before: dict[str, Any], told: Reading) -> dict[str, Any]:
    """The lines of a YAML with what was told in place of what it says; a preset that is a file is found from anywhere."""
    lines = changes(told, by_key=True)
    lines |= {name: {**before.get(name, {}), **value} for name, value in lines.items() if isinstance(value, dict)}
    if Path(told.preset).is_file():
        lines["preset"] = str(Path(told.preset).resolve())
    return {**before, **lines}


def _combine(target: Path, before: dict[str, Any], correction: Correction) -> dict[str, Any]:
    after = dict(before)
    for name, value in correction.recipe.items():
        old = before.get(name)
        if old is None:
            after[name] = value
        elif name in ("columns", "units"):
            clash = [key for key in value if key in old]
            if clash and name == "units":
                raise FileError(
                    target, f"says the unit of {', '.join(clash)} already, and it seems to be another: {value}; correct it by hand"
                )
            after[name] = {**old, **value}
        elif name in ("effort_gains", "signs", "effort_signs", "gear_ratios"):
            after[name] = _pairs(old, value, product=True)
        elif name in ("offsets", "delay"):
            after[name] = _pairs(_signed(old, correction) if name == "offsets" else old, value, product=False)
        elif name == "without":
            after[name] = [*old, *value]
        elif name in ("joints", "effort_joints"):
            after[name] = [old[int(column.removeprefix("joint")) - 1] for column in value]
        else:
            after[name] = value
    if "signs" in before and "effort_signs" not in before and "effort_signs" in correction.recipe:
        after["effort_signs"] = _pairs(before["signs"], correction.recipe["effort_signs"], product=True)
    return after


def _signed(offsets: Any, correction: Correction) -> Any:
    return offsets if correction.signs is None else (np.asarray(offsets, dtype=float) * correction.signs).tolist()


def _pairs(old: Any, new: Any, *, product: bool) -> Any:
    """Products or sums, joint by joint; one number for all joints where both are."""
    a, b = np.asarray(old, dtype=float), np.asarray(new, dtype=float)
    found = a * b if product else a + b
    rounded = np.where(found == np.round(found), np.round(found), found).tolist()
    whole = [int(x) if x == int(x) and product and abs(x) == 1 else x for x in np.atleast_1d(rounded).tolist()]
    return whole[0] if found.ndim == 0 else whole
