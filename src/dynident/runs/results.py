"""The result of each stage, written into a run folder and read back; and problems and shared links as files of their own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dynident.core.files import make_folder, place_below, read_text, write_atomically
from dynident.core.records import read_record, write_record
from dynident.errors import FileError
from dynident.runs.stages import STARTS, Folder, Origin, RunFolder, Stage, StageContent, write_stages

if TYPE_CHECKING:
    from dynident.core.arrays import Array
    from dynident.feasibility.result import LinkParameters
    from dynident.feasibility.samples import PosteriorSamples
    from dynident.feasibility.shared_links import SharedLinks
    from dynident.monitoring.contact_monitor import ContactMonitor
    from dynident.payload.result import PayloadEstimate
    from dynident.regression.estimate import Estimate
    from dynident.regression.friction.refit import FrictionRefit
    from dynident.regression.problem import Problem
    from dynident.robots.robot import Robot
    from dynident.signs.result import SignRecovery
    from dynident.validation.folds import CrossValidation
    from dynident.validation.result import Validation

#: Samples per joint that a validation keeps for the report's pictures.
MOST_SAMPLES = 4000


def write_estimate(
    folder: Folder,
    estimate: Estimate,
    problem: Problem | None = None,
    *,
    folds: CrossValidation | None = None,
    seed: int = 0,
    provenance: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Write the estimate, estimate.json and robot.json; the folder is made if it is not there. Returns the document.

    Parameters
    ----------
    problem
        By default the one that the estimate carries.
    folds
        The cross-validation of the same data, where there is one.
    provenance
        What is known beside the data, such as the command that was run.
    """
    return _write(folder, Stage.ESTIMATE, estimate_content(estimate, problem, folds=folds, seed=seed, provenance=provenance))


def estimate_content(
    estimate: Estimate,
    problem: Problem | None = None,
    *,
    folds: CrossValidation | None = None,
    seed: int = 0,
    provenance: Mapping[str, Any] | None = None,
) -> StageContent:
    """What `write_estimate` writes, to be written with other stages."""
    whole = estimate if problem is None else replace(estimate, problem=problem)
    return StageContent(result=whole, folds=folds, origin=_origin(seed, provenance))


def read_estimate(folder: Folder) -> Estimate:
    """The estimate in a run folder, as it was written, with the problem behind it where that was saved."""
    return RunFolder.of(folder).read(Stage.ESTIMATE).result


def read_problem(folder: Folder) -> Problem:
    """The problem behind a run folder's estimate."""
    run = RunFolder.of(folder)
    problem = read_estimate(run).problem
    if problem is None:
        raise FileError(run.path / Stage.ESTIMATE.file, "was written without its data", remedy=Stage.ESTIMATE.remedy(run.path))
    return problem


def write_parameters(
    folder: Folder, links: LinkParameters, *, seed: int = 0, held: Path | None = None, provenance: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Write link parameters into the run folder that the estimate is in. held : the run whose gravity was held."""
    return _write(folder, Stage.PARAMETERS, parameters_content(links, seed=seed, held=held, provenance=provenance))


def parameters_content(
    links: LinkParameters, *, seed: int = 0, held: Path | None = None, provenance: Mapping[str, Any] | None = None
) -> StageContent:
    """What `write_parameters` writes, to be written with other stages.

    Of a problem with conditions that are functions, or whose ranges are by another objective, nothing is kept.
    """
    problem = links.problem
    kept = problem is not None and not (problem.terms.nonconvex or problem.terms.alternatives or problem.ranges_by)
    origin = _origin(seed, provenance)
    if held is not None:
        other = RunFolder(held)
        digests = {stage.key: other.digest(stage) or None for stage in (Stage.ESTIMATE, Stage.PARAMETERS)}
        origin = replace(origin, held={"run": str(held), **digests})
    return StageContent(result=links if kept or problem is None else replace(links, problem=None), origin=origin)


def read_parameters(folder: Folder) -> LinkParameters:
    """The link parameters in a run folder, as they were written; FileError where there are none, or where they are out of date."""
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


def write_validation(folder: Folder, validation: Validation, *, provenance: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Write a validation into the run folder that the estimate is in; of its curves a few thousand samples."""
    return _write(folder, Stage.VALIDATION, validation_content(validation, provenance=provenance))


def validation_content(validation: Validation, *, provenance: Mapping[str, Any] | None = None) -> StageContent:
    """What `write_validation` writes, to be written with other stages."""
    thinned = replace(validation, series=tuple(item.thin(MOST_SAMPLES) for item in validation.series))
    return StageContent(result=thinned, shown=validation, origin=_origin(0, provenance))


def read_validation(folder: Folder) -> Validation:
    """The validation in a run folder, its curves thinned out; FileError where there is none, or where it is out of date."""
    return RunFolder.of(folder).read(Stage.VALIDATION).result


def write_samples(folder: Folder, samples: PosteriorSamples, *, provenance: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Write samples into the run folder that the link parameters are in."""
    return _write(folder, Stage.SAMPLES, StageContent(result=samples, origin=_origin(0, provenance)))


def read_samples(folder: Folder) -> PosteriorSamples:
    """The samples in a run folder, as they were written; FileError where there are none, or where they are out of date."""
    return RunFolder.of(folder).read(Stage.SAMPLES).result


def write_signs(folder: Folder, recovery: SignRecovery, *, seed: int = 0) -> dict[str, Any]:
    """Write recovered signs into the run folder that the estimate of the signed torque is in."""
    return _write(folder, Stage.SIGNS, StageContent(result=recovery, origin=Origin(seed=seed)))


def read_signs(folder: Folder) -> SignRecovery:
    """The recovered signs in a run folder; FileError where there are none, or where they are out of date."""
    return RunFolder.of(folder).read(Stage.SIGNS).result


def write_payload(folder: Folder, payload: PayloadEstimate, *, provenance: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Write a payload into the run folder that the estimate of the arm is in."""
    return _write(folder, Stage.PAYLOAD, payload_content(payload, provenance=provenance))


def payload_content(payload: PayloadEstimate, *, provenance: Mapping[str, Any] | None = None) -> StageContent:
    """What `write_payload` writes, to be written with other stages."""
    return StageContent(result=payload, origin=_origin(0, provenance))


def read_payload(folder: Folder) -> PayloadEstimate:
    """The payload in a run folder; FileError where there is none, or where it is out of date."""
    return RunFolder.of(folder).read(Stage.PAYLOAD).result


def write_friction(folder: Folder, refit: FrictionRefit, *, provenance: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Write refitted friction into the run folder that the estimate with the new friction is in."""
    return _write(folder, Stage.FRICTION, StageContent(result=refit, origin=_origin(0, provenance)))


def read_friction(folder: Folder) -> FrictionRefit:
    """The refitted friction in a run folder; FileError where there is none, or where it is out of date."""
    return RunFolder.of(folder).read(Stage.FRICTION).result


def write_monitor(folder: Folder, monitor: ContactMonitor, *, provenance: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Write a monitor into the run folder whose model it watches with."""
    return _write(folder, Stage.MONITOR, monitor_content(monitor, provenance=provenance))


def monitor_content(monitor: ContactMonitor, *, provenance: Mapping[str, Any] | None = None) -> StageContent:
    """What `write_monitor` writes, to be written with other stages."""
    from dynident.monitoring.watched_model import COEFFICIENTS

    made_from = (Stage.ESTIMATE.name,) if monitor.model.name == COEFFICIENTS else None
    return StageContent(result=monitor, origin=_origin(0, provenance), made_from=made_from)


def read_monitor(folder: Folder) -> ContactMonitor:
    """The monitor in a run folder; FileError where there is none, or where it is out of date."""
    return RunFolder.of(folder).read(Stage.MONITOR).result


def _write(folder: Folder, stage: Stage, content: StageContent) -> dict[str, Any]:
    return write_stages(folder, {stage: content})[stage]


def _origin(seed: int, provenance: Mapping[str, Any] | None) -> Origin:
    known: dict[str, Any] = dict(provenance or {})
    if "part" in known:
        known["part"] = tuple(known["part"])
    return Origin(seed=seed, **known)


# ------------------------------------------------------------------------------------------------------------- files of their own


def save_problem(problem: Problem, path: str | Path) -> None:
    """Write a problem; the file carries its robot and friction model and stands alone."""
    write_record(Path(path), problem)


def load_problem(path: str | Path) -> Problem:
    """The problem in a file. Fits are the same, standard deviations and robust losses included. `rows` are empty, so that where rows
    were not filtered, or too many to be kept, what needs them again is refused."""
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
