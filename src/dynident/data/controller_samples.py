"""Controller samples: the inertia matrix and gravity vector that a robot's controller returns (Panda paper, eqs. 17 to 22)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dynident.core.arrays import Array, as_numbers
from dynident.core.results import Result
from dynident.data.checks import add_source, check_names, check_rows, join_arrays, joint_indices, part_rows, same_in_all
from dynident.data.provenance import NEW, Provenance
from dynident.errors import ShapeError, ValueRangeError

#: Largest asymmetry of M that passes as rounding, relative to its largest element (single precision and printed digits do).
SYMMETRY_TOLERANCE = 1e-4


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ControllerSamples(Result):
    """N configurations at which a controller was asked for its model. Arrays are read-only float64.

    Attributes
    ----------
    q : (N, n) array
        Joint positions [rad | m]; column j is joint_names[j].
    M : (N, n, n) array or None
        Inertia matrix [kg·m² | kg], symmetric; M or g must be there.
    g : (N, n) array or None
        Gravity effort [N·m | N].
    dq : (N, n) array or None
        Joint velocities [rad/s | m/s] at which c was taken.
    c : (N, n) array or None
        Coriolis and centrifugal effort [N·m | N].
    joint_names : tuple of str
        Name of each joint.
    source : str
        Where the samples came from, for a reader.
    provenance : Provenance
        Digest and origin of the samples.
    """

    q: Array
    M: Array | None = None
    g: Array | None = None
    dq: Array | None = None
    c: Array | None = None
    joint_names: tuple[str, ...] = ()
    source: str = ""
    provenance: Provenance = NEW

    def __post_init__(self) -> None:
        q = as_numbers("q", self.q)
        if q.ndim != 2 or 0 in q.shape:
            raise ShapeError("q", q.shape, "(samples, joints), neither of them zero")
        if self.M is None and self.g is None:
            raise ValueRangeError("controller samples", "have neither M nor g; give the inertia matrix, the gravity vector or both")
        if self.c is not None and self.dq is None:
            raise ValueRangeError("dq", "is missing; the Coriolis effort c means nothing without the velocity it was taken at")
        object.__setattr__(self, "joint_names", check_names(self.joint_names, q.shape[1]))
        for name in _ARRAYS:
            if getattr(self, name) is not None:
                shape = (*q.shape, q.shape[1]) if name == "M" else q.shape
                object.__setattr__(self, name, check_rows(name, getattr(self, name), shape, self.joint_names))
        if self.M is not None:
            _check_symmetric(self.M)
        for name, values in (("M", self.M), ("g", self.g)):
            if values is not None and not np.any(values) and (name == "M" or self.M is None):
                raise ValueRangeError(name, "is zero in every sample, so nothing can be told from it; check the columns")
        object.__setattr__(self, "provenance", Provenance.of((self.q, self.M, self.g), known=self.provenance))

    @property
    def n(self) -> int:
        """Number of joints."""
        return self.q.shape[1]

    @property
    def samples(self) -> int:
        """Number of samples N."""
        return len(self.q)

    @property
    def present(self) -> tuple[str, ...]:
        """Names of the arrays that are there."""
        return tuple(name for name in _ARRAYS if getattr(self, name) is not None)

    def select(self, joints: Sequence[str | int]) -> ControllerSamples:
        """These joints in this order, by name or by index from 0."""
        order = joint_indices(joints, self.joint_names)
        cut: dict[str, Any] = {}
        for name in _ARRAYS:
            value = getattr(self, name)
            cut[name] = None if value is None else value[:, order][:, :, order] if name == "M" else value[:, order]
        return replace(self, **cut, joint_names=tuple(self.joint_names[j] for j in order))

    def part(self, start: float, stop: float) -> ControllerSamples:
        """The samples from one fraction to another; part(0, 0.7) and part(0.7, 1) are disjoint and make the whole."""
        rows = part_rows(start, stop, self.samples)
        if rows.stop == rows.start:
            raise ValueRangeError("part", f"{start:g}:{stop:g} of {self.samples} samples holds none")
        cut = {name: None if (value := getattr(self, name)) is None else value[rows] for name in _ARRAYS}
        step = f"part {start:g}:{stop:g}"
        return replace(self, **cut, source=add_source(self.source, step), provenance=self.provenance.take(rows).after(step))

    @staticmethod
    def concatenate(items: Sequence[ControllerSamples]) -> ControllerSamples:
        """All samples as one set; each array must be in all of them or in none."""
        if not items:
            raise ValueRangeError("samples", "are none; give at least one set")
        if len(items) == 1:
            return items[0]
        same_in_all("joint_names", items)
        source = "; ".join(dict.fromkeys(item.source for item in items))
        return replace(
            items[0], **join_arrays(items, _ARRAYS), source=source, provenance=Provenance.join(item.provenance for item in items)
        )


_ARRAYS = ("q", "M", "g", "dq", "c")


def _check_symmetric(M: Array) -> None:
    asymmetry = np.abs(M - M.transpose(0, 2, 1)).max(axis=(1, 2))
    largest = np.abs(M).max(axis=(1, 2))
    worst = int(np.argmax(asymmetry - SYMMETRY_TOLERANCE * largest))
    if asymmetry[worst] > SYMMETRY_TOLERANCE * largest[worst]:
        raise ValueRangeError(
            "M",
            f"is not symmetric: elements differ by {asymmetry[worst]:.3g} at sample {worst}, where the largest is {largest[worst]:.3g} "
            f"(allowed: {SYMMETRY_TOLERANCE:g} of it); check that M is the inertia matrix, with full rows",
        )
