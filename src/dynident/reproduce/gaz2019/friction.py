"""Section IV-B: the sigmoids of eq. (25), fitted to what the links leave over (Fig. 4).

With the recorded log they are fitted to it, with the coefficients of the reverse-engineering route held. A virtual Panda that has the
published ones tells what such a fit gives back, and nothing about the paper.
"""

# pyright: basic

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynident.core.arrays import Array
from dynident.data import Dataset, EffortKind, differentiate, low_pass, resample
from dynident.dynamics import inverse_dynamics
from dynident.dynamics.friction import Offset, PerJoint, Sigmoid, combine, linear
from dynident.motions import panda_table_1, trajectory_dataset
from dynident.regression import Estimate, base_parameters, build_problem
from dynident.regression.friction.hold_rigid import RigidModel, fit_friction_alone
from dynident.reports.figures import Figure, figure, line, points
from dynident.reproduce.claim import Claim, as_measured, printed
from dynident.reproduce.experiment import ExperimentOutcome, PaperExperiment, Setting
from dynident.reproduce.gaz2019.published import RECOVERED, SIGMOIDS
from dynident.reproduce.panda_logs import fourier_motion
from dynident.reproduce.virtual_logs import record_motion
from dynident.robots import Robot, load_robot

KEY = "gaz2019"
#: (7, 3) φ1 [N·m], φ2 [s/rad], φ3 [rad/s].
PHI = np.array([[float(text) for text in row] for row in SIGMOIDS])
#: Seconds of motion by size.
_SECONDS = (60, 120, 120)
#: What was tried before the bias, for the reader.
_TRIED = (
    "the bias of φ2 was first taken from all that the links leave over, and was -96 % in the median; friction alone was taken after that"
)
_UNITS = ("N·m", "s/rad", "rad/s")
#: Why φ1, φ2 and φ3 of another log differ.
_DIFFERENT = (
    "friction changes with the temperature and with the arm",
    "only samples near rest tell it, and filters of 1 Hz on torque and velocity by themselves, as in the paper, make it less than half",
    "eq. (25) has no offset, so that what the torque sensors and the links leave over goes into it",
)
#: Velocity up to which joint 1 goes on Table I [rad/s], and an offset of its torque sensor [N·m].
_SPEED, _OFFSET = 2.21, 0.05


def published_sigmoids() -> tuple[PerJoint, Array]:
    """The friction of eq. (25) with the published numbers, and its parameters (7, 1)."""
    return PerJoint(tuple(Sigmoid(steepness, shift) for _, steepness, shift in PHI.tolist())), PHI[:, :1]


def sigmoid(phi: Array, velocity: Array) -> Array:
    """Eq. (25). phi : (3,) of one joint."""
    rise = 1.0 / (1.0 + np.exp(-phi[1] * (velocity + phi[2])))
    return phi[0] * (rise - 1.0 / (1.0 + np.exp(-phi[1] * phi[2])))


def run(setting: Setting) -> ExperimentOutcome:
    robot = load_robot("panda")
    motion = fourier_motion(1, seconds=float(setting.choose(*_SECONDS)))
    log = record_motion(robot, np.asarray(robot.parameters), motion, friction=published_sigmoids(), torque_noise=False, seed=1)
    known = RigidModel(links=np.asarray(robot.parameters), covariance=np.zeros((70, 70)))
    estimate = fit_friction_alone(build_problem(robot, log, friction=linear(), cutoff=5.0), combine(Sigmoid(), Offset()), known)
    setting.progress(0.4)
    theirs = fit_as_published(robot)
    recorded = setting.recordings.panda
    claims = [
        *(_recorded_claims(robot, recorded[0]) if recorded else ()),
        *_virtual_claims(estimate),
        *_bias_claims(estimate, theirs),
        *_property_claims(),
    ]
    note = "the true friction of the virtual Panda is the published one; the links are known, both sides go through one filter of 5 Hz"
    given = "the recorded log, eq. (25) without an offset as in the paper" if recorded else "the recorded log was not given"
    return ExperimentOutcome(claims=tuple(claims), figures=tuple(_figures(estimate, log, robot)), notes=(given, note, _TRIED))


def fitted_sigmoids(estimate: Estimate) -> tuple[Array, Array]:
    """(7, 3) φ of an estimate, and their standard deviations; NaN where the data don't tell one."""
    values, std = np.zeros((7, 3)), np.zeros((7, 3))
    values[:, 0] = np.asarray(estimate.friction_parameters)[:, 0]
    names = [name for name in estimate.base.names if name.startswith("fsig")]
    std[:, 0] = [estimate.std[estimate.base.names.index(name)] for name in names]
    for k, name in ((1, "steepness"), (2, "shift")):
        shapes = [shape for shape in estimate.shapes if shape.name == name]
        values[:, k], std[:, k] = [shape.value for shape in shapes], [np.nan if shape.std is None else shape.std for shape in shapes]
    return values, std


def fit_recorded(robot: Robot, log: Dataset) -> Estimate:
    """Eq. (25) of every joint, fitted to what the coefficients of the reverse-engineering route leave over of a log."""
    links = base_parameters(robot).representative(np.array(RECOVERED))[:70].reshape(7, 10)
    known = RigidModel(links=links, covariance=np.zeros((70, 70)))
    return fit_friction_alone(build_problem(robot, log, friction=linear(), cutoff=5.0), Sigmoid(), known)


def _recorded_claims(robot: Robot, log: Dataset) -> Iterator[Claim]:
    values, std = fitted_sigmoids(fit_recorded(robot, log))
    for j, row in enumerate(SIGMOIDS):
        for k, text in enumerate(row):
            accuracy = f"± {std[j, k]:.2g}" if np.isfinite(std[j, k]) and std[j, k] < abs(values[j, k]) else "not at all"
            yield Claim(
                paper=KEY,
                place="Table I of the supplement",
                quantity=f"φ{k + 1} of joint {j + 1}",
                ours=float(values[j, k]),
                unit=_UNITS[k],
                near="the log of the paper's friction experiment was never published, and this one is of another motion",
                reason=f"{_DIFFERENT[k]}; the recorded log tells it {accuracy}",
                **printed(text),
            )


def _virtual_claims(estimate: Estimate) -> Iterator[Claim]:
    values, std = fitted_sigmoids(estimate)
    for j, row in enumerate(SIGMOIDS):
        for k, text in enumerate(row):
            yield Claim(
                paper=KEY,
                place="Table I of the supplement, virtual Panda",
                quantity=f"φ{k + 1} of joint {j + 1}",
                published=float(text),
                ours=float(values[j, k]),
                tolerance=4.0 * float(std[j, k]),
                tolerance_from="four standard deviations of the fit",
                unit=_UNITS[k],
                constructed="the virtual Panda has the printed friction, and the fit gives it back",
            )


def _bias_claims(estimate: Estimate, theirs: Array) -> Iterator[Claim]:
    errors = 100.0 * (fitted_sigmoids(estimate)[0] / PHI - 1.0)
    for k, measured in ((0, 0.4), (1, 6.2)):
        yield Claim(
            paper=KEY,
            place="Section IV-B",
            quantity=f"largest error of φ{k + 1}, both sides filtered at 5 Hz",
            published=measured,
            ours=float(np.abs(errors[:, k]).max()),
            tolerance=0.05,
            tolerance_from="half a unit of the last digit that was measured",
            unit="%",
            origin="prototype",
            goal="lower",
        )
    biases = 100.0 * (theirs[:, 1] / PHI[:, 1] - 1.0)
    for which, measured, bias in (("least", "-55", biases.max()), ("largest", "-94", biases.min())):
        yield Claim(
            paper=KEY,
            place="Section VI",
            quantity=f"{which} bias of φ2 of a joint when torque and velocity are filtered at 1 Hz by themselves, as in the paper",
            ours=float(bias),
            unit="%",
            chosen="that friction alone is filtered, without what the links leave over, was chosen after the comparison",
            **as_measured(measured),
        )


def _property_claims() -> Iterator[Claim]:
    v = np.linspace(-_SPEED, _SPEED, 2001)
    twin = max(float(np.abs(sigmoid(phi, v) - sigmoid(phi * [-1, -1, 1], v)).max()) for phi in PHI)
    yield Claim(
        paper=KEY,
        place="eq. (25)",
        quantity="largest change of the torque when φ1 and φ2 change their signs",
        published=0.0,
        ours=twin,
        tolerance=1e-12,
        tolerance_from="rounding",
        unit="N·m",
        origin="prototype",
    )
    swing = _SPEED * np.sin(np.linspace(0.0, 2.0 * np.pi, 2001))
    moved = _nelder_mead(swing, sigmoid(PHI[0], swing) + _OFFSET)
    yield Claim(
        paper=KEY,
        place="eq. (25)",
        quantity=f"φ3 of joint 1 when the torque has an offset of {_OFFSET:g} N·m, which eq. (25) can't express; published 0.0395",
        ours=float(moved[2]),
        unit="rad/s",
        chosen="it depends on the motion, which was chosen after the comparison",
        **as_measured("-0.034"),
    )


def fit_as_published(robot: Robot) -> Array:
    """(7, 3) φ as the paper fits them, on its Table I: friction torque and velocity each behind a filter of 1 Hz, Nelder-Mead."""
    motion = trajectory_dataset(panda_table_1(duration=10.0, joints=robot.joint_names), 1000.0)
    velocity = np.asarray(motion.dq)
    torque = np.column_stack([sigmoid(phi, velocity[:, j]) for j, phi in enumerate(PHI)])
    smooth = low_pass(Dataset(time=motion.time, q=motion.q, dq=velocity, effort=torque, effort_kind=EffortKind.TORQUE), 1.0)
    return np.array([_nelder_mead(np.asarray(smooth.dq)[:, j], np.asarray(smooth.effort)[:, j]) for j in range(7)])


def _nelder_mead(velocity: Array, torque: Array) -> Array:
    """(3,) φ of eq. (25) by least squares with Nelder-Mead, as the paper fits them; φ1 > 0."""
    from scipy.optimize import minimize

    v, t = velocity[:: max(1, len(velocity) // 3000)], torque[:: max(1, len(torque) // 3000)]
    start = np.array([float(np.ptp(t)), 5.0, 0.0])
    with np.errstate(over="ignore"):
        result = minimize(lambda phi: float(np.sum((sigmoid(phi, v) - t) ** 2)), start, method="Nelder-Mead", options={"maxiter": 2000})
    phi = np.asarray(result.x, dtype=float)
    return phi * np.where(phi[0] < 0.0, [-1.0, -1.0, 1.0], 1.0)


def _figures(estimate: Estimate, log: Dataset, robot: Robot) -> Iterator[Figure]:
    """Fig. 4: Δτ over the velocity, the published curve and the fitted one."""
    smooth = differentiate(low_pass(resample(log), 5.0))
    q, dq, ddq = smooth.q, np.asarray(smooth.dq), np.asarray(smooth.ddq)
    left = np.asarray(smooth.effort) - inverse_dynamics(robot, np.asarray(robot.parameters), q, dq, ddq)
    values, _ = fitted_sigmoids(estimate)
    offsets = np.asarray(estimate.friction_parameters)[:, 1]
    step = len(dq) // 400
    for j, joint in enumerate(robot.joint_names):
        v = np.linspace(float(dq[:, j].min()), float(dq[:, j].max()), 200)
        data = [
            points(dq[::step, j], left[::step, j], "torque left over", "@cloud", marker={"size": 3}),
            line(v, sigmoid(PHI[j], v), "published", "@measured"),
            line(v, sigmoid(values[j], v) + offsets[j], "fitted", "@predicted", line={"dash": "dash"}),
        ]
        x, y, below = "velocity [rad/s]", "torque [N·m]", {"orientation": "h", "y": -0.25}
        yield figure(f"Fig. 4: {joint}", data, x, y, title=f"Fig. 4, {joint}", height=300, beside=2, legend=below)


EXPERIMENT = PaperExperiment(key="friction", title="joint friction", run=run, uses=("panda",), sized=True)
