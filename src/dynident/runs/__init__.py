"""Run folders: every stage of the science as files, complete or not there, and nothing stale taken for new."""

from dynident.runs.estimate import read_estimate, read_problem, write_estimate
from dynident.runs.friction import read_friction, write_friction
from dynident.runs.monitor import read_monitor, write_monitor
from dynident.runs.parameters import read_parameters, write_parameters
from dynident.runs.payload import read_payload, write_payload
from dynident.runs.problem import load_problem, save_problem
from dynident.runs.run import Run, load_run, run_in_memory, save_run
from dynident.runs.samples import read_samples, write_samples
from dynident.runs.signs import read_signs, write_signs
from dynident.runs.stages import Stage, check_stages
from dynident.runs.validation import read_validation, write_validation

__all__ = [
    "Run",
    "Stage",
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
