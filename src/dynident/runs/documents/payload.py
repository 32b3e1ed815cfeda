"""payload.json: a tool or payload on the flange, and the evidence for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal, Self

from dynident.core.documents import Unit
from dynident.robots.parameters import InertiaName, link_inertia
from dynident.routes.payload.records import (
    DeclaredQuantity,
    PayloadEffort,
    PayloadQuantity,
    compare_declared,
    payload_efforts,
    payload_quantities,
)
from dynident.routes.payload.result import PayloadEstimate, PayloadEvidence
from dynident.runs.documents.stage import ProvenanceDocument, StageDocument
from dynident.runs.stages import StageContent


@dataclass(frozen=True, kw_only=True)
class PayloadDocument(StageDocument):
    """The result of `dynident payload`."""

    FILE = "payload.json"
    SCHEMA = "dynident/payload/1"

    robot: str
    source: Annotated[str, "the loaded log"]
    status: Annotated[Literal["told", "inertia_open", "centre_open", "mass_open", "none"], "which part of it is identified from the data"]
    sentence: Annotated[str, "the status in words"]
    link: Annotated[str, "that carries it"]
    flange: Annotated[tuple[tuple[float, ...], ...], "pose of the flange frame in that link's parameter frame"]
    mass: Annotated[float, Unit("kg")]
    com: Annotated[tuple[float, ...], "in the flange frame", Unit("m")]
    inertia: Annotated[Mapping[InertiaName, float], "about the centre of mass", Unit("kg·m²")]
    parameters: Annotated[tuple[float, ...], "the ten linear ones, about the origin of the flange frame"]
    quantities: tuple[PayloadQuantity, ...]
    declared: Annotated[tuple[DeclaredQuantity, ...], "empty where nothing was declared"]
    efforts: Annotated[tuple[PayloadEffort, ...], "one per joint"]
    evidence: PayloadEvidence
    notes: tuple[str, ...]
    provenance: ProvenanceDocument

    @classmethod
    def of(cls, content: StageContent) -> Self:
        payload: PayloadEstimate = content.result
        body = link_inertia(payload.parameters)
        return cls.fill(
            content,
            payload.evidence,
            robot=payload.robot.name,
            sentence=payload.status.value,
            mass=body.mass,
            com=body.com,
            inertia=body.elements,
            quantities=payload_quantities(payload),
            declared=compare_declared(payload),
            efforts=payload_efforts(payload),
        )
