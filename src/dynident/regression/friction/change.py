"""Friction before and after, compared as torque over the speeds that both logs reached.

Parameters trade against each other (below 0.2 rad/s only the product of φ1 and φ2 shows), the torque doesn't. Its change d at s speeds has
the covariance C = G N Gᵀ + D P Dᵀ: N of the new parameters by the noise of the new log, P of the estimate before, coefficients and shapes
of its friction included, D = G T - G₀ with the slopes G and G₀ of the two curves and the way T in which the new parameters follow the links
of the estimate before. What is uncertain in the links is the same in both curves, and most of it cancels in D.

‖d‖² is compared with what noise makes of it. That asks nothing of directions of d with hardly any variance, in which what is not linear in
the shapes would look like a change.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from dynident.core.arrays import Array
from dynident.core.records import Shape
from dynident.dynamics.friction.model import Parameter, ShapeConstant
from dynident.dynamics.friction.shapes import shape_constants
from dynident.errors import require
from dynident.regression.estimate import Estimate
from dynident.regression.friction.curves import FrictionCurve, friction_curve, separate_columns
from dynident.regression.friction.deviations import ShapeSpread
from dynident.regression.friction.hold_rigid import friction_places
from dynident.regression.uncertainty.quadratic_forms import tail_of_squares

#: Speeds at which friction is compared in either direction, as shares of the largest that a joint reached in both logs.
_SHARES = np.linspace(0.1, 1.0, 10)
#: Of a thousand logs with the same friction one is said to have another in some joint; each joint has an equal part of that.
FALSE_ALARMS = 1e-3


@dataclass(frozen=True, kw_only=True)
class ParameterChange:
    """A friction parameter or shape of a joint before and now."""

    name: str
    symbol: Annotated[str, "what the papers call it, where that is something else"]
    unit: str
    before: Annotated[float | None, "null where there was none"]
    before_std: float | None
    now: float
    now_std: Annotated[float | None, "null where the data don't tell it"]
    difference_std: Annotated[float | None, "what is common to both taken into account"]


@dataclass(frozen=True, kw_only=True, eq=False)
class JointChange:
    """Friction of one joint before and after; what compares them is None where there was no friction before.

    speeds : (s,)              At which both are compared, as far as both logs reached [rad/s | m/s].
    before, after : (s,)       Friction torque there, at constant speed [N·m | N].
    std : (s,)                 Of their difference; of the new one where there was none before.
    chance : float             How probable it is that noise alone makes as large a change of this joint.
    changed : bool             Whether the change is more than noise, given how many joints there are.
    error_before, error_after  RMS of what the model leaves of the new log with either friction [N·m | N].
    parameters                 Those that the model has now.
    """

    joint: str
    unit: str
    speed_unit: str
    speeds: Annotated[Array, Shape("s#")]
    before: Annotated[Array, Shape("s#")] | None
    after: Annotated[Array, Shape("s#")]
    std: Annotated[Array, Shape("s#")]
    chance: float | None
    changed: bool | None
    error_before: float
    error_after: float
    parameters: tuple[ParameterChange, ...]

    @property
    def rms(self) -> float | None:
        """Change of the friction torque over these speeds [N·m | N]."""
        return None if self.before is None else _rms(self.after - self.before)

    @property
    def noise(self) -> float | None:
        """What noise alone makes of it, in the root mean square."""
        return None if self.before is None else _rms(self.std)

    @property
    def deviations(self) -> float | None:
        """The change over what noise alone makes of it."""
        return None if self.rms is None or self.noise is None or self.noise == 0.0 else self.rms / self.noise

    @property
    def percent(self) -> float | None:
        """The change as a share of what the friction was; None where that was nothing."""
        size = 0.0 if self.before is None else _rms(self.before)
        return None if self.rms is None or size == 0.0 else 100.0 * self.rms / size


def _rms(values: Array) -> float:
    return float(np.sqrt(np.mean(values**2)))


def compare_friction(
    before: Estimate, spread: ShapeSpread, after: Estimate, errors_before: Array, *, compared: bool
) -> tuple[JointChange, ...]:
    """Joint by joint.

    spread, after : of the new friction with the links of `before`, and the estimate that it makes.
    errors_before : (n,) RMS of what the estimate before leaves of the new log.
    compared : whether there is something to compare with.
    """
    robot, links = after.base.robot, _follow_links(before, spread)
    reached, earlier = require(after.reached, "the speeds of the new log"), before.reached
    changes: list[JointChange] = []
    for j, joint in enumerate(robot.joints):
        both = reached[j] if earlier is None else np.minimum(reached[j], earlier[j])
        comparable = compared and bool(np.any(both > 0.0))  # else the log before doesn't tell this joint's friction
        sides = zip((-1.0, 1.0), (both if comparable else reached[j]).tolist(), strict=True)
        speeds: Array = np.sort(np.concatenate([sign * size * _SHARES for sign, size in sides if size > 0.0]))
        new = friction_curve(after, j, speeds)
        old = friction_curve(before, j, speeds) if comparable else None
        covariance = _covariance(new, old, links, spread.noise, before)
        chance = None if old is None else tail_of_squares(float(np.sum((new.torque - old.torque) ** 2)), covariance)
        changes.append(
            JointChange(
                joint=joint.name,
                unit=joint.units.effort,
                speed_unit=joint.units.velocity,
                speeds=speeds,
                before=None if old is None else old.torque,
                after=new.torque,
                std=np.sqrt(np.maximum(np.diag(covariance), 0.0)),
                chance=chance,
                changed=None,
                error_before=float(errors_before[j]),
                error_after=float(after.residuals.rms_per_group[j]),
                parameters=_parameters(before if old is not None else None, spread, after, links, j),
            )
        )
    level = FALSE_ALARMS / max(sum(item.chance is not None for item in changes), 1)
    return tuple(item if item.chance is None else replace(item, changed=item.chance < level) for item in changes)


def _follow_links(before: Estimate, spread: ShapeSpread) -> Array:
    """(b' + m', b + m) how coefficients and shapes now follow those of the estimate before, by the links that are the same."""
    old, new = before.base, spread.estimate.base
    of_links = np.isin(old.independent, np.arange(len(old.columns))[old.columns.link_slice])
    K = new.grouping * ~friction_places(new)[:, None]
    follows = np.zeros((len(spread.noise), old.rank + len(before.shapes)))
    places = old.independent[of_links]  # links have the same places among the columns of all bases of a robot
    follows[:, np.flatnonzero(of_links)] = spread.passes @ K[:, places]
    return follows


def _covariance(new: FrictionCurve, old: FrictionCurve | None, links: Array, noise: Array, before: Estimate) -> Array:
    """(s, s) of the new curve minus the old one; of the new one where there is no old one."""
    follows = new.slopes @ links - (0.0 if old is None else old.slopes)
    return new.slopes @ noise @ new.slopes.T + follows @ before.whole_covariance @ follows.T


def _parameters(before: Estimate | None, spread: ShapeSpread, after: Estimate, links: Array, j: int) -> tuple[ParameterChange, ...]:
    """before : None where there is nothing to compare with."""
    old = {} if before is None else _places(before, j)
    changes: list[ParameterChange] = []
    for name, (place, item, value, std) in _places(after, j).items():
        earlier, earlier_std, apart = None, None, None
        if before is not None and name in old:
            old_place, _, earlier, earlier_std = old[name]
            one, other = (np.eye(size)[[at]] for size, at in ((len(spread.noise), place), (len(before.whole_covariance), old_place)))
            curves = FrictionCurve(np.zeros(1), one), FrictionCurve(np.zeros(1), other)
            if std is not None and earlier_std is not None:
                apart = float(np.sqrt(max(float(_covariance(*curves, links, spread.noise, before)[0, 0]), 0.0)))
        changes.append(
            ParameterChange(
                name=name,
                symbol=item.symbol,
                unit=item.unit.of(after.base.robot.joints[j].type),
                before=earlier,
                before_std=earlier_std,
                now=value,
                now_std=std,
                difference_std=apart,
            )
        )
    return tuple(changes)


def _places(estimate: Estimate, j: int) -> dict[str, tuple[int, Parameter | ShapeConstant, float, float | None]]:
    """A joint's friction parameters and fitted shapes by name: place among coefficients and shapes, what it is, value and std."""
    base = estimate.base
    if base.friction is None:
        return {}
    entries: dict[str, tuple[int, Parameter | ShapeConstant, float, float | None]] = {
        column.parameter: (place, base.friction.parameters[column.slot], float(estimate.values[place]), float(estimate.std[place]))
        for place, column in separate_columns(estimate, j).items()
    }
    constants = {shape.name: shape for shape in shape_constants(base.friction.of_joint(j))}
    for i, shape in enumerate(estimate.shapes):
        if shape.joint == base.robot.joint_names[j]:
            entries[shape.name] = (base.rank + i, constants[shape.name], shape.value, shape.std)
    return entries
