"""Many robots of one model: each through the steps of the pipeline, what became of them, and who is odd."""

from dynident.fleet.fleet import identify_fleet
from dynident.fleet.robots import FleetOptions
from dynident.fleet.summary import FleetSummary

__all__ = ["FleetOptions", "FleetSummary", "identify_fleet"]
