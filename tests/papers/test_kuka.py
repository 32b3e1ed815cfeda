"""The KUKA paper's route (ICRA 2016): gravity and inertia separately, parameters in two steps within bounds, cubic splines."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline

from dynident import load_dataset
from dynident.runs import load_run
from tests.commands import run_here
from tests.papers.arms import RATE, linear_friction, make_arm, seven_axes, sinusoids, six_axes, write_bounds, write_log, write_samples
from tests.papers.conftest import held_out_error, seeds

#: Knots like those of Table V: times [s], and positions as fractions of half of each joint's range.
KNOTS = ((0.0, 0.5), (5.0, 0.0), (8.0, 0.5), (15.0, -0.5), (22.0, 0.5), (24.5, 0.2), (27.0, -0.2), (30.0, 0.2))


def plan_splines(folder, arm) -> None:
    """cubic.csv through the knots; nearer to the middle where an arm that was drawn would touch itself on the way, as a user would do."""
    for scale in (1.0, 0.8, 0.6, 0.4):
        lines = ["time," + ",".join(f"q{j + 1}" for j in range(arm.n))]
        lines += [",".join(map(repr, [time, *(arm.middle + scale * share * arm.half_range).tolist()])) for time, share in KNOTS]
        (folder / "knots.csv").write_text("\n".join(lines) + "\n")
        done = run_here(folder, "excite", arm.file.name, "-o", "cubic.csv", "--motion", "splines=knots.csv", "--no-floor")
        if done.returncode == 0:
            return
        assert "self-collision" in done.stderr
    pytest.fail("no knots keep this arm from touching itself")


@pytest.mark.parametrize("seed", seeds())
@pytest.mark.parametrize(("table", "form"), [(seven_axes, "dh"), (six_axes, "urdf")], ids=["7R", "6R"])
def test_gravity_then_inertia_within_bounds(tmp_path, walk, record_property, table, form, seed):
    arm = make_arm(tmp_path, table, seed=seed, form=form)
    rng = np.random.default_rng([5, seed])
    write_samples(tmp_path / "samples.npz", arm, rng)
    write_bounds(tmp_path / "bounds.csv", arm)
    mass = float(arm.links[:, 0].sum())
    friction, _ = linear_friction(arm, rng)
    plan_splines(tmp_path, arm)
    planned = load_dataset(tmp_path / "cubic.csv")
    motion = CubicHermiteSpline(planned.time, planned.q, planned.dq)
    t = np.arange(planned.time[0], planned.time[-1], 1.0 / RATE)
    write_log(tmp_path / "cubic.npz", arm, (t, motion(t), motion(t, 1), motion(t, 2)), friction, rng)
    write_log(tmp_path / "friction.npz", arm, sinusoids(arm, rng), friction, rng)

    gravity = walk("identify", arm.file.name, "samples.npz", "-o", "gravity", "--equations", "gravity", "--json")
    inertia = walk("identify", arm.file.name, "samples.npz", "-o", "inertia", "--equations", "inertia", "--json")
    both = walk("identify", arm.file.name, "samples.npz", "-o", "run", "--json")
    assert gravity["rank"] < inertia["rank"] <= both["rank"]

    walk("retrieve", "run", "--method", "gaz2016", "--bounds", "bounds.csv", "--total-mass", 0.9 * mass, 1.1 * mass, "--no-ranges")
    links = load_run(tmp_path / "run").parameters
    assert links is not None
    assert links.method == "gaz2016"
    assert np.all(links.parameters[:, 0] >= 0.0)
    assert 0.9 * mass <= links.parameters[:, 0].sum() <= 1.1 * mass

    walk("friction", "run", "friction.npz", "-o", "run_friction")
    error = held_out_error(walk("validate", "run_friction", "cubic.npz", "--json"))
    record_property("held-out torque [%]", error)
    assert error < 0.5


@pytest.mark.parametrize("seed", seeds())
def test_gravity_of_a_run_of_its_own_is_held(tmp_path, walk, seed):
    arm = make_arm(tmp_path, seven_axes, seed=seed)
    rng = np.random.default_rng([6, seed])
    write_samples(tmp_path / "samples.npz", arm, rng)
    walk("identify", arm.file.name, "samples.npz", "-o", "gravity", "--equations", "gravity")
    walk("retrieve", "gravity", "--two-step", "--weights", "none", "--no-ranges")
    walk("identify", arm.file.name, "samples.npz", "-o", "inertia", "--equations", "inertia")
    walk("retrieve", "inertia", "--two-step", "--weights", "none", "--hold-gravity", "gravity", "--no-ranges")
    links = load_run(tmp_path / "inertia").parameters
    assert links is not None
    assert links.feasible
