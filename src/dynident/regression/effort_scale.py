"""Whether the efforts of a log are of the size that the links of the description need: another unit shows as one factor in all joints.

The links' share b of the efforts is nearly s times their prediction y, friction taken out of both. A regression of b on y makes the
factor s too small where y is wrong in other ways too, one of y on b makes it too large; the truth lies between the two.
"""

from __future__ import annotations

import numpy as np

from dynident.core.linear_algebra import least_squares
from dynident.core.texts import short_number
from dynident.regression.estimate import Estimate
from dynident.robots.uniform_links import uniform_links

#: A factor beyond this, with certainty, is no description's error. Of 99 virtual arms whose links are off by up to two it is 0.39 to
#: 2.4, of the recorded KUKA and Panda 0.95 and 1.0; kgf·cm make 10, currents 1/16 (`python -m benchmarks.run effort_scale`).
NOMINAL_FACTOR = 3.0
#: The same beside uniform links of the density of water, where nothing describes them: 0.24 to 5.7 on 132 virtual arms, 0.16 and 0.48 on
#: the recorded two.
UNIFORM_FACTOR = 10.0


def effort_scale(estimate: Estimate) -> tuple[float, float] | None:
    """Least and largest factor between the efforts of the fit and those of the nominal links, else of uniform ones; None where unknown."""
    base = estimate.base
    robot, problem, links = base.robot, estimate.problem, base.columns.link_slice
    if problem is None or base.equations != "torque" or base.known:
        return None
    nominal = uniform_links(robot) if robot.parameters is None else robot.parameters
    rows = problem.stack(1.0 / estimate.row_noise)
    predicted = rows[:, :-1] @ (base.grouping[:, links] @ nominal.ravel())
    others = rows[:, :-1] @ base.grouping[:, links.stop :]
    others = others[:, np.any(others != 0.0, axis=0)]
    if others.shape[1]:
        others = others / np.linalg.norm(others, axis=0)
    y, b = (values - others @ least_squares(others, values) for values in (predicted, rows[:, -1]))
    together = float(y @ b)
    return (together / float(y @ y), float(b @ b) / together) if together > 0.0 else None


def doubt_scale(estimate: Estimate) -> tuple[str, ...]:
    """The sentence that says that the efforts, or all masses of the description, are of another unit; empty where they are not."""
    scale = effort_scale(estimate)
    described = estimate.base.robot.parameters is not None
    factor = NOMINAL_FACTOR if described else UNIFORM_FACTOR
    if scale is None or (scale[0] <= factor and scale[1] >= 1.0 / factor):
        return ()
    what, also = (
        ("the links of the description", ", or the masses of the description are wrong") if described else ("links of such a size", "")
    )
    size = short_number(float(np.sqrt(scale[0] * scale[1])))
    return (f"the efforts are {size} times what {what} need, so they are in another unit (currents, kgf·cm, torques before gears){also}",)
