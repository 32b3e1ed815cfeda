"""Losses that let gross errors weigh less than their square, by weights on the rows (iterated re-weighting)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from dynident.core.arrays import Array
from dynident.errors import UnknownNameError


class Loss(Protocol):
    """A loss is the weight that a row gets for its residual in units of the noise's standard deviation.

    Its influence is ψ(r) = r · weight(r); `slope` is the derivative of ψ.
    """

    @property
    def name(self) -> str: ...

    def weight(self, residual: Array) -> Array: ...

    def slope(self, residual: Array) -> Array: ...


@dataclass(frozen=True)
class Squared:
    """Least squares: every row weighs the same."""

    name = "squared"

    def weight(self, residual: Array) -> Array:
        return np.ones_like(residual)

    def slope(self, residual: Array) -> Array:
        return np.ones_like(residual)


@dataclass(frozen=True)
class Huber:
    """Quadratic up to `threshold` standard deviations, linear beyond; 1.345 keeps 95 % efficiency on Gaussian noise.

    Attributes
    ----------
    threshold : float
        In standard deviations.
    """

    threshold: float = 1.345
    name = "huber"

    def weight(self, residual: Array) -> Array:
        return 1.0 / np.maximum(1.0, np.abs(residual) / self.threshold)

    def slope(self, residual: Array) -> Array:
        return (np.abs(residual) <= self.threshold).astype(float)


@dataclass(frozen=True)
class Tukey:
    """Biweight: rows beyond `threshold` standard deviations don't count at all; 4.685 keeps 95 % efficiency.

    Attributes
    ----------
    threshold : float
        In standard deviations.
    """

    threshold: float = 4.685
    name = "tukey"

    def weight(self, residual: Array) -> Array:
        return np.maximum(0.0, 1.0 - (residual / self.threshold) ** 2) ** 2

    def slope(self, residual: Array) -> Array:
        u = np.minimum((residual / self.threshold) ** 2, 1.0)
        return (1.0 - u) * (1.0 - 5.0 * u)


LOSSES: dict[str, type[Squared] | type[Huber] | type[Tukey]] = {"squared": Squared, "huber": Huber, "tukey": Tukey}


def loss_by_name(name: str) -> Loss:
    """The loss of that name with its usual threshold."""
    if name not in LOSSES:
        raise UnknownNameError("loss", name, sorted(LOSSES))
    return LOSSES[name]()
