"""How a log is read, declared once: what Python takes as keywords, the YAML beside a log or a preset says, and the command line offers."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple, TypeAlias, cast

from dynident.core.kinds import NOT_STORED, Kind, Place, choice, instance, kind_of, number, only, pairs, several, show_word, span, whole
from dynident.core.options import Options, option, override, read_options_file
from dynident.data.reading.quantities import EFFORT_ROLES, UNITS, EffortKind, canonical, factor
from dynident.errors import FileError, InputError, Remedy, UnknownNameError, ValueRangeError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from dynident.data.dataset import Dataset
    from dynident.data.reading.transform import Transform
else:  # it takes long to import, and the kinds below say what is allowed
    ArrayLike = object

#: Columns of a quantity: names, wildcards, ranges first:last; nothing where it is to be ignored.
Patterns: TypeAlias = str | Sequence[str]
Unit: TypeAlias = str | Sequence[str]
Matrix: TypeAlias = tuple[tuple[float, ...], ...]


class RecordingOptions(NamedTuple):
    """Options that belong to a recording and can differ from file to file; each as in `Reading`."""

    sampling_rate: float | None
    clock: float | None
    delay: ArrayLike | None
    without: Sequence[tuple[float, float]]


BY_RECORDING = RecordingOptions._fields
#: Stands for all recordings that are not named.
OTHERS = "*"

#: Signals that can have a low-pass of their own.
FILTERED = ("q", "dq", "ddq", "effort")
#: Gains that an effort may be multiplied by are below this.
_LARGEST_GAIN = 1e9
#: Suffixes of files that say how a log is read.
YAML = (".yaml", ".yml")
#: Columns of a quantity that the file has, and that is not read.
_IGNORED = ("none",)
_TEXTS = several(kind_of(str))
_NAMES = replace(_TEXTS, repeated=False, metavar="NAME,...")
_NUMBERS = several(number(), at_least=1, metavar="N,...")


def _read_columns(value: Any, at: Place) -> tuple[str, ...]:
    return _IGNORED if value in ("", None, "none", ["none"], [], (), _IGNORED) else tuple(text.strip() for text in _TEXTS.read(value, at))


def _read_unit(value: Any, at: Place) -> Unit:
    units = _TEXTS.read([value] if isinstance(value, str) and at.file is not None else value, at)
    if not units or not all(units):
        raise at.refuse(value, "a unit, or one per joint")
    return units[0] if len(units) == 1 else units


def _read_matrix(value: Any, at: Place) -> Matrix:
    """R, also from a ratio per joint; typed, rows are separated by ;."""
    rows = value.tolist() if hasattr(value, "tolist") else value
    if at.typed and isinstance(rows, str) and ";" in rows:
        rows = [row.split(",") for row in rows.split(";")]
    if isinstance(rows, list | tuple) and rows and all(isinstance(row, list | tuple) for row in cast("Sequence[Any]", rows)):
        matrix = tuple(_NUMBERS.read(row, at / i) for i, row in enumerate(cast("Sequence[Any]", rows)))
    else:
        ratios = _NUMBERS.read(rows, at)
        matrix = tuple(tuple(ratio if i == j else 0.0 for j in range(len(ratios))) for i, ratio in enumerate(ratios))
    if any(len(row) != len(matrix) for row in matrix):
        raise at.refuse(value, "a ratio per joint, or a square matrix: n lists of n numbers")
    return matrix


def _show_matrix(value: Matrix) -> str:
    diagonal = all(i == j or element == 0.0 for i, row in enumerate(value) for j, element in enumerate(row))
    return show_word(tuple(row[i] for i, row in enumerate(value))) if diagonal else ";".join(map(show_word, value))


def _read_gains(value: Any, at: Place) -> tuple[float, ...]:
    """Numbers, or those in a YAML file such as `dynident gains` writes."""
    if at.file is not None or not (isinstance(value, str) and Path(value).suffix in YAML):  # a record names no file to read
        return _GAINS.read(value, at)
    gains = read_options_file(Reading, Path(value)).effort_gains
    if gains is None:
        raise FileError(value, "has no effort_gains")
    return cast("tuple[float, ...]", gains)


def _by_recording(kind: Kind) -> Kind:
    """A value for every recording, or {file: value}; typed, FILE=VALUE as often as needed. "*" stands for files that are not named."""

    def read(value: Any, at: Place) -> Any:
        values: Any = value
        if at.typed and isinstance(value, str | list | tuple):
            words: dict[str, list[Any]] = {}
            for word in cast("Sequence[Any]", [value] if isinstance(value, str) else value):
                file, equals, text = word.rpartition("=") if isinstance(word, str) else ("", "", word)
                parts: list[Any] = text.split(",") if kind.repeated and isinstance(text, str) else [text]
                words.setdefault(str(file) if equals else "*", []).extend(parts)
            if not kind.repeated and any(len(parts) > 1 for parts in words.values()):
                raise at.refuse(cast("object", value), "one value, or one per file")
            values = {file: parts if kind.repeated else parts[0] for file, parts in words.items()}
            values = values["*"] if set(values) == {"*"} else values
        if isinstance(values, Mapping):
            return {str(file): kind.read(part, at / str(file)) for file, part in cast("Mapping[Any, Any]", values).items()}
        return kind.read(values, at)

    def show(value: Any) -> str:
        if not isinstance(value, Mapping):
            return kind.show(value)
        return " ".join(f"{file}={kind.show(part)}" for file, part in cast("Mapping[str, Any]", value).items())

    either = {"anyOf": [dict(kind.schema), {"type": "object", "additionalProperties": dict(kind.schema)}]}
    return replace(kind, read=read, expected=f"{kind.expected}, or that per file", schema=either, show=show, repeated=True, joined=True)


_SIGNS = several(only(number(metavar="S"), lambda sign: abs(sign) == 1.0, "1 or -1"), at_least=1)
_GAINS = several(
    only(number(metavar="G"), lambda gain: 0.0 < abs(gain) < _LARGEST_GAIN, f"a number other than 0, below {_LARGEST_GAIN:g}"), at_least=1
)
_ARRAY = {"type": "array"}
_COLUMNS = Kind(read=_read_columns, expected="names of columns, or none", schema=_ARRAY, metavar="COLUMNS")
_UNIT = Kind(read=_read_unit, expected="a unit, or one per joint", schema={"type": ["string", "array"]}, metavar="UNIT")
_MATRIX = Kind(read=_read_matrix, expected="a ratio per joint, or a square matrix", schema=_ARRAY, metavar="N,...", show=_show_matrix)
_GAINS_OR_FILE = Kind(read=_read_gains, expected=f"{_GAINS.expected}, or a file of dynident gains", schema=_ARRAY, metavar="G,...")
_RATE = number("Hz", low=1e-3, high=1e7)
_COUPLING = pairs(kind_of(str), number(), metavar="M:J=N", example="6:5=32")
_ANYTHING = Kind(read=lambda value, at: value, expected="anything", schema={}, metavar="VALUE")

_EFFORT_KIND = choice({name: name for name in EFFORT_ROLES})
_INTERVALS = _by_recording(several(span("s", example="12.5:13.1")))
_LOW_PASS = pairs(
    choice({name: name for name in FILTERED}), several(number("Hz", above=0.0), at_least=1), metavar="NAME=HZ", example="effort=2"
)


@dataclass(frozen=True, kw_only=True)
class Reading(Options):
    """How a log is read; an option that has its default was not given.

    Attributes
    ----------
    columns : mapping
        Our name -> the file's columns: {"q": "pos_*", "time": "stamp"}; an exact name, a wildcard, a range "first:last" in the file's
        order, or a list of these. Names such as t, q1, velocities need no map. {"ddq": None} ignores a quantity that the file has.
    units : mapping
        Our name -> unit, or a unit per joint: {"q": "deg", "dq": "deg/s", "time": "ms", "effort": "mNm"}; SI by default.
    joints : sequence of str
        Names for the joints, or their order when the file has names. joint1 to jointN are columns by number, whatever the file calls them.
    effort_joints : sequence of str
        Order of the effort's columns where it is another than that of the positions.
    effort_kind : str or EffortKind
        "torque", "current" or "magnitude", when the names of the columns don't say it; the magnitude of a column that is a current, by its
        name or unit, is a "current_magnitude".
    effort_gains : array_like
        Torque per unit of recorded effort, one or one per joint, negative where it counts the other way: [14.9, -12.1] N·m/A. A current is
        a torque then. Where there are gear ratios, they are those of the motor.
    effort_signs : array_like
        +1 or -1, one or one per joint, for efforts alone; `signs` are then for the motion alone.
    signs : array_like
        +1 or -1 per joint, for positions, velocities, accelerations, and signed efforts without signs of their own.
    gears : array_like
        Of a log of motors: a ratio per joint, or R with motor = R · joint where motors turn several joints; torque = Rᵀ · motor torque.
    gear_coupling : mapping
        {"6:5": 32.0}: elements of R beside its diagonal, by motor and joint from 1.
    motor_to_joint : (n, n) array_like
        The inverse of R.
    offsets : array_like
        Added to the joint positions last [rad | m].
    delay : array_like
        How much later than the positions the efforts were stamped [s], one or one per joint; negative where they were earlier.
    sampling_rate : float
        Sampling rate [Hz] of a log without stamps, or in place of stamps that are wrong.
    clock : float
        What the stamps are multiplied by.
    skip : int
        Samples to drop at the start.
    without : sequence of pairs
        Intervals (from, to) of the log's clock [s] that are not used: [(12.5, 13.1)]. Where there are several files, by file, as `delay`,
        `sampling_rate` and `clock` can be: {"log2.csv": [(12.5, 13.1)]}.
    low_pass : mapping
        Each signal behind a zero-phase low-pass of its own before anything is derived, as papers do: {"q": 1.0, "effort": 2.0} [Hz], one or
        one per joint. This biases the model, because the regressor is not linear in q; identification filters both sides of its equations
        alike instead, at 5 Hz. An uneven clock is made uniform first.
    files : sequence or mapping
        Files to read one after another, or a file per quantity.
    segment : str
        Column whose changes start a new segment.
    preset : str or Path
        Name of a preset (`list_presets`), or a YAML file of your own, for what neither these arguments nor a YAML beside the data say.
    topic : sequence of str
        Topics of a bag that are read.
    reader_options : mapping
        Options that the reader of the format has of its own: {"group": "trial2"} of HDF5.
    about, source : str
        What a preset is for, and where its names come from.
    robot_joints : sequence of str
        Names of the robot's joints; of a bag, which has those of grippers and others too, only these are read, in this order.
    progress : callable
        Called now and then with the share that was read, 0 to 1.
    """

    title: ClassVar[str] = "Reading the log"
    renamed: ClassVar[Mapping[str, str]] = {"rate": "sampling_rate"}

    columns: Annotated[Mapping[str, Patterns | None], pairs(kind_of(str), _COLUMNS, metavar="NAME=COLUMNS", example="q=pos_*")] = option(
        {}, "Columns of time, q, dq, ddq, effort, M or g: 'q=pos_*' or q=a,b,c; ddq=none ignores one.", flag="--map"
    )
    units: Annotated[Mapping[str, Unit], pairs(kind_of(str), _UNIT, metavar="NAME=UNIT", example="q=deg")] = option(
        {}, "Unit of a quantity that is not in SI: q=deg.", flag="--unit"
    )
    joints: Annotated[Sequence[str], _NAMES] = option((), "Names of the joints, or their order; joint1,joint2,... are columns by number.")
    effort_joints: Annotated[Sequence[str], _NAMES] = option((), "Order of the effort's columns, where it is not that of the positions.")
    effort_kind: Annotated[str | EffortKind, _EFFORT_KIND] | None = option(
        None, "What the effort is where its name doesn't say it: torque, current or magnitude (of either).", metavar="KIND"
    )
    effort_gains: Annotated[ArrayLike, _GAINS_OR_FILE] | None = option(
        None, "Torque per unit of effort (N·m/A of a current), one or one per joint, or a file of dynident gains."
    )
    effort_signs: Annotated[ArrayLike, _SIGNS] | None = option(None, "1 or -1 for the efforts alone, one or one per joint.")
    signs: Annotated[ArrayLike, _SIGNS] | None = option(None, "1 or -1 per joint, for motion and efforts.")
    gears: Annotated[ArrayLike, _MATRIX] | None = option(
        None,
        "The log is of motors: motor positions per joint position, one per joint.",
        flag="--gear-ratios",
        key="gear_ratios",
    )
    gear_coupling: Annotated[Mapping[str, float], _COUPLING] = option({}, "Motor M also turns by N per position of joint J, from 1.")
    motor_to_joint: Annotated[ArrayLike, _MATRIX] | None = option(None, "Joint positions per motor position, a matrix.", flag=None)
    offsets: Annotated[ArrayLike, several(number("rad | m"), at_least=1)] | None = option(
        None, "Added to the joint positions (rad or m), after the gears.", flag="--joint-offsets"
    )
    delay: Annotated[ArrayLike | Mapping[str, ArrayLike], _by_recording(several(number("s"), at_least=1))] | None = option(
        None,
        "How much later than the positions the efforts are stamped (s), one or one per joint; negative where earlier. FILE=S for one of "
        "several logs.",
    )
    sampling_rate: Annotated[float | Mapping[str, float], _by_recording(_RATE)] | None = option(
        None, "Rate of a log without time stamps, or in place of stamps that are wrong; FILE=HZ for one of several logs."
    )
    clock: Annotated[float | Mapping[str, float], _by_recording(number(above=0.0, high=1e9))] | None = option(
        None, "Factor on the time stamps, where their clock runs too fast or too slow; FILE=NUMBER for one of several logs."
    )
    skip: Annotated[int, whole(0)] = option(0, "Samples to drop at the start.", flag=None)
    without: Annotated[Sequence[tuple[float, float]] | Mapping[str, Sequence[tuple[float, float]]], _INTERVALS] = option(
        (),
        "Leave out these seconds of the log's clock: 12.5:13.1, :2 or 100:; FILE=12.5:13.1 of one of several logs.",
        remembered=False,
    )
    low_pass: Annotated[Mapping[str, ArrayLike], _LOW_PASS] = option(
        {},
        "Filter q, dq, ddq or effort by itself before anything is derived, as papers do (with --filter none): q=1. One or one per "
        "joint. It biases the model; the default, one filter for both sides of the equations, does not.",
    )
    files: Sequence[str] | Mapping[str, str] = option((), "Files to read one after another, or a file per quantity.", flag=None)
    segment: str = option("", "Column whose changes start a new segment.", flag=None)
    preset: Annotated[str | Path, instance((str, Path), "a text", {"type": "string"}, make=str)] = option(
        "", "How the files of a recorder are read, or a YAML file that says it: dynident presets."
    )
    topic: Sequence[str] = option((), "Of a bag read this topic, such as /joint_states; several are merged.", metavar="NAME")
    reader_options: Annotated[Mapping[str, object], pairs(kind_of(str), _ANYTHING)] = option(
        {}, "An option of the data format's own, such as group=trial2; dynident presets --formats lists them.", flag="--reader-option"
    )
    about: str = option("", "Whose files a preset reads.", flag=None, remembered=False)
    source: str = option("", "Where a preset's names come from.", flag=None, remembered=False)
    robot_joints: Sequence[str] = field(default=(), repr=False, compare=False, metadata=NOT_STORED)
    progress: Callable[[float], None] | None = field(default=None, repr=False, compare=False, metadata=NOT_STORED)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.columns or self.units or isinstance(self.files, Mapping):
            self._check_names()
        if self.gears is not None or self.gear_coupling or self.motor_to_joint is not None:
            self._settle(gears=_settle_gears(self), gear_coupling={}, motor_to_joint=None)
        if isinstance(self.sampling_rate, float) and isinstance(self.clock, float):
            raise InputError("sampling_rate replaces the stamps and clock multiplies them; keep one")
        if self.topic:
            self._settle(reader_options={**self.reader_options, "topic": ",".join(self.topic)}, topic=())

    def _settle(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _check_names(self) -> None:
        """Names of quantities and units are known; units and files are by our own names."""
        for name in self.columns:
            canonical(name)
        units: dict[str, Unit] = {}
        for key, unit in self.units.items():
            name = canonical(key, Remedy("a unit belongs to one of them, as in {units}", units={"q": "deg"}))[0]
            if name not in UNITS:
                raise UnknownNameError("quantity with a unit", key, UNITS)
            units[name] = unit
        self._settle(units=units)
        for name in units:
            for each in self.units_of(name):
                factor(name, each)
        if isinstance(self.files, Mapping):
            self._settle(files={canonical(name)[0]: file for name, file in self.files.items()})

    @property
    def patterns(self) -> dict[str, Patterns]:
        """The columns of each quantity; none where it is to be ignored."""
        return {name: () if patterns == _IGNORED else patterns or () for name, patterns in self.columns.items()}

    def units_of(self, name: str) -> tuple[str, ...]:
        """The unit of a quantity, or one per joint; none where it is not given."""
        unit = self.units.get(name, ())
        return (unit,) if isinstance(unit, str) else tuple(unit)

    @property
    def selection(self) -> str:
        """The reader's options as one text, in one order."""
        return ", ".join(f"{name}={value}" for name, value in sorted(self.reader_options.items()))

    def over(self, before: Reading) -> Reading:
        """What an earlier one says, with what this one says in its place; maps are merged key by key."""
        return replace(override(before, self), robot_joints=self.robot_joints, progress=self.progress)

    def options_by_file(self) -> dict[str, Mapping[str, Any]]:
        """{name of an option: {file: value}} of those that differ from file to file."""
        values: dict[str, Any] = {name: getattr(self, name) for name in BY_RECORDING}
        return {name: value for name, value in values.items() if isinstance(value, Mapping)}

    def options_of(self, file: str | Path = "") -> RecordingOptions:
        """The options of a file; by default those of all files that are not named."""
        values: dict[str, Any] = {name: getattr(self, name) for name in BY_RECORDING}
        for name, by_file in self.options_by_file().items():
            values[name] = by_file.get(key_of(file, by_file), () if name == "without" else None)
        return RecordingOptions(**values)

    def of_recording(self, file: str | Path) -> Reading:
        """The same for one recording: of options by file those of this one, or of "*"."""
        return replace(self, **self.options_of(file)._asdict()) if self.options_by_file() else self

    def without_recordings(self) -> Reading:
        """The same for other files: without options of single files and without intervals that are left out."""
        return replace(self.of_recording(""), without=())

    def check_recordings(self, files: Sequence[str | Path]) -> None:
        """UnknownNameError where an option names a file that is not there, InputError where intervals are left out of several."""
        for name, values in self.options_by_file().items():
            for key in values:
                named = [Path(file) for file in files if _names(key, file)]
                if key != OTHERS and not named:
                    raise UnknownNameError(f"file ({name})", key, [Path(file).name for file in files])
                if name == "without" and len(named) > 1:
                    full = f"{named[-1].absolute().parent.name}/{named[-1].name}"
                    remedy = Remedy(
                        "say of which one, with its folder, such as {without}", without={full: [list(pair) for pair in values[key]]}
                    )
                    raise InputError(f"without is of one recording, and {len(named)} are called {key}", remedy=remedy)

    def transform(self, columns: int | Sequence[str]) -> Transform:
        """What it means for a log of so many columns, or of columns with these names."""
        from dynident.data.reading.meaning import transform_of

        return transform_of(self, columns)

    def apply(self, data: Dataset) -> Dataset:
        """The log as it is to be read: units, gains, signs, gears, offsets, order, clock, delay, filters and what is left out."""
        from dynident.data.reading.meaning import filter_signals, skip_samples

        transform = self.transform(data.joint_names)
        if transform.is_identity and not (self.skip or self.low_pass):
            return data
        return filter_signals(self, transform.apply_timing(skip_samples(self, transform.apply_maps(data).after("corrected"))))

    def then(self, after: Reading | Transform, data: Dataset) -> Reading:
        """One reading that means this one, then another. data : the log as this one reads it, with the columns of its file."""
        from dynident.data.reading.meaning import combine

        if isinstance(after, Reading) and (after.skip or after.low_pass):
            raise InputError("skip and low_pass of the second of two readings cannot be said as one; give them to the first")
        return combine(self, after.transform(data.n) if isinstance(after, Reading) else after, data)


def key_of(file: str | Path, keys: Iterable[str]) -> str:
    """Under which of the keys the options of a file stand: the longest that means it, else that of all others."""
    return max((key for key in keys if _names(key, file)), key=len, default=OTHERS)


def _names(key: str, file: str | Path) -> bool:
    """Whether a key means a file: its name, or the end of its path."""
    parts = tuple(part for part in Path(key).parts if part != "..")
    return bool(parts) and Path(os.path.abspath(file)).parts[-len(parts) :] == parts


def read_reading(path: Path) -> Reading:
    """How a YAML file says that a log is to be read; FileError names the place and what is allowed."""
    return read_options_file(Reading, path)


def _settle_gears(reading: Reading) -> Matrix:
    """R with motor = R · joint."""
    import numpy as np

    if reading.gears is not None and reading.motor_to_joint is not None:
        raise InputError("gear_ratios and motor_to_joint say the same thing twice; keep one")
    if reading.gears is None and reading.motor_to_joint is None:
        raise ValueRangeError("gear_coupling", "needs gear ratios, those of the motors to their own joints")
    inverse = reading.gears is None
    R = np.array(reading.motor_to_joint if inverse else reading.gears, dtype=float)
    for pair, ratio in reading.gear_coupling.items():
        places = [int(word) - 1 if word.isdecimal() else -1 for word in pair.split(":")]
        if len(places) != 2 or not all(0 <= place < len(R) for place in places) or places[0] == places[1]:
            raise ValueRangeError("gear_coupling", f"names {pair!r}; a motor and another joint from 1 to {len(R)} were expected")
        R[places[0], places[1]] = ratio
    if abs(np.linalg.det(R)) < 1e-300 or np.linalg.cond(R) > 1e12:
        raise ValueRangeError("motor_to_joint" if inverse else "gears", "can't be inverted; every motor must move its joint")
    matrix = np.linalg.inv(R) if inverse else R
    return tuple(tuple(float(value) for value in row) for row in matrix)
