"""A figure by itself has its title, for which there is room."""

from __future__ import annotations

import pytest

from dynident.reports.figures import Figure, draw


@pytest.mark.parametrize(("layout", "least"), [({"margin": {"t": 10, "l": 5}}, 60), ({"margin": {"t": 70}}, 70), ({}, 60)])
def test_the_title_of_a_single_figure_has_room_above_it(layout, least):
    drawn = draw([Figure(label="a figure", data=[], layout=layout)], title="a title")
    assert drawn.layout.title.text == "a title"
    assert drawn.layout.margin.t == least
    assert drawn.layout.margin.l == layout.get("margin", {}).get("l")
