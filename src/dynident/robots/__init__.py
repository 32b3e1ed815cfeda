"""Robot descriptions: the Robot type, the readers (URDF, MJCF, DH) and the library."""

from dynident.robots.load import library_names, load_robot
from dynident.robots.robot import STANDARD_GRAVITY, Joint, JointType, Link, Robot

__all__ = ["STANDARD_GRAVITY", "Joint", "JointType", "Link", "Robot", "library_names", "load_robot"]
