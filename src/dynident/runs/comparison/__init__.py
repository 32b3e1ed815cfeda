"""Runs of one robot, or of many robots of one model, beside each other: what differs by more than chance."""

from dynident.runs.comparison.compare import ComparedRun, RunComparison, compare_runs, observe

__all__ = ["ComparedRun", "RunComparison", "compare_runs", "observe"]
