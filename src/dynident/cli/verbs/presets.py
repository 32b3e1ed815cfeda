"""`dynident presets`: which recorders' files can be read without a map, and what a preset says."""

from __future__ import annotations

from typing import Annotated, Any

from dynident.cli.command_line import Argument
from dynident.cli.terminal import Outcome, console

EXAMPLE = """Examples:

dynident presets

dynident presets --formats   (what --reader-option can say)

dynident presets ur_rtde > mine.yaml   (a copy to change, for --preset mine.yaml)"""


def presets(
    name: Annotated[str | None, Argument(metavar="NAME", help="Show this preset.")] = None,
    /,
    *,
    formats: Annotated[bool, Argument(help="List the data formats instead, with the options that each has of its own.")] = False,
) -> Outcome:
    """List the presets for the files of common recorders, or show one as the YAML file that it is."""
    from dynident.core.files import read_text
    from dynident.data.reading.presets import PresetDocument, find_preset, list_presets
    from dynident.reports.tables import Column, Report, Table

    if formats:
        return Outcome(report=_print_formats, document=_formats())
    found = list_presets() if name is None else (find_preset(name),)
    table = Table("Presets", found, (Column("name"), Column("about", "files")))
    return Outcome(
        report=Report(tables=(table,)) if name is None else lambda: print(read_text(found[0].path), end=""),
        document=[PresetDocument.of(item) for item in found],
    )


def _formats() -> list[dict[str, Any]]:
    """The data formats, how a file of each is known, and what --reader-option can say."""
    from dynident.core.options import describe_options
    from dynident.data.formats.registry import READERS

    return [{"name": name, "known_by": list(item.known_by), "options": describe_options(item.options)} for name, item in READERS.items()]


def _print_formats() -> None:
    """A paragraph per data format."""
    for item in _formats():
        options = f": {item['options']}" if item["options"] else ""
        console().print(f"{item['name']} ({', '.join(item['known_by'])}){options}", markup=False, soft_wrap=True)
