"""The `dynident` command: which verb is meant, and how errors become one sentence and an exit code.

Exit codes: 0 success; 1 the work failed, or what was checked is not in order; 2 bad usage or bad input; 130 Ctrl-C.
"""

from __future__ import annotations

import difflib
import errno
import logging
import sys
from collections.abc import Sequence
from importlib import import_module
from io import TextIOWrapper
from typing import TYPE_CHECKING

from dynident.cli.exits import InterruptedByUser, UsageError, sentence, system_sentence
from dynident.cli.interrupts import INTERRUPTED, was_pressed
from dynident.cli.overview import OPTIONS, SHELLS, VERBS, print_overview, print_version
from dynident.cli.usage import check_words
from dynident.core.names import printable
from dynident.errors import DynidentError, InputError, OptionsError, ValueRangeError

if TYPE_CHECKING:
    from dynident.cli.command_line import Verb


def run(words: Sequence[str]) -> int | None:
    """Do what the words say in this process; errors are raised. The verb that they name is imported, and no other."""
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


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command and exit; what the user can mend is one sentence on stderr."""
    words = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that knows ASCII alone shows a ? for ±
    if logging.lastResort is not None:
        logging.lastResort.setFormatter(logging.Formatter("dynident: %(message)s"))
    try:
        code = run(words)
        if was_pressed():  # while Cyclopts was at work, which makes an exit code of it
            raise InterruptedByUser
        sys.stdout.flush()
    except DynidentError as error:
        if "--debug" in words and not isinstance(error, UsageError):
            raise
        verb = next((word for word in words if word in VERBS), "")
        flags = load_verb(verb).flags if verb and isinstance(error, OptionsError | ValueRangeError) else {}
        code = _complain(sentence(error, flags, words), _exit_code(error))
    except MemoryError:
        if "--debug" in words:
            raise
        code = _complain("there is not enough memory for this; ask for less: fewer samples, a lower rate or a shorter motion", 1)
    except OSError as error:  # of what is printed, mostly: files have their own sentences
        if "--debug" in words or isinstance(error, BrokenPipeError):
            raise
        code = _complain(system_sentence(error), 2 if error.errno == errno.ENAMETOOLONG else 1)
    sys.exit(code)


def _exit_code(error: DynidentError) -> int:
    if isinstance(error, InterruptedByUser):
        return INTERRUPTED
    return 2 if isinstance(error, InputError) else 1


def _complain(sentence: str, code: int) -> int:
    print("dynident:", printable(sentence), file=sys.stderr)
    return code
