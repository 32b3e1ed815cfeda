"""The report on unknown torque signs, on arms with friction and rotors: from |torque| to signs, coefficients and feasible links."""

from __future__ import annotations

import numpy as np
import pytest

from dynident.runs import load_run
from tests.papers.arms import RATE, fourier, linear_friction, make_arm, one_axis, six_axes, three_axes, write_log
from tests.papers.conftest import held_out_error, seeds


@pytest.mark.parametrize("seed", seeds())
@pytest.mark.parametrize(
    ("table", "form", "rotors"),
    [(one_axis, "dh", False), (three_axes, "urdf", False), (six_axes, "urdf", True)],
    ids=["1R", "3R", "6R with rotors"],
)
def test_signs_of_magnitudes(tmp_path, walk, record_property, table, form, rotors, seed):
    arm = make_arm(tmp_path, table, seed=seed, form=form, rotors=rotors)
    rng = np.random.default_rng([4, seed])
    friction, _ = linear_friction(arm, rng)
    torque = write_log(tmp_path / "log.npz", arm, fourier(arm, rng), friction, rng, unsigned=True)
    write_log(tmp_path / "test.npz", arm, fourier(arm, rng), friction, rng)

    walk("signs", arm.file.name, "log.npz", "-o", "run")
    recovery = load_run(tmp_path / "run").signs
    assert recovery is not None
    clear = np.abs(torque) > 3.0 * arm.noise
    # The recovered log is on a clock of its own, which may be slower.
    t = np.arange(len(torque)) / RATE
    nearest = np.clip(np.searchsorted(t, recovery.log.time), 0, len(t) - 1)
    right = (recovery.signs == np.sign(torque[nearest]))[clear[nearest]]
    record_property("wrong signs [%]", 100.0 * float(1.0 - right.mean()))
    assert right.mean() >= 0.999
    walk("retrieve", "run")
    error = held_out_error(walk("validate", "run", "test.npz", "--effort-kind", "torque", "--json"))
    record_property("held-out torque [%]", error)
    assert error < 0.5
