"""Whether the report's tables agree with each other: its coefficients by its own formulas, its ground truth, the norms of its errors."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynident.core.arrays import Array
from dynident.regression import base_parameters
from dynident.reproduce.claim import COUNTED, PRINTED, Claim, half_digit, printed
from dynident.reproduce.experiment import ExperimentOutcome, PaperExperiment, Setting
from dynident.reproduce.unsigned.published import (
    COEFFICIENTS_1R,
    COEFFICIENTS_3R,
    NORMS_1R,
    NORMS_3R,
    TABLE_3,
    TEN,
    thirteen,
    true_thirteen,
)
from dynident.robots import load_robot

KEY = "unsigned"
#: Parameters that the report's model of the 3R arm has; all others are zero there.
MODELLED = ("m2", "mc2x", "mc2z", "m3", "mc3x", "J1yy", "J2xx", "J2yy", "J2zz", "J2xz", "J3xx", "J3yy", "J3zz")


def run(setting: Setting) -> ExperimentOutcome:
    claims = [*_ranks(), *_ground_truth(), *_norms(), *_coefficients()]
    note = (
        "with b, c and d of the opposite sign, the report's formulas give its printed ground truth in all digits but those of π10: "
        "that is how the error came about"
    )
    return ExperimentOutcome(claims=tuple(claims), notes=(note,))


def _ranks() -> Iterator[Claim]:
    robot = load_robot("spatial_3r")
    base = base_parameters(robot)
    modelled = base.grouping[:, [base.columns.names.index(name) for name in MODELLED]]
    independent = int(np.linalg.matrix_rank(modelled))
    written = int(np.linalg.matrix_rank(TEN))
    why = "π3, π5 and π13 only appear in sums with others, so that ten combinations are in the torque"
    yield Claim(
        paper=KEY,
        place="Section 3.1",
        quantity="coefficients of a minimal model",
        published=13,
        ours=written,
        implied=written,
        reason=why,
        **COUNTED,
    )
    yield Claim(
        paper=KEY,
        place="Section 3.1",
        quantity="of these independent, since L2, d2 and gravity are known",
        published=8,
        ours=independent,
        origin="prototype",
        **COUNTED,
    )
    for name, text, ours in zip(("g m d", "I + m d²"), COEFFICIENTS_1R[0], _pendulum(), strict=True):
        yield Claim(paper=KEY, place="Section 2.5", quantity=f"ground truth of {name}", ours=ours, **printed(text, digits=2.0))


def _pendulum() -> tuple[float, float]:
    robot = load_robot("pendulum_1r")
    mc, J = np.asarray(robot.parameters)[0, [1, 9]]
    return float(9.81 * mc), float(J)


def _ground_truth() -> Iterator[Claim]:
    for k, (text, value) in enumerate(zip(COEFFICIENTS_3R[0], true_thirteen().tolist(), strict=True), start=1):
        yield Claim(
            paper=KEY,
            place="Section 3.6, ground truth",
            quantity=f"π{k} of the 3R arm",
            ours=value,
            implied=value,
            reason="the report's formulas with its own masses and inertias and b = 0.15, c = 0.06, d = 0.1 m give other values",
            **printed(text),
        )


def _norms() -> Iterator[Claim]:
    """The printed norms against the printed vectors."""
    for name, vectors, norms in (("1R", COEFFICIENTS_1R, NORMS_1R), ("3R", COEFFICIENTS_3R, NORMS_3R)):
        values = np.array([[float(text) for text in vector] for vector in vectors])
        rounding = np.array([sum(half_digit(text) ** 2 for text in vector) ** 0.5 for vector in vectors])
        for k, text in enumerate(norms, start=1):
            norm = float(np.linalg.norm(values[k] - values[0]))
            yield Claim(
                paper=KEY,
                place="Sections 2.5 and 3.6",
                quantity=f"norm of the error as printed, {name}, experiment {k}",
                published=float(text),
                ours=norm,
                implied=norm,
                tolerance=half_digit(text) + float(rounding[k] + rounding[0]),
                tolerance_from="half units of the last printed digits of all numbers in it",
                reason="the printed vectors have another norm; without the misprints in them they have the printed one",
            )


def _coefficients() -> Iterator[Claim]:
    """The printed coefficients against the parameters of Table 3."""
    for experiment in range(1, 5):
        texts = {name: row[experiment] for name, row in TABLE_3.items()}
        values = {name: float(text) for name, text in texts.items()}
        implied = _thirteen_of(values)
        slack = np.zeros(13)
        for name, text in texts.items():
            slack += np.abs(_thirteen_of({**values, name: values[name] + half_digit(text)}) - implied)
        for k, text in enumerate(COEFFICIENTS_3R[experiment]):
            yield Claim(
                paper=KEY,
                place=f"Section 3.6, experiment {experiment}",
                quantity=f"π{k + 1} of Table 3, experiment {experiment}",
                published=float(text),
                ours=float(implied[k]),
                implied=float(implied[k]),
                tolerance=half_digit(text) + float(slack[k]),
                tolerance_from=f"{PRINTED}, and those of Table 3",
                reason=f"the parameters of Table 3 give {implied[k]:.4f}",
            )


def _thirteen_of(values: dict[str, float]) -> Array:
    masses = np.array([values["m1"], values["m2"], values["m3"]])
    return thirteen(masses, -values["c2x"], -values["c2z"], -values["c3x"], values)


EXPERIMENT = PaperExperiment(key="consistency", title="the report's tables among themselves", run=run)
