"""How a log is read, declared once: what Python takes as keywords, the YAML beside a log or a preset says, and the command line offers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeAlias, cast

from dynident.core.kinds import NOT_STORED, Kind, Place, choice, instance, kind_of, number, only, pairs, several, show_word, span, whole
from dynident.core.options import Options, changes, option, override, read_options_file
from dynident.data.reading.quantities import UNITS, canonical, factor
from dynident.errors import FileError, InputError, Remedy, UnknownNameError, ValueRangeError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from dynident.data.dataset import EffortKind
else:  # both take long to import, and the kinds below say what is allowed
    ArrayLike, EffortKind = object, str

#: Columns of a quantity: names, wildcards, ranges first:last; nothing where it is to be ignored.
Patterns: TypeAlias = str | Sequence[str]
Unit: TypeAlias = str | Sequence[str]
Matrix: TypeAlias = tuple[tuple[float, ...], ...]

#: Signals that can have a low-pass of their own.
FILTERED = ("q", "dq", "ddq", "effort")
#: Gains that an effort may be multiplied by are below this.
_LARGEST_GAIN = 1e9
_YAML = (".yaml", ".yml")
#: Columns of a quantity that the file has, and that is not read.
_IGNORED = ("none",)
_TEXTS = several(kind_of(str))
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
    if at.file is not None or not (isinstance(value, str) and Path(value).suffix in _YAML):  # a record names no file to read
        return _GAINS.read(value, at)
    gains = read_options_file(Reading, Path(value)).effort_gains
    if gains is None:
        raise FileError(value, "has no effort_gains")
    return cast("tuple[float, ...]", gains)


_SIGNS = several(only(number(metavar="S"), lambda sign: abs(sign) == 1.0, "1 or -1"), at_least=1)
_GAINS = several(
    only(number(metavar="G"), lambda gain: 0.0 < abs(gain) < _LARGEST_GAIN, f"a number other than 0, below {_LARGEST_GAIN:g}"), at_least=1
)
_ARRAY = {"type": "array"}
_COLUMNS = Kind(read=_read_columns, expected="names of columns, or none", schema=_ARRAY, metavar="COLUMNS")
_UNIT = Kind(read=_read_unit, expected="a unit, or one per joint", schema={"type": ["string", "array"]}, metavar="UNIT")
_MATRIX = Kind(read=_read_matrix, expected="a ratio per joint, or a square matrix", schema=_ARRAY, metavar="N,...", show=_show_matrix)
_GAINS_OR_FILE = Kind(read=_read_gains, expected=f"{_GAINS.expected}, or a file of dynident gains", schema=_ARRAY, metavar="G,...")
_COUPLING = pairs(kind_of(str), number(), metavar="M:J=N", example="6:5=32")
_ANYTHING = Kind(read=lambda value, at: value, expected="anything", schema={}, metavar="VALUE")

_EFFORT_KIND = choice({name: name for name in ("torque", "current", "magnitude", "current_magnitude")})
_LOW_PASS = pairs(
    choice({name: name for name in FILTERED}), several(number("Hz", above=0.0), at_least=1), metavar="NAME=HZ", example="effort=2"
)


@dataclass(frozen=True, kw_only=True)
class Reading(Options):
    """How a log is read, as far as somebody said it; what is empty was not said.

    Attributes
    ----------
    columns : mapping
        Our name -> the file's columns: {"q": "pos_*", "time": "stamp"}; an exact name, a wildcard, a range "first:last" in the file's
        order, or a list of these. Names such as t, q1, velocities need no map. {"ddq": None} ignores a quantity that the file has.
    units : mapping
        Our name -> unit, or a unit per joint: {"q": "deg", "dq": "deg/s", "time": "ms", "effort": "mNm"}; SI by default.
    joints : sequence of str
        Names for the joints, or their order when the file has names.
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
    rate : float
        Sampling rate [Hz] of a log without stamps, or in place of stamps that are wrong.
    skip : int
        Samples to drop at the start.
    without : sequence of pairs
        Intervals (from, to) of the log's clock [s] that are not used: [(12.5, 13.1)]. For one file at a time.
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
    preset_columns : mapping
        Columns of a preset, of which those that a file lacks are left out.
    robot_joints : sequence of str
        Names of the robot's joints; of a bag, which has those of grippers and others too, only these are read, in this order.
    progress : callable
        Called now and then with the share that was read, 0 to 1.
    """

    title: ClassVar[str] = "Reading the log"

    columns: Annotated[Mapping[str, Patterns | None], pairs(kind_of(str), _COLUMNS, metavar="NAME=COLUMNS", example="q=pos_*")] = option(
        {}, "Columns of time, q, dq, ddq, effort, M or g: 'q=pos_*' or q=a,b,c; ddq=none ignores one.", flag="--map"
    )
    units: Annotated[Mapping[str, Unit], pairs(kind_of(str), _UNIT, metavar="NAME=UNIT", example="q=deg")] = option(
        {}, "Unit of a quantity that is not in SI: q=deg.", flag="--unit"
    )
    joints: Sequence[str] = option((), "Names of the joints, or their order.", flag=None)
    effort_joints: Sequence[str] = option((), "Order of the effort's columns.", flag=None)
    effort_kind: Annotated[str | EffortKind, _EFFORT_KIND] | None = option(
        None, "What the effort is where its name doesn't say it: torque, current or magnitude (of either).", metavar="KIND"
    )
    effort_gains: Annotated[ArrayLike, _GAINS_OR_FILE] | None = option(
        None, "Torque per unit of effort (N·m/A of a current), one or one per joint, or a file of dynident gains."
    )
    effort_signs: Annotated[ArrayLike, _SIGNS] | None = option(None, "1 or -1 for the efforts alone, one or one per joint.")
    signs: Annotated[ArrayLike, _SIGNS] | None = option(None, "1 or -1 per joint, for motion and efforts.", flag=None)
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
    delay: Annotated[ArrayLike, several(number("s"), at_least=1)] | None = option(
        None, "How much later than the positions the efforts are stamped (s), one or one per joint; negative where earlier."
    )
    rate: Annotated[float, number("Hz", low=1e-3, high=1e7)] | None = option(
        None, "Rate of a log without time stamps, or in place of stamps that are wrong.", flag="--sampling-rate"
    )
    skip: Annotated[int, whole(0)] = option(0, "Samples to drop at the start.", flag=None)
    without: Sequence[Annotated[tuple[float, float], span("s", example="12.5:13.1")]] = option(
        (), "Leave out these seconds of the log's clock: 12.5:13.1, :2 or 100:.", remembered=False
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
    preset_columns: Mapping[str, Patterns] = field(default_factory=dict[str, Patterns], repr=False, metadata=NOT_STORED)
    robot_joints: Sequence[str] = field(default=(), repr=False, compare=False, metadata=NOT_STORED)
    progress: Callable[[float], None] | None = field(default=None, repr=False, compare=False, metadata=NOT_STORED)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.columns or self.units or isinstance(self.files, Mapping):
            self._check_names()
        if self.gears is not None or self.gear_coupling or self.motor_to_joint is not None:
            self._settle(gears=_settle_gears(self), gear_coupling={}, motor_to_joint=None)
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
            for each in [unit] if isinstance(unit, str) else unit:
                factor(name, each)
            units[name] = unit
        self._settle(units=units)
        if isinstance(self.files, Mapping):
            self._settle(files={canonical(name)[0]: file for name, file in self.files.items()})

    @property
    def patterns(self) -> dict[str, Patterns]:
        """The columns of each quantity; none where it is to be ignored."""
        return {name: () if patterns == _IGNORED else patterns or () for name, patterns in self.columns.items()}

    @property
    def selection(self) -> str:
        """The reader's options as one text, in one order."""
        return ", ".join(f"{name}={value}" for name, value in sorted(self.reader_options.items()))

    def over(self, before: Reading) -> Reading:
        """What an earlier one says, with what this one says in its place; maps are merged key by key."""
        return replace(override(before, self), robot_joints=self.robot_joints, progress=self.progress)

    def fill(self, preset: Reading) -> Reading:
        """The same, and what it doesn't say as a preset says it; of the preset's columns a file may lack some."""
        return replace(self.over(preset), columns=self.columns, files=self.files, preset_columns=preset.patterns)

    def to_dict(self) -> dict[str, Any]:
        """What was said, as JSON contains it."""
        return changes(self)


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
