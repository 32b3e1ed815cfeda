"""Payloads of known mass and place on virtual arms: how near the answer is, and whether the intervals hold the truth.

`python -m benchmarks.run payload`. Arms are wrong in their description as real ones are (`virtual_arms`); the Panda of the first table is
simulated on MuJoCo with a servo and the noise of the recorded one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.virtual_arms import RATE, ROBOTS, Arm, draw_arm, fourier_motion, record
from dynident import Estimate, Robot, identify, load_robot, simulate
from dynident.data import Dataset
from dynident.errors import InputError
from dynident.motions.simulation import Payload
from dynident.robots.parameters import change_of_frame, from_com
from dynident.routes.payload import PayloadEstimate, identify_payload
from dynident.routes.payload.quantities import quantities
from tests.unit.motions.simulation.motions import fourier_motion as motion_within_limits

SEEDS = 20
MASSES = (0.1, 1.5)
#: The method (weights, prior, quantile) was chosen on arms with seeds below 40; coverage is measured on others.
FIRST_UNSEEN = 100


@dataclass(frozen=True, kw_only=True, eq=False)
class Case:
    """An arm as described, a log without and one with a payload, and the payload (10,) in the flange frame."""

    robot: Robot
    unloaded: Dataset
    loaded: Dataset
    truth: np.ndarray


def draw_payload(mass: float, rng: np.random.Generator) -> np.ndarray:
    """(10,) a compact body of that mass, up to 14 cm from the flange."""
    com, radius = rng.uniform(-0.08, 0.08, 3), rng.uniform(0.03, 0.1)
    return from_com(mass, com, mass * radius**2 * np.diag(rng.uniform(0.6, 1.0, 3)))


def make_case(
    name: str,
    mass: float,
    seed: int,
    *,
    warm: float = 0.0,
    fastest: float = 1.5,
    seconds: float = 20.0,
    still: tuple[int, ...] = (),
    noise: float = 1.0,
) -> Case:
    """A drawn arm with a drawn payload.

    warm : by how much friction has changed in the loaded log, as a share of it; offsets by as much of the Coulomb friction.
    fastest : speed of the joints [rad/s]; still : joints that stay where they are in the loaded log.
    noise : of the torques, as a multiple of the usual.
    """
    rng = np.random.default_rng(1000 + seed)
    arm = draw_arm(name, (), rng)
    arm = replace(arm, noise=noise * arm.noise)
    truth = draw_payload(mass, rng) if mass > 0.0 else np.zeros(10)
    links = arm.links.copy()
    links[-1] += change_of_frame(arm.described.tool) @ truth
    turned = rng.choice([-1.0, 1.0], (3, arm.described.n))
    changed = {"fv": arm.fv * (1.0 + warm * turned[0]), "fc": arm.fc * (1.0 + warm * turned[1]), "fo": arm.fo + warm * arm.fc * turned[2]}
    loaded = replace(arm, links=links, **changed, fs=changed["fc"])
    return Case(
        robot=arm.described,
        unloaded=record(arm, *_motion(arm, rng, 1.5, 20.0, ()), rng),
        loaded=record(loaded, *_motion(arm, rng, fastest, seconds, still), rng),
        truth=truth,
    )


def _motion(arm: Arm, rng: np.random.Generator, fastest: float, seconds: float, still: tuple[int, ...]) -> tuple[np.ndarray, ...]:
    limits = arm.described.position_limits
    low, high = np.maximum(limits[:, 0], -2.0), np.minimum(limits[:, 1], 2.0)
    reach = 0.4 * (high - low)
    reach[list(still)] = 0.0
    time = np.arange(round(RATE * seconds)) / RATE
    return time, *fourier_motion(time, 0.1, fastest, 0.5 * (low + high), reach, rng)


@dataclass(frozen=True)
class Outcome:
    """An answer beside the truth. z : (10,) errors of mass, centre of mass and inertia in standard deviations."""

    found: PayloadEstimate
    truth: np.ndarray

    @property
    def z(self) -> np.ndarray:
        return (self.found.values - quantities(self.truth)) / self.found.std

    @property
    def inside(self) -> np.ndarray:
        """(10,) whether the 95 % intervals hold the truth."""
        low, high = self.found.intervals.T
        values = quantities(self.truth)
        return (low <= values) & (values <= high)

    @property
    def mass_error(self) -> float:
        """[%]"""
        return float(100.0 * (self.found.mass / self.truth[0] - 1.0))

    @property
    def com_error(self) -> float:
        """[mm]"""
        return float(1e3 * np.linalg.norm(self.found.com - self.truth[1:4] / self.truth[0]))


def solve_case(case: Case, *, refit_friction: bool = True) -> Outcome:
    return Outcome(identify_payload(identify(case.robot, case.unloaded), case.loaded, refit_friction=refit_friction), case.truth)


@dataclass(frozen=True, kw_only=True, eq=False)
class SimulatedPanda:
    """A Panda on MuJoCo with the noise of the recorded one, identified without a payload."""

    seed: int
    seconds: float = 20.0

    def log(self, payload: Payload | None, seed: int) -> Dataset:
        motion = motion_within_limits(load_robot("panda"), duration=self.seconds, rate=100.0, seed=seed, harmonics=5)
        return simulate(load_robot("panda"), motion, payload=payload, friction="linear", noise="realistic", seed=seed).log

    def arm(self) -> Estimate:
        return identify(load_robot("panda"), self.log(None, 100 * self.seed))

    def carry(self, arm: Estimate, mass: float) -> Outcome:
        truth = draw_payload(mass, np.random.default_rng(self.seed))
        values = quantities(truth)
        payload = Payload(mass=mass, com=tuple(values[1:4]), inertia=tuple(values[4:]))
        return Outcome(identify_payload(arm, self.log(payload, 100 * self.seed + 1)), truth)


def study(seeds: int = SEEDS) -> str:
    lines = ["## Payload", "", *_simulated(), "", *_coverage(seeds), "", *_friction(seeds // 2), "", *_hard()]
    return "\n".join(lines)


def _simulated() -> Iterator[str]:
    yield "Virtual Pandas on MuJoCo, noise of the recorded one, two logs of 20 s of different motions. Asked of 1.5 kg: 1 % and 2 mm."
    yield ""
    yield "| seed | payload | mass, error | std | centre of mass, error | mass and centre within 95 % intervals | inertia within |"
    yield "|---|---|---|---|---|---|---|"
    for seed in range(1, 4):
        panda = SimulatedPanda(seed=seed)
        arm = panda.arm()
        for mass in MASSES:
            found = panda.carry(arm, mass)
            shares = f"{int(found.inside[:4].sum())} of 4 | {int(found.inside[4:].sum())} of 6"
            std = 100.0 * found.found.std[0] / mass
            yield f"| {seed} | {mass:g} kg | **{found.mass_error:+.2f} %** | {std:.2f} % | **{found.com_error:.2f} mm** | {shares} |"


def _coverage(seeds: int) -> Iterator[str]:
    yield f"Drawn arms, logs of 20 s at 100 Hz with positions and torques, {seeds} payloads each. Root mean square of the error over its "
    yield "standard deviation, which is 1 where that is right, and share of the 95 % intervals that hold the truth. None of these arms was "
    yield "looked at when the method was chosen."
    yield ""
    yield "| arm | payload | mass, median error | centre, median error | z of mass, centre, inertia | mass within | centre | inertia |"
    yield "|---|---|---|---|---|---|---|---|"
    every: list[np.ndarray] = []
    for name in ROBOTS:
        for mass in MASSES:
            found = [solve_case(make_case(name, mass, FIRST_UNSEEN + seed)) for seed in range(seeds)]
            z, inside = (np.array([getattr(item, what) for item in found]) for what in ("z", "inside"))
            every.append(inside)
            scores = ", ".join(f"{np.sqrt(np.mean(z[:, part] ** 2)):.2f}" for part in _PARTS)
            median = f"{np.median([abs(item.mass_error) for item in found]):.2f} % | {np.median([item.com_error for item in found]):.2f} mm"
            yield f"| {name} | {mass:g} kg | {median} | {scores} | {_shares(inside)} |"
    yield f"| all | | | | | **{_shares(np.concatenate(every)).replace(' | ', '** | **')}** |"


_PARTS = (slice(0, 1), slice(1, 4), slice(4, 10))


def _shares(inside: np.ndarray) -> str:
    return " | ".join(f"{100.0 * inside[:, part].mean():.0f} %" for part in _PARTS)


def _friction(seeds: int) -> Iterator[str]:
    yield f"Friction fitted again or held at that of the arm: 1.5 kg on drawn Pandas, {seeds} each; friction changed by that share since "
    yield "the arm was identified. Refused: no payload makes the log one of the arm, as the error says."
    yield ""
    yield "| changed by | again: std of mass | error (RMS) | within 95 % | held: std of mass | error (RMS) | within 95 % | refused |"
    yield "|---|---|---|---|---|---|---|---|"
    for warm in (0.0, 0.1, 0.3):
        cells: list[str] = []
        refused = 0
        for refit in (True, False):
            found: list[Outcome] = []
            for seed in range(seeds):
                try:
                    found.append(solve_case(make_case("panda", 1.5, seed, warm=warm), refit_friction=refit))
                except InputError:
                    refused += 1
            cells.append(_mass_cells(found))
        yield f"| {100 * warm:.0f} % | {' | '.join(cells)} | {refused} of {seeds} |"


def _mass_cells(found: list[Outcome]) -> str:
    if not found:
        return "– | – | –"
    error = np.sqrt(np.mean([(item.found.mass - item.truth[0]) ** 2 for item in found]))
    inside = 100.0 * np.mean([item.inside[0] for item in found])
    return f"{1e3 * np.median([item.found.std[0] for item in found]):.1f} g | {1e3 * error:.1f} g | {inside:.0f} %"


def _hard() -> Iterator[str]:
    yield "What is said where a log can't tell, or is not what it should be; a drawn Panda."
    yield ""
    yield "| log | answer |"
    yield "|---|---|"
    for what, case in hard_cases().items():
        try:
            found = solve_case(case).found
            mass = f"{found.mass:.3g} ± {found.std[0]:.2g} kg ({case.truth[0]:g}): {found.status.value}"
            own = [note for note in found.notes if not note.startswith(("prior", "the log has no", "joint "))]
            answer = "; ".join([mass, *own])
        except InputError as error:
            answer = str(error)
        yield f"| {what} | {answer} |"


def hard_cases() -> dict[str, Case]:
    usual, empty, other = make_case("panda", 1.5, 3), make_case("panda", 0.0, 3), make_case("kuka_lwr4", 1.5, 3)
    return {
        "no payload": empty,
        "1.5 kg, slow: 0.05 rad/s": make_case("panda", 1.5, 3, fastest=0.05, seconds=40.0),
        "1.5 kg, only joint 1 moves": make_case("panda", 1.5, 3, still=tuple(range(1, 7))),
        "1.5 kg, joints 4 to 7 stand still": make_case("panda", 1.5, 3, still=(3, 4, 5, 6)),
        "swapped": replace(usual, unloaded=usual.loaded, loaded=usual.unloaded),
        "the same log twice": replace(usual, loaded=usual.unloaded),
        "of another arm with seven joints": replace(usual, loaded=other.loaded),
        "efforts of joint 4 with the other sign": replace(usual, loaded=_turn(usual.loaded, 3)),
    }


def _turn(log: Dataset, joint: int) -> Dataset:
    assert log.effort is not None
    signs = np.where(np.arange(log.n) == joint, -1.0, 1.0)
    return Dataset(time=log.time, q=log.q, effort=signs * log.effort, effort_kind=log.effort_kind, source=log.source)
