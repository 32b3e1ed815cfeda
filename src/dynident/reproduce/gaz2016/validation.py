"""Section IV: the motion of Table V, torques by Newton-Euler and by Lagrange, and against a measurement (Figs. 3, 4 and 6)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynident.core.arrays import Array
from dynident.data import Dataset, differentiate, low_pass, resample, trim
from dynident.dynamics import inverse_dynamics, lagrangian_dynamics
from dynident.dynamics.friction import linear
from dynident.motions import kuka_table_5, trajectory_dataset
from dynident.regression import build_problem, identify, residuals
from dynident.reproduce.claim import Claim, as_measured
from dynident.reproduce.curves import joint_panels, joints_together
from dynident.reproduce.experiment import ExperimentOutcome, PaperExperiment, Setting
from dynident.reproduce.recorded_links import link_claims
from dynident.reproduce.virtual_logs import record_motion
from dynident.robots import Robot, load_robot

KEY = "gaz2016"
#: The paper's filter of velocities, accelerations and torques [Hz].
_CUTOFF = 1.0
#: Samples at the beginning of a recorded log in which the robot settles, as their source advises.
_SETTLING = 500
#: Where the filter lacks samples on one side [s].
_EDGE = 1.0
#: Friction on the link side of the virtual joints, which the paper finds and doesn't tell: fv [N·m·s/rad], fc [N·m], no offset.
_FRICTION = np.column_stack([np.full(7, 0.1), np.array([0.8, 0.8, 0.6, 0.5, 0.4, 0.3, 0.3]), np.zeros(7)])
#: Don't-care parameters of the dynamics (eq. 20): c1y and the inertia of link 1 about axes that it doesn't turn about.
_DONT_CARE = (2, 4, 5, 6, 8, 9)


def run(setting: Setting) -> ExperimentOutcome:
    robot = load_robot("kuka_lwr4")
    published = np.asarray(robot.parameters)
    motion = trajectory_dataset(kuka_table_5(joints=robot.joint_names), 100.0)
    q, dq, ddq = motion.q, np.asarray(motion.dq), np.asarray(motion.ddq)
    newton_euler = inverse_dynamics(robot, published, q, dq, ddq)
    lagrange = lagrangian_dynamics.inverse_dynamics(robot, published, q, dq, ddq, gravity=robot.gravity)
    setting.progress(0.4)
    moved = max(float(np.abs(inverse_dynamics(robot, other, q, dq, ddq) - newton_euler).max()) for other in _other_values(published))
    measured, predicted = _measure(robot, published, setting)
    residual = np.abs(np.asarray(measured.effort) - predicted).max(axis=0)
    claims = [
        Claim(
            paper=KEY,
            place="Fig. 6",
            quantity="largest difference between Newton-Euler and Lagrange on Table V",
            ours=float(np.abs(newton_euler - lagrange).max()),
            unit="N·m",
            goal="lower",
            **as_measured("3e-10"),
        ),
        Claim(
            paper=KEY,
            place="eq. (20)",
            quantity="largest change of the torque by other don't-care values",
            published=0.0,
            ours=moved,
            tolerance=1e-12,
            tolerance_from="rounding of torques of 41 N·m; measured elsewhere: 4e-16",
            unit="N·m",
        ),
        Claim(
            paper=KEY,
            place="Table V",
            quantity="duration of the motion through 8 knots",
            published=28.0,
            ours=float(motion.time[-1]),
            tolerance=1e-9,
            tolerance_from="rounding",
            unit="s",
            constructed="the motion was made with the printed durations",
        ),
        Claim(
            paper=KEY,
            place="Fig. 5",
            quantity="largest residual torque",
            published=1.5,
            ours=float(residual.max()),
            tolerance=0.05,
            tolerance_from="half a unit of the last printed digit",
            unit="N·m",
            missing="the log of this motion and the friction of that robot were never published",
            reason="ours is of a virtual robot with Coulomb friction of 0.3 to 0.8 N·m, and the filter of 1 Hz bends its fast parts too",
        ),
        *_log_claims(setting),
    ]
    names = robot.joint_names
    figures = [
        joints_together("Fig. 3", "position [rad]", motion.time, q, names),
        joints_together("Fig. 3", "velocity [rad/s]", motion.time, dq, names),
        joints_together("Fig. 3", "acceleration [rad/s²]", motion.time, ddq, names),
        *joint_panels(
            "Fig. 4",
            measured.time,
            {"measured, virtual robot": np.asarray(measured.effort), "Newton-Euler, Tables II and IV": predicted},
            names,
            "torque [N·m]",
            "Torques of a virtual robot with friction on the link side, filtered at 1 Hz as in the paper, and those of the tables.",
        ),
        *joint_panels("Fig. 6", motion.time, {"Newton-Euler": newton_euler, "Lagrange": lagrange}, names, "torque [N·m]"),
    ]
    return ExperimentOutcome(claims=tuple(claims), figures=tuple(figures))


def _other_values(published: Array) -> list[Array]:
    """The published parameters with other don't-care values."""
    rng, errors = np.random.default_rng(0), list[Array]()
    for _ in range(5):
        other = published.copy()
        other[0, list(_DONT_CARE)] = rng.uniform(-1.0, 1.0, len(_DONT_CARE))
        errors.append(other)
    return errors


def _measure(robot: Robot, published: Array, setting: Setting) -> tuple[Dataset, Array]:
    """A virtual log of Table V, filtered as in the paper, and the torque that the tables predict for it."""
    log = record_motion(robot, published, kuka_table_5(joints=robot.joint_names), friction=(linear(), _FRICTION))
    bare = resample(log).after("velocities left out", dq=None)
    smooth = trim(low_pass(differentiate(bare), _CUTOFF), _EDGE)
    return smooth, inverse_dynamics(robot, published, smooth.q, np.asarray(smooth.dq), np.asarray(smooth.ddq))


def _log_claims(setting: Setting) -> Iterator[Claim]:
    """On recorded logs of an LWR 4+, two repeats of one motion: the second predicted from the first."""
    if len(setting.recordings.kuka) < 2:
        return
    robot, whole = load_robot("kuka_lwr4"), setting.recordings.kuka
    train, test = (log.take(slice(_SETTLING, None), starts=(0,)) for log in (whole[0], whole[-1]))
    estimate = identify(robot, train, friction=linear(), cutoff=5.0, noise="uniform")
    held_out = residuals(build_problem(robot, test, friction=linear(), cutoff=5.0), estimate.values).relative_percent
    yield Claim(
        paper=KEY,
        place="recorded LWR 4+",
        quantity="relative error on a repeat of the motion, all coefficients and linear friction fitted to the other",
        ours=held_out,
        unit="%",
        goal="lower",
        **as_measured("1.94"),
    )
    yield from link_claims(KEY, "recorded LWR 4+", robot, whole[0], whole[-1], percent="2.21", mass="15.2")


EXPERIMENT = PaperExperiment(key="validation", title="torques along Table V", run=run, uses=("kuka",))
