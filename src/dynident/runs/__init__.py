"""Run folders: every stage of the science as one file, complete or not there, and nothing stale taken for new."""

from typing import TYPE_CHECKING

from dynident.core.lazy import make_lazy

if TYPE_CHECKING:
    from dynident.runs.results import (
        load_problem,
        read_estimate,
        read_friction,
        read_monitor,
        read_parameters,
        read_payload,
        read_problem,
        read_samples,
        read_signs,
        read_validation,
        save_problem,
        write_estimate,
        write_friction,
        write_monitor,
        write_parameters,
        write_payload,
        write_samples,
        write_signs,
        write_validation,
    )
    from dynident.runs.run import Run, load_run, run_in_memory, save_run
    from dynident.runs.stages import Absent, RunFolder, Stage, StageContent, check_stages

__all__ = [
    "Absent",
    "Run",
    "RunFolder",
    "Stage",
    "StageContent",
    "check_stages",
    "load_problem",
    "load_run",
    "read_estimate",
    "read_friction",
    "read_monitor",
    "read_parameters",
    "read_payload",
    "read_problem",
    "read_samples",
    "read_signs",
    "read_validation",
    "run_in_memory",
    "save_problem",
    "save_run",
    "write_estimate",
    "write_friction",
    "write_monitor",
    "write_parameters",
    "write_payload",
    "write_samples",
    "write_signs",
    "write_validation",
]

make_lazy(__name__)
