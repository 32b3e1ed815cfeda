"""`dynident presets`: which recorders' files can be read without a map, and what a preset says."""

from __future__ import annotations

from typing import Annotated

from dynident.cli.command_line import Argument
from dynident.cli.terminal import Outcome, console

EXAMPLE = """Examples:

dynident presets

dynident presets --formats   (what --reader-option can say)

dynident presets ur_rtde > mine.yaml   (a copy to change, for --preset mine.yaml)"""
PRINTS = ("dynident.data.reading.presets:Preset", "dynident.data.reading.presets:DataFormat")


def presets(
    name: Annotated[str | None, Argument(metavar="NAME", help="Show this preset.")] = None,
    /,
    *,
    formats: Annotated[bool, Argument(help="List the data formats instead, with the options that each has of its own.")] = False,
) -> Outcome:
    """List the presets for the files of common recorders, or show one as the YAML file that it is."""
    from dynident.core.files import read_text
    from dynident.data.reading.presets import find_preset, list_formats, list_presets
    from dynident.reports.tables import Column, Report, Table

    if formats:
        return Outcome(report=_print_formats, document=list_formats())
    shown = list_presets() if name is None else (find_preset(name),)
    table = Table("Presets", shown, (Column("name"), Column("about", "files")))
    return Outcome(
        report=Report(tables=(table,)) if name is None else lambda: print(read_text(shown[0].file), end=""),
        document=list(shown),
    )


def _print_formats() -> None:
    """A paragraph per data format."""
    from dynident.data.reading.presets import list_formats

    for item in list_formats():
        options = f": {item.options}" if item.options else ""
        console().print(f"{item.name} ({', '.join(item.known_by)}){options}", markup=False, soft_wrap=True)
