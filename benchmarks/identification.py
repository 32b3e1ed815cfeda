"""Identification from a log in memory to coefficients with standard deviations, beside Pinocchio with SciPy and figaroh.

Every run is a process of its own, so that its peak memory can be told: `python -m benchmarks.identification ours 100000`.
"""

from __future__ import annotations

import hashlib
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import dynident
from dynident import regression
from dynident.data import Dataset, differentiate, load_controller_samples, load_dataset, low_pass, resample
from dynident.dynamics.friction import linear
from dynident.regression import base_parameters, build_problem, identify, residuals

PEER = Path(__file__).with_name("peer_identification.py")
REPOSITORY = Path(__file__).parents[1]
PEER_PYTHON = REPOSITORY / ".venv-peers" / "bin" / "python"
DATA = REPOSITORY.parent / "shared" / "data"


@dataclass(frozen=True)
class Run:
    """Medians of time [s], and peak memory above what the process had before [GB]."""

    wall: float
    cpu: float
    gigabytes: float

    def __str__(self) -> str:
        return f"{self.wall:.2f} ({self.cpu:.2f}) s | {self.gigabytes:.2f} GB"


def study(rounds: int = 5) -> str:
    """Run everything and return the section for RESULTS.md."""
    here = [sys.executable, "-m", "benchmarks.identification"]
    commands = {
        "ours": [*here, "ours", "100000"],
        "pinocchio": [*here, "pinocchio", "100000"],
        "figaroh": [str(PEER_PYTHON), str(PEER), "100000"],
        "million": [*here, "ours", "1000000"],
        "two threads": [*here, "ours", "1000000"],
        "filtered": [*here, "filtered", "1000000"],
        "filtered, two threads": [*here, "filtered", "1000000"],
    }
    told: dict[str, list[dict[str, float]]] = {name: [] for name in commands}
    for turn in range(rounds):
        for name, command in commands.items():
            if turn < (3 if name in ("pinocchio", "figaroh") else rounds):
                told[name].append(run_job(command, threads=2 if "two threads" in name else 1))
    runs = {name: Run(*(statistics.median(t[key] for t in taken) for key in ("wall", "cpu", "gigabytes"))) for name, taken in told.items()}
    ours, million, pinocchio, figaroh = (runs[name] for name in ("ours", "million", "pinocchio", "figaroh"))
    filtered, together = runs["filtered"], {name: len({t["digest"] for t in told[name] + told[other]}) == 1 for name, other in _PAIRS}
    alone = {other: statistics.median(t["alone"] for t in told[other]) for _, other in _PAIRS}
    return "\n".join(
        [
            "## Identification",
            "",
            "Panda with linear friction, 64 coefficients with standard deviations, from arrays in memory; one thread, medians of "
            f"{rounds} processes (peers 3) in turn. Wall (CPU) time and peak memory above the log's own.",
            "",
            "| work | time | memory | ratio | asked |",
            "|---|---|---|---|---|",
            f"| dynident, N = 100 000 | {ours} | | |",
            f"| Pinocchio loop + scipy.linalg.lstsq + covariance | {pinocchio} | **{pinocchio.wall / ours.wall:.1f}x** | 12x |",
            f"| figaroh 1.0.2: regressor, base-parameter QR, least squares | {figaroh} | **{figaroh.wall / ours.wall:.1f}x** | 20x |",
            f"| dynident, N = 1 000 000 | {million} | **{10 * pinocchio.wall / million.wall:.1f}x** ten times Pinocchio's | 45x, 0.9 s |",
            *(_two_threads(runs[name], runs[other], alone[other], together[name]) for name, other in _PAIRS[:1]),
            f"| filtered at 5 Hz and decimated to 20 Hz | {filtered} | +{filtered.wall - million.wall:.2f} s | +0.3 s |",
            *(_two_threads(runs[name], runs[other], alone[other], together[name]) for name, other in _PAIRS[1:]),
            "",
            "",
            *_real_data(),
        ]
    )


_PAIRS = (("million", "two threads"), ("filtered", "filtered, two threads"))


def _two_threads(one: Run, two: Run, alone: float, equal: bool) -> str:
    """alone : CPU time [s] of what one thread does while there is nothing for the other."""
    bits = "the same bits" if equal else "OTHER BITS"
    most = one.cpu / (alone + 0.5 * (one.cpu - alone))  # Amdahl's law
    ratio = f"**{one.wall / two.wall:.2f}x** one thread; at most {most:.2f}x ({alone:.2f} s are of one)"
    return f"| the same on two threads, {bits} | {two} | {ratio} | 1.8x |"


def run_job(command: list[str], *, threads: int = 1) -> dict[str, Any]:
    """What a process of ours prints last, a line of JSON."""
    environment = os.environ | {"DYNIDENT_THREADS": str(threads)}
    run = subprocess.run(command, capture_output=True, text=True, check=True, cwd=REPOSITORY, env=environment)
    return json.loads(run.stdout.strip().splitlines()[-1])


def generated(samples: int) -> Dataset:
    """A Panda moving on sines of different frequencies, with white noise on the torques."""
    robot = dynident.load_robot("panda")
    t = np.arange(samples) / 1000.0
    q, dq, ddq, effort = (np.zeros((samples, 7)) for _ in range(4))
    for j in range(7):
        for w in (0.7 + 0.3 * j, 2.1 + 0.2 * j):
            q[:, j] += 0.6 * np.sin(w * t)
            dq[:, j] += 0.6 * w * np.cos(w * t)
            ddq[:, j] -= 0.6 * w * w * np.sin(w * t)
    rng = np.random.default_rng(0)
    for start in range(0, samples, 10_000):
        part = slice(start, start + 10_000)
        effort[part] = dynident.dynamics.inverse_dynamics(robot, robot.parameters, q[part], dq[part], ddq[part])
        effort[part] += 0.2 * dq[part] + 0.3 * np.sign(dq[part]) + 0.1 * rng.normal(size=effort[part].shape)
    return Dataset(time=t, q=q, dq=dq, ddq=ddq, effort=effort, effort_kind="torque")


def _ours(data: Dataset, cutoff: float | None = None) -> np.ndarray:
    return identify(dynident.load_robot("panda"), data, friction=linear(), cutoff=cutoff, drop_above_percent=None).std


def _pinocchio(data: Dataset) -> np.ndarray:
    """A loop over the samples, the base columns, SciPy's least squares, and the covariance; base columns are given for free."""
    import pinocchio as pin
    from scipy.linalg import lstsq

    from tests.oracles.machines import pinocchio_model

    model = pinocchio_model(dynident.load_robot("panda"))[0]
    state = model.createData()
    chosen = _base_columns(model)
    N, b = len(data.time), len(chosen) + 21
    Y = np.zeros((N, 7, b))
    for s in range(N):
        Y[s, :, : len(chosen)] = pin.computeJointTorqueRegressor(model, state, data.q[s], data.dq[s], data.ddq[s])[:, chosen]
    for j in range(7):
        Y[:, j, len(chosen) + 3 * j] = data.dq[:, j]
        Y[:, j, len(chosen) + 3 * j + 1] = np.sign(data.dq[:, j])
        Y[:, j, len(chosen) + 3 * j + 2] = 1.0
    A, z = Y.reshape(-1, b), data.effort.ravel()
    solution: Any = lstsq(A, z)
    values = solution[0]
    variance = np.sum((z - A @ values) ** 2) / (len(z) - b)
    return np.sqrt(variance * np.diag(np.linalg.inv(A.T @ A)))


_columns: list[int] = []


def _base_columns(model: object) -> list[int]:
    """Independent columns of Pinocchio's regressor from random samples, found once and not timed."""
    if not _columns:
        import pinocchio as pin
        from scipy.linalg import qr

        rng = np.random.default_rng(0)
        state = model.createData()
        rows = np.concatenate([pin.computeJointTorqueRegressor(model, state, *rng.uniform(-2, 2, (3, 7))) for _ in range(100)])
        factors: Any = qr(rows, mode="r", pivoting=True)
        R, order = factors
        _columns.extend(sorted(int(i) for i in order[: np.sum(np.abs(np.diag(R)) > 1e-9 * abs(R[0, 0]))]))
    return _columns


def _real_data() -> list[str]:
    """What the recorded logs give, with the processing of each."""
    if not DATA.is_dir():
        return ["The recorded data is not there; its table is left out."]
    panda = dynident.load_robot("panda")
    rows = [*_controller_rows(panda), *_panda_rows(panda), *_kuka_rows(), *_tx40_rows()]
    head = [
        "Recorded logs (linear friction unless said, relative error over all joints):",
        "",
        "| what | measured | asked |",
        "|---|---|---|",
    ]
    return [*head, *(f"| {what} | {measured} | {asked} |" for what, measured, asked in rows)]


def _controller_rows(panda: dynident.Robot) -> list[tuple[str, str, str]]:
    from tests.realdata.test_identification import TABLE, column

    samples = load_controller_samples(DATA / "panda_gaz2019" / "derived_M_g_1010.npz")
    estimate = identify(panda, samples, drop_above_percent=None)
    truth = column(DATA / TABLE, "pi_RE_recovered_fullprec_from_released_M_g")
    error = np.linalg.norm(estimate.values - truth) / np.linalg.norm(truth)
    return [
        ("Panda, M and g at 1010 configurations: condition number", f"{estimate.condition_number:.3f}", "48.906 ± 0.02"),
        ("the same: distance to the published coefficients, relative", f"{error:.1e}", "2e-5"),
    ]


def _panda_rows(panda: dynident.Robot) -> list[tuple[str, str, str]]:
    from tests.realdata.test_identification import predicted, published_classical

    log = load_dataset(DATA / "panda_gaz2019" / "trajectory_1.npz")
    assert isinstance(log, Dataset)
    options = {"friction": linear(), "cutoff": 5.0, "rate": 20.0}
    rows: list[tuple[str, str, str]] = []
    for drop, words in ((None, "all 64 coefficients"), (30.0, "those above 30 % dropped")):
        whole = identify(panda, log, **options, drop_above_percent=drop).residuals.relative_percent
        trained = identify(panda, log.part(0, 0.7), **options, drop_above_percent=drop)
        held_out = residuals(build_problem(panda, log.part(0.7, 1), **options), trained.values).relative_percent
        rows.append((f"Panda log, parallel 5 Hz, 20 Hz, {words}: in sample", f"{whole:.3f} %", "0.97 %"))
        rows.append(("the same: first 70 %, tested on the last 30 %", f"{held_out:.3f} %", "1.12 %"))
    base, values = published_classical(DATA)
    bare = replace(log, dq=None)

    def trimmed(data: Dataset) -> float:
        return residuals(build_problem(panda, data, **options), values).relative_percent

    def untrimmed(data: Dataset) -> float:
        from scipy.signal import butter, sosfiltfilt

        motion = differentiate(resample(data))
        sections = butter(4, 5.0, fs=motion.rate, output="sos")
        left, all_of_it = (sosfiltfilt(sections, x, axis=0) for x in (motion.effort - predicted(base, values, motion), motion.effort))
        return float(100 * np.linalg.norm(left) / np.linalg.norm(all_of_it))

    separately = residuals(build_problem(panda, differentiate(low_pass(resample(log), 3.0)), friction=linear(), cutoff=None), values)
    rows += [
        ("Panda log, published coefficients: parallel 5 Hz, edges trimmed", f"{trimmed(log):.3f} %", ""),
        ("the same, velocities differentiated from positions", f"{trimmed(bare):.3f} %", ""),
        ("the same, SciPy's zero-phase filter, nothing trimmed, recorded velocities", f"{untrimmed(log):.3f} %", ""),
        ("the same, nothing trimmed, velocities from positions", f"{untrimmed(bare):.3f} %", "1.40 to 1.45 %"),
        ("the same, q, dq and torque low-passed separately at 3 Hz", f"{separately.relative_percent:.3f} %", "1.40 to 1.45 %"),
    ]
    return rows


def _kuka_rows() -> list[tuple[str, str, str]]:
    from tests.realdata.test_identification import log_of, skipped

    folder = DATA / "kuka_lwr4"
    robot = dynident.load_robot(folder / "kuka_lwr4.urdf")
    train, test = (skipped(log_of(folder / f"measurements_{number}.npz"), 500) for number in (1, 2))
    problem = build_problem(robot, test, friction=linear(), cutoff=5.0)
    rows: list[tuple[str, str, str]] = []
    for noise, weights in (("per_group", "every joint by its noise"), ("uniform", "all joints alike")):
        for drop, words in ((None, "all coefficients"), (30.0, "those above 30 % dropped")):
            estimate = identify(robot, train, friction=linear(), cutoff=5.0, noise=noise, drop_above_percent=drop)
            error = residuals(problem, estimate.values).relative_percent
            what = f"KUKA LWR 4+, trained on one repeat, tested on the other, 5 Hz, {weights}, {words}"
            rows.append((what, f"{error:.3f} %", "1.85 %" if noise == "uniform" else ""))
    return rows


def _tx40_rows() -> list[tuple[str, str, str]]:
    from tests.realdata.test_identification import rows_of, tx40_log

    folder = DATA / "staubli_tx40"
    log = tx40_log(folder)
    robot = dynident.load_robot(folder / "tx40_mdh_modified.urdf")
    estimate = regression.estimate(build_problem(robot, log, cutoff=20.0), drop_above_percent=None)
    reference = [float(row["fv"]) for row in rows_of(DATA / "published" / "tx40_figaroh_reference_friction_inertia.csv")[:6]]
    ratios = np.asarray(estimate.friction_parameters)[:, 0] / reference
    told = ", ".join(f"{ratio:.3f}" for ratio in ratios)
    return [("TX40, wrist coupling, parallel 20 Hz: viscous friction over the reference's, joints 1 to 6", told, "within 10 % (1 to 5)")]


_JOBS: dict[str, Callable[[Dataset], np.ndarray]] = {"ours": _ours, "filtered": lambda data: _ours(data, 5.0), "pinocchio": _pinocchio}


def _main(name: str, samples: int) -> None:
    data = generated(samples)
    _JOBS[name](generated(25_000))  # long enough for every kernel
    assert base_parameters(dynident.load_robot("panda"), friction=linear()).rank == 64
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    wall, cpu, alone = time.perf_counter(), time.process_time(), time.thread_time()
    std = _JOBS[name](data)
    taken = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu, "alone": time.thread_time() - alone}
    peak = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024**2
    digest = hashlib.sha256(std.tobytes()).hexdigest()
    print(json.dumps({**taken, "gigabytes": peak, "rank": len(std), "digest": digest}))


if __name__ == "__main__":
    _main(sys.argv[1], int(sys.argv[2]))
