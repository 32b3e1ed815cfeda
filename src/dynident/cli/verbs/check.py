"""`dynident check`: lint a robot description and print every link's physical consistency."""

from __future__ import annotations

from dynident.cli.arguments import Chain, RobotFile
from dynident.cli.terminal import Outcome

EXAMPLE = """Examples:

dynident check panda

dynident check arm.urdf --lock 'finger_joint*=0.02' --json"""
PRINTS = ("dynident.robots.check_document:CheckDocument",)


def check(robot: RobotFile, /, *, chain: Chain) -> Outcome:
    """Check the physical consistency of every link of a robot.

    Prints mass, centre of mass, principal inertias and margin of each link, with a verdict. Exits with 1 when a link is inconsistent,
    or a link that was lumped into another or into the base.
    """
    from dynident.robots import load_robot
    from dynident.robots.check import check_robot
    from dynident.robots.check_document import CheckDocument

    result = check_robot(load_robot(robot, chain))
    return Outcome(report=result.tables(), document=CheckDocument.of(result), code=0 if result.passed else 1)
