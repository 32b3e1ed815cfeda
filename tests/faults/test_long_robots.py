"""The time that a check takes grows as the robot does, and not with the square or cube of its joints."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from dynident import check_robot, load_robot

FEW, MANY = 150, 900
#: Work that grows with the number of joints takes 6 times as long, with its square 36 times, with its cube 216 times.
LINEAR = 15.0

_INERTIA = '<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.005"/>'


def urdf(n: int, *, star: bool = False, name: str = "joint") -> str:
    links = "".join(f'<link name="l{i}"><inertial><mass value="1"/>{_INERTIA}</inertial></link>' for i in range(1, n + 1))
    joints = "".join(
        f'<joint name="{name}{i}" type="revolute"><parent link="l{0 if star else i - 1}"/><child link="l{i}"/><origin xyz="0 0 0.1"/>'
        f'<axis xyz="{"1 0 0" if i % 2 else "0 1 0"}"/><limit lower="-2" upper="2" effort="80" velocity="3"/></joint>'
        for i in range(1, n + 1)
    )
    return f'<robot name="long"><link name="l0"/>{links}{joints}</robot>'


def dh(n: int) -> str:
    return "\n".join(["theta,d,a,alpha,convention", *(f"0,0.1,0,{'pi/2' if i % 2 else '-pi/2'},standard" for i in range(n))])


ROBOTS: dict[str, tuple[str, Callable[[int], str]]] = {
    "chain": (".urdf", urdf),
    "star": (".urdf", lambda n: urdf(n, star=True)),
    "fingers": (".urdf", lambda n: urdf(n, star=True, name="finger")),
    "dh": (".csv", dh),
}


@pytest.mark.parametrize("name", ROBOTS)
def test_a_check_takes_time_by_the_joint(name, tmp_path):
    suffix, write = ROBOTS[name]
    files = {n: tmp_path / f"{n}{suffix}" for n in (FEW, MANY)}
    for n, file in files.items():
        file.write_text(write(n))
    seconds(files[FEW])  # what is imported, and made once
    assert seconds(files[MANY]) < LINEAR * max(seconds(files[FEW]), seconds(files[FEW]))


def seconds(file: Path) -> float:
    """Processor time of reading and checking a robot."""
    begun = time.process_time()
    check_robot(load_robot(file))
    return time.process_time() - begun
