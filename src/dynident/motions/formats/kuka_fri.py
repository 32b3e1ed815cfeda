"""Positions for a client of KUKA's Fast Robot Interface (LBR iiwa, LBR Med): a position [rad] per send period, 1 to 100 ms."""

from __future__ import annotations

from dynident.motions.formats.format import TrajectoryFormat
from dynident.motions.formats.tables import encode_positions, read_samples

FORMAT = TrajectoryFormat(
    name="kuka_fri",
    about="CSV of positions (rad) at 200 Hz for FRI clients of KUKA's LBR arms",
    suffixes=(".csv",),
    encode=encode_positions,
    read=read_samples,
    rate=200.0,
    joints=7,
    marks=True,
    periods=range(1, 101),
)
