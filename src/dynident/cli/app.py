"""The `dynident` command: which verb is meant, and how errors become one sentence and an exit code.

Exit codes: 0 success; 1 the work failed, or what was checked is not in order; 2 bad usage or bad input; 130 Ctrl-C.
"""

from __future__ import annotations

import errno
import math
import os
import re
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from io import TextIOWrapper
from typing import TYPE_CHECKING

from dynident.cli.exits import InterruptedByUser, UsageError, sentence, system_sentence
from dynident.cli.interrupts import INTERRUPTED, was_pressed
from dynident.cli.overview import OPTIONS, SHELLS, VERBS, print_overview, print_version
from dynident.core.names import printable
from dynident.errors import DynidentError, InputError, OptionsError, ValueRangeError

if TYPE_CHECKING:
    from dynident.cli.command_line import Verb
    from dynident.core.documents import Document

#: Beyond this no number that a robot or a log has can be, in any unit; and what is computed with it overflows.
LARGEST = 1e15


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
        import difflib

        near = difflib.get_close_matches(name, VERBS, n=1)
        raise UsageError(f"No such command {name!r}" + (f"; did you mean {near[0]!r}" if near else ""))
    else:
        from dynident.cli.command_line import run_verb

        return run_verb(load_verb(name), _with_new_names(name, after))
    return None


def load_verb(name: str) -> Verb:
    """A verb by its name."""
    from dynident.cli.command_line import make_verb

    module = import_module(f"dynident.cli.verbs.{name}")
    return make_verb(name, getattr(module, name), module.EXAMPLE)


def _with_new_names(verb: str, words: Sequence[str]) -> list[str]:
    """Words in which options that had another name once, as the verb's RENAMED has it, have the one of today."""
    renamed = getattr(import_module(f"dynident.cli.verbs.{verb}"), "RENAMED", {})
    parts = (word.partition("=") for word in words)
    return [f"{renamed.get(flag, flag)}{rest}{value}" for flag, rest, value in parts]


def printed_documents(verb: str) -> tuple[type[Document], ...]:
    """What a verb may print with --json, as its PRINTS has it, "module:class": imported for schemas, the reference and tests alone."""
    places = (place.split(":") for place in getattr(import_module(f"dynident.cli.verbs.{verb}"), "PRINTS", ()))
    return tuple(getattr(import_module(module), name) for module, name in places)


def _print_completion(shell: str) -> None:
    from dynident.cli.words import completion_script

    if shell not in SHELLS:
        raise UsageError(f"--completion got {shell!r}; one of {', '.join(SHELLS)} was expected")
    print(completion_script([load_verb(name) for name in VERBS], shell))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command and exit; what the user can mend is one sentence on stderr."""
    words = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that knows ASCII alone shows a ? for ±
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
    except BrokenPipeError:
        if not _reader_is_gone():
            raise
        code = 1
    except OSError as error:  # of what is printed, mostly: files have their own sentences
        if "--debug" in words:
            raise
        code = _complain(system_sentence(error), 2 if error.errno == errno.ENAMETOOLONG else 1)
    sys.exit(code)


def check_words(words: Iterable[str]) -> None:
    """Refuse an empty word, the value of a shell variable that is not set and as a path the working folder; and absurd numbers."""
    before = option = "dynident"
    for word in words:
        name, equals, value = word.partition("=")
        option = name if re.match("--?[a-z]", name) else option
        if not word:
            raise InputError(f"there is an empty word after {before}; give a value, or leave it out")
        if name.startswith("--") and equals and not value:
            raise InputError(f"{name} got nothing; give it a value, or leave it out")
        if any(_is_absurd(part) for part in re.split("[=,:()%]", word)):
            raise ValueRangeError(option, f"got {word!r}; numbers up to {LARGEST:g} can be computed with")
        before = word


def _is_absurd(text: str) -> bool:
    """Is it a number, other than a whole one such as a seed, that is too large?"""
    try:
        return not text.strip("+-").isdecimal() and LARGEST < abs(float(text)) < math.inf
    except ValueError:
        return False


def _reader_is_gone() -> bool:
    """Whether nobody reads what is printed any more, as `| head` after its lines; the rest is then thrown away."""
    import select

    state = select.poll()
    state.register(sys.stdout.fileno(), 0)  # errors are told without being asked for
    if not state.poll(0):
        return False
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return True


def _exit_code(error: DynidentError) -> int:
    if isinstance(error, InterruptedByUser):
        return INTERRUPTED
    return 2 if isinstance(error, InputError) else 1


def _complain(sentence: str, code: int) -> int:
    print("dynident:", printable(sentence), file=sys.stderr)
    return code
