"""Results or a run folder as one page that needs no network: tables, figures and sentences, nothing computed anew."""

from dynident.reports.page import Page, report, report_html
from dynident.reports.registry import SECTIONS
from dynident.runs import Run, load_run

__all__ = ["SECTIONS", "Page", "Run", "load_run", "report", "report_html"]
