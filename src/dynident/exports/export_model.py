"""What is exported: a robot, the numbers that were identified for it, and where they come from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from dynident.core.arrays import Array
from dynident.core.options import NoOptions
from dynident.core.results import Tabular
from dynident.core.tables import Report, Row, Table
from dynident.errors import DynidentError, InputError, Remedy, ShapeError
from dynident.friction.model import FrictionModel
from dynident.parameters import PARAMETERS_PER_LINK
from dynident.regression.tables import Coefficient
from dynident.robots.robot import JointType, Robot
from dynident.robots.verdict import judge

#: q, dq, ddq, (N, n) each, at which torques are compared.
States = tuple[Array, Array, Array]


class InfeasibleModelError(InputError):
    """Parameters that no robot can have, or that violate what was asked of them. Attributes: `violations`."""

    def __init__(self, violations: tuple[str, ...]) -> None:
        self.violations = violations
        super().__init__(
            f"the parameters are not feasible ({'; '.join(violations)}), and a simulator may fail on them",
            remedy=Remedy("retrieve feasible ones, or use {force} to export them with a comment that says so", force=True),
        )


class DisagreementError(DynidentError):
    """Another engine computes other torques from what was exported than dynident does."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ExportModel:
    """A robot with identified parameters.

    parameters : (n, 10)                  Linear parameters of the links, in the robot's named frames.
    friction_parameters : (n, k) or None  Of `friction`, row j for joint j.
    provenance : str                      Where the numbers come from, for the comment in the exported file.
    violations : tuple of str             Constraints that the parameters violate, as far as the caller knows.
    coefficients : tuple                  Not empty for a model made of dynamic coefficients: its `parameters` move the robot as
                                          they do, but are no bodies.
    """

    robot: Robot
    parameters: Array
    friction: FrictionModel | None = None
    friction_parameters: Array | None = None
    provenance: str = ""
    violations: tuple[str, ...] = ()
    coefficients: tuple[Coefficient, ...] = ()
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        n = self.robot.n
        if self.parameters.shape != (n, PARAMETERS_PER_LINK):
            raise ShapeError("parameters", self.parameters.shape, f"({n}, 10) = (links, parameters)")
        if (self.friction is None) != (self.friction_parameters is None):
            raise InputError("friction and friction_parameters belong together; give both or none")
        if self.friction is not None and self.friction_parameters is not None:
            expected = (n, len(self.friction.parameter_names))
            if self.friction_parameters.shape != expected:
                raise ShapeError("friction_parameters", self.friction_parameters.shape, f"{expected} = (joints, parameters)")

    @property
    def describes_bodies(self) -> bool:
        return not self.coefficients

    def all_violations(self) -> tuple[str, ...]:
        """The known violations, and the links that no rigid body can be, judged here."""
        found = list(self.violations)
        for link, row in zip(self.robot.links, self.parameters, strict=True):
            verdict = judge(row).verdict
            if verdict.inconsistent and np.any(row != 0.0):  # a link without mass inside a compound joint is in order
                found.append(f"link {link.name!r}: {verdict.value}")
        return tuple(found)

    def friction_terms(self) -> tuple[tuple[FrictionModel, Array], ...]:
        """The single friction models that act together, each with its parameters (n, k)."""
        if self.friction is None or self.friction_parameters is None:
            return ()
        return self.friction.split(self.friction_parameters)

    def units_sentence(self) -> str:
        """What the numbers of each joint are in, for a comment in ASCII."""
        slides = [joint.name for joint in self.robot.joints if joint.type is JointType.PRISMATIC]
        angular = "Units are SI: rad, rad/s, rad/s^2 and N m"
        return f"{angular}; m, m/s, m/s^2 and N for the prismatic {', '.join(slides)}." if slides else f"{angular}."

    def headline(self) -> str:
        """One line for a comment: which tool, which robot, from what. It holds no date, so that output is reproducible."""
        source = f", {self.provenance}" if self.provenance else ""
        return f"dynident {version('dynident')}: dynamic model of {self.robot.name}{source}"


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Torques of an exported model in another engine against dynident's own.

    largest : float    Largest difference [unit].
    relative : float   Largest difference of a joint as a share of that joint's largest torque.
    """

    engine: str
    states: int
    largest: float
    unit: str
    relative: float


@dataclass(frozen=True, kw_only=True, repr=False)
class Exported(Tabular):
    """The files of one target, not yet written, by their suggested names; the first is the main one.

    notes : tuple of str   What the format can't hold, what was lumped: one sentence each.
    """

    target: str
    files: Mapping[str, bytes]
    notes: tuple[str, ...] = ()
    comparison: Comparison | None = None

    @property
    def headline(self) -> str:
        proof = "" if self.comparison is None else f", within {self.comparison.largest:.1g} of {self.comparison.engine}"
        return f"{self.target}, {', '.join(self.files)}{proof}"

    def tables(self) -> Report:
        rows = tuple(Row((name, str(len(content)))) for name, content in self.files.items())
        facts: tuple[str, ...] = ()
        if self.comparison is not None:
            found = self.comparison
            facts = (f"Torques in {found.engine} at {found.states} states differ by at most {found.largest:.2g} {found.unit}.",)
        table = Table(title="Files", headings=("name", "bytes"), rows=rows, left=frozenset({0}))
        return Report(header=(f"{self.target} export, not yet written",), tables=(table,), facts=facts, notes=self.notes)

    def records(self) -> list[dict[str, Any]]:
        """One row per file."""
        return [{"target": self.target, "file": name, "bytes": len(content)} for name, content in self.files.items()]


@dataclass(frozen=True, kw_only=True)
class Request:
    """Options of an export.

    original : file     The user's own file to patch; its text, and its path for messages.
    options : object    An instance of the target's own options class.
    warning : str       What a file must say about parameters that are not feasible; empty when they are.
    """

    original: Original | None = None
    options: object = NoOptions()
    warning: str = ""


@dataclass(frozen=True, kw_only=True)
class Original:
    """A file as it is on disk."""

    path: str
    content: bytes = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class Exporter:
    """A target, with everything that the registry, the command line and the tests ask of it.

    write : model and request to files.
    prove : compares the files in another engine, or says in a sentence why that can't be done here; None where nothing can be run.
    help : what the command line says about --NAME.
    bodies : the format describes rigid bodies, so that coefficients alone are not enough.
    folder : the target is a folder of files, not one file.
    guard : refuses, with a FileError, a folder in which something would be replaced that is the user's own.
    original, original_name : root element of the user's own files that it can patch, and what one is called ("a URDF"); empty
        when it always writes anew.
    options : dataclass of the options that it has of its own.
    """

    name: str
    help: str
    write: Callable[[ExportModel, Request], Exported]
    prove: Callable[[ExportModel, Exported, States], Comparison | str] | None
    bodies: bool
    folder: bool = False
    guard: Callable[[Path], None] | None = None
    original: str = ""
    original_name: str = ""
    options: type[object] = NoOptions
