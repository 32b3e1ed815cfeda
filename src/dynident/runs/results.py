"""Results written into a run folder and read back, by their class; and problems and shared links as files of their own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from dynident.core.files import make_folder, place_below, read_text, write_atomically
from dynident.core.records import read_record, write_record
from dynident.errors import FileError
from dynident.runs.folder import Folder, RunFolder, write_stages
from dynident.runs.stages import STARTS, Origin, Stage, StageContent

if TYPE_CHECKING:
    from dynident.core.arrays import Array
    from dynident.feasibility.result import LinkParameters
    from dynident.feasibility.shared_links import SharedLinks
    from dynident.regression.estimate import Estimate
    from dynident.regression.problem import Problem
    from dynident.robots.robot import Robot
    from dynident.validation.folds import CrossValidation

T = TypeVar("T")


def write_result(folder: Folder, result: Any, *, seed: int = 0, provenance: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Write the result of a stage into the run folder that the estimate is in, with its document.

    Parameters
    ----------
    folder
        The run folder.
    result
        A `LinkParameters`, `Validation`, `PosteriorSamples`, `SignRecovery`, `PayloadEstimate`, `FrictionRefit` or `ContactMonitor`. The
        class says which stage it is of.
    seed
        That it was made with, for the record.
    provenance
        What is known beside the data, such as the command that was run.

    Returns
    -------
    dict
        The document as it was written.
    """
    return _write(folder, StageContent(result=result, origin=make_origin(seed, provenance)))


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


def write_estimate(
    folder: Folder,
    estimate: Estimate,
    problem: Problem | None = None,
    *,
    folds: CrossValidation | None = None,
    seed: int = 0,
    provenance: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Write the estimate, estimate.json and robot.json; the folder is made if it is not there.

    Parameters
    ----------
    folder
        The run folder.
    estimate
        What `identify` returned.
    problem
        By default the one that the estimate carries.
    folds
        The cross-validation of the same data, where there is one.
    seed
        That the identification was made with, for the record.
    provenance
        What is known beside the data, such as the command that was run.

    Returns
    -------
    dict
        The document as it was written.
    """
    whole = estimate if problem is None else replace(estimate, problem=problem)
    return _write(folder, StageContent(result=whole, folds=folds, origin=make_origin(seed, provenance)))


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


def write_parameters(
    folder: Folder, links: LinkParameters, *, seed: int = 0, held: Path | None = None, provenance: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Write link parameters into the run folder that the estimate is in.

    Parameters
    ----------
    folder
        The run folder.
    links
        What `retrieve` returned.
    seed
        That they were retrieved with, for the record.
    held
        The run whose gravity was held.
    provenance
        What is known beside the data, such as the command that was run.

    Returns
    -------
    dict
        The document as it was written.
    """
    origin = make_origin(seed, provenance)
    if held is not None:
        other = RunFolder(held)
        digests = {stage.key: other.digest(stage) or None for stage in (Stage.ESTIMATE, Stage.PARAMETERS)}
        origin = replace(origin, held={"run": str(held), **digests})
    return _write(folder, StageContent(result=links, origin=origin))


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


def read_parameters_for(robot: Robot, folder: Path) -> Array:
    """The (n, 10) link parameters of a run of the same robot; FileError where its links are others."""
    stored = read_parameters(folder)
    if stored.robot.link_names != robot.link_names or stored.robot.frame_names != robot.frame_names:
        names = ", ".join(stored.robot.link_names)
        raise FileError(folder, f"has parameters of other links ({names}) than robot {robot.name!r}; give the robot that was identified")
    return stored.parameters


def find_parameters(folder: Folder) -> LinkParameters | None:
    """The same; None where none have been retrieved. Those that are out of date are a FileError."""
    run = RunFolder.of(folder)
    return read_parameters(run) if (run.path / Stage.PARAMETERS.file).is_file() else None


def make_origin(seed: int, provenance: Mapping[str, Any] | None) -> Origin:
    """How a result was made. provenance : what is known beside it, by the names of the fields of `Origin`."""
    known: dict[str, Any] = dict(provenance or {})
    if "part" in known:
        known["part"] = tuple(known["part"])
    return Origin(seed=seed, **known)


def _write(folder: Folder, content: StageContent) -> dict[str, Any]:
    stage = Stage.of(content.result.__class__)
    return write_stages(folder, {stage: content})[stage]


# ------------------------------------------------------------------------------------------------------------- files of their own


def save_problem(problem: Problem, path: str | Path) -> None:
    """Write a problem; the file carries its robot and friction model and stands alone.

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


def write_shared_links(path: str | Path, shared: SharedLinks) -> None:
    """Write links that robots of one model share."""
    write_record(Path(path), shared)


def read_shared_links(path: str | Path) -> SharedLinks:
    """FileError where the file is none of these."""
    from dynident.feasibility.shared_links import SharedLinks

    return read_record(Path(path), SharedLinks, remedy="share the links of the fleet again")


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
        """Results by start. A file that can't be understood (a kill can't leave one, but people can) counts as not there."""
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
