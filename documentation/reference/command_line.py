"""The page of the command line, from the commands themselves: what `--help` says, with links, and what many commands share said once."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable
from pathlib import Path

from documentation.reference import docstrings
from documentation.reference.schemas import schema_file
from dynident.cli.app import load_verb, printed_documents
from dynident.cli.command_line import Verb, Word, help_text
from dynident.cli.overview import GROUPS, VERBS, purpose

DOCS = Path(__file__).resolve().parents[2] / "docs"
#: Pages that tell more than the help, below docs/.
_MORE = {
    "demo": ("how-to/report.md",),
    "reproduce": ("how-to/reproduce.md",),
    "check": ("how-to/check.md", "how-to/robot-files.md"),
    "view": ("how-to/view.md",),
    "convert": ("how-to/robot-files.md", "how-to/dh.md"),
    "repair": ("how-to/repair.md",),
    "excite": ("how-to/excite.md", "how-to/run-a-trajectory.md"),
    "simulate": ("how-to/simulate.md",),
    "record": ("how-to/record.md",),
    "doctor": ("how-to/doctor.md",),
    "presets": ("how-to/data-files.md",),
    "gains": ("how-to/drives.md",),
    "identify": ("how-to/data-files.md", "how-to/controller.md", "how-to/friction.md", "explanation/identification.md"),
    "signs": ("explanation/signs.md",),
    "retrieve": ("how-to/retrieve.md", "reference/constraint-files.md", "explanation/feasibility.md"),
    "validate": ("how-to/validate.md",),
    "friction": ("how-to/friction.md", "reference/friction.md"),
    "fleet": ("how-to/fleet.md",),
    "payload": ("how-to/payload.md",),
    "export": ("how-to/export.md",),
    "monitor": ("how-to/monitor.md",),
    "report": ("how-to/report.md",),
    "bundle": ("how-to/report-a-wrong-result.md",),
    "compare": ("how-to/fleet.md",),
    "sample": ("how-to/sample.md",),
}
#: Options that many commands have: group of the help, what they are about, and a command that has them all.
_SHARED = (
    ("The robot", "Of a file that describes a robot, and how the robot is mounted:", "identify"),
    ("Reading the log", "Where neither the names in a file nor a YAML file beside it say it, these do:", "identify"),
)
#: Words of help that are typed as they stand.
_TYPED = re.compile(rf"(?<![\w`-])(--[a-z][a-z-]*|-[a-z](?= |$|\.)|dynident (?:{'|'.join(VERBS)})(?: [A-Z]+| --[a-z-]+)*)")


def command_overview() -> str:
    """The table of all commands."""
    rows = [
        f"| {group if first else ''} | [`dynident {name}`](#dynident-{name}) | {purpose(name)} |"
        for group, verbs in GROUPS.items()
        for first, name in zip([True, *[False] * len(verbs)], verbs, strict=False)
    ]
    return "\n".join(["| | command | |", "|---|---|---|", *rows])


def command_sections() -> str:
    """What many commands share, then a section per command."""
    verbs = {name: load_verb(name) for name in VERBS}
    parts: list[str] = []
    for title, about, example in _SHARED:
        parts += [f"## {title}", about, _table(word for word in verbs[example].words if word.option.group == title)]
    for verb in verbs.values():
        parts += _describe(verb)
    return "\n\n".join(parts)


def _describe(verb: Verb) -> list[str]:
    shared = [title for title, _, _ in _SHARED]
    mine = [word for word in verb.words if word.option.group not in shared]
    sentence, _, rest = (inspect.getdoc(verb.function) or "").partition("\n\n")
    parts = [f"## dynident {verb.name}", f"```\n{verb.synopsis}\n```", _text(sentence), _text(rest)]
    if verb.name in _MORE:
        parts.append("See " + _listed([_link(page) for page in _MORE[verb.name]]) + ".")
    parts.append(_table(mine))
    for title in shared:
        used = [word.option.flag for word in verb.words if word.option.group == title]
        if used:
            parts.append(f"[{title}](#{title.lower().replace(' ', '-')}): {', '.join(f'`{flag}`' for flag in used)}.")
    if documents := printed_documents(verb.name):
        links = [f"[{kind.FILE.removesuffix('.json')}](schemas/{schema_file(kind.FILE)})" for kind in documents]
        parts.append(f"JSON Schema of what `--json` prints: {_listed(links)}.")
    parts.append(f"```\n{_examples(verb.example)}\n```")
    return [part for part in parts if part]


def _table(words: Iterable[Word]) -> str:
    rows = [f"| {docstrings.cell(_named(word))} | {docstrings.cell(_meaning(word))} |" for word in words]
    return "\n".join(["| option | meaning |", "|---|---|", *rows]) if rows else ""


def _named(word: Word) -> str:
    item = word.option
    if word.by_place:
        return f"`{word.metavar}`"
    if item.kind.is_flag:
        return f"`{item.flag}`" if item.default is False else f"`{item.flag}`, `--no-{item.flag[2:]}`"
    return ", ".join(f"`{flag} {word.metavar}`" for flag in (item.flag, item.short) if flag)


def _meaning(word: Word) -> str:
    """What the help says, with the default."""
    item = word.option
    shown = f" Default: {item.shown}." if item.shown else f" Default: `{word.default}`." if word.default else ""
    return _text(help_text(item)) + " Required." * (word.required and not word.by_place) + shown


def _examples(text: str) -> str:
    lines = [line.strip() for line in text.splitlines()]
    return "\n".join(re.sub(r"   \((.*)\)$", r"   # \1", line) for line in lines if line.startswith("dynident "))


def _text(help: str) -> str:
    return _TYPED.sub(r"`\1`", docstrings.markdown(help))


def _link(page: str) -> str:
    title = (DOCS / page).read_text(encoding="utf-8").split("# ", 1)[1].partition("\n")[0].strip()
    return f"[{title}]({page.removeprefix('reference/') if page.startswith('reference/') else f'../{page}'})"


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
