"""Robot files of vendors and the community, and the papers' tables behind the library's robots."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from dynident.dynamics import gravity, inverse_dynamics, mass_matrix
from dynident.robots import Robot, load_robot, robot_solids
from dynident.robots.kinematics import link_poses
from dynident.robots.parameters import INERTIA_NAMES, from_com, to_com


def table(file: Path, key: str) -> dict[str, dict[str, str]]:
    with file.open(encoding="utf-8") as stream:
        return {row[key]: row for row in csv.DictReader(stream)}


def published(file: Path, column: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Masses (7,), centres of mass (7, 3), barycentric inertia elements (7, 6) in the order xx, xy, xz, yy, yz, zz."""
    rows = table(file, "parameter")

    def value(name: str) -> float:
        return float(rows[name][column] or 0.0)

    links = range(1, 8)
    masses = np.array([value(f"m{i}") for i in links])
    coms = np.array([[value(f"c{i}{axis}") for axis in "xyz"] for i in links])
    return masses, coms, np.array([[value(f"I{i}{element}") for element in INERTIA_NAMES] for i in links])


def nominal(robot: Robot) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    mass, com, inertia = to_com(robot.parameters)
    return mass, com, inertia[:, [0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]


def test_the_library_panda_is_the_published_one_but_for_c6z(shared_data: Path) -> None:
    file = shared_data / "published/panda_gaz2019_tablesVIII_IX_feasible_params.csv"
    masses, coms, inertias = published(file, "p_hat")
    mass, com, inertia = nominal(load_robot("panda"))
    np.testing.assert_allclose(mass, masses, rtol=1e-12)
    np.testing.assert_allclose(inertia, inertias, atol=1e-12)
    assert coms[5, 2] == -0.010517
    assert com[5, 2] == pytest.approx(-0.01924)
    coms[5, 2] = -0.01924
    np.testing.assert_allclose(com, coms, atol=1e-12)


def test_the_corrected_c6z_is_what_three_published_coefficients_require(shared_data: Path) -> None:
    """Rows 21, 25 and 39 of Table III, to the digits that it prints; the printed c6z misses all three."""
    rows = table(shared_data / "published/panda_gaz2019_tableIII_43_coefficients.csv", "idx")
    robot = load_robot("panda")
    assert robot.parameters is not None

    def coefficients(p: np.ndarray) -> dict[str, float]:
        m, my5, mz6 = p[:, 0], p[4, 2], p[5, 3]
        return {"21": p[5, 7] + p[4, 9] + 0.088**2 * m[6], "25": p[5, 8], "39": my5 - mz6}

    mass, com, inertia = to_com(robot.parameters[5])
    printed = np.array(robot.parameters)
    printed[5] = from_com(mass, [com[0], com[1], -0.010517], inertia)
    for row, value in coefficients(robot.parameters).items():
        target = float(rows[row]["pi_of_phat_table"])
        assert round(value, 4) == target
        assert round(coefficients(printed)[row], 4) != target


def test_the_library_kuka_is_the_published_one(shared_data: Path) -> None:
    masses, coms, inertias = published(shared_data / "published/kuka_lwr4_gaz2016_feasible_params_standardDH.csv", "value")
    robot = load_robot("kuka_lwr4")
    mass, com, inertia = nominal(robot)
    np.testing.assert_allclose(mass, masses, rtol=1e-12)
    np.testing.assert_allclose(com, coms, atol=1e-12)
    np.testing.assert_allclose(inertia, inertias, atol=1e-12)
    for row, link in zip(table(shared_data / "published/kuka_lwr4_standardDH.csv", "joint").values(), robot.links, strict=True):
        alpha, d = float(row["alpha_rad"]), float(row["d_m"])
        np.testing.assert_allclose(link.placement[:3, 2], [0, -np.sin(alpha), np.cos(alpha)], atol=1e-15)
        np.testing.assert_allclose(link.placement[:3, 3], [float(row["a_m"]), 0, d], atol=1e-15)


def test_the_spatial_arm_gives_the_ten_coefficients(shared_data: Path) -> None:
    truth = table(shared_data / "published/penne_1R_3R_ground_truth.csv", "quantity")
    pi = {i: float(truth[f"pi{i}"]["ground_truth"]) for i in range(1, 11)}
    robot = load_robot("spatial_3r")
    q = np.random.default_rng(0).uniform(-3, 3, (50, 3))
    M, g = mass_matrix(robot, robot.parameters, q), gravity(robot, robot.parameters, q)
    c2, c23 = np.cos(q[:, 1]), np.cos(q[:, 1] + q[:, 2])
    np.testing.assert_allclose(g[:, 1], pi[9] * c2 + pi[10] * c23, atol=1e-11)
    np.testing.assert_allclose(g[:, 2], pi[10] * c23, atol=1e-11)
    # by the inertia tensors about axis 1: constant, cos² of link 2, cos² of link 3 and the product of both
    basis = np.column_stack([np.ones_like(c2), c2**2, c23**2, 2 * c2 * c23])
    coefficients, residual, *_ = np.linalg.lstsq(basis, M[:, 0, 0], rcond=None)
    assert residual.item() < 1e-20
    np.testing.assert_allclose(coefficients, [pi[1], pi[2], pi[3], pi[4]], atol=1e-7)


@pytest.mark.parametrize(
    ("name", "efforts"),
    [("menagerie_panda_nohand.xml", [87, 87, 87, 87, 12, 12, 12]), ("menagerie_fr3.xml", [87, 87, 87, 87, 12, 12, 12])],
)
def test_menagerie_models_load_without_their_meshes(shared_data: Path, name: str, efforts: list[float]) -> None:
    pytest.importorskip("mujoco", reason='MJCF needs MuJoCo: pip install "dynident[sim]"')
    robot = load_robot(shared_data / "panda_models" / name)
    assert robot.effort_limits.tolist() == efforts
    assert robot.parameters is not None
    assert 15 < robot.parameters[:, 0].sum() < 17


def test_menagerie_panda_has_the_library_pandas_kinematics(shared_data: Path) -> None:
    pytest.importorskip("mujoco", reason='MJCF needs MuJoCo: pip install "dynident[sim]"')
    model, library = load_robot(shared_data / "panda_models/menagerie_panda_nohand.xml"), load_robot("panda")
    for q in np.random.default_rng(0).uniform(-1, 1, (5, 7)):
        np.testing.assert_allclose(link_poses(model, q), link_poses(library, q), atol=1e-12)
    np.testing.assert_allclose(model.position_limits, library.position_limits)
    # it copies the published parameters, the c6z erratum included
    mass, com, _ = to_com(model.parameters)
    np.testing.assert_allclose(mass, to_com(library.parameters)[0], atol=1e-9)
    assert com[5, 2] == pytest.approx(-0.010517, abs=1e-9)


def test_urdf_files_load_without_their_meshes(shared_data: Path) -> None:
    panda = load_robot(shared_data / "panda_models/example_robot_data_panda.urdf", lock={"panda_finger_joint*": 0.02})
    kuka = load_robot(shared_data / "kuka_lwr4/kuka_lwr4.urdf")
    staubli = load_robot(shared_data / "staubli_tx40/tx40_mdh_modified.urdf")
    assert (panda.n, kuka.n, staubli.n) == (7, 7, 6)
    for robot in (panda, kuka):
        q = np.random.default_rng(0).uniform(-1, 1, (3, robot.n))
        assert np.isfinite(inverse_dynamics(robot, robot.parameters, q, q, q)).all()


def test_the_panda_urdf_as_dh_is_the_papers_table(shared_data: Path, tmp_path: Path) -> None:
    robot = load_robot(shared_data / "panda_models/example_robot_data_panda.urdf", lock={"panda_finger_joint*": 0.02})
    file = tmp_path / "panda.yaml"
    file.write_text(robot.to_dh_yaml(), encoding="utf-8")
    for ours, theirs in zip(load_robot(file).joints, load_robot("panda").joints, strict=True):
        np.testing.assert_allclose(ours.placement, theirs.placement, atol=1e-9)


@pytest.mark.parametrize("name", ["menagerie_panda_nohand.xml", "menagerie_fr3.xml"])
def test_inertials_read_from_mjcf_are_those_that_mujoco_compiles(shared_data: Path, name: str) -> None:
    mujoco = pytest.importorskip("mujoco")
    file = shared_data / "panda_models" / name
    spec = mujoco.MjSpec.from_file(str(file))
    for geom in list(spec.geoms):  # their meshes are not there
        spec.delete(geom)
    for mesh in list(spec.meshes):
        spec.delete(mesh)
    for pair in (*spec.excludes, *spec.pairs):
        spec.delete(pair)
    model = spec.compile()
    robot = load_robot(file)
    assert robot.n == 7
    for piece in (piece for link in robot.links for piece in link.pieces):
        b = model.body(piece.name).id
        if piece.parameters is None:
            assert model.body_mass[b] == 0.0
            continue
        R = np.empty(9)
        mujoco.mju_quat2Mat(R, model.body_iquat[b])
        axes = R.reshape(3, 3)
        inertia = axes @ np.diag(model.body_inertia[b]) @ axes.T
        np.testing.assert_allclose(piece.parameters, from_com(model.body_mass[b], model.body_ipos[b], inertia), atol=1e-13)


def test_the_librarys_kuka_takes_up_the_space_of_the_published_urdf(shared_data: Path):
    """The capsules of both are at the same places at every position, the library's base frame being at the shoulder."""
    urdf, library = load_robot(shared_data / "kuka_lwr4" / "kuka_lwr4.urdf"), load_robot("kuka_lwr4")
    q = np.random.default_rng(0).uniform(-1.5, 1.5, 7)
    shoulder = np.array([-0.25, 0.0, 1.3105])
    balls = [solid for solid in robot_solids(urdf).solids if 0 <= solid.body < 5 and len(solid.points) == 1]
    assert len(balls) == 10
    own, theirs = link_poses(library, q), link_poses(urdf, q)
    for ball in balls:  # the ends of its tubes
        centre = theirs[ball.body][:3, :3] @ ball.points[0] + theirs[ball.body][:3, 3]
        T = own[ball.body]
        tube = next(solid for solid in robot_solids(library).solids if solid.body == ball.body)
        ends = tube.points @ T[:3, :3].T + T[:3, 3] + shoulder
        assert np.linalg.norm(ends - centre, axis=1).min() < 2e-3
        assert ball.radius == 0.07
