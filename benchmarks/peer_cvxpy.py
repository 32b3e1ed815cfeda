"""Times the Panda retrieval through CVXPY and Clarabel; runs in its own environment and prints one line of JSON.

The file given holds the problem: A, b of the objective, G x + h >= 0, and the pseudo-inertia basis (10, 4, 4).
"""

from __future__ import annotations

import json
import statistics
import sys
import time

import cvxpy as cp
import numpy as np

data, repeats = np.load(sys.argv[1]), int(sys.argv[2])
A, b, G, h, basis = (data[name] for name in ("A", "b", "G", "h", "basis"))


def retrieve() -> float:
    """Write the model down and solve it, as a user does for a new estimate."""
    x = cp.Variable(A.shape[1])
    links = [sum(x[10 * i + k] * basis[k] for k in range(10)) >> 0 for i in range(A.shape[1] // 10)]
    problem = cp.Problem(cp.Minimize(cp.sum_squares(A @ x - b)), [G @ x + h >= 0, *links])
    problem.solve(solver=cp.CLARABEL)
    return float(problem.value)


taken: list[tuple[float, float]] = []
value = 0.0
for _ in range(repeats + 1):
    wall, cpu = time.perf_counter(), time.process_time()
    value = retrieve()
    taken.append((time.perf_counter() - wall, time.process_time() - cpu))
medians = {"wall": statistics.median(t for t, _ in taken[1:]), "cpu": statistics.median(t for _, t in taken[1:])}
print(json.dumps({**medians, "objective": value}))
