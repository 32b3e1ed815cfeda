"""How results are shown: tables, figures and notes of every type, and pages that need no network. Nothing is computed anew."""

from typing import TYPE_CHECKING

from dynident.core.lazy import make_lazy

if TYPE_CHECKING:
    from dynident.reports.page import Page, report, report_html
    from dynident.reports.registry import SECTIONS

__all__ = ["SECTIONS", "Page", "report", "report_html"]

make_lazy(__name__)
