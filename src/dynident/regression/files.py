"""Problems as files: NPZ with the arrays, exact to the last bit, and one JSON text with everything else; no pickle."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from dynident.core.files import write_atomically
from dynident.data.formats.npz import read_npz
from dynident.errors import DynidentError, FileError
from dynident.friction.serialize import friction_from_dict, friction_to_dict
from dynident.regression.base import BaseParameters
from dynident.regression.columns import Columns
from dynident.regression.problem import Problem
from dynident.regression.rows import RowGroup
from dynident.robots.serialize import robot_from_dict, robot_to_dict

Arrays: TypeAlias = dict[str, NDArray[Any]]
_T = TypeVar("_T")
_SCHEMA = "dynident/problem/1"


def save_problem(problem: Problem, path: str | Path) -> None:
    """Write a problem; the file carries its robot and friction model and stands alone."""
    write_atomically(path, problem_bytes(problem))


def load_problem(path: str | Path) -> Problem:
    """The problem in a file. Its `rows` are empty: fits are the same, except what needs the samples themselves again
    (robust losses, and standard deviations that account for the correlation that a filter leaves)."""
    return unpack(Path(path), _SCHEMA, _problem)


def problem_bytes(problem: Problem) -> bytes:
    arrays, description = base_parts(problem.base)
    arrays["counts"] = problem.counts
    for g, (group, factor) in enumerate(zip(problem.groups, problem.factors, strict=True)):
        arrays[f"factor_{g}"] = factor
        arrays[f"columns_{g}"] = group.columns
    description |= {
        "groups": [{"name": group.name, "unit": group.unit} for group in problem.groups],
        "samples": problem.samples,
        "preprocessing": dict(problem.preprocessing),
        "source": problem.source,
        "notes": list(problem.notes),
    }
    return pack(_SCHEMA, arrays, description)


def _problem(arrays: Arrays, description: dict[str, Any]) -> Problem:
    groups = [
        RowGroup(name=group["name"], unit=group["unit"], columns=arrays[f"columns_{g}"]) for g, group in enumerate(description["groups"])
    ]
    return Problem(
        base=base_from_parts(arrays, description),
        groups=tuple(groups),
        factors=tuple(arrays[f"factor_{g}"] for g in range(len(groups))),
        counts=arrays["counts"],
        samples=description["samples"],
        preprocessing=description["preprocessing"],
        source=description["source"],
        notes=tuple(description["notes"]),
    )


def base_parts(base: BaseParameters) -> tuple[Arrays, dict[str, Any]]:
    """Base parameters as arrays and a description; nothing needs to be computed again when they are read."""
    columns = base.columns
    description = {
        "robot": robot_to_dict(base.robot),
        "friction": None if base.friction is None else friction_to_dict(base.friction),
        "equations": base.equations,
        "columns": {"names": columns.names, "units": columns.units, "rigid": columns.rigid, "friction": columns.friction},
        "known": dict(base.known),
    }
    return {"independent": base.independent, "grouping": base.grouping}, description


def base_from_parts(arrays: Arrays, description: Mapping[str, Any]) -> BaseParameters:
    columns = description["columns"]
    return BaseParameters(
        robot=robot_from_dict(description["robot"]),
        friction=None if description["friction"] is None else friction_from_dict(description["friction"]),
        equations=description["equations"],
        columns=Columns(names=tuple(columns["names"]), units=tuple(columns["units"]), rigid=columns["rigid"], friction=columns["friction"]),
        independent=arrays["independent"],
        grouping=arrays["grouping"],
        known=description["known"],
    )


def pack(schema: str, arrays: Arrays, description: Mapping[str, Any]) -> bytes:
    """An NPZ archive in memory."""
    text = json.dumps(_plain({"schema": schema, **description}), ensure_ascii=False, allow_nan=False)
    stream = io.BytesIO()
    np.savez(stream, description=np.array(text), **cast("Any", arrays))
    return stream.getvalue()


def unpack(path: Path, schema: str, make: Callable[[Arrays, dict[str, Any]], _T]) -> _T:
    """What `make(arrays, description)` makes of a file that `pack` wrote; FileError when it is something else."""
    if not path.is_file():
        raise FileError(path, "no such file; check the path")
    arrays = read_npz(path)
    try:
        description = json.loads(str(arrays.pop("description")), object_hook=_special)
        found = description["schema"]
        if found != schema:
            raise FileError(path, f"its schema is {found!r}; {schema!r} was expected")
        return make(arrays, description)
    except FileError:
        raise
    except DynidentError as error:
        raise FileError(path, str(error)) from None
    except (KeyError, TypeError, ValueError, IndexError):
        raise FileError(path, f"is not a file of the schema {schema!r}, or it is damaged; make it again") from None


def _plain(value: Any) -> Any:
    """Without tuples, NumPy scalars and the infinities that JSON doesn't have."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in cast("list[Any]", value)]
    plain: object = cast("np.generic[Any]", value).item() if isinstance(value, np.generic) else value
    return {"number": repr(plain)} if isinstance(plain, float) and not math.isfinite(plain) else plain


def _special(mapping: dict[str, Any]) -> Any:
    return float(mapping["number"]) if mapping.keys() == {"number"} else mapping
