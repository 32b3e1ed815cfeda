"""The sections of a report, in order. A new one is its file and one line here; the contract suite then finds it."""

from __future__ import annotations

from dynident.report.blocks import Section
from dynident.report.sections import coefficients, excitation, friction, links, provenance, robot, torques, verdict

SECTIONS: tuple[Section, ...] = (
    verdict.SECTION,
    torques.SECTION,
    friction.SECTION,
    coefficients.SECTION,
    links.SECTION,
    robot.SECTION,
    excitation.SECTION,
    provenance.SECTION,
)
