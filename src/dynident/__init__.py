"""From joint logs to a robot model you can trust: identification of the dynamic model of robot arms.

Here is the whole chain, from `load_robot` to `report`, with the types that its steps take and return; each is imported when it is
first used. What only experts need is in the packages below: `dynident.dynamics`, `dynident.regression`, `dynident.feasibility`, ...
"""

from importlib import import_module
from typing import TYPE_CHECKING

from dynident.errors import DynidentError

if TYPE_CHECKING:
    from dynident.data import ControllerSamples, Dataset, load_controller_samples, load_dataset, write_dataset
    from dynident.excitation import Design, design_trajectory
    from dynident.exports import Exported, export
    from dynident.feasibility import LinkParameters, Repair, repair, retrieve
    from dynident.friction import friction_model
    from dynident.monitoring import ContactMonitor, contact_monitor, find_contacts
    from dynident.payload import PayloadEstimate, identify_payload
    from dynident.pipeline import Model, fit, identify
    from dynident.regression import Estimate, Problem
    from dynident.reports import Page, report
    from dynident.robots import Robot, RobotCheck, check_robot, library_names, load_robot
    from dynident.runs import Run, load_run, save_run
    from dynident.signs import SignRecovery, recover_signs
    from dynident.simulation import Recording, simulate
    from dynident.validation import Validation, validate

__all__ = [
    "ContactMonitor",
    "ControllerSamples",
    "Dataset",
    "Design",
    "DynidentError",
    "Estimate",
    "Exported",
    "LinkParameters",
    "Model",
    "Page",
    "PayloadEstimate",
    "Problem",
    "Recording",
    "Repair",
    "Robot",
    "RobotCheck",
    "Run",
    "SignRecovery",
    "Validation",
    "check_robot",
    "contact_monitor",
    "design_trajectory",
    "export",
    "find_contacts",
    "fit",
    "friction_model",
    "identify",
    "identify_payload",
    "library_names",
    "load_controller_samples",
    "load_dataset",
    "load_robot",
    "load_run",
    "recover_signs",
    "repair",
    "report",
    "retrieve",
    "save_run",
    "simulate",
    "validate",
    "write_dataset",
]

_HOMES = {
    "robots": ("Robot", "RobotCheck", "check_robot", "library_names", "load_robot"),
    "data": ("ControllerSamples", "Dataset", "load_controller_samples", "load_dataset", "write_dataset"),
    "friction": ("friction_model",),
    "excitation": ("Design", "design_trajectory"),
    "simulation": ("Recording", "simulate"),
    "regression": ("Estimate", "Problem"),
    "pipeline": ("Model", "fit", "identify"),
    "feasibility": ("LinkParameters", "Repair", "repair", "retrieve"),
    "signs": ("SignRecovery", "recover_signs"),
    "payload": ("PayloadEstimate", "identify_payload"),
    "validation": ("Validation", "validate"),
    "monitoring": ("ContactMonitor", "contact_monitor", "find_contacts"),
    "runs": ("Run", "load_run", "save_run"),
    "exports": ("Exported", "export"),
    "reports": ("Page", "report"),
    "drives": (),
    "comparison": (),
    "fleet": (),
    "recording": (),
    "doctor": (),
    "parameters": (),
    "dynamics": (),
}


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return import_module(f"dynident.{name}")
    for package, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"dynident.{package}"), name)
    raise AttributeError(f"module 'dynident' has no attribute {name!r}; it offers: {', '.join(__all__)}")


def __dir__() -> list[str]:
    return sorted([*__all__, *_HOMES])
