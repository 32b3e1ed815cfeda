"""The contact monitor of a run: thresholds from a log without contacts, else those that the folder keeps, else from the data themselves."""

from __future__ import annotations

from dynident.data import Dataset
from dynident.errors import InputError, OptionsError, Remedy
from dynident.monitoring import ContactMonitor, contact_monitor
from dynident.monitoring.options import ObserverChoice
from dynident.runs import Absent, RunFolder, Stage, read_estimate
from dynident.runs.results import find_parameters


def monitor_of_run(folder: RunFolder, recorded: Dataset, quiet: Dataset | None, observer: ObserverChoice) -> ContactMonitor:
    """What a robot is watched with.

    Parameters
    ----------
    recorded
        The log that is to be watched.
    quiet
        A log without contacts, for the thresholds; None where there is none.

    Raises
    ------
    OptionsError
        For settings of the observer beside thresholds that are kept.
    """
    settings = {name: value for name, value in vars(observer).items() if value is not None}
    if quiet is None and (folder.path / Stage.MONITOR.file).is_file():
        if settings:
            template = f"{{}}: {folder.path} has thresholds for other settings; give a log without contacts too, with {{free}} FILE"
            raise OptionsError(template, settings)
        found = folder.find(Stage.MONITOR)
        if isinstance(found, Absent):
            raise InputError(found.error.message, remedy=Remedy("give a log without contacts again, with {free}", free="FILE"))
        return found.result
    free, links = recorded if quiet is None else quiet, find_parameters(folder)
    return contact_monitor(read_estimate(folder), free, links=links, contacts_possible=quiet is None, **settings)
