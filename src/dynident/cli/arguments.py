"""Arguments that several verbs share, and what to type for an argument of the library that an error names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias, cast

from dynident.cli.command_line import Argument, Selected
from dynident.core.kinds import Seed, path, several
from dynident.core.options import declared_options, flag_of, negative
from dynident.data.reading.reading import Reading
from dynident.errors import Remedy
from dynident.robots.mounting import Mounting

if TYPE_CHECKING:
    from dynident.diagnosis import Correction

RobotFile: TypeAlias = Annotated[
    str,
    Argument(
        metavar="ROBOT",
        help="A .urdf, .xacro, .sdf, .xml (MJCF), .yaml (DH) or .csv (DH table) file, - for stdin, or a name such as panda.",
    ),
]
_PATHS = several(path("FILE"), make=list)
LogFiles: TypeAlias = Annotated[
    list[Path],
    _PATHS,
    Argument(metavar="DATA...", help="Logs or controller samples (.csv, .npz, .parquet, .h5, .mat, bags and others), or folders of them."),
]
RunPath: TypeAlias = Annotated[Path, Argument(metavar="RUN", help="Folder that dynident identify wrote.")]
NewRun: TypeAlias = Annotated[
    Path, Argument(metavar="RUN", help="Folder for the results; made if it is not there.", flag="--output", short="-o")
]
Scheduler: TypeAlias = Annotated[
    str | None,
    Argument(
        metavar="ADDRESS",
        help="Work on the workers of this Dask scheduler, such as tcp://host:8786 (extra cluster).",
        group="Search",
    ),
]
RandomSeed: TypeAlias = Annotated[Seed, Argument(help="Seed of the random numbers.", group="Advanced")]
#: What of a description is used, where gravity has no effect.
Chain: TypeAlias = Annotated[Mounting, Selected(("lock", "base", "tip", "packages", "xacro_args"))]
#: How a motion is read, which has no effort; and a log of magnitudes.
MotionReading: TypeAlias = Annotated[Reading, Selected(("columns", "units", "sampling_rate", "preset", "topic", "reader_options"))]
MagnitudeReading: TypeAlias = Annotated[
    Reading,
    Selected(
        (
            *("columns", "units", "effort_kind", "effort_gains", "delay", "sampling_rate", "clock", "without", "low_pass"),
            *("preset", "topic", "reader_options"),
        )
    ),
]

#: What to type for functions of the library, and for arguments that no options class has.
_WORDS = {
    "design_trajectory": "dynident excite ROBOT -o FILE",
    "identify_gains": "dynident gains ROBOT DATA",
    "identify_payload": "dynident payload RUN DATA",
    "recover_signs": "dynident signs ROBOT DATA -o RUN",
    "doctor": "dynident doctor ROBOT DATA",
    "connection_options": "--connection-option",
    "ignore_doctor": "--ignore-doctor",
    "force": "--force",
    "free": "--free",
    "overwrite": "--overwrite",
    "resume": "--resume",
}


@cache
def all_flags() -> dict[str, str]:
    """What to type for an option or a function of the library; where two options have one name, for that of a log's reading."""
    from dynident.links.options import RetrievalChoice, SolverChoice
    from dynident.motions.options import FileChoice, LimitChoice, MotionChoice, SearchChoice
    from dynident.regression.options import ProblemChoice

    classes = (FileChoice, MotionChoice, LimitChoice, SearchChoice, RetrievalChoice, SolverChoice, ProblemChoice, Mounting, Reading)
    return {item.name: item.flag for options in classes for item in declared_options(options) if item.flag} | _WORDS


def option_text(argument: str, value: object) -> str:
    """What to type for an argument of the library: "--map q=pos_*" for columns={"q": "pos_*"}; intervals are one option each."""
    values = cast("Mapping[str, object]", value) if isinstance(value, Mapping) else {"": value}
    words = [f"{name}=" * bool(name) + word for name, item in values.items() for word in _words(item)]
    flag = all_flags().get(argument) or (argument if argument.isupper() else flag_of(argument))
    if value is False:
        return negative(flag)
    return flag if value is True or value is ... else " ".join(f"{flag} {word}" for word in words)


def correction_text(correction: Correction | Remedy) -> str:
    """What to type for a correction of the doctor, or for advice."""
    from dynident.diagnosis.remedies import correction_remedy

    remedy = correction if isinstance(correction, Remedy) else correction_remedy(correction)
    return remedy.told(option_text)


def _words(value: object) -> list[str]:
    """A value as one word, or as one per interval."""
    items: Sequence[object] = cast("Sequence[object]", value) if isinstance(value, list | tuple) else ()
    pairs = [cast("Sequence[object]", item) for item in items if isinstance(item, list | tuple)]
    return [":".join(map(_word, pair)) for pair in pairs] or [_word(cast("object", value))]


def _word(item: object) -> str:
    if isinstance(item, list | tuple):
        return ",".join(map(_word, cast("Sequence[object]", item)))
    return f"{item:g}" if isinstance(item, float) else str(item)
