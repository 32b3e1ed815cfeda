"""What only you know about your robot, as constraints; then the same numbers as pictures and as rows of a table.

Run it with: .venv/bin/python examples/your_own_constraints_and_plots.py
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

import dynident
from dynident.dynamics import gravity, mass_matrix
from dynident.links import Bounds, FeasibleSet, LinkView, UserConstraint, retrieval_problem

robot = dynident.load_robot("spatial_3r")
assert robot.parameters is not None  # the library's robots have nominal parameters

# What a controller would return at 200 positions: the inertia matrix and the gravity vector, to five digits.
q = np.random.default_rng(0).uniform(-2.0, 2.0, (200, robot.n))
M, g = mass_matrix(robot, robot.parameters, q), gravity(robot, robot.parameters, q)
samples = dynident.ControllerSamples(q=q, M=M.round(5), g=g.round(5), joint_names=robot.joint_names, source="controller")
estimate = dynident.identify(robot, samples)
print(estimate)


# Masses of single links never show in torques, only sums do: knowledge of your own decides. Bounds say what was weighed, and
# any function of the links can be a rule; a positive number is a violation.
def lighter_outward(links: Sequence[LinkView]) -> float:
    """No link is heavier than the one that carries it."""
    return max(outer.mass - inner.mass for inner, outer in pairwise(links))


weighed = Bounds("m3", 0.5, 4.0)
problem = retrieval_problem(estimate, constraints=FeasibleSet((weighed, UserConstraint(lighter_outward))), total_mass=(8.0, 16.0))
print(problem)  # what will be solved can be looked at first
links = dynident.retrieve(problem, solver="barrier")
print(links)
assert links.feasible

# Pictures are Plotly figures: show() opens a browser, a notebook shows them by themselves, and each can be changed or saved.
for name, figure in {"estimate": estimate.plot(), "links": links.plot(), "robot": links.plot_robot()}.items():
    figure.update_layout(template="plotly_white").write_html(f"{name}.html", include_plotlyjs="cdn")

# Rows are plain dictionaries: csv takes them, json takes them, and links.to_dataframe() is the same as a pandas table.
rows = links.records()
with open("links.csv", "w", newline="", encoding="utf-8") as file:
    writer = csv.DictWriter(file, fieldnames=list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
open_ended = [row["parameter"] for row in rows if row["determined_by"] == "prior"]
print(f"Written: estimate.html, links.html, robot.html, links.csv. Chosen by the prior alone: {', '.join(open_ended) or 'none'}")
