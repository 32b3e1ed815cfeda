"""Recorded data: the Dataset and ControllerSamples types, one reader per format, and processing as pure functions."""

from typing import TYPE_CHECKING

from dynident.core.lazy import make_lazy

if TYPE_CHECKING:
    from dynident.data.controller_samples import ControllerSamples
    from dynident.data.dataset import Dataset
    from dynident.data.formats.writing import write_dataset
    from dynident.data.reading.load import load_controller_samples, load_dataset, load_recording
    from dynident.data.reading.presets import list_presets
    from dynident.data.reading.quantities import EffortKind
    from dynident.data.reading.reading import Reading
    from dynident.data.signals.clocks import shift_effort
    from dynident.data.signals.derivatives import differentiate, low_pass, savitzky_golay
    from dynident.data.signals.parallel_filter import FilterStream, ParallelFilter
    from dynident.data.signals.periods import average_periods, keep_periods
    from dynident.data.signals.sampling import decimate, is_uniform, mask_saturation, mask_standstill, mask_times, resample, trim

__all__ = [
    "ControllerSamples",
    "Dataset",
    "EffortKind",
    "FilterStream",
    "ParallelFilter",
    "Reading",
    "average_periods",
    "decimate",
    "differentiate",
    "is_uniform",
    "keep_periods",
    "list_presets",
    "load_controller_samples",
    "load_dataset",
    "load_recording",
    "low_pass",
    "mask_saturation",
    "mask_standstill",
    "mask_times",
    "resample",
    "savitzky_golay",
    "shift_effort",
    "trim",
    "write_dataset",
]

make_lazy(__name__)
