# pyright: basic
"""URDF through Pinocchio; what Pinocchio doesn't keep (each link's own inertial, axes, mimic) comes from `urdf_xml`.

The parameter frame of a link is URDF's joint frame, which is also the child link's frame. Bodies come in Pinocchio's
order: depth first, branches by joint name; for a serial chain that is from base to tip.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pinocchio as pin  # pyright: ignore[reportMissingImports]

from dynident.core.arrays import Array
from dynident.core.files import errors_in_file, read_text
from dynident.core.xml import parse_xml
from dynident.errors import FileError
from dynident.robots.formats.source_tree import SourceLink, SourceTree
from dynident.robots.formats.urdf_xml import UrdfJoint, check_urdf
from dynident.robots.kinematics import inverse_pose
from dynident.robots.robot import Joint, JointType


def read_urdf(path: str | Path) -> SourceTree:
    """The links and joints of a URDF file. Meshes need not exist."""
    text = read_text(path)
    joints, inertials = check_urdf(path, parse_xml(path, text))
    try:
        model = pin.buildModelFromXML(text)
    except (RuntimeError, ValueError) as error:
        raise FileError(path, f"can't be read as URDF: {' '.join(str(error).split())}; check it with check_urdf") from None
    with errors_in_file(path):
        return SourceTree(name=model.name, source=str(path), links=_links(model, joints, inertials))


def _links(model: pin.Model, joints: dict[str, UrdfJoint], inertials: dict[str, Array]) -> tuple[SourceLink, ...]:
    """Pinocchio's bodies as source links. Pinocchio keeps only the sum of a rigid group's inertias; here each link has its own."""
    bodies = [frame for frame in model.frames if frame.type == pin.FrameType.BODY]
    index = {frame.name: i for i, frame in enumerate(bodies)}
    links: list[SourceLink] = []
    for frame in bodies:
        if frame.name not in joints:
            links.append(SourceLink(name=frame.name, parent=-1, parameters=inertials.get(frame.name)))
            continue
        joint = joints[frame.name]
        parent, j, moving = index[joint.parent], frame.parentJoint, joint.type != "fixed"
        in_body = model.jointPlacements[j] if moving else frame.placement
        links.append(
            SourceLink(
                name=frame.name,
                parent=parent,
                frame=f"joint frame {joint.name}",
                placement=inverse_pose(bodies[parent].placement.homogeneous) @ in_body.homogeneous,
                joint=_joint(model, j, joint) if moving else None,
                coupling=f"mimics joint {joint.mimic!r}" if moving and joint.mimic else "",
                parameters=inertials.get(frame.name),
            )
        )
    return tuple(links)


def _joint(model: pin.Model, j: int, joint: UrdfJoint) -> Joint:
    q, v = model.joints[j].idx_q, model.joints[j].idx_v
    continuous = joint.type == JointType.CONTINUOUS  # Pinocchio keeps its angle as (cos, sin): two positions without limits
    return Joint(
        name=joint.name,
        type=JointType(joint.type),
        axis=joint.axis,
        position=(-np.inf, np.inf) if continuous else (model.lowerPositionLimit[q], model.upperPositionLimit[q]),
        velocity=model.upperVelocityLimit[v],
        effort=model.upperEffortLimit[v],
    )
