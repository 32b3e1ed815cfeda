"""Generated C on the Panda: nanoseconds per call of every function, against Pinocchio called from Python and CasADi's C."""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pinocchio as pin

import dynident
from benchmarks.dynamics import _pinocchio_panda
from benchmarks.timing import race
from dynident.dynamics.friction import linear
from dynident.exports import ExportModel, export
from dynident.exports.code.c99 import C_FLAGS, c_functions
from dynident.robots.kinematics import joint_constants

PEER = Path(__file__).with_name("peer_casadi.py")
PEER_PYTHON = Path(__file__).parents[1] / ".venv-peers" / "bin" / "python"
#: What the authors of the Panda model publish for their C++ code, on their machine [s].
PUBLISHED = 57e-6

DRIVER = """#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "panda_model.h"
int casadi_inverse_dynamics(const double** arg, double** res, long long int* iw, double* w, int mem);
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static int compare(const void* a, const void* b) { double x = *(const double*)a, y = *(const double*)b; return (x > y) - (x < y); }
#define TIMED(name, call) { \\
    double taken[%(repeats)d]; \\
    for (int r = 0; r < %(repeats)d; r++) { \\
      double begin = now(); \\
      for (int k = 0; k < 20000; k++) { for (int j = 0; j < 7; j++) q[j] += 1e-6; call; } \\
      taken[r] = (now() - begin) / 20000; \\
    } \\
    qsort(taken, %(repeats)d, sizeof(double), compare); \\
    printf("%%s %%.3e %%g\\n", name, taken[%(repeats)d / 2], out[0]); }
int main(void) {
  double q[7], dq[7], ddq[7];
  static double out[490];
  const double* arg[3] = {q, dq, ddq};
  double* res[1] = {out};
  for (int j = 0; j < 7; j++) { q[j] = 0.1 * j; dq[j] = 0.3; ddq[j] = 0.5; }
  for (int k = 0; k < 200000; k++) panda_inverse_dynamics(q, dq, ddq, out);
%(calls)s
  return 0;
}
"""


def study(repeats: int = 31) -> str:
    """Run everything and return the section for RESULTS.md."""
    robot = dynident.load_robot("panda")
    friction = np.tile([0.1, 0.3, 0.01], (7, 1))
    model = ExportModel(robot=robot, parameters=robot.parameters, friction=linear(), friction_parameters=friction)
    exported = export(model, "c")
    source = next(content for name, content in exported.files.items() if name.endswith(".c")).decode()
    taken = _run_c(exported.files, model, repeats)
    rnea = _pinocchio_seconds(robot)
    ours = taken["inverse_dynamics"]
    rows = [f"| `{name}` | {1e9 * seconds:.0f} | {_operations(source, name)} |" for name, seconds in taken.items() if name != "casadi"]
    return "\n".join(
        [
            "## Generated C",
            "",
            f"Panda, gcc {' '.join(C_FLAGS)}, medians of {repeats} runs of 20 000 calls, a new position at each call; CPU time.",
            "",
            "| function | ns per call | floating-point operations |",
            "|---|---|---|",
            *rows,
            "",
            "| `inverse_dynamics` against | time | ratio | asked |",
            "|---|---|---|---|",
            f"| Pinocchio rnea called from Python | {1e9 * rnea:.0f} ns | **{rnea / ours:.1f}x** | 3x |",
            f"| the authors' C++ model, as published (their machine) | 57 000 ns | **{PUBLISHED / ours:.0f}x** | 100x |",
            f"| C by CasADi, Newton-Euler with common subexpressions | {1e9 * taken['casadi']:.0f} ns | {taken['casadi'] / ours:.2f}x | |",
        ]
    )


def _run_c(files: dict[str, bytes], model: ExportModel, repeats: int) -> dict[str, float]:
    robot = model.robot
    assert robot.parameters is not None
    given = {"constants": joint_constants(robot).tolist(), "parameters": robot.parameters.tolist(), "gravity": robot.gravity.tolist()}
    peer = subprocess.run([PEER_PYTHON, PEER], input=json.dumps(given), capture_output=True, text=True, check=True).stdout
    calls = [f'  TIMED("{f.name}", panda_{f.name}({", ".join(f.inputs)}, out))' for f in c_functions(model)]
    calls += ['  TIMED("casadi", casadi_inverse_dynamics(arg, res, 0, 0, 0))']
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, content in files.items():
            (folder / file).write_bytes(content)
        (folder / "casadi.c").write_text(peer)
        (folder / "driver.c").write_text(DRIVER % {"repeats": repeats, "calls": "\n".join(calls)})
        subprocess.run(["gcc", *C_FLAGS, "-c", "panda_model.c"], cwd=folder, check=True)
        subprocess.run(["gcc", "-std=gnu99", "-O2", "-c", "casadi.c", "driver.c"], cwd=folder, check=True)
        subprocess.run(["gcc", "panda_model.o", "casadi.o", "driver.o", "-lm", "-o", "driver"], cwd=folder, check=True)
        lines = subprocess.run([folder / "driver"], capture_output=True, text=True, check=True).stdout.splitlines()
    return {line.split()[0]: float(line.split()[1]) for line in lines}


def _pinocchio_seconds(robot: dynident.Robot) -> float:
    """One call of rnea from Python."""
    model = _pinocchio_panda(robot)
    data = model.createData()
    states = np.random.default_rng(0).uniform(-1.5, 1.5, (3, 10_000, 7))

    def loop() -> None:
        for row in zip(*states, strict=True):
            pin.rnea(model, data, *row)

    return race({"rnea": loop}, repeats=9)["rnea"].cpu / 10_000


def _operations(source: str, name: str) -> int:
    """Additions, subtractions and multiplications in a function's text."""
    body = source.split(f"void panda_{name}(")[1].split("\n}\n")[0]
    return len(re.findall(r" [-+*] ", body))
