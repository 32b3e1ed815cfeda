"""Figures as plain data: room for a title, names of files as text, few enough points."""

from __future__ import annotations

import numpy as np
import pytest
from markupsafe import Markup

from dynident.reports.figures import Figure, categories, draw, points, thin
from dynident.reports.show import headline


@pytest.mark.parametrize(("layout", "least"), [({"margin": {"t": 10, "l": 5}}, 60), ({"margin": {"t": 70}}, 70), ({}, 60)])
def test_the_title_of_a_single_figure_has_room_above_it(layout, least):
    drawn = draw([Figure(label="a figure", data=[], layout=layout)], title="a title")
    assert drawn.layout.title.text == "a title"
    assert drawn.layout.margin.t == least
    assert drawn.layout.margin.l == layout.get("margin", {}).get("l")


def test_texts_of_a_figure_are_escaped_once_and_marked_html_stays():
    label = Markup("{}  <i>m</i>").format("<b>")
    trace = points([1.23456789, np.inf], ["<b>", label], "a & b", "@predicted")
    assert trace["x"] == [1.2346, None]
    assert trace["y"] == ["&lt;b&gt;", "&lt;b&gt;  <i>m</i>"]
    assert trace["name"] == "a &amp; b"
    assert categories(["<b>"])["categoryarray"] == ["&lt;b&gt;"]


def test_a_curve_is_thinned_to_at_most_so_many_points():
    assert [len(range(count)[thin(count, 4)]) for count in (1, 4, 5, 8, 9, 4001)] == [1, 4, 3, 4, 3, 4]


def test_a_type_that_nothing_shows_is_named():
    with pytest.raises(TypeError, match="shows a list"):
        headline([])
