"""The `dynident` command: which verb is meant, and how errors become one sentence and an exit code.

Exit codes: 0 success; 1 the work failed, or what was checked is not in order; 2 bad usage or bad input; 130 Ctrl-C.
"""

from __future__ import annotations

import errno
import logging
import sys
from collections.abc import Sequence
from io import TextIOWrapper

from dynident.cli.exits import InterruptedByUser, UsageError, sentence, system_sentence
from dynident.cli.interrupts import INTERRUPTED, was_pressed
from dynident.cli.overview import print_overview, print_version
from dynident.core.names import printable
from dynident.errors import DynidentError, InputError


def run(words: Sequence[str]) -> int | None:
    """Do what the words say in this process; errors are raised. What needs no verb imports none, nor what parses their options."""
    match list(words):
        case ["--help" | "-h"]:
            print_overview()
            return 0
        case ["--version"]:
            print_version()
            return 0
        case _:
            from dynident.cli.parser import parse_and_run

            return parse_and_run(words)


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
        if was_pressed():  # while Typer was at work, which makes an exit code of it
            raise InterruptedByUser
        sys.stdout.flush()
    except DynidentError as error:
        if "--debug" in words and not isinstance(error, UsageError):
            raise
        code = _complain(sentence(error, words), _exit_code(error))
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
