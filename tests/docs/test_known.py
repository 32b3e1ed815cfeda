"""The picture of one parameter shows what the library says of it."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np

from dynident import load_robot, retrieve
from dynident.dynamics.friction import linear
from dynident.regression import build_problem, estimate
from tests.conftest import REPOSITORY
from tests.docs.known_picture import draw, gather
from tests.logs import synthetic_log


def test_the_picture_has_prior_data_and_posterior_of_a_parameter():
    robot = load_robot("planar_2r")
    links = retrieve(estimate(build_problem(robot, synthetic_log(robot, noise=0.5), friction=linear(), cutoff=None)))
    known = gather(links, "m2", true=robot.parameters, count=300)
    column = links.base.columns.index("m2")
    assert known.prior.std() > known.posterior.std()
    assert abs(known.prior.mean() - 1.1 * known.nominal) < 4.5 * known.prior.std() / np.sqrt(300)  # what is no body is lighter
    assert known.range[0] <= known.best <= known.range[1]
    assert (known.best, known.true) == (links.x[column], robot.parameters[1, 0])
    picture = ElementTree.fromstring(draw(known))  # noqa: S314 (our own)
    assert [line.get("class") for line in picture.iter("{http://www.w3.org/2000/svg}polyline")] == ["prior", "free", "post"]


def test_the_page_quotes_the_picture():
    picture = (REPOSITORY / "docs" / "images" / "known.svg").read_text(encoding="utf-8")
    page = (REPOSITORY / "docs" / "explanation" / "known.md").read_text(encoding="utf-8")
    values = dict(re.findall(r">(nominal|most probable|true) ([\d.]+)<", picture))
    assert f"about {values['nominal']} kg" in page
    assert f"{values['most probable']} kg" in page
    assert f"is {values['true']} kg" in page
