"""Constraints that are not convex in the linear parameters: barycentric inertia elements, and the user's own functions.

An element of the barycentric inertia is I = J - (products of mc) / m. With w = (mcy, mcz) and the like,

    I_xx = J_xx - (mcy² + mcz²) / m      (J minus a convex function: its lower bound is convex, its upper bound is not)
    I_xy = J_xy + mcx mcy / m = J_xy + ((mcx + mcy)² - (mcx - mcy)²) / (4 m)

so each bound is a difference of convex functions, and replacing the wrong-signed square over m by its tangent at a
point gives a convex condition that implies it (convex-concave procedure; Yuille, Rangarajan 2003).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dynident.core.arrays import Array, IntArray
from dynident.errors import InputError
from dynident.links.constraints.lmi import Block, Side
from dynident.links.constraints.terms import Named, Nonconvex, Terms
from dynident.regression.equations.columns import Columns
from dynident.robots.parameters import INERTIA_ELEMENTS, link_inertia
from dynident.robots.robot import Robot

# A square over the mass: the combination of mc (3,) that is squared, and its factor.
Square = tuple[Array, float]


def barycentric_terms(name: str, named: Named, columns: Columns, low: float, high: float) -> Terms:
    """low <= I <= high for one element of a link's barycentric inertia."""
    squares = _squares(named.element)
    blocks: list[Block] = []
    nonconvex: list[Nonconvex] = []
    for sign, limit, text in ((1.0, low, f"{name} >= {low:g}"), (-1.0, high, f"{name} <= {high:g}")):
        if not np.isfinite(limit):
            continue
        # sign (J + Σ f (e·mc)² / m - limit) >= 0: squares with sign · f < 0 are on the convex side
        signed = [(e, sign * f) for e, f in squares]
        tight = _Bound(text, np.array(columns.of_link(named.link)), named.element, sign, sign * limit, signed)
        side = Side(named.link, 4 + named.element, sign, limit)
        if all(f < 0 for _, f in signed):
            blocks.append(replace(tight.block([]), side=side))
        else:
            nonconvex.append(
                Nonconvex(name=text, violation=tight.violation, convex_at=tight.convex_at, unit="kg·m²", side=side, column=named.column)
            )
    return Terms(blocks=tuple(blocks), nonconvex=tuple(nonconvex))


@dataclass(frozen=True, eq=False)
class _Bound:
    """sign · J + Σ f (e·mc)² / m - limit >= 0. places : (10,) the link's columns; element : which of J."""

    text: str
    places: IntArray
    element: int
    sign: float
    limit: float
    squares: Sequence[Square]

    def violation(self, x: Array) -> float:
        link = x[self.places]
        m, mc = link[0], link[1:4]
        if m <= 0.0:
            return np.inf
        value = self.sign * link[4 + self.element] + sum(f * float(e @ mc) ** 2 / m for e, f in self.squares)
        return float(self.limit - value)

    def convex_at(self, x: Array) -> Block:
        """The bound with each convex square on the wrong side replaced by its tangent (y²/m >= 2 (y0/m0) y - (y0/m0)² m)."""
        link = x[self.places]
        m, mc = link[0], link[1:4]
        tangents: list[tuple[Array, float, float]] = []
        for e, f in self.squares:
            if f > 0:
                slope = float(e @ mc) / max(float(m), np.finfo(float).tiny)
                tangents.append((e, 2.0 * f * slope, -f * slope**2))
        return self.block(tangents)

    def block(self, tangents: Sequence[tuple[Array, float, float]]) -> Block:
        """Schur complement: [[affine, √|f| e·mc ...], [..., m]] ⪰ 0 for the squares on the right side."""
        convex = [(e, -f) for e, f in self.squares if f < 0]
        size = 1 + len(convex)
        matrices = np.zeros((10, size, size))
        matrices[4 + self.element, 0, 0] = self.sign
        for e, along, mass in tangents:
            matrices[1:4, 0, 0] += along * e
            matrices[0, 0, 0] += mass
        for line, (e, f) in enumerate(convex, start=1):
            matrices[0, line, line] = 1.0
            matrices[1:4, 0, line] = matrices[1:4, line, 0] = np.sqrt(f) * e
        constant = np.zeros((size, size))
        constant[0, 0] = -self.limit
        return Block(name=self.text, constant=constant, matrices=matrices, indices=self.places, unit="kg·m²")


def _squares(element: int) -> list[Square]:
    row, column = INERTIA_ELEMENTS[element]
    axes = np.eye(3)
    if row == column:
        return [(axes[k], -1.0) for k in range(3) if k != row]
    return [(axes[row] + axes[column], 0.25), (axes[row] - axes[column], -0.25)]


@dataclass(frozen=True, eq=False)
class LinkView:
    """One link as a user's function sees it.

    Attributes
    ----------
    name : str
        Of the link.
    mass : float
        [kg]
    com : (3,) array
        Centre of mass in the parameter frame [m].
    inertia : (3, 3) array
        About the centre of mass [kg·m²].
    """

    name: str
    mass: float
    com: Array
    inertia: Array


@dataclass(frozen=True, eq=False)
class UserConstraint:
    """Any Python function of the link parameters; positive return values are violations, if-else and all.

    Attributes
    ----------
    function
        Links -> float or array `links` is a list of LinkView (name, mass, com, inertia), base to tip.
    name : str
        What it demands, for a reader; by default the function's name.
    smooth : bool
        Whether finite differences of it make sense.
    """

    function: Callable[[list[LinkView]], Any]
    name: str = ""
    smooth: bool = False

    def terms(self, robot: Robot, columns: Columns) -> Terms:
        judge = _Judge(self.function, self.name or getattr(self.function, "__name__", "user constraint"), robot, columns)
        return Terms(nonconvex=(Nonconvex(name=judge.title, violation=judge.worst, parts=judge.all, smooth=self.smooth),))


@dataclass(frozen=True, eq=False)
class _Judge:
    """A user's function on the standard columns; no closure, so that it can be sent to worker processes."""

    function: Callable[[list[LinkView]], Any]
    title: str
    robot: Robot
    columns: Columns

    def all(self, x: Array) -> Array:
        try:
            returned = np.asarray(self.function(link_views(self.robot, self.columns.links(x))), dtype=float).ravel()
        except Exception as error:  # it is the user's function, and may raise anything
            raise InputError(f"constraint {self.title!r} raised {type(error).__name__}: {error}; it must return numbers") from error
        if returned.size == 0 or np.any(np.isnan(returned)):
            raise InputError(f"constraint {self.title!r} returned {returned}; numbers were expected, positive where violated")
        return returned

    def worst(self, x: Array) -> float:
        return float(np.max(self.all(x)))


def link_views(robot: Robot, parameters: Array) -> list[LinkView]:
    """Links with their parameters (n, 10), with centres of mass and barycentric inertias; a massless link has its c at the origin."""
    return [LinkView(name, *link_inertia(row)) for name, row in zip(robot.link_names, parameters, strict=True)]
