"""Recorded data from a file, several files or a folder, with an optional YAML beside the data that says how to read it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypedDict, Unpack, cast

from numpy.typing import ArrayLike

from dynident.data.controller_samples import ControllerSamples
from dynident.data.dataset import Dataset, EffortKind
from dynident.data.formats.registry import known_formats, read_table, reader_of
from dynident.data.reading.assemble import assemble
from dynident.data.reading.columns import understand
from dynident.data.reading.presets import present_columns, read_preset
from dynident.data.reading.quantities import natural_order
from dynident.data.reading.recipe import (
    Recipe,
    check_columns,
    check_delay,
    check_effort_gains,
    check_effort_signs,
    check_gears,
    check_low_pass,
    check_offsets,
    check_rate,
    check_units,
    check_without,
    read_recipe,
)
from dynident.data.reading.separate_files import digests_of, load_quantities
from dynident.errors import FileError

_FOLDER_RECIPE = "dataset.yaml"
_YAML = (".yaml", ".yml")

DataPath: TypeAlias = str | Path | Sequence[str | Path]
ColumnMap: TypeAlias = Mapping[str, str | Sequence[str] | None] | None
UnitMap: TypeAlias = Mapping[str, str | Sequence[str]] | None


class ReadingArguments(TypedDict, total=False):
    """The arguments of `load_dataset`, all of which can be left out."""

    columns: ColumnMap
    units: UnitMap
    joints: Sequence[str] | None
    effort_kind: str | EffortKind | None
    effort_gains: ArrayLike | None
    effort_signs: ArrayLike | None
    gears: ArrayLike | None
    offsets: ArrayLike | None
    delay: ArrayLike | None
    rate: float | None
    without: Sequence[tuple[float, float]] | None
    low_pass: Mapping[str, ArrayLike] | None
    reader_options: Mapping[str, object] | None
    preset: str | Path | None
    robot_joints: Sequence[str]
    progress: Callable[[float], None] | None


def load_dataset(
    path: DataPath,
    *,
    columns: ColumnMap = None,
    units: UnitMap = None,
    joints: Sequence[str] | None = None,
    effort_kind: str | EffortKind | None = None,
    effort_gains: ArrayLike | None = None,
    effort_signs: ArrayLike | None = None,
    gears: ArrayLike | None = None,
    offsets: ArrayLike | None = None,
    delay: ArrayLike | None = None,
    rate: float | None = None,
    without: Sequence[tuple[float, float]] | None = None,
    low_pass: Mapping[str, ArrayLike] | None = None,
    reader_options: Mapping[str, object] | None = None,
    preset: str | Path | None = None,
) -> Dataset:
    """Read a log of a moving robot; what a controller returned (q with M or g) is for `load_controller_samples`.

    path         A file, a list of files, a folder (one recording where a format is a folder, else all data files in it, in
                 natural order), or a YAML file that lists the files under `files`. Many files make one dataset with a
                 segment (or more) per file.
    columns      Our name -> the file's columns: {"q": "pos_*", "time": "stamp"}; an exact name, a wildcard, a range
                 "first:last" in the file's order, or a list of these. Names such as t, q1, velocities need no map.
                 {"ddq": None} ignores a quantity that the file has.
    units        Our name -> unit: {"q": "deg", "dq": "deg/s", "time": "ms", "effort": "mNm"}; SI where nothing is said.
    joints       Names for the joints, or their order when the file has names.
    effort_kind  "torque", "current" or "magnitude", when the names of the columns don't say it; the magnitude of a column that is a
                 current, by its name or unit, is a "current_magnitude".
    effort_gains Torque per unit of recorded effort, one or one per joint, negative where it counts the other way: [14.9, -12.1] N·m/A.
                 A current is a torque then. Where there are gear ratios, they are those of the motor.
    effort_signs +1 or -1, one or one per joint, for efforts alone; `signs` of the YAML are then for the motion alone.
    gears        Of a log of motors: a ratio per joint, or R with motor = R · joint where motors turn several joints.
    offsets      Added to the joint positions last [rad | m].
    delay        How much later than the positions the efforts were stamped [s], one or one per joint; negative where they were earlier.
    rate         Sampling rate [Hz] of a log without stamps, or in place of stamps that are wrong.
    without      Intervals (from, to) of the log's clock [s] that are not used: [(12.5, 13.1)]. For one file at a time.
    low_pass     Each signal behind a zero-phase low-pass of its own before anything is derived, as papers do: {"q": 1.0, "effort": 2.0}
                 [Hz], one or one per joint. This biases the model, because the regressor is not linear in q; identification filters both
                 sides of its equations alike instead, at 5 Hz. An uneven clock is made uniform first.
    reader_options  Options that the reader of the format has of its own: {"group": "trial2"} of HDF5.
    preset       Name of a preset (`list_presets`), or a YAML file of your own, for what neither these arguments nor a YAML beside the
                 data say; of its columns those that a file lacks are left out.

    `<file>.yaml` beside a file, or `dataset.yaml` in its folder, can say the same and more (signs, gear ratios, offsets,
    skip); arguments override it. All files are read before anything is returned.
    """
    data = load_recording(
        path,
        columns=columns,
        units=units,
        joints=joints,
        effort_kind=effort_kind,
        effort_gains=effort_gains,
        effort_signs=effort_signs,
        gears=gears,
        offsets=offsets,
        delay=delay,
        rate=rate,
        without=without,
        low_pass=low_pass,
        reader_options=reader_options,
        preset=preset,
    )
    if isinstance(data, ControllerSamples):
        held = ", ".join(data.present)
        raise FileError(data.source or "data", f"holds a controller's samples ({held}) and no log; read it with load_controller_samples")
    return data


def load_controller_samples(
    path: DataPath,
    *,
    columns: ColumnMap = None,
    units: UnitMap = None,
    joints: Sequence[str] | None = None,
    reader_options: Mapping[str, object] | None = None,
) -> ControllerSamples:
    """Read what a controller returned: q with M or g or both, and dq with c. The arguments are those of `load_dataset`."""
    data = load_recording(path, columns=columns, units=units, joints=joints, reader_options=reader_options)
    if isinstance(data, Dataset):
        raise FileError(data.source or "data", "holds a log, and no M or g of a controller; read it with load_dataset")
    return data


def load_recording(path: DataPath, **reading: Unpack[ReadingArguments]) -> Dataset | ControllerSamples:
    """Whichever of the two the files hold: q with M or g but no effort are controller samples, anything else is a log.

    The arguments are those of `load_dataset`. robot_joints : names of the robot's joints; of a bag, which has those of grippers and
    others too, only these are read, in this order. progress : called now and then with the share that was read, 0 to 1.
    """
    log, samples = load_log_and_samples(path, **reading)
    if log is not None and samples is not None:
        raise FileError(samples.source, f"holds controller samples (q, M, g), but {log.source} is a log; load them one by one")
    return cast("Dataset | ControllerSamples", log or samples)


def load_log_and_samples(path: DataPath, **reading: Unpack[ReadingArguments]) -> tuple[Dataset | None, ControllerSamples | None]:
    """Both that files may hold, each joined to one; None for what none of them holds. The arguments are those of `load_recording`."""
    kind, joints = reading.get("effort_kind"), reading.get("joints")
    robot_joints, progress = tuple(reading.pop("robot_joints", ())), reading.pop("progress", None)
    given: dict[str, Any] = dict(reading) | {
        "columns": check_columns(reading.get("columns")),
        "units": check_units(reading.get("units")),
        "joints": None if joints is None else tuple(joints),
        "effort_kind": None if kind is None else EffortKind(kind),
        "effort_gains": check_effort_gains(reading.get("effort_gains")),
        "effort_signs": check_effort_signs(reading.get("effort_signs")),
        "gears": check_gears(reading.get("gears")),
        "offsets": check_offsets(reading.get("offsets")),
        "delay": check_delay(reading.get("delay")),
        "rate": check_rate(reading.get("rate")),
        "without": check_without(reading.get("without")) or None,
        "low_pass": check_low_pass(reading.get("low_pass")) or None,
        "preset": None if (preset := reading.get("preset")) is None else str(preset),
    }
    paths = [Path(path)] if isinstance(path, (str, Path)) else [Path(item) for item in path]
    if not paths:
        raise FileError("data", "no file was given")
    parts: list[Dataset | ControllerSamples] = []
    for i, item in enumerate(paths):
        if item.resolve() in {earlier.resolve() for earlier in paths[:i]}:
            raise FileError(item, "is given twice, so that its samples would count twice; give it once")
        share = None if progress is None else partial(_report_share, progress, i, len(paths))
        parts += _load(item, given, _Source(robot_joints=robot_joints, progress=share))
    if given["without"] is not None and len(parts) > 1:
        example = f"`without: {[list(pair) for pair in given['without']]}`"
        raise FileError(paths[0], f"without is for one recording, and there are {len(parts)}; write {example} into the YAML beside the one")
    logs = [part for part in parts if isinstance(part, Dataset)]
    samples = [part for part in parts if isinstance(part, ControllerSamples)]
    return Dataset.concatenate(logs) if logs else None, ControllerSamples.concatenate(samples) if samples else None


class _Source(NamedTuple):
    """What a reader is told beyond the recipe."""

    robot_joints: tuple[str, ...]
    progress: Callable[[float], None] | None


def _report_share(progress: Callable[[float], None], done: int, count: int, share: float) -> None:
    progress((done + share) / count)


def _load(path: Path, given: Mapping[str, Any], source: _Source) -> list[Dataset | ControllerSamples]:
    """The data of one argument: a file, a folder, or a YAML that lists files."""
    if path.is_dir():
        recipe_file = path / _FOLDER_RECIPE
        if recipe_file.is_file() and read_recipe(recipe_file).files:
            return _load(recipe_file, given, source)
        if reader_of(path) is not None:
            return [_load_file(path, _recipe_beside(path).override(**given), source)]
        found = [path / name for name in natural_order(file.name for file in path.iterdir() if _is_data(file))]
        if not found:
            raise FileError(path, f"holds no data file; known suffixes: {known_formats()}")
        return [_load_file(file, _recipe_beside(file).override(**given), source) for file in found]
    if path.suffix.lower() not in _YAML:
        return [_load_file(path, _recipe_beside(path).override(**given), source)]
    recipe = read_recipe(path).override(**given)
    if not recipe.files:
        raise FileError(path, "lists no data; give the data file, or list files in the YAML under `files`")
    if isinstance(recipe.files, Mapping):
        return [load_quantities(path, recipe.files, recipe)]
    return [_load_file(path.parent / name, recipe, source) for name in recipe.files]


def _is_data(file: Path) -> bool:
    return not file.name.startswith(".") and reader_of(file) is not None


def _recipe_beside(file: Path) -> Recipe:
    """`<file>.yaml`, else `dataset.yaml` in the folder (its own, where the recording is a folder), else nothing."""
    for candidate in (file.with_name(file.name + ".yaml"), file / _FOLDER_RECIPE, file.with_name(_FOLDER_RECIPE)):
        if candidate.is_file():
            return read_recipe(candidate)
    return Recipe()


def _load_file(file: Path, recipe: Recipe, source: _Source) -> Dataset | ControllerSamples:
    if recipe.preset:
        recipe = recipe.fill(read_preset(recipe.preset))
    wanted = recipe.effort_kind.value if recipe.effort_kind else ""
    table = read_table(file, recipe.reader_options, robot_joints=source.robot_joints, progress=source.progress)
    if recipe.segment:
        if recipe.segment not in table:
            raise FileError(file, f"has no column {recipe.segment!r}, which is to tell its segments; correct or drop `segment`")
        table = {**table, "segment": table[recipe.segment]}
    columns = present_columns(file, table, recipe.preset_columns, recipe.columns)
    content = understand(file, table, columns, effort_role=wanted)
    return assemble(file, content, recipe, digests_of(file))
