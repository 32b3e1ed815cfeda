"""A comparison of runs as files: a page, a table or JSON, as the suffix says."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dynident.comparison import RunComparison

SUFFIXES = (".html", ".csv", ".json")


def write_comparison(comparison: RunComparison, file: Path) -> None:
    """A page, a table with a row per run and quantity, or JSON."""
    from dynident.comparison.documents import ComparisonDocument
    from dynident.core.files import json_text, write_atomically
    from dynident.reports.comparison import comparison_page
    from dynident.reports.tables import csv_text

    if file.suffix.lower() == ".html":
        comparison_page(comparison).save(file)
    elif file.suffix.lower() == ".csv":
        write_atomically(file, csv_text(comparison.records()))
    else:
        write_atomically(file, json_text(ComparisonDocument.of(comparison)))
