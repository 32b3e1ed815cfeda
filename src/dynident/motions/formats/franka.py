"""Positions for the joint position loop of libfranka and pylibfranka, which asks for a sample every millisecond."""

from __future__ import annotations

from dynident.motions.formats.format import TrajectoryFormat
from dynident.motions.formats.tables import encode_positions, read_samples

FORMAT = TrajectoryFormat(
    name="franka",
    about="CSV of positions (rad) at 1 kHz for libfranka and pylibfranka",
    suffixes=(".csv",),
    encode=encode_positions,
    read=read_samples,
    rate=1000.0,
    joints=7,
    marks=True,
    periods=(1,),
)
