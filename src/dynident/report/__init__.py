"""A run folder as one page that needs no network: tables, figures and sentences, nothing computed anew."""

from dynident.report.page import report_html
from dynident.report.registry import SECTIONS
from dynident.runs import Run, load_run

__all__ = ["SECTIONS", "Run", "load_run", "report_html"]
