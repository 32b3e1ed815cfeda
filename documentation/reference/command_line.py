"""The page of the command line, from the commands themselves: what `--help` says, with links, and what many commands share said once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, get_args

import typer.main

from documentation.reference import FOLDER, MADE, docstrings
from dynident.cli import options
from dynident.cli.overview import GROUPS, VERBS
from dynident.cli.parser import _app
from dynident.cli.registries import OptionGroup

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
#: Schemas of what --json prints, without their suffix.
_JSON = {
    "reproduce": ("reproduction",),
    "check": ("check",),
    "repair": ("repair",),
    "excite": ("excite", "excite-static", "excite-check", "experiment"),
    "doctor": ("diagnosis",),
    "identify": ("estimate",),
    "signs": ("signs",),
    "retrieve": ("parameters",),
    "validate": ("validation",),
    "friction": ("friction",),
    "fleet": ("fleet",),
    "payload": ("payload",),
    "bundle": ("bundle",),
    "compare": ("comparison",),
    "sample": ("sample-index",),
}
#: Options that many commands have: heading, what they are about, and the group that holds them all.
_SHARED = (
    ("How a robot is described", "Of a file that describes a robot, and how the robot is mounted:", options.Mounting),
    ("How data are read", "Where neither the names in a file nor a YAML file beside it say it, these do:", options.DataReading),
)
_HEAD = """# Command line

```
dynident [--version] [--debug] COMMAND ...
```

Every command has `--help`, which says what is here and ends with examples. An error is one sentence on stderr that names the remedy;
`--debug` shows the traceback instead. With `--json` a command prints JSON for other programs.

| exit code | meaning |
|---|---|
| 0 | success |
| 1 | the work failed, or what was checked is not in order |
| 2 | bad usage or bad input |
| 130 | Ctrl-C; what was finished is kept |
"""
#: Words of help that are typed as they stand.
_TYPED = re.compile(rf"(?<![\w`-])(--[a-z][a-z-]*|-[a-z](?= |$|\.)|dynident (?:{'|'.join(VERBS)})(?: [A-Z]+| --[a-z-]+)*)")


def make() -> dict[str, str]:
    commands: Mapping[str, Any] = typer.main.get_command(_app([])).commands  # pyright: ignore[reportAttributeAccessIssue]
    shared = {title: set(_group(annotation)) for title, _, annotation in _SHARED}
    parts = [_HEAD.strip(), _overview()]
    for title, about, _ in _SHARED:
        found = {item.name: item for command in commands.values() for item in command.params if item.name in shared[title]}
        parts += [f"## {title}", about, _table(found[name] for name in _order(found, shared[title]))]
    for name, command in commands.items():
        parts += _describe(name, command, shared)
    return {"command-line.md": MADE + "\n\n".join(parts) + "\n"}


def _group(annotation: Any) -> list[str]:
    return list(next(item for item in get_args(annotation) if isinstance(item, OptionGroup)).offered())


def _order(found: Mapping[str, Any], names: set[str]) -> list[str]:
    return [name for _, _, annotation in _SHARED for name in _group(annotation) if name in names and name in found]


def _overview() -> str:
    rows = [
        f"| {group if first else ''} | [`dynident {name}`](#dynident-{name}) | {text} |"
        for group, verbs in GROUPS.items()
        for first, (name, text) in zip([True, *[False] * len(verbs)], verbs.items(), strict=False)
    ]
    return "\n".join(["| | command | |", "|---|---|---|", *rows])


def _describe(name: str, command: Any, shared: Mapping[str, set[str]]) -> list[str]:
    mine = [item for item in command.params if not any(item.name in names and _is_option(item) for names in shared.values())]
    sentence, _, rest = command.help.partition("\n\n")
    parts = [f"## dynident {name}", f"```\n{_synopsis(name, mine)}\n```", _text(sentence), _text(rest)]
    if name in _MORE:
        parts.append("See " + _listed([_link(page) for page in _MORE[name]]) + ".")
    parts.append(_table(mine))
    for title, names in shared.items():
        used = [item for item in command.params if item.name in names and _is_option(item)]
        if used:
            parts.append(f"[{title}](#{title.lower().replace(' ', '-')}): {', '.join(f'`{item.opts[0]}`' for item in used)}.")
    if name in _JSON:
        links = [f"[{kind}](schemas/{kind}.schema.json)" for kind in _JSON[name]]
        parts.append(f"JSON Schema of what `--json` prints: {_listed(links)}.")
    parts.append(f"```\n{_examples(command.epilog)}\n```")
    return [part for part in parts if part]


def _is_option(item: Any) -> bool:
    return item.param_type_name == "option"


def _synopsis(name: str, params: list[Any]) -> str:
    words = [_argument(item) for item in params if not _is_option(item)]
    words += [f"{item.opts[-1]} {item.metavar}" for item in params if _is_option(item) and item.required]
    return " ".join(["dynident", name, *words, "[OPTIONS]"])


def _argument(item: Any) -> str:
    word = item.metavar.strip("[]")
    return word if item.required else f"[{word}]"


def _table(params: Iterable[Any]) -> str:
    rows = [
        f"| {docstrings.cell(_named(item))} | {docstrings.cell(_meaning(item))} |" for item in params if item.name not in ("debug", "help")
    ]
    return "\n".join(["| option | meaning |", "|---|---|", *rows]) if rows else ""


def _named(item: Any) -> str:
    if not _is_option(item):
        return f"`{_argument(item)}`"
    kind = "" if item.is_flag else f" {item.metavar or 'N'}"
    return ", ".join(f"`{word}{kind}`" for word in (*item.opts, *item.secondary_opts))


def _meaning(item: Any) -> str:
    """What the help says, and the default where it does not say it."""
    default = item.default
    told = default is None or default is False or default == "" or "Default" in (item.help or "")
    shown = f"{default:g}" if isinstance(default, float) else default
    required = " Required." if _is_option(item) and item.required else ""
    return _text(item.help or "") + required + ("" if told else f" Default: `{shown}`.")


def _examples(epilog: str) -> str:
    lines = [re.sub(r"\[/?bold\]", "", line).strip() for line in epilog.splitlines()]
    commands = [re.sub(r"   \((.*)\)$", r"   # \1", line) for line in lines if line.startswith("dynident ")]
    return "\n".join(commands)


def _text(help: str) -> str:
    return _TYPED.sub(r"`\1`", docstrings.markdown(help).replace(docstrings.MENTION, ""))


def _link(page: str) -> str:
    title = (FOLDER.parent / page).read_text(encoding="utf-8").split("# ", 1)[1].partition("\n")[0].strip()
    return f"[{title}]({page.removeprefix('reference/') if page.startswith('reference/') else f'../{page}'})"


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
