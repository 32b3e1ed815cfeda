"""Results or a run folder as one page that needs no network: tables, figures and sentences, nothing computed anew."""

from dynident.reports.page import Page, report, report_html
from dynident.reports.registry import SECTIONS

__all__ = ["SECTIONS", "Page", "report", "report_html"]
