"""What a monitor saw, as one page: the contacts, residuals and thresholds of every joint, and where the thresholds come from."""

from __future__ import annotations

from collections.abc import Iterator

from dynident.monitoring import Contacts
from dynident.reports.blocks import Block, Key, Text, notes_listing
from dynident.reports.monitoring import contact_table, contacts_sentence, level_table, monitor_facts
from dynident.reports.page import FilledSection, Page, render


def contacts_page(found: Contacts) -> Page:
    """The page, complete in itself."""
    parts = (("contacts", "Contacts", _contacts(found)), ("residuals", "Residuals", _residuals(found)))
    parts += (("thresholds", "Thresholds", _thresholds(found)),)
    sections = [FilledSection(key, title, tuple(blocks)) for key, title, blocks in parts]
    name = found.monitor.model.robot.name
    return render(f"{name}: contacts", "contacts in a log", name, found.source or "a log", sections)


def _contacts(found: Contacts) -> Iterator[Block]:
    yield Text(f"{found.headline[:1].upper()}{found.headline[1:]}.", headline=True)
    yield Text(f"{contacts_sentence(found)}.")
    if found.events:
        yield contact_table(found)
    if found.notes:
        yield notes_listing("Notes", found.notes)


def _residuals(found: Contacts) -> Iterator[Block]:
    yield Text(
        "The residual of a joint is the torque from outside, through a first-order filter. The distance says how far the residuals of all "
        "joints together are from what noise makes at that posture. Stripes are contacts; those in which a joint's own residual was the "
        "largest beside its threshold are darker there."
    )
    yield Key(entries=(("residual", "residual", "measured", True), ("threshold", "threshold", "predicted", True)))
    yield from found.figures()


def _thresholds(found: Contacts) -> Iterator[Block]:
    for sentence in monitor_facts(found.monitor):
        yield Text(sentence)
    yield level_table(found.monitor)
