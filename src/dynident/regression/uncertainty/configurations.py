"""What the errors of a controller's configurations make of the covariance: the rows of one configuration are not independent.

M and g are exact where the robot stands, and the position that is recorded with them is not: one error of position is in all rows of its
configuration, and how large it is in each depends on the configuration. With Y_k the rows of configuration k, W one over the noise
levels of the groups and r_k the residuals, the covariance of weighted least squares is A⁻¹ B A⁻¹ with A = Σ Y_kᵀ W² Y_k and
B = Σ x_k x_kᵀ, x_k = Y_kᵀ W (1 - H_k)^(-1/2) W r_k, H_k = W Y_k A⁻¹ Y_kᵀ W: the cluster-robust CR2 of Bell and McCaffrey (Survey
Methodology 28, 2002), which holds whatever the errors within a configuration are.

Where nothing but rounding is left, the residuals do not show it all: a value that never changes, such as the inertia of the last joint,
has one rounding error in all configurations. There the noise level stands for it, and B is A.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dynident.core.arrays import Array, BoolArray, IntArray
from dynident.regression.equations.rows import Tables
from dynident.regression.uncertainty.autocovariance import Influence, influenced_residuals

#: No direction gets less than this share of the variance that independent rows would give it. B is a sum of squares and needs no bound but
#: where there are fewer configurations than coefficients; a coefficient that no error of position reaches has hardly any variance.
SMALLEST_OF_CONFIGURATIONS = 1e-4
#: Configurations at once.
_CHUNK = 256
#: A direction that one configuration alone determines to within this share leaves no residual to judge it by.
_ALONE = 1e-8


def configuration_meat(coefficients: Sequence[IntArray], tables: Tables, influence: Influence, rounded: BoolArray) -> Array:
    """(b, b) B of rows of which those at one place in the tables of all groups are of one configuration.

    coefficients : per group     Those that its rows contain.
    rounded : (groups,)          Whose noise is rounding.
    """
    w, b = influence.weights, len(influence.inverse)
    meat = np.zeros((b, b))
    for g in np.flatnonzero(rounded).tolist():
        places = coefficients[g]
        meat[np.ix_(places, places)] += sum(
            (w[g] ** 2 * table[:-1] @ table[:-1].T for table in tables[g]), np.zeros((len(places), len(places)))
        )
    measured = np.where(rounded, 0.0, 1.0)
    residuals = [influenced_residuals(tables[g], places, g, influence) for g, places in enumerate(coefficients)]
    for segment, table in enumerate(tables[0]):
        for start in range(0, table.shape[1], _CHUNK):
            part = slice(start, min(start + _CHUNK, table.shape[1]))
            Y = np.zeros((part.stop - part.start, len(coefficients), b))
            for g, places in enumerate(coefficients):
                Y[:, g, places] = w[g] * tables[g][segment][:-1, part].T
            e = (w * measured)[:, None] * np.array([of_group[segment][part] for of_group in residuals])
            root_slopes = np.sqrt(influence.slopes)
            H = np.outer(root_slopes, root_slopes) * (Y @ influence.inverse @ Y.swapaxes(1, 2))
            leverages, vectors = np.linalg.eigh(H)
            rest = 1.0 - leverages
            roots = np.where(rest > _ALONE, 1.0 / np.sqrt(np.maximum(rest, _ALONE)), 0.0)
            adjusted = np.einsum("kij,kj->ki", vectors, roots * np.einsum("kij,ik->kj", vectors, e))
            x = np.einsum("kib,ki->kb", Y, measured * adjusted)
            meat += x.T @ x
    return meat
