"""Expectation and maximisation: every sample gets a sign of its own, as far as it can be told.

The measured |τ| is |μ + ε| with μ = Y π and normal noise ε, so that its density is N(b; μ, σ²) + N(-b; μ, σ²). Given μ, the expected signed
torque is w b with w = tanh(b μ / σ²); given w, the coefficients are least squares on w b, and σ² is what is left (Dempster, Laird, Rubin
1977). Hard signs would be wrong near zero half of the time, and pull the coefficients up.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dynident.core.arrays import Array
from dynident.routes.signs.magnitudes import Magnitudes
from dynident.routes.signs.sign_cost import SignCost, whitened_factor

ITERATIONS = 60
#: Settled when an iteration changes the log-likelihood by less than this.
_SETTLED = 1e-3
#: The noise is at least this share of the joint's RMS, that of exact data in floating point and of a smoothed motion.
LEAST_LEVEL = 1e-4


@dataclass(frozen=True, kw_only=True, eq=False)
class Refined:
    """coefficients : (b,); levels : (n,) what is left of each joint's torque [N·m | N]; log_likelihood of the working samples;
    R : (b, b) and rhs : (b,) the whitened least-squares problem R π = rhs that the coefficients solve."""

    coefficients: Array
    levels: Array
    log_likelihood: float
    R: Array
    rhs: Array

    def residuals(self, magnitudes: Magnitudes) -> Array:
        """(N, n) expected signed torque of every sample by itself, minus the model's [N·m | N]."""
        mu = magnitudes.predict(self.coefficients)
        return soft_signs(magnitudes.b, mu, self.levels) * magnitudes.b - mu


def soft_signs(b: Array, mu: Array, levels: Array) -> Array:
    """w = tanh(b μ / σ²)."""
    return np.tanh(b * mu / levels**2)


def log_likelihood(b: Array, mu: Array, levels: Array) -> Array:
    """Σ over samples (N, n) of log N(b; μ) + N(-b; μ), per joint (n,)."""
    z = b * mu / levels**2
    log_cosh = np.abs(z) + np.log1p(np.exp(-2.0 * np.abs(z)))  # log 2 cosh z, which overflows nowhere
    return np.sum(log_cosh - 0.5 * (b**2 + mu**2) / levels**2 - np.log(levels) - 0.5 * np.log(2.0 * np.pi), axis=0)


def refine(magnitudes: Magnitudes, coefficients: Array, *, iterations: int = ITERATIONS) -> Refined:
    """The most likely coefficients and noise levels near the given ones."""
    b = np.where(magnitudes.used, magnitudes.b[magnitudes.working], 0.0)
    counts = np.maximum(magnitudes.used.sum(axis=0), 1)
    least = LEAST_LEVEL * np.sqrt(np.sum(b**2, axis=0) / counts)
    pi, previous, R, rhs = coefficients, -np.inf, np.zeros((0, 0)), np.zeros(0)
    mu = _model(magnitudes, pi)
    levels = np.maximum(_levels(b, mu, np.ones_like(b), counts, hard=True), least)
    likelihood = previous
    for _ in range(iterations):
        w = soft_signs(b, mu, levels)
        R = whitened_factor(magnitudes, levels)
        z = w * b / levels**2
        moments = np.zeros(len(pi))
        for j, (group, Y) in enumerate(zip(magnitudes.groups, magnitudes.rows, strict=True)):
            moments[group.columns] += z[:, j] @ Y
        rhs = np.asarray(np.linalg.solve(R.T, moments), dtype=float)
        pi = np.asarray(np.linalg.solve(R, rhs), dtype=float)
        mu = _model(magnitudes, pi)
        levels = np.maximum(_levels(b, mu, w, counts), least)
        likelihood = float(log_likelihood(b, mu, levels).sum())
        if likelihood - previous < _SETTLED:
            break
        previous = likelihood
    return Refined(coefficients=pi, levels=levels, log_likelihood=likelihood, R=R, rhs=rhs)


def fit_hard(magnitudes: Magnitudes, cost: SignCost, signs: Array) -> Refined:
    """The least-squares fit of segments' signs as they are; samples outside of segments count as near zero."""
    rhs, used = cost.A @ signs, magnitudes.used
    pi = cost.coefficients(signs)
    number = magnitudes.segment_of
    w = np.where(number >= 0, signs[number], 0.0)
    b, mu, counts = np.where(used, magnitudes.b[magnitudes.working], 0.0), _model(magnitudes, pi), np.maximum(used.sum(axis=0), 1)
    levels = np.maximum(_levels(b, mu, w, counts), cost.levels)
    likelihood = float(log_likelihood(b, mu, levels).sum())
    return Refined(coefficients=pi, levels=levels, log_likelihood=likelihood, R=cost.R, rhs=rhs)


def _model(magnitudes: Magnitudes, pi: Array) -> Array:
    """(K, n) the model's torque at the working samples, zero where a sample is not used."""
    torques = [Y @ pi[group.columns] for group, Y in zip(magnitudes.groups, magnitudes.rows, strict=True)]
    return np.where(magnitudes.used, np.stack(torques, axis=1), 0.0)


def _levels(b: Array, mu: Array, w: Array, counts: Array, *, hard: bool = False) -> Array:
    """(n,) standard deviation of what the model leaves of the signed torque."""
    squares = (b - np.abs(mu)) ** 2 if hard else b**2 - 2.0 * w * b * mu + mu**2
    return np.sqrt(np.sum(squares, axis=0) / counts)


def inflation_of(r: Array) -> float:
    """How many residuals (N,) say as much as one independent one: 1 + 2 Σ of their autocorrelation up to where it first is negative."""
    size = 1 << (2 * len(r) - 1).bit_length()
    power = np.abs(np.fft.rfft(r - r.mean(), size)) ** 2
    covariance = np.fft.irfft(power, size)[: max(len(r) // 2, 1)]
    if covariance[0] <= 0.0:
        return 1.0
    rho = covariance / covariance[0]
    stop = int(np.argmax(rho < 0.0)) or len(rho)
    return float(max(1.0, 2.0 * rho[:stop].sum() - 1.0))
