"""A whole run: every stage of a folder that counts, and for the others why they don't and which command makes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from dynident.core.figures import Figure
from dynident.core.files import file_digest
from dynident.core.results import Report, Result
from dynident.feasibility.result import LinkParameters
from dynident.feasibility.samples import PosteriorSamples
from dynident.monitoring.contact_monitor import ContactMonitor
from dynident.payload.result import PayloadEstimate
from dynident.regression.estimate import Estimate
from dynident.regression.friction.refit import FrictionRefit
from dynident.regression.problem import Problem
from dynident.runs.estimate import estimate_document, read_estimate, read_problem, write_estimate
from dynident.runs.friction import find_friction, friction_document, write_friction
from dynident.runs.monitor import find_monitor, monitor_document, write_monitor
from dynident.runs.parameters import find_parameters, parameters_document, write_parameters
from dynident.runs.payload import find_payload, payload_document, write_payload
from dynident.runs.samples import find_samples, samples_document, write_samples
from dynident.runs.signs import find_signs, signs_document, write_signs
from dynident.runs.stages import PROBLEM, ROBOT, Absent, Stage, gather_stages, read_document
from dynident.runs.validation import MOST_SAMPLES, find_validation, validation_document, write_validation
from dynident.signs.result import SignRecovery
from dynident.validation.result import Validation
from dynident.validation.spread import TorqueSpread, torque_spread


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Run(Result):
    """What a run folder holds.

    missing : stage -> why its files don't count: the step has not been done, or the one before it has been done again.
    signs : those that were recovered before the estimate; None where the torque had its signs.
    payload : what the arm carried in another log; None where none was identified.
    friction : how the estimate's friction differs from that of the run whose links it has; None where it was fitted with its own.
    monitor : what contacts are found with; None where no thresholds have been found.
    documents : the content of estimate.json and of the other stages' documents, as far as they count.
    hashes : SHA-256 of the folder's files by name.
    links_validated : whether the validation is that of the link parameters in the folder.
    beside : another run of the same robot, to be compared with.
    """

    folder: Path
    estimate: Estimate
    parameters: LinkParameters | None
    validation: Validation | None
    samples: PosteriorSamples | None
    missing: Mapping[Stage, str]
    documents: Mapping[Stage, Mapping[str, Any]]
    hashes: Mapping[str, str]
    links_validated: bool
    signs: SignRecovery | None = None
    payload: PayloadEstimate | None = None
    friction: FrictionRefit | None = None
    monitor: ContactMonitor | None = None
    beside: Run | None = None

    @property
    def results(self) -> tuple[Result, ...]:
        """The stages that are there, in their order."""
        return tuple(result for result in self._of_stages.values() if result is not None)

    @property
    def _of_stages(self) -> dict[Stage, Result | None]:
        optional = (self.payload, self.friction, self.monitor)
        return dict(zip(Stage, (self.estimate, self.signs, self.parameters, self.validation, self.samples, *optional), strict=True))

    @property
    def headline(self) -> str:
        return f"{self.estimate.base.robot.name} in {self.folder}: {', '.join(type(result).__name__ for result in self.results)}"

    def tables(self) -> Report:
        """Those of all stages, one after the other."""
        reports = [result.tables() for result in self.results]
        return Report(
            header=(self.headline,),
            tables=tuple(table for report in reports for table in report.tables),
            facts=(
                *(fact for report in reports for fact in report.facts),
                *(f"{stage.name}: {why}" for stage, why in self.missing.items()),
            ),
            notes=tuple(dict.fromkeys(note for report in reports for note in report.notes)),
        )

    def records(self) -> list[dict[str, Any]]:
        """One row per stage: whether it counts, what it is, and why it doesn't count."""
        return [
            {
                "stage": stage.name.lower(),
                "done": result is not None,
                "result": "" if result is None else result.headline,
                "missing": self.missing.get(stage, ""),
            }
            for stage, result in self._of_stages.items()
            if result is not None or stage in self.missing
        ]

    def figures(self) -> tuple[Figure, ...]:
        """Those of all stages, one after the other."""
        return tuple(figure for result in self.results for figure in result.figures())

    @property
    def torque_spread(self) -> TorqueSpread | None:
        """How different the torques of the samples are on the motion of the validation; None where one of the two is missing."""
        return None if self.samples is None or self.validation is None else torque_spread(self.validation, self.samples.x)

    @cached_property
    def problem(self) -> Problem:
        """The compressed problem behind the estimate, read when it is asked for; FileError where it was not saved."""
        return read_problem(self.folder)


def save_run(
    folder: str | Path,
    estimate: Estimate,
    *,
    problem: Problem | None = None,
    signs: SignRecovery | None = None,
    parameters: LinkParameters | None = None,
    validation: Validation | None = None,
    samples: PosteriorSamples | None = None,
    payload: PayloadEstimate | None = None,
    friction: FrictionRefit | None = None,
    monitor: ContactMonitor | None = None,
    seed: int = 0,
) -> None:
    """Write the stages of a run into a folder, all or nothing; it is made if need be. What it has of another estimate no longer counts."""
    with gather_stages(folder) as draft:
        write_estimate(draft, estimate, problem, seed=seed)
        if signs is not None:
            write_signs(draft, signs, seed=seed)
        if parameters is not None:
            write_parameters(draft, parameters, seed=seed)
        if validation is not None:
            write_validation(draft, validation)
        if samples is not None:
            write_samples(draft, samples)
        if payload is not None:
            write_payload(draft, payload)
        if friction is not None:
            write_friction(draft, friction)
        if monitor is not None:
            write_monitor(draft, monitor)


def load_run(folder: str | Path) -> Run:
    """The run in a folder; FileError where nothing has been identified in it, or where its files are damaged or mixed."""
    run = Path(folder)
    estimate = read_estimate(run)
    signs, parameters, validation = find_signs(run, estimate), find_parameters(run), find_validation(run)
    samples, payload, friction, monitor = find_samples(run), find_payload(run), find_friction(run, estimate), find_monitor(run)
    stages = (Stage.SIGNS, Stage.PARAMETERS, Stage.VALIDATION, Stage.SAMPLES, Stage.PAYLOAD, Stage.FRICTION, Stage.MONITOR)
    found = dict(zip(stages, (signs, parameters, validation, samples, payload, friction, monitor), strict=True))
    absent = {stage: result.reason for stage, result in found.items() if isinstance(result, Absent)}
    names = (PROBLEM, ROBOT, *(stage.value.arrays for stage in Stage))
    judged = "" if isinstance(validation, Absent) else validation.summary.parameters
    return Run(
        folder=run,
        estimate=estimate,
        parameters=None if isinstance(parameters, Absent) else parameters,
        validation=None if isinstance(validation, Absent) else validation,
        samples=None if isinstance(samples, Absent) else samples,
        missing={stage: reason for stage, reason in absent.items() if not stage.value.optional},
        documents={stage: read_document(run, stage) for stage in Stage if stage not in absent},
        hashes={name: file_digest(run / name) for name in names if (run / name).is_file()},
        links_validated=judged != "" and judged == Stage.PARAMETERS.digest(run),
        signs=None if isinstance(signs, Absent) else signs,
        payload=None if isinstance(payload, Absent) else payload,
        friction=None if isinstance(friction, Absent) else friction,
        monitor=None if isinstance(monitor, Absent) else monitor,
    )


def run_in_memory(
    estimate: Estimate,
    *,
    signs: SignRecovery | None = None,
    parameters: LinkParameters | None = None,
    validation: Validation | None = None,
    samples: PosteriorSamples | None = None,
    payload: PayloadEstimate | None = None,
    friction: FrictionRefit | None = None,
    monitor: ContactMonitor | None = None,
) -> Run:
    """The stages as a run that no folder holds: its commands say RUN where a folder would stand, and there are no hashes."""
    documents: dict[Stage, Mapping[str, Any]] = {Stage.ESTIMATE: estimate_document(estimate)}
    if signs is not None:
        documents[Stage.SIGNS] = signs_document(signs)
    if parameters is not None:
        documents[Stage.PARAMETERS] = parameters_document(parameters)
    if validation is not None:
        documents[Stage.VALIDATION] = validation_document(validation)
        validation = replace(validation, series=tuple(item.thin(MOST_SAMPLES) for item in validation.series))
    if samples is not None:
        documents[Stage.SAMPLES] = samples_document(samples)
    if payload is not None:
        documents[Stage.PAYLOAD] = payload_document(payload)
    if friction is not None:
        documents[Stage.FRICTION] = friction_document(friction)
    if monitor is not None:
        documents[Stage.MONITOR] = monitor_document(monitor)
    return Run(
        folder=Path("RUN"),
        estimate=estimate,
        parameters=parameters,
        validation=validation,
        samples=samples,
        missing={stage: "This step has not been done yet." for stage in Stage if stage not in documents and not stage.value.optional},
        documents=documents,
        hashes={},
        links_validated=parameters is not None and validation is not None and validation.links is not None,
        signs=signs,
        payload=payload,
        friction=friction,
        monitor=monitor,
    )
