"""The penalised function of Algorithm 1 and its gradient in p = (m, c, I_c), compiled: a few microseconds per evaluation."""

# pyright: basic

from __future__ import annotations

import numpy as np

from dynident.core.compiled import compiler

_compile = compiler(nogil=True, error_model="numpy")


@_compile
def evaluate(p, links, A, b, consistent, G, h, x, gradient, want_gradient):
    """φ(p) and Σ g of the triangle inequalities and the linear conditions G x + h >= 0.

    Writes x(p); with want_gradient, gradient[0] is that of φ and gradient[1] that of Σ g. Returns (φ, Σ g).
    """
    _standard(p, links, x)
    r = np.dot(A, x) - b
    phi = np.dot(r, r)
    margins = np.dot(G, x) + h
    violation = 0.0
    if want_gradient:
        gradient[:] = 0.0
        slope = np.zeros(len(x))
        for j in range(len(margins)):
            if margins[j] < 0.0:
                slope -= G[j]
        chain(p, links, 2.0 * np.dot(r, A), gradient[0])
        chain(p, links, slope, gradient[1])
    for j in range(len(margins)):
        violation -= min(0.0, margins[j])
    for i in range(links):
        if consistent[i]:
            violation += _triangle(p[10 * i + 4 : 10 * i + 10], gradient[1, 10 * i + 4 : 10 * i + 10], want_gradient)
    return phi, violation


@_compile
def anneal(start, low, high, directions, chances, temperatures, charge, constant, links, A, b, consistent, G, h):
    """The walk of searches.py, with φ + charge γ as the function, or φ + constant where γ > 0 if the constant is not NaN."""
    size = len(start)
    x, unused = np.empty(size), np.empty((2, size))
    here, best, trial = start.copy(), start.copy(), np.empty(size)
    phi, gamma = evaluate(here, links, A, b, consistent, G, h, x, unused, False)
    value = least = total(phi, gamma, charge, constant)
    unit = max(abs(value), 2.3e-308)
    for step in range(len(chances)):
        for k in range(size):
            trial[k] = min(high[k], max(low[k], here[k] + temperatures[step] * (high[k] - low[k]) * directions[step, k]))
        phi, gamma = evaluate(trial, links, A, b, consistent, G, h, x, unused, False)
        trial_value = total(phi, gamma, charge, constant)
        rise = (trial_value - value) / (unit * temperatures[step])
        if rise <= 0.0 or (rise < 30.0 and chances[step] * (1.0 + np.exp(rise)) < 1.0):
            here[:] = trial
            value = trial_value
            if value < least:
                best[:] = here
                least = value
    return best


@_compile
def total(phi, gamma, charge, constant):
    if np.isnan(constant):
        return phi + charge * gamma
    return phi + (constant if gamma > 0.0 else 0.0)


@_compile
def _standard(p, links, x):
    for k in range(10 * links, len(p)):
        x[k] = p[k]
    for i in range(links):
        o = 10 * i
        m, cx, cy, cz = p[o], p[o + 1], p[o + 2], p[o + 3]
        x[o] = m
        x[o + 1], x[o + 2], x[o + 3] = m * cx, m * cy, m * cz
        x[o + 4] = p[o + 4] + m * (cy * cy + cz * cz)
        x[o + 5] = p[o + 5] - m * cx * cy
        x[o + 6] = p[o + 6] - m * cx * cz
        x[o + 7] = p[o + 7] + m * (cx * cx + cz * cz)
        x[o + 8] = p[o + 8] - m * cy * cz
        x[o + 9] = p[o + 9] + m * (cx * cx + cy * cy)


@_compile
def chain(p, links, g, out):
    """Add the gradient in p of a function whose gradient in x is g."""
    for k in range(10 * links, len(p)):
        out[k] += g[k]
    for i in range(links):
        o = 10 * i
        m, cx, cy, cz = p[o], p[o + 1], p[o + 2], p[o + 3]
        xx, xy, xz, yy, yz, zz = g[o + 4], g[o + 5], g[o + 6], g[o + 7], g[o + 8], g[o + 9]
        out[o] += g[o] + g[o + 1] * cx + g[o + 2] * cy + g[o + 3] * cz
        out[o] += xx * (cy * cy + cz * cz) + yy * (cx * cx + cz * cz) + zz * (cx * cx + cy * cy)
        out[o] -= xy * cx * cy + xz * cx * cz + yz * cy * cz
        out[o + 1] += m * (g[o + 1] + 2.0 * cx * (yy + zz) - xy * cy - xz * cz)
        out[o + 2] += m * (g[o + 2] + 2.0 * cy * (xx + zz) - xy * cx - yz * cz)
        out[o + 3] += m * (g[o + 3] + 2.0 * cz * (xx + yy) - xz * cx - yz * cy)
        for k in range(4, 10):
            out[o + k] += g[o + k]


@_compile
def _triangle(I, out, want_gradient):
    """g_1 of eq. (32): λ_max - tr/2 of a barycentric inertia where that is positive; adds its gradient."""
    top = _largest(I)
    violation = top - 0.5 * (I[0] + I[3] + I[5])
    if violation <= 0.0:
        return 0.0
    if want_gradient:
        v = _eigenvector(I, top)
        out[0] += v[0] * v[0] - 0.5
        out[3] += v[1] * v[1] - 0.5
        out[5] += v[2] * v[2] - 0.5
        out[1] += 2.0 * v[0] * v[1]
        out[2] += 2.0 * v[0] * v[2]
        out[4] += 2.0 * v[1] * v[2]
    return violation


@_compile
def _largest(I):
    """Largest eigenvalue of [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]] (Smith 1961)."""
    mean = (I[0] + I[3] + I[5]) / 3.0
    a, d, f = I[0] - mean, I[3] - mean, I[5] - mean
    off = I[1] * I[1] + I[2] * I[2] + I[4] * I[4]
    spread = np.sqrt((a * a + d * d + f * f + 2.0 * off) / 6.0)
    if spread <= 1e-300:
        return mean
    determinant = a * (d * f - I[4] * I[4]) - I[1] * (I[1] * f - I[4] * I[2]) + I[2] * (I[1] * I[4] - d * I[2])
    half = min(1.0, max(-1.0, determinant / (2.0 * spread**3)))
    return mean + 2.0 * spread * np.cos(np.arccos(half) / 3.0)


@_compile
def _eigenvector(I, value):
    """Unit vector across two rows of I - value 1; any of them where the eigenvalue is double."""
    rows = np.array([[I[0] - value, I[1], I[2]], [I[1], I[3] - value, I[4]], [I[2], I[4], I[5] - value]])
    best, size = np.array([1.0, 0.0, 0.0]), 0.0
    for i in range(3):
        u, w = rows[i], rows[(i + 1) % 3]
        cross = np.array([u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2], u[0] * w[1] - u[1] * w[0]])
        length = np.sqrt(np.dot(cross, cross))
        if length > size:
            best, size = cross / length, length
    return best
