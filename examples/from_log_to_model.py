"""From a log to a model for a simulator: identify, retrieve, validate, export and report, with nothing but names of `dynident`.

The log is one of a virtual Panda (extra `sim`), so that the truth is known; with a log of your own, begin at step 2.
Run it with: .venv/bin/python examples/from_log_to_model.py
"""

from __future__ import annotations

import dynident
from dynident.motions import panda_table_1, trajectory_dataset

robot = dynident.load_robot("panda")  # or a .urdf, .xml (MJCF) or .yaml (DH) file

# 1. A log: the robot follows a trajectory, and noisy sensors record it. design_trajectory finds a better motion than this one.
motion = trajectory_dataset(panda_table_1(joints=robot.joint_names), rate=100.0)
recording = dynident.simulate(robot, motion, friction="linear", noise="realistic", rate=200.0, check_limits=False)
dynident.write_dataset(recording.log, "log.npz")

# 2. Read it. The first part is for the fit, the rest is kept to judge the model on data that it has not seen.
log = dynident.load_dataset("log.npz")
print(repr(log))  # every result says in one line what it is; print(log) shows its tables, log.plot() draws it
fitted, held_out = log.part(0.0, 0.7), log.part(0.7, 1.0)

# 3. Identify the dynamic coefficients and friction: what torques determine, with standard deviations.
estimate = dynident.identify(robot, fitted)
print(estimate)

# 4. Retrieve links that a real robot can have and that fit as well. A data sheet's total mass would be worth saying, too.
links = dynident.retrieve(estimate)
print(repr(links))

# 5. Validate both on the rest of the log, beside the nominal model.
validation = dynident.validate(estimate, held_out, links=links)
print(validation)

# 6. Use it. Another engine has computed the same torques from the URDF before it is written.
print(dynident.export(links, "urdf", path="identified.urdf"))
page = dynident.report(estimate, parameters=links, validation=validation)
print(f"{page!r} written to {page.save('report.html')}")

# 7. Keep all of it; load_run brings it back, and every dynident command works on the folder.
dynident.save_run("run", estimate, parameters=links, validation=validation)
assert dynident.load_run("run").parameters is not None
