"""What is exported: a robot, the numbers that were identified for it, and where they come from; made of results or of a run folder."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path

import numpy as np

from dynident.core.arrays import Array
from dynident.core.names import printable
from dynident.dynamics.friction.model import FrictionModel
from dynident.errors import InputError, Remedy
from dynident.links.result import LinkParameters
from dynident.regression.coefficients import Coefficient, coefficients
from dynident.regression.equations.base import BaseParameters
from dynident.regression.estimate import Estimate
from dynident.robots.parameters import change_of_frame
from dynident.robots.robot import JointType
from dynident.robots.verdict import judge
from dynident.routes.payload import PayloadEstimate, PayloadStatus
from dynident.runs import RunFolder, Stage, StageContent
from dynident.runs.folder import Folder
from dynident.validation.monitoring.contact_monitor import ContactMonitor
from dynident.validation.monitoring.watched_model import COEFFICIENTS, LINKS, WatchedModel

#: Payloads of these statuses are exported without a note.
_SURE = (PayloadStatus.TOLD, PayloadStatus.INERTIA_OPEN, PayloadStatus.CENTRE_OPEN)


class InfeasibleModelError(InputError):
    """Parameters that are not physically consistent, or that violate a constraint. Attributes: `violations`."""

    def __init__(self, violations: tuple[str, ...]) -> None:
        self.violations = violations
        super().__init__(
            f"the parameters are not feasible ({'; '.join(violations)}), and a simulator may fail on them",
            remedy=Remedy("retrieve feasible ones, or use {force} to export them with a comment that says so", force=True),
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class AttachedBody:
    """A body that is fixed to a link.

    Attributes
    ----------
    name : str
        Of the body; no link has it.
    link : int
        Index of the link.
    pose : (4, 4) array
        Of the body's frame in the link's parameter frame.
    parameters : (10,) array
        In the body's own frame.
    """

    name: str
    link: int
    pose: Array
    parameters: Array


@dataclass(frozen=True, kw_only=True, eq=False)
class ExportModel(WatchedModel):
    """A robot with identified parameters and friction, and what an exported file says of them.

    Attributes
    ----------
    robot, parameters, friction, friction_parameters, name
        As of `WatchedModel`.
    reached : (n, 2) array or None
        Largest speed of each joint in the log of the friction, backward and forward [rad/s | m/s].
    provenance : str
        Where the numbers come from, for the comment in the exported file.
    violations : tuple of str
        Constraints that the parameters violate, as far as the caller knows.
    coefficients : tuple
        Not empty for a model made of dynamic coefficients: its `parameters` move the robot as they do, but are no bodies.
    notes : tuple of str
        What a reader of the exported file should know.
    payload : AttachedBody or None
        The payload on the flange, as a body of its own.
    monitor : ContactMonitor or None
        Gain and thresholds of the contact monitor that generated code has; its model is not looked at.
    """

    reached: Array | None = None
    provenance: str = ""
    violations: tuple[str, ...] = ()
    coefficients: tuple[Coefficient, ...] = ()
    notes: tuple[str, ...] = ()
    payload: AttachedBody | None = None
    monitor: ContactMonitor | None = None

    @property
    def describes_bodies(self) -> bool:
        return not self.coefficients

    @property
    def loaded_parameters(self) -> Array:
        """(n, 10) of the links, with the payload as part of the one that carries it."""
        if self.payload is None:
            return self.parameters
        loaded = self.parameters.copy()
        loaded[self.payload.link] += change_of_frame(self.payload.pose) @ self.payload.parameters
        return loaded

    def lump(self) -> ExportModel:
        """For formats that know the robot's own links only: the payload as part of the link that carries it."""
        if self.payload is None:
            return self
        note = f"the payload is part of {self.robot.link_names[self.payload.link]}"
        return replace(self, parameters=self.loaded_parameters, payload=None, notes=(*self.notes, note))

    def all_violations(self) -> tuple[str, ...]:
        """The known violations, and the links that are not physically consistent."""
        violations = list(self.violations)
        for link, row in zip(self.robot.links, self.parameters, strict=True):
            verdict = judge(row).verdict
            if verdict.inconsistent and np.any(row != 0.0):  # a link without mass inside a compound joint is in order
                violations.append(f"link {link.name!r}: {verdict.value}")
        return tuple(violations)

    def friction_terms(self) -> tuple[tuple[FrictionModel, Array], ...]:
        """The single friction models that act together, each with its parameters (n, k)."""
        if self.friction is None or self.friction_parameters is None:
            return ()
        return self.friction.split(self.friction_parameters)

    @property
    def friction_inputs(self) -> tuple[str, ...]:
        """Arguments of the friction function in generated code; the load it has from the links themselves."""
        return ("q", "dq", "ddq", "temperature") if self.needs_temperature else ("q", "dq", "ddq")

    def units_sentence(self) -> str:
        """What the numbers of each joint are in, for a comment in ASCII."""
        slides = [joint.name for joint in self.robot.joints if joint.type is JointType.PRISMATIC]
        angular = "Units are SI: rad, rad/s, rad/s^2 and N m"
        return f"{angular}; m, m/s, m/s^2 and N for the prismatic {', '.join(slides)}." if slides else f"{angular}."

    def headline(self) -> str:
        """One line for a comment: which tool, which robot, from what. It holds no date, so that output is reproducible."""
        source = f", {self.provenance}" if self.provenance else ""
        return printable(f"dynident {version('dynident')}: dynamic model of {self.robot.name}{source}")


def model_from_run(folder: Folder, *, from_coefficients: bool = False, payload: bool = False) -> ExportModel:
    """The link parameters of a run folder, or, when asked for, the coefficients of its estimate; and what the arm carries.

    Parameters
    ----------
    folder
        The run folder.
    from_coefficients
        Whether the coefficients are exported in place of the links.
    payload
        Whether the payload of the run is attached to the flange.

    Returns
    -------
    ExportModel
        For `export`.

    Raises
    ------
    FileError
        Where a stage is missing; it says which command makes it.
    """
    run = RunFolder.of(folder)
    estimate = run.read(Stage.ESTIMATE).result
    if from_coefficients and payload:
        raise InputError("a payload is a body, and coefficients are none; export link parameters with it")
    content = run.find(Stage.MONITOR)
    monitors = {content.result.model.name: content.result} if isinstance(content, StageContent) else {}  # by what it was calibrated with
    if from_coefficients:
        return replace(model_from_estimate(estimate), monitor=monitors.get(COEFFICIENTS))
    model = model_from_parameters(run.read(Stage.PARAMETERS).result)
    model = replace(model, provenance=f"{model.provenance}, {_source(estimate)}", monitor=monitors.get(LINKS))
    return attach_payload(model, run.read(Stage.PAYLOAD).result) if payload else model


def attach_payload(model: ExportModel, payload: PayloadEstimate) -> ExportModel:
    """The model with an identified payload on its flange; its name is one that no link has.

    Parameters
    ----------
    model
        The model.
    payload
        What `identify_payload` returned.

    Returns
    -------
    ExportModel
        The same model with one body more.
    """
    if (payload.robot.joint_names, payload.robot.link_names) != (model.robot.joint_names, model.robot.link_names):
        raise InputError(f"the payload is on {payload.robot.name!r}, and the model is of {model.robot.name!r}; give those of one robot")
    origin = f"payload of {payload.mass:.4g} ± {payload.std[0]:.2g} kg"
    doubt = () if payload.status in _SURE else (f"{payload.status.value}; it is part of the model all the same",)
    return replace(
        model,
        payload=attached_body(payload),
        provenance=f"{model.provenance}, {origin}" if model.provenance else origin,
        notes=(*model.notes, *doubt),
    )


def attached_body(payload: PayloadEstimate) -> AttachedBody:
    """A payload as a body on the link that carries it."""
    name = unused_name("payload", {name for link in payload.robot.links for name in link.sources})
    link = payload.robot.link_names.index(payload.link)
    return AttachedBody(name=name, link=link, pose=payload.flange, parameters=payload.parameters)


def unused_name(name: str, taken: Collection[str]) -> str:
    while name in taken:
        name += "_link"
    return name


def model_from_parameters(links: LinkParameters) -> ExportModel:
    """A model of bodies, with the friction that was retrieved with them.

    Parameters
    ----------
    links
        What `retrieve` returned.

    Returns
    -------
    ExportModel
        For `export`.
    """
    return ExportModel(
        robot=links.base.robot,
        parameters=links.parameters,
        friction=links.base.friction,
        friction_parameters=links.friction_parameters,
        reached=links.reached,
        provenance=f"link parameters by solver {links.solver}",
        violations=tuple(item.name for item in links.violations),
        notes=_left_out(links.base),
    )


def model_from_estimate(estimate: Estimate) -> ExportModel:
    """A model that moves as the dynamic coefficients say; its parameters are not bodies.

    Parameters
    ----------
    estimate
        What `identify` returned.

    Returns
    -------
    ExportModel
        For `export`.
    """
    return ExportModel(
        robot=estimate.base.robot,
        parameters=estimate.link_part,
        friction=estimate.base.friction,
        friction_parameters=estimate.friction_parameters,
        reached=estimate.reached,
        provenance=f"dynamic coefficients, {_source(estimate)}",
        coefficients=coefficients(estimate),
        notes=_left_out(estimate.base),
    )


def _source(estimate: Estimate) -> str:
    """Without folders, which mean nothing elsewhere."""
    return f"identified from {', '.join(Path(word.strip()).name for word in estimate.summary.source.split(','))}"


def _left_out(base: BaseParameters) -> tuple[str, ...]:
    extra = [column.name for column in base.columns.of_extra]
    return (f"the estimate's extra columns are not part of the exported model: {', '.join(extra)}",) if extra else ()
