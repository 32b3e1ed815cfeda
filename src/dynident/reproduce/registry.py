"""The papers by name. A new one is its package and one line here."""

from __future__ import annotations

from dynident.reproduce import gaz2016
from dynident.reproduce.experiment import Paper

PAPERS: dict[str, Paper] = {paper.key: paper for paper in (gaz2016.PAPER,)}
