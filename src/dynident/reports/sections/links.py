"""The links: their parameters with ranges, what the data leave open, the robot in 3D, and a payload on its flange."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynident.core.texts import decimal_text, number_form
from dynident.errors import require
from dynident.feasibility.result import LinkParameters
from dynident.feasibility.sampling import AGREEMENT
from dynident.payload.result import PayloadEstimate, PayloadStatus
from dynident.reports.blocks import Block, Card, Cards, Heading, Text, notes_listing
from dynident.reports.feasibility import link_rows, spread_table
from dynident.reports.feasibility_figures import inertia_figures, mass_figure, moment_figure
from dynident.reports.robot_figures import outside, robot_figure
from dynident.reports.tables import Column, Table
from dynident.reports.validation import spread_figure, torque_table
from dynident.runs import Run

_TONES = {PayloadStatus.TOLD: "good", PayloadStatus.INERTIA_OPEN: "good", PayloadStatus.CENTRE_OPEN: "fair"}


def links(run: Run) -> Iterator[Block]:
    """Link parameters with the ranges that they can take, what determines them, and the nominal ones beside them."""
    parameters = require(run.parameters, "the link parameters")
    state = "They satisfy all constraints" if parameters.feasible else "They violate constraints"
    yield Text(
        f"{state}. Total mass {decimal_text(parameters.total_mass, 3)} kg, {parameters.found_by}. A bar is the range that a parameter "
        "can take while the others adapt and the fit stays as good as the noise allows; its colour says what keeps it there. A bar that "
        "runs out of its figure is open or far wider."
    )
    yield _link_table(parameters)
    if parameters.ranges:
        yield Heading("Ranges")
        yield mass_figure(parameters)
        yield moment_figure(parameters)
        yield Text("Inertias about the origin of each link's frame. Links differ too much in size to share an axis.")
        yield from inertia_figures(parameters)
    else:
        yield Text("The ranges of the parameters were not computed.")
    yield notes_listing("Notes", parameters.notes)


def _link_table(parameters: LinkParameters) -> Table:
    rows = link_rows(parameters)
    of_mass, of_com = number_form(3, [row["mass"] for row in rows]), f"z{number_form(3, [x for row in rows for x in row['com']])}"
    columns = (
        Column("link"),
        Column("frame"),
        Column("mass", "mass [kg]", of_mass),
        Column("nominal_mass", "nominal [kg]", of_mass),
        Column("com", "centre of mass [m]", of_com, separator="  "),
        Column("nominal_com", "nominal [m]", of_com, separator="  "),
        Column("inertias", "principal inertias [kg·m²]", ".2e", separator="  ", math=True),
        Column("margin", form=".1e", math=True),
    )
    table = Table("Links", rows, columns)
    return table if parameters.base.robot.parameters is not None else table.without("nominal_mass", "nominal_com")


def robot(run: Run) -> Iterator[Block]:
    """Each link's centre of mass and the solid ellipsoid with the same mass and inertia, nominal beside identified."""
    parameters = require(run.parameters, "the link parameters")
    arm = parameters.base.robot
    yield Text(
        "Drag to turn, scroll to zoom, click a name in the legend to hide it. A filled body is the ellipsoid of constant density that "
        "has the identified mass, centre of mass and inertia; the rings are the nominal one's. A link whose parameters the data don't "
        "determine can look odd and still give the right torques."
    )
    far = outside(arm, parameters.parameters)
    if far:
        names = ", ".join(arm.link_names[i] for i in far)
        yield Text(
            f"Not drawn: the identified {names}, which would lie far outside the robot or be far larger; next to no mass is the cause."
        )
    yield robot_figure(arm, parameters.parameters)


def samples(run: Run) -> Iterator[Block]:
    """What the data leave open, as models: how far sampled links spread, and how little or much of it shows in the torques."""
    drawn = require(run.samples, "the drawn parameter sets")
    yield Text(
        f"{len(drawn)} parameter sets, friction included, drawn from what data, prior and constraints leave open; every one is "
        f"consistent. Their total mass is {drawn.total_mass.mean():.2f} ± {drawn.total_mass.std():.2f} kg. The chains agree: "
        f"R̂ is {drawn.agreement:.3f} at most (limit {AGREEMENT}), and they are worth {drawn.effective:.0f} independent draws at least."
    )
    yield spread_table(drawn)
    yield from drawn.figures()
    yield Heading("How different their torques are")
    spread = run.torque_spread
    if spread is None:
        yield Text("There is no validation whose motion the sampled models could be compared on.")
        return
    yield Text(
        "The RMS difference between the torques of a sample and the mean of all, on the motion of the validation. Links can differ much "
        "and torques little: what the torques don't depend on is what the data can't tell."
    )
    yield torque_table(spread)
    yield spread_figure(spread)


def payload(run: Run) -> Iterator[Block]:
    """What hangs on the flange, how certain that is, and how it compares with what the controller was told."""
    body = require(run.payload, "the payload")
    shown = body.tables()
    yield Text(shown.facts[0], headline=True)
    yield Cards(tuple(_payload_cards(body)))
    yield Text(
        f"A rigid body on {body.link}, in the flange frame: {body.evidence.source}, compared with the arm of {body.evidence.arm}. "
        "Bars are 95 % intervals, the arm's own uncertainty included. What the data don't tell is what a usual body of this mass has."
    )
    yield from body.figures()
    yield from shown.tables
    yield Text(" ".join(shown.facts[1:]))
    yield notes_listing("Notes", body.notes)


def _payload_cards(body: PayloadEstimate) -> Iterator[Card]:
    tone = _TONES.get(body.status, "bad")
    yield Card("Mass", f"{decimal_text(body.mass, 3)} kg", f"± {body.std[0]:.2g} kg", tone)
    form = ".0f" if 1e3 * float(np.abs(body.com).max()) >= 1.0 else ".2g"
    place = ", ".join(format(1e3 * float(value), form) for value in body.com)
    yield Card("Centre of mass", f"{place} mm", f"± {1e3 * float(body.std[1:4].max()):.2g} mm at most", tone)
    yield Card("Told by the data", f"{int(body.told.sum())} of 10", "numbers of the body")
    if body.declared is not None:
        difference = body.declared.mass - body.mass
        detail = f"{difference:+.3f} kg, {difference / float(body.std[0]):+.1f} standard deviations"
        yield Card("Declared mass", f"{body.declared.mass:g} kg", detail)
