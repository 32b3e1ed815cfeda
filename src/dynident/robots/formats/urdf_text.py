"""The inertials of a URDF as text: written new, or changed in the text of a file with every other byte as it was.

URDF keeps a link's inertia about its centre of mass in the axes of <origin>.
"""

from __future__ import annotations

from dynident.core.xml import Element, XmlText, number_text
from dynident.parameters import ROUNDING, LinkInertia
from dynident.robots.kinematics import pose_from_xyz_rpy


def inertial_lines(body: LinkInertia) -> list[str]:
    """The lines of an <inertial> in the axes of its link."""
    tensor = " ".join(f'i{name}="{number_text([value])}"' for name, value in body.elements.items())
    return [
        "<inertial>",
        f"  {_origin_tag(body)}",
        f'  <mass value="{number_text([body.mass])}"/>',
        f"  <inertia {tensor}/>",
        "</inertial>",
    ]


def set_inertial(text: XmlText, link: Element, body: LinkInertia, *, keep_axes: bool) -> None:
    """Give a <link> this mass, centre of mass and inertia; numbers that are these already are not touched.

    keep_axes : whether the inertia is written in the axes of the file's <origin>, or in the link's own, with rpy 0 0 0.
    """
    inertial = link.child("inertial")
    if inertial is None:
        text.add_first(link, inertial_lines(body))
        return
    origin, mass, tensor = (inertial.child(tag) for tag in ("origin", "mass", "inertia"))
    assert mass is not None and tensor is not None, "the reader checked them"  # noqa: S101, PT018
    if origin is None:
        text.add_first(inertial, [_origin_tag(body)])
    else:
        turned = {"rpy": [0.0, 0.0, 0.0]} if "rpy" in origin.attributes and not keep_axes else {}
        text.set_numbers(origin, {"xyz": body.com.tolist()} | turned, rounding=ROUNDING)
        if keep_axes:
            rpy = [float(word) for word in origin.attributes.get("rpy", "0 0 0").split()]
            R = pose_from_xyz_rpy([0.0, 0.0, 0.0], rpy)[:3, :3]
            body = body._replace(inertia=R.T @ body.inertia @ R)
    text.set_numbers(mass, {"value": [body.mass]}, rounding=ROUNDING * abs(body.mass))
    text.set_numbers(tensor, {f"i{name}": [value] for name, value in body.elements.items()}, rounding=body.rounding)


def _origin_tag(body: LinkInertia) -> str:
    return f'<origin xyz="{number_text(body.com.tolist())}" rpy="0 0 0"/>'
