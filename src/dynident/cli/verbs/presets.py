"""`dynident presets`: which recorders' files can be read without a map, and what a preset says."""

from __future__ import annotations

from typing import Annotated

from dynident.cli.arguments import AsJson
from dynident.cli.command_line import Argument
from dynident.cli.terminal import console, print_json, print_table

EXAMPLE = """Examples:

dynident presets

dynident presets --formats   (what --reader-option can say)

dynident presets ur_rtde > mine.yaml   (a copy to change, for --preset mine.yaml)"""


def presets(
    name: Annotated[str | None, Argument(metavar="NAME", help="Show this one.")] = None,
    /,
    *,
    formats: Annotated[bool, Argument(help="List the data formats instead, with the options that each has of its own.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the presets for the files of common recorders, or show one as the YAML file that it is."""
    from dynident.core.files import read_text
    from dynident.data.reading.presets import PresetDocument, find_preset, list_presets
    from dynident.reports.tables import Column, Table

    if formats:
        print_formats()
        return
    if name is not None and not as_json:
        print(read_text(find_preset(name).path), end="")
        return
    found = list_presets() if name is None else (find_preset(name),)
    if as_json:
        print_json([PresetDocument.of(item) for item in found])
        return
    print_table(Table("Presets", tuple(found), (Column("name"), Column("about", "files"))), console())


def print_formats() -> None:
    """A paragraph per data format."""
    from dynident.core.options import describe_options
    from dynident.data.formats.registry import READERS

    for name, reader in READERS.items():
        own = describe_options(reader.options)
        console().print(f"{name} ({', '.join(reader.known_by)}){': ' if own else ''}{own}", markup=False, soft_wrap=True)
