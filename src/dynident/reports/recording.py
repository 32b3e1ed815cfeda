"""Plans of what a robot will drive while it is recorded, as tables."""

from __future__ import annotations

import numpy as np

from dynident.core.arrays import Array
from dynident.motions.recording.plan import RecordingPlan
from dynident.reports.show import show
from dynident.reports.tables import Column, Table


def _header(plan: RecordingPlan) -> list[str]:
    duration = sum(path.duration for _, path in plan.paths)
    count = len(plan.passages)
    many = "repetition{} of a trajectory" if plan.kind == "trajectory" else "configuration{} at which the controller is asked"
    what = many.format("" if count == 1 else "s")
    return [f"{plan.robot.name}: {count} {what}, {len(plan.paths)} motions in {duration:.0f} s"]


def _joint_table(plan: RecordingPlan) -> Table:
    moves, recorded = (_largest_speeds(plan, moves=moves) for moves in (True, False))
    columns = {
        Column("joint"): plan.robot.joint_names,
        Column("unit"): [joint.units.position for joint in plan.robot.joints],
        Column("standing", "stands at", ".4f"): plan.standing,
        Column("start", "first start", ".4f"): plan.passages[0].start,
        Column("moves", "speed of moves [/s]", ".4f"): moves,
        Column("recorded", "speed recorded [/s]", ".4f"): recorded,
        Column("share", "of its limit", ".0%"): np.maximum(moves, recorded) / plan.robot.velocity_limits,
    }
    return Table.of_columns("What each joint will do", columns)


def _largest_speeds(plan: RecordingPlan, *, moves: bool) -> Array:
    """(n,) of the moves between passages, or of the passages [rad/s | m/s]."""
    speeds = [path.speeds for name, path in plan.paths if plan.is_move(name) is moves]
    return np.max(speeds or [np.zeros(plan.robot.n)], axis=0)


show(
    RecordingPlan,
    headline=lambda plan: f"{plan.robot.name}, {plan.kind}, {len(plan.passages)} to record",
    header=_header,
    tables=lambda plan: [_joint_table(plan)],
    records=lambda plan: [
        {"motion": name, "duration": path.duration, "largest_speed": float(path.speeds.max())} for name, path in plan.paths
    ],
)
