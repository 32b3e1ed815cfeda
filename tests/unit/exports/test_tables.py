"""YAML in both layouts, CSV of links and of coefficients."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import numpy as np
import pytest
import yaml

from dynident import friction_model, identify, load_robot, retrieve
from dynident.core.options import OptionError
from dynident.dynamics.friction.coupled import couple
from dynident.errors import FileError, InputError
from dynident.exports import ExportModel, export, model_from_estimate
from dynident.exports.formats.tables import franka_names, parameters_from_yaml
from dynident.robots.parameters import to_com
from tests.export_models import arm, model_of
from tests.logs import synthetic_log


def text_of(model, target: str, **options: object) -> str:
    return export(model, target, **options).main.decode()


@pytest.mark.parametrize("layout", ["dynident", "franka"])
@pytest.mark.parametrize("name", ["panda", "spatial_3r", "planar_2r"])
def test_yaml_comes_back(name, layout):
    model = model_of(load_robot(name))
    read = parameters_from_yaml(text_of(model, "yaml", options={"layout": layout}), model.robot)
    np.testing.assert_allclose(read, model.parameters, rtol=1e-13, atol=1e-15)


def test_franka_layout_is_that_of_franka_description(shared_data):
    model = model_of(load_robot("panda"))
    ours = yaml.safe_load(text_of(model, "yaml", options={"layout": "franka"}))
    theirs = yaml.safe_load((shared_data / "panda_models" / "franka_description_fer_inertials.yaml").read_text())
    for name in (f"link{i}" for i in range(1, 8)):
        assert list(ours[name]) == list(theirs[name])
        assert list(ours[name]["inertia"]) == list(theirs[name]["inertia"])
        assert isinstance(ours[name]["mass"], float)
        assert isinstance(ours[name]["origin"]["xyz"], str)
    np.testing.assert_allclose([float(x) for x in ours["link2"]["origin"]["xyz"].split()], [-0.003141, -0.02872, 0.003495])


def test_small_numbers_are_numbers():
    robot = load_robot("planar_2r")
    parameters = robot.parameters * 1.0
    parameters[1, 5] = 1e-17
    content = yaml.safe_load(text_of(replace(model_of(robot), parameters=parameters), "yaml"))
    assert all(isinstance(value, float) for link in content["links"] for value in link["inertia"].values())


def test_shape_constants_of_motors_that_turn_several_joints_are_written():
    robot = load_robot("planar_2r")
    friction = couple(friction_model("stribeck(speed=0.2)"), [[1.0, 0.0], [0.5, 1.0]])
    theta = np.random.default_rng(0).uniform(0.1, 1.0, (2, len(friction.parameter_names)))
    model = ExportModel(robot=robot, parameters=robot.parameters, friction=friction, friction_parameters=theta)
    content = yaml.safe_load(text_of(model, "yaml"))
    assert content["friction"]["shapes"]["joint2"]["speed"] == 0.2


def test_prefixes_of_link_names_are_dropped_for_franka(tmp_path):
    robot = load_robot("panda")
    prefixed = replace(robot, links=tuple(replace(link, name=f"fr3_{link.name}") for link in robot.links))
    assert franka_names(prefixed) == robot.link_names
    assert franka_names(arm(tmp_path)) == ("upper", "lower")


def test_unknown_layout_and_another_robots_file_are_refused():
    model = model_of(load_robot("planar_2r"))
    with pytest.raises(OptionError, match="franka"):
        export(model, "yaml", options={"layout": "ros"})
    with pytest.raises(InputError, match="link3"):
        parameters_from_yaml(text_of(model, "yaml"), load_robot("spatial_3r"))


def test_csv_has_the_papers_tables():
    model = model_of(load_robot("panda"))
    rows = list(csv.DictReader(io.StringIO(text_of(model, "csv"))))
    mass, com, inertia = to_com(model.parameters)
    assert [row["link"] for row in rows] == list(model.robot.link_names)
    np.testing.assert_array_equal([float(row["m [kg]"]) for row in rows], mass)
    np.testing.assert_array_equal([[float(row[f"c{axis} [m]"]) for axis in "xyz"] for row in rows], com)
    np.testing.assert_array_equal([float(row["Iyz [kg·m²]"]) for row in rows], inertia[:, 1, 2])
    np.testing.assert_array_equal([float(row["fc [N·m]"]) for row in rows], model.friction_parameters[:, 1])


def test_csv_of_an_estimate_has_its_coefficients():
    estimate = identify(load_robot("planar_2r"), synthetic_log(noise=0.1), friction=friction_model("linear"), cutoff=None)
    model = model_from_estimate(estimate)
    rows = list(csv.DictReader(io.StringIO(text_of(model, "csv"))))
    assert [row["coefficient"] for row in rows] == list(estimate.base.expressions)
    kept = [float(row["value"]) for row in rows if row["kept"] == "yes"]
    np.testing.assert_array_equal(kept, estimate.values[estimate.kept])


def test_coefficients_make_code_but_no_bodies():
    estimate = identify(load_robot("planar_2r"), synthetic_log(noise=0.1), friction=friction_model("linear"), cutoff=None)
    model = model_from_estimate(estimate)
    log = synthetic_log()
    module: dict = {}
    exec(text_of(model, "python"), module)  # noqa: S102
    torques = module["inverse_dynamics"](log.q, log.dq, log.ddq) + module["friction"](log.q, log.dq, log.ddq)
    np.testing.assert_allclose(torques, estimate.predict(log), atol=1e-12)
    for target in ("urdf", "mjcf", "yaml"):
        with pytest.raises(InputError) as caught:
            export(model, target)
        assert "retrieve" in caught.value.remedy


def test_results_are_exported_from_memory_and_written_where_it_is_said(tmp_path):
    estimate = identify(load_robot("planar_2r"), synthetic_log("planar_2r", noise=0.05))
    exported = export(estimate, "csv", path=tmp_path / "coefficients.csv")
    assert (tmp_path / "coefficients.csv").read_bytes() == exported.main
    links = retrieve(estimate)
    export(links, "yaml", path=tmp_path / "links.yaml")
    read = parameters_from_yaml((tmp_path / "links.yaml").read_text(), links.base.robot)
    np.testing.assert_allclose(read, links.parameters, rtol=1e-12, atol=1e-15)
    with pytest.raises(FileError) as caught:
        export(links, "yaml", path=tmp_path / "absent" / "links.yaml")
    assert caught.value.file == str(tmp_path / "absent" / "links.yaml")
    with pytest.raises(InputError, match="urdf"):
        export(estimate, "urdf", path=tmp_path / "model.urdf")
    assert not (tmp_path / "model.urdf").exists()
