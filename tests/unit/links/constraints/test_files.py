"""Constraints from CSV, YAML and Python files, and complaints that name the file and the place."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dynident.dynamics.friction import linear
from dynident.errors import FileError, MissingFileError
from dynident.links import (
    Bounds,
    ComInCylinder,
    ComInEllipsoid,
    ComInHull,
    DontCare,
    Either,
    Equal,
    FrictionNonnegative,
    Known,
    PhysicalConsistency,
    Ratio,
    Symmetric,
    TotalMass,
    UserConstraint,
    violations,
)
from dynident.links.constraints.files import read_constraints
from dynident.regression import base_parameters
from tests.facts import carries, raises
from tests.unit.links.links import ROBOT, consistent_links

BASE = base_parameters(ROBOT, friction=linear())

EVERYTHING = """
consistency: {margin: 1e-5, links: [1, link2]}
total_mass: [3, 20]
bounds: {m1: [0, 10], c3z: [-0.35, 0.05], I1xx: [0, 1], fv1: [0, inf], mc2x: [-.inf, 0.5]}
known: {m3: 0.73}
equal: [[m1, m2], [J1xx, J2xx]]
ratio: [{of: m1, to: m2, low: 0.5, high: 2}, {of: m3, to: m1}]
symmetric: [{link: 3, plane: xz}]
com:
  - {link: 1, box: [[-0.1, -0.2, -0.3], [0.1, 0.2, 0.3]]}
  - {link: 2, sphere: {centre: [0, 0, 0.1], radius: 0.2}}
  - {link: link3, ellipsoid: {centre: [0, 0, 0], semi_axes: [0.1, 0.2, 0.3]}}
  - {link: 1, cylinder: {start: [0, 0, 0], end: [0, 0, 0.3], radius: 0.05}}
  - {link: 2, hull: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}
friction: nonnegative
dont_care: {J1xy: 0.0}
"""


def written(folder: Path, content: str, name: str = "c.yaml") -> Path:
    file = folder / name
    file.write_text(content)
    return file


def test_every_kind_of_constraint_in_yaml(tmp_path):
    found = read_constraints(written(tmp_path, EVERYTHING), base=BASE).constraints
    assert found[:12] == (
        PhysicalConsistency(margin=1e-5, links=(1, "link2")),
        TotalMass(3.0, 20.0),
        Bounds("m1", 0.0, 10.0),
        Bounds("c3z", -0.35, 0.05),
        Bounds("I1xx", 0.0, 1.0),
        Bounds("fv1", 0.0, np.inf),
        Bounds("mc2x", -np.inf, 0.5),
        Known("m3", 0.73),
        Equal("m1", "m2"),
        Equal("J1xx", "J2xx"),
        Ratio("m1", "m2", 0.5, 2.0),
        Ratio("m3", "m1", 0.0, np.inf),
    )
    assert found[12] == Symmetric(3, "xz")
    assert [type(item) for item in found[13:18]] == [ComInHull, ComInEllipsoid, ComInEllipsoid, ComInCylinder, ComInHull]
    assert found[18:] == (FrictionNonnegative(), DontCare("J1xy", 0.0))


@pytest.mark.parametrize(
    ("shape", "inside", "outside"),
    [
        ("box: [[-0.1, -0.2, -0.3], [0.1, 0.2, 0.3]]", [0.09, 0.19, -0.29], [0.11, 0.0, 0.0]),
        ("sphere: {centre: [0, 0, 0.1], radius: 0.2}", [0.0, 0.1, 0.2], [0.0, 0.1, 0.3]),
        ("ellipsoid: {centre: [0, 0, 0], semi_axes: [0.1, 0.2, 0.3]}", [0.0, 0.0, 0.29], [0.29, 0.0, 0.0]),
        ("cylinder: {start: [0, 0, 0], end: [0, 0, 0.3], radius: 0.05}", [0.03, 0.03, 0.29], [0.04, 0.04, 0.1]),
        ("hull: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]", [0.2, 0.2, 0.2], [0.5, 0.5, 0.5]),
    ],
)
def test_regions_mean_what_they_say(tmp_path, shape, inside, outside):
    constraints = read_constraints(written(tmp_path, f"com: [{{link: 2, {shape}}}]"))
    for centre, broken in ((inside, False), (outside, True)):
        x = consistent_links(np.random.default_rng(0))
        x[11:14] = x[10] * np.array(centre)
        assert bool(violations(constraints.terms(ROBOT, BASE.columns), np.append(x, np.zeros(9)))) == broken


@pytest.mark.parametrize(
    ("content", "facts"),
    [
        (
            "bound: {m1: [0, 1]}",
            ("bound", "total_mass"),
        ),
        ("bounds: {m1: [1, 0]}", ("bounds.m1", "lower", 1, "upper", 0)),
        ("bounds: {m1: [1]}", ("bounds.m1", 1, 2)),
        ("bounds: {m1: 1}", ("bounds.m1", "list", 1)),
        ("bounds: {m1: [0, many]}", ("bounds.m1[1]", "many", "number")),
        ("bounds: {m9: [0, 1]}", ("m9", "m1..m3")),
        ("bounds: [m1]", ("bounds", "mapping")),
        ("total_mass: [20, 3]", ("total_mass", "lower", 20, "upper", 3)),
        ("consistency: {margins: 1}", ("consistency", "margins", "margin", "links")),
        ("known: {m1: heavy}", ("known.m1", "heavy", "number")),
        ("equal: [[m1]]", ("equal[0]", "two", "[m2, m4]")),
        ("equal: [[m1, 2]]", ("equal[0]", "two")),
        ("ratio: [{of: m1}]", ("ratio[0]", "to", "missing")),
        ("symmetric: [{link: 1, plane: xx}]", ("symmetric[0].plane", "xx", "xy", "xz", "yz")),
        ("symmetric: [{link: 9, plane: xy}]", ("link", 9)),
        ("symmetric: [{link: true, plane: xy}]", ("link's", "name", "number")),
        ("com: [{link: 1}]", ("com[0]", "one", "box", "hull")),
        ("com: [{link: 1, box: [[0, 0, 0]]}]", ("com[0].box", "two", "corners")),
        ("com: [{link: 1, hull: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]}]", ("com[0].hull", "volume")),
        ("com: [{link: 1, sphere: {centre: [0, 0, 0], radius: 0}}]", ("com[0].sphere.radius", 0)),
        ("com: [{link: 1, ellipsoid: {centre: [0, 0, 0], semi_axes: [1, 1, 0]}}]", ("com[0].ellipsoid.semi_axes", "positive")),
        ("com: [{link: 1, cylinder: {start: [0, 0, 0], end: [0, 0, 0], radius: 1}}]", ("com[0].cylinder.end", "point", "start")),
        ("friction: positive", ("friction", "positive", "nonnegative")),
        ("- 1", ("mapping",)),
    ],
)
def test_complaints_name_the_file_the_place_and_what_is_allowed(tmp_path, content, facts):
    file = written(tmp_path, content)
    with pytest.raises(FileError) as caught:
        read_constraints(file, base=BASE)
    assert str(caught.value).startswith(str(file))
    assert carries(str(caught.value), *facts)


def test_bounds_in_csv(tmp_path):
    file = written(tmp_path, "Coeff name,Lower bound,Upper bound\nm1,0,10\nc1x, -0.05 ,0.05\n\nI1xx,0,inf", "b.csv")
    assert read_constraints(file, base=BASE).constraints == (
        Bounds("m1", 0.0, 10.0),
        Bounds("c1x", -0.05, 0.05),
        Bounds("I1xx", 0.0, np.inf),
    )


@pytest.mark.parametrize(
    ("content", "facts"),
    [
        ("", ("line 1", "Coeff name,Lower bound,Upper bound")),
        ("name,low,high\nm1,0,1", ("line 1", "Coeff name,Lower bound,Upper bound")),
        ("Coeff name,Lower bound,Upper bound\nm1,0", ("line 2", "m1,0")),
        ("Coeff name,Lower bound,Upper bound\nm1,0,much", ("line 2", "much")),
        ("Coeff name,Lower bound,Upper bound\nm1,0,1\nm1,0,2", ("line 3", "m1", "twice")),
        ("Coeff name,Lower bound,Upper bound\nm1,2,1", ("line 2", "lower", 2, "m1", "upper", 1)),
        ("Coeff name,Lower bound,Upper bound\nmass,2,3", ("parameter", "mass")),
    ],
)
def test_complaints_about_csv_name_the_line(tmp_path, content, facts):
    with pytest.raises(FileError) as caught:
        read_constraints(written(tmp_path, content, "b.csv"), base=BASE)
    assert carries(str(caught.value), *facts)


PROGRAM = """
from dynident.links import UserConstraint, Bounds

def rule(links):
    return links[0].mass - 2.0 if links[1].mass > 1.0 else -1.0

constraints = [UserConstraint(rule), Bounds("m1", 0, 5)]
"""


def test_a_program_is_run_only_when_that_is_wanted(tmp_path):
    file = written(tmp_path, PROGRAM, "rules.py")
    rule, bounds = read_constraints(file, base=BASE, run_python=True).constraints
    assert isinstance(rule, UserConstraint)
    assert bounds == Bounds("m1", 0, 5)
    trap = written(tmp_path, "open('ran', 'w')", "trap.py")
    with raises(FileError, "Python", remedy={"run_python": True}):
        read_constraints(trap, base=BASE)
    assert not Path("ran").exists()


@pytest.mark.parametrize(
    ("content", "facts"),
    [
        ("x = 1", ("no", "constraints")),
        ("constraints = [1]", ("constraints[0]", "int")),
        ("from dynident.links import Bounds\nconstraints = Bounds", ("Bounds",)),
        ("1 / 0", ("ZeroDivisionError",)),
        ("raise SystemExit(3)", ("SystemExit",)),
        ("def f(:", ("SyntaxError",)),
        ("from dynident.links import Bounds\nconstraints = Bounds('m9', 0, 1)", ("m9", "m1..m3")),
    ],
)
def test_programs_that_are_no_constraints(tmp_path, content, facts):
    with pytest.raises(FileError) as caught:
        read_constraints(written(tmp_path, content, "rules.py"), base=BASE, run_python=True)
    assert carries(str(caught.value), *facts)


def test_other_suffixes_and_missing_files(tmp_path):
    with raises(FileError, ".txt", ".csv", ".yaml", ".yml", ".py"):
        read_constraints(tmp_path / "c.txt")
    for name in ("c.yaml", "c.csv", "c.py"):
        with raises(MissingFileError):
            read_constraints(tmp_path / name, run_python=True)


RULES = """
bounds: {m1: [0, 10]}
either:
  wrist:
    - {name: heavy, bounds: {m2: [1.5, inf], m3: [0, 0.9]}}
    - bounds: {m2: [0, 1.5]}
      total_mass: [0, 8]
  elbow:
    - known: {m1: 1.0}
    - com: [{link: 1, sphere: {centre: [0, 0, 0], radius: 0.1}}]
    - either:
        - ratio: [{of: m2, to: m3}]
        - equal: [[m1, m2]]
"""


def test_rules_with_branches(tmp_path):
    found = read_constraints(written(tmp_path, RULES), base=BASE)
    bounds, wrist, elbow = found.constraints
    assert isinstance(bounds, Bounds)
    assert isinstance(wrist, Either)
    assert isinstance(elbow, Either)
    assert (wrist.name, elbow.name) == ("wrist", "elbow")
    terms = found.terms(BASE.robot, BASE.columns)
    assert [label for label, _ in terms.alternatives[0].branches] == ["heavy", "m2 >= 0, m2 <= 1.5, total mass >= 0 and 1 more"]
    assert [label for label, _ in terms.alternatives[1].branches] == [
        "m1 = 1",
        "centre of mass of link1 inside its ellipsoid",
        "either",
    ]
    inner = terms.alternatives[1].branches[2][1].alternatives[0]
    assert [label for label, _ in inner.branches] == ["m2 >= 0 m3", "m1 = m2"]


def test_one_rule_is_a_list_of_branches(tmp_path):
    (rule,) = read_constraints(written(tmp_path, "either: [{known: {m1: 1}}, {known: {m2: 1}}]"), base=BASE).constraints
    assert isinstance(rule, Either)
    assert rule.name == "either"
    assert len(rule.branches) == 2


@pytest.mark.parametrize(
    ("content", "place", "facts"),
    [
        ("either: 3", "either", ("list", 3)),
        ("either: {wrist: 3}", "either.wrist", ("list", 3)),
        ("either: [{known: {m1: 1}}]", "", ("either", 1)),
        ("either: [{known: {m1: 1}}, {}]", "", ("either", "condition", 2)),
        ("either: {wrist: [{known: {m1: 1}}, {knwon: {m2: 1}}]}", "either.wrist[1]", ("knwon", "name", "consistency")),
        ("either: [{known: {m1: 1}}, {known: {m9: 1}}]", "", ("m9", "m1..m3")),
        ("either: [{known: {m1: 1}}, {bounds: {m1: [2, 1]}}]", "either[1].bounds.m1", ("lower", 2, "upper", 1)),
    ],
)
def test_complaints_about_branches_name_the_place(tmp_path, content, place, facts):
    with raises(FileError, *facts, place=place) as caught:
        read_constraints(written(tmp_path, content), base=BASE)
    assert "c.yaml" in str(caught.value)
