"""Compiled kernels: Newton-Euler over tiles of samples, so that every inner loop runs over samples and vectorises.

A tile holds TILE samples as a structure of arrays: row r of a workspace stands at [r * TILE, (r + 1) * TILE). TILE
and BLOCK are compile-time constants, and a loop touches few distinct arrays: with both, LLVM proves with a handful
of overlap checks that it may vectorise. Keep it so: more than about five array arguments in a tile function, or a
stride that is not a constant, silently gives scalar code that is several times slower. TILE is a multiple of 8, so
that rows keep the 64-byte alignment of their workspace; powers of two are slower (rows compete for cache sets).

All compiled code stands in this one file because the cache of compiled code only notices changes of the file itself.
The readable form of everything here is lagrangian_dynamics.py.

Rows of a link's workspace      rows of a joint's workspace     entries of a joint's constants
 0- 8  R  link axes in parent    0  q                            0-11  R (9) and p (3): constant term
 9-11  p  origin in parent       1  dq                          12-23  factor of cos q
12-14  ω  angular velocity       2  ddq                         24-35  factor of sin q
15-17  α  angular acceleration   3  sin q                       36-38  factor of q (p only)
18-20  a  acceleration, gravity  4  cos q                       39-44  screw: angular, linear, in link axes
21-29  H = [α]× + [ω]×²
30-32  ωx ωy, ωx ωz, ωy ωz
33-35  ωx² - ωy², ωz² - ωx², ωy² - ωz²
All vectors but p are in link axes; a = acceleration of the frame's origin minus gravity.

Most joints turn about the z axis of their link's frame. Such a joint is plain, and has kernels of its own for what is simpler then.
"""

# pyright: basic

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynident.core.compiled import compiler

TILE = T = 40
BLOCK = B = 5 * TILE

# "contract" lets multiply-adds fuse, "nsz" ignores the sign of zero; NaN and infinity keep their meaning. The kernels
# allocate nothing, so they do without Numba's reference counts (_nrt), whose atomic updates cost a quarter of the time.
_compile = compiler(nogil=True, _nrt=False, error_model="numpy", fastmath={"contract", "nsz"})


class Chain(NamedTuple):
    """What a kernel knows of the robot, and how its links move (n bodies; see numba_dynamics.py)."""

    tree: np.ndarray  #: (n,) parent of each body, -1 for the base
    constants: np.ndarray  #: (n, 45) constants of each joint
    plain: np.ndarray  #: (n,) whether a joint turns about the z axis of its link's frame
    base: np.ndarray  #: (36 T,) the base as a link: at rest, accelerating against gravity
    joints: np.ndarray  #: (n, 5 T)
    links: np.ndarray  #: (n, 36 T)
    screws: np.ndarray  #: (n, n, 6 T) [i, j] is joint j's screw in the frame of link i, angular rows first


class Memory(NamedTuple):
    """What some kernels work in beside. Every array that is handed over costs a call about as much as a sample."""

    rates: np.ndarray  #: (n, n, 6 T) rates of change of the screws
    wrenches: np.ndarray  #: (n, 6 T) moment about the link's origin, force
    scratch: np.ndarray  #: (4, 10 T)
    square: np.ndarray  #: (n, n, T) a joint-space matrix


# π/2 in three parts of which the first two have 33 bits, so that k·part is exact (Cody and Waite; constants of fdlibm).
_PIO2_1 = 1.57079632673412561417e00
_PIO2_2 = 6.07710050630396597660e-11
_PIO2_3 = 2.02226624879595063154e-21
_TWO_OVER_PI = 6.36619772367581382433e-01


@_compile
def _sincos(joint):
    """Rows 3 and 4 from row 0: branch-free sine and cosine, exact to 1 ulp or so for |q| < 1e6 (fdlibm's polynomials)."""
    for s in range(T):
        q = joint[s]
        k = np.floor(q * _TWO_OVER_PI + 0.5)
        r = ((q - k * _PIO2_1) - k * _PIO2_2) - k * _PIO2_3
        z = r * r
        sine = r + r * z * (
            -1.66666666666666324348e-01 + z * (8.33333333332248946124e-03 + z * (-1.98412698298579493134e-04 + z * (
            2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)))))  # fmt: skip
        cosine = 1.0 - 0.5 * z + z * z * (
            4.16666666666666019037e-02 + z * (-1.38888888888741095749e-03 + z * (2.48015872894767294178e-05 + z * (
            -2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)))))  # fmt: skip
        quadrant = k - 4.0 * np.floor(0.25 * k)
        odd = quadrant - 2.0 * np.floor(0.5 * quadrant)
        x = sine if odd == 0.0 else cosine
        y = cosine if odd == 0.0 else sine
        joint[3 * T + s] = -x if quadrant >= 2.0 else x
        joint[4 * T + s] = -y if quadrant == 1.0 or quadrant == 2.0 else y


@_compile
def _advance(parent, c, joint, link):
    """Pose, velocity and acceleration of a link from those of its parent (all rows of `link`)."""
    for s in range(T):
        sq, cq, q, dq, ddq = joint[3 * T + s], joint[4 * T + s], joint[s], joint[T + s], joint[2 * T + s]
        r0 = c[0] + cq * c[12] + sq * c[24]
        r1 = c[1] + cq * c[13] + sq * c[25]
        r2 = c[2] + cq * c[14] + sq * c[26]
        r3 = c[3] + cq * c[15] + sq * c[27]
        r4 = c[4] + cq * c[16] + sq * c[28]
        r5 = c[5] + cq * c[17] + sq * c[29]
        r6 = c[6] + cq * c[18] + sq * c[30]
        r7 = c[7] + cq * c[19] + sq * c[31]
        r8 = c[8] + cq * c[20] + sq * c[32]
        px = c[9] + cq * c[21] + sq * c[33] + q * c[36]
        py = c[10] + cq * c[22] + sq * c[34] + q * c[37]
        pz = c[11] + cq * c[23] + sq * c[35] + q * c[38]
        ux, uy, uz, vx, vy, vz = c[39], c[40], c[41], c[42], c[43], c[44]
        # ω' = Rᵀ ω_parent; α = Rᵀ α_parent + u ddq + ω' × u dq
        x, y, z = parent[12 * T + s], parent[13 * T + s], parent[14 * T + s]
        wx = r0 * x + r3 * y + r6 * z
        wy = r1 * x + r4 * y + r7 * z
        wz = r2 * x + r5 * y + r8 * z
        sx, sy, sz = ux * dq, uy * dq, uz * dq
        x, y, z = parent[15 * T + s], parent[16 * T + s], parent[17 * T + s]
        ax = r0 * x + r3 * y + r6 * z + ux * ddq + wy * sz - wz * sy
        ay = r1 * x + r4 * y + r7 * z + uy * ddq + wz * sx - wx * sz
        az = r2 * x + r5 * y + r8 * z + uz * ddq + wx * sy - wy * sx
        # a = Rᵀ (a_parent + H_parent p) + v ddq + (2 ω' + u dq) × v dq
        x = parent[18 * T + s] + parent[21 * T + s] * px + parent[22 * T + s] * py + parent[23 * T + s] * pz
        y = parent[19 * T + s] + parent[24 * T + s] * px + parent[25 * T + s] * py + parent[26 * T + s] * pz
        z = parent[20 * T + s] + parent[27 * T + s] * px + parent[28 * T + s] * py + parent[29 * T + s] * pz
        tx, ty, tz = 2.0 * wx + sx, 2.0 * wy + sy, 2.0 * wz + sz
        lx, ly, lz = vx * dq, vy * dq, vz * dq
        link[18 * T + s] = r0 * x + r3 * y + r6 * z + vx * ddq + ty * lz - tz * ly
        link[19 * T + s] = r1 * x + r4 * y + r7 * z + vy * ddq + tz * lx - tx * lz
        link[20 * T + s] = r2 * x + r5 * y + r8 * z + vz * ddq + tx * ly - ty * lx
        wx, wy, wz = wx + sx, wy + sy, wz + sz
        link[s], link[T + s], link[2 * T + s] = r0, r1, r2
        link[3 * T + s], link[4 * T + s], link[5 * T + s] = r3, r4, r5
        link[6 * T + s], link[7 * T + s], link[8 * T + s] = r6, r7, r8
        link[9 * T + s], link[10 * T + s], link[11 * T + s] = px, py, pz
        link[12 * T + s], link[13 * T + s], link[14 * T + s] = wx, wy, wz
        link[15 * T + s], link[16 * T + s], link[17 * T + s] = ax, ay, az
        xx, yy, zz, xy, xz, yz = wx * wx, wy * wy, wz * wz, wx * wy, wx * wz, wy * wz
        link[21 * T + s], link[22 * T + s], link[23 * T + s] = -yy - zz, xy - az, xz + ay
        link[24 * T + s], link[25 * T + s], link[26 * T + s] = xy + az, -xx - zz, yz - ax
        link[27 * T + s], link[28 * T + s], link[29 * T + s] = xz - ay, yz + ax, -xx - yy
        link[30 * T + s], link[31 * T + s], link[32 * T + s] = xy, xz, yz
        link[33 * T + s], link[34 * T + s], link[35 * T + s] = xx - yy, zz - xx, yy - zz


@_compile
def _advance_plain(parent, c, joint, link):
    """The same for a plain joint: R = [X cos q + Y sin q, Y cos q - X sin q, Z], and p is constant."""
    for s in range(T):
        sq, cq, dq, ddq = joint[3 * T + s], joint[4 * T + s], joint[T + s], joint[2 * T + s]
        px, py, pz = c[9], c[10], c[11]
        r0, r1, r2 = cq * c[12] + sq * c[24], cq * c[24] - sq * c[12], c[2]
        r3, r4, r5 = cq * c[15] + sq * c[27], cq * c[27] - sq * c[15], c[5]
        r6, r7, r8 = cq * c[18] + sq * c[30], cq * c[30] - sq * c[18], c[8]
        x, y, z = parent[12 * T + s], parent[13 * T + s], parent[14 * T + s]
        wx = r0 * x + r3 * y + r6 * z
        wy = r1 * x + r4 * y + r7 * z
        wz = r2 * x + r5 * y + r8 * z + dq
        x, y, z = parent[15 * T + s], parent[16 * T + s], parent[17 * T + s]
        ax = r0 * x + r3 * y + r6 * z + wy * dq
        ay = r1 * x + r4 * y + r7 * z - wx * dq
        az = r2 * x + r5 * y + r8 * z + ddq
        x = parent[18 * T + s] + parent[21 * T + s] * px + parent[22 * T + s] * py + parent[23 * T + s] * pz
        y = parent[19 * T + s] + parent[24 * T + s] * px + parent[25 * T + s] * py + parent[26 * T + s] * pz
        z = parent[20 * T + s] + parent[27 * T + s] * px + parent[28 * T + s] * py + parent[29 * T + s] * pz
        link[18 * T + s] = r0 * x + r3 * y + r6 * z
        link[19 * T + s] = r1 * x + r4 * y + r7 * z
        link[20 * T + s] = r2 * x + r5 * y + r8 * z
        link[s], link[T + s], link[2 * T + s] = r0, r1, r2
        link[3 * T + s], link[4 * T + s], link[5 * T + s] = r3, r4, r5
        link[6 * T + s], link[7 * T + s], link[8 * T + s] = r6, r7, r8
        link[9 * T + s], link[10 * T + s], link[11 * T + s] = px, py, pz
        link[12 * T + s], link[13 * T + s], link[14 * T + s] = wx, wy, wz
        link[15 * T + s], link[16 * T + s], link[17 * T + s] = ax, ay, az
        xx, yy, zz, xy, xz, yz = wx * wx, wy * wy, wz * wz, wx * wy, wx * wz, wy * wz
        link[21 * T + s], link[22 * T + s], link[23 * T + s] = -yy - zz, xy - az, xz + ay
        link[24 * T + s], link[25 * T + s], link[26 * T + s] = xy + az, -xx - zz, yz - ax
        link[27 * T + s], link[28 * T + s], link[29 * T + s] = xz - ay, yz + ax, -xx - yy
        link[30 * T + s], link[31 * T + s], link[32 * T + s] = xy, xz, yz
        link[33 * T + s], link[34 * T + s], link[35 * T + s] = xx - yy, zz - xx, yy - zz


@_compile
def _carry(link, motion, carried):
    """A motion vector (u, v) of the parent frame, expressed in the link frame: (Rᵀ u, Rᵀ (v + u × p))."""
    for s in range(T):
        px, py, pz = link[9 * T + s], link[10 * T + s], link[11 * T + s]
        ux, uy, uz = motion[s], motion[T + s], motion[2 * T + s]
        vx = motion[3 * T + s] + uy * pz - uz * py
        vy = motion[4 * T + s] + uz * px - ux * pz
        vz = motion[5 * T + s] + ux * py - uy * px
        carried[s] = link[s] * ux + link[3 * T + s] * uy + link[6 * T + s] * uz
        carried[T + s] = link[T + s] * ux + link[4 * T + s] * uy + link[7 * T + s] * uz
        carried[2 * T + s] = link[2 * T + s] * ux + link[5 * T + s] * uy + link[8 * T + s] * uz
        carried[3 * T + s] = link[s] * vx + link[3 * T + s] * vy + link[6 * T + s] * vz
        carried[4 * T + s] = link[T + s] * vx + link[4 * T + s] * vy + link[7 * T + s] * vz
        carried[5 * T + s] = link[2 * T + s] * vx + link[5 * T + s] * vy + link[8 * T + s] * vz


@_compile
def _regressor_row(link, motion, out):
    """Ten regressor entries of one link in one joint's row: the power that unit parameters need along (u, v).

    m: v·a;  mc: Hᵀ v + a × u;  J: the symmetric part of u αᵀ + (u × ω) ωᵀ.
    """
    for s in range(T):
        ux, uy, uz = motion[s], motion[T + s], motion[2 * T + s]
        vx, vy, vz = motion[3 * T + s], motion[4 * T + s], motion[5 * T + s]
        lx, ly, lz = link[18 * T + s], link[19 * T + s], link[20 * T + s]
        h1, h2, h3 = link[22 * T + s], link[23 * T + s], link[24 * T + s]
        h5, h6, h7 = link[26 * T + s], link[27 * T + s], link[28 * T + s]
        xy, xz, yz = link[30 * T + s], link[31 * T + s], link[32 * T + s]
        out[s] = vx * lx + vy * ly + vz * lz
        out[B + s] = vx * link[21 * T + s] + vy * h3 + vz * h6 + ly * uz - lz * uy
        out[2 * B + s] = vx * h1 + vy * link[25 * T + s] + vz * h7 + lz * ux - lx * uz
        out[3 * B + s] = vx * h2 + vy * h5 + vz * link[29 * T + s] + lx * uy - ly * ux
        out[4 * B + s] = ux * link[15 * T + s] + uy * xz - uz * xy
        out[5 * B + s] = uy * h7 - ux * h6 + uz * link[33 * T + s]
        out[6 * B + s] = ux * h3 - uz * h5 + uy * link[34 * T + s]
        out[7 * B + s] = uy * link[16 * T + s] + uz * xy - ux * yz
        out[8 * B + s] = uz * h2 - uy * h1 + ux * link[35 * T + s]
        out[9 * B + s] = uz * link[17 * T + s] + ux * yz - uy * xz


@_compile
def _plain_row(link, out):
    """The same of a plain joint in its own row, along u = z and v = 0."""
    for s in range(T):
        out[s] = 0.0
        out[B + s] = link[19 * T + s]
        out[2 * B + s] = -link[18 * T + s]
        out[3 * B + s] = 0.0
        out[4 * B + s] = -link[30 * T + s]
        out[5 * B + s] = link[33 * T + s]
        out[6 * B + s] = -link[26 * T + s]
        out[7 * B + s] = link[30 * T + s]
        out[8 * B + s] = link[23 * T + s]
        out[9 * B + s] = link[17 * T + s]


@_compile
def _wrench(link, p, wrench):
    """Moment about the origin (rows 0-2) and force (3-5) that move a link with parameters p: Newton and Euler."""
    for s in range(T):
        lx, ly, lz = link[18 * T + s], link[19 * T + s], link[20 * T + s]
        wrench[3 * T + s] = p[0] * lx + link[21 * T + s] * p[1] + link[22 * T + s] * p[2] + link[23 * T + s] * p[3]
        wrench[4 * T + s] = p[0] * ly + link[24 * T + s] * p[1] + link[25 * T + s] * p[2] + link[26 * T + s] * p[3]
        wrench[5 * T + s] = p[0] * lz + link[27 * T + s] * p[1] + link[28 * T + s] * p[2] + link[29 * T + s] * p[3]
        wx, wy, wz = link[12 * T + s], link[13 * T + s], link[14 * T + s]
        ax, ay, az = link[15 * T + s], link[16 * T + s], link[17 * T + s]
        hx = p[4] * wx + p[5] * wy + p[6] * wz
        hy = p[5] * wx + p[7] * wy + p[8] * wz
        hz = p[6] * wx + p[8] * wy + p[9] * wz
        wrench[s] = p[2] * lz - p[3] * ly + p[4] * ax + p[5] * ay + p[6] * az + wy * hz - wz * hy
        wrench[T + s] = p[3] * lx - p[1] * lz + p[5] * ax + p[7] * ay + p[8] * az + wz * hx - wx * hz
        wrench[2 * T + s] = p[1] * ly - p[2] * lx + p[6] * ax + p[8] * ay + p[9] * az + wx * hy - wy * hx


@_compile
def _wrench_to_parent(link, wrench, parent_wrench):
    """Add a link's wrench to its parent's, in the parent's frame: (R n + p × R f, R f)."""
    for s in range(T):
        nx, ny, nz = wrench[s], wrench[T + s], wrench[2 * T + s]
        x, y, z = wrench[3 * T + s], wrench[4 * T + s], wrench[5 * T + s]
        px, py, pz = link[9 * T + s], link[10 * T + s], link[11 * T + s]
        fx = link[s] * x + link[T + s] * y + link[2 * T + s] * z
        fy = link[3 * T + s] * x + link[4 * T + s] * y + link[5 * T + s] * z
        fz = link[6 * T + s] * x + link[7 * T + s] * y + link[8 * T + s] * z
        parent_wrench[s] += link[s] * nx + link[T + s] * ny + link[2 * T + s] * nz + py * fz - pz * fy
        parent_wrench[T + s] += link[3 * T + s] * nx + link[4 * T + s] * ny + link[5 * T + s] * nz + pz * fx - px * fz
        parent_wrench[2 * T + s] += link[6 * T + s] * nx + link[7 * T + s] * ny + link[8 * T + s] * nz + px * fy - py * fx
        parent_wrench[3 * T + s] += fx
        parent_wrench[4 * T + s] += fy
        parent_wrench[5 * T + s] += fz


@_compile
def _power(motion, wrench, out):
    """Add u·n + v·f to the row `out`."""
    for s in range(T):
        out[s] += (
            motion[s] * wrench[s] + motion[T + s] * wrench[T + s] + motion[2 * T + s] * wrench[2 * T + s]
            + motion[3 * T + s] * wrench[3 * T + s] + motion[4 * T + s] * wrench[4 * T + s] + motion[5 * T + s] * wrench[5 * T + s]
        )  # fmt: skip


@_compile
def _momentum(p, motion, out):
    """Momentum (angular about the origin, linear) of a link with parameters p that moves with (u, v)."""
    for s in range(T):
        ux, uy, uz = motion[s], motion[T + s], motion[2 * T + s]
        vx, vy, vz = motion[3 * T + s], motion[4 * T + s], motion[5 * T + s]
        out[s] = p[4] * ux + p[5] * uy + p[6] * uz + p[2] * vz - p[3] * vy
        out[T + s] = p[5] * ux + p[7] * uy + p[8] * uz + p[3] * vx - p[1] * vz
        out[2 * T + s] = p[6] * ux + p[8] * uy + p[9] * uz + p[1] * vy - p[2] * vx
        out[3 * T + s] = p[0] * vx + uy * p[3] - uz * p[2]
        out[4 * T + s] = p[0] * vy + uz * p[1] - ux * p[3]
        out[5 * T + s] = p[0] * vz + ux * p[2] - uy * p[1]


@_compile
def _cross_motion(velocity, motion, scale, out):
    """Add scale · (velocity × motion), both motion vectors, to `out`."""
    for s in range(T):
        wx, wy, wz = scale * velocity[s], scale * velocity[T + s], scale * velocity[2 * T + s]
        tx, ty, tz = scale * velocity[3 * T + s], scale * velocity[4 * T + s], scale * velocity[5 * T + s]
        ux, uy, uz = motion[s], motion[T + s], motion[2 * T + s]
        vx, vy, vz = motion[3 * T + s], motion[4 * T + s], motion[5 * T + s]
        out[s] += wy * uz - wz * uy
        out[T + s] += wz * ux - wx * uz
        out[2 * T + s] += wx * uy - wy * ux
        out[3 * T + s] += wy * vz - wz * vy + ty * uz - tz * uy
        out[4 * T + s] += wz * vx - wx * vz + tz * ux - tx * uz
        out[5 * T + s] += wx * vy - wy * vx + tx * uy - ty * ux


@_compile
def _cross_force(velocity, force, scale, out):
    """Add scale · (velocity ×* force), a motion on a force vector, to `out`."""
    for s in range(T):
        wx, wy, wz = scale * velocity[s], scale * velocity[T + s], scale * velocity[2 * T + s]
        tx, ty, tz = scale * velocity[3 * T + s], scale * velocity[4 * T + s], scale * velocity[5 * T + s]
        nx, ny, nz = force[s], force[T + s], force[2 * T + s]
        fx, fy, fz = force[3 * T + s], force[4 * T + s], force[5 * T + s]
        out[s] += wy * nz - wz * ny + ty * fz - tz * fy
        out[T + s] += wz * nx - wx * nz + tz * fx - tx * fz
        out[2 * T + s] += wx * ny - wy * nx + tx * fy - ty * fx
        out[3 * T + s] += wy * fz - wz * fy
        out[4 * T + s] += wz * fx - wx * fz
        out[5 * T + s] += wx * fy - wy * fx


@_compile
def _inertia_row(first, second, out):
    """Ten entries of one link in one row of the inertia stack, of two screws (u, v), (y, w) in its frame.

    m: v·w;  mc: v × y + w × u;  J: the symmetric part of u yᵀ.
    """
    for s in range(T):
        ux, uy, uz = first[s], first[T + s], first[2 * T + s]
        vx, vy, vz = first[3 * T + s], first[4 * T + s], first[5 * T + s]
        xx, yy, zz = second[s], second[T + s], second[2 * T + s]
        wx, wy, wz = second[3 * T + s], second[4 * T + s], second[5 * T + s]
        out[s] = vx * wx + vy * wy + vz * wz
        out[T + s] = vy * zz - vz * yy + wy * uz - wz * uy
        out[2 * T + s] = vz * xx - vx * zz + wz * ux - wx * uz
        out[3 * T + s] = vx * yy - vy * xx + wx * uy - wy * ux
        out[4 * T + s] = ux * xx
        out[5 * T + s] = ux * yy + uy * xx
        out[6 * T + s] = ux * zz + uz * xx
        out[7 * T + s] = uy * yy
        out[8 * T + s] = uy * zz + uz * yy
        out[9 * T + s] = uz * zz


@_compile
def _move(w, q, dq, ddq, start, i):
    """Load at most TILE samples of joint i from `start` on and move link i; its parent must have been moved."""
    joint = w.joints[i]
    for s in range(min(T, q.shape[0] - start)):
        joint[s] = q[start + s, i]
        joint[T + s] = dq[start + s, i]
        joint[2 * T + s] = ddq[start + s, i]
    _sincos(joint)
    parent = w.base if w.tree[i] < 0 else w.links[w.tree[i]]
    if w.plain[i]:
        _advance_plain(parent, w.constants[i], joint, w.links[i])
    else:
        _advance(parent, w.constants[i], joint, w.links[i])


@_compile
def _own_screws(w):
    """Each joint's screw in the frame of its own link, which doesn't depend on the samples."""
    for i in range(w.tree.shape[0]):
        for row in range(6):
            w.screws[i, i, row * T : (row + 1) * T] = w.constants[i, 39 + row]


@_compile
def _move_all(w, q, dq, ddq, start):
    """Move every link and carry the screws of the joints that move it into its frame."""
    for i in range(w.tree.shape[0]):
        _move(w, q, dq, ddq, start, i)
        parent = w.tree[i]
        j = parent
        while j >= 0:
            _carry(w.links[i], w.screws[parent, j], w.screws[i, j])
            j = w.tree[j]


@_compile
def regressor_block(w, q, dq, ddq, start, out):
    """Torque regressor of the samples from `start` (at most BLOCK) into out (n, 10 n, BLOCK)."""
    _own_screws(w)
    for first in range(0, min(B, q.shape[0] - start), T):
        for i in range(w.tree.shape[0]):
            _move(w, q, dq, ddq, start + first, i)
            parent = w.tree[i]
            if w.plain[i]:
                _plain_row(w.links[i], out[i, 10 * i, first:])
            else:
                _regressor_row(w.links[i], w.screws[i, i], out[i, 10 * i, first:])
            j = parent
            while j >= 0:
                _carry(w.links[i], w.screws[parent, j], w.screws[i, j])
                _regressor_row(w.links[i], w.screws[i, j], out[j, 10 * i, first:])
                j = w.tree[j]


@_compile
def regressor_lines(w, entries, places, known, sums, q, dq, ddq, start, out):
    """Chosen entries of the torque regressor of the samples from `start` on, as lines of out (lines, a multiple of TILE).

    places : (n, 10 n)  Line of each entry, negative where it is not wanted.
    known : (10 n,)     Entries times these are summed up in line sums[j] of joint j; empty: the line is zero.
    entries : (10 BLOCK,) scratch.
    """
    count = min(out.shape[1], q.shape[0] - start)
    _own_screws(w)
    for j in range(w.tree.shape[0]):
        out[sums[j]] = 0.0
    for first in range(0, count, T):
        for i in range(w.tree.shape[0]):
            _move(w, q, dq, ddq, start + first, i)
            parent = w.tree[i]
            j = i
            while j >= 0:
                if j != i:
                    _carry(w.links[i], w.screws[parent, j], w.screws[i, j])
                if j == i and w.plain[i]:
                    _plain_row(w.links[i], entries)
                else:
                    _regressor_row(w.links[i], w.screws[i, j], entries)
                for c in range(10 * i, 10 * i + 10):
                    if places[j, c] >= 0:
                        _put(entries[(c - 10 * i) * B :], out[places[j, c], first:])
                    if known.shape[0] > 0 and known[c] != 0.0:
                        _add(known[c], entries[(c - 10 * i) * B :], out[sums[j], first:])
                j = w.tree[j]


@_compile
def _put(line, out):
    for s in range(T):
        out[s] = line[s]


@_compile
def _add(factor, line, out):
    for s in range(T):
        out[s] += factor * line[s]


@_compile
def _pull_pair(link, motion, p, wrench, pull):
    """Derivatives of the power u·n + v·f that a link needs along (u, v); its parameters p differ between samples.

    By (u, v): the wrench (n, f), written. By ω, α and a of the link (rows 0-2, 3-5, 6-8 of `pull`), added; c is the first moment of mass:
    v (ω·c) + c (v·ω) - 2 ω (v·c) + J ω × u + J (u × ω), then c × v + J u, then m v + u × c.
    """
    for s in range(T):
        ux, uy, uz = motion[s], motion[T + s], motion[2 * T + s]
        vx, vy, vz = motion[3 * T + s], motion[4 * T + s], motion[5 * T + s]
        wx, wy, wz = link[12 * T + s], link[13 * T + s], link[14 * T + s]
        ax, ay, az = link[15 * T + s], link[16 * T + s], link[17 * T + s]
        lx, ly, lz = link[18 * T + s], link[19 * T + s], link[20 * T + s]
        mass, cx, cy, cz = p[s], p[T + s], p[2 * T + s], p[3 * T + s]
        xx, xy, xz = p[4 * T + s], p[5 * T + s], p[6 * T + s]
        yy, yz, zz = p[7 * T + s], p[8 * T + s], p[9 * T + s]
        hx, hy, hz = xx * wx + xy * wy + xz * wz, xy * wx + yy * wy + yz * wz, xz * wx + yz * wy + zz * wz
        wrench[s] = cy * lz - cz * ly + xx * ax + xy * ay + xz * az + wy * hz - wz * hy
        wrench[T + s] = cz * lx - cx * lz + xy * ax + yy * ay + yz * az + wz * hx - wx * hz
        wrench[2 * T + s] = cx * ly - cy * lx + xz * ax + yz * ay + zz * az + wx * hy - wy * hx
        wc, ww = wx * cx + wy * cy + wz * cz, wx * wx + wy * wy + wz * wz
        wrench[3 * T + s] = mass * lx + ay * cz - az * cy + wx * wc - cx * ww
        wrench[4 * T + s] = mass * ly + az * cx - ax * cz + wy * wc - cy * ww
        wrench[5 * T + s] = mass * lz + ax * cy - ay * cx + wz * wc - cz * ww
        vw, vc = vx * wx + vy * wy + vz * wz, 2.0 * (vx * cx + vy * cy + vz * cz)
        tx, ty, tz = uy * wz - uz * wy, uz * wx - ux * wz, ux * wy - uy * wx
        pull[s] += vx * wc + cx * vw - wx * vc + hy * uz - hz * uy + xx * tx + xy * ty + xz * tz
        pull[T + s] += vy * wc + cy * vw - wy * vc + hz * ux - hx * uz + xy * tx + yy * ty + yz * tz
        pull[2 * T + s] += vz * wc + cz * vw - wz * vc + hx * uy - hy * ux + xz * tx + yz * ty + zz * tz
        pull[3 * T + s] += cy * vz - cz * vy + xx * ux + xy * uy + xz * uz
        pull[4 * T + s] += cz * vx - cx * vz + xy * ux + yy * uy + yz * uz
        pull[5 * T + s] += cx * vy - cy * vx + xz * ux + yz * uy + zz * uz
        pull[6 * T + s] += mass * vx + uy * cz - uz * cy
        pull[7 * T + s] += mass * vy + uz * cx - ux * cz
        pull[8 * T + s] += mass * vz + ux * cy - uy * cx


@_compile
def _pull_back(link, c, joint, pull, parent):
    """Derivatives by ω, α and a of a link, taken to its parent's (added) and to its joint: by q, dq and ddq into rows 0-2 of `pull`.

    It is `_advance` backwards. Dashed are what the parent's motion carries into the link: while q grows these turn against the joint's
    angular part u, and the point at which a' is taken moves by its linear part v.
    """
    for s in range(T):
        dq, ddq = joint[T + s], joint[2 * T + s]
        ux, uy, uz, vx, vy, vz = c[39], c[40], c[41], c[42], c[43], c[44]
        ox, oy, oz = pull[s], pull[T + s], pull[2 * T + s]
        ax, ay, az = pull[3 * T + s], pull[4 * T + s], pull[5 * T + s]
        lx, ly, lz = pull[6 * T + s], pull[7 * T + s], pull[8 * T + s]
        # ω', α', a'; and the parts of α and a that grow with dq
        wx, wy, wz = link[12 * T + s] - ux * dq, link[13 * T + s] - uy * dq, link[14 * T + s] - uz * dq
        ex, ey, ez = wy * uz - wz * uy, wz * ux - wx * uz, wx * uy - wy * ux
        gx, gy, gz = wy * vz - wz * vy, wz * vx - wx * vz, wx * vy - wy * vx
        kx, ky, kz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        bx = link[15 * T + s] - ux * ddq - ex * dq
        by = link[16 * T + s] - uy * ddq - ey * dq
        bz = link[17 * T + s] - uz * ddq - ez * dq
        mx = link[18 * T + s] - vx * ddq - (2.0 * gx + kx * dq) * dq
        my = link[19 * T + s] - vy * ddq - (2.0 * gy + ky * dq) * dq
        mz = link[20 * T + s] - vz * ddq - (2.0 * gz + kz * dq) * dq
        by_ddq = ax * ux + ay * uy + az * uz + lx * vx + ly * vy + lz * vz
        by_dq = ox * ux + oy * uy + oz * uz + ax * ex + ay * ey + az * ez
        by_dq += 2.0 * (lx * (gx + dq * kx) + ly * (gy + dq * ky) + lz * (gz + dq * kz))
        # by ω': Ω + dq u × Λ + 2 dq v × A
        ox += dq * (uy * az - uz * ay + 2.0 * (vy * lz - vz * ly))
        oy += dq * (uz * ax - ux * az + 2.0 * (vz * lx - vx * lz))
        oz += dq * (ux * ay - uy * ax + 2.0 * (vx * ly - vy * lx))
        by_q = ox * ex + oy * ey + oz * ez
        by_q += ax * (by * uz - bz * uy) + ay * (bz * ux - bx * uz) + az * (bx * uy - by * ux)
        by_q += lx * (my * uz - mz * uy + by * vz - bz * vy + wy * gz - wz * gy)
        by_q += ly * (mz * ux - mx * uz + bz * vx - bx * vz + wz * gx - wx * gz)
        by_q += lz * (mx * uy - my * ux + bx * vy - by * vx + wx * gy - wy * gx)
        pull[s], pull[T + s], pull[2 * T + s] = by_q, by_dq, by_ddq
        r0, r1, r2 = link[s], link[T + s], link[2 * T + s]
        r3, r4, r5 = link[3 * T + s], link[4 * T + s], link[5 * T + s]
        r6, r7, r8 = link[6 * T + s], link[7 * T + s], link[8 * T + s]
        px, py, pz = link[9 * T + s], link[10 * T + s], link[11 * T + s]
        fx, fy, fz = r0 * lx + r1 * ly + r2 * lz, r3 * lx + r4 * ly + r5 * lz, r6 * lx + r7 * ly + r8 * lz
        x, y, z = r0 * wx + r1 * wy + r2 * wz, r3 * wx + r4 * wy + r5 * wz, r6 * wx + r7 * wy + r8 * wz
        wp, fw, fp = x * px + y * py + z * pz, fx * x + fy * y + fz * z, 2.0 * (fx * px + fy * py + fz * pz)
        parent[s] += r0 * ox + r1 * oy + r2 * oz + fx * wp + px * fw - x * fp
        parent[T + s] += r3 * ox + r4 * oy + r5 * oz + fy * wp + py * fw - y * fp
        parent[2 * T + s] += r6 * ox + r7 * oy + r8 * oz + fz * wp + pz * fw - z * fp
        parent[3 * T + s] += r0 * ax + r1 * ay + r2 * az + py * fz - pz * fy
        parent[4 * T + s] += r3 * ax + r4 * ay + r5 * az + pz * fx - px * fz
        parent[5 * T + s] += r6 * ax + r7 * ay + r8 * az + px * fy - py * fx
        parent[6 * T + s] += fx
        parent[7 * T + s] += fy
        parent[8 * T + s] += fz


@_compile
def regressor_gradient(w, m, pull, weights, q, dq, ddq, out):
    """Derivatives of ⟨weights, Y⟩ of each sample by q, dq and ddq into out (3, N, n); weights (n, 10 n, N), scratch `pull` (n, 9 T).

    Newton-Euler backwards (reverse accumulation), so that all of them cost as much as a few regressors. Derivatives by the screws of the
    ancestors are wrenches (here in `rates`), which go towards the base like the wrenches of links.
    """
    n = w.tree.shape[0]
    _own_screws(w)
    p, turned, base = m.scratch[0], m.scratch[1], m.scratch[2]
    for start in range(0, q.shape[0], T):
        count = min(T, q.shape[0] - start)
        _move_all(w, q, dq, ddq, start)
        for i in range(n):
            pull[i, :] = 0.0
            j = i
            while j >= 0:
                for row in range(10):
                    for s in range(count):
                        p[row * T + s] = weights[j, 10 * i + row, start + s]
                _pull_pair(w.links[i], w.screws[i, j], p, m.rates[i, j], pull[i])
                j = w.tree[j]
        for i in range(n - 1, -1, -1):
            parent = w.tree[i]
            _pull_back(w.links[i], w.constants[i], w.joints[i], pull[i], base if parent < 0 else pull[parent])
            turned[: 6 * T] = 0.0
            j = parent
            while j >= 0:
                _cross_force(w.screws[i, j], m.rates[i, j], -1.0, turned)
                if j != parent:
                    _wrench_to_parent(w.links[i], m.rates[i, j], m.rates[parent, j])
                j = w.tree[j]
            _power(w.screws[i, i], turned, pull[i])
            for k in range(3):
                for s in range(count):
                    out[k, start + s, i] = pull[i, k * T + s]


@_compile
def inverse_dynamics(w, m, parameters, q, dq, ddq, out):
    """Newton-Euler efforts into out (N, n)."""
    n = w.tree.shape[0]
    _own_screws(w)
    effort = m.scratch[0]
    for start in range(0, q.shape[0], T):
        for i in range(n):
            _move(w, q, dq, ddq, start, i)
            _wrench(w.links[i], parameters[i], m.wrenches[i])
        for i in range(n - 1, -1, -1):
            effort[:T] = 0.0
            _power(w.screws[i, i], m.wrenches[i], effort)
            for s in range(min(T, q.shape[0] - start)):
                out[start + s, i] = effort[s]
            if w.tree[i] >= 0:
                _wrench_to_parent(w.links[i], m.wrenches[i], m.wrenches[w.tree[i]])


@_compile
def link_wrenches(w, m, parameters, q, dq, ddq, out):
    """What moves each link and all that hangs on it, in the link's frame: moment about its origin, then force, into out (N, n, 6)."""
    n = w.tree.shape[0]
    for start in range(0, q.shape[0], T):
        for i in range(n):
            _move(w, q, dq, ddq, start, i)
            _wrench(w.links[i], parameters[i], m.wrenches[i])
        for i in range(n - 1, -1, -1):
            _store(m.wrenches[i], 6, min(T, q.shape[0] - start), out[start:, i])
            if w.tree[i] >= 0:
                _wrench_to_parent(w.links[i], m.wrenches[i], m.wrenches[w.tree[i]])


@_compile
def momentum(w, m, parameters, q, dq, still, value, drift):
    """M dq into value (N, n) and Cᵀ dq - g into drift (N, n): see `momentum` in batched_dynamics.py.

    With V_i the velocity of link i and H_i the momentum of all that hangs on it, both in its frame, p_i = S_i · H_i and
    (Cᵀ dq)_i = ∂T/∂q_i = (V_i × S_i) · H_i, because joint i turns what its parent's motion carries along.
    """
    n = w.tree.shape[0]
    _own_screws(w)
    power, turned = m.scratch[0], m.scratch[1]
    for start in range(0, q.shape[0], T):
        count = min(T, q.shape[0] - start)
        for i in range(n):
            _move(w, q, still, still, start, i)
            _wrench(w.links[i], parameters[i], m.wrenches[i])
        for i in range(n - 1, -1, -1):
            power[:T] = 0.0
            _power(w.screws[i, i], m.wrenches[i], power)
            for s in range(count):
                drift[start + s, i] = -power[s]
            if w.tree[i] >= 0:
                _wrench_to_parent(w.links[i], m.wrenches[i], m.wrenches[w.tree[i]])
        for i in range(n):
            velocity, parent = m.rates[i, i], w.tree[i]
            if parent < 0:
                velocity[:] = 0.0
            else:
                _carry(w.links[i], m.rates[parent, parent], velocity)
            for row in range(6):
                for s in range(count):
                    velocity[row * T + s] += w.screws[i, i, row * T + s] * dq[start + s, i]
            _momentum(parameters[i], velocity, m.wrenches[i])
        for i in range(n - 1, -1, -1):
            power[: 2 * T] = 0.0
            turned[: 6 * T] = 0.0
            _cross_motion(m.rates[i, i], w.screws[i, i], 1.0, turned)
            _power(w.screws[i, i], m.wrenches[i], power)
            _power(turned, m.wrenches[i], power[T:])
            for s in range(count):
                value[start + s, i] = power[s]
                drift[start + s, i] += power[T + s]
            if w.tree[i] >= 0:
                _wrench_to_parent(w.links[i], m.wrenches[i], m.wrenches[w.tree[i]])


@_compile
def mass_matrix(w, m, parameters, q, still, out):
    """Joint-space inertia Σ_i S_jᵀ I_i S_k into out (N, n, n), with the screws S in the frame of link i."""
    n = w.tree.shape[0]
    _own_screws(w)
    momentum = m.scratch[0]
    for start in range(0, q.shape[0], T):
        _move_all(w, q, still, still, start)
        m.square[:] = 0.0
        for i in range(n):
            k = i
            while k >= 0:
                _momentum(parameters[i], w.screws[i, k], momentum)
                j = k
                while j >= 0:
                    _power(w.screws[i, j], momentum, m.square[j, k])
                    j = w.tree[j]
                k = w.tree[k]
        for s in range(min(T, q.shape[0] - start)):
            for j in range(n):
                for k in range(j, n):
                    out[start + s, j, k] = out[start + s, k, j] = m.square[j, k, s]


@_compile
def coriolis_matrix(w, m, parameters, q, dq, still, out):
    """Christoffel form Σ_i S_jᵀ (I_i Ṡ_k + B_i S_k) into out (N, n, n), with B_i S = ½ (V ×* I S - I (V × S) + S ×* I V).

    Echeandia and Wensing, "Numerical methods to compute the Coriolis matrix and Christoffel symbols", 2021.
    Ṡ_k = V_k × S_k is carried from link to link like S_k itself.
    """
    n = w.tree.shape[0]
    _own_screws(w)
    velocity, momentum, vector, force = m.scratch[0], m.scratch[1], m.scratch[2], m.scratch[3]
    for start in range(0, q.shape[0], T):
        _move_all(w, q, dq, still, start)
        m.square[:] = 0.0
        for i in range(n):
            velocity[:] = 0.0
            j = i
            while j >= 0:
                for row in range(6):
                    for s in range(T):
                        velocity[row * T + s] += w.screws[i, j, row * T + s] * w.joints[j, T + s]
                if j != i:
                    _carry(w.links[i], m.rates[w.tree[i], j], m.rates[i, j])
                j = w.tree[j]
            m.rates[i, i] = 0.0
            _cross_motion(velocity, w.screws[i, i], 1.0, m.rates[i, i])
            _momentum(parameters[i], velocity, momentum)
            k = i
            while k >= 0:
                _copy(m.rates[i, k], vector)
                _cross_motion(velocity, w.screws[i, k], -0.5, vector)
                _momentum(parameters[i], vector, force)
                _momentum(parameters[i], w.screws[i, k], vector)
                _cross_force(velocity, vector, 0.5, force)
                _cross_force(w.screws[i, k], momentum, 0.5, force)
                j = i
                while j >= 0:
                    _power(w.screws[i, j], force, m.square[j, k])
                    j = w.tree[j]
                k = w.tree[k]
        for s in range(min(T, q.shape[0] - start)):
            for j in range(n):
                for k in range(n):
                    out[start + s, j, k] = m.square[j, k, s]


@_compile
def _copy(vector, target):
    for s in range(6 * T):
        target[s] = vector[s]


@_compile
def inertia_gravity_regressor(w, m, q, still, out):
    """Inertia stack and gravity rows into out (N, n (n + 1) / 2 + n, 10 n), which must come in as zeros."""
    n = w.tree.shape[0]
    _own_screws(w)
    pull, entries = m.scratch[0], m.scratch[1]
    pull[: 3 * T] = 0.0
    for start in range(0, q.shape[0], T):
        count = min(T, q.shape[0] - start)
        _move_all(w, q, still, still, start)
        for i in range(n):
            for s in range(3 * T):
                pull[3 * T + s] = w.links[i, 18 * T + s]
            k = i
            while k >= 0:
                j = k
                while j >= 0:
                    _inertia_row(w.screws[i, j], w.screws[i, k], entries)
                    _store(entries, 10, count, out[start:, k * (k + 1) // 2 + j, 10 * i :])
                    j = w.tree[j]
                # gravity is an acceleration: the second screw (0, a) of the inertia row, where only m and mc stay
                _inertia_row(w.screws[i, k], pull, entries)
                _store(entries, 4, count, out[start:, n * (n + 1) // 2 + k, 10 * i :])
                k = w.tree[k]


@_compile
def _store(entries, columns, count, out):
    for s in range(count):
        for c in range(columns):
            out[s, c] = entries[c * T + s]
