"""Retrievals, their answers, samples of the posterior, costs of runs and repairs as tables."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import zip_longest
from typing import Any

import numpy as np

from dynident.core.texts import decimal_text, listing, number_form, percent_text, value_text
from dynident.links.posterior import REACH
from dynident.links.problem import RetrievalProblem
from dynident.links.repairs.nearest import MASS_SHARE
from dynident.links.repairs.repair import Repair, RepairedLink
from dynident.links.result import LinkParameters, Range
from dynident.links.run_costs import RunCosts
from dynident.links.samples import PosteriorSamples
from dynident.reports.links_figures import link_figures, problem_figure, run_cost_figure, sample_figure
from dynident.reports.regression import joint_friction_table
from dynident.reports.robot_figures import robot_figure
from dynident.reports.show import show
from dynident.reports.tables import Column, Table, rows_of
from dynident.robots.parameters import link_inertia, to_com

#: In the order in which they are worth knowing.
_KINDS = ("data", "constraint", "prior")
#: Base parameters that a repair lists at most.
_SHOWN = 10

# ------------------------------------------------------------------------------------------------------------------------- links


def _links_headline(result: LinkParameters) -> str:
    state = "feasible" if result.feasible else "not feasible"
    return f"{result.base.robot.name}, {state}, {result.total_mass:.4g} kg, gap {result.gap_in_words}"


def link_table(result: LinkParameters) -> Table:
    """The links, nominal values beside them, the range of their masses, and what determines their parameters."""
    robot, nominal = result.base.robot, result.base.robot.parameters
    bodies = [result.com_and_inertia(i) for i in range(robot.n)]
    ranges = [result.link_ranges(i) for i in range(robot.n)]
    nominal_masses: list[float] | None = None if nominal is None else nominal[:, 0].tolist()
    nominal_coms = None if nominal is None else [tuple(link_inertia(row).com.tolist()) for row in nominal]
    masses, coms = [float(mass) for mass, _, _ in bodies], [tuple(com.tolist()) for _, com, _ in bodies]
    end, place = f"z{number_form(3, masses)}", f"z7{number_form(4, [value for com in coms for value in com])}"
    columns = {
        Column("link"): robot.link_names,
        Column("frame"): [link.frame for link in robot.links],
        Column("mass", "mass [kg]", number_form(4, masses)): masses,
        Column("nominal_mass", "nominal [kg]", number_form(4, nominal_masses or ())): nominal_masses,
        Column("range", "from .. to", end, separator=" .. ", missing=""): [(of[0].low, of[0].high) if of else None for of in ranges],
        Column("com", "centre of mass [m]", place): coms,
        Column("nominal_com", "nominal [m]", place): nominal_coms,
        Column("inertias", "principal inertias [kg·m²]", ".2e", separator="  ", math=True): [
            tuple(np.linalg.eigvalsh(inertia).tolist()) for _, _, inertia in bodies
        ],
        Column("margin", form=".2e", math=True): result.margins,
        Column("determined", "parameters determined by"): [_determined(item) for item in ranges],
    }
    return Table.of_columns("Links", columns)


def _determined(ranges: tuple[Range, ...]) -> str:
    """data 3, constraint 2, prior 5: how many of the ten."""
    counts = Counter(item.determined_by for item in ranges)
    return ", ".join(f"{kind} {counts[kind]}" for kind in _KINDS if counts[kind])


def _friction_table(result: LinkParameters) -> Table | None:
    friction, values = result.base.friction, result.friction_parameters
    if friction is None or values is None:
        return None
    rows = [{**friction.values_of(j, row), **friction.of_joint(j).shapes_by_name()} for j, row in enumerate(values)]
    return joint_friction_table(friction, result.base.robot, rows, shapes=True)


def _link_facts(result: LinkParameters) -> Iterator[str]:
    yield f"Total mass {decimal_text(result.total_mass, 4)} kg."
    if result.training is not None:
        fitted, links = result.training
        yield f"On the data of the fit these links leave {links:.3g} % of the effort unexplained, the coefficients {fitted:.3g} %."
    bound = f"{result.lower_bound:.6g}" if math.isfinite(result.lower_bound) else "not known"
    yield f"Objective {result.objective:.6g}, lower bound {bound}, gap {result.gap_in_words}."
    if result.problem is not None and result.problem.goal is result.problem.objective and math.isfinite(result.lower_bound):
        yield f"The lower bound is about parameters of at most {REACH * result.problem.unit:g} (kg, kg·m, kg·m²)."
    yield from (f"Of the branches of {rule} this holds: {branch}." for rule, branch in result.branches)
    if result.ranges and result.branches:
        yield "Ranges are those of the chosen branches; another branch may allow values beyond them."
    if result.ranges:
        yield "Ranges are marginal: each is what one parameter can be while all others adapt; not every combination is possible."
    if len(result.solutions) > 1:
        objectives = ", ".join(f"{item.objective:.6g} (start {item.start + 1})" for item in result.solutions[:5])
        yield f"Distinct answers: {len(result.solutions)}; objectives {objectives}{', ...' if len(result.solutions) > 5 else ''}."
    yield from (f"Violated: {violation}." for violation in result.violations)


def _link_records(result: LinkParameters) -> list[dict[str, Any]]:
    """One row per parameter of a link or of friction: value, unit, range, what determines it."""
    robot, columns = result.base.robot, result.base.columns
    owners = [robot.link_names[entry.link] for entry in columns.of_links]
    owners += [robot.joint_names[entry.joint] for entry in columns.of_friction]
    owners += [""] * len(columns.of_extra)
    rows = rows_of({"of": owners, "parameter": columns.names, "value": result.x, "unit": columns.units})
    unknown = {"low": None, "high": None, "determined_by": ""}
    return [{**row, **(unknown if item is None else vars(item))} for row, item in zip_longest(rows, result.ranges)]


show(
    LinkParameters,
    headline=_links_headline,
    header=lambda result: [f"{result.base.robot.name}: {result.status.value}", f"{result.objective_name}, {result.found_by}"],
    tables=lambda result: [link_table(result).without("frame", "nominal_mass", "nominal_com"), _friction_table(result)],
    facts=_link_facts,
    records=_link_records,
    figures=link_figures,
)

# ---------------------------------------------------------------------------------------------------------------------- problems


def _condition_table(problem: RetrievalProblem) -> Table:
    """What must hold; one row per condition."""
    terms = problem.terms
    kinds = {"convex": terms.blocks, "equality": terms.equalities, "not convex": terms.nonconvex, "one of several": terms.alternatives}
    rows = tuple({"condition": item.name, "kind": kind, "unit": item.unit} for kind, items in kinds.items() for item in items)
    return Table("Conditions", rows, tuple(Column(name, left=True) for name in ("condition", "kind", "unit")))


def _problem_header(problem: RetrievalProblem) -> list[str]:
    """What is fitted, and what chooses where neither it nor the conditions do."""
    prior = problem.prior
    if prior is None:
        return [problem.headline, "no prior"]
    weighed = prior.knowledge if prior.fixed else f" ({prior.metric}), weight {prior.weight:.1g}"
    return [problem.headline, f"prior toward {prior.toward}{weighed}"]


show(
    RetrievalProblem,
    headline=lambda problem: (
        f"{problem.base.robot.name}, {problem.objective.name}, {problem.variables} parameters, {problem.terms.count} conditions"
    ),
    header=_problem_header,
    tables=lambda problem: [_condition_table(problem)],
    figures=lambda problem: [problem_figure(problem)],
)

# ----------------------------------------------------------------------------------------------------------------------- samples


def _samples_headline(samples: PosteriorSamples) -> str:
    mean, std = float(samples.total_mass.mean()), float(samples.total_mass.std())
    return f"{samples.base.robot.name}, {len(samples)} samples, {value_text(mean, std)} kg"


def spread_table(samples: PosteriorSamples) -> Table:
    """Per link how far the samples spread."""
    columns = (
        Column("link"),
        Column("mass", "most probable [kg]", ".3f"),
        Column("sampled", "sampled [kg]", ".3f", of=lambda row: (row["mass_mean"], row["mass_std"]), separator=" ± "),
        Column("mass_quantiles", "5 to 95 %", ".2f", of=lambda row: tuple(row["mass_quantiles"]), separator=" .. "),
        Column("com_std", "com ± [mm]", "4.0f", of=lambda row: tuple(1000.0 * value for value in row["com_std"]), separator="  "),
        Column("inertia_mean", "principal inertias [kg·m²]", ".1e", of=lambda row: tuple(row["inertia_mean"]), separator="  "),
        Column("inertia_std_percent", "± [%]", "4.0f", of=lambda row: tuple(row["inertia_std_percent"]), separator="  "),
    )
    return Table("Spread of the links", tuple(samples.spread()), columns)


def _sample_facts(samples: PosteriorSamples) -> Iterator[str]:
    columns, mass = samples.base.columns, samples.total_mass
    yield f"Total mass {value_text(mass.mean(), mass.std())} kg, most probable {samples.best_masses.sum():.4g} kg."
    yield f"Of all that was drawn, {100.0 * samples.acceptance:.2g} % is within the constraints; these are {len(samples)} of them."
    if samples.branches:
        drawn = "; ".join(f"{rule}: {branch}" for rule, branch in samples.branches)
        yield f"Drawn within the branches that the links have ({drawn}); other branches are left out."
    if columns.of_friction:
        spread = samples.x[:, columns.friction_slice].std(axis=0)
        worst = int(np.argmax(spread / np.maximum(np.abs(samples.best[columns.friction_slice]), 1e-12)))
        entry = columns.of_friction[worst]
        yield f"Friction is drawn with the links; {entry.name} is the least certain, ± {spread[worst]:.2g} {entry.unit}."


def _sample_records(samples: PosteriorSamples) -> list[dict[str, Any]]:
    """One row per sample: its number from 1, and every parameter by name."""
    return rows_of({"sample": range(1, len(samples) + 1), **dict(zip(samples.base.columns.names, samples.x.T, strict=True))})


show(
    PosteriorSamples,
    headline=_samples_headline,
    header=lambda samples: [f"{samples.base.robot.name}: {len(samples)} parameter sets that data, prior and constraints leave open"],
    tables=lambda samples: [spread_table(samples)],
    facts=_sample_facts,
    records=_sample_records,
    figures=lambda samples: [sample_figure(samples)],
)

# -------------------------------------------------------------------------------------------------------------------------- runs


def _cost_table(costs: RunCosts) -> Table:
    feasible, bound = costs.found, costs.lower_bound
    rows = {"lower bound": bound, **costs.beside}
    if len(feasible):
        shares = {"best": 0.0, "first quartile": 0.25, "median": 0.5, "third quartile": 0.75, "worst": 1.0}
        rows |= {f"{name} run": float(np.quantile(feasible, share)) for name, share in shares.items()}
    above = [100.0 * (cost / bound - 1.0) for cost in rows.values()] if bound > 0.0 else None
    columns = {
        Column("what"): rows,
        Column("cost", form=".4e"): rows.values(),
        Column("above", "above the bound", percent_text, missing=""): above,
    }
    return Table.of_columns("Costs of the runs that ended feasible", columns)


show(
    RunCosts,
    headline=lambda costs: (
        f"{len(costs.costs)} runs of {costs.solver}, {len(costs.found)} feasible, best {costs.best:.4g}, bound {costs.lower_bound:.4g}"
    ),
    header=lambda costs: [costs.headline],
    tables=lambda costs: [_cost_table(costs)],
    facts=lambda costs: (
        f"{int(np.sum(costs.found < cost))} of {len(costs.costs)} runs are below {name}." for name, cost in costs.beside.items()
    ),
    records=lambda costs: rows_of({"run": range(1, len(costs.costs) + 1), "cost": costs.costs, "feasible": costs.feasible}),
    figures=lambda costs: [run_cost_figure(costs)],
)

# ----------------------------------------------------------------------------------------------------------------------- repairs


def _changed_table(links: Sequence[RepairedLink]) -> Table:
    mass = partial(decimal_text, decimals=4)
    columns = (
        Column("name", "link"),
        Column("mass", "mass [kg]", mass, of=lambda link: float(link.before[0])),
        Column("new_mass", "new", mass, of=lambda link: float(link.after[0])),
        Column("com", "CoM moved by [m]", ".2g", of=lambda link: _change(link)[0]),
        Column("inertia", "inertia changed by [kg·m²]", ".2g", of=lambda link: _change(link)[1]),
        Column("margin", "margin [kg·m²]", ".2e", of=lambda link: link.margins[0]),
        Column("new_margin", "new", ".2e", of=lambda link: link.margins[1]),
    )
    return Table("Changed links", tuple(links), columns)


def _change(link: RepairedLink) -> tuple[float | None, float | None]:
    """How far the centre of mass moved [m], and how much the inertia about it changed [kg·m²]; None without mass."""
    if link.before[0] == 0.0 or link.after[0] == 0.0:
        return None, None
    (_, c0, I0), (_, c1, I1) = to_com(link.before), to_com(link.after)
    return float(np.linalg.norm(c1 - c0)), float(np.linalg.norm(I1 - I0, 2))


def _repair_tables(result: Repair) -> Iterator[Table]:
    """The links that changed, and the base parameters that had to."""
    if result.changed:
        yield _changed_table(result.changed)
    if result.moved:
        moved = list(result.moved[:_SHOWN])
        before, after = result.coefficients[:, moved]
        columns = {
            Column("coefficient"): [result.base.expressions[i] for i in moved],
            Column("before", form=".6g"): before,
            Column("after", form=".6g"): after,
            Column("change", form=".2g"): after - before,
            Column("unit"): [result.base.units[i] for i in moved],
        }
        yield Table.of_columns("Base parameters that had to change", columns)


def _repair_sentence(result: Repair) -> str:
    if not result.changed:
        return f"{result.robot.name}: every link is consistent already; nothing was changed"
    return f"{result.robot.name}: {len(result.changed)} of {len(result.links)} links changed"


def _repair_facts(result: Repair) -> Iterator[str]:
    if not result.changed:
        return
    if not result.moved:
        yield "The base parameters, and with them all torques of the robot, are as they were."
    else:
        listed = f", the largest {_SHOWN} are listed" if len(result.moved) > _SHOWN else ""
        why = (
            "No consistent links have the base parameters of this robot, which is proven"
            if result.impossible
            else "No consistent links with the base parameters of this robot were found, but that there are none is not proven"
        )
        yield f"{why}: {len(result.moved)} of {result.base.rank} changed{listed}."
    before, after = result.masses
    if before <= 0.0 or abs(after / before - 1.0) > MASS_SHARE:
        yield f"The mass of all links changes from {before:.4g} to {after:.4g} kg; weigh what you can, and give it to the description."
    for link in result.shrunk:
        yield f"{link.name} keeps {100 * link.share_left:.2g} % of its mass or size, because no other consistent links were found."


def _repair_notes(result: Repair) -> Iterator[str]:
    if result.refused:
        yield f"MuJoCo refuses {listing(result.refused, 6)}: no inertia, or that of a point or a rod; give them one, or fix massless links"


def _repair_records(result: Repair) -> list[dict[str, Any]]:
    """One row per source link: mass and margin before and after."""
    return [
        {
            "link": link.name,
            "body": "base" if link.body < 0 else result.robot.link_names[link.body],
            "changed": link.changed,
            "mass_before": float(link.before[0]),
            "mass_after": float(link.after[0]),
            "margin_before": link.margins[0],
            "margin_after": link.margins[1],
        }
        for link in result.links
    ]


show(
    Repair,
    headline=lambda result: (
        f"{result.robot.name}, {len(result.changed)} of {len(result.links)} links changed, {len(result.moved)} base parameters"
    ),
    header=lambda result: [_repair_sentence(result)],
    tables=_repair_tables,
    facts=_repair_facts,
    notes=_repair_notes,
    records=_repair_records,
    figures=lambda result: [robot_figure(result.robot, result.parameters())],
)
