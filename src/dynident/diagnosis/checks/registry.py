"""Checks by name, in the order in which they look; a new one is its file, or a generator of candidates, and one line here."""

from __future__ import annotations

from dynident.diagnosis import effort_candidates as efforts
from dynident.diagnosis import motion_candidates as motion
from dynident.diagnosis.checks import (
    changing_friction,
    contact,
    dead_channel,
    excitation,
    faulty_samples,
    gaps,
    interpolated_samples,
    jitter,
    leaps,
    magnitudes,
    motor_side,
    quantisation,
    repeated_samples,
    saturation,
    standstill,
    unknown_signs,
)
from dynident.diagnosis.finding import Check, CheckStage
from dynident.diagnosis.search import Generator
from dynident.errors import Remedy

#: What proposes candidates for the search, the quick ones first.
GENERATORS: tuple[Generator, ...] = (
    motion.clocks,
    motion.derivatives,
    motion.position_units,
    efforts.units,
    efforts.gains,
    efforts.payloads,
    efforts.signs,
    motion.orders,
    motion.position_signs,
    motion.mountings,
    motion.zeros,
)


def _searched(name: str, symptom: str, cause: str, fix: str, *, spoils: bool = False, leaves: float = 0.7, advice: str = "") -> Check:
    """A check whose candidates the search judges."""
    return Check(name=name, symptom=symptom, cause=cause, fix=fix, stage=CheckStage.MODEL, spoils=spoils, leaves=leaves, advice=advice)


_SEARCHED = (
    _searched(
        "time base",
        "velocities that are the derivatives of the positions times a factor, inertias that no arm of this weight has",
        "a sampling rate that was misread, stamps in another unit",
        "`sampling_rate: 1000`, or `units: {time: ms}`",
        spoils=True,
    ),
    _searched(
        "velocity",
        "recorded velocities that are not the derivatives of the positions",
        "velocities in another unit, order or sign than the positions, or commanded instead of measured ones",
        "`columns: {dq: none}`, which takes the derivative of the positions, or their unit: `units: {dq: deg/s}`",
    ),
    _searched(
        "acceleration",
        "recorded accelerations that are not the derivatives of the velocities",
        "accelerations of a command or an accelerometer, in another unit, or no accelerations at all",
        "`columns: {ddq: none}`, which takes the derivative of the velocities, or their unit: `units: {ddq: deg/s^2}`",
    ),
    _searched(
        "position unit",
        "positions far beyond the joints' limits, efforts that nothing explains",
        "positions in degrees, turns or counts that were taken for radians",
        "`units: {q: deg, dq: deg/s}`, for counts `gear_ratios` with counts per radian in the YAML beside the data",
        spoils=True,
    ),
    _searched(
        "effort unit",
        "links that weigh a thousand times too much or too little",
        "efforts in mN·m, N·cm, kgf·cm or kN·m that were taken for N·m",
        "`units: {effort: mNm}`",
        spoils=True,
    ),
    _searched(
        "effort gains",
        "joints that contradict each other about the weight of the links they carry, an arm that is far too light",
        "motor currents, or torques of the motors, that were taken for joint torques; a torque sensor that was set up wrongly",
        "`effort_gains: [14.9, 12.1]`",
        spoils=True,
    ),
    _searched(
        "payload",
        "nominal links that predict too little load in all joints, the more the farther from the base",
        "a tool or payload that is not in the description",
        "the tool in the description; `identify_payload` weighs it",
        advice=Remedy(
            "add it to the description, or weigh it by {identify_payload}; what is identified is the arm with it", identify_payload=...
        ),
    ),
    _searched(
        "joint order",
        "most of several joints is unexplained, positions or efforts beyond the limits of their joints",
        "columns in another order than the robot's joints",
        "`joints: [joint2, joint1, joint3]` in the YAML beside the data, `effort_joints` where efforts alone are in another order",
        spoils=True,
    ),
    _searched(
        "effort sign",
        "negative friction, a joint of which most is unexplained, masses that no arm has",
        "an effort that counts the other way than the position, in one joint or in all",
        "`effort_signs: [1, -1, 1]`",
        spoils=True,
    ),
    _searched(
        "position sign",
        "most of several joints is unexplained, although each of them looks right by itself",
        "a joint that the controller counts the other way than the description does",
        "`signs: [1, -1, 1]` in the YAML beside the data, with `effort_signs` where efforts are right",
        spoils=True,
    ),
    _searched(
        "gravity",
        "a model that predicts well with masses that no arm has, or joints near the base that nothing explains",
        "a robot that is not mounted upright, or a base frame that is turned against the description's",
        "`gravity` of the robot, (9.81, 0, 0)",
        spoils=True,
    ),
    _searched(
        "gravity compensated",
        "links without weight: efforts that follow accelerations and speeds, and not the pose",
        "efforts that the controller gives without the gravity that it compensates",
        "`gravity` of the robot, (0, 0, 0), or record the whole effort",
        spoils=True,
    ),
    _searched(
        "joint zero",
        "gravity torques that are largest somewhere else than the description says",
        "a joint whose zero was lost, or is defined in another pose",
        "`offsets: [0, 0.1, 0]` [rad] in the YAML beside the data",
        spoils=True,
        leaves=0.85,
    ),
    _searched(
        "delay",
        "residuals that look like the slope of the effort",
        "efforts that went through a filter or a slower bus than the positions",
        "`delay: 0.012`",
    ),
)

CHECKS: dict[str, Check] = {
    check.name: check
    for check in (
        faulty_samples.CHECK,
        dead_channel.CHECK,
        magnitudes.CHECK,
        jitter.CHECK,
        gaps.CHECK,
        leaps.CHECK,
        repeated_samples.CHECK,
        interpolated_samples.CHECK,
        saturation.CHECK,
        quantisation.CHECK,
        standstill.CHECK,
        *_SEARCHED,
        motor_side.CHECK,
        contact.CHECK,
        changing_friction.CHECK,
        excitation.CHECK,
        unknown_signs.CHECK,
    )
}
