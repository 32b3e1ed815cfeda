"""Robot descriptions: the Robot type, the readers (URDF, MJCF, DH), the library, the lint and the links' poses."""

from dynident.robots.check import RobotCheck, check_robot
from dynident.robots.formats.dh_table import from_dh_table, from_toolbox
from dynident.robots.kinematics import link_poses
from dynident.robots.load import library_names, load_robot
from dynident.robots.robot import STANDARD_GRAVITY, Joint, JointType, Link, Robot, Source
from dynident.robots.serialize import robot_from_dict, robot_to_dict

__all__ = [
    "STANDARD_GRAVITY",
    "Joint",
    "JointType",
    "Link",
    "Robot",
    "RobotCheck",
    "Source",
    "check_robot",
    "from_dh_table",
    "from_toolbox",
    "library_names",
    "link_poses",
    "load_robot",
    "robot_from_dict",
    "robot_to_dict",
]
