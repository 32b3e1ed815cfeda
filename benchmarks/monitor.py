"""The contact monitor on the virtual Panda: pushes of 10 N at the tool, minutes of free motion, worse models, and nanoseconds of its C."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np

import dynident
from benchmarks.detectability import detectability
from benchmarks.virtual_arms import perturb_links
from dynident.data import Dataset, EffortKind
from dynident.dynamics import mass_matrix
from dynident.exports import export, model_from_parameters
from dynident.exports.code.c99 import C_FLAGS
from dynident.links import retrieval_problem, retrieve
from dynident.motions.simulation import NOISES, Push, Recording, effort_scale, simulate
from dynident.robots import Robot
from dynident.validation.monitoring import ContactMonitor, Contacts, WatchedModel, contact_monitor, find_contacts
from dynident.validation.monitoring.calibrate import calibrate

#: The force of a push [N], for how long [s], and what is asked for [s].
FORCE, DURATION, ASKED = 10.0, 0.5, 0.05
#: Length of a motion [s], how many are of free motion, and how often each is recorded, with other noise each time.
SECONDS, FREE, DRAWS = 60.0, 4, 10
#: Motions in which someone pushes, postures at which the arm stands while someone does, and gains beside the default.
PUSHED, POSTURES, GAINS = 3, 10, (15.0, 50.0)
#: Where the seeds of motions, directions, postures and noise begin. The monitor's rules were settled with seeds below, and looked at
#: once with these.
SEEDS = 100
#: Bounds between which pushes are counted by how clearly they show.
CLEAR = (0.0, 7.0, 10.0, 15.0, 30.0, np.inf)

#: Recorded logs, which are not part of the project.
DATA = Path(__file__).parents[2] / "shared" / "data"

DRIVER = """#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "panda_model.h"
#include "panda_monitor.h"
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static int compare(const void* a, const void* b) { double x = *(const double*)a, y = *(const double*)b; return (x > y) - (x < y); }
int main(void) {
  double q[7], dq[7], ddq[7], tau[7], taken[2][RUNS], sum = 0.0;
  panda_monitor monitor;
  panda_monitor_init(&monitor);
  for (int j = 0; j < 7; j++) { q[j] = 0.1 * j; dq[j] = 0.3; ddq[j] = 0.5; }
  for (int r = -3; r < RUNS; r++) {
    double begin = now();
    for (int k = 0; k < 20000; k++) { for (int j = 0; j < 7; j++) q[j] += 1e-6; panda_inverse_dynamics(q, dq, ddq, tau); sum += tau[0]; }
    double middle = now();
    for (int k = 0; k < 20000; k++) { for (int j = 0; j < 7; j++) q[j] += 1e-6; sum += panda_monitor_step(&monitor, q, dq, tau, 1e-3); }
    if (r >= 0) { taken[0][r] = (middle - begin) / 20000; taken[1][r] = (now() - middle) / 20000; }
  }
  for (int i = 0; i < 2; i++) qsort(taken[i], RUNS, sizeof(double), compare);
  printf("%.3e %.3e %g\\n", taken[0][0], taken[1][0], sum);
  return 0;
}
"""


@dataclass(frozen=True, eq=False)
class Trial:
    """A log with pushes in it."""

    recording: Recording
    pushes: tuple[Push, ...]


def study() -> str:
    """Run everything and return the section for RESULTS.md."""
    robot = dynident.load_robot("panda")
    first, quiet = (_record(robot, swing(robot, seed=seed), seed) for seed in (SEEDS, SEEDS + 1))
    motions = [swing(robot, seed=SEEDS + 10 + k) for k in range(FREE)]
    free = [log for k, motion in enumerate(motions) for log in _recorded(robot, motion, SEEDS + 10 + k)]
    stops = list(_recorded(robot, stop_and_go(robot, seed=SEEDS + 40), SEEDS + 40))
    moving = [_pushed(robot, seed) for seed in range(SEEDS + 20, SEEDS + 20 + PUSHED)]
    standing = [_standing(robot, seed) for seed in range(SEEDS + 30, SEEDS + 30 + POSTURES)]
    estimate = dynident.identify(robot, first.log, friction=dynident.friction_model("linear"))
    links = retrieve(retrieval_problem(estimate))
    monitor = contact_monitor(estimate, quiet.log, links=links)
    rng = np.random.default_rng(7)
    assert robot.parameters is not None
    described = WatchedModel(robot=robot, parameters=perturb_links(robot.parameters, rng), name="nominal")
    bare = WatchedModel(robot=robot, parameters=robot.parameters, name="nominal")
    monitors = {
        "identified links and friction": monitor,
        "the same, each joint by itself alone": replace(monitor, distance_level=np.inf),
        "the same, all joints together alone": replace(monitor, level=np.full(robot.n, np.inf)),
        "identified coefficients": contact_monitor(estimate, quiet.log),
    }
    monitors |= {f"identified links, gain {gain:g} 1/s": contact_monitor(estimate, quiet.log, links=links, gain=gain) for gain in GAINS}
    monitors |= {
        "the true links, without friction": calibrate(bare, quiet.log),
        "a description with links wrong by up to a factor of two, without friction": calibrate(described, quiet.log),
        "the same, with the thresholds of the identified model": replace(monitor, model=described),
    }
    pushes = [
        (kind, trial, push) for kind, trials in (("moving", moving), ("standing", standing)) for trial in trials for push in trial.pushes
    ]
    clear = np.array([_clearness(trial, push, monitor.blur) for _, trial, push in pushes])
    return "\n".join(
        [
            "## Watching for contacts",
            "",
            f"The virtual Panda (MuJoCo, servo, linear friction, noise of a recorded Panda), identified from {SECONDS:g} s, "
            f"thresholds from another {SECONDS:g} s of free motion: gain {monitor.gain[0]:g} 1/s, "
            f"{1e3 * monitor.confirmation:g} ms of confirmation, {monitor.calibration.false_alarms:g} false alarms per hour asked for. "
            "The rules and the gain were settled on logs with other seeds (motions, directions, postures, noise), and looked at once with "
            "these. On the logs of that time it found 58 of 58 and 28 of 30 pushes in time, where constant thresholds per joint had found "
            "56 and 26; the two late ones have d = 8.7 (see below). "
            f"Pushes of {FORCE:g} N for {DURATION:g} s at the tool: {sum(len(t.pushes) for t in moving)} in {PUSHED} motions, in random "
            f"directions; {sum(len(t.pushes) for t in standing)} on the standing arm, along ±x, ±y and ±z of the base at {POSTURES} "
            f"random postures. Free motion: {FREE} other motions of {SECONDS:g} s, each recorded {DRAWS} times with other noise, "
            f"{len(free) * SECONDS / 60.0:g} min in all; and {len(stops) * SECONDS / 60.0:g} min of a motion that rests for one second in "
            "three. False alarms are contacts that no push explains, in free motion and beside the pushes.",
            "",
            "| watched with | in motion: within 50 ms | median, slowest | standing: within 50 ms | found at all | false alarms in free "
            "motion | with stops | beside pushes |",
            "|---|---|---|---|---|---|---|---|",
            *(_row(name, item, (free, stops), moving, standing) for name, item in monitors.items()),
            "",
            *_thresholds(monitor),
            "",
            *_by_clearness(monitor, pushes, clear),
            "",
            *_real(),
            "",
            *_c(replace(model_from_parameters(links), monitor=monitor)),
        ]
    )


def swing(robot: Robot, *, seed: int, seconds: float = SECONDS) -> Dataset:
    """Five sines of up to 0.4 Hz in every joint, as wide and fast as 90 % of its range, 80 % of its speed and 10 rad/s² allow."""
    rng = np.random.default_rng(seed)
    time = np.arange(round(100.0 * seconds) + 1) / 100.0
    w = 2.0 * np.pi * rng.uniform(0.05, 0.4, (5, robot.n))
    angle, size = w * time[:, None, None] + rng.uniform(0.0, 2.0 * np.pi, (5, robot.n)), rng.uniform(0.3, 1.0, (5, robot.n)) / w
    q, dq, ddq = (np.sum(x, axis=1) for x in (size * np.sin(angle), size * w * np.cos(angle), -size * w**2 * np.sin(angle)))
    low, high = robot.position_limits.T
    q -= 0.5 * (q.max(axis=0) + q.min(axis=0))
    room = 0.45 * (high - low), 0.8 * np.minimum(robot.velocity_limits, 2.0), np.full(robot.n, 10.0)
    scale = np.min([limit / np.abs(x).max(axis=0) for limit, x in zip(room, (q, dq, ddq), strict=True)], axis=0)
    return Dataset(time=time, q=q * scale + 0.5 * (low + high), dq=dq * scale, ddq=ddq * scale, joint_names=robot.joint_names)


def stop_and_go(robot: Robot, *, seed: int, seconds: float = SECONDS) -> Dataset:
    """From one random posture to the next in two seconds, with rests of one second."""
    time = np.arange(round(100.0 * seconds) + 1) / 100.0
    low, high = robot.position_limits.T
    postures = np.random.default_rng(seed).uniform(
        *(0.5 * (low + high) + sign * 0.2 * (high - low) for sign in (-1, 1)), (len(time), robot.n)
    )
    part, k = np.modf(time / 3.0)
    x, k = np.minimum(1.5 * part, 1.0)[:, None], k.astype(int)
    step, s, ds, dds = (
        postures[k + 1] - postures[k],
        x**3 * (10 - 15 * x + 6 * x**2),
        15 * x**2 * (1 - x) ** 2,
        15 * x * (1 - x) * (1 - 2 * x),
    )
    return Dataset(time=time, q=postures[k] + step * s, dq=step * ds, ddq=step * dds, joint_names=robot.joint_names)


def _record(robot: Robot, motion: Dataset, seed: int, pushes: tuple[Push, ...] = ()) -> Recording:
    return simulate(robot, motion, friction="linear", noise="realistic", pushes=pushes, seed=seed)


def _recorded(robot: Robot, motion: Dataset, seed: int) -> Iterator[Dataset]:
    """One motion, recorded several times."""
    made = _record(robot, motion, seed)
    yield made.log
    truth, sensors = made.truth, NOISES["realistic"](effort_scale(robot, made.truth.effort))
    for draw in range(1, DRAWS):
        names = robot.joint_names
        yield sensors.record(truth.time, truth.q, truth.dq, truth.effort, seed=1000 * draw + seed, joint_names=names, source="again")


def _pushed(robot: Robot, seed: int) -> Trial:
    directions = np.random.default_rng(seed).normal(size=(int(SECONDS / 2.0) - 1, 3))
    directions *= FORCE / np.linalg.norm(directions, axis=1, keepdims=True)
    pushes = tuple(Push(start=1.0 + 2.0 * k, duration=DURATION, force=tuple(force)) for k, force in enumerate(directions))
    return Trial(_record(robot, swing(robot, seed=seed), seed, pushes), pushes)


def _standing(robot: Robot, seed: int) -> Trial:
    q = np.random.default_rng(seed).uniform(*(robot.position_limits * 0.9 + 0.1 * robot.position_limits.mean(axis=1, keepdims=True)).T)
    pushes = tuple(
        Push(start=0.5 + k, duration=DURATION, force=tuple(force))
        for k, force in enumerate(FORCE * np.concatenate([np.eye(3), -np.eye(3)]))
    )
    time = np.arange(0.0, 7.0, 0.01)
    still = np.zeros((len(time), robot.n))
    motion = Dataset(time=time, q=still + q, dq=still, ddq=still, joint_names=robot.joint_names)
    return Trial(_record(robot, motion, seed, pushes), pushes)


def _delays(found: Contacts, pushes: tuple[Push, ...]) -> np.ndarray:
    """[s] from each push to its first contact; infinite where there is none."""
    times = np.array([event.time for event in found.events])
    inside = [times[(times >= push.start) & (times < push.start + push.duration)] for push in pushes]
    return np.array([own[0] - push.start if len(own) else np.inf for own, push in zip(inside, pushes, strict=True)])


def _beside(found: Contacts, pushes: tuple[Push, ...]) -> int:
    """Contacts that begin neither in a push nor in the half second after it, in which the arm swings back."""
    return sum(not any(push.start <= event.time < push.start + push.duration + 0.5 for push in pushes) for event in found.events)


def _alarms(monitor: ContactMonitor, logs: list[Dataset]) -> str:
    false = [event for log in logs for event in find_contacts(monitor, log).events]
    share = 100.0 * sum(event.duration for event in false) / sum(log.duration for log in logs)
    return f"{len(false)}, on for {share:.0f} % of the time" if false else "0"


def _row(name: str, monitor: ContactMonitor, quiet: tuple[list[Dataset], ...], moving: list[Trial], standing: list[Trial]) -> str:
    alarms = " | ".join(_alarms(monitor, logs) for logs in quiet)
    seen = {trial: find_contacts(monitor, trial.recording.log) for trial in (*moving, *standing)}
    delays = [np.concatenate([_delays(seen[trial], trial.pushes) for trial in trials]) for trials in (moving, standing)]
    beside = sum(_beside(found, trial.pushes) for trial, found in seen.items())
    in_time = [f"{np.sum(own <= ASKED)} of {len(own)}" for own in delays]
    known = delays[0][np.isfinite(delays[0])]
    times = f"{1e3 * np.median(known):.0f} ms, {1e3 * known.max():.0f} ms" if len(known) else "–"
    whole = np.concatenate(delays)
    return f"| {name} | {in_time[0]} | {times} | {in_time[1]} | {np.isfinite(whole).sum()} of {len(whole)} | {alarms} | {beside} |"


def _thresholds(monitor: ContactMonitor) -> Iterator[str]:
    assert monitor.calibration is not None
    yield f"Thresholds of the first row [N·m], RMS over the joints' ranges; that of all joints together is {monitor.distance_level:.3g}:"
    yield ""
    yield "| joint | in motion | at rest | RMS of the residual in free motion | by the parameters' uncertainty elsewhere (std) |"
    yield "|---|---|---|---|---|"
    usual = monitor.usual_threshold
    rest = usual + monitor.rest_allowance
    for j, name in enumerate(monitor.model.robot.joint_names):
        known = monitor.calibration
        yield f"| {name} | {usual[j]:.2g} | {rest[j]:.2g} | {known.rms[j]:.2g} | {known.spread[j]:.1g} |"


def _clearness(trial: Trial, push: Push, blur: np.ndarray) -> float:
    """How clearly a push shows until it must be found: `detectability`."""
    truth = trial.recording.truth
    assert truth.pushed is not None
    assert truth.joint_friction is not None
    start, stop = (int(np.searchsorted(truth.time, push.start + after - 1e-9)) for after in (0.0, ASKED))
    sensors = NOISES["realistic"](effort_scale(truth.robot, truth.effort))
    M = mass_matrix(truth.robot, truth.parameters, truth.q[start])
    coulomb = truth.joint_friction.parameters[:, truth.joint_friction.model.parameter_names.index("fc")]
    held = np.where(np.abs(truth.dq[start]) < blur, coulomb, 0.0)
    return detectability(sensors, M, truth.pushed[start:stop], float(truth.time[1] - truth.time[0]), held)


def _by_clearness(monitor: ContactMonitor, pushes: list[tuple[str, Trial, Push]], clear: np.ndarray) -> Iterator[str]:
    """Pushes by how clearly they show, and those that were late or not found."""
    found = {trial: find_contacts(monitor, trial.recording.log) for _, trial, _ in pushes}
    delay = np.array([_delays(found[trial], (push,))[0] for _, trial, push in pushes])
    yield (
        "How clearly the pushes show: the mean d that the best detector of all reaches until 50 ms, in standard deviations of its noise, "
        "with the noise of the sensors alone, the beginning and the direction of the push known to it, and friction of joints at rest "
        "within ± fc for all that it knows (`benchmarks/detectability.py`). One that must not give a false alarm in ten hours needs about "
        "5.5 with what it is told of the push, about 7 without, and 2 more to find nearly every one."
    )
    yield ""
    yield "| d | pushes | found within 50 ms by the first row |"
    yield "|---|---|---|"
    for low, high in pairwise(CLEAR):
        inside = (clear >= low) & (clear < high)
        name = f"{low:g} to {high:g}" if np.isfinite(high) else f"above {low:g}"
        yield f"| {name} | {inside.sum()} | {np.sum(delay[inside] <= ASKED)} |"
    late = [
        f"- {kind}, force ({', '.join(f'{x:.0f}' for x in push.force)}) N, d = {d:.1f}: "
        + ("not found" if np.isinf(seconds) else f"{1e3 * seconds:.0f} ms")
        for (kind, _, push), d, seconds in zip(pushes, clear, delay, strict=True)
        if not seconds <= ASKED
    ]
    yield ""
    yield from ["Late or not found:", "", *late] if late else ["None was late."]


def _real() -> Iterator[str]:
    """The recorded Panda and KUKA, where they are: false alarms in what was not seen, and pushes that are added to the recorded torques."""
    if not DATA.is_dir():
        yield "Recorded logs are not here, so nothing was watched in them."
        return
    yield (
        "Recorded logs: identified and thresholds found in one part, the other watched, once as it is and once with pushes of "
        f"{FORCE:g} N at the tool added to its torques (the motion stays as it was)."
    )
    yield ""
    yield "| log | watched | false alarms | pushes found within 50 ms | found at all | thresholds in motion [N·m] |"
    yield "|---|---|---|---|---|---|"
    for name, robot, first, other in _real_logs():
        estimate = dynident.identify(robot, first, friction=dynident.friction_model("linear"))
        monitor = contact_monitor(estimate, first)
        alarms = len(find_contacts(monitor, other).events)
        rng, start = np.random.default_rng(5), float(other.time[0])
        directions = rng.normal(size=(int((other.time[-1] - start) / 1.5), 3))
        pushes = tuple(
            Push(start=start + 0.5 + 1.5 * k, duration=DURATION, force=tuple(FORCE * force / np.linalg.norm(force)))
            for k, force in enumerate(directions)
        )
        assert other.effort is not None
        effort = other.effort.copy()
        for push in pushes:
            for k in np.flatnonzero((other.time >= push.start) & (other.time < push.start + push.duration)):
                effort[k] -= push.effort(robot, other.q[k])
        delays = _delays(find_contacts(monitor, replace(other, effort=effort)), pushes)
        levels = ", ".join(f"{threshold:.2g}" for threshold in monitor.usual_threshold)
        told = f"{np.sum(delays <= ASKED)} of {len(delays)} | {np.isfinite(delays).sum()} of {len(delays)}"
        yield f"| {name} | {other.duration:.3g} s | {alarms} | {told} | {levels} |"


def _real_logs() -> Iterator[tuple[str, Robot, Dataset, Dataset]]:
    recorded = np.load(DATA / "panda_gaz2019" / "trajectory_1.npz")
    log = Dataset(time=recorded["t"].ravel(), q=recorded["q"], dq=recorded["dq"], effort=recorded["tau"], effort_kind=EffortKind.TORQUE)
    yield "Panda, the last 40 % of it", dynident.load_robot("panda"), log.part(0.0, 0.6), log.part(0.6, 1.0)
    pair: list[Dataset] = []
    for number in (1, 2):
        recorded, kept = np.load(DATA / "kuka_lwr4" / f"measurements_{number}.npz"), slice(500, None)
        arrays = {field: recorded[name][kept] for field, name in (("q", "positions"), ("dq", "velocities"), ("effort", "torques"))}
        pair.append(Dataset(time=recorded["times"].ravel()[kept] - recorded["times"].ravel()[0], **arrays, effort_kind=EffortKind.TORQUE))
    yield "KUKA LWR 4+, the second run of its motion", dynident.load_robot("kuka_lwr4"), pair[0], pair[1]


def _c(model: dynident.exports.ExportModel) -> Iterator[str]:
    exported = export(model, "c")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, content in exported.files.items():
            (folder / file).write_bytes(content)
        (folder / "driver.c").write_text(DRIVER.replace("RUNS", "61"))
        subprocess.run(["gcc", *C_FLAGS, "-c", "panda_model.c", "panda_monitor.c"], cwd=folder, check=True)
        subprocess.run(
            ["gcc", "-std=gnu99", "-O2", "driver.c", "panda_model.o", "panda_monitor.o", "-lm", "-o", "driver"], cwd=folder, check=True
        )
        told = subprocess.run([folder / "driver"], capture_output=True, text=True, check=True).stdout.split()
    dynamics, step = float(told[0]), float(told[1])
    yield f"Generated C (gcc {' '.join(C_FLAGS)}; best of 61 runs of 20 000 calls in turn, CPU time):"
    yield ""
    yield "| function | ns per call | asked |"
    yield "|---|---|---|"
    yield f"| `panda_inverse_dynamics` | {1e9 * dynamics:.0f} | |"
    yield f"| `panda_monitor_step`, friction and thresholds included | **{1e9 * step:.0f}** ({step / dynamics:.2f}x) | 1000 |"
