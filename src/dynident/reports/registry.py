"""The sections of a report by key, in order. A new one is its file and one line here; the contract suite then finds it."""

from __future__ import annotations

from dynident.reports.blocks import Section
from dynident.reports.sections import (
    beside,
    coefficients,
    excitation,
    friction,
    links,
    payload,
    provenance,
    robot,
    samples,
    signs,
    torques,
    verdict,
)

SECTIONS: dict[str, Section] = {
    section.key: section
    for section in (
        verdict.SECTION,
        signs.SECTION,
        beside.SECTION,
        torques.SECTION,
        friction.SECTION,
        coefficients.SECTION,
        links.SECTION,
        samples.SECTION,
        payload.SECTION,
        robot.SECTION,
        excitation.SECTION,
        provenance.SECTION,
    )
}
"""The sections of a report, by key, in the order of the page."""
