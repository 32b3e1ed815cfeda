"""The command line: one verb per file; the only place that prints and exits."""

from dynident.cli.app import main

__all__ = ["main"]
