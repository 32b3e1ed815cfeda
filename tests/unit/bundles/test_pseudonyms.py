from __future__ import annotations

import getpass
import socket
from pathlib import Path

import pytest

from dynident import load_robot
from dynident.bundles.documents import clean, clean_command
from dynident.bundles.pseudonyms import Pseudonyms
from tests.faults.hostile_names import hostile_robot


def names_of(joints: list[str], robot: str = "acme arm 7", **others: list[str]) -> Pseudonyms:
    return Pseudonyms.of(hostile_robot(joints, robot), **others)


def test_joints_links_robot_and_files_have_neutral_names():
    names = names_of(["shoulder_sn0815", "elbow"], files=["run of Tuesday.csv", "b.npz"], places=["out/tuesday", "logs/b.npz"])
    assert names.of_name("shoulder_sn0815") == "joint1"
    assert names.of_name("link elbow") == "link2"
    assert names.of_name("acme arm 7") == "robot"
    assert names.of_text("run of Tuesday.csv, b.npz: elbow of acme arm 7") == "data1.csv, data2.npz: joint2 of robot"
    assert names.of_text("written to out/tuesday.") == "written to place1."
    assert names.of_text("from logs/b.npz") == "from data2.npz"


def test_joints_that_change_their_names_with_each_other_are_not_mixed_up():
    names = names_of(["joint2", "joint1"])
    assert names.of_text("joint1 moves more than joint2") == "joint2 moves more than joint1"


def test_a_name_within_a_longer_word_is_left_and_the_longest_name_wins():
    names = names_of(["arm", "arm_long"])
    assert names.of_text("arm_long, arm and harmful alarms") == "joint2, joint1 and harmful alarms"


def test_a_joint_of_one_letter_changes_no_sentence():
    names = names_of(["a", "~", " "])
    assert names.of_text("a log of a robot ~ 3 s") == "a log of a robot ~ 3 s"
    assert names.of_name("a") == "joint1"


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("see /srv/anna/logs/x.csv, please", "see file.csv, please"),
        ("see ~/secret and ../other/thing", "see file and file"),
        (r"see C:\Users\Anna\arm.urdf", "see file.urdf"),
        ("projects/acme/arm.urdf has no masses", "file.urdf has no masses"),
        ("12 N·m/rad at 3 m/s, 5/7 of it and/or less", "12 N·m/rad at 3 m/s, 5/7 of it and/or less"),
        ("M(q) and g(q): 1.5e-3 kg·m²/s", "M(q) and g(q): 1.5e-3 kg·m²/s"),
    ],
)
def test_paths_in_sentences(text, cleaned):
    assert names_of(["j"]).of_text(text) == cleaned


def test_account_home_and_computer(monkeypatch):
    monkeypatch.setattr(getpass, "getuser", lambda: "annamaria")
    monkeypatch.setattr(socket, "gethostname", lambda: "acme-lab-3")
    monkeypatch.setattr(Path, "home", lambda: Path("/srv/annamaria"))
    names = names_of(["j"])
    assert names.of_text("annamaria on acme-lab-3 in /srv/annamaria") == "user on host in home"


def test_common_accounts_are_words_of_sentences(monkeypatch):
    monkeypatch.setattr(getpass, "getuser", lambda: "root")
    monkeypatch.setattr(Path, "home", lambda: Path("/root"))
    assert names_of(["j"]).of_text("the root of the noise") == "the root of the noise"


def test_commands_keep_verb_options_and_numbers():
    names = Pseudonyms.of(load_robot("planar_2r"), files=["log.csv"])
    command = "dynident identify planar_2r '/x y/log.csv' -o anna --friction=auto --map q=anna_* --train 0:0.7 --effort-gains -1,2e-3"
    cleaned = "dynident identify robot data1.csv -o NAME --friction=NAME --map NAME --train 0:0.7 --effort-gains -1,2e-3"
    assert clean_command(command, names) == cleaned
    assert clean_command("dynident identify 'not closed", names) == "dynident"


def test_words_of_the_programs_are_kept_whatever_the_joints_are_called():
    names = names_of(["torque", "COMPLETE", "nan", "mass"])
    document = {"equations": "torque", "status": "COMPLETE", "level": {"number": "nan"}, "mass": 3.0, "com": 1, "joint": "mass"}
    assert clean(document, names) == {**document, "joint": "joint4"}


def test_keys_that_are_joints_are_renamed_and_others_are_not():
    names = names_of(["one", "two"])
    assert clean({"rms_per_joint": {"one": 1.0, "two": 2.0}}, names) == {"rms_per_joint": {"joint1": 1.0, "joint2": 2.0}}
    assert clean({"units": {"one": "N", "two": "N·m"}}, names) == {"units": {"joint1": "N", "joint2": "N·m"}}
    assert clean({"one": 1.0, "more": 2.0}, names) == {"one": 1.0, "more": 2.0}
