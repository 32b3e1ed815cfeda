"""A fleet of virtual robots: the same bits on one process, on two, and with a worker that is killed; memory, throughput, shared links.

Logs are made without a simulator: inverse dynamics of links that differ between robots, friction of their own and noise.
"""

from __future__ import annotations

import os
import signal
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from dynident import identify, load_robot
from dynident.core.records import OpenedFile
from dynident.data import Dataset
from dynident.dynamics import inverse_dynamics
from dynident.dynamics.friction.model import Motion, friction_torque
from dynident.links import retrieval_problem, solve_retrieval
from dynident.links.shared_links import SharedLinks, Sharer, share_links
from dynident.motions.simulation.payload import vary_links
from dynident.pipeline.fleet import FleetOptions
from dynident.pipeline.fleet.fleet import plan_robots, work_on_all
from dynident.pipeline.fleet.robots import RobotWork
from dynident.pipeline.fleet.summary import summarise
from dynident.regression import Estimate
from dynident.robots import Robot

#: Robots of the fleet, how many of them have been done when memory counts; robots that measure throughput, and from which on.
ROBOTS, SETTLED, TIMED, FIRST = 200, 20, 40, 6
SMALL = "planar_2r"
#: Of which one has a joint with twice the Coulomb friction, and one a payload that nobody knows of [kg].
WORN, LOADED, PAYLOAD = 17, 42, 0.5
#: Of the Panda: robots that share, new ones with a short log, its length and that of the others [s], and the torque noise [N·m].
SHARING, NEW, SHORT, LONG, NOISE = 12, 8, 10.0, 40.0, 0.3


def study() -> str:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_logs(folder / "logs", ROBOTS)
        return "\n\n".join(["## Fleet", _fleet(folder), _throughput(folder), _sharing()])


def _fleet(folder: Path) -> str:
    robots = make_robots(folder / "logs", folder / "two", ROBOTS)
    watch = Watch(kill_at=ROBOTS // 2)
    began = time.monotonic()
    outcomes = work_on_all(robots, workers=2, tell=watch)
    wall = time.monotonic() - began
    failed = sum(bool(outcome.failures) for outcome in outcomes)
    sample = range(0, ROBOTS, 10)
    serial = make_robots(folder / "logs", folder / "one", ROBOTS)
    work_on_all([serial[k] for k in sample], workers=1, tell=lambda text, share: None)
    same = sum(digests(serial[k].folder) == digests(robots[k].folder) for k in sample)
    again = work_on_all(robots, workers=2, tell=lambda text, share: None)
    found = summarise(SMALL, folder / "two", again).comparison
    assert found is not None
    odd = ", ".join(found.names[r] for r in found.runs_beyond)
    return "\n".join(
        [
            f"{ROBOTS} virtual arms ({SMALL}, links that differ by 2 %, friction by 10 %, logs of 20 s at 100 Hz) through doctor, "
            f"identify, retrieve and validate on two workers; one of them is killed (SIGKILL) when {watch.kill_at} robots are done. "
            f"Robot {WORN} has a joint with twice the Coulomb friction, robot {LOADED} carries {PAYLOAD} kg that nobody knows of.",
            "",
            "| | |",
            "|---|---|",
            f"| robots with a step that failed | {failed} |",
            f"| run folders with the same bits as from one process, of every tenth robot | {same} of {len(sample)} |",
            f"| workers killed | {len(watch.killed)} |",
            f"| steps done again when the command is given once more | {sum(len(outcome.repeated) for outcome in again)} |",
            f"| largest memory of a worker after {SETTLED} robots, and at the end [MB] | {watch.settled:.0f}, {watch.last:.0f} |",
            f"| growth of the process that keeps what is compared, from {SETTLED} robots on [kB per robot] | {watch.growth:.0f} |",
            f"| robots that the comparison names | {odd} |",
            f"| wall time [s] | {wall:.0f} |",
        ]
    )


def _throughput(folder: Path) -> str:
    """Robots per second of one process and of two workers, in turns, and their CPU time; the start of the workers is not counted."""
    found: dict[int, list[tuple[float, float]]] = {1: [], 2: []}
    for turn in range(2):
        for workers, measured in found.items():
            watch = Watch()
            work_on_all(make_robots(folder / "logs", folder / f"timed{turn}{workers}", TIMED), workers=workers, tell=watch)
            measured.append(watch.rate(FIRST))
    one, two = (np.median(measured, axis=0) for measured in found.values())
    return (
        f"Throughput ({TIMED} robots, twice in turns, counted from robot {FIRST} on): {one[0]:.2f} robots/s by one process, "
        f"{two[0]:.2f} by two workers, {two[0] / one[0]:.2f} times as many; CPU time of a robot {one[1]:.2f} s by one process, "
        f"{two[1]:.2f} s by workers and scheduler together (two cores, load average at the end {os.getloadavg()[0]:.1f})."
    )


def _sharing() -> str:
    model = load_robot("panda")
    real = model.with_parameters(vary_links(model, spread=0.1, seed=5))
    members = [_member(real, k) for k in range(SHARING + NEW)]
    shared = share_links(
        Sharer(name=f"robot {k}", digest=str(k), estimate=identify(model, record(model, *members[k], k, LONG, NOISE)))
        for k in range(SHARING)
    )
    rows = np.array([_errors(model, members[k], k, shared) for k in range(SHARING, SHARING + NEW)])
    names = (
        f"coefficients, least squares, {SHORT:g} s",
        f"links, prior of the description, {SHORT:g} s",
        f"links, shared by {SHARING} robots, {SHORT:g} s",
        f"links, prior of the description, {LONG:g} s",
    )
    lines = [
        f"Shared links: {SHARING} virtual Pandas with {LONG:g} s of log ({NOISE} N·m of noise, links that differ by 3 % about a model that "
        f"differs by 10 % from its description, friction by 20 %), then {NEW} new ones with {SHORT:g} s. Error on a new motion of 20 s, "
        "mean over the new robots (largest). "
        f"Estimated spread between robots: {np.median(shared.spread_percent):.1f} %.",
        "",
        "| model | torque [%] | rigid-body part [%] |",
        "|---|---|---|",
    ]
    for k, name in enumerate(names):
        whole, rigid = rows[:, k, 0], rows[:, k, 1]
        lines.append(f"| {name} | {whole.mean():.2f} ({whole.max():.2f}) | {rigid.mean():.2f} ({rigid.max():.2f}) |")
    return "\n".join(lines)


def _member(real: Robot, k: int) -> tuple[Any, Any]:
    friction = np.array([[0.5], [0.6], [0.1]]) * (1.0 + 0.2 * np.random.default_rng(k).normal(size=(3, real.n)))
    return vary_links(real, spread=0.03, seed=100 + k), friction


def _errors(model: Robot, member: tuple[Any, Any], k: int, shared: SharedLinks) -> list[tuple[float, float]]:
    links, (fv, fc, fo) = member
    short = identify(model, record(model, *member, k, SHORT, NOISE))
    long = identify(model, record(model, *member, k, LONG, NOISE))
    time_, q, dq, ddq = motion(model, 5000 + k, 20.0)
    rigid = inverse_dynamics(model, links, q, dq, ddq)
    torque = rigid + fv * dq + fc * np.sign(dq) + fo

    def judge(predicted: Any, own: Any) -> tuple[float, float]:
        share = [100.0 * float(np.linalg.norm(a - b) / np.linalg.norm(b)) for a, b in ((predicted, torque), (own, rigid))]
        return share[0], share[1]

    def of_links(estimate: Estimate, prior: Any) -> tuple[float, float]:
        found = solve_retrieval(retrieval_problem(estimate, prior=prior))
        own = inverse_dynamics(model, found.parameters, q, dq, ddq)
        assert estimate.base.friction is not None
        assert found.friction_parameters is not None
        return judge(own + friction_torque(estimate.base.friction, found.friction_parameters, Motion(q, dq, ddq, own, None)), own)

    coefficients = judge(short.predict(Dataset(time=time_, q=q, dq=dq, ddq=ddq)), inverse_dynamics(model, short.link_part, q, dq, ddq))
    return [coefficients, of_links(short, "auto"), of_links(short, shared.prior_for(short)), of_links(long, "auto")]


class Watch:
    """Told of every robot that is done: memory then, and one worker that is killed."""

    def __init__(self, kill_at: int = 0) -> None:
        self.kill_at = kill_at
        self.killed: list[int] = []
        self.times: list[float] = []
        self.used: list[float] = []
        self.settled = self.last = self.growth = self._own = 0.0

    def __call__(self, text: str, share: float) -> None:
        import psutil

        done = len(self.times)
        self.times.append(time.monotonic())
        alive = [child for child in psutil.Process().children() if child.status() != psutil.STATUS_ZOMBIE]
        workers = [child for child in alive if "spawn_main" in " ".join(child.cmdline())]
        if self.kill_at and done == self.kill_at:
            self.killed.append(workers[0].pid)
            os.kill(workers[0].pid, signal.SIGKILL)
        elif workers:
            self.last = max(child.memory_info().rss for child in workers) / 1e6
        self.used.append(sum(sum(item.cpu_times()[:2]) for item in (psutil.Process(), *workers)))
        own = psutil.Process().memory_info().rss / 1e3
        if done == SETTLED:
            self.settled, self._own = self.last, own
        self.growth = (own - self._own) / max(done - SETTLED, 1)

    def rate(self, first: int) -> tuple[float, float]:
        """Robots per second, and CPU time of a robot [s], from the one of that number on."""
        count = len(self.times) - 1 - first
        return count / (self.times[-1] - self.times[first]), (self.used[-1] - self.used[first]) / count


def write_logs(folder: Path, count: int) -> None:
    folder.mkdir()
    robot = load_robot(SMALL)
    assert robot.parameters is not None
    for k in range(count):
        rng = np.random.default_rng(k)
        links = robot.parameters * (1.0 + 0.02 * rng.normal(size=(robot.n, 1)))
        friction = np.array([[0.4], [0.7], [0.1]]) * (1.0 + 0.1 * rng.normal(size=(3, robot.n)))
        if k == WORN:
            friction[1, 1] *= 2.0
        if k == LOADED:
            links[-1, :2] += PAYLOAD, 0.3 * PAYLOAD
        log = record(robot, links, friction, k, 20.0, 0.02)
        np.savez(folder / f"robot_{k:03d}.npz", t=log.time, q=log.q, dq=log.dq, tau=log.effort)


def record(robot: Robot, links: Any, friction: Any, seed: int, seconds: float, noise: float) -> Dataset:
    time_, q, dq, ddq = motion(robot, seed, seconds)
    fv, fc, fo = friction
    effort = inverse_dynamics(robot, links, q, dq, ddq) + fv * dq + fc * np.sign(dq) + fo
    effort = effort + noise * np.random.default_rng(9000 + seed).normal(size=q.shape)
    return Dataset(time=time_, q=q, dq=dq, ddq=ddq, effort=effort, effort_kind="torque", source=f"robot {seed}")


def motion(robot: Robot, seed: int, seconds: float) -> tuple[Any, Any, Any, Any]:
    """A random Fourier series about the middle of the joints' ranges at 100 Hz."""
    rng = np.random.default_rng(seed)
    time_ = np.arange(0.0, seconds, 0.01)
    omega = 2.0 * np.pi * 0.1 * np.arange(1, 6)[:, None]
    size, phase = rng.uniform(0.05, 0.35, (5, robot.n)), rng.uniform(0.0, 2.0 * np.pi, (5, robot.n))
    angle = time_[:, None, None] * omega + phase
    middle = np.nan_to_num(np.mean(robot.position_limits, axis=1), posinf=0.0, neginf=0.0)
    q = np.sum(size * np.sin(angle), axis=1) + middle
    return time_, q, np.sum(size * omega * np.cos(angle), axis=1), -np.sum(size * omega**2 * np.sin(angle), axis=1)


def make_robots(logs: Path, folder: Path, count: int) -> list[RobotWork]:
    return plan_robots(load_robot(SMALL), [logs / f"robot_{k:03d}.npz" for k in range(count)], folder, FleetOptions())


def digests(folder: Path) -> dict[str, str]:
    """Of the records of a run folder, without what differs between places, such as the command."""
    return {file.name: OpenedFile(file, remedy="").digest for file in sorted(folder.glob("*.safetensors"))}
