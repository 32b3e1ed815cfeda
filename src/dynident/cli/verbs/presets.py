"""`dynident presets`: which recorders' files can be read without a map, and what a preset says."""

from __future__ import annotations

from typing import Annotated

import typer

from dynident.cli import options as opt
from dynident.cli.terminal import console, print_json, print_table

EXAMPLE = """Examples:

[bold]dynident presets[/bold]

[bold]dynident presets ur_rtde > mine.yaml[/bold]   (a copy to change, for --preset mine.yaml)"""


def presets(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Show this one.")] = None,
    *,
    as_json: opt.AsJson = False,
    debug: opt.Debug = False,
) -> None:
    """List the presets for the files of common recorders, or show one as the YAML file that it is."""
    from dynident.core.files import read_text
    from dynident.core.results import Row, Table
    from dynident.data.reading.presets import find_preset, list_presets

    if name is not None and not as_json:
        print(read_text(find_preset(name).path), end="")
        return
    found = list_presets() if name is None else (find_preset(name),)
    if as_json:
        print_json([{"name": item.name, "about": item.about, "source": item.source, "file": str(item.path)} for item in found])
        return
    rows = tuple(Row(cells=(item.name, item.about)) for item in found)
    print_table(Table(title="Presets", headings=("name", "files"), rows=rows, left=frozenset({0, 1})), console())
