"""How results are shown: tables, figures and notes of every type, and pages that need no network. Nothing is computed anew."""

from typing import TYPE_CHECKING

from dynident.core.lazy import make_lazy

if TYPE_CHECKING:
    from dynident.reports.page import Page
    from dynident.reports.registry import SECTIONS
    from dynident.reports.run_report import report

__all__ = ["SECTIONS", "Page", "report"]

make_lazy(__name__)
