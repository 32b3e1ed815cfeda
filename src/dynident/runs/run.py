"""A whole run: every stage of a folder that counts, and for the others why they don't and which command makes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from dynident.core.files import file_digest
from dynident.feasibility.result import LinkParameters
from dynident.regression.estimate import Estimate
from dynident.regression.problem import Problem
from dynident.runs.estimate import read_estimate, read_problem, write_estimate
from dynident.runs.parameters import find_parameters, write_parameters
from dynident.runs.stages import PROBLEM, ROBOT, Absent, Stage, read_document
from dynident.runs.validation import find_validation, write_validation
from dynident.validation.result import Validation


@dataclass(frozen=True, kw_only=True, eq=False)
class Run:
    """What a run folder holds.

    missing : stage -> why its files don't count: the step has not been done, or the one before it has been done again.
    documents : the content of estimate.json, parameters.json and validation.json, as far as they count.
    hashes : SHA-256 of the folder's files by name.
    links_validated : whether the validation is that of the link parameters in the folder.
    """

    folder: Path
    estimate: Estimate
    parameters: LinkParameters | None
    validation: Validation | None
    missing: Mapping[Stage, str]
    documents: Mapping[Stage, Mapping[str, Any]]
    hashes: Mapping[str, str]
    links_validated: bool

    @cached_property
    def problem(self) -> Problem:
        """The compressed problem behind the estimate, read when it is asked for; FileError where it was not saved."""
        return read_problem(self.folder)


def save_run(
    folder: str | Path,
    estimate: Estimate,
    *,
    problem: Problem | None = None,
    parameters: LinkParameters | None = None,
    validation: Validation | None = None,
    seed: int = 0,
) -> None:
    """Write the stages of a run into a folder, which is made if it is not there. What is in it of another estimate no longer counts."""
    write_estimate(folder, estimate, problem, seed=seed)
    if parameters is not None:
        write_parameters(folder, parameters, seed=seed)
    if validation is not None:
        write_validation(folder, validation)


def load_run(folder: str | Path) -> Run:
    """The run in a folder; FileError where nothing has been identified in it, or where its files are damaged or mixed."""
    run = Path(folder)
    estimate = read_estimate(run)
    parameters, validation = find_parameters(run), find_validation(run)
    found = {Stage.PARAMETERS: parameters, Stage.VALIDATION: validation}
    missing = {stage: result.reason for stage, result in found.items() if isinstance(result, Absent)}
    names = (Stage.ESTIMATE.value.arrays, PROBLEM, ROBOT, Stage.PARAMETERS.value.arrays, Stage.VALIDATION.value.arrays)
    judged = "" if isinstance(validation, Absent) else validation.summary.parameters
    return Run(
        folder=run,
        estimate=estimate,
        parameters=None if isinstance(parameters, Absent) else parameters,
        validation=None if isinstance(validation, Absent) else validation,
        missing=missing,
        documents={stage: read_document(run, stage) for stage in Stage if stage not in missing},
        hashes={name: file_digest(run / name) for name in names if (run / name).is_file()},
        links_validated=judged != "" and judged == Stage.PARAMETERS.digest(run),
    )
