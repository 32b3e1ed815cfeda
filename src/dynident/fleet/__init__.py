"""Many robots of one model, or a few runs of one robot, beside each other: what differs by more than chance."""

from dynident.fleet.comparison import ComparedRun, RunComparison, compare_runs, observe

__all__ = ["ComparedRun", "RunComparison", "compare_runs", "observe"]
