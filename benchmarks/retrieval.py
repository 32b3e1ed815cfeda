"""Retrieval of the Panda's feasible parameters: against CVXPY and one worker process; and what each exact solver reaches.

The problem is the paper's: 41 coefficients estimated from the controller's M and g, the published bounds on masses and
centres of mass, consistency of seven links, 16 to 20 kg in total.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks.timing import Timing, race
from dynident.links import LinkParameters, RetrievalProblem, SolverOptions, solve_retrieval
from dynident.links.ranges import with_ranges
from dynident.links.solvers.barrier import BarrierOptions
from dynident.links.solvers.conic import ConicProgram, ConicSolution
from dynident.robots.parameters import pseudo_inertia
from tests.contracts.retrieval_problems import panda

DATA = Path(__file__).parents[2] / "shared" / "data"
PEER = Path(__file__).with_name("peer_cvxpy.py")
PEER_PYTHON = Path(__file__).parents[1] / ".venv-peers" / "bin" / "python"
STARTS = 20


def study(repeats: int = 9) -> str:
    """Run everything and return the section for RESULTS.md."""
    problem = panda(DATA)
    conic = race({"ours": lambda: solve_retrieval(replace(problem))}, repeats=repeats)["ours"]  # a new problem has nothing solved yet
    cvxpy, theirs = _cvxpy(problem, repeats)
    workers = _workers(problem)
    best = solve_retrieval(problem)
    ranges = race({"one": lambda: _ranges(best, 1), "two": lambda: _ranges(best, 2)}, repeats=5)
    rows = [
        _row("`sdp` retrieval, certificate included", conic, "CVXPY 1.9.3 + Clarabel, modelling and solution", cvxpy, "10x"),
        _row(f"{2 * STARTS} `barrier` starts after annealing, two worker processes", workers[2], "one worker process", workers[1], "1.7x"),
        _row(
            f"ranges of all {problem.variables} parameters, two threads",
            ranges["two"],
            "one thread, the same bits",
            ranges["one"],
            "200 ms",
        ),
    ]
    return "\n".join(
        [
            "## Feasible parameters",
            "",
            f"The Panda problem of the RA-L 2019 paper ({problem.objective.A.shape[0]} coefficients, {problem.variables} parameters, "
            f"{len(problem.terms.blocks)} constraints), one thread per process unless said, medians of {repeats} repeats "
            "(conic solvers), 5 (ranges) or 3. "
            "Wall (CPU) time.",
            "",
            "| work | dynident | beside it | time | ratio | asked |",
            "|---|---|---|---|---|---|",
            *rows,
            "",
            _range_programs(best, ranges["one"]),
            "",
            *_objectives(problem, best, theirs),
        ]
    )


def _objectives(problem: RetrievalProblem, best: LinkParameters, cvxpy: float) -> list[str]:
    """What each solver reaches, beside the lower bound."""
    answers = {
        "`sdp`": best,
        "`barrier`": solve_retrieval(problem, solver="barrier"),
    }
    lines = [f"| {name} | {result.objective:.6e} | {_percent(result)} |" for name, result in answers.items()]
    return [
        f"No consistent parameters fit better than {best.lower_bound:.6e}; the paper's published ones score 1.288e-3.",
        "",
        "| solver | objective | above the bound |",
        "|---|---|---|",
        *lines,
        f"| CVXPY + Clarabel, default tolerances | {cvxpy:.6e} | |",
    ]


def _ranges(best: LinkParameters, threads: int) -> LinkParameters:
    with patch.dict(os.environ, DYNIDENT_THREADS=str(threads)):
        return with_ranges(best)


def _range_programs(best: LinkParameters, taken: Timing) -> str:
    """Where the time of ranges goes."""
    iterations: list[int] = []
    own = ConicProgram._solution

    def count(program: ConicProgram, result: Any, **options: bool) -> ConicSolution:
        iterations.append(int(result.iterations))
        return own(program, result, **options)

    with patch.object(ConicProgram, "_solution", count):
        with_ranges(best)
    each = 1e6 * taken.cpu / sum(iterations)
    return (
        "Ranges: the objective of this problem leaves directions open, so that every end is a conic program of its own: "
        f"{len(iterations)} of them, {sum(iterations)} iterations of Clarabel, {each:.0f} µs each with all that is around them. "
        f"200 ms on one thread would need {2e5 / sum(iterations):.0f} µs, or a solver that can start from a neighbour's answer, which "
        "Clarabel doesn't."
    )


def _barrier(problem: RetrievalProblem, *, starts: int, executor: Executor) -> LinkParameters:
    settings = SolverOptions(starts=starts, executor=executor, own=BarrierOptions(search="annealing"))
    return solve_retrieval(problem, solver="barrier", options=settings)


def _workers(problem: RetrievalProblem) -> dict[int, Timing]:
    """The same multi-start on one and on two worker processes that are already running."""
    pools = {count: ProcessPoolExecutor(count, mp_context=get_context("spawn")) for count in (1, 2)}
    try:
        taken = race(
            {str(count): lambda pool=pool: _barrier(problem, starts=2 * STARTS, executor=pool) for count, pool in pools.items()}, repeats=3
        )
    finally:
        for pool in pools.values():
            pool.shutdown()
    return {count: taken[str(count)] for count in pools}


def _cvxpy(problem: RetrievalProblem, repeats: int) -> tuple[Timing, float]:
    """CVXPY has pins of its own, so it runs in its own environment, right after ours; its import is not timed."""
    linear = [block for block in problem.terms.blocks if block.size == 1]
    G, h = np.zeros((len(linear), problem.variables)), np.array([block.constant[0, 0] for block in linear])
    for row, block in zip(G, linear, strict=True):
        row[block.indices] = block.matrices[:, 0, 0]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "problem.npz"
        np.savez(file, A=problem.objective.A, b=problem.objective.b, G=G, h=h, basis=pseudo_inertia(np.eye(10)))
        run = subprocess.run([PEER_PYTHON, PEER, file, str(repeats)], capture_output=True, text=True, check=True)
    taken = json.loads(run.stdout.strip().splitlines()[-1])
    return Timing(taken["wall"], taken["cpu"]), float(taken["objective"])


def _row(work: str, ours: Timing, beside: str, theirs: Timing, asked: str) -> str:
    return f"| {work} | {_milli(ours)} | {beside} | {_milli(theirs)} | **{theirs / ours:.1f}x** | {asked} |"


def _milli(timing: Timing) -> str:
    return f"{timing.wall * 1e3:.1f} ({timing.cpu * 1e3:.1f}) ms"


def _percent(result: LinkParameters) -> str:
    return f"{100.0 * result.gap / result.lower_bound:.5f} %"
