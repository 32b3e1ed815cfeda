"""Sections IV-A and VI: the coefficients from the controller's M and g at 1010 configurations (eqs. 17 to 22), Table III of the supplement.

The vendor's values were never released. A virtual controller holds the coefficients that follow from the model that the authors released,
and its recorded positions have noise, which is what leaves the published error of 0.031 %.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from dynident.core.arrays import Array
from dynident.data import ControllerSamples
from dynident.dynamics import inertia_gravity_regressor
from dynident.errors import require
from dynident.motions.simulation import VirtualController, random_configurations
from dynident.regression import Estimate, base_parameters, identify
from dynident.regression.equations.factors import independent_columns
from dynident.regression.uncertainty.covariance import inverse_normal
from dynident.reproduce.claim import COUNTED, Claim, as_measured, printed
from dynident.reproduce.experiment import ExperimentOutcome, PaperExperiment, Setting
from dynident.reproduce.gaz2019.groupings import same_grouping
from dynident.reproduce.gaz2019.published import RECOVERED, TABLE_3
from dynident.robots import Robot, load_robot

KEY = "gaz2019"
_CONFIGURATIONS = 1010
#: Position noise that explains the published error [rad], as measured elsewhere.
_NOISE = 3e-4
#: Relative residual at which the column of %σ was printed [%].
_RESIDUAL = 0.0315
#: Above this relative standard deviation a coefficient is left out [%].
_DROPPED = 30.0
#: Rows of Table III, from 0, that the paper leaves out: one far above that, one at 30.4 %.
_CERTAIN, _DOUBTFUL = 23, 7
#: What was tried before the share of draws, for the reader.
_TRIED = (
    "at a position noise of 3e-4 rad the second coefficient exceeds 30 % in 99 of 100 draws; "
    "the share is that at a residual of 0.0315 %, which was taken after that"
)
#: Why the values of Table III come out again.
_OF_THE_MODEL = (
    "the vendor's M and g were never released; the virtual controller's, like the released ones, were computed with these coefficients"
)
#: What was chosen so that the column of %σ comes out.
_FITTED_RESIDUAL = (
    f"the residual of {_RESIDUAL:g} % was chosen after the comparison, for the median of the column; 0.031 % is printed, of M and g that "
    "were never released"
)
#: Draws of configurations, and of noise, by size.
_DRAWS = (4, 20, 100)


def run(setting: Setting) -> ExperimentOutcome:
    robot = load_robot("panda")
    given = setting.recordings.controller
    configurations = given[0].q if given else random_configurations(robot, _CONFIGURATIONS)
    truth = np.array(RECOVERED)
    parameters = base_parameters(robot).representative(truth)[:70].reshape(7, 10)
    exact = VirtualController(robot, parameters, position_noise=0.0).sample(configurations)
    draws = setting.choose(*_DRAWS)
    claims = [
        *_regressor_claims(robot, exact, draws, recorded=bool(given)),
        *_value_claims(robot, exact, truth),
        *(_released_claims(robot, given[0], truth) if given else ()),
    ]
    setting.progress(0.3)
    claims += _sigma_claims(robot, exact, truth, recorded=bool(given))
    setting.progress(0.5)
    claims += _noise_claims(robot, parameters, configurations, draws, recorded=bool(given))
    where = "the 1010 configurations of the given samples" if given else f"{_CONFIGURATIONS} random configurations within the joint limits"
    return ExperimentOutcome(claims=tuple(claims), notes=(f"at {where}", _TRIED))


def _estimate(robot: Robot, samples: ControllerSamples) -> Estimate:
    """As in the paper: ordinary least squares, kg·m² and N·m alike."""
    return identify(robot, samples, noise="uniform")


def printed_std(estimate: Estimate) -> Array:
    """(43,) the paper's formula σ² (YᵀY)⁻¹, for rows with independent errors of one size."""
    rows = estimate.require_problem().stack(1.0 / np.asarray(estimate.summary.noise_levels))[:, :-1]
    return np.sqrt(np.diag(inverse_normal(rows, estimate.kept)))


def _regressor_claims(robot: Robot, exact: ControllerSamples, draws: int, *, recorded: bool) -> Iterator[Claim]:
    base = base_parameters(robot, equations="controller")
    equal = sum(same_grouping(base, row, item.symbol) for row, item in enumerate(TABLE_3))
    yield Claim(paper=KEY, place="Section VI", quantity="rank of the regressor", published=43, ours=base.rank, **COUNTED)
    yield Claim(paper=KEY, place="Table III", quantity="groupings that agree with ours term by term", published=43, ours=equal, **COUNTED)
    yield Claim(
        paper=KEY,
        place="Section IV-A",
        quantity="parameters that are never excited: of link 1 all but J1zz; m2, mc2z",
        published=11,
        ours=len(base.unidentifiable),
        origin="prototype",
        **COUNTED,
    )
    conditions = [_condition(robot, random_configurations(robot, _CONFIGURATIONS, seed=seed)) for seed in range(draws)]
    condition = _estimate(robot, exact).condition_number if recorded else float(np.median(conditions))
    spread = (46.5, 49.9)
    yield Claim(
        paper=KEY,
        place="Section VI",
        quantity="condition number of the regressor",
        ours=condition,
        near="" if recorded else "the paper's configurations are others; random ones give 46.5 to 49.9",
        **printed("48.9"),
    )
    yield Claim(
        paper=KEY,
        place="Section VI",
        quantity=f"median condition number of {draws} draws of {_CONFIGURATIONS} random configurations",
        published=sum(spread) / 2.0,
        ours=float(np.median(conditions)),
        tolerance=(spread[1] - spread[0]) / 2.0,
        tolerance_from="the range that was measured, 46.5 to 49.9",
        origin="prototype",
    )
    if recorded:
        yield Claim(
            paper=KEY,
            place="Section VI",
            quantity="condition number at the released configurations",
            ours=condition,
            **as_measured("48.906"),
        )
        yield Claim(
            paper=KEY,
            place="Section VI",
            quantity="condition number when masses are chosen first",
            ours=_masses_first(robot, exact.q),
            **as_measured("5711"),
        )


def _condition(robot: Robot, q: Array) -> float:
    base = base_parameters(robot, equations="controller")
    return float(np.linalg.cond(_stack(robot, q)[:, base.independent]))


def _stack(robot: Robot, q: Array) -> Array:
    """(N · 34, 70) inertia stack and gravity rows; the first gravity row, which is zero, left out."""
    Y = inertia_gravity_regressor(robot, q)
    first = Y.shape[1] - robot.n
    return np.delete(Y, first, axis=1).reshape(-1, Y.shape[2])


def _masses_first(robot: Robot, q: Array) -> float:
    Y = _stack(robot, q)
    names = base_parameters(robot).columns.names
    order = sorted(range(len(names)), key=lambda i: ({"m": 0, "mc": 1, "J": 2}[names[i].rstrip("xyz0123456789")], i))
    factor = np.asarray(np.linalg.qr(Y[:, order], mode="r"), dtype=float)
    chosen, _ = independent_columns(factor, tolerance=1e-9, smallest=1e-9)
    return float(np.linalg.cond(factor[:, chosen]))


def _value_claims(robot: Robot, exact: ControllerSamples, truth: Array) -> Iterator[Claim]:
    values = _estimate(robot, exact).values
    yield Claim(
        paper=KEY,
        place="eq. (21)",
        quantity="relative error of the coefficients from exact M and g",
        published=1e-12,
        ours=float(np.linalg.norm(values - truth) / np.linalg.norm(truth)),
        tolerance=0.0,
        tolerance_from="an upper limit",
        origin="prototype",
        goal="lower",
    )
    for item, value in zip(TABLE_3, values.tolist(), strict=True):
        fields = printed(item.value)
        fields["tolerance"] += 0.01 * float(item.sigma) * abs(float(item.value))
        fields["tolerance_from"] += ", and the published standard deviation"
        yield Claim(paper=KEY, place="Table III, values", quantity=item.symbol, ours=value, constructed=_OF_THE_MODEL, **fields)


def _released_claims(robot: Robot, samples: ControllerSamples, truth: Array) -> Iterator[Claim]:
    values = _estimate(robot, samples).values
    yield Claim(
        paper=KEY,
        place="eq. (21)",
        quantity="relative distance of the coefficients from the released M and g to those of the released model",
        published=2e-5,
        ours=float(np.linalg.norm(values - truth) / np.linalg.norm(truth)),
        tolerance=0.0,
        tolerance_from="an upper limit",
        origin="prototype",
        goal="lower",
    )


def _sigma_claims(robot: Robot, exact: ControllerSamples, truth: Array, *, recorded: bool) -> Iterator[Claim]:
    """The column of %σ, with white noise on M and g that leaves the published residual."""
    ours = 100.0 * printed_std(_estimate(robot, _with_residual(robot, exact))) / np.abs(truth)
    printed_sigma = np.array([float(item.sigma) for item in TABLE_3])
    if recorded:
        yield Claim(
            paper=KEY,
            place="Table III, %σ",
            quantity="median ratio of our %σ to the printed ones",
            ours=float(np.median(ours / printed_sigma)),
            **as_measured("0.9993"),
        )
    for item, value in zip(TABLE_3, ours.tolist(), strict=True):
        yield Claim(
            paper=KEY,
            place="Table III, %σ",
            quantity=item.symbol,
            ours=value,
            unit="%",
            chosen=_FITTED_RESIDUAL,
            reason="" if recorded else "the paper's configurations are no uniform draw",
            **printed(item.sigma),
        )


def _with_residual(robot: Robot, samples: ControllerSamples) -> ControllerSamples:
    """The samples with white noise of such a size that the fit leaves the published relative residual."""
    M, g = require(samples.M, "M of the virtual controller"), require(samples.g, "g of the virtual controller")
    rng = np.random.default_rng(0)
    e = rng.normal(size=M.shape)
    noise_M, noise_g = np.tril(e) + np.tril(e, -1).swapaxes(1, 2), rng.normal(size=g.shape)
    scale, noisy = 1e-3, samples
    for _ in range(3):
        noisy = replace(samples, M=M + scale * noise_M, g=g + scale * noise_g)
        scale *= _RESIDUAL / _estimate(robot, noisy).residuals.relative_percent
    return replace(samples, M=M + scale * noise_M, g=g + scale * noise_g)


def _noise_claims(robot: Robot, parameters: Array, configurations: Array, draws: int, *, recorded: bool) -> Iterator[Claim]:
    """Noise of the recorded positions: the error that it leaves, and the coefficients that are then too uncertain."""

    def draw(noise: float, seed: int) -> Estimate:
        return _estimate(robot, VirtualController(robot, parameters, position_noise=noise, seed=seed).sample(configurations))

    # the error is proportional to the noise
    per_radian = float(np.mean([draw(_NOISE, seed).residuals.relative_percent for seed in range(3)])) / _NOISE
    explained = 0.031 / per_radian
    yield Claim(
        paper=KEY,
        place="Section VI",
        quantity="position noise that leaves the published relative error of 0.031 %",
        published=_NOISE,
        ours=explained,
        tolerance=0.5e-4,
        tolerance_from="half a unit of the only digit that was measured",
        unit="rad",
        origin="prototype",
    )
    results = [draw(_RESIDUAL / per_radian, seed) for seed in range(draws)]
    above = np.sum([100.0 * printed_std(estimate) > _DROPPED * np.abs(estimate.values) for estimate in results], axis=0)
    yield Claim(
        paper=KEY,
        place="Section VI",
        quantity=f"relative prediction error at a position noise of {explained:.2g} rad",
        ours=float(np.mean([estimate.residuals.relative_percent for estimate in results])) * 0.031 / _RESIDUAL,
        unit="%",
        constructed="the position noise was chosen for the printed error",
        **printed("0.031"),
    )
    yield Claim(
        paper=KEY,
        place="Section VI",
        quantity=f"share of draws in which {TABLE_3[_CERTAIN].symbol} exceeds 30 %",
        published=1.0,
        ours=float(above[_CERTAIN] / draws),
        tolerance=0.0,
        tolerance_from="always",
        origin="prototype",
    )
    if recorded:
        yield Claim(
            paper=KEY,
            place="Section VI",
            quantity=f"share of draws in which {TABLE_3[_DOUBTFUL].symbol} exceeds 30 %",
            ours=float(above[_DOUBTFUL] / draws),
            chosen=f"'about half' was measured, and the residual of {_RESIDUAL:g} % was chosen after the comparison",
            **as_measured("0.5"),
        )
    yield Claim(
        paper=KEY,
        place="Section VI",
        quantity=f"coefficients above 30 % in one of {draws} draws or more",
        published=2.0,
        ours=float(np.sum(above > 0)),
        reason="the second of them is printed with 30.4 %, and other configurations put it on either side of 30 %",
        **COUNTED,
    )


EXPERIMENT = PaperExperiment(
    key="controller", title="coefficients from the controller's M and g", run=run, uses=("controller",), sized=True
)
