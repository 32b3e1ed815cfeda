"""Options that several verbs share, and how their text becomes values."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, TypeVar, cast

import typer

from dynident.cli.registries import HelpFromRegistry, Offered, OptionGroup
from dynident.errors import FileError, UnknownNameError, ValueRangeError

if TYPE_CHECKING:
    from dynident.friction import FrictionModel

_T = TypeVar("_T")

#: No log has a rate beyond these, and no motion of a robot a frequency [Hz].
SLOWEST, FASTEST = 1e-6, 1e8


def _known_formats() -> str:
    from dynident.data.formats.registry import known_formats

    return known_formats()


def _reader_options() -> str:
    from dynident.data.formats.registry import reader_options

    return reader_options()


RobotArgument = Annotated[
    str,
    typer.Argument(
        metavar="ROBOT",
        help="A .urdf, .xacro, .sdf, .xml (MJCF), .yaml (DH) or .csv (DH table) file, - for stdin, or a name such as panda.",
    ),
]
Lock = Annotated[
    list[str] | None,
    typer.Option("--lock", metavar="JOINT=VALUE", help="Fix a joint at a value (rad or m); * stands for any characters. Repeatable."),
]
Base = Annotated[
    str | None,
    typer.Option("--base", metavar="LINK", help="Use the chain that starts at this link; joints that hang off it must be locked."),
]
Tip = Annotated[str | None, typer.Option("--tip", metavar="LINK", help="Use the chain that ends at this link.")]
Gravity = Annotated[
    str | None,
    typer.Option("--gravity", metavar="X,Y,Z", help="Gravity in the base frame (m/s²), for a robot that is not mounted upright."),
]
Package = Annotated[
    list[str] | None, typer.Option("--package", metavar="NAME=FOLDER", help="Where a ROS package is that a xacro file needs. Repeatable.")
]
XacroArg = Annotated[list[str] | None, typer.Option("--xacro-arg", metavar="NAME:=VALUE", help="Argument of a xacro file. Repeatable.")]
RunArgument = Annotated[Path, typer.Argument(metavar="RUN", help="Folder that dynident identify wrote.")]
RunFolder = Annotated[Path, typer.Option("--output", "-o", metavar="RUN", help="Folder for the results; made if it is not there.")]
Friction = Annotated[
    str | None,
    typer.Option(
        "--friction",
        metavar="NAME",
        help="Such as viscous+coulomb, or none; auto chooses a model per joint by what it predicts. "
        "Default: linear for a log, with rotors (armature) where it shows them.",
    ),
]
Periods = Annotated[
    str | None,
    typer.Option(
        "--periods",
        metavar="A:B",
        help="Of a log with a column period, use these whole periods, counted from 1: 2:4. Default: all; "
        "approach and return are left out, unless it is given as all.",
    ),
]
Train = Annotated[str | None, typer.Option("--train", metavar="A:B", help="Use only this part of the data, as fractions: 0:0.7.")]
DataArgument = Annotated[
    list[Path],
    typer.Argument(metavar="DATA...", help="Logs or controller samples ({}), or folders of them."),
    HelpFromRegistry(_known_formats),
]
ReaderOption = Annotated[
    list[str] | None,
    typer.Option("--reader-option", metavar="NAME=VALUE", help="An option of the data format's own, repeatable. {}."),
    HelpFromRegistry(_reader_options),
]
Preset = Annotated[
    str | None,
    typer.Option("--preset", metavar="NAME", help="How the files of a recorder are read, or a YAML file that says it: dynident presets."),
]
Topic = Annotated[
    list[str] | None,
    typer.Option("--topic", metavar="NAME", help="Of a bag read this topic, such as /joint_states; several are merged. Repeatable."),
]
Map = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        metavar="NAME=COLUMNS",
        help="Columns of time, q, dq, ddq, effort, M or g: 'q=pos_*' or q=a,b,c; ddq=none ignores one. Repeatable.",
    ),
]
Unit = Annotated[
    list[str] | None, typer.Option("--unit", metavar="NAME=UNIT", help="Unit of a quantity that is not in SI: q=deg. Repeatable.")
]
EffortKind = Annotated[
    str | None,
    typer.Option(
        "--effort-kind", metavar="KIND", help="What the effort is where its name doesn't say it: torque, current or magnitude (of either)."
    ),
]
EffortGains = Annotated[
    str | None,
    typer.Option(
        "--effort-gains",
        metavar="G,...",
        help="Torque per unit of effort (N·m/A of a current), one or one per joint, or a file of dynident gains.",
    ),
]
EffortSigns = Annotated[
    str | None, typer.Option("--effort-signs", metavar="S,...", help="1 or -1 for the efforts alone, one or one per joint.")
]
GearRatios = Annotated[
    str | None,
    typer.Option("--gear-ratios", metavar="N,...", help="The log is of motors: motor positions per joint position, one per joint."),
]
GearCoupling = Annotated[
    list[str] | None,
    typer.Option("--gear-coupling", metavar="M:J=N", help="Motor M also turns by N per position of joint J, from 1. Repeatable."),
]
JointOffsets = Annotated[
    str | None, typer.Option("--joint-offsets", metavar="Q,...", help="Added to the joint positions (rad or m), after the gears.")
]
Delay = Annotated[
    str | None,
    typer.Option(
        "--delay",
        metavar="S,...",
        help="Seconds that the efforts are stamped later than the positions, one or one per joint; negative where earlier.",
    ),
]
SamplingRate = Annotated[
    str | None,
    typer.Option("--sampling-rate", metavar="HZ", help="Of a log without stamps, or in place of stamps that are wrong."),
]
Without = Annotated[
    list[str] | None,
    typer.Option("--without", metavar="A:B", help="Leave out these seconds of the log's clock: 12.5:13.1, :2 or 100:. Repeatable."),
]


LowPass = Annotated[
    list[str] | None,
    typer.Option(
        "--low-pass",
        metavar="NAME=HZ",
        help="Filter q, dq, ddq or effort by itself before anything is derived, as papers do (with --filter none): q=1. One or one per "
        "joint. Repeatable. It biases the model; the default, one filter for both sides of the equations, does not.",
    ),
]


def _group(**annotations: Any) -> OptionGroup:
    return OptionGroup(lambda: {name: Offered(annotation=annotation) for name, annotation in annotations.items()})


_MOTORS = {"gear_ratios": GearRatios, "gear_coupling": GearCoupling, "joint_offsets": JointOffsets}
_EFFORT = {"effort_kind": EffortKind, "effort_gains": EffortGains}
_FORMAT = {"preset": Preset, "topic": Topic, "reader_option": ReaderOption}
_CLOCK = {"delay": Delay, "sampling_rate": SamplingRate, "without": Without, "low_pass": LowPass}
Values: TypeAlias = Mapping[str, Any]
#: How data are to be read, for `parse_reading`; of a log of magnitudes; and of a motion, which has no effort.
DataReading = Annotated[Values, _group(map=Map, unit=Unit, **_EFFORT, effort_signs=EffortSigns, **_MOTORS, **_CLOCK, **_FORMAT)]
MagnitudeReading = Annotated[Values, _group(map=Map, unit=Unit, **_EFFORT, **_CLOCK, **_FORMAT)]
MotionReading = Annotated[Values, _group(map=Map, unit=Unit, sampling_rate=SamplingRate, **_FORMAT)]
#: What of a description is used, and how it is mounted, for `read_robot`.
_CHAIN = {"lock": Lock, "base": Base, "tip": Tip, "package": Package, "xacro_arg": XacroArg}
Mounting = Annotated[Values, _group(**_CHAIN, gravity=Gravity)]
#: The same where gravity has no effect.
Chain = Annotated[Values, _group(**_CHAIN)]
Scheduler = Annotated[
    str | None,
    typer.Option(
        "--scheduler", metavar="ADDRESS", help="Work on the workers of this Dask scheduler, such as tcp://host:8786 (extra cluster)."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]


def one_of(value: str, allowed: tuple[str, ...], kind: str) -> str:
    """The value, if it is one of those that are allowed."""
    if value not in allowed:
        raise UnknownNameError(kind, value, allowed)
    return value


def name_given(options: Mapping[str, object]) -> str:
    """The options that have a value, with commas; empty where none has one."""
    return ", ".join(name for name, value in options.items() if value)


#: The options, or commands, for the library's arguments and functions that remedies of errors name.
OPTIONS = {
    "columns": "--map",
    "units": "--unit",
    "effort_kind": "--effort-kind",
    "effort_gains": "--effort-gains",
    "effort_signs": "--effort-signs",
    "offsets": "--joint-offsets",
    "delay": "--delay",
    "without": "--without",
    "gravity": "--gravity",
    "rate": "--sampling-rate",
    "lock": "--lock",
    "base": "--base",
    "packages": "--package",
    "xacro_args": "--xacro-arg",
    "cutoff": "--filter",
    "run_python": "--run-python",
    "force": "--force",
    "resume": "--resume",
    "connection_options": "--connection-option",
    "identify_gains": "dynident gains ROBOT DATA",
    "recover_signs": "dynident signs ROBOT DATA -o RUN",
    "friction": "--friction",
    "torque_factor": "--torque-factor",
    "after": "--after",
    "unchecked": "--unchecked",
    "home": "--from",
    "starts": "--starts",
    "solver": "--solver",
    "seed": "--seed",
}


def option_text(argument: str, value: object) -> str:
    """What to type for an argument of the library: "--map q=pos_*" for columns={"q": "pos_*"}; intervals are one option each."""
    values = cast("Mapping[str, object]", value) if isinstance(value, Mapping) else {"": value}
    if isinstance(value, list) and value and isinstance(value[0], list):
        words = [":".join(map(_word, pair)) for pair in cast("list[list[float]]", value)]
    else:
        words = [f"{name}=" * bool(name) + _word(item) for name, item in values.items()]
    return OPTIONS[argument] if value is True or value is ... else " ".join(f"{OPTIONS[argument]} {word}" for word in words)


def _word(item: object) -> str:
    if isinstance(item, list):
        return ",".join(map(_word, cast("list[object]", item)))
    return f"{item:g}" if isinstance(item, float) else str(item)


def parse_locks(pairs: Iterable[str] | None) -> dict[str, float]:
    """{"joint": value} of "joint=value" words; ValueRangeError names the word that isn't one."""
    return _pairs("--lock", pairs, "joint", _number, "JOINT=VALUE with a finite number was expected, such as finger_joint1=0.02")


def parse_known(pairs: Iterable[str] | None) -> dict[str, float]:
    """{"parameter": value} of "parameter=value" words."""
    return _pairs("--known", pairs, "parameter", _number, "NAME=VALUE with a finite number was expected, such as m7=0.73")


def parse_map(pairs: Iterable[str] | None) -> dict[str, list[str]]:
    """{"q": ["pos_*"]} of "q=pos_*" words."""
    return _pairs("--map", pairs, "quantity", _names, "NAME=COLUMNS was expected, such as q=pos_*", split_at_last=False)


def parse_units(pairs: Iterable[str] | None) -> dict[str, str | list[str]]:
    """{"q": "deg"} of "q=deg" words; several units with commas are one per joint."""
    found = _pairs("--unit", pairs, "quantity", _names, "NAME=UNIT was expected, such as q=deg", split_at_last=False)
    return {name: units[0] if len(units) == 1 else units for name, units in found.items()}


def parse_options(option: str, pairs: Iterable[str] | None) -> dict[str, str]:
    """{"steps": "5"} of "steps=5" words; whose option it is knows what type it has."""
    return _pairs(option, pairs, "option", lambda text: text or None, "NAME=VALUE was expected", split_at_last=False)


def parse_xacro_args(pairs: Iterable[str] | None) -> dict[str, str]:
    """{"hand": "true"} of "hand:=true" words, as ROS writes them; = alone will do."""
    plain = [pair.replace(":=", "=", 1) for pair in pairs or ()]
    return _pairs("--xacro-arg", plain, "argument", lambda text: text, "NAME:=VALUE was expected, such as hand:=true", split_at_last=False)


def parse_low_pass(pairs: Iterable[str] | None) -> dict[str, list[float]]:
    """{"q": [1.0]} of "q=1" words; several frequencies with commas are one per joint."""
    expected = "NAME=HZ with positive frequencies was expected, such as effort=2"
    return _pairs("--low-pass", pairs, "signal", _frequencies, expected, split_at_last=False)


def parse_topics(names: Iterable[str] | None) -> dict[str, str]:
    """{"topic": "/a,/b"}, the option that readers of bags have; empty when none is given."""
    return {"topic": ",".join(names)} if names else {}


def parse_part(text: str | None, option: str) -> tuple[float, float]:
    """(start, stop) of "0:0.7", fractions of the data; all of it when nothing is given."""
    if text is None:
        return 0.0, 1.0
    first, _, last = text.partition(":")
    start, stop = _number(first or "0"), _number(last or "1")
    if ":" not in text or start is None or stop is None or not 0.0 <= start < stop <= 1.0:
        raise ValueRangeError(option, f"got {text!r}; A:B with fractions 0 <= A < B <= 1 was expected, such as 0:0.7")
    return start, stop


def parse_periods(text: str | None) -> tuple[int, int | None] | None:
    """(2, 4) of "2:4", (2, None) of "2:", (2, 2) of "2"; all whole periods when nothing is given, and None for "all" of the log."""
    if text is None:
        return 1, None
    if text == "all":
        return None
    first, colon, last = text.partition(":")
    start, stop = first or "1", last if colon else first
    if not start.isdecimal() or not (stop.isdecimal() or not stop) or not 1 <= int(start) <= int(stop or start):
        raise ValueRangeError("--periods", f"got {text!r}; FIRST:LAST, counted from 1 and both included, was expected, such as 2:4, or all")
    return int(start), int(stop) if stop else None


def parse_without(words: Iterable[str] | None) -> list[tuple[float, float]] | None:
    """[(12.5, 13.1)] of "12.5:13.1"; an end that is not given is that of the log. None when nothing is given."""
    found: list[tuple[float, float]] = []
    for word in words or ():
        first, colon, last = word.partition(":")
        start, stop = _number(first) if first else -math.inf, _number(last) if last else math.inf
        if not colon or start is None or stop is None or not start < stop or not (first or last):
            raise ValueRangeError("--without", f"got {word!r}; A:B in seconds with A < B was expected, such as 12.5:13.1")
        found.append((start, stop))
    return found or None


def parse_per_joint(option: str, text: str | None, example: str = "14.9,-12.1") -> list[float] | None:
    """[14.9, -12.1] of "14.9,-12.1"; None when nothing is given."""
    if text is None:
        return None
    numbers = [number for word in text.split(",") if (number := _number(word)) is not None]
    if len(numbers) != text.count(",") + 1:
        raise ValueRangeError(option, f"got {text!r}; one number, or one per joint with commas, was expected, such as {example}")
    return numbers


def parse_gains(text: str | None) -> list[float] | None:
    """Torque per unit of effort: [14.9, -12.1] of "14.9,-12.1", or those in a YAML file such as `dynident gains` writes."""
    if text is None or Path(text).suffix not in (".yaml", ".yml"):
        return parse_per_joint("--effort-gains", text)
    from dynident.data.reading.recipe import read_recipe

    found = read_recipe(Path(text)).effort_gains
    if found is None:
        raise FileError(text, "has no effort_gains")
    return found.tolist()


def parse_gears(ratios: str | None, coupling: Iterable[str] | None) -> list[list[float]] | None:
    """R with motor = R · joint, of "32,45" and ["2:1=32"]."""
    diagonal = parse_per_joint("--gear-ratios", ratios)
    if diagonal is None:
        if coupling:
            raise ValueRangeError("--gear-coupling", "needs --gear-ratios, the ratios of the motors to their own joints")
        return None
    R = [[ratio if i == j else 0.0 for j in range(len(diagonal))] for i, ratio in enumerate(diagonal)]
    for pair, ratio in _pairs("--gear-coupling", coupling, "pair", _number, "M:J=N was expected, such as 6:5=32").items():
        motor, _, joint = pair.partition(":")
        places = [int(word) - 1 if word.isdecimal() else -1 for word in (motor, joint)]
        if not all(0 <= place < len(R) for place in places) or places[0] == places[1]:
            raise ValueRangeError("--gear-coupling", f"got {pair!r}; a motor and another joint from 1 to {len(R)} were expected")
        R[places[0]][places[1]] = ratio
    return R


def parse_gravity(text: str | None) -> tuple[float, ...] | None:
    """(x, y, z) of "x,y,z"."""
    if text is None:
        return None
    from dynident.core.fields import parse_numbers

    numbers = parse_numbers(text)
    if len(numbers) != 3 or not all(map(math.isfinite, numbers)):
        raise ValueRangeError("--gravity", f"got {text!r}; three numbers in m/s² were expected, such as 0,0,-9.80665")
    return tuple(numbers)


def parse_frequency(text: str | None, option: str) -> float | None:
    """A positive number of hertz; None when nothing is given."""
    if text is None:
        return None
    value = _number(text)
    if value is None or value <= 0.0:
        raise ValueRangeError(option, f"got {text!r}; a positive frequency in Hz was expected, such as 5")
    if not SLOWEST <= value <= FASTEST:
        raise ValueRangeError(option, f"got {text!r}; a frequency from {SLOWEST:g} to {FASTEST:g} Hz was expected, such as 5")
    return value


def parse_cutoff(text: str | None) -> float | Literal["auto"] | None:
    """Hertz; None of "none", and "auto" when nothing is given."""
    return "auto" if text is None else None if text == "none" else parse_frequency(text, "--filter")


def parse_friction(text: str | None) -> FrictionModel | Literal["default"] | None:
    """The model of that name; None of "none", and "default" when nothing is given."""
    from dynident.friction import friction_model

    return "default" if text is None else None if text == "none" else friction_model(text)


def parse_friction_or_auto(text: str | None) -> FrictionModel | Literal["default", "auto"] | None:
    """The same, and "auto" of that word."""
    return "auto" if text == "auto" else parse_friction(text)


def parse_drop(text: str | None) -> tuple[float | None, list[int]]:
    """(30.0, []) of "30%", (None, [8, 24]) of "8,24"."""
    if text is None:
        return None, []
    if text.endswith("%"):
        percent = _number(text[:-1])
        if percent is not None and percent > 0.0:
            return percent, []
    elif all(word.strip().isdecimal() for word in text.split(",")):
        return None, [int(word) for word in text.split(",")]
    raise ValueRangeError("--drop", f"got {text!r}; a percentage such as 30% or numbers of coefficients such as 8,24 were expected")


def _pairs(
    option: str, pairs: Iterable[str] | None, kind: str, read: Callable[[str], _T | None], expected: str, *, split_at_last: bool = True
) -> dict[str, _T]:
    found: dict[str, _T] = {}
    for pair in pairs or ():
        name, equals, text = pair.rpartition("=") if split_at_last else pair.partition("=")
        value = read(text)
        if not (name and equals) or value is None:
            raise ValueRangeError(option, f"got {pair!r}; {expected}")
        if name in found:
            raise ValueRangeError(option, f"names the {kind} {name!r} twice; give it one value")
        found[name] = value
    return found


def _number(text: str) -> float | None:
    """A finite number, such as 0.02, 1e-3, pi/2 or 90deg."""
    from dynident.core.fields import parse_number

    value = parse_number(text)
    return value if value is not None and math.isfinite(value) else None


def _frequencies(text: str) -> list[float] | None:
    numbers = [number for word in text.split(",") if (number := _number(word)) is not None and number > 0.0]
    return numbers if len(numbers) == text.count(",") + 1 else None


def _names(text: str) -> list[str] | None:
    return [word.strip() for word in text.split(",") if word.strip()] or None
