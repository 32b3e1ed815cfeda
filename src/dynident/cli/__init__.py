"""The command line: one verb per file; the only place that prints and exits."""

from __future__ import annotations

import sys
import warnings

from dynident.cli.interrupts import INTERRUPTED, end_now, was_pressed, watch_ctrl_c


def main() -> None:
    """The `dynident` command. Ctrl-C is one sentence and the code that shells have for it, also while modules are being loaded."""
    if "--debug" not in sys.argv and not sys.warnoptions:
        warnings.simplefilter("ignore")  # they are for those who write code; what a user must know is a note or an error
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


__all__ = ["INTERRUPTED", "main"]
