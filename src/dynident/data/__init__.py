"""Recorded data: the Dataset and ControllerSamples types, one reader per format, and processing as pure functions."""

from dynident.data.controller import ControllerSamples
from dynident.data.dataset import Dataset, EffortKind
from dynident.data.filters import FilterStream, ParallelFilter
from dynident.data.load import load_dataset
from dynident.data.masks import mask_saturation, mask_standstill
from dynident.data.processing import decimate, differentiate, low_pass, savitzky_golay, trim
from dynident.data.resampling import is_uniform, resample
from dynident.data.write import write_dataset

__all__ = [
    "ControllerSamples",
    "Dataset",
    "EffortKind",
    "FilterStream",
    "ParallelFilter",
    "decimate",
    "differentiate",
    "is_uniform",
    "load_dataset",
    "low_pass",
    "mask_saturation",
    "mask_standstill",
    "resample",
    "savitzky_golay",
    "trim",
    "write_dataset",
]
