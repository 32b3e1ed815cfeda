"""Models that recorded logs leave open: as good as the retrieved links on motion that was not seen, and as heavy as the arm."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dynident import check_robot, identify, load_dataset, load_robot, retrieve, validate
from dynident.exports.sampled import export_samples
from dynident.robots.parameters import consistency_margin
from dynident.validation.spread import torque_spread
from tests.realdata.test_links import KUKA_LOGS, PANDA_LOG


def kuka(shared_data: Path):
    train, test = (load_dataset(shared_data / name) for name in KUKA_LOGS)
    return load_robot(shared_data / "kuka_lwr4" / "kuka_lwr4.urdf"), train, test


def panda(shared_data: Path):
    log = load_dataset(shared_data / PANDA_LOG)
    return load_robot("panda"), log.part(0, 0.7), log.part(0.7, 1)


@pytest.mark.parametrize(("case", "mass"), [(kuka, 16.0), (panda, 17.0)])
def test_samples_predict_what_was_not_seen(case, mass: float, shared_data: Path) -> None:
    """Measured: 2.3 to 2.5 % where the links have 2.3, the nominal ones 9.7 (KUKA); 0.88 to 1.04 % where they have 0.89 and 2.2 (Panda)."""
    robot, train, test = case(shared_data)
    estimate = identify(robot, train)
    links = retrieve(estimate)
    samples = links.sample(40)
    assert np.all(consistency_margin(samples.links) > 0.0)
    assert not any(links.problem.violations(x) for x in samples.x)

    judged = validate(estimate, test, links=links)
    for x in samples.x[::10]:
        found = validate(estimate, test, links=replace(links, x=x)).links
        assert found.overall_percent <= 1.4 * judged.links.overall_percent
        assert found.overall_percent < 0.5 * judged.nominal.overall_percent

    # the standard deviation of the links' band knows of no constraint, so the samples are within it, joint by joint
    spread = torque_spread(judged, samples.x)
    of_band = np.array([np.sqrt(np.mean(item.std["links"] ** 2)) for item in judged.series])
    np.testing.assert_array_less(spread.rms, 1.25 * of_band)
    np.testing.assert_array_less(spread.rms, estimate.residuals.rms_per_group)

    total, nominal = samples.total_mass, float(robot.parameters[:, 0].sum())
    assert mass / 1.3 <= total.mean() <= 1.3 * mass
    assert 0.05 * mass <= total.std() <= 0.3 * mass
    assert 0.6 * nominal <= np.quantile(total, 0.05) < np.quantile(total, 0.95) <= 2.0 * nominal
    # no torque depends on the mass of the first link: the prior alone, whose mean is the nominal mass, without what is no body
    first = samples.links[:, 0, 0]
    assert abs(first.mean() - 1.1 * robot.parameters[0, 0]) < 4.5 * first.std() / np.sqrt(len(first))


def test_every_sampled_urdf_of_the_kuka_passes_the_check(shared_data: Path, tmp_path: Path) -> None:
    robot, train, _ = kuka(shared_data)
    links = retrieve(identify(robot, train))
    original = shared_data / "kuka_lwr4" / "kuka_lwr4.urdf"
    index = export_samples(links.sample(6), tmp_path / "models", target="urdf", original=original)
    models = [name for name in index.files if name.endswith(".urdf")]
    assert len(models) == 6
    assert all(check_robot(load_robot(tmp_path / "models" / name)).passed for name in models)
