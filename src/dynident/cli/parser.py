"""The words of a command line: the verb that they name is imported, and no other."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from dynident.cli.exits import UsageError
from dynident.cli.overview import OPTIONS, SHELLS, VERBS, print_overview, print_version
from dynident.cli.usage import check_words

if TYPE_CHECKING:
    from dynident.cli.command_line import Verb


def parse_and_run(words: Sequence[str]) -> int | None:
    """Do what the words say; UsageError tells what is not understood."""
    check_words(words)
    place = next((i for i, word in enumerate(words) if not word.startswith("-")), len(words))
    before, name, after = list(words[:place]), words[place] if place < len(words) else "", list(words[place + 1 :])
    if before[:1] == ["--completion"]:
        return _print_completion(name)
    for word in before:
        if word not in OPTIONS:
            raise UsageError(f"No such option: {word}")
    if "--version" in before:
        print_version()
    elif not name or "--help" in before or "-h" in before:
        print_overview()
    elif name not in VERBS:
        near = difflib.get_close_matches(name, VERBS, n=1)
        raise UsageError(f"No such command {name!r}" + (f"; did you mean {near[0]!r}" if near else ""))
    else:
        from dynident.cli.command_line import run_verb

        return run_verb(load_verb(name), after)
    return None


def load_verb(name: str) -> Verb:
    """A verb by its name."""
    from dynident.cli.command_line import make_verb

    module = import_module(f"dynident.cli.verbs.{name}")
    return make_verb(name, getattr(module, name), module.EXAMPLE)


def _print_completion(shell: str) -> None:
    from dynident.cli.command_line import completion_script

    if shell not in SHELLS:
        raise UsageError(f"--completion got {shell!r}; one of {', '.join(SHELLS)} was expected")
    print(completion_script([load_verb(name) for name in VERBS], shell))
