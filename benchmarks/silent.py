"""Silent faults: samples that a recorder lost or spoilt without a word, and what they do to an estimate.

`python -m benchmarks.run silent`. Every log is fitted intact and with faults of eight kinds in 0.1, 1 and 10 % of its samples. What is
asked: each coefficient within two of its own standard deviations of that of the intact log, or a note that names the fault.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks.encoder import make_case, robots
from dynident import Estimate, Robot, identify, load_dataset, load_robot
from dynident.data import Dataset

DATA = Path(__file__).parents[2] / "shared" / "data"
SHARES = (0.001, 0.01, 0.1)
#: Faults that last have so many samples on average.
RUN = 10
SEEDS = 3


@dataclass(frozen=True, kw_only=True, eq=False)
class Case:
    """A robot and an intact log of it."""

    robot: Robot
    log: Dataset

    @property
    def limits(self) -> np.ndarray:
        """(n,) largest efforts; where the description has none, twice the largest that was recorded."""
        assert self.log.effort is not None
        given = self.robot.effort_limits
        return np.where((given > 0.0) & np.isfinite(given), given, 2.0 * np.abs(self.log.effort).max(axis=0))


def spoil(case: Case, kind: str, share: float, rng: np.random.Generator) -> Dataset:
    """The log with faults of this kind in a share of its samples."""
    return KINDS[kind](case, share, rng)


def _effort(values: Callable[[Case, np.random.Generator], np.ndarray]) -> Callable[[Case, float, np.random.Generator], Dataset]:
    """Single efforts, joint by joint, with other values (N, n)."""

    def change(case: Case, share: float, rng: np.random.Generator) -> Dataset:
        hit = rng.random(case.log.q.shape) < share
        return replace(case.log, effort=np.where(hit, values(case, rng), case.log.effort))

    return change


def _signs(case: Case, rng: np.random.Generator) -> np.ndarray:
    return rng.choice([-1.0, 1.0], case.log.q.shape)


def _runs(samples: int, share: float, rng: np.random.Generator) -> np.ndarray:
    """(N,) whether a sample is in one of the runs that make up this share; none begins with the first sample."""
    hit = np.zeros(samples, dtype=bool)
    while hit.mean() < share:
        begin = int(rng.integers(1, samples - 1))
        hit[begin : begin + int(rng.geometric(1.0 / RUN))] = True
    return hit


def _last(values: np.ndarray, hit: np.ndarray) -> np.ndarray:
    """The values (N, n) with the last that was not hit (N,) in place of those that were."""
    return values[np.maximum.accumulate(np.where(hit, 0, np.arange(len(hit))))]


def _held_effort(case: Case, share: float, rng: np.random.Generator) -> Dataset:
    effort = case.log.effort
    assert effort is not None
    columns = [_last(effort[:, [j]], _runs(len(effort), share, rng)) for j in range(case.log.n)]
    return replace(case.log, effort=np.hstack(columns))


def _zero_position(case: Case, share: float, rng: np.random.Generator) -> Dataset:
    return replace(case.log, q=np.where(rng.random(case.log.q.shape) < share, 0.0, case.log.q))


def _held_position(case: Case, share: float, rng: np.random.Generator) -> Dataset:
    columns = [_last(case.log.q[:, [j]], _runs(case.log.samples, share, rng)) for j in range(case.log.n)]
    return replace(case.log, q=np.hstack(columns))


def _rows(change: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Callable[[Case, float, np.random.Generator], Dataset]:
    """All that was recorded of some samples, in runs; stamps as they are."""

    def changed(case: Case, share: float, rng: np.random.Generator) -> Dataset:
        hit = _runs(case.log.samples, share, rng)
        signals = {name: getattr(case.log, name) for name in ("q", "dq", "ddq", "effort")}
        return replace(case.log, **{name: None if values is None else change(values, hit) for name, values in signals.items()})

    return changed


KINDS: dict[str, Callable[[Case, float, np.random.Generator], Dataset]] = {
    "single efforts 0": _effort(lambda case, _: np.zeros(case.log.q.shape)),
    "single efforts beyond the limit": _effort(lambda case, rng: 1.25 * case.limits * _signs(case, rng)),
    "single efforts anywhere within the limit": _effort(lambda case, rng: case.limits * rng.uniform(-1.0, 1.0, case.log.q.shape)),
    "efforts held, in runs": _held_effort,
    "single positions 0": _zero_position,
    "positions held, in runs": _held_position,
    "rows of zeros, in runs": _rows(lambda values, hit: np.where(hit[:, None], 0.0, values)),
    "rows held, in runs": _rows(_last),
}


@cache
def cases() -> dict[str, Case]:
    """Virtual arms with positions and torques only, and the recorded logs."""
    found: dict[str, Case] = {}
    for name, rate in (("panda", 500.0), ("7-axis by DH", 100.0), ("6-axis by URDF", 1000.0)):
        made = make_case(robots()[name], rate, 1e-4, 200)
        found[f"virtual {name}, {rate:.0f} Hz"] = Case(robot=made.arm.described, log=made.log)
    if DATA.exists():
        found["recorded Panda, 1 kHz"] = Case(robot=load_robot("panda"), log=load_dataset(DATA / "panda_gaz2019" / "trajectory_1.npz"))
        log = load_dataset(DATA / "kuka_lwr4" / "measurements_1.npz").take(slice(500, None), starts=(0,))
        found["recorded KUKA LWR 4+, 200 Hz"] = Case(robot=load_robot("kuka_lwr4"), log=log)
    return found


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How far the worst coefficient is from that of the intact log, in its own standard deviations; whether faults were named; and by
    how much standard deviations grew, in the median."""

    apart: float
    named: bool
    grown: float

    @property
    def good(self) -> bool:
        return self.apart <= 2.0 or self.named


def compare(intact: Estimate, spoilt: Estimate) -> Outcome:
    """Of coefficients that both estimate."""
    places = {name: i for i, name in enumerate(intact.base.names) if intact.kept[i]}
    pairs = [(places[name], k) for k, name in enumerate(spoilt.base.names) if spoilt.kept[k] and name in places]
    i, k = (list(column) for column in zip(*pairs, strict=True))
    apart = np.abs(spoilt.values[k] - intact.values[i]) / spoilt.std[k]
    named = any(count.left_out for count in spoilt.summary.processing.faulty)
    return Outcome(apart=float(apart.max()), named=named, grown=float(np.median(spoilt.std[k] / intact.std[i])))


@cache
def intact(name: str) -> Estimate:
    return identify(cases()[name].robot, cases()[name].log)


def measure(name: str, kind: str, share: float, seeds: int = SEEDS) -> list[Outcome]:
    """One outcome per seed."""
    case = cases()[name]
    spoilt = [spoil(case, kind, share, np.random.default_rng(seed)) for seed in range(seeds)]
    return [compare(intact(name), identify(case.robot, log)) for log in spoilt]


def study(seeds: int = SEEDS) -> str:
    return "\n".join(["## Silent faults", "", *_table(seeds)])


def _table(seeds: int) -> Iterator[str]:
    yield "Distance of the worst coefficient from that of the intact log, in its own standard deviations, the largest of "
    yield f"{seeds} seeds; growth of the standard deviations in the median; and in how many of the logs a note names the fault."
    yield ""
    yield "| log | fault | 0.1 % | 1 % | 10 % |"
    yield "|---|---|---|---|---|"
    missed = 0
    for name in cases():
        for kind in KINDS:
            found = [measure(name, kind, share, seeds) for share in SHARES]
            missed += sum(not outcome.good for outcomes in found for outcome in outcomes)
            yield f"| {name} | {kind} | {' | '.join(map(_text, found))} |"
    yield ""
    yield f"Neither within two standard deviations nor named: {missed} of {len(cases()) * len(KINDS) * len(SHARES) * seeds}."


def _text(outcomes: list[Outcome]) -> str:
    worst, grown = max(outcome.apart for outcome in outcomes), np.median([outcome.grown for outcome in outcomes])
    text = f"{worst:.2g} σ, ×{grown:.3g}, {sum(outcome.named for outcome in outcomes)}/{len(outcomes)}"
    return text if all(outcome.good for outcome in outcomes) else f"**{text}**"


if __name__ == "__main__":
    print(study())
