# pyright: basic
"""The inertials of an MJCF file as they are written, also those that MuJoCo's compiler refuses or corrects in silence.

The compiler ends with an error at the first inertia that no moving body can have, and sets a negative mass of a rigid
body to zero. So every <inertial> is taken out of the specification before it is compiled, and a harmless stand-in takes
its place: the compiled model has the kinematics, the axes of each inertial and the inertias that come from geoms. What
the file asks the compiler to change (balanceinertia, boundmass, boundinertia, settotalmass) is done here, in MuJoCo's order.
Settings that an attached model has for itself are not seen here: its inertials stay as written.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from dynident.core.arrays import Array
from dynident.robots.kinematics import translation
from dynident.robots.parameters import from_com

# Any consistent numbers would do that no geom has by chance: where they are gone, the compiler took an inertia from geoms.
_STAND_IN_MASS = 1.0
_STAND_IN_INERTIA = np.array([0.71, 0.73, 0.79])
#: MuJoCo's fullinertia is xx, yy, zz, xy, xz, yz.
FULL_INERTIA = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
# Below this MuJoCo takes a total mass as zero (mjMINVAL).
_SMALLEST_TOTAL = 1e-15


@dataclass(frozen=True)
class WrittenInertial:
    """An <inertial>: its body in the specification, and its numbers.

    inertia : (3, 3)   About the centre of mass, in the axes of the inertial.
    full : bool        It is written as a matrix (fullinertia), which MuJoCo takes only when positive definite.
    ignored : bool     The file says that geoms give this body's inertia, and they are not read (the body doesn't move).
    """

    body: Any
    mass: float
    inertia: Array
    full: bool
    ignored: bool


@dataclass(frozen=True)
class Inertials:
    """What was taken out of a specification.

    spec   The specification, without which the bodies of `written` are memory that MuJoCo has freed.
    balance, bound_mass, bound_inertia, total_mass   The compiler's settings; no total mass is None.
    """

    spec: Any
    written: tuple[WrittenInertial, ...]
    balance: bool
    bound_mass: float
    bound_inertia: float
    total_mass: float | None

    def parameters(self, mj: Any, model: Any) -> tuple[dict[int, Array], tuple[str, ...]]:
        """The parameters (10,) of every body that has some, in its body frame, by its number; and notes about them."""
        by_body = {
            b: _in_body_frame(mj, model, b, model.body_mass[b], np.diag(model.body_inertia[b]))
            for b in range(1, model.nbody)
            if model.body_mass[b] != 0.0
        }
        changed: list[str] = []
        for written in self.written:
            b = written.body.id
            if written.ignored:
                by_body.pop(b)
            elif self._stands(model, written.body):
                mass, inertia = self._correct(written)
                if mass != written.mass or not np.array_equal(inertia, written.inertia):
                    changed.append(model.body(b).name or f"body{b}")
                by_body[b] = _in_body_frame(mj, model, b, mass, inertia)
        if self.total_mass is not None:
            # as in mj_setTotalmass, for which no mass is negative
            total = sum(max(parameters[0], 0.0) for parameters in by_body.values())
            scale = self.total_mass / max(total, _SMALLEST_TOTAL)
            by_body = {b: scale * parameters for b, parameters in by_body.items()}
        return by_body, tuple(self._notes(changed))

    def _stands(self, model: Any, body: Any) -> bool:
        """Is the stand-in still there? Only geoms can replace it. The compiler's bounds apply to it too."""
        mass, inertia = max(_STAND_IN_MASS, self.bound_mass), np.maximum(_STAND_IN_INERTIA, self.bound_inertia)
        same = bool(model.body_mass[body.id] == mass) and np.array_equal(model.body_inertia[body.id], inertia)
        return same or not body.geoms

    def _correct(self, written: WrittenInertial) -> tuple[float, Array]:
        """The mass and inertia that MuJoCo makes of an inertial on the file's request; the written ones without a request."""
        mass = max(written.mass, self.bound_mass) if self.bound_mass > 0.0 else written.mass
        if not (self.balance or self.bound_inertia > 0.0):
            return mass, written.inertia
        principal, axes = np.linalg.eigh(written.inertia) if written.full else (np.diag(written.inertia), np.eye(3))
        if written.full and principal[0] <= 0.0:  # refused before any correction
            return mass, written.inertia
        bounded = np.maximum(principal, self.bound_inertia)
        if self.balance and 2.0 * bounded.max() > bounded.sum():
            return mass, bounded.mean() * np.eye(3)
        if self.bound_inertia > 0.0 and np.any(bounded != principal):
            return mass, axes @ np.diag(bounded) @ axes.T
        return mass, written.inertia

    def _notes(self, changed: list[str]) -> Iterator[str]:
        if changed:
            yield (
                f"the file asks MuJoCo to correct inertials (balanceinertia, boundmass, boundinertia), and the numbers here are the "
                f"corrected ones of: {', '.join(changed)}"
            )
        if self.total_mass is not None:
            yield f"the file asks MuJoCo to scale all masses and inertias to a total of {self.total_mass:g} kg (settotalmass); they are"


def take_inertials(mj: Any, spec: Any) -> Inertials:
    """Take every <inertial> out of a specification, which is changed: stand-ins, no total mass, no bodies fused."""
    compiler = spec.compiler
    total = float(compiler.settotalmass)
    written = tuple(_read_inertial(mj, spec, body, rescaled=total > 0.0) for body in spec.bodies if body.explicitinertial)
    for inertial in written:
        inertial.body.mass = _STAND_IN_MASS
        inertial.body.inertia = _STAND_IN_INERTIA
        inertial.body.fullinertia = [np.nan, 0.0, 0.0, 0.0, 0.0, 0.0]
    compiler.settotalmass = -1.0
    compiler.fusestatic = False  # rigid bodies are lumped by us, with a record
    return Inertials(
        spec=spec,
        written=written,
        balance=bool(compiler.balanceinertia),
        bound_mass=float(compiler.boundmass),
        bound_inertia=float(compiler.boundinertia),
        total_mass=total if total > 0.0 else None,
    )


def is_static(spec: Any, body: Any) -> bool:
    """Does no joint move this body?"""
    while body is not None and body.name != spec.worldbody.name:
        if body.joints:
            return False
        body = body.parent
    return True


def body_name(model: Any, b: int) -> str:
    return model.body(b).name or f"body{b}"


def pose(mj: Any, position: Array, quaternion: Array) -> Array:
    """(4, 4) pose from a position and MuJoCo's quaternion."""
    R = np.empty(9)
    mj.mju_quat2Mat(R, quaternion)
    T = translation(position)
    T[:3, :3] = R.reshape(3, 3)
    return T


def _read_inertial(mj: Any, spec: Any, body: Any, *, rescaled: bool) -> WrittenInertial:
    inertia = np.diag(body.inertia)
    full = bool(np.isfinite(body.fullinertia[0]))
    if full:
        for (row, column), value in zip(FULL_INERTIA, body.fullinertia, strict=True):
            inertia[row, column] = inertia[column, row] = value
    low, high = spec.compiler.inertiagrouprange
    from_geoms = spec.compiler.inertiafromgeom == mj.mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE
    by_geoms = from_geoms and any(low <= geom.group <= high for geom in body.geoms)
    return WrittenInertial(body, float(body.mass), inertia, full, ignored=by_geoms and not rescaled and is_static(spec, body))


def _in_body_frame(mj: Any, model: Any, b: int, mass: float, inertia: Array) -> Array:
    """(10,) of a mass and an inertia (3, 3) in the axes of the compiled inertial."""
    axes = pose(mj, model.body_ipos[b], model.body_iquat[b])
    return from_com(mass, axes[:3, 3], axes[:3, :3] @ inertia @ axes[:3, :3].T)
