"""A log of a million samples identifies in bounded memory, measured in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import json, resource, sys
import numpy as np
import dynident
from dynident.data import Dataset
from dynident.dynamics.friction import linear
from dynident.regression import identify

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2

robot, samples, rate = dynident.load_robot("panda"), 1_000_000, 1000.0
before = peak()
time = np.arange(samples) / rate
q, dq, ddq, effort = (np.zeros((samples, 7)) for _ in range(4))
for j in range(7):
    w = 0.7 + 0.3 * j
    q[:, j], dq[:, j], ddq[:, j] = np.sin(w * time), w * np.cos(w * time), -w * w * np.sin(w * time)
rng = np.random.default_rng(0)
for start in range(0, samples, 10_000):
    part = slice(start, start + 10_000)
    effort[part] = dynident.dynamics.inverse_dynamics(robot, robot.parameters, q[part], dq[part], ddq[part])
    effort[part] += 0.1 * rng.normal(size=(10_000, 7))
data = Dataset(time=time, q=q, dq=dq, ddq=ddq, effort=effort, effort_kind="torque")
cutoff = float(sys.argv[1]) or None
estimate = identify(robot, data, friction=linear(), cutoff=cutoff, drop_above_percent=None)
print(json.dumps({"gigabytes": peak() - before, "rank": estimate.summary.rank, "percent": estimate.residuals.relative_percent}))
"""


@pytest.mark.slow
@pytest.mark.parametrize("cutoff", [0.0, 5.0], ids=["unfiltered", "filtered"])
def test_a_million_samples_take_less_than_a_gigabyte(cutoff: float, tmp_path: Path) -> None:
    run = subprocess.run([sys.executable, "-c", SCRIPT, str(cutoff)], capture_output=True, text=True, check=True, cwd=tmp_path)
    told = json.loads(run.stdout)
    assert told["gigabytes"] < 1.0
    assert told["rank"] == 64
    assert told["percent"] < 5.0
