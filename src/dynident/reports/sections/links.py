"""Link parameters with the ranges that they can take, what determines them, and the nominal ones beside them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.results import decimal_text, number_form
from dynident.feasibility.figures import RangePictures
from dynident.feasibility.result import LinkParameters
from dynident.parameters import link_inertia
from dynident.reports.blocks import Block, Cell, Grid, Heading, Section, Text, notes_listing
from dynident.runs import Run, Stage


def _blocks(run: Run) -> Iterator[Block]:
    parameters = run.parameters
    assert parameters is not None  # noqa: S101 (the section's stage)
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


def _table(parameters: LinkParameters) -> Grid:
    robot = parameters.base.robot
    nominal = robot.parameters
    rows: list[tuple[tuple[Cell, ...], bool]] = []
    bodies = [parameters.com_and_inertia(i) for i in range(robot.n)]
    of_mass = number_form(3, [body.mass for body in bodies])
    of_com = number_form(3, [float(value) for body in bodies for value in body.com])
    for i, link in enumerate(robot.links):
        mass, com, inertia = bodies[i]
        cells = [Cell(text=link.name), Cell(text=link.frame), Cell(text=format(mass, of_mass), sort=mass)]
        if nominal is not None:
            cells.append(Cell(text=format(nominal[i, 0], of_mass), sort=float(nominal[i, 0])))
        cells.append(Cell(text=_triple(com, of_com)))
        if nominal is not None:
            cells.append(Cell(text=_triple(link_inertia(nominal[i]).com, of_com)))
        cells.append(Cell(text=_triple(np.linalg.eigvalsh(inertia), ".2e"), math=True))
        cells.append(Cell(text=f"{parameters.margins[i]:.1e}", sort=float(parameters.margins[i]), math=True))
        rows.append((tuple(cells), False))
    beside = ("nominal [kg]", "nominal [m]") if nominal is not None else ()
    headings = ("link", "frame", "mass [kg]", *beside[:1], "centre of mass [m]", *beside[1:], "principal inertias [kg·m²]", "margin")
    return Grid(title="Links", headings=headings, rows=tuple(rows), left=frozenset({0, 1}))


def _triple(values: ArrayLike, form: str) -> str:
    return "  ".join(format(float(value), form).replace("-0.000", "0.000") for value in np.asarray(values, dtype=float))
