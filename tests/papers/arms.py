"""Arms that only these tests know: a description file for the commands, and the true links, friction and rotors kept aside.

A description holds what a reader of the papers has: DH constants or a URDF's joints, limits and shapes, and no link parameters. Logs have
time stamps, noisy positions and noisy torques; velocities and accelerations are left to the commands.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from dynident import Robot, load_robot
from dynident.dynamics import gravity, inverse_dynamics, mass_matrix
from dynident.robots.parameters import from_pseudo_inertia

#: Of the encoders [rad], and of the torque as a fraction of the joint's limit.
POSITION_NOISE, TORQUE_NOISE = 1e-4, 0.002
RATE = 500.0  # [Hz]

Array = np.ndarray
Friction = Callable[[Array], Array]  # (N, n) velocity -> (N, n) torque


@dataclass(frozen=True, kw_only=True)
class Axis:
    """A revolute joint by its modified DH row [m, rad] and limits [rad, rad/s, N·m], and its link: mass [kg], end points and radius [m]."""

    a: float
    alpha: float
    d: float
    position: tuple[float, float]
    velocity: float
    effort: float
    mass: float
    start: tuple[float, float, float]
    end: tuple[float, float, float]
    radius: float


@dataclass(frozen=True, kw_only=True, eq=False)
class Arm:
    """A description on disk and the truth about it.

    links : (n, 10)  True parameters, in the joints' frames. rotors : (n,)  Armature [kg·m²].
    """

    file: Path
    axes: tuple[Axis, ...]
    links: Array
    rotors: Array = field(default_factory=lambda: np.zeros(0))

    @property
    def robot(self) -> Robot:
        return load_robot(self.file)

    @property
    def n(self) -> int:
        return len(self.axes)

    @property
    def effort(self) -> Array:
        return np.array([axis.effort for axis in self.axes])

    @property
    def middle(self) -> Array:
        return np.array([0.5 * sum(axis.position) for axis in self.axes])

    @property
    def half_range(self) -> Array:
        return np.array([0.5 * (axis.position[1] - axis.position[0]) for axis in self.axes])

    @property
    def velocity(self) -> Array:
        return np.array([axis.velocity for axis in self.axes])

    @property
    def noise(self) -> Array:
        """Standard deviation of the torque [N·m]."""
        return TORQUE_NOISE * self.effort

    def torque(self, q: Array, dq: Array, ddq: Array, friction: Friction) -> Array:
        rotors = self.rotors * ddq if len(self.rotors) else 0.0
        return inverse_dynamics(self.robot, self.links, q, dq, ddq) + rotors + friction(dq)


def seven_axes(rng: np.random.Generator) -> tuple[Axis, ...]:
    """A lightweight arm with an offset elbow and an offset wrist."""
    upper, fore, elbow, wrist = rng.uniform(0.3, 0.36), rng.uniform(0.34, 0.4), rng.uniform(0.06, 0.09), rng.uniform(0.07, 0.1)
    half = np.pi / 2
    table = (
        # a, alpha, d, range (symmetric where it is one number), velocity, effort, mass, start, end, radius
        (0.0, 0.0, 0.33, 2.7, 2.0, 90.0, 3.5, (0, 0, -0.12), (0, 0, -0.02), 0.06),
        (0.0, -half, 0.0, 1.7, 2.0, 90.0, 3.2, (0, -0.05, 0), (0, -upper + 0.12, 0), 0.05),
        (0.0, half, upper, 2.7, 2.0, 60.0, 2.6, (0, 0, -0.04), (elbow, 0, 0), 0.05),
        (elbow, half, 0.0, (-2.3, -0.1), 2.0, 60.0, 2.4, (-elbow, 0.05, 0), (-elbow, fore - 0.18, 0), 0.05),
        (-elbow, -half, fore, 2.7, 2.5, 20.0, 1.7, (0, 0, -0.1), (0, 0.03, -0.02), 0.045),
        (0.0, half, 0.0, (-0.1, 3.1), 2.5, 20.0, 1.3, (0, 0, 0), (wrist, 0, 0), 0.04),
        (wrist, half, 0.0, 2.7, 2.5, 15.0, 0.7, (0, 0, 0.05), (0.03, 0, 0.1), 0.035),
    )
    return _axes(table, rng)


def six_axes(rng: np.random.Generator) -> tuple[Axis, ...]:
    """An industrial elbow arm with a spherical wrist."""
    shoulder, upper, elbow, fore = rng.uniform(0.1, 0.2), rng.uniform(0.4, 0.5), rng.uniform(0.05, 0.1), rng.uniform(0.4, 0.5)
    half = np.pi / 2
    table = (
        (0.0, 0.0, 0.4, 2.8, 2.0, 300.0, 18.0, (0, 0, -0.15), (shoulder, 0, -0.02), 0.09),
        (shoulder, -half, 0.0, 1.7, 2.0, 300.0, 12.0, (0.1, 0, 0.1), (upper - 0.1, 0, 0.1), 0.07),
        (upper, 0.0, 0.0, 1.7, 2.0, 150.0, 9.0, (0, 0, 0), (elbow, 0.12, 0), 0.07),
        (elbow, -half, fore, 2.8, 3.0, 40.0, 4.0, (0, 0, -0.22), (0, 0, -0.1), 0.05),
        (0.0, half, 0.0, 1.9, 3.0, 40.0, 2.0, (0, 0, -0.03), (0, -0.04, 0), 0.045),
        (0.0, -half, 0.1, 2.8, 4.0, 25.0, 1.0, (0, 0, 0.0), (0.04, 0, 0.03), 0.04),
    )
    return _axes(table, rng)


def three_axes(rng: np.random.Generator) -> tuple[Axis, ...]:
    """The unsigned report's spatial arm: a turning base and two links."""
    upper = rng.uniform(0.3, 0.5)
    table = (
        (0.0, 0.0, 0.4, 2.8, 2.5, 60.0, 8.0, (0, 0, -0.1), (0, 0, -0.02), 0.06),
        (0.0, np.pi / 2, 0.0, 2.8, 2.5, 60.0, 5.0, (0.08, 0, 0), (upper - 0.08, 0, 0), 0.05),
        (upper, 0.0, 0.0, 2.3, 2.5, 30.0, 3.0, (0.08, 0.02, 0.01), (0.35, 0, 0), 0.05),
    )
    return _axes(table, rng)


def one_axis(rng: np.random.Generator) -> tuple[Axis, ...]:
    """The report's pendulum: a link that swings about a horizontal axis."""
    length = rng.uniform(0.4, 0.7)
    return _axes(((0.0, np.pi / 2, 1.2, 3.0, 3.0, 40.0, 6.0, (0.05, 0, 0), (length, 0, 0), 0.04),), rng)


def _axes(table: tuple[tuple, ...], rng: np.random.Generator) -> tuple[Axis, ...]:
    axes = []
    for a, alpha, d, reach, velocity, effort, mass, start, end, radius in table:
        axes.append(
            Axis(
                a=round(float(a), 4),
                alpha=alpha,
                d=round(float(d), 4),
                position=reach if isinstance(reach, tuple) else (-reach, reach),
                velocity=velocity,
                effort=effort,
                mass=mass * rng.uniform(0.7, 1.4),
                start=start,
                end=tuple(round(float(value), 4) for value in end),
                radius=radius,
            )
        )
    return tuple(axes)


def make_arm(
    folder: Path, table: Callable[[np.random.Generator], tuple[Axis, ...]], *, seed: int, form: str = "dh", rotors: bool = False
) -> Arm:
    """Draws an arm and writes its description (`arm.yaml` or `arm.urdf`), which has no link parameters."""
    rng = np.random.default_rng([2019, seed])
    axes = table(rng)
    links = np.array([_draw_link(axis, rng) for axis in axes])
    file = folder / ("arm.yaml" if form == "dh" else "arm.urdf")
    file.write_text(_dh_file(axes) if form == "dh" else _urdf_file(axes))
    inertia = np.array([axis.effort for axis in axes]) * rng.uniform(0.004, 0.008, len(axes))
    return Arm(file=file, axes=axes, links=links, rotors=inertia if rotors else np.zeros(0))


def _draw_link(axis: Axis, rng: np.random.Generator) -> Array:
    """Ten parameters of 40 points of unequal weight within the link's capsule: physically consistent, with no symmetry."""
    start, end = np.array(axis.start), np.array(axis.end)
    points = start + (end - start) * rng.uniform(0.0, 1.0, (40, 1)) + axis.radius / np.sqrt(3.0) * rng.uniform(-1.0, 1.0, (40, 3))
    weights = rng.uniform(0.2, 1.0, 40)
    P = np.einsum("k,ki,kj->ij", axis.mass * weights / weights.sum(), *[np.column_stack([points, np.ones(40)])] * 2)
    return from_pseudo_inertia(P)


def _dh_file(axes: tuple[Axis, ...]) -> str:
    lines = ["name: drawn_arm", "convention: modified", "joints:"]
    capsules = ["capsules:", "  base: [{from: [0, 0, 0.03], to: [0, 0, 0.1], radius: 0.06}]"]
    for i, axis in enumerate(axes, start=1):
        lines.append(
            f"  - {{name: axis{i}, type: revolute, a: {axis.a}, alpha: {axis.alpha}, d: {axis.d}, theta: 0, "
            f"position: {list(axis.position)}, velocity: {axis.velocity}, acceleration: {5 * axis.velocity}, "
            f"effort: {axis.effort}, home: {sum(axis.position) / 2}}}"
        )
        capsules.append(f"  link{i}: [{{from: {list(axis.start)}, to: {list(axis.end)}, radius: {axis.radius}}}]")
    return "\n".join([*lines, *capsules]) + "\n"


def _urdf_file(axes: tuple[Axis, ...]) -> str:
    """Modified DH frames are URDF's joint frames: x and the twist before the joint's z axis."""
    parts = ['<robot name="drawn_arm">', '<link name="base"/>']
    for i, axis in enumerate(axes, start=1):
        sine, cosine = float(np.sin(axis.alpha)), float(np.cos(axis.alpha))
        parent = "base" if i == 1 else f"link{i - 1}"
        start, end = np.array(axis.start), np.array(axis.end)
        ball = f'<geometry><sphere radius="{axis.radius}"/></geometry>'
        places = [" ".join(map(repr, point.tolist())) for point in np.linspace(start, end, 5)]
        balls = "".join(f'<collision><origin xyz="{place}"/>{ball}</collision>' for place in places)
        parts.append(
            f'<joint name="axis{i}" type="revolute"><parent link="{parent}"/><child link="link{i}"/><axis xyz="0 0 1"/>'
            f'<origin xyz="{axis.a!r} {-sine * axis.d!r} {cosine * axis.d!r}" rpy="{axis.alpha!r} 0 0"/>'
            f'<limit lower="{axis.position[0]}" upper="{axis.position[1]}" velocity="{axis.velocity}" effort="{axis.effort}"/></joint>'
            f'<link name="link{i}">{balls}</link>'
        )
    return "\n".join([*parts, "</robot>"]) + "\n"


def linear_friction(arm: Arm, rng: np.random.Generator) -> tuple[Friction, Array]:
    """Eq. (24) of the Panda paper, and its (n, 3) fv, fc, fo."""
    constants = arm.effort[:, None] * np.column_stack(
        [rng.uniform(0.005, 0.015, arm.n), rng.uniform(0.01, 0.025, arm.n), rng.uniform(-0.004, 0.004, arm.n)]
    )
    fv, fc, fo = constants.T
    return (lambda dq: fv * dq + fc * np.sign(dq) + fo), constants


def sigmoid_friction(arm: Arm, rng: np.random.Generator) -> tuple[Friction, Array]:
    """Eq. (25) of the Panda paper, and its (n, 3) φ1, φ2, φ3."""
    phi = np.column_stack([arm.effort * rng.uniform(0.02, 0.05, arm.n), rng.uniform(5.0, 17.0, arm.n), rng.uniform(-0.04, 0.04, arm.n)])
    first, steepness, shift = phi.T

    def torque(dq: Array) -> Array:
        rise = 1.0 / (1.0 + np.exp(-steepness * (dq + shift)))
        return first * (rise - 1.0 / (1.0 + np.exp(-steepness * shift)))

    return torque, phi


def sinusoids(arm: Arm, rng: np.random.Generator, *, seconds: float = 40.0, fraction: float = 0.8) -> tuple[Array, Array, Array, Array]:
    """Eq. (31): every joint's velocity is A sin(2πt/T), as fast as its limits allow. Time (N,), q, dq, ddq (N, n)."""
    t = np.arange(0.0, seconds, 1.0 / RATE)[:, None]
    speed = fraction * arm.velocity * rng.uniform(0.8, 1.0, arm.n) * rng.choice([-1.0, 1.0], arm.n)
    reach = 0.8 * arm.half_range
    omega = 2.0 * np.pi / np.minimum(rng.uniform(1.5, 4.5, arm.n), np.pi * reach / np.abs(speed))
    centre = arm.middle + rng.uniform(-0.1, 0.1, arm.n)
    q = centre - speed / omega * np.cos(omega * t)
    return t[:, 0], q, speed * np.sin(omega * t), speed * omega * np.cos(omega * t)


def fourier(arm: Arm, rng: np.random.Generator, *, seconds: float = 40.0, base: float = 0.05) -> tuple[Array, Array, Array, Array]:
    """Five harmonics within 70 % of the limits: an exciting motion. Time (N,), q, dq, ddq (N, n)."""
    t = np.arange(0.0, seconds, 1.0 / RATE)[:, None, None]
    omega = 2.0 * np.pi * base * np.array([1, 2, 4, 6, 9])[:, None]
    angle = omega * t + rng.uniform(0.0, 2.0 * np.pi, (5, arm.n))
    size = rng.uniform(0.3, 1.0, (5, arm.n)) / np.sqrt(omega)
    q, dq = np.sum(size * np.sin(angle), axis=1), np.sum(size * omega * np.cos(angle), axis=1)
    scale = np.minimum(0.7 * arm.half_range / np.abs(q).max(axis=0), 0.7 * arm.velocity / np.abs(dq).max(axis=0))
    return t[:, 0, 0], arm.middle + scale * q, scale * dq, -scale * np.sum(size * omega**2 * np.sin(angle), axis=1)


def write_log(
    file: Path, arm: Arm, motion: tuple[Array, Array, Array, Array], friction: Friction, rng: np.random.Generator, *, unsigned: bool = False
) -> Array:
    """Writes time, noisy q and noisy torque (or its magnitude); gives the true torque (N, n) [N·m]."""
    t, q, dq, ddq = motion
    torque = arm.torque(q, dq, ddq, friction)
    measured = torque + arm.noise * rng.normal(size=torque.shape)
    np.savez(file, t=t, q=q + POSITION_NOISE * rng.normal(size=q.shape), tau=np.abs(measured) if unsigned else measured)
    return torque


def write_samples(file: Path, arm: Arm, rng: np.random.Generator, *, samples: int = 400) -> None:
    """Writes M and g of a controller at static configurations; each reads its encoders with noise."""
    low, high = np.array([axis.position for axis in arm.axes]).T
    q = rng.uniform(low, high, (samples, arm.n))
    M, g = mass_matrix(arm.robot, arm.links, q), gravity(arm.robot, arm.links, q)
    np.savez(file, q=q + POSITION_NOISE * rng.normal(size=q.shape), M=M, g=g)


def write_bounds(file: Path, arm: Arm, *, inertia: float = 1.0) -> None:
    """Bounds that a reader would take from a data sheet: masses to 2.5 times, centres of mass in a box around the link [kg, m, kg·m²]."""
    lines = ["Coeff name,Lower bound,Upper bound"]
    for i, axis in enumerate(arm.axes, start=1):
        lines.append(f"m{i},0,{2.5 * axis.mass:.3f}")
        low, high = np.minimum(axis.start, axis.end) - axis.radius, np.maximum(axis.start, axis.end) + axis.radius
        lines += [f"c{i}{name},{a:.4f},{b:.4f}" for name, a, b in zip("xyz", low, high, strict=True)]
        lines += [f"I{i}{name},{0 if name[0] == name[1] else -inertia},{inertia}" for name in ("xx", "xy", "xz", "yy", "yz", "zz")]
    file.write_text("\n".join(lines) + "\n")
