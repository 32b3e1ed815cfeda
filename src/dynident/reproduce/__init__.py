"""The papers' experiments run again: every published number beside ours, with a verdict. What exists only for the papers lives here."""

from dynident.reproduce.claim import Claim, Verdict
from dynident.reproduce.experiment import Size
from dynident.reproduce.registry import PAPERS
from dynident.reproduce.reproduction import Reproduction, papers_named, reproduce

__all__ = ["PAPERS", "Claim", "Reproduction", "Size", "Verdict", "papers_named", "reproduce"]
