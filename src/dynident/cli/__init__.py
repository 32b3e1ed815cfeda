"""The command line: one verb per file; the only place that prints and exits."""

from __future__ import annotations

import os
import sys
import warnings

from dynident.cli.interrupts import INTERRUPTED, end_now, was_pressed, watch_ctrl_c


def main() -> None:
    """The `dynident` command. Ctrl-C is one sentence and the code that shells have for it, also while modules are being loaded."""
    if "--debug" not in sys.argv and not sys.warnoptions:
        warnings.simplefilter("ignore")  # they are for those who write code; what a user must know is a note or an error
    open_closed_streams()
    try:
        with watch_ctrl_c():
            from dynident.cli.app import main as run

            run()
    except KeyboardInterrupt:
        print("dynident: interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)
    finally:
        if was_pressed():
            end_now()


def open_closed_streams() -> None:
    """A stream that was closed (`>&-`) is nothing to read from, or leads nowhere; else the next file that is opened would be it."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            handle = os.open(os.devnull, os.O_RDWR)
            if handle != number:
                os.dup2(handle, number)
                os.close(handle)
            setattr(sys, name, open(number, "w" if number else "r", closefd=False))  # noqa: SIM115 (as long as the process lives)


__all__ = ["INTERRUPTED", "main"]
