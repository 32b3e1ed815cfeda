"""Checks by name, in the order in which they look. A new one is its file and one line here; the contract suite then finds it."""

from __future__ import annotations

from dynident.doctor.checks import (
    acceleration,
    changing_friction,
    contact,
    delay,
    effort_gains,
    effort_sign,
    effort_unit,
    excitation,
    gaps,
    gravity,
    gravity_compensated,
    interpolated_samples,
    jitter,
    joint_order,
    joint_zero,
    leaps,
    magnitudes,
    motor_side,
    payload,
    position_sign,
    position_unit,
    quantisation,
    repeated_samples,
    saturation,
    standstill,
    time_base,
    unknown_signs,
    velocity,
)
from dynident.doctor.finding import Check

CHECKS: dict[str, Check] = {
    check.name: check
    for check in (
        magnitudes.CHECK,
        jitter.CHECK,
        gaps.CHECK,
        leaps.CHECK,
        time_base.CHECK,
        velocity.CHECK,
        acceleration.CHECK,
        repeated_samples.CHECK,
        interpolated_samples.CHECK,
        saturation.CHECK,
        quantisation.CHECK,
        standstill.CHECK,
        position_unit.CHECK,
        effort_unit.CHECK,
        effort_gains.CHECK,
        joint_order.CHECK,
        effort_sign.CHECK,
        position_sign.CHECK,
        gravity.CHECK,
        gravity_compensated.CHECK,
        joint_zero.CHECK,
        delay.CHECK,
        motor_side.CHECK,
        payload.CHECK,
        contact.CHECK,
        changing_friction.CHECK,
        excitation.CHECK,
        unknown_signs.CHECK,
    )
}
