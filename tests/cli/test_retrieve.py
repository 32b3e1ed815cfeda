"""`dynident retrieve` as a user runs it: tables, files, what goes wrong, and what is not computed twice."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dynident import load_robot, regression, retrieve
from dynident.data import ControllerSamples, write_dataset
from dynident.dynamics import gravity, inverse_dynamics, mass_matrix
from dynident.dynamics.friction import linear
from dynident.regression import build_problem
from dynident.runs import RunFolder, Stage, read_estimate, read_parameters, read_result, write_result
from dynident.validation import Validation
from tests.logs import FRICTION, synthetic_log, synthetic_samples

RULES = """
from dynident.links import UserConstraint

def rule(links):
    if links[0].mass > 0.5:
        return links[1].mass - 1.2
    return -1.0

constraints = UserConstraint(rule)
"""
LIMITS = ["--total-mass", 1, 20]


@pytest.fixture(scope="module")
def identified(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two run folders as `dynident identify` writes them, made once."""
    folder = tmp_path_factory.mktemp("identified")
    log = build_problem(load_robot("planar_2r"), synthetic_log(noise=0.02), friction=linear(), cutoff=None)
    write_result(folder / "planar", regression.estimate(log))
    samples = build_problem(load_robot("spatial_3r"), synthetic_samples(noise=1e-4))
    write_result(folder / "spatial", regression.estimate(samples))
    return folder


@pytest.fixture
def run(identified: Path, tmp_path: Path) -> Path:
    return shutil.copytree(identified / "planar", tmp_path / "run")


@pytest.fixture
def arm(identified: Path, tmp_path: Path) -> Path:
    return shutil.copytree(identified / "spatial", tmp_path / "run")


def document(run: Path) -> dict:
    return json.loads((run / "parameters.json").read_text())


@pytest.mark.parametrize("which", ["planar", "spatial"])
def test_python_does_the_same_with_the_same_left_out(dynident_in, identified, tmp_path, which):
    folder = shutil.copytree(identified / which, tmp_path / "run")
    assert dynident_in(tmp_path, "retrieve", "run").returncode == 0
    found, content = retrieve(read_estimate(folder)), document(folder)
    np.testing.assert_array_equal(read_parameters(folder).parameters, found.parameters)
    assert content["notes"] == list(found.notes)
    determined = [kind for link in content["links"] for kind in link["determined_by"].values()]
    assert determined == [item.determined_by for item in found.ranges]


def test_a_table_and_two_files(dynident, run):
    finished = dynident("retrieve", "run", *LIMITS)
    assert (finished.returncode, finished.stderr) == (0, "")
    assert all(word in finished.stdout for word in ("link1", "link2", "mass [kg]", "principal inertias", "Friction", "lower bound", "gap"))
    assert "prior: nominal parameters, the mass of each known to about a factor of 1.65" in finished.stdout
    assert "\x1b" not in finished.stdout
    assert {file.name for file in run.iterdir()} >= {"parameters.json", "parameters.safetensors"}
    assert not list(run.glob(".*"))  # nothing half-written stays
    stored, content = read_parameters(run), document(run)
    assert content["feasible"] is True
    assert 1.0 <= content["total_mass"] <= 20.0
    np.testing.assert_allclose(stored.friction_parameters, [FRICTION, FRICTION], atol=0.05)
    estimate = read_estimate(run)
    np.testing.assert_allclose(stored.base.coefficients(stored.x), estimate.values, atol=3.0 * estimate.std.max())


def test_json_is_parameters_json(dynident, run):
    finished = dynident("retrieve", "run", "--json", "--seed", 5)
    assert json.loads(finished.stdout) == document(run)
    assert document(run)["seed"] == 5


def test_the_same_command_gives_the_same_file(dynident, run):
    first, second = (dynident("retrieve", "run", *LIMITS, "--json").stdout for _ in range(2))
    assert first == second


def test_constraints_from_every_kind_of_file(dynident, arm, tmp_path):
    (tmp_path / "b.csv").write_text("Coeff name,Lower bound,Upper bound\nm1,0.1,2\nc1x,-0.5,0.5\n")
    (tmp_path / "c.yaml").write_text("known: {m2: 1.0}\nconsistency: {margin: 1e-5}\n")
    (tmp_path / "rules.py").write_text(RULES)
    options = ["--bounds", "b.csv", "--constraints", "c.yaml", "--constraints", "rules.py", "--run-python", "--solver", "barrier"]
    finished = dynident("retrieve", "run", *options, "--no-ranges", *LIMITS)
    assert finished.returncode == 0, finished.stderr
    links = document(arm)["links"]
    assert 0.1 <= links[0]["mass"] <= 2.0
    assert links[1]["mass"] == pytest.approx(1.0, abs=1e-9)
    assert all(link["margin"] >= 1e-5 - 1e-9 for link in links)
    assert links[0]["range"] == {}


@pytest.mark.parametrize("option", ["--constraints", "--bounds"])
def test_python_is_run_only_where_that_is_asked_for(dynident, run, tmp_path, option):
    (tmp_path / "trap.py").write_text("open('ran', 'w').close()\nconstraints = []\n")
    finished = dynident("retrieve", "run", option, "trap.py")
    assert finished.returncode == 2
    assert "is a Python program, which can do all that you can; read it, and allow it with --run-python" in finished.stderr
    assert not (tmp_path / "ran").exists()
    assert dynident("retrieve", "run", option, "trap.py", "--run-python", "--no-ranges").returncode == 0
    assert (tmp_path / "ran").exists()


def test_contradictions_exit_with_1_and_are_named(dynident, arm, tmp_path):
    (tmp_path / "c.yaml").write_text("bounds: {m1: [0, 1], m2: [0, 1], m3: [0, 1], c1x: [-1, 1]}")
    finished = dynident("retrieve", "run", "--constraints", "c.yaml", "--total-mass", 5, 9)
    assert finished.returncode == 1
    assert finished.stderr.strip().endswith("these contradict each other: m1 <= 1; m2 <= 1; m3 <= 1; total mass >= 5")
    assert not (arm / "parameters.json").exists()


def test_an_infeasible_second_try_leaves_no_stale_answer_behind_silently(dynident, arm):
    """The file is that of the last answer that was found; a failed try says so and changes nothing."""
    assert dynident("retrieve", "run", "--no-ranges").returncode == 0
    before = (arm / "parameters.json").read_text()
    assert dynident("retrieve", "run", "--total-mass", 5, 9, "--constraints", "nothing.yaml").returncode == 2
    assert (arm / "parameters.json").read_text() == before


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--solver", "sdpp"], 2, "no solver named 'sdpp'; known: barrier"),
        (["--prior", "flat"], 2, "--prior is 'flat'; expected auto, nominal, euclidean, uniform, none"),
        (["--prior-factor", "1"], 2, "--prior-factor is 1; a factor above 1 was expected, such as 2"),
        (["--weights", "some"], 2, "--weights is 'some'; expected covariance, none"),
        (["--drop", "many"], 2, "a percentage such as 30% or numbers of coefficients such as 8,24"),
        (["--drop", "99"], 2, "no coefficient named '99'"),
        (["--drop", "0.0001%"], 2, "no coefficient is left to fit"),
        (["--drop", "3", "--one-step"], 2, "leave one of them out"),
        (["--total-mass", "9", "1"], 2, "the lower must not exceed the upper"),
        (["--hold", "parameters"], 2, "--hold-gravity RUN whose; give both"),
        (["--hold", "masses"], 2, "--hold is 'masses'; expected coefficients, parameters"),
        (["--hold-gravity", "run"], 2, "run: there are no links whose gravity could be held; run dynident retrieve run first"),
        (["--hold-gravity", "nowhere"], 2, "nowhere"),
        (["--geometry-bounds"], 2, "bounds from geometry need a description with shapes, such as a URDF, and that of spatial_3r has none"),
        (["--constraints", "c.txt"], 2, "unknown suffix '.txt'"),
        (["--bounds", "nothing.csv"], 2, "nothing.csv: no such file"),
        (["--constraints", "rules.py", "--run-python"], 2, "use solver barrier or penalty"),
        (
            ["--constraints", "lambda.py", "--run-python", "--solver", "barrier", "--starts", "2", "--workers", "2"],
            2,
            "can't be sent to worker processes",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_mistakes_are_one_sentence(dynident, arm, tmp_path, options, code, message):
    (tmp_path / "rules.py").write_text(RULES)
    (tmp_path / "lambda.py").write_text("from dynident.links import UserConstraint\nconstraints = UserConstraint(lambda links: -1.0)\n")
    finished = dynident("retrieve", "run", *options)
    assert finished.returncode == code
    assert message in finished.stderr
    assert "Traceback" not in finished.stderr
    assert len(finished.stderr.splitlines()) == 1


def test_no_run_folder(dynident):
    finished = dynident("retrieve", "nothing")
    assert finished.returncode == 2
    assert "dynident identify ROBOT DATA -o nothing" in finished.stderr


def test_priors(dynident, arm):
    nominal = load_robot("spatial_3r").parameters[:, 0]
    masses = {}
    for prior in ("nominal", "euclidean", "uniform", "none"):
        finished = dynident("retrieve", "run", "--prior", prior, "--no-ranges", *LIMITS, "--json")
        assert finished.returncode == 0, finished.stderr
        content = json.loads(finished.stdout)
        masses[prior] = np.array([link["mass"] for link in content["links"]])
        notes = " ".join(content["notes"])
        said = {"uniform": "prior: uniform links, the mass of each known", "euclidean": "prior: nominal parameters are known"}
        assert {**said, "none": "without a prior"}.get(prior, "prior: nominal parameters, the mass of each known") in notes
    assert np.abs(masses["nominal"] - nominal).max() < np.abs(masses["uniform"] - nominal).max()


def test_how_well_the_links_are_known_beforehand_can_be_said(dynident, run):
    nominal = load_robot("planar_2r").parameters[:, 0]
    contents = [json.loads(dynident("retrieve", "run", "--prior-factor", f, "--no-ranges", "--json").stdout) for f in ("8", "1.001")]
    told = [[note for note in content["notes"] if note.startswith("prior:")] for content in contents]
    assert told == [[f"prior: nominal parameters, the mass of each known to about a factor of {factor}"] for factor in ("8", "1")]
    away = [max(abs(link["mass"] - m) for link, m in zip(content["links"], nominal, strict=True)) for content in contents]
    assert away[1] < away[0]


def test_the_papers_form_says_what_it_is(dynident, arm):
    content = json.loads(dynident("retrieve", "run", "--two-step", "--no-ranges", "--json").stdout)
    assert content["objective_name"] == "squared distance to the coefficients, in standard deviations"
    assert "costs" in content["notes"][0]


def test_without_consistency_the_result_says_so(dynident, arm):
    content = json.loads(dynident("retrieve", "run", "--no-consistency", "--no-ranges", "--json").stdout)
    assert any("physical consistency was not asked for" in note for note in content["notes"])


def test_a_robot_without_a_consistent_model_gets_a_uniform_prior(dynident, tmp_path):
    robot = load_robot("kuka_lwr4")
    q = np.random.default_rng(0).uniform(-2, 2, (60, 7))
    write_dataset(
        ControllerSamples(q=q, M=mass_matrix(robot, robot.parameters, q), g=gravity(robot, robot.parameters, q)), tmp_path / "s.npz"
    )
    assert dynident("identify", "kuka_lwr4", "s.npz", "-o", "run").returncode == 0
    content = json.loads(dynident("retrieve", "run", "--weights", "none", "--no-ranges", "--json").stdout)
    assert "nominal parameters that are not physically consistent, so the prior is toward uniform links" in content["notes"][0]
    assert content["objective"] < 1e-15
    refused = dynident("retrieve", "run", "--prior", "nominal")
    assert refused.returncode == 2
    assert "use prior uniform or none" in refused.stderr


def test_one_step_fits_the_data(dynident, run):
    two, one = (json.loads(dynident("retrieve", "run", *more, "--json").stdout) for more in ((), ("--one-step",)))
    assert one["objective_name"] == "squared residual of the data"
    assert all(link["range"] for link in one["links"])
    for a, b in zip(two["friction"], one["friction"], strict=True):
        assert list(a["parameters"].values()) == pytest.approx(list(b["parameters"].values()), abs=0.02)


def test_geometry_bounds_from_the_urdf(dynident, tmp_path):
    inertial = (
        '<inertial><origin xyz="0 0 0.1"/><mass value="2"/><inertia ixx=".02" ixy="0" ixz="0" iyy=".02" iyz="0" izz=".01"/></inertial>'
    )
    shape = '<collision><origin xyz="0 0 0.1"/><geometry><cylinder radius="0.02" length="0.3"/></geometry></collision>'
    (tmp_path / "arm.urdf").write_text(
        f'<robot name="arm"><link name="base"/><link name="a">{inertial}{shape}</link><link name="b">{inertial}</link>'
        '<joint name="j1" type="continuous"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/></joint>'
        '<joint name="j2" type="continuous"><parent link="a"/><child link="b"/><origin xyz="0 0 0.3"/><axis xyz="0 1 0"/></joint></robot>'
    )
    write_dataset(synthetic_log(load_robot(tmp_path / "arm.urdf"), noise=0.01), tmp_path / "log.npz")
    assert dynident("identify", "arm.urdf", "log.npz", "-o", "run").returncode == 0
    finished = dynident("retrieve", "run", "--geometry-bounds", "--no-ranges", "--json")
    content = json.loads(finished.stdout)
    assert any("no bounds from geometry for b" in note for note in content["notes"])
    x, y, z = content["links"][0]["com"]
    assert max(abs(x), abs(y)) <= 0.02 + 1e-9
    assert -0.05 - 1e-9 <= z <= 0.25 + 1e-9


def test_starts_are_kept_and_not_repeated(dynident, arm, tmp_path):
    options = ["--solver", "barrier", "--no-ranges", *LIMITS, "--json", "--seed", 3]
    whole = json.loads(dynident("retrieve", "run", *options, "--starts", 3).stdout)
    files = sorted((arm / "starts").iterdir())
    assert [file.name for file in files] == ["start_0001.json", "start_0002.json", "start_0003.json"]
    # as if the run had been killed after two starts; the first is marked, so that its reuse can be seen
    files[2].unlink()
    content = json.loads(files[0].read_text())
    stamps = {file: file.stat().st_mtime_ns for file in files[:2]}
    again = json.loads(dynident("retrieve", "run", *options, "--starts", 3, "--workers", 2).stdout)
    assert {file: file.stat().st_mtime_ns for file in files[:2]} == stamps
    assert files[2].exists()
    assert again == whole  # on two processes, with two starts from the files: the same answer
    content["result"]["x"] = [0.0] * len(content["result"]["x"])
    files[0].write_text(json.dumps(content))
    other = json.loads(dynident("retrieve", "run", *options[:-1], 4, "--starts", 1).stdout)
    assert other["feasible"]  # another seed doesn't take the spoilt start for its own


def test_a_budget_ends_the_starts(dynident, arm):
    options = ["--solver", "barrier", "--no-ranges", *LIMITS, "--starts", 500, "--budget", 0.2]
    finished = dynident("retrieve", "run", *options)
    assert finished.returncode == 0, finished.stderr
    assert 1 <= len(list((arm / "starts").iterdir())) < 500


def test_gravity_first_and_then_inertia(command, tmp_path, monkeypatch):
    """The extraction of the KUKA paper, step by step; the answer predicts the torques of a log, and has a report."""
    samples, robot = synthetic_samples(noise=1e-3), load_robot("spatial_3r")
    np.savez(tmp_path / "samples.npz", q=samples.q, M=samples.M, g=samples.g)
    log = synthetic_log("spatial_3r")
    write_dataset(replace(log, effort=inverse_dynamics(robot, robot.parameters, log.q, log.dq, log.ddq)), tmp_path / "log.npz")
    monkeypatch.chdir(tmp_path)
    paper = ["--two-step", "--weights", "none", "--no-ranges"]
    for words in (
        ["identify", "spatial_3r", "samples.npz", "-o", "gravity", "--equations", "gravity"],
        ["retrieve", "gravity", *paper],
        ["identify", "spatial_3r", "samples.npz", "-o", "run", "--equations", "inertia"],
        ["retrieve", "run", *paper, "--hold-gravity", "gravity"],
        ["validate", "run", "log.npz"],
        ["report", "run", "-o", "page.html"],
    ):
        code, said = command(*words)
        assert code == 0, said
    first, second = read_parameters(tmp_path / "gravity"), read_parameters(tmp_path / "run")
    np.testing.assert_allclose(first.base.coefficients(second.x), first.base.coefficients(first.x), rtol=0, atol=1e-8)
    assert second.base.equations == "inertia"
    assert document(tmp_path / "run")["notes"][0] == "gravity is held: the 4 coefficients of the links of the first step"
    held = document(tmp_path / "run")["held_gravity"]
    assert held["run"] == "gravity"
    assert held["parameters"] == RunFolder(tmp_path / "gravity").digest(Stage.PARAMETERS)
    validation = read_result(tmp_path / "run", Validation)
    assert validation.coefficients.overall_percent < 1.0
    assert "knows the robot's inertia only" in validation.notes[0]
    assert "they are of inertia alone, and torques are predicted by the links" in (tmp_path / "page.html").read_text()


def bounds_around(robot_name: str, *, share: float) -> str:
    """A file of bounds: masses within a share of the nominal ones, centres of mass within 2 cm, inertias wide."""
    lines = ["Coeff name,Lower bound,Upper bound"]
    for number, row in enumerate(load_robot(robot_name).parameters, start=1):
        mass, com = float(row[0]), row[1:4] / row[0]
        lines.append(f"m{number},{(1 - share) * mass},{(1 + share) * mass}")
        lines += [f"c{number}{axis},{value - 0.02},{value + 0.02}" for axis, value in zip("xyz", com, strict=True)]
        lines += [f"I{number}{element},0,0.5" for element in ("xx", "yy", "zz")]
        lines += [f"I{number}{element},-0.2,0.2" for element in ("xy", "xz", "yz")]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(("method", "starts"), [("gaz2019", 3), ("gaz2016", 20)])
def test_a_published_method_by_its_name(dynident_in, arm, tmp_path, method, starts):
    (tmp_path / "bounds.csv").write_text(bounds_around("spatial_3r", share=0.1))
    words = ["retrieve", "run", "--method", method, "--bounds", "bounds.csv", *LIMITS, "--starts", starts, "--no-ranges"]
    finished = dynident_in(tmp_path, *words)
    assert (finished.returncode, finished.stderr) == (0, "")
    assert f"solver penalty, method {method}" in finished.stdout
    content = document(arm)
    assert (content["method"], content["solver"]) == (method, "penalty")
    assert content["objective_name"].startswith("squared distance to the coefficients")
    assert not any("prior toward" in note for note in content["notes"])
    assert read_parameters(arm).method == method
    kept = sorted(file.name for file in (arm / "starts").iterdir())
    assert {name.split("_")[0] for name in kept} == ({"links"} if method == "gaz2019" else {"gravity", "inertia"})
    again = dynident_in(tmp_path, *words)  # finished starts are not computed again
    assert again.stdout == finished.stdout
    assert sorted(file.name for file in (arm / "starts").iterdir()) == kept
    assert dynident_in(tmp_path, "report", "run").returncode == 0
    assert method in (arm / "report.html").read_text(encoding="utf-8")


def test_a_first_step_that_leaves_the_second_nothing_is_not_blamed_on_the_data(dynident, arm, tmp_path):
    """Within wide bounds gravity is explained by masses and centres that are far from the robot's."""
    wide = [f"m{link},0,8\n" + "".join(f"c{link}{axis},-0.5,0.5\n" for axis in "xyz") for link in (1, 2, 3)]
    inertias = [f"I{link}{element},0,0.5\n" for link in (1, 2, 3) for element in ("xx", "yy", "zz")]
    (tmp_path / "bounds.csv").write_text("".join(["Coeff name,Lower bound,Upper bound\n", *wide, *inertias]))
    finished = dynident("retrieve", "run", "--method", "gaz2016", "--bounds", "bounds.csv", "--starts", 2, "--no-ranges")
    assert finished.returncode == 1
    assert "method gaz2016: with the masses and centres of mass that its first step chose, the best links leave" in finished.stderr
    assert "--seed 1" in finished.stderr
    assert "mounting" not in finished.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["gaz2019", "--weights", "covariance"], "--weights covariance contradicts --method gaz2019"),
        (["gaz2019", "--solver", "sdp"], "--solver sdp contradicts"),
        (["gaz2019", "--no-consistency"], "--no-consistency contradicts"),
        (["gaz2019", "--one-step"], "--one-step contradicts"),
        (["gaz2019", "--prior", "nominal"], "has --prior none"),
        (["gaz2019", "--solver-option", "penalty=constant"], "leave out penalty=constant"),
        (["gaz2016", "--drop", "30%"], "--drop 30% contradicts"),
        (["gaz2016", "--hold", "coefficients"], "has --hold parameters"),
        (["gaz2020"], "no method named 'gaz2020'"),
    ],
)
def test_options_that_contradict_a_method(dynident, run, words, message):
    finished = dynident("retrieve", "run", "--method", *words)
    assert finished.returncode == 2
    assert message in finished.stderr
    assert len(finished.stderr.splitlines()) == 1


def test_options_that_say_what_a_method_says_are_fine(dynident, run):
    words = ["--two-step", "--weights", "none", "--prior", "none", "--solver", "penalty", "--starts", 1, "--no-ranges", *LIMITS]
    assert dynident("retrieve", "run", "--method", "gaz2019", *words).returncode in (0, 1)


def test_rules_with_branches_in_a_file(dynident, run, tmp_path):
    assert dynident("retrieve", "run").returncode == 0
    mass = document(run)["links"][1]["mass"]
    rule = f"either: {{tool: [{{name: without, bounds: {{m2: [0, {0.9 * mass}]}}}}, {{name: with, bounds: {{m2: [{1.3 * mass}, 9]}}}}]}}"
    (tmp_path / "rules.yaml").write_text(rule)
    finished = dynident("retrieve", "run", "--constraints", "rules.yaml")
    assert (finished.returncode, finished.stderr) == (0, "")
    assert "Of the branches of tool this holds: without." in finished.stdout
    content = document(run)
    assert content["branches"] == [{"rule": "tool", "branch": "without"}]
    assert content["links"][1]["range"]["m"][1] <= 0.9 * mass + 1e-6
    assert content["lower_bound"] <= content["objective"]
    stored = read_parameters(run)
    assert stored.branches == (("tool", "without"),)
    assert stored.problem is not None
    drawn = dynident("sample", "run", "-n", 10)
    assert "Drawn within the branches that the links have (tool: without)" in drawn.stdout
