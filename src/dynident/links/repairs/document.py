"""A repair as a document: every source link, how it changed, and which base parameters could not be kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from dynident.core.documents import Document, Number, Unit
from dynident.links.repairs.repair import Repair
from dynident.robots.parameters import InertiaName, link_inertia


@dataclass(frozen=True, kw_only=True)
class MovedCoefficient:
    """A base parameter that could not be kept."""

    coefficient: str
    before: float
    after: float
    unit: str


@dataclass(frozen=True, kw_only=True)
class RepairedLinkDocument:
    """A link before and after."""

    name: str
    body: Annotated[str | None, "that it is part of; null for the base"]
    changed: bool
    margin_before: Annotated[Number, Unit("kg·m²")]
    margin: Annotated[Number, Unit("kg·m²")]
    share_left: Annotated[float, "of its mass, or of its second moment about the centre where that is less"]
    mass: Annotated[float, Unit("kg")]
    com: Annotated[tuple[float, ...], Unit("m")]
    inertia: Annotated[Mapping[InertiaName, float], "about the centre of mass", Unit("kg·m²")]


@dataclass(frozen=True, kw_only=True)
class RepairDocument(Document):
    """What `dynident repair --json` prints, and a repaired robot as .json holds."""

    FILE = "repair.json"
    SCHEMA = "dynident/repair/1"

    robot: str
    source: str
    changed: Annotated[tuple[str, ...], "links"]
    dynamics_unchanged: bool
    impossible: Annotated[bool, "whether it is proven that no consistent links have the base parameters of the description"]
    refused: Annotated[tuple[str, ...], "links that MuJoCo refuses after the repair too"]
    largest_change_of_a_base_parameter: float
    moved: tuple[MovedCoefficient, ...]
    links: tuple[RepairedLinkDocument, ...]

    @staticmethod
    def of(repair: Repair) -> RepairDocument:
        before, after = repair.coefficients
        names, units = repair.base.expressions, repair.base.units
        bodies = ((link, link_inertia(link.after)) for link in repair.links)
        return RepairDocument(
            robot=repair.robot.name,
            source=repair.robot.source,
            changed=tuple(link.name for link in repair.changed),
            dynamics_unchanged=not repair.moved,
            impossible=repair.impossible,
            refused=repair.refused,
            largest_change_of_a_base_parameter=float(np.abs(after - before).max(initial=0.0)),
            moved=tuple(
                MovedCoefficient(coefficient=names[i], before=float(before[i]), after=float(after[i]), unit=units[i]) for i in repair.moved
            ),
            links=tuple(
                RepairedLinkDocument(
                    name=link.name,
                    body=None if link.body < 0 else repair.robot.link_names[link.body],
                    changed=link.changed,
                    margin_before=link.margins[0],
                    margin=link.margins[1],
                    share_left=link.share_left,
                    mass=body.mass,
                    com=tuple(body.com.tolist()),
                    inertia=body.elements,
                )
                for link, body in bodies
            ),
        )
