"""Whether the links can be trusted: those of the default retrieval on virtual arms with model error, judged on motion they have not seen.

Beside them stand least squares with all coefficients, the same dropped at 30 % as in the papers, and the description's links, which are
wrong by a factor of up to two, with friction fitted to the same log.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context

import numpy as np

from benchmarks import deviations
from benchmarks.virtual_arms import ERRORS, MOTIONS, ROBOTS, draw_arm, record_pair
from dynident import regression
from dynident.errors import DynidentError
from dynident.links import retrieval_problem, solve_retrieval
from dynident.links.objective import posterior_data
from dynident.regression import Estimate, Problem, build_problem, residuals
from dynident.regression.problem import problem_on_base
from dynident.validation import validate

#: What is known of friction beforehand was chosen with the seeds below these, and judged with these.
SEEDS = range(5, 10)
#: Kinds of cases: what is wrong with the drives, and the motion. Every motion but the usual one has all errors at once.
KINDS = (
    ((), "usual"),
    *(((error,), "usual") for error in ERRORS),
    *((ERRORS, motion) for motion in MOTIONS),
)
#: At most so many times the error of the better of the two least-squares fits, and of the nominal model with fitted friction.
NEAR_BEST, NEAR_NOMINAL = 1.15, 1.5
NEAR_MASS = 1.5
#: What stands under the tables; measured once, with the seeds that were used to choose (0 to 4) where nothing else is said.
TRIED = """\
What is missed: arms without nominal links, where about one case in eight is above 1.15; there elasticity and tilted gravity of \
heavy arms look like other links. What such arms weigh is missed where gravity \
is tilted: joint 1 then turns in a torque that no upright model has, and the mass of its link follows its inertia. Bands are in \
the range asked for over all cases, but not in every one.

Of the prior:

- Seeds that chose nothing, 40 and 41: with nominal links 65 of 66 within 1.15 and 66 within 1.5 of the mass, 92 % of the parameters \
within 1.96 standard deviations; without them 20 and 20 of 22, and 90 %.
- With nominal links (seed 20, 32 cases), the geometric mean of the error over that of the better fit: 0.931 with the normal \
distribution on bodies that was there before, 0.924, 0.924 and 0.926 with a Wishart distribution of 6, 8 and 12 degrees of freedom, 0.925, \
0.925 and 0.926 with ν/2 (tr S + tr S⁻¹ - 8) in its place; parameters within 1.96 standard deviations: 93, 93 and 90 %, and 93, 93 and 90 %.
- Without (seeds 20 to 22, 33 cases), at 8 degrees of freedom: 0.932 before, 0.944 with the Wishart distribution and 0.951 with the \
other; mass within 1.5 in 91, 88 and 94 %; of these two the mass is within its 95 % interval in 100 and 64 %, and parameters in 87 and 76 %.
- The scale of uniform links by evidence (88 cases, seeds 5 to 9 and 20 to 22): with 4 degrees of freedom 91 % within 1.15 and 73 % of the \
masses within 1.5, with 8 of them 86 and 78 %, with 3.5 to 12 by evidence 90 and 72 %. With 4 only one draw of a thousand is a whole arm \
of bodies, so that there is one number for all links. With a log-normal distribution of the scale of 0.4 it is 86 and 81 %.

What was tried, and what it did:

- An offset known as badly as Coulomb friction: of joints that turned one way and are tested both ways, 15 % of the cases within \
1.15, the worst 3.48. An offset of a third: 60 %. With it viscous friction that is not negative in these joints: 100 %, and \
nothing lost elsewhere. Not negative in any joint: slow logs, where Stribeck's effect is what a negative slope stands for, fall \
from 100 to 65 %. Instead, friction that dissipates up to the speed of the fastest joint: 62 %, because it escapes into the \
offset.
- Evidence without the constraints: as good here, but 140 to 400 kg on parts of the KUKA's log."""


@dataclass(frozen=True)
class Case:
    """One arm, what is wrong with its drives, and how it moves."""

    robot: str
    errors: tuple[str, ...]
    motion: str
    seed: int

    @property
    def kind(self) -> str:
        wrong = {0: "noise only", len(ERRORS): "all errors"}.get(len(self.errors), ", ".join(self.errors))
        return f"{wrong}, {self.motion}"


@dataclass(frozen=True)
class Outcome:
    """Relative errors on the test log [%], and the share of its samples in the 95 % bands [%]; without them where it ended in a failure.

    mass_ratio : total mass over the true one; lifted_ratio : the same without the first link, which an upright arm never lifts, so that
        no torque tells its mass.
    known : share of the links' parameters within 1.96 of their standard deviations of the truth [%].
    sampled : the error of the mean of 200 samples over that of the answer.
    """

    case: Case
    least_squares: float = float("nan")
    dropped: float = float("nan")
    links: float = float("inf")
    nominal: float = float("nan")
    mass_ratio: float = float("nan")
    lifted_ratio: float = float("nan")
    coverage: float = float("nan")
    known: float = float("nan")
    sampled: float = float("nan")
    failure: str = ""

    @property
    def to_best(self) -> float:
        return self.links / min(self.least_squares, self.dropped)

    @property
    def to_nominal(self) -> float:
        """Not a number where there is no nominal model."""
        return self.links / self.nominal

    @property
    def mass_factor(self) -> float:
        """How far the total mass is from the truth, 1 or more."""
        return max(self.mass_ratio, 1.0 / self.mass_ratio)

    @property
    def lifted_factor(self) -> float:
        return max(self.lifted_ratio, 1.0 / self.lifted_ratio)


def cases(robots: Sequence[str] = ROBOTS, seeds: Iterable[int] = SEEDS) -> list[Case]:
    return [Case(robot, errors, motion, seed) for seed in seeds for robot in robots for errors, motion in KINDS]


def judge(case: Case) -> Outcome:
    """Identify, retrieve and validate with the defaults."""
    rng = np.random.default_rng([case.seed, ROBOTS.index(case.robot), KINDS.index((case.errors, case.motion))])
    arm = draw_arm(case.robot, case.errors, rng)
    train, test = record_pair(arm, case.motion, rng)
    try:
        problem = build_problem(arm.described, train)
        estimate = regression.estimate(problem)
        dropped = regression.estimate(problem, drop_above_percent=30.0)
        links = solve_retrieval(retrieval_problem(estimate))
        judged = validate(estimate, test, links=links)
    except DynidentError as failure:
        return Outcome(case, failure=f"{type(failure).__name__}: {failure}")
    used = judged.summary.processing
    unseen = problem_on_base(problem.base, test, cutoff=used.cutoff_hz, rate=used.rate_hz)
    assert judged.links is not None
    assert judged.coverage_percent is not None
    covariance = links.covariance
    assert covariance is not None
    std = np.sqrt(np.diag(covariance))[: arm.links.size]
    mean = links.sample(200).x.mean(axis=0)
    return Outcome(
        case,
        least_squares=judged.coefficients.overall_percent,
        dropped=residuals(unseen, dropped.values).relative_percent,
        links=judged.links.overall_percent,
        nominal=_nominal_percent(estimate, problem, unseen),
        mass_ratio=links.total_mass / float(arm.links[:, 0].sum()),
        lifted_ratio=float(links.parameters[1:, 0].sum() / arm.links[1:, 0].sum()),
        coverage=float(np.mean(judged.coverage_percent)),
        known=100.0 * float(np.mean(np.abs(links.parameters.ravel() - arm.links.ravel()) <= 1.96 * std)),
        sampled=residuals(unseen, problem.base.coefficients(mean)).relative_percent
        / residuals(unseen, problem.base.coefficients(links.x)).relative_percent,
    )


def _nominal_percent(estimate: Estimate, problem: Problem, unseen: Problem) -> float:
    """The description's links, with the friction that explains the training log best beside them."""
    nominal, base, data = problem.base.robot.parameters, problem.base, posterior_data(estimate)
    if nominal is None:
        return float("nan")
    links = nominal.ravel()
    friction = np.linalg.lstsq(data.A[:, links.size :], data.b - data.A[:, : links.size] @ links, rcond=1e-8)[0]
    return residuals(unseen, base.coefficients(np.append(links, friction))).relative_percent


def study(seeds: Sequence[int] = SEEDS, workers: int = 2) -> str:
    """Run everything and return the section for RESULTS.md."""
    chosen, start = cases(seeds=seeds), time.perf_counter()
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        found = list(pool.map(judge, chosen, chunksize=4))
    return "\n".join(
        [
            "## Links that predict",
            "",
            f"{len(found)} cases on virtual arms ({', '.join(ROBOTS)}; the last without nominal links, the others with every link wrong by "
            f"a factor of up to two), seeds {seeds[0]} to {seeds[-1]} of each kind, "
            f"{time.perf_counter() - start:.0f} s with {workers} processes. Each is a log for the fit and one of a similar motion for the "
            "errors. Medians of the relative error; links: the default retrieval.",
            "",
            *_goals(found),
            "",
            "| cases | n | least squares | dropped at 30 % | links | nominal, friction fitted | links within 1.15 of the better fit | "
            "worst | worst to nominal | mass within 1.5 (without the first link) | in 95 % bands, mean (least) |",
            "|---|---|---|---|---|---|---|---|---|---|---|",
            _row("all", found),
            *(_row(robot, [item for item in found if item.case.robot == robot]) for robot in ROBOTS),
            *(_row(kind, [item for item in found if item.case.kind == kind]) for kind in dict.fromkeys(case.kind for case in chosen)),
            "",
            *_misses(found),
            "",
            TRIED,
            "",
            "### Standard deviations that are right",
            "",
            *deviations.section(),
        ]
    )


def _goals(found: Sequence[Outcome]) -> list[str]:
    coverage = np.array([item.coverage for item in found])
    to_nominal = np.array([item.to_nominal for item in found if item.failure == "" and np.isfinite(item.nominal)])
    rows = (
        ("links at most 1.15 times the better of both fits", f"{_share(found, _near_best):.1f} %", "95 %"),
        ("total mass within a factor of 1.5 of the truth", f"{_share(found, _near_mass):.1f} %", "95 %"),
        ("the same without the first link, whose mass no torque of an upright arm tells", f"{_share(found, _near_lifted):.1f} %", ""),
        ("largest error of the links over that of the nominal model with fitted friction", f"{to_nominal.max():.2f}", "at most 1.5"),
        ("samples in the 95 % bands, over all cases", f"{np.nanmean(coverage):.1f} %", "90 to 99 %"),
        ("cases with 90 to 99 % of their samples in the bands", f"{100 * np.mean((coverage >= 90) & (coverage <= 99)):.1f} %", ""),
        ("parameters of links within 1.96 standard deviations of the truth", f"{_mean(found, 'known', nominal=True):.1f} %", "90 to 98 %"),
        ("the same without nominal links", f"{_mean(found, 'known', nominal=False):.1f} %", ""),
        ("mean of 200 samples predicts within 1.1 of the answer", f"{_share(found, lambda item: item.sampled <= 1.1):.1f} %", "95 %"),
        ("cases that ended in an error", str(sum(item.failure != "" for item in found)), "0"),
    )
    return ["| what | measured | asked |", "|---|---|---|", *(f"| {what} | **{measured}** | {asked} |" for what, measured, asked in rows)]


def _row(name: str, found: Sequence[Outcome]) -> str:
    def median(read: Callable[[Outcome], float]) -> str:
        values = np.array([read(item) for item in found])
        return "-" if np.isnan(values).all() else f"{np.nanmedian(values):.2f} %"

    coverage = np.array([item.coverage for item in found])
    nominal = np.array([item.to_nominal for item in found])
    worst = "-" if np.isnan(nominal).all() else f"{np.nanmax(nominal):.2f}"
    errors = (median(lambda item, key=key: getattr(item, key)) for key in ("least_squares", "dropped", "links", "nominal"))
    cells = (
        *errors,
        f"{_share(found, _near_best):.0f} %",
        f"{np.nanmax([item.to_best for item in found]):.2f}",
        worst,
        f"{_share(found, _near_mass):.0f} ({_share(found, _near_lifted):.0f}) %",
        f"{np.nanmean(coverage):.0f} ({np.nanmin(coverage):.0f}) %",
    )
    return f"| {name} | {len(found)} | {' | '.join(cells)} |"


def _misses(found: Sequence[Outcome]) -> list[str]:
    """The cases that miss a goal, the worst of each first."""
    lines: list[str] = []
    for goal, missed, value in (
        ("above 1.15 times the better fit", lambda item: not _near_best(item), lambda item: item.to_best),
        ("total mass off by more than 1.5", lambda item: not _near_mass(item), lambda item: item.mass_factor),
        ("above 1.5 times nominal", lambda item: item.to_nominal > NEAR_NOMINAL, lambda item: item.to_nominal),
    ):
        worst = sorted(filter(missed, found), key=value, reverse=True)
        told = "; ".join(
            item.failure or f"{item.case.robot}, {item.case.kind}, seed {item.case.seed}: {value(item):.2f}" for item in worst[:6]
        )
        lines.append(f"- {goal}: {len(worst)}{f' ({told})' if worst else ''}")
    return lines


def _mean(found: Sequence[Outcome], name: str, *, nominal: bool) -> float:
    """Over the cases with or without nominal links."""
    return float(np.nanmean([getattr(item, name) for item in found if np.isfinite(item.nominal) == nominal]))


def _share(found: Sequence[Outcome], good: Callable[[Outcome], bool]) -> float:
    return 100.0 * float(np.mean([good(item) for item in found]))


def _near_best(item: Outcome) -> bool:
    return item.to_best <= NEAR_BEST


def _near_mass(item: Outcome) -> bool:
    return item.mass_factor <= NEAR_MASS


def _near_lifted(item: Outcome) -> bool:
    return item.lifted_factor <= NEAR_MASS
