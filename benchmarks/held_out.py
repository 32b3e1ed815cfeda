"""What a model from one recorded log leaves of another: by which friction, and how much of it lies within the bands.

Of the logs in ../shared/data. Bands are compared by their coverage and by the interval score of Gneiting and Raftery (JASA 102, 2007),
their width and 40 times what lies outside, as a share of the joint's RMS effort: the smaller, the better.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from dynident import Dataset, Robot, load_dataset, load_robot
from dynident.errors import DynidentError
from dynident.links import retrieval_problem, solve_retrieval
from dynident.regression import identify
from dynident.validation import Validation, validate
from dynident.validation.folds import CrossValidation, cross_validate_fit
from dynident.validation.uncertainty import half_width

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
#: Torque per ampere of TIAGo's arm that works, signs included.
TIAGO_GAINS = (13.6, 13.6, -8.7, -8.7, -20.6, -20.6, -20.6)
TX40 = """files: {{q: {0}/pos_read_data.csv, effort: {0}/curr_data.csv}}
sampling_rate: 5000
effort_kind: torque
gear_ratios: [[32, 0, 0, 0, 0, 0], [0, 32, 0, 0, 0, 0], [0, 0, 45, 0, 0, 0],
              [0, 0, 0, -48, 0, 0], [0, 0, 0, 0, 45, 0], [0, 0, 0, 0, 32, 32]]
offsets: [0, -pi/2, pi/2, 0, 0, 0]
"""


class Test(NamedTuple):
    name: str
    robot: Robot
    train: Dataset
    test: Dataset


class Judged(NamedTuple):
    """A test of a model with the default friction. other : whether it is another motion than that of the fit, as `validate` says."""

    other: bool
    validation: Validation
    crossed: CrossValidation


def study() -> str:
    if not DATA.exists():
        return "## Held-out logs\n\nNo recorded logs here."
    errors = ["| test | friction | coefficients [%] | links [%] | over the best in hindsight |", "|---|---|---|---|---|"]
    found: list[Judged] = []
    for test in recorded_tests():
        for friction in ("default", "auto"):
            try:
                estimate = identify(test.robot, test.train, friction=friction)
            except DynidentError as error:
                errors.append(f"| {test.name} | {friction} | {type(error).__name__} | | |")
                continue
            try:
                links = solve_retrieval(retrieval_problem(estimate))
            except DynidentError:
                links = None
            judged = validate(estimate, test.test, links=links)
            of_links = "none explain the data" if judged.links is None else f"{judged.links.overall_percent:.2f}"
            numbers = f"{judged.coefficients.overall_percent:.2f} | {of_links} | {judged.coefficients.overall_ratio:.2f}"
            errors.append(f"| {test.name} | {friction} | {numbers} |")
            if friction == "default":
                crossed, _ = cross_validate_fit(estimate)
                assert crossed is not None
                found.append(Judged(not any("repeats that of the fit" in note for note in judged.notes), judged, crossed))
    return "\n".join(["## Held-out logs", "", *errors, "", *_bands(found)])


def _bands(found: list[Judged]) -> Iterator[str]:
    yield "| noise in the band of the links | motions like that of the fit: covered | score | other motions: covered | score |"
    yield "|---|---|---|---|---|"
    for name in ("as it is", "RMS of the held-out parts", "of the worst part"):
        cells: list[str] = []
        for other in (False, True):
            covered, scores = zip(*(_score(judged, crossed, name) for kind, judged, crossed in found if kind is other), strict=True)
            cells.append(f"{np.mean(covered):.0f} % | {100.0 * np.exp(np.mean(np.log(scores))):.0f}")
        yield f"| {name} | {' | '.join(cells)} |"


def _score(judged: Validation, crossed: CrossValidation, name: str) -> tuple[float, float]:
    """Share of the samples within the band of the links [%], and its interval score; means over the joints."""
    rms = crossed.rms_per_joint
    noise = {"RMS of the held-out parts": np.sqrt(np.mean(rms**2, axis=0)), "of the worst part": rms.max(axis=0)}
    levels = judged.band.noise["links"] * np.maximum(noise.get(name, crossed.noise) / crossed.noise, 1.0)
    covered, scores = [], []
    for item, level in zip(judged.series, levels.tolist(), strict=True):
        half, error = half_width(item, "links", level), np.abs(item.error("links"))
        covered.append(100.0 * np.mean(error <= half))
        scores.append(np.mean(2.0 * half + 40.0 * np.maximum(error - half, 0.0)) / np.sqrt(np.mean(item.measured**2)))
    return float(np.mean(covered)), float(np.mean(scores))


def recorded_tests() -> Iterator[Test]:
    kuka = load_robot(DATA / "kuka_lwr4" / "kuka_lwr4.urdf")
    one, two = (load_dataset(DATA / "kuka_lwr4" / f"measurements_{k}.npz") for k in (1, 2))
    yield Test("KUKA 1 → 2", kuka, one, two)
    yield Test("KUKA 2 → 1", kuka, two, one)
    yield Test("KUKA, first 20 % of 1 → 2", kuka, one.part(0, 0.2), two)
    panda, log = load_robot("panda"), load_dataset(DATA / "panda_gaz2019" / "trajectory_1.npz")
    yield Test("Panda 70/30", panda, log.part(0, 0.7), log.part(0.7, 1))
    yield Test("Panda, first 20 % → last 30 %", panda, log.part(0, 0.2), log.part(0.7, 1))
    with tempfile.TemporaryDirectory() as folder:
        recipe = Path(folder) / "tx40.yaml"
        recipe.write_text(TX40.format(DATA / "staubli_tx40"))
        staubli, log = load_robot(DATA / "staubli_tx40" / "tx40_mdh_modified.urdf"), load_dataset(recipe)
    yield Test("TX40 70/30", staubli, log.part(0, 0.7), log.part(0.7, 1))
    yield Test("TX40 40/60", staubli, log.part(0, 0.4), log.part(0.4, 1))
    recorded = np.load(DATA / "servo" / "tiago" / "log.npz")
    locked = dict.fromkeys(("head_1_joint", "head_2_joint", "wheel_left_joint", "wheel_right_joint"), 0.0)
    locked["torso_lift_joint"] = float(recorded["q"][:, 0].mean())
    tiago = load_robot(DATA / "servo" / "tiago" / "tiago.urdf", lock=locked)
    names = tuple(str(name) for name in recorded["joint_names"][1:])
    effort = recorded["current"][:, 1:] * TIAGO_GAINS
    log = Dataset(time=recorded["t"], q=recorded["q"][:, 1:], effort=effort, joint_names=names, effort_kind="torque")
    yield Test("TIAGo 70/30", tiago, log.part(0, 0.7), log.part(0.7, 1))
    yield Test("TIAGo 30/70", tiago, log.part(0.7, 1), log.part(0, 0.7))
