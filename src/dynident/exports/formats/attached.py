"""A payload as a body of its own: a URDF link on a fixed joint, an MJCF body without a joint; inside a robot, or alone to be pasted.

To both formats the frame of the payload's body is the flange frame, so that the numbers are those of the tables.
"""

from __future__ import annotations

from xml.sax.saxutils import quoteattr

import numpy as np

from dynident.core.arrays import Array
from dynident.core.xml import comment_text, number_text
from dynident.errors import UnknownNameError
from dynident.exports.export_model import AttachedBody, attached_body
from dynident.exports.formats.complete import attached_lines, fixed_lines, link_lines
from dynident.payload import PayloadEstimate
from dynident.robots.kinematics import inverse_pose
from dynident.robots.robot import Link

#: Largest difference between two descriptions of the same place [m, or elements of a rotation].
_SAME_PLACE = 1e-9
FRAGMENTS = ("urdf", "mjcf")


def urdf_lines(body: AttachedBody, parent: str, pose: Array) -> list[str]:
    """A <link> and the fixed <joint> that holds it at this pose of the parent."""
    return [line.removeprefix("  ") for line in (*link_lines(body.name, body.parameters), *fixed_lines(parent, body.name, pose))]


def place_in_source(link: Link, pose: Array) -> tuple[str, Array]:
    """The source link of the user's file that a payload at this pose of a body is fixed to, and its pose there.

    The one whose frame is the flange, where the file has such a link, else that which the joint moves.
    """
    flange = [piece for piece in link.pieces if np.allclose(piece.placement, pose, rtol=0.0, atol=_SAME_PLACE)]
    piece = flange[-1] if flange else link.pieces[0]
    return piece.name, inverse_pose(piece.placement) @ pose


def payload_fragment(payload: PayloadEstimate, target: str) -> str:
    """A payload alone, "urdf" or "mjcf": a file that loads as it is, and whose lines can be pasted into that of a robot."""
    if target not in FRAGMENTS:
        raise UnknownNameError("format of a payload", target, FRAGMENTS)
    body, link = attached_body(payload), payload.robot.links[payload.robot.link_names.index(payload.link)]
    parent, pose = place_in_source(link, payload.flange)
    comment = comment_text([f"dynident: payload of {payload.headline}.", f"It is fixed to {parent}."])
    if target == "urdf":
        inner = [comment, f"<link name={quoteattr(parent)}/>", *urdf_lines(body, parent, pose)]
        return "\n".join(['<?xml version="1.0"?>', '<robot name="payload">', *(f"  {line}" for line in inner), "</robot>", ""])
    g = number_text(payload.robot.gravity.tolist())
    head = ['<mujoco model="payload">', f"  {comment}", f'  <option gravity="{g}"/>', "  <worldbody>"]
    return "\n".join([*head, *(f"    {line}" for line in attached_lines(body, pose)), "  </worldbody>", "</mujoco>", ""])
