"""Checks by name, in the order in which they look. A new one is its file and one line here; the contract suite then finds it."""

from __future__ import annotations

from dynident.doctor.checks import (
    acceleration,
    delay,
    effort_gains,
    effort_sign,
    effort_unit,
    gravity,
    gravity_compensated,
    joint_order,
    joint_zero,
    position_sign,
    position_unit,
    time_base,
    velocity,
)
from dynident.doctor.finding import Check

CHECKS: dict[str, Check] = {
    check.name: check
    for check in (
        time_base.CHECK,
        velocity.CHECK,
        acceleration.CHECK,
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
    )
}
