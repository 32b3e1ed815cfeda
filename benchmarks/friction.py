"""How well friction is fitted and chosen: the published sigmoids of the Panda on a virtual one, recorded logs, and joints that are linear.

Recorded logs are those of ../shared/data, where there are any.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from dynident import Robot, identify, load_dataset, load_robot
from dynident.data import Dataset, EffortKind
from dynident.dynamics import inverse_dynamics
from dynident.dynamics.friction import FrictionModel, Motion, Offset, PerJoint, Sigmoid, Spring, combine, friction_torque, linear
from dynident.motions.simulation.sensors import Noise, effort_scale, realistic
from dynident.motions.trajectories.fourier import FourierTrajectory
from dynident.regression import Estimate, build_problem, choose_friction, fit_friction, refit_friction
from dynident.regression.friction.hold_rigid import RigidModel, fit_friction_alone
from dynident.reproduce.gaz2019.friction import PHI as PUBLISHED
from dynident.reproduce.panda_logs import fourier_motion
from dynident.validation import cross_validate, validate
from tests.elbow_arm import described, draw_friction, elbow_arm, record, wear

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
SIGMOID = combine(Sigmoid(), Offset())
#: Zero errors of the torque sensors on top of the published friction, which has none [N·m].
OFFSETS = np.array([0.05, -0.05, 0.03, -0.02, 0.04, -0.03, 0.02])
SEEDS = (1, 2, 3)
LINEAR_SEEDS = range(3)
#: Arms that changed friction is looked for on, logs of each, and their rates [Hz].
ARMS, LOGS, RATES = 5, 4, (100.0, 500.0)


def study() -> str:
    return "\n\n".join(["## Friction", *_sigmoids(), *_recorded(), *_chosen(), *_changed(), *_speed()])


def as_dataset(motion: FourierTrajectory, rate: float) -> Dataset:
    times = np.arange(int(motion.duration * rate)) / rate
    q, dq, ddq = motion.sample(times)
    return Dataset(time=times, q=q, dq=dq, ddq=ddq, joint_names=motion.joints, source="motion")


def true_friction() -> tuple[PerJoint, np.ndarray]:
    """The published sigmoids with an offset each, and their parameters (7, 2)."""
    model = PerJoint(tuple(combine(Sigmoid(steepness, shift), Offset()) for _, steepness, shift in PUBLISHED))
    return model, np.column_stack([PUBLISHED[:, 0], OFFSETS])


def virtual_log(seed: int, *, fastest: float = 1.6, seconds: float = 120.0, torque_noise: bool = False, rate: float = 1000.0) -> Dataset:
    """A Panda that moves exactly, seen through sensors and a clock like the recorded one's; its torques exact or noisy too."""
    robot, (model, parameters) = load_robot("panda"), true_friction()
    motion = as_dataset(fourier_motion(seed, fastest=fastest, seconds=seconds), rate)
    rigid = inverse_dynamics(robot, robot.parameters, motion.q, motion.dq, motion.ddq)
    effort = rigid + friction_torque(model, parameters, Motion(motion.q, motion.dq, motion.ddq, rigid))
    sensors = realistic(effort_scale(robot, effort))
    if not torque_noise:
        sensors = replace(sensors, torque=Noise())
    assert motion.dq is not None
    return sensors.record(motion.time, motion.q, motion.dq, effort, seed=seed, joint_names=robot.joint_names, source="virtual Panda")


def errors_of(estimate: Estimate) -> np.ndarray:
    """(n, 2) of φ1 and φ2 [%]."""
    parameters = estimate.friction_parameters
    assert parameters is not None
    steepness = np.array([shape.value for shape in estimate.shapes if shape.name == "steepness"])
    return 100.0 * (np.column_stack([parameters[:, 0], steepness]) / PUBLISHED[:, :2] - 1.0)


def _sigmoids() -> Iterator[str]:
    robot = load_robot("panda")
    assert robot.parameters is not None
    known = RigidModel(links=robot.parameters, covariance=np.zeros((70, 70)))
    found: dict[str, list[np.ndarray]] = {"exact, together": [], "exact, links known": [], "noisy, together": []}
    scores: list[np.ndarray] = []
    for seed in SEEDS:
        problem = build_problem(robot, virtual_log(seed))
        found["exact, together"].append(errors_of(fit_friction(problem, SIGMOID)))
        found["exact, links known"].append(errors_of(fit_friction_alone(problem, SIGMOID, known)))
        noisy = fit_friction(build_problem(robot, virtual_log(seed, torque_noise=True)), SIGMOID)
        found["noisy, together"].append(errors_of(noisy))
        shapes = np.array([(shape.value, shape.std) for shape in noisy.shapes if shape.name == "steepness"], dtype=float)
        scores.append((shapes[:, 0] - PUBLISHED[:, 1]) / shapes[:, 1])
    headings = [f"{what}, torques {name}" for name in found for what in ("φ1", "φ2")]
    lines = [f"| joint | φ1 [N·m] | φ2 [s/rad] | {' | '.join(headings)} |", "|" + "---|" * (3 + len(headings))]
    for j, (phi1, phi2, _) in enumerate(PUBLISHED):
        cells = [_span([item[j, k] for item in errors]) for errors in found.values() for k in (0, 1)]
        lines.append(f"| {j + 1} | {phi1:.4g} | {phi2:.4g} | {' | '.join(cells)} |")
    yield "### The Panda's sigmoids on a virtual Panda"
    yield (
        f"Published values as truth, an offset beside them, joints up to 1.6 rad/s, 120 s at 1 kHz, {len(SEEDS)} seeds, 5 Hz in parallel. "
        "Positions, velocities and clock as noisy as recorded ones, torques exact or as noisy too. Errors in %, least to largest."
    )
    yield "\n".join(lines)
    worst = [f"{name}: φ1 {one:.2g} %, φ2 {two:.2g} %" for name, (one, two) in ((n, np.abs(e).max(axis=(0, 1))) for n, e in found.items())]
    rms = float(np.sqrt(np.mean(np.square(scores))))
    yield f"Largest errors: {'; '.join(worst)}. RMS of the noisy errors of φ2 in their standard deviations: {rms:.2g}."
    slow = fit_friction(build_problem(robot, virtual_log(1, fastest=0.15, seconds=60.0, torque_noise=True)), SIGMOID)
    said = [note for note in slow.notes if note.startswith("only known together")]
    yield f"The same up to 0.15 rad/s: {said[0] if said else 'nothing is said'}."


def _span(values: list[float]) -> str:
    return f"{min(values):+.2f} to {max(values):+.2f}"


def _recorded() -> Iterator[str]:
    yield "### Recorded logs"
    panda_file, kuka = DATA / "panda_gaz2019" / "trajectory_1.npz", DATA / "kuka_lwr4"
    if not panda_file.is_file():
        yield "Not there."
        return
    panda, log = load_robot("panda"), load_dataset(panda_file)
    lwr = load_robot(kuka / "kuka_lwr4.urdf")
    first, second = (load_dataset(kuka / f"measurements_{k}.npz") for k in (1, 2))
    lines = ["| log | friction | " + " | ".join(f"joint {j}" for j in range(1, 8)) + " | all [%] |", "|" + "---|" * 10]
    lines += _folds("Panda, five folds", panda, log, SIGMOID)
    lines += _held_out("Panda 70/30", panda, log.part(0.0, 0.7), log.part(0.7, 1.0), SIGMOID)
    lines += _folds("KUKA 1, five folds", lwr, first, None)
    lines += _folds("KUKA 2, five folds", lwr, second, None)
    lines += _held_out("KUKA 1 to 2", lwr, first, second, None)
    lines += _held_out("KUKA 2 to 1", lwr, second, first, None)
    yield ("Held-out RMS error per joint [N·m] and relative error in all. Models are chosen from what is trained on, for folds from all.")
    yield "\n".join(lines)


def _models(robot: Robot, log: Dataset, other: FrictionModel | None) -> Iterator[tuple[str, Estimate]]:
    yield "linear (eq. 24)", identify(robot, log)
    if other is not None:
        yield "sigmoid+offset (eq. 25)", identify(robot, log, friction=other)
    chosen = identify(robot, log, friction="auto")
    assert chosen.choice is not None
    names = [trial.model.name for trial in chosen.choice.chosen]
    yield "auto: " + ", ".join(f"{j + 1} {name}" for j, name in enumerate(names) if name != linear().name), chosen


def _folds(name: str, robot: Robot, log: Dataset, other: FrictionModel | None) -> Iterator[str]:
    for friction, estimate in _models(robot, log, other):
        found = cross_validate(estimate)
        yield _row(name, friction, np.sqrt(np.mean(found.rms_per_joint**2, axis=0)), found.mean_percent)


def _held_out(name: str, robot: Robot, train: Dataset, test: Dataset, other: FrictionModel | None) -> Iterator[str]:
    for friction, estimate in _models(robot, train, other):
        found = validate(estimate, test).coefficients
        yield _row(name, friction, found.rms, found.overall_percent)


def _row(name: str, friction: str, rms: np.ndarray, percent: float) -> str:
    return f"| {name} | {friction} | {' | '.join(f'{value:.4f}' for value in rms)} | {percent:.3f} |"


def synthetic_log(robot: Robot, friction: FrictionModel, parameters: np.ndarray, *, seed: int, seconds: float, noise: float) -> Dataset:
    """A motion of the Panda at 200 Hz with exact rigid torques, friction and white noise."""
    motion = as_dataset(fourier_motion(seed, seconds=seconds), 200.0)
    assert motion.dq is not None
    assert motion.ddq is not None
    rigid = inverse_dynamics(robot, robot.parameters, motion.q, motion.dq, motion.ddq)
    torque = friction_torque(friction, parameters, Motion(motion.q, motion.dq, motion.ddq, rigid))
    effort = rigid + torque + noise * np.random.default_rng(seed).normal(size=rigid.shape)
    return Dataset(time=motion.time, q=motion.q, dq=motion.dq, ddq=motion.ddq, effort=effort, effort_kind=EffortKind.TORQUE)


def _chosen() -> Iterator[str]:
    robot = load_robot("panda")
    plain = np.tile([0.2, 0.5, 0.1], (7, 1))
    with_spring, sigmoids = combine(linear(), Spring()), true_friction()
    cases = {
        "linear": (linear(), plain),
        "linear with a spring of 0.2 N·m/rad": (with_spring, np.column_stack([plain, np.full(7, 0.2)])),
        "the published sigmoids": sigmoids,
    }
    lines = [
        "| friction of all joints | log | joints | linear is kept | something else, with a spring | with a smooth passage |",
        "|" + "---|" * 6,
    ]
    for name, (model, parameters) in cases.items():
        for seconds, noise in ((20.0, 0.5), (60.0, 0.5)):
            chosen: list[str] = []
            for seed in LINEAR_SEEDS:
                log = synthetic_log(robot, model, parameters, seed=seed, seconds=seconds, noise=noise)
                chosen += [trial.model.name for trial in choose_friction(build_problem(robot, log)).chosen]
            springs = sum("spring" in item for item in chosen)
            smooth = sum("sigmoid" in item or "smooth" in item for item in chosen)
            same = sum(item == linear().name for item in chosen)
            lines.append(f"| {name} | {seconds:g} s, {noise:g} N·m of noise | {len(chosen)} | {same} | {springs} | {smooth} |")
    yield "### What is chosen where the truth is known"
    yield "\n".join(lines)


def _changed() -> Iterator[str]:
    lines = ["| friction | rate [Hz] | false alarms | found | change over noise, nothing changed: RMS, largest |", "|---|---|---|---|---|"]
    for law, model in (("linear", linear()), ("sigmoid", Sigmoid())):
        for rate in RATES:
            alarms, found, ratios = 0, 0, list[float]()
            for seed in range(ARMS):
                arm, friction = elbow_arm(seed), draw_friction(law, seed)
                before = identify(described(arm), record(arm, friction, 500 + seed, rate=rate), friction=model)
                for k in range(LOGS * seed, LOGS * seed + LOGS):
                    same = refit_friction(before, record(arm, friction, k, rate=rate))
                    worn = refit_friction(before, record(arm, wear(friction, law, k % arm.n), 200 + k, rate=rate))
                    alarms += bool(same.changed)
                    found += arm.joint_names[k % arm.n] in worn.changed
                    ratios += [change.deviations or 0.0 for change in same.changes]
            spread = f"{np.sqrt(np.mean(np.square(ratios))):.2f}, {max(ratios):.2f}"
            lines.append(f"| {law} | {rate:g} | {alarms} of {ARMS * LOGS} | {found} of {ARMS * LOGS} | {spread} |")
    yield "### Friction that has changed"
    yield (
        f"{ARMS} virtual elbow arms of six joints, known by their DH tables alone, and {LOGS} logs of 30 s each with the same friction and "
        "with 30 % more Coulomb friction in one joint; positions to 1e-4 rad, torques to 0.2 % of the limits, velocities by differences."
    )
    yield "\n".join(lines)


def _speed() -> Iterator[str]:
    robot, lines = load_robot("panda"), ["| samples | linear [s] | sigmoid+offset [s] | auto [s] |", "|" + "---|" * 4]
    plain = np.tile([0.2, 0.5, 0.1], (7, 1))
    for seconds in (100.0, 500.0):  # 20 000 and 100 000 samples
        log = synthetic_log(robot, linear(), plain, seed=1, seconds=seconds, noise=0.3)
        spent: list[float] = []
        for friction in (linear(), SIGMOID, "auto"):
            begin = time.process_time()
            identify(robot, log, friction=friction)
            spent.append(time.process_time() - begin)
        lines.append(f"| {log.samples} | {' | '.join(f'{value:.2f}' for value in spent)} |")
    yield "### Time of one processor, kernels compiled"
    yield "\n".join(lines)
