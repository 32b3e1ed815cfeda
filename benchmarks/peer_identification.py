"""Identifies a Panda with figaroh, regressor to standard deviations; runs in its own environment, prints one line of JSON."""

from __future__ import annotations

import json
import resource
import sys
import time
import warnings
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pinocchio as pin
from figaroh.identification.identification_tools import relative_stdev
from figaroh.tools.qrdecomposition import QRDecomposer
from figaroh.tools.regressor import build_regressor_basic, build_regressor_reduced, get_index_eliminate

warnings.simplefilter("ignore")
samples = int(sys.argv[1])
urdf = Path(pin.__file__).parents[4] / "share/example-robot-data/robots/panda_description/urdf/panda.urdf"
model = pin.buildModelFromUrdf(str(urdf))
fingers = [model.getJointId(name) for name in model.names if "finger" in name]
model = pin.buildReducedModel(model, fingers, pin.neutral(model))
robot = SimpleNamespace(model=model, data=model.createData())
settings = {"is_joint_torques": True, "act_idxv": list(range(model.nv)), "has_friction": True, "has_joint_offset": True}
names = dict.fromkeys(f"p{i}" for i in range(13 * model.nv))


def identified(q: np.ndarray, dq: np.ndarray, ddq: np.ndarray, tau: np.ndarray) -> int:
    W = build_regressor_basic(robot, q, dq, ddq, settings)
    dropped, left = get_index_eliminate(W, names, tol_e=1e-6)
    W_b, _, _, phi = QRDecomposer().double_decomposition(tau, build_regressor_reduced(W, dropped), left)
    return len(relative_stdev(W_b, phi, tau))


rng = np.random.default_rng(0)
q, dq, ddq = rng.uniform(-1.5, 1.5, (3, samples, model.nv))
tau = rng.normal(size=samples * model.nv)
identified(q[:200], dq[:200], ddq[:200], tau[: 200 * model.nv])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
wall, cpu = time.perf_counter(), time.process_time()
rank = identified(q, dq, ddq, tau)
taken = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
print(json.dumps({**taken, "gigabytes": (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024**2, "rank": rank}))
