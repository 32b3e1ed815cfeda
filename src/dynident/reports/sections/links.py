"""Link parameters with the ranges that they can take, what determines them, and the nominal ones beside them."""

from __future__ import annotations

from collections.abc import Iterator

from dynident.core.texts import decimal_text, number_form
from dynident.errors import require
from dynident.feasibility.result import LinkParameters
from dynident.reports.blocks import Block, Heading, Section, Text, notes_listing
from dynident.reports.feasibility import link_rows
from dynident.reports.feasibility_figures import RangePictures
from dynident.reports.tables import Column, Table
from dynident.runs import Run, Stage


def _blocks(run: Run) -> Iterator[Block]:
    parameters = require(run.parameters, "the link parameters")
    state = "They satisfy all constraints" if parameters.feasible else "They violate constraints"
    yield Text(
        f"{state}. Total mass {decimal_text(parameters.total_mass, 3)} kg, {parameters.found_by}. A bar is the range that a parameter "
        "can take while the others adapt and the fit stays as good as the noise allows; its colour says what keeps it there. A bar that "
        "runs out of its figure is open or far wider."
    )
    yield _table(parameters)
    if parameters.ranges:
        pictures = RangePictures(robot=parameters.base.robot, x=parameters.x, ranges=parameters.ranges, bounds=parameters.bounds)
        yield Heading("Ranges")
        yield pictures.masses()
        yield pictures.moments()
        yield Text("Inertias about the origin of each link's frame. Links differ too much in size to share an axis.")
        yield from pictures.inertias()
    else:
        yield Text("The ranges of the parameters were not computed.")
    if parameters.notes:
        yield notes_listing("Notes", parameters.notes)


SECTION = Section(key="links", title="Link parameters", stage=Stage.PARAMETERS, blocks=_blocks)


def _table(parameters: LinkParameters) -> Table:
    rows = link_rows(parameters)
    of_mass, of_com = number_form(3, [row.mass for row in rows]), f"z{number_form(3, [value for row in rows for value in row.com])}"
    nominal = parameters.base.robot.parameters is not None
    columns = (
        Column("link"),
        Column("frame"),
        Column("mass", "mass [kg]", of_mass),
        *((Column("nominal_mass", "nominal [kg]", of_mass),) if nominal else ()),
        Column("com", "centre of mass [m]", of_com, separator="  "),
        *((Column("nominal_com", "nominal [m]", of_com, separator="  "),) if nominal else ()),
        Column("inertias", "principal inertias [kg·m²]", ".2e", separator="  ", math=True),
        Column("margin", form=".1e", math=True),
    )
    return Table("Links", rows, columns)
