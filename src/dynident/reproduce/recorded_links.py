"""Links of recorded arms, by what they predict of motion that they have not seen and by what they weigh."""

from __future__ import annotations

from collections.abc import Iterator

from dynident.data import Dataset
from dynident.errors import require
from dynident.links import retrieve
from dynident.regression import identify
from dynident.reproduce.claim import Claim, as_measured
from dynident.robots import Robot
from dynident.validation import validate


def link_claims(paper: str, place: str, robot: Robot, train: Dataset, test: Dataset, *, percent: str, mass: str) -> Iterator[Claim]:
    """Links of a fit to `train` with the usual options, on `test`. percent, mass [kg] : as an independent implementation measured them."""
    estimate = identify(robot, train)
    links = retrieve(estimate)
    judged = require(validate(estimate, test, links=links).links, "the verdict on the links")
    yield Claim(
        paper=paper,
        place=place,
        quantity="relative error of feasible links on motion that they have not seen",
        ours=judged.overall_percent,
        unit="%",
        goal="lower",
        near="the independent implementation has a normal prior of the links, and this one a Wishart distribution",
        **as_measured(percent),
    )
    yield Claim(
        paper=paper,
        place=place,
        quantity="total mass of these links",
        ours=links.total_mass,
        unit="kg",
        near="nominal links, which are others here, tell masses more than the data do",
        **as_measured(mass),
    )
