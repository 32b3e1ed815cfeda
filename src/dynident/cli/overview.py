"""All verbs with what they do in one sentence, and the page that `dynident --help` shows: nothing else is imported for it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from dynident.cli.help_page import DEBUG, print_page

#: By the groups of the page, in its order. A new verb is its file and its name here.
GROUPS: Mapping[str, tuple[str, ...]] = {
    "Start here": ("fit", "demo", "reproduce"),
    "Robot": ("check", "view", "convert", "repair"),
    "Experiment": ("excite", "simulate", "record", "doctor"),
    "Model": ("presets", "gains", "identify", "signs", "retrieve", "validate", "friction", "fleet", "payload"),
    "Use": ("export", "monitor", "report", "bundle", "compare", "sample"),
}
VERBS = tuple(name for verbs in GROUPS.values() for name in verbs)

#: What can stand before a verb.
OPTIONS = {
    "--version": "Print the version and exit.",
    "--debug": DEBUG,
    "--completion": "Print what completes commands in a shell: bash, zsh, fish or powershell.",
    "--help": "Show this message and exit.",
    "-h": "The same.",
}
SHELLS = ("bash", "zsh", "fish", "powershell")


def purpose(verb: str) -> str:
    """What a verb does: the first sentence of its help, read from its file without importing it."""
    text = Path(__file__).with_name("verbs").joinpath(f"{verb}.py").read_text(encoding="utf-8")
    match = re.search(rf'^def {verb}\(.*?"""(.+?)(?:\n\n|""")', text, flags=re.DOTALL | re.MULTILINE)
    return "" if match is None else " ".join(match[1].split())


def print_overview() -> None:
    """The help of the command as a whole."""
    groups = {title: [(verb, purpose(verb)) for verb in verbs] for title, verbs in GROUPS.items()}
    about = "Identify the dynamic model of a robot arm."
    print_page("dynident [OPTIONS] COMMAND [ARGS]...", about, {"Options": [*OPTIONS.items()], **groups}, "Example: dynident check panda")


def print_version() -> None:
    from importlib.metadata import version

    print("dynident", version("dynident"))
