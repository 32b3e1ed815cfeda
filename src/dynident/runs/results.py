"""Results written into a run folder and read back, by their class; and problems and shared links as files of their own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from dynident.core.files import make_folder, place_below, read_text, write_atomically
from dynident.core.records import read_record, write_record
from dynident.errors import FileError
from dynident.runs.folder import Folder, RunFolder, write_stages
from dynident.runs.stages import STARTS, Stage, StageContent, StageOrigin

if TYPE_CHECKING:
    from dynident.links.result import LinkParameters
    from dynident.regression.estimate import Estimate
    from dynident.regression.problem import Problem
    from dynident.validation.folds import CrossValidation

T = TypeVar("T")


def write_result(
    folder: Folder,
    result: Any,
    *,
    folds: CrossValidation | None = None,
    origin: StageOrigin | None = None,
) -> dict[str, Any]:
    """Write the result of a stage into a run folder, with its document.

    Parameters
    ----------
    folder
        The run folder, which is made for an estimate if it is not there.
    result
        An `Estimate`, `LinkParameters`, `Validation`, `PosteriorSamples`, `SignRecovery`, `PayloadEstimate`, `FrictionRefit` or
        `ContactMonitor`. Its class determines the stage.
    folds
        Of an estimate, the cross-validation of the same data, where there is one.
    origin
        How it was made: the seed, the command, ...

    Returns
    -------
    dict
        The document as it was written.
    """
    stage = Stage.of(result.__class__)
    return write_stages(folder, {stage: StageContent(result=result, folds=folds, origin=origin or StageOrigin())})[stage]


def read_result(folder: Folder, kind: type[T]) -> T:
    """The result of a class in a run folder, as it was written; of the curves of a `Validation` a few thousand samples.

    Parameters
    ----------
    folder
        The run folder.
    kind
        Class of the result, such as `LinkParameters`.

    Returns
    -------
    T
        As it was written.

    Raises
    ------
    FileError
        Where there is none, or where it is out of date.
    """
    return RunFolder.of(folder).read(Stage.of(kind)).result


def read_estimate(folder: Folder) -> Estimate:
    """The estimate in a run folder, as it was written, with the problem behind it where that was saved.

    Parameters
    ----------
    folder
        The run folder.

    Returns
    -------
    Estimate
        With its notes and covariance.

    Raises
    ------
    FileError
        Where there is none, or where it is damaged.
    """
    return RunFolder.of(folder).read(Stage.ESTIMATE).result


def read_problem(folder: Folder) -> Problem:
    """The problem behind a run folder's estimate.

    Parameters
    ----------
    folder
        The run folder.

    Returns
    -------
    Problem
        As it was written.

    Raises
    ------
    FileError
        Where there is none.
    """
    run = RunFolder.of(folder)
    problem = read_estimate(run).problem
    if problem is None:
        raise FileError(run.path / Stage.ESTIMATE.file, "was written without its data", remedy=Stage.ESTIMATE.remedy(run.path))
    return problem


def read_parameters(folder: Folder) -> LinkParameters:
    """The link parameters in a run folder.

    Parameters
    ----------
    folder
        The run folder.

    Returns
    -------
    LinkParameters
        As they were written.

    Raises
    ------
    FileError
        Where there are none, or where they are out of date.
    """
    return RunFolder.of(folder).read(Stage.PARAMETERS).result


def find_parameters(folder: Folder) -> LinkParameters | None:
    """The same; None where none have been retrieved. Those that are out of date are a FileError."""
    run = RunFolder.of(folder)
    return read_parameters(run) if (run.path / Stage.PARAMETERS.file).is_file() else None


# ------------------------------------------------------------------------------------------------------------- files of their own


def save_problem(problem: Problem, path: str | Path) -> None:
    """Write a problem; the file holds its robot and friction model too.

    Parameters
    ----------
    problem
        The problem.
    path
        The file.
    """
    write_record(Path(path), problem)


def load_problem(path: str | Path) -> Problem:
    """The problem in a file. Fits are the same, standard deviations and robust losses included. `rows` are empty, so that where rows
    were not filtered, or too many to be kept, what needs them again is refused.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    Problem
        With its robot and friction model.
    """
    from dynident.regression.problem import Problem

    return read_record(Path(path), Problem, remedy="write it again with save_problem")


@dataclass(frozen=True)
class StartStore:
    """Finished starts of a multi-start in a run folder, one small file each, so that a killed run can go on.

    key : str     Tells apart problems, solvers and seeds; starts of another key are not taken for this one's.
    label : str   How the files are called; the steps of a method have one each.
    """

    folder: Path
    key: str
    label: str = "start"

    def finished(self) -> dict[int, dict[str, Any]]:
        """Results by start. A file with anything else in it, such as one that was edited, is ignored."""
        results: dict[int, dict[str, Any]] = {}
        for file in sorted((self.folder / STARTS).glob(f"{self.label}_*.json")):
            try:
                content = json.loads(read_text(file))
                if content["key"] == self.key:
                    results[int(content["start"])] = dict(content["result"])
            except (KeyError, TypeError, ValueError, FileError):
                continue
        return results

    def store(self, start: int, result: Mapping[str, Any]) -> None:
        target = place_below(self.folder, STARTS)
        make_folder(target)
        content = {"key": self.key, "start": start, "result": dict(result)}
        write_atomically(target / f"{self.label}_{start + 1:04d}.json", json.dumps(content, allow_nan=False) + "\n")
