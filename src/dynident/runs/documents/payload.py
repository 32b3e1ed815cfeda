"""payload.json: a tool or payload on the flange, and what stands behind it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal, cast

from dynident.core.documents import Unit
from dynident.parameters import InertiaName, link_inertia
from dynident.payload.records import (
    DeclaredQuantity,
    PayloadEffort,
    PayloadQuantity,
    compare_declared,
    payload_efforts,
    payload_quantities,
)
from dynident.payload.result import PayloadEstimate, PayloadEvidence
from dynident.runs.documents.stage import ProvenanceDocument, StageDocument

if TYPE_CHECKING:
    from dynident.runs.stages import Origin


@dataclass(frozen=True, kw_only=True)
class PayloadDocument(StageDocument):
    """The result of `dynident payload`."""

    FILE = "payload.json"
    SCHEMA = "dynident/payload/1"

    robot: str
    source: Annotated[str, "the loaded log"]
    status: Annotated[Literal["told", "inertia_open", "centre_open", "mass_open", "none"], "how much of it the data tell"]
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

    @staticmethod
    def of(payload: PayloadEstimate, origin: Origin) -> PayloadDocument:
        body = link_inertia(payload.parameters)
        return PayloadDocument(
            robot=payload.robot.name,
            source=payload.evidence.source,
            status=cast("Literal['none']", payload.status.name.lower()),
            sentence=payload.status.value,
            link=payload.link,
            flange=tuple(map(tuple, payload.flange.tolist())),
            mass=body.mass,
            com=tuple(body.com.tolist()),
            inertia=body.elements,
            parameters=tuple(payload.parameters.tolist()),
            quantities=payload_quantities(payload),
            declared=compare_declared(payload),
            efforts=payload_efforts(payload),
            evidence=payload.evidence,
            notes=payload.notes,
            provenance=ProvenanceDocument.of(origin),
            versions=origin.versions,
        )
