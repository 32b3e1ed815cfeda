"""Many robots of one model: each through the steps of the pipeline, what became of them, and who is odd."""

from dynident.pipeline.fleet.fleet import identify_fleet
from dynident.pipeline.fleet.robots import FleetOptions
from dynident.pipeline.fleet.summary import FleetSummary

__all__ = ["FleetOptions", "FleetSummary", "identify_fleet"]
