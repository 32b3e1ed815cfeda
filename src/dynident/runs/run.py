"""What a report is about: the stages that a run folder holds, and for those that it doesn't, which command makes them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, TypeVar

from dynident.core.files import read_json
from dynident.errors import FileError
from dynident.feasibility.result import LinkParameters
from dynident.regression.estimate import Estimate
from dynident.runs.estimate import ARRAYS as ESTIMATE_ARRAYS
from dynident.runs.estimate import ESTIMATE, PROBLEM, ROBOT, read_estimate
from dynident.runs.parameters import ARRAYS as PARAMETER_ARRAYS
from dynident.runs.parameters import PARAMETERS, read_parameters
from dynident.runs.validation import ARRAYS as VALIDATION_ARRAYS
from dynident.runs.validation import VALIDATION, parameters_digest, read_validation
from dynident.validation.result import Validation

_T = TypeVar("_T")
_HASHED = (ESTIMATE_ARRAYS, PROBLEM, ROBOT, PARAMETER_ARRAYS, VALIDATION_ARRAYS)


class Stage(Enum):
    """A step whose files a section needs; the value is the command that does it."""

    ESTIMATE = "dynident identify ROBOT DATA -o RUN"
    PARAMETERS = "dynident retrieve RUN"
    VALIDATION = "dynident validate RUN DATA"

    def command(self, folder: Path) -> str:
        return self.value.replace("RUN", str(folder))


@dataclass(frozen=True, kw_only=True, eq=False)
class Run:
    """Everything that a report shows.

    missing : stage -> why its files don't count, for stages that are not there.
    documents : the content of estimate.json, parameters.json and validation.json, as far as they are there.
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


def read_run(folder: str | Path) -> Run:
    """The run in a folder; FileError where nothing has been identified in it."""
    run = Path(folder)
    estimate = read_estimate(run)
    missing: dict[Stage, str] = {}
    parameters = _optional(run, PARAMETERS, Stage.PARAMETERS, read_parameters, missing)
    validation = _optional(run, VALIDATION, Stage.VALIDATION, read_validation, missing)
    present = {Stage.ESTIMATE: ESTIMATE, Stage.PARAMETERS: PARAMETERS, Stage.VALIDATION: VALIDATION}
    return Run(
        folder=run,
        estimate=estimate,
        parameters=parameters,
        validation=validation,
        missing=missing,
        documents={stage: read_json(run / name) for stage, name in present.items() if stage not in missing},
        hashes={name: hashlib.sha256((run / name).read_bytes()).hexdigest() for name in _HASHED if (run / name).is_file()},
        links_validated=validation is not None and validation.summary.parameters == parameters_digest(run),
    )


def _optional(run: Path, name: str, stage: Stage, read: Callable[[Path], _T], missing: dict[Stage, str]) -> _T | None:
    """A stage that may not be there yet, or be out of date; one that is damaged is an error."""
    if not (run / name).is_file():
        missing[stage] = "This step has not been done yet."
        return None
    try:
        return read(run)
    except FileError as error:
        if "another estimate" not in str(error):
            raise
        missing[stage] = "The robot has been identified again since this step was done."
        return None
