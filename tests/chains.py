"""Random chains of turning joints, as long and as uneven as a test wants them."""

from __future__ import annotations

import numpy as np

from dynident.robots.kinematics import pose_from_xyz_rpy
from dynident.robots.parameters import from_com
from dynident.robots.robot import Joint, Link, Robot


def random_chain(
    joints: int, *, mass: tuple[float, float] = (0.1, 10.0), length: tuple[float, float] = (0.05, 0.5), seed: int = 0
) -> Robot:
    """A robot whose links have masses [kg] and lengths [m] anywhere between the given ones, all decades alike; its first axis is upright.

    No two axes are parallel or meet, so that 1 + 7 (joints - 1) base parameters can be told (Gautier, Khalil 1990).
    """
    rng = np.random.default_rng(seed)
    chain: list[tuple[Joint, Link]] = []
    for i in range(joints):
        size, weight = (float(np.exp(rng.uniform(*np.log(limits)))) for limits in (length, mass))
        pose = pose_from_xyz_rpy(size * rng.normal(size=3), rng.uniform(-3.0, 3.0, 3)) if i else np.eye(4)
        half = 0.3 * size * rng.normal(size=(3, 3))
        second = weight * half @ half.T
        body = from_com(weight, 0.3 * size * rng.normal(size=3), np.trace(second) * np.eye(3) - second)
        joint = Joint(name=f"joint{i + 1}", parent=i - 1, placement=pose)
        chain.append((joint, Link(name=f"link{i + 1}", frame="joint frame", parameters=body)))
    return Robot(name="chain", joints=tuple(joint for joint, _ in chain), links=tuple(link for _, link in chain))
