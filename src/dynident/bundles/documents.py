"""What is said in a run folder, without names: walks through documents and replaces what is a name, in values, keys and sentences.

Words that mean something to the programs (a status, a unit, a model's name) stand below keys of their own and are kept, whatever the
joints are called.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any, cast

from dynident.bundles.pseudonyms import Kind, Pseudonyms
from dynident.robots.serialize import SCHEMA as ROBOT_SCHEMA

#: Keys below which a text is a word of the programs, and no name.
_WORDS = frozenset(
    re.findall(
        r"\w+",
        """schema type status route unit units model models equations noise loss effort_kind verdict method solver metric determined_by
        grade recommended filter differentiated predictions deviations versions confidence rule dropped_reasons columns friction shape
        files made_from number numbers estimate parameters objective_name toward""",
    )
)
_NUMBERS = re.compile(r"[-+0-9.,:%eE]+")


def clean(value: Any, names: Pseudonyms, key: str = "", kind: Kind = "") -> Any:
    """The value without names. key : below which it stands; kind : whose names come first there."""
    if isinstance(value, Mapping):
        found = cast("Mapping[str, Any]", value)
        return clean_robot(found, names) if found.get("schema") == ROBOT_SCHEMA else _clean_mapping(found, names, key, kind)
    if isinstance(value, list):
        return [clean(item, names, key, kind) for item in cast("list[Any]", value)]
    if not isinstance(value, str) or key in _WORDS:
        return value
    return clean_command(value, names) if key == "command" else names.of_name(value, kind)


def clean_robot(robot: Mapping[str, Any], names: Pseudonyms) -> dict[str, Any]:
    """A robot as `robot_to_dict` gives it; its numbers stay, and the notes of its file go."""
    joints = [{**joint, "name": f"joint{j + 1}"} for j, joint in enumerate(robot["joints"])]
    links = [_clean_link(link, names, j + 1) for j, link in enumerate(robot["links"])]
    apart = [[names.of_name(name, "link") for name in pair] for pair in robot.get("apart", ())]
    base = [_clean_piece(piece, names) for piece in robot["base_pieces"]]
    return {**robot, "name": "robot", "joints": joints, "links": links, "base_pieces": base, "apart": apart, "notes": [], "source": "robot"}


def clean_command(command: str, names: Pseudonyms) -> str:
    """A command as it was typed: verb, options and numbers stay; robots, files and folders get neutral names."""
    verb, words = split_command(command)
    found = list(verb)
    for word in words:
        option, equals, value = word.partition("=")
        if word.startswith("--") and equals:
            found.append(f"{option}={_clean_word(value, names)}")
        else:
            found.append(word if word.startswith("-") else _clean_word(word, names))
    return shlex.join(found)


def split_command(command: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Program and verb of a command as it was typed, and the words after them; the program alone where a quote is not closed."""
    try:
        words = tuple(shlex.split(command))
    except ValueError:
        return ("dynident",), ()
    return words[:2], words[2:]


def command_places(command: str) -> list[str]:
    """Words of a command that may be files or folders."""
    words = [word for word in split_command(command)[1] if not word.startswith("-") and not _NUMBERS.fullmatch(word)]
    return [word for word in words if "/" in word or PurePath(word).suffix]


def _clean_word(word: str, names: Pseudonyms) -> str:
    if _NUMBERS.fullmatch(word):
        return word
    return names.all.get(word) or names.all.get(PurePath(word).name) or "NAME"


def _clean_link(link: Mapping[str, Any], names: Pseudonyms, number: int) -> dict[str, Any]:
    pieces = [_clean_piece(piece, names) for piece in link["pieces"]]
    return {**link, "name": f"link{number}", "frame": names.of_frame(link["frame"], number), "pieces": pieces}


def _clean_piece(piece: Mapping[str, Any], names: Pseudonyms) -> dict[str, Any]:
    return {**piece, "name": names.of_name(piece["name"], "link")}


def _clean_mapping(found: Mapping[str, Any], names: Pseudonyms, key: str, kind: Kind) -> dict[str, Any]:
    of_joints = bool(found) and all(name in names.joints for name in found)
    of_files = key == "files" and not all(name in names.kept for name in found)
    cleaned: dict[str, Any] = {}
    for name, value in found.items():
        told = names.joints[name] if of_joints else names.of_name(name) if of_files else name
        inner: Kind = "link" if name in ("links", "link") else "joint" if name in ("joints", "joint") else kind
        cleaned[told] = {} if name == "read" and isinstance(value, Mapping) else clean(value, names, key if of_joints else name, inner)
    return cleaned
