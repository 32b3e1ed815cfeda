"""A run as one zip that can be attached to an issue: what a maintainer needs to repeat it, and no name of a person, place or machine."""

from dynident.bundles.bundle import Bundle, Step, pack
from dynident.bundles.compare import compare_runs

__all__ = ["Bundle", "Step", "compare_runs", "pack"]
