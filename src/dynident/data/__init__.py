"""Recorded data: the Dataset and ControllerSamples types, one reader per format, and processing as pure functions."""

from dynident.data.controller import ControllerSamples
from dynident.data.dataset import Dataset, EffortKind
from dynident.data.filters import FilterStream, ParallelFilter
from dynident.data.load import load_dataset
from dynident.data.processing import differentiate
from dynident.data.resampling import is_uniform, resample

__all__ = [
    "ControllerSamples",
    "Dataset",
    "EffortKind",
    "FilterStream",
    "ParallelFilter",
    "differentiate",
    "is_uniform",
    "load_dataset",
    "resample",
]
