"""The links: their parameters with ranges, what the data leave open, the robot in 3D, and a payload on its flange."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynident.core.texts import decimal_text
from dynident.errors import require
from dynident.reports.blocks import Block, Card, Cards, Heading, Text, notes_listing, result_blocks
from dynident.reports.links import link_table
from dynident.reports.robot_figures import outside, robot_figure
from dynident.reports.validation import spread_figure, torque_table
from dynident.routes.payload.result import PayloadEstimate, PayloadStatus
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
    table = link_table(parameters).without("range", "determined")
    yield table if parameters.base.robot.parameters is not None else table.without("nominal_mass", "nominal_com")
    if parameters.ranges:
        yield Heading("Ranges")
        masses, moments, *inertias = parameters.figures()
        yield masses
        yield moments
        yield Text("Inertias about the origin of each link's frame. Links differ too much in size to share an axis.")
        yield from inertias
    else:
        yield Text("The ranges of the parameters were not computed.")
    yield notes_listing("Notes", (*parameters.doubts, *parameters.notes))


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
    drawn_from = "parameter sets, friction included, drawn from what data, prior and constraints leave open; every one is consistent."
    yield from result_blocks(drawn, Text(f"{len(drawn)} {drawn_from}"))
    yield Heading("How different their torques are")
    spread = run.torque_spread
    if spread is None:
        yield Text("There is no validation whose motion the sampled models could be compared on.")
        return
    yield Text(
        "The RMS difference between the torques of a sample and the mean of all, on the motion of the validation. Links can differ much "
        f"and torques little: what the torques don't depend on is what the data can't tell. {spread.sentence}"
    )
    yield torque_table(spread)
    yield spread_figure(spread)


def payload(run: Run) -> Iterator[Block]:
    """What hangs on the flange, how certain that is, and how it compares with what the controller was told."""
    body = require(run.payload, "the payload")
    about = (
        f"A rigid body on {body.link}, in the flange frame: {body.evidence.source}, compared with the arm of {body.evidence.arm}. "
        "Bars are 95 % intervals, the arm's own uncertainty included. What the data don't tell is what a usual body of this mass has."
    )
    return result_blocks(body, Cards(tuple(_payload_cards(body))), Text(about))


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
