"""What a user has to decide before an identification: which filter, which derivatives, how long a log; measured on recorded logs.

Every model is judged on the same data and at the same bandwidth, whatever it was fitted with. Recorded logs are those of ../shared/data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks.virtual_arms import Arm, draw_arm, fourier_motion, record
from dynident import Robot, identify, load_dataset, load_robot, retrieve
from dynident.data import Dataset, EffortKind
from dynident.data.provenance import NEW
from dynident.diagnosis import doctor
from dynident.errors import ValueRangeError
from dynident.links.solve import MisfitError
from dynident.validation import validate

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
#: Cutoffs that were tried [Hz], and those at which all of them are judged.
CUTOFFS, JUDGED = (1.0, 2.0, 3.0, 5.0, 8.0, 12.0, 20.0, 40.0), (5.0, 20.0)
#: Rows per second, as multiples of the cutoff.
MULTIPLES = (2.0, 4.0, 8.0, 16.0)
#: Seconds that were fitted, of recorded logs and of virtual ones.
RECORDED_SECONDS, VIRTUAL_SECONDS = (2.0, 3.0, 5.0, 8.0, 13.0, 20.0), (3.0, 5.0, 10.0, 20.0, 40.0, 80.0, 160.0)
#: Length of one motion of the virtual arm [s].
MOTION = 20.0
SEEDS = range(5)
#: What is wrong with a log, in a few words, and what makes it so.
FAULTS: dict[str, Callable[[Dataset], Dataset]] = {
    "nothing": lambda log: log,
    "torques in kgf·cm taken for N·m": lambda log: _with_effort(log, 10.197),
    "motor torques: all of them 100 times too small": lambda log: _with_effort(log, 0.01),
    "torque of joint 2 counts the other way": lambda log: _with_effort(log, _ones(log, 1, -1.0)),
    "position of joint 2 counts the other way": lambda log: _with_motion(log, _ones(log, 1, -1.0)),
    "columns of joints 2 and 4 swapped": lambda log: _swap(log, 1, 3),
    "degrees taken for radians": lambda log: _with_motion(log, 180.0 / np.pi),
    "zero of joint 2 off by 0.3 rad": lambda log: replace(log, q=log.q + 0.3 * (np.arange(log.n) == 1), provenance=NEW),
    "clock ten times too slow": lambda log: replace(log, time=10.0 * log.time, provenance=NEW),
    "torques 50 ms late": lambda log: _delay(log, 0.05),
}


def study() -> str:
    return "\n\n".join(["## Decisions before an identification", *_filters(), *_lengths(), *_faults()])


@cache
def recorded_logs() -> dict[str, tuple[Robot, Dataset, Dataset]]:
    """Robot, log to fit and log to judge by name; empty without the data.

    The Panda's motion repeats after 13.3 s, the other log of the KUKA is a repeat of the first, and the TX40 goes on with its motion.
    """
    if not DATA.is_dir():
        return {}
    panda = load_dataset(DATA / "panda_gaz2019" / "trajectory_1.npz")
    kuka = [load_dataset(DATA / "kuka_lwr4" / f"measurements_{k}.npz") for k in (1, 2)]
    moving = [log.part(500 / log.samples, 1.0) for log in kuka]
    split = 13.4 / panda.duration
    return {
        "Panda": (load_robot("panda"), panda.part(0.0, split), panda.part(split, 1.0)),
        "KUKA LWR 4+": (load_robot("kuka_lwr4"), moving[0], moving[1]),
        "Stäubli TX40": _tx40(),
    }


def _tx40() -> tuple[Robot, Dataset, Dataset]:
    """Motor angles and torques of the TX40, through its gears."""
    folder = DATA / "staubli_tx40"
    gears = np.diag([32.0, 32.0, 45.0, -48.0, 45.0, 32.0])
    gears[5, 4] = 32.0
    motor, torque = (np.loadtxt(folder / f"{name}_data.csv", delimiter=",", skiprows=1) for name in ("pos_read", "curr"))
    q = motor @ np.linalg.inv(gears).T + [0.0, -np.pi / 2, np.pi / 2, 0.0, 0.0, 0.0]
    log = Dataset(time=np.arange(len(q)) / 5000.0, q=q, effort=torque @ gears, effort_kind=EffortKind.TORQUE, gears=gears, source="TX40")
    return load_robot(folder / "tx40_mdh_modified.urdf"), log.part(0.0, 0.6), log.part(0.6, 1.0)


def error(robot: Robot, fitted: Dataset, judged: Dataset, at: Sequence[float] = JUDGED, **options: float | None) -> list[float]:
    """Unexplained torque [%] of the other log at each bandwidth [Hz]; nan where the edges of the filter leave too little to fit."""
    try:
        estimate = identify(robot, fitted, **options)
    except ValueRangeError:
        return [np.nan] * len(at)
    return [validate(estimate, judged, cutoff=cutoff, rate=4.0 * cutoff).coefficients.overall_percent for cutoff in at]


def lengths(name: str) -> dict[float, float]:
    """Error [%] at 5 Hz on the other log by the seconds that were fitted."""
    robot, fitted, judged = recorded_logs()[name]
    chosen = [seconds for seconds in RECORDED_SECONDS if seconds <= fitted.duration + 0.5]
    return {seconds: error(robot, _first(fitted, seconds), judged, (5.0,))[0] for seconds in chosen}


def virtual_lengths(errors: tuple[str, ...], *, repeated: bool) -> dict[float, list[float]]:
    """The same of virtual Pandas, one number per seed. repeated : one motion again and again, or another one every 20 s."""
    found: dict[float, list[float]] = {seconds: [] for seconds in VIRTUAL_SECONDS}
    for seed in SEEDS:
        rng = np.random.default_rng([seed, 0])
        arm = draw_arm("panda", errors, rng)
        count = round(VIRTUAL_SECONDS[-1] / MOTION)
        train = _motions(arm, [seed if repeated else 100 * seed + k for k in range(count)], rng)
        judged = _motions(arm, [9_000 + seed, 9_500 + seed], rng)
        for seconds in VIRTUAL_SECONDS:
            found[seconds].append(error(arm.described, _first(train, seconds), judged, (5.0,))[0])
    return found


def _motions(arm: Arm, seeds: Sequence[int], rng: np.random.Generator) -> Dataset:
    """Random motions of 20 s one after the other, a segment each."""
    limits = arm.described.position_limits
    low, high = np.maximum(limits[:, 0], -2.0), np.minimum(limits[:, 1], 2.0)
    time = np.arange(round(100.0 * MOTION)) / 100.0
    logs: list[Dataset] = []
    for seed in seeds:
        motion = fourier_motion(time, 0.1, 1.5, 0.5 * (low + high), 0.4 * (high - low), np.random.default_rng([seed, 1]))
        logs.append(record(arm, time, *motion, rng))
    return Dataset.concatenate(logs)


def _first(log: Dataset, seconds: float) -> Dataset:
    return log.part(0.0, min(1.0, seconds * log.rate / log.samples))


def _filters() -> Iterator[str]:
    errors = tuple(f"error at {at:g} Hz [%]" for at in JUDGED)
    for name, (robot, fitted, judged) in recorded_logs().items():
        told = f"{name}, {fitted.duration:.3g} s at {fitted.rate:.4g} Hz fitted, {judged.duration:.3g} s judged"
        rows = [(f"{cutoff:g} Hz", *error(robot, fitted, judged, cutoff=cutoff)) for cutoff in CUTOFFS]
        yield f"### Cutoff of the filter: {told}\n\n{_table(('cutoff of the fit', *errors), rows)}"
        rates = [(f"{5.0 * times:g}", *error(robot, fitted, judged, cutoff=5.0, rate=5.0 * times)) for times in MULTIPLES]
        yield f"Rows per second, with a cutoff of 5 Hz:\n\n{_table(('rows per second', *errors), rates)}"
        logs = {"as recorded": fitted}
        if fitted.ddq is not None:
            logs["ddq from dq"] = replace(fitted, ddq=None)
        if fitted.dq is not None:
            logs["dq and ddq from q"] = replace(fitted, dq=None, ddq=None)
        found = [(what, *error(robot, log, judged, cutoff=5.0)) for what, log in logs.items()]
        yield f"Derivatives, with a cutoff of 5 Hz:\n\n{_table(('velocities and accelerations', *errors), found)}"


def _lengths() -> Iterator[str]:
    yield "### Seconds of log, and the error at 5 Hz on other data"
    for name in recorded_logs():
        yield _table(("seconds", f"error, {name} [%]"), [(f"{seconds:g}", value) for seconds, value in lengths(name).items()])
    columns = {
        "another motion every 20 s": virtual_lengths((), repeated=False),
        "one motion repeated": virtual_lengths((), repeated=True),
        "another motion, with ripple and Stribeck friction": virtual_lengths(("ripple", "stribeck"), repeated=False),
    }
    rows = [(f"{seconds:g}", *(_median(column[seconds]) for column in columns.values())) for seconds in VIRTUAL_SECONDS]
    yield f"Virtual Pandas, error [%], median (and largest) of {len(SEEDS)}:\n\n{_table(('seconds', *columns), rows)}"


def _faults() -> Iterator[str]:
    """Recorded Panda with one fault each: what the fit, its links and the doctor make of it."""
    if not recorded_logs():
        return
    robot, fitted, judged = recorded_logs()["Panda"]
    rows: list[tuple[str | float, ...]] = []
    for told, spoil in FAULTS.items():
        log = spoil(fitted)
        estimate = identify(robot, log, cutoff=5.0)
        validation = validate(estimate, spoil(judged))
        try:
            mass = f"{retrieve(estimate).total_mass:.1f}"
        except MisfitError:
            mass = "refused"
        found = doctor(robot, log).findings
        says = f"{found[0].name} ({found[0].confidence.name.lower()})" if found else "nothing found"
        rows.append((told, estimate.residuals.relative_percent, validation.coefficients.overall_percent, mass, says))
    headings = (
        "fault",
        "unexplained by the fit [%]",
        "on other data with the same fault [%]",
        "total mass of the links [kg]",
        "the doctor",
    )
    yield f"### What a fault does to the numbers: recorded Panda, one fault in both logs\n\n{_table(headings, rows)}"


def _ones(log: Dataset, joint: int, value: float) -> np.ndarray:
    return np.where(np.arange(log.n) == joint, value, 1.0)


def _with_effort(log: Dataset, factor: float | np.ndarray) -> Dataset:
    assert log.effort is not None
    return replace(log, effort=log.effort * factor, provenance=NEW)


def _with_motion(log: Dataset, factor: float | np.ndarray) -> Dataset:
    return replace(log, q=log.q * factor, dq=None if log.dq is None else log.dq * factor, provenance=NEW)


def _swap(log: Dataset, one: int, other: int) -> Dataset:
    order = np.arange(log.n)
    order[[one, other]] = other, one
    assert log.dq is not None
    assert log.effort is not None
    return replace(log, q=log.q[:, order], dq=log.dq[:, order], effort=log.effort[:, order], provenance=NEW)


def _delay(log: Dataset, seconds: float) -> Dataset:
    assert log.effort is not None
    late = [np.interp(log.time - seconds, log.time, column) for column in log.effort.T]
    return replace(log, effort=np.column_stack(late), provenance=NEW)


def _median(values: list[float]) -> str:
    return f"{np.median(values):.3g} ({max(values):.3g})"


def _cell(value: str | float) -> str:
    return value if isinstance(value, str) else "–" if np.isnan(value) else f"{value:.3g}"


def _table(headings: Sequence[str], rows: Sequence[Sequence[str | float]]) -> str:
    lines = [headings, ["---"] * len(headings), *(list(map(_cell, row)) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
