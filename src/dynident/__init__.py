"""From joint logs to a robot model you can trust: identification of the dynamic model of robot arms.

Here is the whole chain, from `load_robot` to `report`, with the types that its steps take and return; each is imported when it is
first used. What only experts need is in the packages below: `dynident.dynamics`, `dynident.regression`, `dynident.links`, ...
"""

from typing import TYPE_CHECKING

from dynident.core.lazy import make_lazy

if TYPE_CHECKING:
    from dynident.data import ControllerSamples, Dataset, load_controller_samples, load_dataset, write_dataset
    from dynident.diagnosis import Diagnosis, doctor
    from dynident.dynamics.friction import friction_model
    from dynident.errors import DynidentError
    from dynident.exports import Exported, export
    from dynident.links import LinkParameters, Repair, repair, retrieve
    from dynident.motions import Design, design_trajectory
    from dynident.motions.simulation import Recording, simulate
    from dynident.pipeline import Model, fit, identify
    from dynident.regression import Estimate, Problem
    from dynident.reports import Page, report
    from dynident.robots import Robot, RobotCheck, check_robot, library_names, load_robot
    from dynident.routes.payload import PayloadEstimate, identify_payload
    from dynident.routes.signs import SignRecovery, recover_signs
    from dynident.runs import Run, load_run, save_run
    from dynident.validation import Validation, validate
    from dynident.validation.monitoring import ContactMonitor, contact_monitor, find_contacts

__all__ = [
    "ContactMonitor",
    "ControllerSamples",
    "Dataset",
    "Design",
    "Diagnosis",
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
    "doctor",
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

make_lazy(__name__)
