from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import yaml

from dynident import load_robot, regression
from dynident.core.records import encode
from dynident.data import Dataset
from dynident.data.provenance import NEW
from dynident.dynamics import inverse_dynamics
from dynident.dynamics.friction import linear
from dynident.errors import FileError
from dynident.links import FeasibleSet
from dynident.links.constraints.files import read_constraints
from dynident.pipeline.bundles.rename import rename_conditions, rename_data, rename_problem, rename_robot
from dynident.regression import base_parameters, build_problem
from dynident.robots import Robot
from dynident.robots.serialize import robot_to_dict
from tests.faults.hostile_names import NAMES, hostile_robot
from tests.logs import synthetic_log, synthetic_samples


def all_texts(value: object) -> set[str]:
    if isinstance(value, dict):
        return set().union(*map(all_texts, value.values()))
    if isinstance(value, list):
        return set().union(*map(all_texts, value))
    return {value} if isinstance(value, str) else set()


@pytest.mark.parametrize("first", range(0, len(NAMES), 4))
def test_a_robot_has_no_name_of_its_own_left(first):
    robot = hostile_robot(NAMES[first : first + 4], NAMES[first])
    names = [f"{kind}{k + 1}" for k in range(robot.n) for kind in ("joint", "link", "frame of link")]
    told = all_texts(robot_to_dict(rename_robot(replace(robot, notes=NAMES[:2], apart=((robot.link_names[0], robot.link_names[-1]),)))))
    assert told <= {*names, "robot", "revolute", "inf", "-inf", "dynident/robot/2"}


def test_a_renamed_robot_moves_as_before():
    robot = load_robot("panda", lock={"panda_joint7": 0.3})
    renamed = rename_robot(robot)
    rng = np.random.default_rng(0)
    q, dq, ddq = rng.normal(size=(3, 5, robot.n))
    before, after = (inverse_dynamics(item, item.parameters, q, dq, ddq) for item in (robot, renamed))
    np.testing.assert_array_equal(after, before)
    pieces = [piece.name for link in renamed.links for piece in link.pieces]
    assert len(set(pieces)) == len(pieces)
    assert renamed.frame_names == robot.frame_names  # those of a DH file say nothing of a robot


def named_log() -> tuple[Robot, Dataset]:
    robot = hostile_robot(["acme_shoulder", "acme_elbow"], "acme")
    return robot, replace(synthetic_log(robot, noise=0.2, samples=900), joint_names=robot.joint_names, source="acme.csv")


def test_clocks_start_anew_by_whole_seconds_and_recordings_stay_apart():
    _, log = named_log()
    late = replace(log, time=log.time + 43_200.25, q=log.q + 1.0, provenance=NEW)
    one, other = rename_data(Dataset.concatenate([late, log]))
    np.testing.assert_allclose(one.time, log.time + 0.25, atol=1e-10)
    np.testing.assert_array_equal(other.time, log.time)
    np.testing.assert_array_equal(one.q, late.q)
    assert (one.joint_names, one.source) == (("joint1", "joint2"), "")
    assert Dataset.concatenate([one, other]).recordings == (0, 1)


def test_samples_of_a_controller():
    samples = replace(synthetic_samples(), source="acme.npz")
    (renamed,) = rename_data(samples)
    assert renamed.source == ""
    np.testing.assert_array_equal(renamed.M, samples.M)


def test_what_a_run_keeps_of_its_data_gives_the_same_estimate_under_other_names():
    robot, log = named_log()
    problem = build_problem(robot, log, friction=linear())
    renamed = rename_problem(problem, rename_robot(robot))
    before, after = regression.estimate(problem), regression.estimate(renamed)
    np.testing.assert_array_equal(after.values, before.values)
    np.testing.assert_array_equal(after.covariance, before.covariance)
    assert b"acme" not in encode({"result": after}, {}).to_bytes()


CONDITIONS = """# of Anna Maria, confidential
consistency: {margin: 1.0e-4, links: [link acme_elbow]}
com:
  - {link: link acme_elbow, sphere: {centre: [0, 0, 0], radius: 2}}
  - {link: 1, box: [[-1, -1, -1], [1, 1, 1]]}
symmetric: [{link: link acme_shoulder, plane: xz}]
either:
  acme_wrist:
    - {name: acme_heavy, bounds: {m2: [1.5, .inf]}}
    - {name: acme_light, bounds: {m2: [0, 1.5]}, com: [{link: link acme_elbow, sphere: {centre: [0, 0, 0], radius: 1}}]}
"""


def test_conditions_ask_the_same_of_numbered_links(tmp_path):
    robot, _ = named_log()
    (tmp_path / "a.yaml").write_text(CONDITIONS)
    base = base_parameters(robot)
    content = rename_conditions(tmp_path / "a.yaml", base)
    (tmp_path / "b.yaml").write_text(yaml.safe_dump(content, sort_keys=False))
    assert "acme" not in (tmp_path / "b.yaml").read_text()
    before, after = (
        FeasibleSet(read_constraints(tmp_path / name).constraints).terms(base.robot, base.columns) for name in ("a.yaml", "b.yaml")
    )
    for one, other in zip(before.blocks, after.blocks, strict=True):
        for name in ("constant", "matrices", "indices"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert [name for rule in after.alternatives for name in (rule.name, *(branch for branch, _ in rule.branches))] == [
        *("rule1", "branch1", "branch2")
    ]


def test_bounds_of_a_csv_file(tmp_path):
    (tmp_path / "a.csv").write_text("Coeff name,Lower bound,Upper bound\nm1,0,2\nc2x,-1,1\n")
    robot, _ = named_log()
    assert rename_conditions(tmp_path / "a.csv", base_parameters(robot)) == {"bounds": {"m1": [0.0, 2.0], "c2x": [-1.0, 1.0]}}
    (tmp_path / "a.csv").write_text("Coeff name,Lower bound,Upper bound\nacme,0,2\n")
    with pytest.raises(FileError):
        rename_conditions(tmp_path / "a.csv", base_parameters(robot))
