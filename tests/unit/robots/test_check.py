"""The lint behind `dynident check`: each verdict and each warning, on robots built by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynident import load_robot
from dynident.robots.check import LinkCheck, LinkVerdict, check_robot
from dynident.robots.kinematics import arm_reach
from dynident.robots.parameters import change_of_frame, consistency_margin, from_com
from dynident.robots.robot import Joint, JointType, Link, Robot, Source
from dynident.robots.verdict import MARGINAL_SHARE
from tests.facts import about, carries

COM = (0.02, -0.01, 0.1)


def at(*xyz: float) -> np.ndarray:
    pose = np.eye(4)
    pose[:3, 3] = xyz
    return pose


def arm(*parameters: np.ndarray | None, **changes: object) -> Robot:
    """A chain with a joint every 0.3 m along z, and the tool 0.3 m after the last."""
    joints = tuple(Joint(name=f"j{i}", parent=i - 1, placement=at(0, 0, 0.3)) for i in range(len(parameters)))
    links = tuple(Link(name=f"l{i}", frame=f"frame {i}", parameters=p) for i, p in enumerate(parameters))
    return Robot(**{"name": "arm", "joints": joints, "links": links, "tool": at(0, 0, 0.3), **changes})  # type: ignore[arg-type]


def check_one(mass: float, principal: tuple[float, float, float], com: tuple[float, float, float] = COM) -> LinkCheck:
    rotation = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    return check_robot(arm(from_com(mass, com, rotation @ np.diag(principal) @ rotation.T))).links[0]


def good(mass: float = 2.0) -> np.ndarray:
    return from_com(mass, COM, np.diag([0.010, 0.011, 0.012]))


@pytest.mark.parametrize(
    ("mass", "principal", "verdict"),
    [
        (2.0, (0.010, 0.011, 0.012), LinkVerdict.CONSISTENT),
        (2.0, (0.001, 0.011, 0.01199), LinkVerdict.MARGINAL),
        (2.0, (0.0, 0.01, 0.01), LinkVerdict.MARGINAL),  # a thin rod: the limit case, not an error
        (2.0, (0.0, 0.0, 0.0), LinkVerdict.MARGINAL),  # a point mass
        (2.0, (0.003, 0.004, 0.0075), LinkVerdict.TRIANGLE),
        (2.0, (0.0, 0.0, 0.01), LinkVerdict.TRIANGLE),
        (2.0, (-0.001, 0.02, 0.02), LinkVerdict.NOT_POSITIVE),
        (-2.0, (0.010, 0.011, 0.012), LinkVerdict.NEGATIVE_MASS),
    ],
)
def test_verdicts_do_not_depend_on_the_axes(mass, principal, verdict):
    link = check_one(mass, principal)
    assert link.verdict is verdict
    assert link.mass == pytest.approx(mass)
    assert link.com == pytest.approx(COM)
    assert link.principal_inertias == pytest.approx(sorted(principal), abs=1e-12)


@pytest.mark.parametrize("sign", [1, -1])
def test_the_marginal_verdict_begins_at_the_named_share_of_the_trace(sign):
    trace = 0.03
    slack = MARGINAL_SHARE * trace * (1 + sign * 0.01)
    high = 0.5 * trace - slack
    link = check_one(2.0, (0.006, trace - high - 0.006, high))
    assert link.verdict is (LinkVerdict.CONSISTENT if sign > 0 else LinkVerdict.MARGINAL)
    assert link.margin == pytest.approx(slack)


def test_a_violation_is_reported_with_its_size():
    link = check_one(2.0, (0.003, 0.004, 0.0075))
    assert link.margin == pytest.approx(-0.00025)
    assert "2.50e-04 kg·m²" in link.detail


def test_the_margin_is_that_of_the_parameters_and_survives_a_change_of_frame():
    parameters = good()
    moved = change_of_frame(at(0.05, 0.02, -0.04)) @ parameters
    first, second = check_robot(arm(parameters, moved)).links
    assert first.margin == pytest.approx(float(consistency_margin(parameters)))
    assert second.margin == pytest.approx(first.margin)
    assert second.principal_inertias == pytest.approx(first.principal_inertias)


@pytest.mark.parametrize("inertia", [0.0, 0.01])
def test_zero_mass_has_no_centre_of_mass_and_is_inconsistent(inertia):
    link = check_robot(arm(from_com(0.0, COM, inertia * np.eye(3)))).links[0]
    assert link.verdict is LinkVerdict.ZERO_MASS
    assert link.com is None
    assert (carries(link.detail, "zero")) == (inertia > 0)


def test_the_massless_links_of_a_compound_joint_are_in_order():
    def universal(distance: float) -> Robot:
        joints = (Joint(name="x", axis=np.array([1.0, 0, 0])), Joint(name="y", parent=0, placement=at(0, 0, distance)))
        links = (Link(name="cross", frame="f", parameters=np.zeros(10)), Link(name="arm", frame="f", parameters=good()))
        return Robot(name="universal", joints=joints, links=links, tool=at(0, 0, 0.3))

    in_one_point, apart = check_robot(universal(0.0)), check_robot(universal(0.1))
    assert in_one_point.links[0].verdict is LinkVerdict.COMPOUND
    assert in_one_point.inconsistent == ()
    assert apart.links[0].verdict is LinkVerdict.ZERO_MASS
    assert apart.inconsistent == (apart.links[0],)


def test_a_link_without_inertia_is_neither_consistent_nor_not():
    result = check_robot(arm(good(), None))
    assert result.links[1].verdict is LinkVerdict.NO_INERTIA
    assert result.links[1].mass is None
    assert result.total_mass is None
    assert result.inconsistent == ()
    assert result.without_inertia == (result.links[1],)


def test_total_mass_and_the_inconsistent_links():
    result = check_robot(arm(good(1.0), from_com(2.5, COM, np.diag([0.001, 0.001, 0.01])), good(3.0)))
    assert result.total_mass == pytest.approx(6.5)
    assert [link.name for link in result.inconsistent] == ["l1"]


def test_a_good_link_has_no_warnings():
    assert check_robot(arm(good(), good())).links[0].warnings == ()


@pytest.mark.parametrize(
    ("mass", "com", "inertia", "words"),
    [
        (2.0, (0, 0, 0.1), np.eye(3), "1 times the identity"),
        (2.0, (0, 0, 0.1), 0.001 * np.eye(3), "0.001 times the identity"),
        (2000.0, (0, 0, 0.1), 20 * np.diag([1, 1.1, 1.2]), "grams"),
        (0.0005, (0, 0, 0.1), 1e-6 * np.diag([1, 1.1, 1.2]), "lighter"),
        (2.0, (0.35, 0, 0.1), 0.01 * np.diag([1, 1.1, 1.2]), "0.35 m from the line"),
        (2.0, (0, 0, 0.7), 0.01 * np.diag([1, 1.1, 1.2]), "0.4 m from the line"),
        (2.0, (0, 0, -0.35), 0.01 * np.diag([1, 1.1, 1.2]), "0.35 m from the line"),
        (0.5, (0, 0, 0.1), 0.05 * np.diag([1, 1.1, 1.2]), "radius of gyration 0.406 m"),
    ],
)
def test_suspicious_values_are_warnings_and_not_inconsistencies(mass, com, inertia, words):
    link = check_robot(arm(from_com(mass, com, inertia), good())).links[0]
    assert link.verdict is LinkVerdict.CONSISTENT
    assert any(words in warning for warning in link.warnings), link.warnings


def test_a_centre_of_mass_beside_the_line_between_the_joints_is_no_warning():
    assert check_robot(arm(from_com(2.0, (0.25, 0, 0.15), np.diag([0.010, 0.011, 0.012])), good())).links[0].warnings == ()


def test_the_span_counts_from_the_joint_also_where_the_frame_is_at_the_far_end():
    parameters = from_com(2.0, (0.0, 0.0, -0.5), np.diag([0.010, 0.011, 0.012]))
    joints = (Joint(name="a"), Joint(name="b", parent=0))
    near = Link(name="near", frame="far end", placement=at(0, 0, 1.0), parameters=parameters)
    result = check_robot(Robot(name="standard", joints=joints, links=(near, Link(name="end", frame="f", parameters=good()))))
    assert result.links[0].warnings == ()


def test_a_last_link_of_unknown_length_may_be_as_long_as_the_arm():
    bob = from_com(2.0, (0.0, 0.0, 0.5), np.diag([0.010, 0.011, 0.012]))
    assert check_robot(arm(good(), bob, tool=np.eye(4))).links[1].warnings == ()
    assert check_robot(arm(good(), bob, tool=at(0, 0, 0.1))).links[1].warnings != ()


def test_a_single_joint_without_any_length_is_not_measured():
    joint, link = Joint(name="j"), Link(name="l", frame="f", parameters=from_com(2.0, (0, 0, 5.0), np.diag([1.0, 1.1, 1.2])))
    assert check_robot(Robot(name="pendulum", joints=(joint,), links=(link,))).links[0].warnings == ()


def test_the_stroke_of_a_sliding_joint_counts_as_reach():
    far = from_com(2.0, (0.0, 0.4, 0.0), np.diag([0.010, 0.011, 0.012]))

    def robot(stroke: float) -> Robot:
        slide = Joint(name="slide", type=JointType.PRISMATIC, position=(0.0, stroke), placement=at(0, 0, 0.1))
        turn = Joint(name="turn", parent=0, placement=at(0, 0, 0.1))
        links = (Link(name="carriage", frame="f", parameters=far), Link(name="hand", frame="f", parameters=good()))
        return Robot(name="gantry", joints=(slide, turn), links=links)

    assert check_robot(robot(2.0)).links[0].warnings == ()
    assert check_robot(robot(0.2)).links[0].warnings != ()


def test_warnings_about_the_robot():
    joints = (Joint(name="stuck", position=(0.5, 0.5)), Joint(name="weak", parent=0, effort=0.0, velocity=0.0))
    links = (Link(name="a", frame="f", parameters=good()), Link(name="b", frame="f", parameters=good()))
    warnings = check_robot(Robot(name="odd", joints=joints, links=links, gravity=np.zeros(3))).warnings
    assert len(warnings) == 4
    assert carries(warnings[0], "gravity", "0 m/s²")
    assert carries(warnings[1], "stuck")
    assert carries(warnings[2], "velocity", "zero")
    assert carries(warnings[3], "effort", "zero")


def test_notes_base_and_lumped_links_are_passed_on():
    joint = Joint(name="j")
    link = Link(name="hand", frame="f", parameters=good(), pieces=(Source(name="hand", parameters=good()), Source(name="camera")))
    table = Source(name="table")
    result = check_robot(Robot(name="r", joints=(joint,), links=(link,), notes=("a note",), base_pieces=(table,), source="r.urdf"))
    assert result.links[0].sources == ("hand", "camera")
    assert (result.robot, result.source, result.base_sources, result.notes) == ("r", "r.urdf", ("table",), ("a note",))
    assert result.warnings == ()


def bad(mass: float = 0.1) -> np.ndarray:
    return from_com(mass, COM, np.diag([1e-4, 1e-4, 3e-4]))


def lumped(*pieces: np.ndarray | None, base: tuple[np.ndarray | None, ...] = ()) -> Robot:
    """One link made of the pieces, the first of them the link itself."""
    sources = tuple(Source(name="hand" if i == 0 else f"part{i}", placement=at(0, 0, 0.01 * i), parameters=p) for i, p in enumerate(pieces))
    parts = [change_of_frame(source.placement) @ source.parameters for source in sources if source.parameters is not None]
    link = Link(name="hand", frame="f", parameters=sum(parts) if parts else None, pieces=sources)
    grounded = tuple(Source(name=f"ground{i}", parameters=p) for i, p in enumerate(base))
    return Robot(name="r", joints=(Joint(name="j"),), links=(link,), base_pieces=grounded)


def test_a_bad_link_does_not_hide_in_the_sum():
    result = check_robot(lumped(good(), bad()))
    assert result.inconsistent == ()
    assert [(source.name, source.body, source.verdict) for source in result.inconsistent_sources] == [
        ("part1", "hand", LinkVerdict.TRIANGLE)
    ]
    assert not result.passed
    judged = result.inconsistent_sources[0]
    assert (judged.mass, judged.com) == (pytest.approx(0.1), pytest.approx(COM))  # in the part's own frame
    assert judged.margin == pytest.approx(-5e-5)
    assert [source.name for source in result.sources] == ["hand", "part1"]


def test_the_head_of_a_body_does_not_hide_either():
    result = check_robot(lumped(bad(), good()))
    assert [source.where for source in result.inconsistent_sources] == ["hand (part of hand)"]


def test_links_of_the_base_are_judged():
    result = check_robot(lumped(good(), base=(None, good(), bad(), np.zeros(10))))
    assert [(source.name, source.body) for source in result.sources] == [("ground1", None), ("ground2", None)]
    assert [source.where for source in result.inconsistent_sources] == ["ground2 (part of the base)"]
    assert not result.passed


def test_a_link_that_is_the_only_mass_of_its_body_is_judged_once():
    result = check_robot(lumped(bad(), None, np.zeros(10)))
    assert [link.name for link in result.inconsistent] == ["hand"]
    assert result.sources == ()
    assert not result.passed


def test_a_part_that_is_the_only_mass_of_a_body_is_named():
    result = check_robot(lumped(None, bad()))
    assert [link.name for link in result.inconsistent] == ["hand"]
    assert [source.name for source in result.inconsistent_sources] == ["part1"]


def test_an_inertia_without_mass_is_inconsistent_in_a_part_too():
    massless = np.array([0.0] * 4 + [1e-3, 0, 0, 1e-3, 0, 1e-3])
    result = check_robot(lumped(good(), massless))
    assert [source.verdict for source in result.inconsistent_sources] == [LinkVerdict.ZERO_MASS]


def test_good_parts_pass():
    result = check_robot(lumped(good(), good(0.3), base=(good(),)))
    assert result.passed
    assert len(result.sources) == 3


def test_parts_whose_own_parameters_are_not_known_are_not_judged():
    robot = lumped(good(), bad())
    result = check_robot(robot.with_parameters(robot.parameters))
    assert result.sources == ()
    assert result.passed


def test_a_stroke_that_no_joint_has_is_named_and_not_counted():
    robot = load_robot("spatial_3r")
    slides = replace(robot.joints[-1], type="prismatic", position=(-999.0, 999.0))
    longer = replace(robot, joints=(*robot.joints[:-1], slides))
    assert arm_reach(longer) == arm_reach(replace(robot, joints=(*robot.joints[:-1], replace(slides, position=(-np.inf, np.inf)))))
    assert about(check_robot(longer).warnings, slides.name, "1998", "100")
    near = replace(slides, position=(0.0, 2.0))
    assert arm_reach(replace(robot, joints=(*robot.joints[:-1], near))) == pytest.approx(arm_reach(longer) + 2.0)
