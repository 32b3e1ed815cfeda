"""Errors that end the command itself: Ctrl-C, and words that it does not understand."""

from __future__ import annotations

from dynident.errors import DynidentError, InputError


class InterruptedByUser(DynidentError):
    """Ctrl-C, as an error that reaches the command's end."""

    def __init__(self) -> None:
        super().__init__("interrupted; what was finished is kept")


class UsageError(InputError):
    """Words that the command does not understand. command : whose help tells more."""

    def __init__(self, message: str, command: str = "dynident") -> None:
        super().__init__(message, remedy=f"see '{command} --help'")
