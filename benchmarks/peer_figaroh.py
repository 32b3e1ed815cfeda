"""Times figaroh's regressor builder on a Panda; runs in its own environment and prints one line of JSON."""

from __future__ import annotations

import json
import statistics
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pinocchio as pin
from figaroh.tools.regressor import build_regressor_basic

samples, repeats = int(sys.argv[1]), int(sys.argv[2])
urdf = Path(pin.__file__).parents[4] / "share/example-robot-data/robots/panda_description/urdf/panda.urdf"
model = pin.buildModelFromUrdf(str(urdf))
fingers = [model.getJointId(name) for name in model.names if "finger" in name]
model = pin.buildReducedModel(model, fingers, pin.neutral(model))
robot = SimpleNamespace(model=model, data=model.createData())
q, dq, ddq = np.random.default_rng(0).uniform(-1.5, 1.5, (3, samples, model.nv))
settings = {"is_joint_torques": True, "act_idxv": list(range(model.nv))}
taken: list[tuple[float, float]] = []
Y = np.zeros(0)
for _ in range(repeats + 1):
    wall, cpu = time.perf_counter(), time.process_time()
    Y = build_regressor_basic(robot, q, dq, ddq, settings)
    taken.append((time.perf_counter() - wall, time.process_time() - cpu))
assert Y.shape[0] == samples * model.nv
print(json.dumps({"wall": statistics.median(t for t, _ in taken[1:]), "cpu": statistics.median(t for _, t in taken[1:])}))
