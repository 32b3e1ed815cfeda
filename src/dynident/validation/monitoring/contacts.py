"""Contacts of a log: when something touched the robot, which joint told it best, and the link."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from dynident.core.arrays import Array, IntArray
from dynident.core.results import Result
from dynident.data import Dataset
from dynident.validation.monitoring.contact_monitor import ContactMonitor, nearness
from dynident.validation.monitoring.observe import Observation, observe, watched_log

#: Contacts with less time between them are one [s].
APART = 0.1


@dataclass(frozen=True, kw_only=True)
class Contact:
    """One contact.

    Attributes
    ----------
    time : float
        When it was found, on the log's clock [s].
    duration : float
        From then on until no joint was above its threshold [s].
    joint : str
        The joint whose residual was largest beside its threshold.
    link : str
        The farthest link that shows it; the contact is on it, or beyond with a force that no joint beyond feels.
    residual, threshold : float
        Of that joint, where they are farthest apart [unit].
    unit : str
        Of residual and threshold.
    distance : float
        The largest of all residuals together, in standard deviations.
    """

    time: float
    duration: float
    joint: str
    link: str
    residual: float
    threshold: float
    unit: str
    distance: float


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Contacts(Result):
    """What a monitor saw in a log.

    Attributes
    ----------
    monitor : ContactMonitor
        What watched.
    source : str
        The log, for a reader.
    events : tuple of Contact
        The contacts in the order of time.
    rows : tuple of int
        First sample of each of the events.
    time
        (N,);.
    residual, threshold : (N, n) array
        [N·m | N].
    distance : (N,) array
        Of the residuals of all joints together, in standard deviations.
    starts : tuple of int
        First sample of each segment.
    notes : tuple of str
        What a reader of the contacts should know.
    """

    monitor: ContactMonitor
    source: str
    events: tuple[Contact, ...]
    rows: tuple[int, ...]
    time: Array
    residual: Array
    threshold: Array
    distance: Array
    starts: tuple[int, ...] = (0,)
    notes: tuple[str, ...] = ()

    @property
    def seconds(self) -> float:
        """How long the robot was watched, pauses between segments left out."""
        edges = (*self.starts, len(self.time))
        return float(sum(self.time[stop - 1] - self.time[start] for start, stop in pairwise(edges)))


def find_contacts(monitor: ContactMonitor, data: Dataset) -> Contacts:
    """Watch a log. Efforts must be torques; nothing is filtered, so that what is seen is what a controller would see at that time.

    Parameters
    ----------
    monitor
        What `contact_monitor` returned.
    data
        The log, with torques, positions and velocities.

    Returns
    -------
    Contacts
        Each contact with its time, its joint and its link, and the residuals that show it.

    Examples
    --------
    >>> from dynident import find_contacts, load_dataset, load_run
    >>> contacts = find_contacts(load_run("run").monitor, load_dataset("other.csv"))
    >>> len(contacts.events)
    0
    """
    log, notes = watched_log(monitor.model.robot, data)
    course = observe(monitor, log)
    threshold = monitor.level * course.std + course.allowance
    runs = [run for segment in log.segments for run in _runs(log.time, course.touched, segment)]
    return Contacts(
        monitor=monitor,
        source=log.source,
        events=tuple(_contact(monitor, log, course, threshold, run) for run in runs),
        rows=tuple(run.start for run in runs),
        time=log.time,
        residual=course.residual,
        threshold=threshold,
        distance=course.distance,
        starts=tuple(segment.start for segment in log.segments),
        notes=(*monitor.notes, *notes),
    )


def _runs(time: Array, touched: IntArray, segment: slice) -> list[slice]:
    """Samples of each contact in a segment; short pauses are part of it."""
    rows = segment.start + np.flatnonzero(touched[segment] >= 0)
    if not len(rows):
        return []
    cuts = np.flatnonzero(np.diff(time[rows]) > APART) + 1
    return [slice(int(part[0]), int(part[-1]) + 1) for part in np.split(rows, cuts)]


def _contact(monitor: ContactMonitor, log: Dataset, found: Observation, threshold: Array, rows: slice) -> Contact:
    robot = monitor.model.robot
    excess = nearness(found.residual[rows], threshold[rows])
    at, joint = np.unravel_index(int(np.argmax(excess)), excess.shape)
    k = rows.start + int(at)
    felt = np.flatnonzero(np.any(excess > 1.0, axis=1))  # where single joints show it
    last = int(found.touched[rows][felt].max()) if len(felt) else int(joint)
    return Contact(
        time=float(log.time[rows.start]),
        duration=float(log.time[rows.stop - 1] - log.time[rows.start]),
        joint=robot.joint_names[joint],
        link=robot.link_names[last],
        residual=float(found.residual[k, joint]),
        threshold=float(threshold[k, joint]),
        unit=robot.joints[joint].units.effort,
        distance=float(found.distance[rows].max()),
    )
