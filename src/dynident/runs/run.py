"""A whole run: the results of a folder that are up to date, and for the others the reason and the command that makes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dynident.core.results import Result
from dynident.errors import UnknownNameError
from dynident.runs.folder import NOT_DONE, Folder, MissingStageError, RunFolder, stale_documents, write_stages
from dynident.runs.results import read_problem
from dynident.runs.stages import Stage, StageContent, StageOrigin

if TYPE_CHECKING:
    from dynident.links.result import LinkParameters
    from dynident.links.samples import PosteriorSamples
    from dynident.regression.estimate import Estimate
    from dynident.regression.friction.refit import FrictionRefit
    from dynident.regression.problem import Problem
    from dynident.routes.payload.result import PayloadEstimate
    from dynident.routes.signs.result import SignRecovery
    from dynident.validation.monitoring.contact_monitor import ContactMonitor
    from dynident.validation.result import Validation
    from dynident.validation.spread import TorqueSpread


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Run(Result):
    """What a run folder holds.

    Attributes
    ----------
    folder : Path
        Where it is.
    contents
        The results that are up to date, with how they were made.
    missing
        Stage -> why it has no result: the step has not been done, or the one before it has been done again.
    links_validated
        Whether the validation is that of the link parameters in the folder.
    beside
        Another run of the same robot, to be compared with.
    stale
        Names of the JSON documents that were not made from the records beside them.
    """

    folder: Path
    contents: Mapping[Stage, StageContent]
    missing: Mapping[Stage, str]
    links_validated: bool
    beside: Run | None = None
    stale: tuple[str, ...] = ()

    def result_of(self, stage: Stage) -> Any:
        """The result of a stage; None where there is none that is up to date."""
        return self.contents[stage].result if stage in self.contents else None

    @property
    def estimate(self) -> Estimate:
        return self.result_of(Stage.ESTIMATE)

    @property
    def signs(self) -> SignRecovery | None:
        """Those that were recovered before the estimate; None where the torque had its signs."""
        return self.result_of(Stage.SIGNS)

    @property
    def parameters(self) -> LinkParameters | None:
        return self.result_of(Stage.PARAMETERS)

    @property
    def validation(self) -> Validation | None:
        return self.result_of(Stage.VALIDATION)

    @property
    def samples(self) -> PosteriorSamples | None:
        return self.result_of(Stage.SAMPLES)

    @property
    def payload(self) -> PayloadEstimate | None:
        """What the arm carried in another log; None where none was identified."""
        return self.result_of(Stage.PAYLOAD)

    @property
    def friction(self) -> FrictionRefit | None:
        """How the estimate's friction differs from that of the run whose links it has; None where it was fitted with its own."""
        return self.result_of(Stage.FRICTION)

    @property
    def monitor(self) -> ContactMonitor | None:
        """What contacts are found with; None where no thresholds have been found."""
        return self.result_of(Stage.MONITOR)

    @cached_property
    def documents(self) -> dict[Stage, dict[str, Any]]:
        """The JSON documents of the stages."""
        return {stage: stage.make_document(item) for stage, item in self.contents.items()}

    @property
    def digests(self) -> dict[str, str]:
        """SHA-256 of the content of each stage's file; empty where no folder holds it."""
        return {stage.file: item.digest for stage, item in self.contents.items() if item.digest}

    @property
    def results(self) -> tuple[Result, ...]:
        """The stages that are there, in their order."""
        return tuple(self.contents[stage].result for stage in Stage if stage in self.contents)

    @property
    def torque_spread(self) -> TorqueSpread | None:
        """How different the torques of the samples are on the motion of the validation; None where one of the two is missing."""
        from dynident.validation.spread import torque_spread

        return None if self.samples is None or self.validation is None else torque_spread(self.validation, self.samples.x)

    @property
    def problem(self) -> Problem:
        """The compressed problem behind the estimate; FileError where it was not saved."""
        return read_problem(self.folder) if self.estimate.problem is None else self.estimate.problem


def save_run(
    folder: str | Path,
    estimate: Estimate,
    *,
    problem: Problem | None = None,
    seed: int = 0,
    provenance: Mapping[str, Any] | None = None,
    **results: Result | None,
) -> dict[Stage, dict[str, Any]]:
    """Write the stages of a run into a folder, which is made if need be. Other results in it are out of date where the estimate is another.

    Parameters
    ----------
    folder
        Made if it is not there.
    estimate
        What `identify` returned.
    problem
        Behind the estimate; by default the one that it carries.
    seed
        That the identification was made with, for the record.
    provenance
        What is known beside the data, by the names of the fields of `StageOrigin`, such as the command that was run.
    **results
        Of other stages, by their names: signs (what `recover_signs` returned), parameters (`retrieve`), validation (`validate`), samples
        (`LinkParameters.sample`), payload (`identify_payload`), friction (`refit_friction`), monitor (`contact_monitor`).

    Returns
    -------
    dict
        By stage, the documents as they were written.

    Raises
    ------
    FileError
        Where the folder cannot be written.

    Examples
    --------
    >>> from dynident import identify, load_dataset, load_robot, save_run
    >>> estimate = identify(load_robot("arm.urdf"), load_dataset("log.csv"))
    >>> documents = save_run("new", estimate)
    """
    whole = estimate if problem is None else replace(estimate, problem=problem)
    return write_results(folder, whole, origin=StageOrigin(seed=seed, **(provenance or {})), **results)


def write_results(folder: Folder, estimate: Estimate, *, origin: StageOrigin, **results: Result | None) -> dict[Stage, dict[str, Any]]:
    """An estimate and what was made with it, all of one origin. results : by the names of their stages."""
    stages = _by_stage(estimate, results)
    return write_stages(folder, {stage: StageContent(result=item, origin=origin) for stage, item in stages.items()})


def load_run(folder: Folder) -> Run:
    """The run in a folder.

    Parameters
    ----------
    folder
        A run folder, as the command line or `save_run` writes it.

    Returns
    -------
    Run
        Its results, each where its stage was done and is up to date.

    Raises
    ------
    FileError
        Where nothing has been identified in it, or where a file of it is damaged.

    Examples
    --------
    >>> from dynident import load_run
    >>> run = load_run("run")
    >>> run.parameters.feasible
    True
    """
    run = RunFolder.of(folder)
    run.read(Stage.ESTIMATE)
    stages = {stage: run.find(stage) for stage in Stage}
    contents = {stage: item for stage, item in stages.items() if isinstance(item, StageContent)}
    absent = {stage: item.reason for stage, item in stages.items() if isinstance(item, MissingStageError)}
    judged = contents[Stage.VALIDATION].origin.made_from.get(Stage.PARAMETERS.key) if Stage.VALIDATION in contents else None
    return Run(
        folder=run.path,
        contents=contents,
        missing={stage: reason for stage, reason in absent.items() if not stage.value.optional},
        links_validated=judged is not None and judged == run.digest(Stage.PARAMETERS),
        stale=tuple(stale_documents(run, contents)),
    )


def run_in_memory(estimate: Estimate, **results: Result | None) -> Run:
    """The stages as a run that no folder holds: its commands have RUN in place of a folder, and there are no digests.

    Parameters
    ----------
    estimate
        What `identify` returned.
    **results
        Of other stages, by their names, as `save_run` takes them.

    Returns
    -------
    Run
        For `report`.
    """
    by_stage = _by_stage(estimate, results)
    missing = {stage: NOT_DONE for stage in Stage if stage not in by_stage and not stage.value.optional}
    validation = by_stage.get(Stage.VALIDATION)
    return Run(
        folder=Path("RUN"),
        contents={stage: StageContent(result=stage.value.kept(item)) for stage, item in by_stage.items()},
        missing=missing,
        links_validated=Stage.PARAMETERS in by_stage and validation is not None and validation.links is not None,
    )


def _by_stage(estimate: Estimate, results: Mapping[str, Any]) -> dict[Stage, Any]:
    """The results that there are; UnknownNameError for the name of no stage."""
    names = [stage.key for stage in Stage]
    for name in results:
        if name not in names:
            raise UnknownNameError("stage", name, names)
    given = {"estimate": estimate, **results}
    return {stage: given[stage.key] for stage in Stage if given.get(stage.key) is not None}
