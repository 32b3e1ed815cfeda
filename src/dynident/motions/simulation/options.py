"""What can be chosen of a simulation: the arm as it really is, its friction, its sensors, and what pushes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from dynident.core.fields import read_fields
from dynident.core.kinds import Hertz, number, parse_number, several, worded
from dynident.core.options import Options, option
from dynident.errors import OptionsError, UnknownNameError, ValueRangeError

if TYPE_CHECKING:
    from dynident.core.arrays import Array
    from dynident.motions.simulation import Elasticity, Payload, Push, Sensors
    from dynident.robots.robot import Robot


def _parse_numbers(text: str) -> list[float]:
    """The numbers between commas; none where one of them isn't a number."""
    numbers = [parse_number(word) for word in text.split(",")]
    return [] if None in numbers else [number for number in numbers if number is not None]


def _parse_load(text: str) -> tuple[float, ...] | None:
    numbers = tuple(_parse_numbers(text))
    return numbers if len(numbers) in (1, 4) else None


def _parse_push(text: str) -> tuple[Any, ...] | None:
    """(start, duration, fx, fy, fz, link) of "T:S:FX,FY,FZ[:LINK]"."""
    words = text.split(":")
    numbers = [number for word in words[:3] for number in _parse_numbers(word)]
    return (*numbers, *words[3:], "")[:6] if len(numbers) == 5 and len(words) in (3, 4) else None


_LOAD = worded(_parse_load, "a mass in kg, or a mass and its centre in m, such as 2,0,0,0.05", "KG[,X,Y,Z]", types=tuple)
_PUSH = worded(_parse_push, "start, duration and a force in base axes, such as 5:0.4:0,0,-10", "T:S:FX,FY,FZ[:LINK]", types=tuple)
_STIFFNESS = several(number(above=0.0, infinite=True), metavar="STIFFNESS")


@dataclass(frozen=True, kw_only=True)
class SimulationChoice(Options):
    """The log, and what of the motion is simulated."""

    friction: str | None = option(None, "Friction model, such as linear or viscous+coulomb.", shown="none")
    noise: Literal["none", "realistic"] = option("none", "none, or realistic: like a recorded Panda.", metavar="NAME")
    rate: Hertz = option(1000.0, "Samples per second of the log.")
    unsigned: bool = option(False, "Record only the magnitude of the torque.", group="The arm")
    friction_parameters: Path | None = option(None, "YAML: each parameter and shape, or a list with one per joint.", group="The arm")
    payload: Annotated[tuple[float, ...], _LOAD] | None = option(
        None, "Hang a mass on the tool, centred at X,Y,Z (m) in its frame.", group="The arm"
    )
    elastic: Annotated[Sequence[float], _STIFFNESS] = option(
        (), "Joint stiffness (N·m/rad, N/m), one or one per joint: 2e4,inf.", group="The arm"
    )
    push: Sequence[Annotated[tuple[Any, ...], _PUSH]] = option(
        (), "Push the tool, or a link, from T s on for S s with a force (N).", group="The arm"
    )
    ignore_limits: bool = option(False, "Follow the trajectory beyond the joints' limits too.", group="Advanced")

    @property
    def load(self) -> Payload | None:
        """A mass, and its centre where there is one."""
        from dynident.motions.simulation import Payload

        if self.payload is None:
            return None
        mass, *com = self.payload
        return Payload(mass=mass, com=(com[0], com[1], com[2]) if com else (0.0, 0.0, 0.0))

    def of(self, robot: Robot) -> dict[str, Any]:
        """The arguments of `simulate` for a robot."""
        return {
            **self._friction(robot),
            "payload": self.load,
            "noise": self._noise(),
            "elasticity": self._elasticity(robot),
            "pushes": [_push(robot, given) for given in self.push],
            "rate": self.rate,
            "check_limits": not self.ignore_limits,
        }

    def _noise(self) -> str | Callable[[Array], Sensors]:
        from dynident.motions.simulation import NOISES

        sensors = NOISES[self.noise]
        return (lambda scale: replace(sensors(scale), unsigned=True)) if self.unsigned else self.noise

    def _elasticity(self, robot: Robot) -> Elasticity | None:
        from dynident.motions.simulation import Elasticity

        if not self.elastic:
            return None
        if len(self.elastic) not in (1, robot.n):
            message = f"has {len(self.elastic)} numbers; one stiffness in N·m/rad or N/m, or {robot.n}, were expected"
            raise ValueRangeError("elastic", message)
        return Elasticity(stiffness=self.elastic[0] if len(self.elastic) == 1 else tuple(self.elastic))

    def _friction(self, robot: Robot) -> dict[str, Any]:
        """The model, and (n, k) its parameters of a YAML file, which may give shape constants too: one for all joints, or one each."""
        if self.friction is None or self.friction == "none":
            if self.friction_parameters is not None:
                raise OptionsError("{friction_parameters} needs {friction}, which names the model that they are of")
            return {}
        import numpy as np

        from dynident.dynamics.friction import friction_model
        from dynident.dynamics.friction.shapes import shape_joints

        model = friction_model(self.friction)
        if self.friction_parameters is None:
            return {"friction": model}
        fields = read_fields(self.friction_parameters)
        shapes = [shape.name for part in model.parts for shape in part.shapes]
        fields.only((*model.parameter_names, *shapes))
        given = {key: np.asarray(fields.per_joint(key, robot.n)) for key in shapes if fields.has(key)}
        theta = np.column_stack([fields.per_joint(key, robot.n) for key in model.parameter_names])
        return {"friction": shape_joints(model, robot.n, given) if given else model, "friction_parameters": theta}


def _push(robot: Robot, given: tuple[Any, ...]) -> Push:
    from dynident.motions.simulation import Push

    start, duration, x, y, z, link = given
    if link and link not in robot.link_names:
        raise UnknownNameError("link", link, robot.link_names)
    return Push(start=start, duration=duration, force=(x, y, z), link=link)
