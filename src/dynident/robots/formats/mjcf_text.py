"""Inertials in the text of an MJCF: written new, or changed in place."""

from __future__ import annotations

import numpy as np

from dynident.core.arrays import Array
from dynident.core.xml import XmlElement, XmlText, number_text
from dynident.errors import FileError
from dynident.parameters import ROUNDING, LinkInertia, link_inertia
from dynident.robots.formats.mjcf_inertial import FULL_INERTIA

#: Elements that put one model together from several texts.
_COMPOSITION = ("include", "attach", "replicate")


def check_editable(path: str, root: XmlElement) -> None:
    """FileError where inertials in this text are not those that MuJoCo would use."""
    for tag in _COMPOSITION:
        if next(root.all(tag), None) is not None:
            raise FileError(path, f"has <{tag}>, so its bodies are not all in this text; write the model out as one file first")
    for compiler in root.all("compiler"):
        for attribute, harmless in (("settotalmass", ("-1",)), ("inertiafromgeom", ("false", "auto"))):
            value = compiler.attributes.get(attribute, harmless[0])
            if value not in harmless:
                problem = f'its <compiler {attribute}="{value}"> makes MuJoCo replace the inertias that would be written; remove it'
                raise FileError(path, problem)


def set_body_inertial(text: XmlText, body: XmlElement, parameters: Array | None, name: str) -> None:
    """Give a <body> these parameters (10,) in its own frame.

    A body that lost its inertia to another keeps an <inertial> of zeros, for without one MuJoCo takes it from the geoms.
    """
    own = link_inertia(np.zeros(10) if parameters is None else parameters, name)
    existing = body.child("inertial")
    if existing is None:
        text.add_first(body, [inertial_tag(own)])
    elif set(existing.attributes) == {"pos", "mass", "fullinertia"} and np.any(own.inertia):
        text.set_numbers(existing, {"pos": own.com.tolist(), "mass": [own.mass]}, rounding=ROUNDING)
        text.set_numbers(existing, {"fullinertia": full_inertia(own.inertia)}, rounding=own.rounding)
    else:
        text.replace(existing, inertial_tag(own))


def inertial_tag(body: LinkInertia) -> str:
    """An <inertial> in the axes of its body."""
    numbers = full_inertia(body.inertia)
    # MuJoCo takes the full form only when it is positive definite, and a body without mass has zeros
    tensor = f'fullinertia="{number_text(numbers)}"' if any(numbers) else 'diaginertia="0 0 0"'
    return f'<inertial pos="{number_text(body.com.tolist())}" mass="{number_text([body.mass])}" {tensor}/>'


def full_inertia(inertia: Array) -> list[float]:
    """MuJoCo's order: xx, yy, zz, xy, xz, yz."""
    return [float(inertia[place]) for place in FULL_INERTIA]
