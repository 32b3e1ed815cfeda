"""Whether a validation tells the truth: how much its bands cover, when it says that a motion leaves the log, how it grades models.

On recorded logs, where there are any in ../shared/data, and on virtual arms with model error: motions like that of the fit, and others.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.virtual_arms import ERRORS, ROBOTS, draw_arm, record_pair
from dynident import Robot, identify, load_dataset, load_robot
from dynident.data import Dataset
from dynident.errors import DynidentError
from dynident.links import retrieval_problem, solve_retrieval
from dynident.regression import Estimate
from dynident.validation import Validation, validate

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
SEEDS = 2
FOLDS = 5
#: What is trained on and what is tested on, and whether the second is like the first.
MOTIONS = (
    ((), "usual", "usual", True),
    (ERRORS, "usual", "usual", True),
    (ERRORS, "slow", "slow", True),
    (ERRORS, "few joints", "few joints", True),
    (ERRORS, "one way", "one way", True),
    ((), "slow", "usual", False),
    (ERRORS, "slow", "usual", False),
    (ERRORS, "few joints", "usual", False),
    (ERRORS, "one way", "usual", False),
    (ERRORS, "short", "short", False),
)


@dataclass(frozen=True)
class Outcome:
    """What a validation said. coverage : mean over the joints of the samples in the band [%]; warned : that the motion leaves the log."""

    name: str
    percent: str
    crossed: str
    ratio: float
    grade: str
    coverage: float
    links_coverage: float
    warned: bool

    @staticmethod
    def of(name: str, found: Validation) -> Outcome:
        crossed, covered = found.summary.cross_validated, found.band.coverage_percent
        return Outcome(
            name=name,
            percent=f"{found.recommended.model} {found.percent_text}",
            crossed="-" if crossed is None else f"{crossed[0]:.2g} ± {crossed[1]:.2g} %",
            ratio=found.recommended.overall_ratio,
            grade=found.recommended.grade.name.lower(),
            coverage=float(np.mean(covered["coefficients"])) if "coefficients" in covered else float("nan"),
            links_coverage=float(np.mean(covered["links"])) if "links" in covered else float("nan"),
            warned=bool(found.band.departures),
        )


def study(seeds: int = SEEDS) -> str:
    """Run everything and return the section for RESULTS.md."""
    start = time.perf_counter()
    lines = ["## Validations that can be believed", ""]
    if DATA.is_dir():
        lines += [*_recorded_table(list(recorded())), "", *_grade_table(), ""]
    lines += _virtual_table(seeds)
    return "\n".join([*lines, "", f"{time.perf_counter() - start:.0f} s with one process."])


def recorded() -> Iterator[Outcome]:
    """Every log against another of the robot, and each fifth of it against the rest."""
    kuka, panda = load_robot(DATA / "kuka_lwr4" / "kuka_lwr4.urdf"), load_robot("panda")
    first, second = (load_dataset(DATA / "kuka_lwr4" / f"measurements_{k}.npz") for k in (1, 2))
    log = load_dataset(DATA / "panda_gaz2019" / "trajectory_1.npz")
    yield _judge("KUKA 1 → 2", kuka, first, second)
    yield _judge("KUKA 2 → 1", kuka, second, first)
    yield _judge("Panda 70/30", panda, log.part(0, 0.7), log.part(0.7, 1))
    for name, robot, data in (("KUKA 1", kuka, first), ("KUKA 2", kuka, second), ("Panda", panda, log)):
        for k in range(FOLDS):
            yield _judge(f"{name}, part {k + 1} of {FOLDS}", robot, _without(data, k), data.part(k / FOLDS, (k + 1) / FOLDS))
    yield _judge("KUKA, a fifth of 1 → 2", kuka, first.part(0, 0.2), second)
    yield _judge("Panda, a fifth → rest", panda, log.part(0, 0.2), log.part(0.2, 1))


def virtual(errors: tuple[str, ...], train: str, test: str, seeds: int) -> list[Outcome]:
    found: list[Outcome] = []
    for seed in range(seeds):
        for robot in ROBOTS:
            rng = np.random.default_rng([seed, ROBOTS.index(robot), len(errors)])
            arm = draw_arm(robot, errors, rng)
            log, like = record_pair(arm, train, rng)
            found.append(_judge(robot, arm.described, log, like if test == train else record_pair(arm, test, rng)[1]))
    return found


def _judge(name: str, robot: Robot, train: Dataset, test: Dataset) -> Outcome:
    estimate = identify(robot, train)
    return Outcome.of(name, _validate(estimate, test))


def _validate(estimate: Estimate, test: Dataset) -> Validation:
    try:
        links = solve_retrieval(retrieval_problem(estimate))
    except DynidentError:  # links that don't explain the data of the fit; the coefficients are judged all the same
        links = None
    return validate(estimate, test, links=links)


def _without(data: Dataset, k: int) -> Dataset:
    parts = [data.part(a, b) for a, b in ((0.0, k / FOLDS), ((k + 1) / FOLDS, 1.0)) if b > a]
    return parts[0] if len(parts) == 1 else Dataset.concatenate(parts)


def _recorded_table(found: Sequence[Outcome]) -> list[str]:
    similar = [item for item in found if "fifth" not in item.name]
    told = _coverage_text(similar)
    return [
        f"Recorded logs: fitted to one part, judged on another. Of the {len(similar)} tests on motion like that of the fit, {told}",
        "",
        "| test | held-out error of the recommended model | cross-validated in the fit | over the best possible | grade "
        "| in 95 % bands: coefficients | links | leaves the log |",
        "|---|---|---|---|---|---|---|---|",
        *(
            f"| {item.name} | {item.percent} | {item.crossed} | {item.ratio:.1f} | {item.grade} | {item.coverage:.0f} % | "
            f"{item.links_coverage:.0f} % | {'said' if item.warned else ''} |"
            for item in found
        ),
    ]


def _coverage_text(found: Sequence[Outcome]) -> str:
    covered, links = (np.array([getattr(item, name) for item in found]) for name in ("coverage", "links_coverage"))
    warned = sum(item.warned for item in found)
    return (
        f"the bands of the coefficients cover {covered.mean():.1f} % of the samples on average ({np.nanmin(covered):.0f} to "
        f"{np.nanmax(covered):.0f} %), those of the links {np.nanmean(links):.1f} %, and {warned} are said to leave the log."
    )


def _grade_table() -> list[str]:
    """Models that are worse on purpose, on the Panda's held-out 30 %."""
    robot, log = load_robot("panda"), load_dataset(DATA / "panda_gaz2019" / "trajectory_1.npz")
    estimate, frictionless = (identify(robot, log.part(0, 0.7), **options) for options in ({}, {"friction": None}))
    found, without = (_validate(model, log.part(0.7, 1)) for model in (estimate, frictionless))
    named = [
        ("coefficients", found.coefficients),
        ("links", found.links),
        ("nominal links", found.nominal),
        ("identified without friction", without.coefficients),
        ("nominal links without friction", found.models[-1]),
    ]
    rows = [
        f"| {name} | {e.overall_percent:.2g} % | {e.overall_ratio:.1f} | {e.grade.name.lower()} |" for name, e in named if e is not None
    ]
    return ["| model, Panda 70/30 | error | over the best possible | grade |", "|---|---|---|---|", *rows]


def _virtual_table(seeds: int) -> list[str]:
    rows: list[str] = []
    for errors, train, test, alike in MOTIONS:
        found = virtual(errors, train, test, seeds)
        covered, links = (np.array([getattr(item, name) for item in found]) for name in ("coverage", "links_coverage"))
        inside = 100.0 * np.mean((covered >= 90.0) & (covered <= 99.0))
        warned = 100.0 * np.mean([item.warned for item in found])
        wrong = "noise only" if errors == () else "all errors"
        rows.append(
            f"| {wrong}, {train} → {test} | {'yes' if alike else 'no'} | {len(found)} | {covered.mean():.0f} ({covered.min():.0f}) % "
            f"| {inside:.0f} % | {np.nanmean(links):.0f} ({np.nanmin(links):.0f}) % | {warned:.0f} % |"
        )
    return [
        f"Virtual arms ({', '.join(ROBOTS)}; {seeds} seeds of each).",
        "",
        "| trained → tested | alike | n | in 95 % bands: coefficients, mean (least) | cases with 90 to 99 % | links "
        "| said to leave the log |",
        "|---|---|---|---|---|---|---|",
        *rows,
    ]
