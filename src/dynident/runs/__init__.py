"""Run folders: every stage of the science as one file, complete or not there, and nothing stale taken for new."""

from typing import TYPE_CHECKING

from dynident.core.lazy import make_lazy

if TYPE_CHECKING:
    from dynident.runs.folder import MissingStageError, RunFolder, check_stages
    from dynident.runs.results import (
        load_problem,
        read_estimate,
        read_parameters,
        read_problem,
        read_result,
        save_problem,
        write_result,
    )
    from dynident.runs.run import Run, load_run, run_in_memory, save_run
    from dynident.runs.stages import Stage, StageContent

__all__ = [
    "MissingStageError",
    "Run",
    "RunFolder",
    "Stage",
    "StageContent",
    "check_stages",
    "load_problem",
    "load_run",
    "read_estimate",
    "read_parameters",
    "read_problem",
    "read_result",
    "run_in_memory",
    "save_problem",
    "save_run",
    "write_result",
]

make_lazy(__name__)
