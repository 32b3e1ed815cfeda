"""The papers' experiments run again: every published number beside ours, with a verdict. What exists only for the papers lives here."""

from dynident.reproduce.claim import Claim, ClaimVerdict
from dynident.reproduce.experiment import Size
from dynident.reproduce.registry import PAPERS
from dynident.reproduce.reproduction import Reproduction, papers_named, reproduce

__all__ = ["PAPERS", "Claim", "ClaimVerdict", "Reproduction", "Size", "papers_named", "reproduce"]
