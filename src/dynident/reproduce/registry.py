"""The papers by name. A new one is its package and one line here."""

from __future__ import annotations

from dynident.reproduce import gaz2016, gaz2019, unsigned
from dynident.reproduce.experiment import Paper

PAPERS: dict[str, Paper] = {paper.key: paper for paper in (gaz2019.PAPER, gaz2016.PAPER, unsigned.PAPER)}
