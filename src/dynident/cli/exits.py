"""Errors as the command tells them, and those that end the command itself: Ctrl-C, and words that it does not understand."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Mapping, Sequence

from dynident.cli.interrupts import was_pressed
from dynident.errors import DynidentError, InputError, OptionsError, Remedy, ValueRangeError


class InterruptedByUser(DynidentError):
    """Ctrl-C, as an error that reaches the command's end."""

    def __init__(self) -> None:
        super().__init__("interrupted; what was finished is kept")


class UsageError(InputError):
    """Words that the command does not understand. command : whose help tells more."""

    def __init__(self, message: str, command: str = "dynident") -> None:
        super().__init__(message, remedy=f"see '{command} --help'")


class Exit(Exception):
    """Ends a verb with an exit code, after everything was printed."""

    def __init__(self, code: int) -> None:
        self.code = code
        super().__init__(code)


def finish(verb: Callable[[], int | None]) -> int | None:
    """Run a verb to its end; Ctrl-C is an error that reaches the end of the command, whatever a library has made of it."""
    try:
        code = verb()
    except Exit as end:
        code = end.code
    except BaseException as error:
        if was_pressed() or isinstance(error, KeyboardInterrupt):  # whatever Numba, Clarabel or the parser have made of it
            raise InterruptedByUser from None
        raise
    if was_pressed():  # it has made the best of it, and a verb that calls this one must not go on
        raise InterruptedByUser
    return code


def sentence(error: DynidentError, flags: Mapping[str, str] | None = None, words: Sequence[str] = ()) -> str:
    """What the command says of an error: options in place of arguments.

    flags : of the options of the verb, by name; words : of the command line, for a value that is out of range.
    """
    from dynident.cli.arguments import option_text
    from dynident.core.options import flag_of

    message, remedy = error.message, error.remedy
    if isinstance(error, OptionsError):
        message = error.told(lambda name: (flags or {}).get(name) or option_text(name, ...))
    elif isinstance(error, ValueRangeError):
        typed = {word.split("=")[0] for word in words}
        options = [flag_of(error.name), (flags or {}).get(error.name, "")]
        message = next((option for option in options if option and option in typed), error.name) + message.removeprefix(error.name)
    if isinstance(remedy, Remedy):
        remedy = remedy.told(option_text)
    return "; ".join(filter(None, (message, remedy)))


def system_sentence(error: OSError) -> str:
    """What the command says of an error of the system that no file's own sentence has told."""
    if error.filename is None:
        return f"can't print what was found ({error.strerror or error})"
    problem = "the name is too long for the file system; give a shorter one" if error.errno == errno.ENAMETOOLONG else error.strerror
    return f"{os.fsdecode(error.filename)}: {problem}"


def mishap_sentence(error: BaseException) -> str:
    """What the command says of an error that ended a part of its work."""
    if isinstance(error, DynidentError):
        return " ".join(sentence(error).split())
    return system_sentence(error) if isinstance(error, OSError) else f"{type(error).__name__}: {error}"
