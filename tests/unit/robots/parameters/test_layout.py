"""Names and units of the stacked parameter vector."""

from __future__ import annotations

from dynident.robots.parameters import PARAMETERS_PER_LINK, parameter_entries, parameter_names


def test_names_follow_the_papers() -> None:
    assert parameter_names(1) == ("m1", "mc1x", "mc1y", "mc1z", "J1xx", "J1xy", "J1xz", "J1yy", "J1yz", "J1zz")
    assert parameter_names(3)[20:24] == ("m3", "mc3x", "mc3y", "mc3z")
    assert parameter_names(0) == ()


def test_every_entry_knows_its_unit_link_and_slot() -> None:
    entries = parameter_entries(2)
    assert len(entries) == 2 * PARAMETERS_PER_LINK
    assert [entry.unit for entry in entries[:10]] == ["kg"] + 3 * ["kg·m"] + 6 * ["kg·m²"]
    for position, entry in enumerate(entries):
        assert position == 10 * entry.link + entry.slot
    assert len({entry.name for entry in entries}) == len(entries)
