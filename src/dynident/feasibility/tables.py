"""A retrieval problem and its answer as tables and sentences: what the terminal and `print(result)` show."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dynident.core.results import Report, Row, Table, decimal_text, number_form
from dynident.feasibility.problem import REACH, RetrievalProblem
from dynident.feasibility.result import LinkParameters, Range

#: In the order in which they are worth knowing.
_KINDS = ("data", "constraint", "prior")


def link_report(result: LinkParameters) -> Report:
    """Every link with its range and what determines it, friction, and how far from the best possible the fit is."""
    base = result.base
    tables = [_link_table(result), *_friction_table(result)]
    return Report(
        header=(f"{base.robot.name}: {result.status.value}", f"{result.objective_name}, {result.found_by}"),
        tables=tuple(tables),
        facts=_facts(result),
        notes=result.notes,
    )


def link_records(result: LinkParameters) -> list[dict[str, Any]]:
    robot, columns = result.base.robot, result.base.columns
    owners = [robot.link_names[entry.link] for entry in columns.of_links]
    owners += [robot.joint_names[entry.joint] for entry in columns.of_friction]
    owners += [""] * len(columns.of_extra)
    rows: list[dict[str, Any]] = []
    for i, (owner, name, unit) in enumerate(zip(owners, columns.names, columns.units, strict=True)):
        known = result.ranges[i] if i < len(result.ranges) else None
        ends = {"low": None, "high": None, "determined_by": ""} if known is None else vars(known)
        rows.append({"of": owner, "parameter": name, "value": float(result.x[i]), "unit": unit, **ends})
    return rows


def condition_records(problem: RetrievalProblem) -> list[dict[str, Any]]:
    terms = problem.terms
    kinds = {"convex": terms.blocks, "equality": terms.equalities, "not convex": terms.nonconvex, "one of several": terms.alternatives}
    return [{"condition": item.name, "kind": kind, "unit": item.unit} for kind, items in kinds.items() for item in items]


def problem_report(problem: RetrievalProblem) -> Report:
    """What is fitted, what must hold, and what chooses where neither does."""
    rows = tuple(Row(tuple(item.values())) for item in condition_records(problem))
    prior = problem.prior
    chosen = "no prior" if prior is None else f"prior toward {prior.toward} ({prior.metric}), weight {prior.weight:.1g}"
    table = Table(title="Conditions", headings=("condition", "kind", "unit"), rows=rows, left=frozenset({0, 1, 2}))
    return Report(header=(problem.headline, chosen), tables=(table,), facts=(), notes=problem.notes)


def _link_table(result: LinkParameters) -> Table:
    robot = result.base.robot
    rows: list[Row] = []
    bodies = [result.com_and_inertia(i) for i in range(robot.n)]
    of_mass, of_end = (number_form(decimals, [body.mass for body in bodies]) for decimals in (4, 3))
    of_com = f"7{number_form(4, [float(value) for body in bodies for value in body.com])}"
    for i, (name, margin) in enumerate(zip(robot.link_names, result.margins, strict=True)):
        mass, com, inertia = bodies[i]
        own = result.link_ranges(i)
        width = _range(own[0], of_end) if own else ""
        cells = (format(mass, of_mass), width, _numbers(com, of_com), _numbers(np.linalg.eigvalsh(inertia), "8.2e"))
        rows.append(Row((name, *cells, f"{margin:.2e}", _determined(own))))
    headings = ("link", "mass [kg]", "from .. to", "centre of mass [m]", "principal inertias [kg·m²]", "margin", "parameters determined by")
    return Table(title="Links", headings=headings, rows=tuple(rows), left=frozenset({0, 6}))


def _determined(ranges: tuple[Range, ...]) -> str:
    """data 3, constraint 2, prior 5: how many of the ten."""
    counts = Counter(item.determined_by for item in ranges)
    return ", ".join(f"{kind} {counts[kind]}" for kind in _KINDS if counts[kind])


def _friction_table(result: LinkParameters) -> list[Table]:
    base, values = result.base, result.friction_parameters
    if base.friction is None or values is None:
        return []
    rows: list[Row] = []
    form = number_form(4, values.ravel().tolist())
    names = (*base.friction.parameter_names, *base.friction.shape_names)
    for j, (joint, row) in enumerate(zip(base.robot.joint_names, values, strict=True)):
        own = {name: format(value, form) for name, value in base.friction.values_of(j, row).items()}
        own |= {name: f"{value:.4g}" for name, value in base.friction.of_joint(j).shapes_by_name().items()}
        rows.append(Row((joint, *(own.get(name, "–") for name in names))))
    headings = ("joint", *base.friction.headings(base.robot.joints, shapes=True))
    return [Table(title=f"Friction ({base.friction.name})", headings=headings, rows=tuple(rows), left=frozenset({0}))]


def _facts(result: LinkParameters) -> tuple[str, ...]:
    facts = [f"Total mass {decimal_text(result.total_mass, 4)} kg."]
    if result.training is not None:
        fitted, links = result.training
        facts.append(f"On the data of the fit these links leave {links:.3g} % of the effort unexplained, the coefficients {fitted:.3g} %.")
    bound = f"{result.lower_bound:.6g}" if math.isfinite(result.lower_bound) else "not known"
    facts.append(f"Objective {result.objective:.6g}, lower bound {bound}, gap {result.gap_in_words}.")
    if result.problem is not None and result.problem.goal is result.problem.objective and math.isfinite(result.lower_bound):
        facts.append(f"The lower bound is about parameters of at most {REACH * result.problem.unit:g} (kg, kg·m, kg·m²).")
    facts += [f"Of the branches of {rule} this holds: {branch}." for rule, branch in result.branches]
    if result.ranges and result.branches:
        facts.append("Ranges are those of the chosen branches; another branch may allow values beyond them.")
    if result.ranges:
        facts.append("Ranges are marginal: each is what one parameter can be while all others adapt; not every combination is possible.")
    if len(result.solutions) > 1:
        found = ", ".join(f"{item.objective:.6g} (start {item.start + 1})" for item in result.solutions[:5])
        facts.append(f"Distinct answers: {len(result.solutions)}; objectives {found}{', ...' if len(result.solutions) > 5 else ''}.")
    facts += [f"Violated: {violation}." for violation in result.violations]
    return tuple(facts)


def _range(item: Range, form: str) -> str:
    return f"{_end(item.low, form)} .. {_end(item.high, form)}"


def _end(value: float, form: str) -> str:
    if not math.isfinite(value):
        return "inf" if value > 0 else "-inf"
    return format(value, form).replace("-0.000", "0.000")


def _numbers(values: ArrayLike, form: str) -> str:
    return " ".join(format(float(value), form) for value in np.asarray(values))
