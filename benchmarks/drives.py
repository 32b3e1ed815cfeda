"""Drives: gears of a recorded arm, torque per ampere of virtual ones, and rotors that are found or not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from benchmarks.identification import DATA
from benchmarks.virtual_arms import ERRORS, draw_arm, fourier_motion, record
from dynident import identify, load_dataset, load_robot
from dynident.data import Dataset
from dynident.motions.simulation import NOISES, Payload, simulate
from dynident.motions.simulation.payload import vary_links
from dynident.robots import Robot
from dynident.routes.drives import DriveGains, Known, KnownMasses, KnownPayload, Trust, identify_gains
from tests.current_logs import PAYLOAD, UR10, current_log, draw_gains

SEEDS = 10
#: Of the virtual robot on MuJoCo, which takes longer.
SERVO_SEEDS = 3
ROTORS = np.array([2.0, 2.0, 1.0, 0.3, 0.3, 0.3])


def study() -> str:
    return "\n\n".join(["## Drives", _gears(), _gains(), _rotors()])


def _gears() -> str:
    """The TX40 through its gears, as `dynident identify tx40.urdf motors.npz --gear-ratios ... --filter 20` does it."""
    from tests.realdata.test_identification import rows_of, tx40_log

    folder = DATA / "staubli_tx40"
    robot, log = load_robot(folder / "tx40_mdh_modified.urdf"), tx40_log(folder)
    reference = rows_of(DATA / "published" / "tx40_figaroh_reference_friction_inertia.csv")[:6]
    lines = [
        "### Gears: the recorded TX40 over its published reference",
        "",
        "Motor angles and torques, the gears as options; rotors and the coupling of the wrist follow from these. `–`: grouped with the",
        "inertia of a link, whatever the data. Asked: within 10 % on joints 1 to 5, and of the coupling.",
        "",
        "| filter | parameter | " + " | ".join(f"joint {j + 1}" for j in range(6)) + " | motor 6 |",
        "|---|---|" + "---:|" * 7,
    ]
    coupling = {"fv": ("fvm6", 0.616), "fc": ("fcm6", 1.95), "Ia": ("Iam6", 0.00964)}
    for cutoff in (5.0, 20.0):
        estimate = identify(robot, log, cutoff=cutoff)
        found = dict(zip(estimate.base.columns.names, estimate.standard, strict=True))
        for name, column in (("fv", "fv"), ("fc", "fs"), ("Ia", "Ia")):
            shared, value = coupling[name]
            cells = [
                f"{found[f'{name}{j + 1}'] / float(row[column]):.3f}" if f"{name}{j + 1}" in estimate.base.names else "–"
                for j, row in enumerate(reference)
            ]
            lines.append(f"| {cutoff:g} Hz | {name} | {' | '.join(cells)} | {found[shared] / value:.3f} |")
    held_out = []
    for gears in (log.gears, None):
        data = replace(log, gears=gears)
        trained = identify(robot, data.part(0.0, 0.7), cutoff=20.0)
        held_out.append(_held_out(trained, data.part(0.7, 1.0)))
    lines += ["", f"Trained on the first 70 % and tested on the rest: {held_out[0]:.1f} % with the gears, {held_out[1]:.1f} % without."]
    return "\n".join(lines)


def _held_out(estimate, data: Dataset) -> float:
    from dynident.regression.problem import problem_on_base
    from dynident.regression.solution import residuals

    return residuals(problem_on_base(estimate.base, data, cutoff=20.0), estimate.values).relative_percent


def _gains() -> str:
    robot = load_robot(UR10)
    lines = [
        "### Torque per ampere of a virtual UR10",
        "",
        f"Gains wrong by up to a factor of 3, {SEEDS} arms ({SERVO_SEEDS} on MuJoCo with a servo), friction, rotors, torque noise of 0.4 %",
        "of the effort limit. Largest error over arms, and the share of gains within 1.96 of their deviations. In brackets: joints whose",
        "gain is not known, as the result says. The wrist of this description carries next to nothing: its centres of mass lie on its",
        "axes, and joint 4 holds 0.14 N·m on average, less than the noise of its torque.",
        "",
        "| what is known | asked | " + " | ".join(f"joint {j + 1}" for j in range(6)) + " | covered |",
        "|---|---|" + "---:|" * 7,
    ]
    for what, asked, cases in (
        ("payload of 2.8 kg, 30 s each", "2 %", _by_payload(robot)),
        ("the same on MuJoCo, realistic sensors, 20 s each", "2 %", _by_payload_with_servo(robot)),
        ("total mass, stated wrong by up to 5 %; 60 s", "6 %", _by_mass(robot, 0.0)),
        ("the same, links unlike the description by about 5 %", "", _by_mass(robot, 0.025)),
        ("nothing: ratios to the best-known joint", "", _by_nothing(robot)),
    ):
        lines.append(f"| {what} | {asked} | {_errors(cases)} |")
    return "\n".join(lines)


def _errors(cases: Iterator[tuple[DriveGains, np.ndarray]]) -> str:
    errors, inside, open_joints = list[np.ndarray](), list[bool](), np.zeros(6, dtype=bool)
    for found, true in cases:
        away = np.abs(found.gains / true - 1.0)
        unknown = np.array([trust is Trust.OPEN for trust in found.trust])
        open_joints |= unknown
        errors.append(away)
        judged = ~unknown & (found.relative_std > 1e-6)
        inside += (np.abs(np.log(found.gains / true))[judged] < 1.96 * found.relative_std[judged]).tolist()
    largest = 100.0 * np.max(errors, axis=0)
    cells = [f"({value:.0f} %)" if unknown else f"{value:.1f} %" for value, unknown in zip(largest, open_joints, strict=True)]
    return f"{' | '.join(cells)} | {sum(inside)} of {len(inside)}"


def _by_payload(robot: Robot) -> Iterator[tuple[DriveGains, np.ndarray]]:
    for seed in range(SEEDS):
        true = draw_gains(6, seed)
        unloaded, loaded = current_log(robot, true, seed), current_log(robot, true, seed, payload=PAYLOAD)
        yield identify_gains(robot, unloaded, loaded=loaded, payload=KnownPayload(mass=Known.of(2.8))), true


def _by_payload_with_servo(robot: Robot) -> Iterator[tuple[DriveGains, np.ndarray]]:
    payload = Payload(mass=2.8, com=(0.05, -0.02, 0.06), inertia=(0.008, 0.0, 0.0, 0.008, 0.0, 0.005))
    for seed in range(SERVO_SEEDS):
        true, links, logs = draw_gains(6, seed), vary_links(robot, spread=0.1, seed=seed), list[Dataset]()
        for load in (None, payload):
            rng, time = np.random.default_rng([seed, load is not None]), np.arange(4000) / 200.0
            q, dq, ddq = fourier_motion(time, 0.1, 1.8, np.zeros(6), np.full(6, 1.8), rng)
            recording = simulate(
                robot,
                Dataset(time=time, q=q, dq=dq, ddq=ddq),
                parameters=links,
                payload=load,
                friction="linear",
                noise=lambda scale, true=true: replace(NOISES["realistic"](scale), current_gains=tuple(true)),
                armature=ROTORS,
                rate=200.0,
                check_limits=False,
                seed=2 * seed + (load is not None),
            )
            logs.append(recording.log)
        yield identify_gains(robot, logs[0], loaded=logs[1], payload=KnownPayload(mass=Known.of(2.8))), true


def _by_mass(robot: Robot, spread: float) -> Iterator[tuple[DriveGains, np.ndarray]]:
    for seed in range(SEEDS):
        true = draw_gains(6, seed)
        links = vary_links(robot, spread=spread, seed=seed) if spread else np.asarray(robot.parameters)
        stated = float(links[:, 0].sum()) * np.random.default_rng([seed, 9]).uniform(0.95, 1.05)
        log = current_log(robot, true, seed, links=links, seconds=60.0)
        yield identify_gains(robot, log, masses=KnownMasses(total=Known(stated, 0.05 * stated))), true


def _by_nothing(robot: Robot) -> Iterator[tuple[DriveGains, np.ndarray]]:
    for seed in range(SEEDS):
        true = draw_gains(6, seed)
        found = identify_gains(robot, current_log(robot, true, seed))
        yield found, true / true[int(np.flatnonzero(found.gains == 1.0)[0])]


def _rotors() -> str:
    """How often the default of `identify` takes rotors into the model."""
    lines = [
        "### Rotors that nobody asked for",
        "",
        "Of virtual arms with descriptions wrong by up to a factor of two, how many models have rotors by default.",
        "",
        "| arms | without rotors | rotors of 0.3 kg·m² in the first joint | of 1.5 kg·m² |",
        "|---|---:|---:|---:|",
    ]
    for errors in ((), ("stribeck",), ("elasticity",), ERRORS):
        counts = []
        for inertia in (0.0, 0.3, 1.5):
            found = [_has_rotors(name, errors, inertia, seed) for name in ("panda", "kuka_lwr4", "ur5", "dh_arm") for seed in range(2)]
            counts.append(f"{sum(found)} of {len(found)}")
        lines.append(f"| {', '.join(errors) or 'linear friction'} | {' | '.join(counts)} |")
    recorded = {
        "Panda": (load_robot("panda"), load_dataset(DATA / "panda_gaz2019" / "trajectory_1.npz")),
        "KUKA": (load_robot(DATA / "kuka_lwr4" / "kuka_lwr4.urdf"), load_dataset(DATA / "kuka_lwr4" / "measurements_1.npz")),
    }
    told = [f"{name}: {'yes' if _rotors_of(*case) else 'no'}" for name, case in recorded.items()]
    return "\n".join([*lines, "", f"Recorded logs with torque sensors behind the gears: {', '.join(told)}."])


def _has_rotors(name: str, errors: tuple[str, ...], inertia: float, seed: int) -> bool:
    rng = np.random.default_rng([seed, len(errors)])
    arm, time = draw_arm(name, errors, rng), np.arange(2000) / 100.0
    limits = arm.described.position_limits
    low, high = np.maximum(limits[:, 0], -2.0), np.minimum(limits[:, 1], 2.0)
    motion = fourier_motion(time, 0.1, 1.5, 0.5 * (low + high), 0.4 * (high - low), rng)
    log = record(arm, time, *motion, rng)
    return _rotors_of(arm.described, log.after("", effort=log.effort + inertia * np.linspace(1.0, 0.125, arm.described.n) * motion[2]))


def _rotors_of(robot: Robot, log: Dataset) -> bool:
    return any("rotors behind gears" in note for note in identify(robot, log).notes)
