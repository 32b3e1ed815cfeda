"""Retrievals, their answers, samples of the posterior, costs of runs and repairs as tables."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dynident.core.texts import decimal_text, number_form
from dynident.feasibility.problem import REACH, RetrievalProblem
from dynident.feasibility.repairs.nearest import MASS_SHARE
from dynident.feasibility.repairs.repair import Repair, RepairedLink
from dynident.feasibility.result import LinkParameters, Range
from dynident.feasibility.run_costs import RunCosts
from dynident.feasibility.samples import PosteriorSamples
from dynident.feasibility.sampling import AGREEMENT
from dynident.parameters import link_inertia, to_com
from dynident.reports import show
from dynident.reports.feasibility_figures import link_figures, problem_figure, run_cost_figure, sample_figure
from dynident.reports.figures import Figure, draw
from dynident.reports.regression import joint_friction_table
from dynident.reports.robot_figures import robot_figure
from dynident.reports.tables import Column, Report, Table, column

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as PlotlyFigure

#: In the order in which they are worth knowing.
_KINDS = ("data", "constraint", "prior")
#: Base parameters that a repair lists at most.
_SHOWN = 10


@show.headline.register(LinkParameters)
def _(result: LinkParameters) -> str:
    state = "feasible" if result.feasible else "not feasible"
    return f"{result.base.robot.name}, {state}, {result.total_mass:.4g} kg, gap {result.gap_in_words}"


@show.tables.register(LinkParameters)
def _(result: LinkParameters) -> Report:
    """Every link with its range and what determines it, friction, and how far from the best possible the fit is."""
    return Report(
        header=(f"{result.base.robot.name}: {result.status.value}", f"{result.objective_name}, {result.found_by}"),
        tables=(link_table(result), *_friction_tables(result)),
        facts=_facts(result),
        notes=result.notes,
    )


@show.records.register(LinkParameters)
def _(result: LinkParameters) -> list[dict[str, Any]]:
    """One row per parameter of a link or of friction: value, unit, range, what determines it."""
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


show.figures.register(LinkParameters, link_figures)


@show.plot_robot.register(LinkParameters)
def _(result: LinkParameters) -> PlotlyFigure:
    return draw([robot_figure(result.base.robot, result.parameters)], title=result.headline)


@dataclass(frozen=True, kw_only=True)
class LinkRow:
    """A link. range : of its mass, None where it was not computed; inertias : principal ones about the centre of mass [kg·m²]."""

    link: str
    frame: str
    mass: float
    range: tuple[float, float] | None
    com: tuple[float, ...]
    inertias: tuple[float, ...]
    margin: float
    determined: str
    nominal_mass: float | None
    nominal_com: tuple[float, ...] | None


def link_rows(result: LinkParameters) -> tuple[LinkRow, ...]:
    """One per link, the nominal one beside it."""
    robot, nominal = result.base.robot, result.base.robot.parameters
    rows: list[LinkRow] = []
    for i, (link, margin) in enumerate(zip(robot.links, result.margins.tolist(), strict=True)):
        mass, com, inertia = result.com_and_inertia(i)
        ranges = result.link_ranges(i)
        rows.append(
            LinkRow(
                link=link.name,
                frame=link.frame,
                mass=float(mass),
                range=(ranges[0].low, ranges[0].high) if ranges else None,
                com=tuple(com.tolist()),
                inertias=tuple(np.linalg.eigvalsh(inertia).tolist()),
                margin=margin,
                determined=_determined(ranges),
                nominal_mass=None if nominal is None else float(nominal[i, 0]),
                nominal_com=None if nominal is None else tuple(link_inertia(nominal[i]).com.tolist()),
            )
        )
    return tuple(rows)


def link_table(result: LinkParameters) -> Table:
    """The links with the range of their masses, and what determines their parameters."""
    rows = link_rows(result)
    of_end = number_form(3, [row.mass for row in rows])
    of_com = number_form(4, [value for row in rows for value in row.com])
    columns = (
        Column("link"),
        Column("mass", "mass [kg]", decimals=4),
        Column("range", "from .. to", f"z{of_end}", separator=" .. ", missing=""),
        Column("com", "centre of mass [m]", f"7{of_com}"),
        Column("inertias", "principal inertias [kg·m²]", "8.2e"),
        Column("margin", form=".2e"),
        Column("determined", "parameters determined by"),
    )
    return Table("Links", rows, columns)


def _determined(ranges: tuple[Range, ...]) -> str:
    """data 3, constraint 2, prior 5: how many of the ten."""
    counts = Counter(item.determined_by for item in ranges)
    return ", ".join(f"{kind} {counts[kind]}" for kind in _KINDS if counts[kind])


def _friction_tables(result: LinkParameters) -> list[Table]:
    base, values = result.base, result.friction_parameters
    if base.friction is None or values is None:
        return []
    joints = enumerate(values)
    rows = [{**base.friction.values_of(j, row), **base.friction.of_joint(j).shapes_by_name()} for j, row in joints]
    return [joint_friction_table(base.friction, base.robot, rows, shapes=True)]


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
        objectives = ", ".join(f"{item.objective:.6g} (start {item.start + 1})" for item in result.solutions[:5])
        facts.append(f"Distinct answers: {len(result.solutions)}; objectives {objectives}{', ...' if len(result.solutions) > 5 else ''}.")
    facts += [f"Violated: {violation}." for violation in result.violations]
    return tuple(facts)


@show.headline.register(RetrievalProblem)
def _(problem: RetrievalProblem) -> str:
    conditions = f"{problem.variables} parameters, {problem.terms.count} conditions"
    return f"{problem.base.robot.name}, {problem.objective.name}, {conditions}"


@show.tables.register(RetrievalProblem)
def _(problem: RetrievalProblem) -> Report:
    """What is fitted, what must hold, and what chooses where neither does; one row per condition."""
    terms, prior = problem.terms, problem.prior
    kinds = {"convex": terms.blocks, "equality": terms.equalities, "not convex": terms.nonconvex, "one of several": terms.alternatives}
    rows = tuple({"condition": item.name, "kind": kind, "unit": item.unit} for kind, items in kinds.items() for item in items)
    chosen = "no prior" if prior is None else f"prior toward {prior.toward} ({prior.metric}), weight {prior.weight:.1g}"
    table = Table("Conditions", rows, (Column("condition", left=True), Column("kind", left=True), Column("unit", left=True)))
    return Report(header=(problem.headline, chosen), tables=(table,), notes=problem.notes)


@show.figures.register(RetrievalProblem)
def _(problem: RetrievalProblem) -> tuple[Figure, ...]:
    return (problem_figure(problem),)


@show.headline.register(PosteriorSamples)
def _(samples: PosteriorSamples) -> str:
    mean, std = float(samples.total_mass.mean()), float(samples.total_mass.std())
    return f"{samples.base.robot.name}, {len(samples)} samples, {mean:.4g} ± {std:.2g} kg, R̂ {samples.agreement:.3f}"


@show.tables.register(PosteriorSamples)
def _(samples: PosteriorSamples) -> Report:
    columns, mass = samples.base.columns, samples.total_mass
    facts = [
        f"Total mass {mass.mean():.4g} ± {mass.std():.2g} kg, most probable {samples.best_masses.sum():.4g} kg.",
        f"Chains agree: R̂ is {samples.agreement:.3f} at most (limit {AGREEMENT}); the {samples.draws} draws are worth "
        f"{samples.effective:.0f} independent ones at least.",
    ]
    if samples.branches:
        drawn = "; ".join(f"{rule}: {branch}" for rule, branch in samples.branches)
        facts.append(f"Drawn within the branches that the links have ({drawn}); other branches are left out.")
    if columns.of_friction:
        spread = samples.x[:, columns.friction_slice].std(axis=0)
        worst = int(np.argmax(spread / np.maximum(np.abs(samples.best[columns.friction_slice]), 1e-12)))
        entry = columns.of_friction[worst]
        facts.append(f"Friction is drawn with the links; {entry.name} is the least certain, ± {spread[worst]:.2g} {entry.unit}.")
    header = f"{samples.base.robot.name}: {len(samples)} parameter sets that data, prior and constraints leave open"
    return Report(header=(header,), tables=(spread_table(samples),), facts=tuple(facts))


@show.records.register(PosteriorSamples)
def _(samples: PosteriorSamples) -> list[dict[str, Any]]:
    """One row per sample: its number from 1, and every parameter by name."""
    names = samples.base.columns.names
    return [{"sample": i, **dict(zip(names, row, strict=True))} for i, row in enumerate(samples.x.tolist(), start=1)]


@show.figures.register(PosteriorSamples)
def _(samples: PosteriorSamples) -> tuple[Figure, ...]:
    return (sample_figure(samples),)


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


@show.headline.register(RunCosts)
def _(costs: RunCosts) -> str:
    return f"{len(costs.costs)} runs of {costs.solver}, {len(costs.found)} feasible, best {costs.best:.4g}, bound {costs.lower_bound:.4g}"


@dataclass(frozen=True)
class _Cost:
    what: str = column()
    cost: float = column(form=".4e")
    above: float | None = column("above the bound", lambda share: f"{share:.2g} %", missing="")


@show.tables.register(RunCosts)
def _(costs: RunCosts) -> Report:
    feasible, bound = costs.found, costs.lower_bound
    rows = [("lower bound", bound), *costs.beside.items()]
    if len(feasible):
        shares = (("best", 0.0), ("first quartile", 0.25), ("median", 0.5), ("third quartile", 0.75), ("worst", 1.0))
        rows += [(f"{name} run", float(np.quantile(feasible, share))) for name, share in shares]
    compared = tuple(_Cost(name, cost, 100.0 * (cost / bound - 1.0) if bound > 0.0 else None) for name, cost in rows)
    facts = (f"{int(np.sum(feasible < cost))} of {len(costs.costs)} runs are below {name}." for name, cost in costs.beside.items())
    return Report(header=(costs.headline,), tables=(Table("Costs of the runs that ended feasible", compared),), facts=tuple(facts))


@show.records.register(RunCosts)
def _(costs: RunCosts) -> list[dict[str, Any]]:
    """One row per run."""
    pairs = zip(costs.costs.tolist(), costs.feasible.tolist(), strict=True)
    return [{"run": run, "cost": cost, "feasible": feasible} for run, (cost, feasible) in enumerate(pairs, start=1)]


@show.figures.register(RunCosts)
def _(costs: RunCosts) -> tuple[Figure, ...]:
    return (run_cost_figure(costs),)


@show.headline.register(Repair)
def _(result: Repair) -> str:
    return f"{result.robot.name}, {len(result.changed)} of {len(result.links)} links changed, {len(result.moved)} base parameters"


@show.tables.register(Repair)
def _(result: Repair) -> Report:
    """The links that changed, and the base parameters that had to."""
    tables: list[Table] = []
    if result.changed:
        tables.append(Table("Changed links", tuple(_changed_link(link) for link in result.changed)))
    if result.moved:
        columns = (
            Column("coefficient"),
            Column("before", form=".6g"),
            Column("after", form=".6g"),
            Column("change", form=".2g", of=lambda row: row["after"] - row["before"]),
            Column("unit"),
        )
        before, after = result.coefficients.tolist()
        moved = tuple(
            {"coefficient": result.base.expressions[i], "before": before[i], "after": after[i], "unit": result.base.units[i]}
            for i in result.moved[:_SHOWN]
        )
        tables.append(Table("Base parameters that had to change", moved, columns))
    without = [link.name for link in result.robot.links if link.parameters is None]
    notes = (f"{', '.join(without)} move and have no inertia at all, which simulators refuse; give them one",) if without else ()
    return Report(header=(_repair_sentence(result),), tables=tuple(tables), facts=_repair_facts(result), notes=notes)


@dataclass(frozen=True)
class _ChangedLink:
    link: str = column()
    mass: float = column("mass [kg]", lambda value: decimal_text(value, 4))
    new_mass: float = column("new", lambda value: decimal_text(value, 4))
    com: float | None = column("CoM moved by [m]", ".2g")
    inertia: float | None = column("inertia changed by [kg·m²]", ".2g")
    margin: float = column("margin [kg·m²]", ".2e")
    new_margin: float = column("new", ".2e")


def _changed_link(link: RepairedLink) -> _ChangedLink:
    before, after = link.before, link.after
    com = inertia = None
    if before[0] != 0.0 and after[0] != 0.0:
        (_, c0, I0), (_, c1, I1) = to_com(before), to_com(after)
        com, inertia = float(np.linalg.norm(c1 - c0)), float(np.linalg.norm(I1 - I0, 2))
    return _ChangedLink(link.name, float(before[0]), float(after[0]), com, inertia, *link.margins)


@show.records.register(Repair)
def _(result: Repair) -> list[dict[str, Any]]:
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


@show.figures.register(Repair)
def _(result: Repair) -> tuple[Figure, ...]:
    """The robot in 3D, repaired beside as it was."""
    return (robot_figure(result.robot, result.parameters()),)


def _repair_sentence(result: Repair) -> str:
    if not result.changed:
        return f"{result.robot.name}: every link is consistent already; nothing was changed"
    return f"{result.robot.name}: {len(result.changed)} of {len(result.links)} links changed"


def _repair_facts(result: Repair) -> tuple[str, ...]:
    if not result.changed:
        return ()
    facts: list[str] = []
    if not result.moved:
        facts.append("The base parameters, and with them all torques of the robot, are as they were.")
    else:
        listed = f", the largest {_SHOWN} are listed" if len(result.moved) > _SHOWN else ""
        why = (
            "No consistent links have the base parameters of this robot, which is proven"
            if result.impossible
            else "No consistent links with the base parameters of this robot were found, but that there are none is not proven"
        )
        facts.append(f"{why}: {len(result.moved)} of {result.base.rank} changed{listed}.")
    before, after = result.masses
    if before <= 0.0 or abs(after / before - 1.0) > MASS_SHARE:
        facts.append(
            f"The mass of all links changes from {before:.4g} to {after:.4g} kg; weigh what you can, and give it to the description."
        )
    return tuple(facts)
