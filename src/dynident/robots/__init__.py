"""Robot descriptions: the Robot type, the readers (URDF, MJCF, DH), the library, the lint, the links' poses and solids."""

from typing import TYPE_CHECKING

from dynident.core.lazy import make_lazy

if TYPE_CHECKING:
    from dynident.robots.check import RobotCheck, check_robot
    from dynident.robots.formats.dh_table import from_dh_table, from_toolbox
    from dynident.robots.kinematics import link_poses
    from dynident.robots.load import library_names, load_robot
    from dynident.robots.mounting import Mounting
    from dynident.robots.robot import STANDARD_GRAVITY, Joint, JointType, Link, Robot, Source
    from dynident.robots.serialize import robot_to_dict
    from dynident.robots.solids import Solid, Solids, robot_solids

__all__ = [
    "STANDARD_GRAVITY",
    "Joint",
    "JointType",
    "Link",
    "Mounting",
    "Robot",
    "RobotCheck",
    "Solid",
    "Solids",
    "Source",
    "check_robot",
    "from_dh_table",
    "from_toolbox",
    "library_names",
    "link_poses",
    "load_robot",
    "robot_solids",
    "robot_to_dict",
]

make_lazy(__name__)
