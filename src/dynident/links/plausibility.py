"""Would a person believe these links? What no solver asks: do they explain the data, and is this an arm of that size?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from dynident.core.arrays import Array
from dynident.links.constraints.terms import Terms
from dynident.links.objective import one_step
from dynident.links.problem import RetrievalProblem
from dynident.links.solvers.conic import ConicStatus
from dynident.regression.equations.base import BaseParameters
from dynident.regression.problem import Problem
from dynident.regression.solution import FAR_ABOVE, explains_badly, residuals
from dynident.robots.kinematics import arm_reach
from dynident.robots.parameters import LinkInertia, link_inertia
from dynident.robots.robot import Robot
from dynident.robots.solids import Origin, robot_solids
from dynident.robots.uniform_links import link_span

#: In a single joint, whose effort may be little more than noise, links that explain badly are worth a note from a tenth of it [%].
CLEARLY_OF_JOINT = 10.0
#: A joint of whose effort more than this is unexplained is reason to ask for reversed signs [%].
UNEXPLAINED = 50.0
#: What a reversed effort costs, -2 log p: one in 1,800 before any data. Single joints, two pairs and all joints of the recorded KUKA,
#: Panda, TX40 and TIAGo were reversed (40 cases): right signs are ahead by 20 or more, but for joint 7 of the KUKA, of which the log tells
#: 11 at most. Chosen after these cases had been seen.
REVERSED = 15.0
#: A total mass beyond this factor of the nominal one.
MASS_FACTOR = 3.0
#: How far from the span between its joints a link may reach, as a share of the arm's reach.
BEYOND_SPAN = 0.2


@dataclass(frozen=True, kw_only=True)
class Misfit:
    """How links explain the data of the fit worse than the coefficients do.

    failed : bool       Far worse over all joints, or with reversed efforts: these are not the robot's links.
    joints : {name: (coefficients, links)}   With far more unexplained by the links than by the coefficients [% of the joint's effort].
    reversed : names    Joints whose effort is recorded with the other sign, as far as one can tell.
    signs : (n,)        What to multiply the efforts by then.
    """

    failed: bool
    joints: dict[str, tuple[float, float]]
    reversed: tuple[str, ...] = ()
    signs: tuple[int, ...] = ()

    def __str__(self) -> str:
        clauses: list[str] = []
        if self.joints:
            (first, (fitted, links)), *others = sorted(self.joints.items(), key=lambda item: -item[1][1])
            rest = "".join(f", of {name} {after:.0f} and {before:.0f} %" for name, (before, after) in others)
            left = f"the links leave {links:.0f} % unexplained on the data of the fit, the coefficients {fitted:.0f} %"
            clauses.append(f"of the effort of {first} {left}{rest}")
        if self.reversed:
            whose = "all joints" if -1 in self.signs and 1 not in self.signs else ", ".join(self.reversed)
            clauses.append(f"the effort of {whose} seems to be recorded with the other sign: turned round, links explain it far better")
        return "; ".join(clauses)


def find_misfit(problem: RetrievalProblem, x: Array) -> Misfit | None:
    """What links x leave unexplained that the coefficients explain, over all joints and joint by joint; None where there is nothing."""
    if problem.data is None or problem.fitted is None:
        return None
    fitted, links = problem.fitted, residuals(problem.data, problem.base.coefficients(x))
    optimism = find_optimism(problem)
    failed = explains_badly(optimism * fitted.relative_percent, links.relative_percent)
    if problem.base.equations != "torque":
        return Misfit(failed=True, joints={}) if failed else None
    before, after = fitted.relative_percent_per_group, links.relative_percent_per_group
    far = (after > FAR_ABOVE * optimism * before) & (after > optimism * before + CLEARLY_OF_JOINT)
    joints = {links.names[j]: (float(before[j]), float(after[j])) for j in np.flatnonzero(far)}
    if not failed and not joints and np.all(after <= UNEXPLAINED):
        return None
    reversed = find_reversed(problem)
    if not failed and not joints and not reversed:
        return None
    return Misfit(
        failed=failed or bool(reversed),
        joints=joints,
        reversed=tuple(links.names[joint] for joint in reversed),
        signs=tuple(-1 if joint in reversed else 1 for joint in range(problem.base.robot.n)),
    )


def find_optimism(problem: RetrievalProblem) -> float:
    """How many times smaller than the noise the coefficients' error is on the data of the fit, because they were fitted to it.

    √(N / (N - b)) for b coefficients of N independent equations; infinite where there are no more than b, which b coefficients explain
    whatever they are.
    """
    independent = problem.objective.noise
    if problem.objective.levels is None or independent is None:
        return 1.0
    return float(np.sqrt(independent / (independent - problem.base.rank))) if independent > problem.base.rank else np.inf


def find_reversed(problem: RetrievalProblem) -> tuple[int, ...]:
    """Joints, from 0, whose efforts are more probable with the other sign, what reversed ones cost included.

    Friction opposes the motion with either sign, which is what tells the signs of a wrist.
    """
    data, levels = problem.data, problem.objective.levels
    if data is None or levels is None or problem.objective.noise is None:  # else merits are not in units of the noise
        return ()

    # neither prior nor Hessian changes with the signs, so that merits compare as the probabilities of the data do
    def cost(turned: frozenset[int]) -> float:
        return _turn(problem, data, levels, turned) + REVERSED * len(turned)

    joints = frozenset(range(len(data.groups)))
    costs = {turned: cost(turned) for turned in (frozenset[int](), joints)}  # one joint alone does not explain reversed gravity
    while True:
        best = min(costs, key=lambda turned: costs[turned])
        costs |= {other: cost(other) for joint in joints if (other := best ^ {joint}) not in costs}
        if min(costs.values()) == costs[best]:
            return tuple(sorted(best))


def _turn(problem: RetrievalProblem, data: Problem, levels: Array, joints: Iterable[int]) -> float:
    """Merit of the best links where the efforts of some joints have the other sign."""
    factors = list(data.factors)
    for joint in joints:
        factors[joint] = np.column_stack([factors[joint][:, :-1], -factors[joint][:, -1]])
    other = replace(problem, objective=one_step(replace(data, factors=tuple(factors)), levels))
    return other.merit(other.relaxed.x) if other.relaxed.status is ConicStatus.SOLVED else np.inf


#: What is to blame where links that fit the data themselves, within the same constraints, explain them.
DISTANCE = "the distance to the coefficients"


def find_costliest(problem: RetrievalProblem) -> str:
    """`DISTANCE`; else of the prior and each kind of constraint, the one without which the data are explained best."""
    if problem.data is not None and problem.objective.levels is None and _explains_by_data(problem, problem.data):
        return DISTANCE
    blocks = problem.terms.blocks
    kinds = dict.fromkeys(block.name.split(" of ")[0] for block in blocks)
    others = {kind: replace(problem.terms, blocks=tuple(b for b in blocks if b.name.split(" of ")[0] != kind)) for kind in kinds}
    tried = {kind: replace(problem, terms=terms) for kind, terms in others.items()}
    if problem.prior is not None:
        tried["the prior"] = replace(problem, prior=None)
    if problem.terms.equalities:
        tried["what is known or held equal"] = replace(problem, terms=replace(problem.terms, equalities=()))
    errors = {name: _error_without(item) for name, item in tried.items()}
    return min(errors, key=lambda name: errors[name]) if errors else "the model"


def _explains_by_data(problem: RetrievalProblem, data: Problem) -> bool:
    """Whether the links that fit the rows themselves explain them, where those nearest to the coefficients don't."""
    other = replace(problem, objective=one_step(data), prior=None)
    if other.relaxed.status is not ConicStatus.SOLVED:
        return False
    misfit = find_misfit(other, other.relaxed.x)
    return misfit is None or not misfit.failed


def _error_without(problem: RetrievalProblem) -> float:
    relaxed = replace(problem, terms=Terms(blocks=problem.terms.blocks, equalities=problem.terms.equalities)).relaxed
    return problem.objective.value(relaxed.x) if relaxed.status is ConicStatus.SOLVED else np.inf


def doubts(base: BaseParameters, parameters: Array) -> Iterator[str]:
    """What no arm like this robot can be, in sentences."""
    robot = base.robot
    mass = float(parameters[:, 0].sum())
    nominal = None if robot.parameters is None else float(robot.parameters[:, 0].sum())
    if nominal is not None and nominal > 0.0 and not nominal / MASS_FACTOR <= mass <= MASS_FACTOR * nominal:
        yield f"the links weigh {mass:.3g} kg in all, and the nominal ones {nominal:.3g} kg; one of the two is wrong"
    room = BEYOND_SPAN * arm_reach(robot)
    if room == 0.0:
        return
    outside: list[str] = []
    wide: list[str] = []
    for i, name in enumerate(robot.link_names):
        body = link_inertia(parameters[i], name)
        if body.mass <= 0.0 or not any(_exceeds(body, *link_span(robot, i), room)):
            continue
        is_outside, is_wide = _exceeds(body, *_described_span(robot, i), room)  # shapes can be large files, and are asked for last
        outside += [name] * is_outside
        wide += [name] * is_wide
    if outside:
        yield f"the centre of mass of {', '.join(outside)} lies outside of the link"
    if wide:
        yield f"the inertia of {', '.join(wide)} is that of a body larger than the link"


def _exceeds(body: LinkInertia, low: Array, high: Array, room: float) -> tuple[bool, bool]:
    """Whether a body's centre of mass is out of a box with room around it, and whether its inertia is too large for that box.

    Of a body, the trace of the inertia is twice its second moment, and a body that fills a box has at most half the diagonal.
    """
    outside = bool(np.any(body.com < low - room) or np.any(body.com > high + room))
    gyration = float(np.sqrt(max(np.trace(body.inertia), 0.0) / (2.0 * body.mass)))
    return outside, gyration > 0.5 * float(np.linalg.norm(high - low + 2.0 * room))


def _described_span(robot: Robot, i: int) -> tuple[Array, Array]:
    """The box around a link's joints and the shapes that its description gives it; the last link of many files ends in no frame."""
    corners = [*link_span(robot, i)]
    for solid in robot_solids(robot).solids:
        if solid.body == i and solid.origin is not Origin.KINEMATIC:
            corners += [solid.points.min(axis=0) - solid.radius, solid.points.max(axis=0) + solid.radius]
    return np.min(corners, axis=0), np.max(corners, axis=0)
