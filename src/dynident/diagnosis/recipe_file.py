"""The YAML beside a data file that corrects how it is read, made of what is there already and of a diagnosis."""

from __future__ import annotations

from pathlib import Path

import yaml

from dynident.core.files import write_atomically
from dynident.core.options import changes, map_values
from dynident.data import Dataset, Reading
from dynident.data.reading.load import find_reading
from dynident.data.reading.reading import read_reading
from dynident.diagnosis.correction import Correction
from dynident.diagnosis.remedies import in_python
from dynident.errors import FileError, Remedy


def recipe_text(file: Path, correction: Correction, log: Dataset, given: Reading | None = None) -> tuple[Path, str]:
    """Which YAML corrects the reading of a data file, and what must be in it.

    What a YAML beside the data says already stays, and is combined with the correction, which was found on the log that was read with it.
    So is what was given when the data were read, which goes before the YAML.
    """
    beside = find_reading(file)
    reading = given or Reading()
    if beside is not None:
        reading = reading.over(read_reading(beside))
    if Path(reading.preset).is_file():  # found from anywhere
        reading = reading.over(Reading(preset=str(Path(reading.preset).resolve())))
    whole = reading.then(correction.rounded, log) if correction.recipe else reading
    target = beside if beside is not None and beside.name != "dataset.yaml" else file.with_name(file.name + ".yaml")
    lines = map_values(changes(whole, by_key=True, every=True), _plain)
    heading = "# How this log is to be read, as dynident doctor found it.\n"
    return target, heading + yaml.safe_dump(lines, sort_keys=False, default_flow_style=None, allow_unicode=True)


def write_recipe(file: Path, correction: Correction, log: Dataset, given: Reading, *, overwrite: bool = False) -> Path | None:
    """Write that YAML, and return it; None where there is nothing to say that is not in one.

    overwrite : combine them where the YAML is there already, which otherwise is a FileError.
    """
    right = not correction.recipe
    if right and not changes(given):
        return None
    target, text = recipe_text(file, correction, log, given)
    if target.exists() and not overwrite:
        if right:
            return None
        remedy = Remedy(f"add to it what was found ({in_python(correction)}), or combine them with {{overwrite}}", overwrite=True)
        raise FileError(target, "is there already", remedy=remedy)
    write_atomically(target, text)
    return target


def _plain(value: object) -> object:
    """A product or a sum without the digits that rounding has made."""
    return float(f"{value:.12g}") if isinstance(value, float) else value
